"""Rulebook 2, the order of play: the sequence of decisions (design page, sections 1 and 8), and the Referee."""

from __future__ import annotations

from collections.abc import Callable

from tests.referees import BaseReferee

from . import andrew, events, position, scoring, setup, sheets, turn
from .building import bonus_region, chooses_level
from .company import activate, enter_lobbies, has_new_lobby, legal_activations, legal_lifts, move
from .components import SPACES
from .position import Game, Turn
from .research import advance, legal_advances
from .timeline import advancing_row, donation_event, income_region

ROUNDS = 20  # rulebook 1.1


class Referee(BaseReferee):
    position = position
    _legal: set[str] | None = None

    def legal_actions(self) -> set[str]:
        if self._legal is None:
            self._legal = set(PHASES[self._game.phase][0](self._game))
        return set(self._legal)

    def apply(self, text: str) -> None:
        legal = self.legal_actions()
        if text not in legal:
            raise ValueError(f"illegal in phase {self._game.phase}: {text}")
        self._game.decisions += 1  # forced decisions are not counted
        self._do(text)
        if not self._game.options["show_forced"]:
            while len(legal := self.legal_actions()) == 1:
                self._do(legal.pop())

    def _do(self, text: str) -> None:
        PHASES[self._game.phase][1](self._game, text)
        self._legal = None

    def score_breakdown(self) -> list[dict]:
        return scoring.score_breakdown(self._game)


def _enter(g: Game, phase: str, seat: int | None) -> None:
    g.phase, g.to_play = phase, seat


# --------------------------------------------------------------------------------------------------- set-up (1.3)
def _apply_sheet(g: Game, text: str) -> None:
    """Expansion 1, ruling P12: one sheet after the other, revealed together."""
    sheets.fill_in(g, text)
    if sheets.next_line(g, g.company) is not None:
        return
    if g.to_play + 1 < len(g.companies):
        _enter(g, "sheet", g.to_play + 1)
    else:
        sheets.reveal(g)
        _enter(g, "sides", g.first_player)


def _apply_side(g: Game, text: str) -> None:
    _side, project, side = text.split()
    g.company.tabs[project].side = side
    if setup.next_tab(g) is not None:
        return
    following = g.next_clockwise(g.to_play)
    if following is not None:
        _enter(g, "sides", following)
    else:
        setup.deal_neutral_disks(g)
        _enter(g, "housing", (g.first_player - 1) % len(g.companies))  # ruling 3: from the right of the first


def _apply_housing(g: Game, text: str) -> None:
    setup.place_housing(g, text)
    _enter(g, "reserve", g.to_play)


def _apply_reserve(g: Game, text: str) -> None:
    setup.reserve(g, text.split()[1])
    following = setup.next_counter_clockwise(g)
    if following is not None:
        _enter(g, "housing", following)
    elif g.panels is not None:
        _enter(g, "panels", g.first_player)
    else:
        _setup_moves(g, g.first_player)


def _apply_panels(g: Game, text: str) -> None:
    """Expansion 1, chapter 3: clockwise, one tile or none each."""
    if text != "pass":
        _panel, tile, _over, column = text.split()
        g.panels[column] = tile
    following = g.next_clockwise(g.to_play)
    if following is not None:
        _enter(g, "panels", following)
    else:
        _setup_moves(g, g.first_player)


def _setup_moves(g: Game, seat: int | None) -> None:
    if seat is None:
        g.turn = Turn()
        _activations(g, g.first_player)  # ruling 3: after all have moved
    else:
        setup.start_moves(g, seat)
        _enter(g, "setup_moves", seat)


def _apply_setup_moves(g: Game, text: str) -> None:
    if text == "pass":
        _setup_moves(g, g.next_clockwise(g.to_play))
    else:
        _lift(g, text)


# --------------------------------------------------------------------------------------------------- moves (2.3.1)
def _lift(g: Game, text: str) -> None:
    _verb, state, space = text.split()
    g.turn.lifted = (state, space)
    _enter(g, "destination", g.to_play)


def _legal_destination(g: Game) -> set[str]:
    _state, origin = g.turn.lifted
    others = [space for space in SPACES if space != origin]
    if g.turn.relocations:
        return {f"to {space}" for space in others}
    return {f"to {space}" for space in others if turn.distance(g, origin, space) <= g.turn.moves}


def _apply_destination(g: Game, text: str) -> None:
    (state, origin), destination = g.turn.lifted, text.split()[1]
    turn.moves_away(g, state, origin)
    move(g.company, state, origin, destination)
    g.turn.lifted = None
    if g.turn.relocations:
        g.turn.relocations -= 1
        return _relocate(g)
    g.turn.moves -= turn.distance(g, origin, destination)
    if g.round > 0:
        _go_on(g)
    elif g.turn.moves > 0:
        _enter(g, "setup_moves", g.to_play)
    else:
        _setup_moves(g, g.next_clockwise(g.to_play))


def _relocate(g: Game) -> None:
    """Expansion 1, tile 17, ruling P13: one after the other, as many as are allowed and wanted."""
    if g.turn.relocations and legal_lifts(g.company):
        _enter(g, "relocation", g.to_play)
    else:
        g.turn.relocations = 0
        _go_on(g)


def _legal_relocation(g: Game) -> set[str]:
    return legal_lifts(g.company) | {"pass"}


def _apply_relocation(g: Game, text: str) -> None:
    if text == "pass":
        g.turn.relocations = 0
        _go_on(g)
    else:
        _lift(g, text)


# ------------------------------------------------------------------------------------------------ a round (2, 2.1)
def _start_round(g: Game) -> None:
    g.round += 1
    if g.solo:
        andrew.draw(g)
    if andrew.chooses(g):
        _choose_timeline(g, andrew.card_of_the_round(g).back)
    else:
        _enter(g, "timeline", g.first_player)


def _legal_timeline(g: Game) -> set[str]:
    return {f"timeline {row}" for row in g.markers}  # ruling 8: also a row that has ended


def _apply_timeline(g: Game, text: str) -> None:
    _choose_timeline(g, text.split()[1])


def _choose_timeline(g: Game, row: str) -> None:
    g.chosen, g.advancing = row, advancing_row(g, row)
    if g.solo:
        andrew.resolve(g)  # ruling 32: before the player's event
    _incomes(g, g.first_player)


# --------------------------------------------------------------------------------------------------- income (2.2.1)
def _incomes(g: Game, seat: int | None) -> None:
    """Ruling 9: all incomes first, clockwise from this seat."""
    region = income_region(g)
    while region is not None and seat is not None:
        if g.companies[seat].missions[region]:
            return _enter(g, "recover", seat)
        seat = g.next_clockwise(seat)
    _donations(g, g.first_player)


def _legal_recover(g: Game) -> set[str]:
    return {f"recover {n}" for n in range(g.company.missions[income_region(g)] + 1)}


def _apply_recover(g: Game, text: str) -> None:
    employees = int(text.split()[1])
    if employees == 0:
        return _incomes(g, g.next_clockwise(g.to_play))
    region = income_region(g)
    events.recover(g, employees)
    if chooses_level(g.company, region):
        _choose_level(g, region)
    else:
        _earn_for_the_recovered(g, g.company.transport[region])


def _earn_for_the_recovered(g: Game, space: int) -> None:
    events.income_of_the_recovered(g, space)
    if has_new_lobby(g.company):
        _enter(g, "lobby_recover", g.to_play)
    else:
        _arrive(g, 0)
        _spend_income_research(g)


def _choose_level(g: Game, region: str) -> None:
    """Expansion 1, tile 31, ruling P14: the marker's own space of the track, or any before it."""
    g.turn.level_region = region
    _enter(g, "level", g.to_play)


def _legal_level(g: Game) -> set[str]:
    return {f"level {space}" for space in range(g.company.transport[g.turn.level_region] + 1)}


def _apply_level(g: Game, text: str) -> None:
    space, region = int(text.split()[1]), g.turn.level_region
    g.turn.level_region = None
    if g.turn.action is None:  # no turn, so it is an income event
        _earn_for_the_recovered(g, space)
    else:
        turn.bonus(g, region, space)
        _arrive_in_turn(g)


def _legal_new_lobby(g: Game) -> set[str]:
    return {f"new lobby {n}" for n in range(g.turn.arrivals + 1)}


def _arrive(g: Game, to_new_lobby: int) -> None:
    enter_lobbies(g.company, g.turn.arrivals, to_new_lobby)
    g.turn.arrivals = 0


def _apply_lobby_recover(g: Game, text: str) -> None:
    _arrive(g, int(text.split()[2]))
    _spend_income_research(g)


def _spend_income_research(g: Game) -> None:
    """Ruling 12: research points of an income are spent at once, or lost."""
    if legal_advances(g):
        _enter(g, "research", g.to_play)
    else:
        g.turn.research = 0
        events.fixed_tab_incomes(g.company)
        _next_income_choice(g, None)


def _legal_research(g: Game) -> set[str]:
    return legal_advances(g) | {"pass"}


def _apply_research(g: Game, text: str) -> None:
    if text == "pass":
        g.turn.research = 0
    else:
        advance(g, text.split()[1])
    _spend_income_research(g)


def _next_income_choice(g: Game, after: tuple[str, int] | None) -> None:
    g.turn.income_choice = events.next_income_choice(g.company, after)
    if g.turn.income_choice is not None:
        _enter(g, "tab_income", g.to_play)
    else:
        _incomes(g, g.next_clockwise(g.to_play))


def _apply_tab_income(g: Game, text: str) -> None:
    events.take(g, text)
    if g.turn.arrivals and has_new_lobby(g.company):
        _enter(g, "lobby_tab", g.to_play)
    else:
        _arrive(g, 0)
        _next_income_choice(g, g.turn.income_choice)


def _apply_lobby_tab(g: Game, text: str) -> None:
    _arrive(g, int(text.split()[2]))
    _next_income_choice(g, g.turn.income_choice)


# ------------------------------------------------------------------------------------------------- donations (2.2.2)
def _donations(g: Game, seat: int | None) -> None:
    while donation_event(g) and seat is not None:
        _enter(g, "donation", seat)
        if events.legal_donations(g):
            return
        seat = g.next_clockwise(seat)
    _turns(g, g.first_player)


def _legal_donation(g: Game) -> set[str]:
    return events.legal_donations(g) | {"pass"}


def _apply_donation(g: Game, text: str) -> None:
    if text != "pass":
        events.donate(g, text.split()[1])
    _donations(g, g.next_clockwise(g.to_play))


# ------------------------------------------------------------------------------------------------------ turns (2.3)
def _turns(g: Game, seat: int | None) -> None:
    if seat is None:
        g.turn = Turn()
        _activations(g, g.first_player)
    else:
        turn.start(g, seat, g.chosen)
        _enter(g, "turn", seat)
        _go_on(g)


def _go_on(g: Game) -> None:
    """Continue the turn, if there is another legal action."""
    _enter(g, "turn", g.to_play)
    if turn.legal(g) == {"pass"}:
        _end_turn(g)


def _end_turn(g: Game) -> None:
    """Expansion 1, chapter 4: a first player who waits plays last."""
    if g.waiting and g.to_play == g.first_player:
        g.waiting = False
        return _turns(g, None)
    following = g.next_clockwise(g.to_play)
    _turns(g, g.first_player if following is None and g.waiting else following)


def _apply_turn(g: Game, text: str) -> None:
    verb, *words = text.split()
    if verb == "pass":
        return _end_turn(g)
    if verb == "wait":
        g.waiting = True
        return _turns(g, g.next_clockwise(g.to_play))
    if verb == "timeline":  # ruling 16: the Action Choice tile; the turn restarts with that type
        g.company.action_choice = False
        turn.start(g, g.to_play, words[0])
    g.turn.started = True
    match verb:
        case "timeline":
            _go_on(g)
        case "lift":
            _lift(g, text)
        case "advance":
            advance(g, words[0])
            _go_on(g)
        case "department":
            turn.choose_tile(g, words[0])
            _enter(g, "site", g.to_play)
        case "use":
            turn.enter(g, words[0])
            _go_on(g)
        case "build":
            turn.build(g, text)
            _city_bonus(g, bonus_region(text))
        case "charitable_giving":
            turn.use(g, text)
            _enter(g, "charity", g.to_play)
        case "hr_administration":
            turn.use(g, text)
            _relocate(g)
        case "local_partners" | "branding" | "renovation" | "knowledge_sharing":
            turn.use(g, text)
            _enter(g, "halves", g.to_play)
        case _:
            turn.use(g, text)
            _arrive_in_turn(g)


def _city_bonus(g: Game, region: str | None) -> None:
    if region is not None and chooses_level(g.company, region):
        return _choose_level(g, region)
    if region is not None:
        turn.bonus(g, region, g.company.transport[region])
    _arrive_in_turn(g)


def _legal_halves(g: Game) -> set[str]:
    return {f"money {n}" for n in range(g.turn.projects + 1)}


def _apply_halves(g: Game, text: str) -> None:
    turn.pay_halves(g, int(text.split()[1]))
    _go_on(g)


def _arrive_in_turn(g: Game) -> None:
    if g.turn.arrivals and has_new_lobby(g.company):
        _enter(g, "lobby_turn", g.to_play)
    else:
        _arrive(g, 0)
        _go_on(g)


def _apply_lobby_turn(g: Game, text: str) -> None:
    _arrive(g, int(text.split()[2]))
    _go_on(g)


def _legal_site(g: Game) -> set[str]:
    return {f"to {space}" for space in turn.sites(g.company, g.turn.tile)}


def _apply_site(g: Game, text: str) -> None:
    space = text.split()[1]
    turn.build_department(g, space)
    if g.company.works("property_management"):
        g.turn.site = space
        _enter(g, "property", g.to_play)
    else:
        _go_on(g)


def _legal_property(g: Game) -> set[str]:
    return turn.legal_relocations(g) | {"pass"}


def _apply_property(g: Game, text: str) -> None:
    if text != "pass":
        _verb, state, origin = text.split()
        turn.moves_away(g, state, origin)
        move(g.company, state, origin, g.turn.site)
    g.turn.site = None
    _go_on(g)


def _legal_charity(g: Game) -> set[str]:
    return events.legal_copies(g, g.to_play)


def _apply_charity(g: Game, text: str) -> None:
    events.donate(g, text.split()[1])
    _go_on(g)


# ----------------------------------------------------------------------------- activation and end of the round (2.4)
def _activations(g: Game, seat: int | None) -> None:
    """Find the next seat, from this one on, that can activate an employee."""
    while seat is not None:
        if legal_activations(g.companies[seat], g.turn.payroll_activated):
            return _enter(g, "activation", seat)
        g.turn.payroll_activated = 0
        seat = g.next_clockwise(seat)
    if g.round == 0 and g.options["secret_donation"]:
        _enter(g, "secret", g.first_player)
    else:
        _end_round(g)


def _legal_activation(g: Game) -> set[str]:
    return legal_activations(g.company, g.turn.payroll_activated) | {"pass"}


def _apply_activation(g: Game, text: str) -> None:
    if text == "pass":
        g.turn.payroll_activated = 0
        return _activations(g, g.next_clockwise(g.to_play))
    _activate, space, *payroll = text.split()
    activate(g.company, space, " ".join(payroll))
    if space == g.company.space_of("payroll_management"):
        g.turn.payroll_activated += 1  # ruling 42: not yet at work
    _activations(g, g.to_play)


def _apply_secret(g: Game, text: str) -> None:
    """Expansion 1, chapter 4, ruling 44: free, and no donation made."""
    g.company.secret = text.split()[1]
    following = g.next_clockwise(g.to_play)
    if following is not None:
        _enter(g, "secret", following)
    else:
        _end_round(g)


def _end_round(g: Game) -> None:
    """2.4: the marker advances, the next player becomes first. After 20 rounds the game is over."""
    if g.round > 0:
        g.markers[g.advancing] += 1
        g.chosen = g.advancing = None
        g.first_player = (g.first_player + 1) % len(g.companies)
        if g.round == ROUNDS:
            return _enter(g, "over", None)
    _start_round(g)


PHASES: dict[str, tuple[Callable[[Game], set[str]], Callable[[Game, str], None] | None]] = {
    "sheet": (sheets.legal, _apply_sheet),
    "sides": (setup.legal_sides, _apply_side),
    "housing": (setup.legal_housing, _apply_housing),
    "reserve": (setup.legal_reservations, _apply_reserve),
    "panels": (setup.legal_panels, _apply_panels),
    "setup_moves": (setup.legal_moves, _apply_setup_moves),
    "destination": (_legal_destination, _apply_destination),
    "activation": (_legal_activation, _apply_activation),
    "secret": (setup.legal_secrets, _apply_secret),
    "timeline": (_legal_timeline, _apply_timeline),
    "recover": (_legal_recover, _apply_recover),
    "lobby_recover": (_legal_new_lobby, _apply_lobby_recover),
    "research": (_legal_research, _apply_research),
    "tab_income": (events.legal_takes, _apply_tab_income),
    "lobby_tab": (_legal_new_lobby, _apply_lobby_tab),
    "donation": (_legal_donation, _apply_donation),
    "turn": (turn.legal, _apply_turn),
    "lobby_turn": (_legal_new_lobby, _apply_lobby_turn),
    "site": (_legal_site, _apply_site),
    "property": (_legal_property, _apply_property),
    "relocation": (_legal_relocation, _apply_relocation),
    "halves": (_legal_halves, _apply_halves),
    "level": (_legal_level, _apply_level),
    "charity": (_legal_charity, _apply_charity),
    "over": (lambda g: set(), None),
}
