"""What holds in every position of a game with modules of expansion 1, beside what :mod:`consistency` looks at.

One function for each module, or for each phase that a module brings.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from carnegie_env.carnegie import consistency, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.consistency import in_turn, place
from carnegie_env.carnegie.rules import new_start
from carnegie_env.carnegie.state import NONE
from carnegie_env.core.reading import refuse

TILES = state.NEW_DEPARTMENTS | state.DIVERSE_SETUP
MODULE_OF = {  # the phases that only a module brings
    state.SHEET: (state.NEW_START, "new_start"),
    state.PANELS: (state.NEW_DONATIONS, "new_donations"),
    state.SECRET: (state.SECRET_DONATION, "secret_donation"),
    state.RELOCATION: (TILES, "new_departments or diverse_setup"),
    state.HALVES: (TILES, "new_departments or diverse_setup"),
    state.LEVEL: (TILES, "new_departments or diverse_setup"),
}
BEFORE_PANELS = consistency.HOUSED_LATER
HALVED = (t.LOCAL_PARTNERS, t.BRANDING, t.RENOVATION, t.KNOWLEDGE_SHARING)


def check(record: np.record) -> None:
    """Refuse a record that no play can lead to; it has passed :func:`consistency.check`.

    Args:
        record: one of dtype ``state.GAME``.

    Raises:
        ValueError: the path of the first value found wrong, what is wrong, what would be right.
    """
    game = state.fields(record)
    seats = range(int(game.num_players))
    bits, module = MODULE_OF.get(int(game.phase), (0, ""))
    if bits and not game.modules & bits:
        refuse("phase", f"{state.PHASES[game.phase]} belongs to the module {module}, which is off")
    lowest = int(t.NEW_START_OFFERS[new_start.POINTS, :, t.OFFER_AMOUNT].min()) if consistency.revealed(game) else 0
    for seat in seats:
        if game.vp[seat] < min(lowest, 0):
            refuse(f"companies[{seat}].vp", f"{game.vp[seat]}; the start and the rules lead to {lowest} at least")
    if game.modules & state.NEW_START:
        for seat in seats:
            _check_sheet(game, seat)
        if game.phase == state.SHEET and game.first_player != 0:
            refuse("first_player", f"{game.first_player}; until the sheets are revealed it is 0")
        if consistency.revealed(game):
            _check_bids(game)
    _check_panels(game)
    _check_secrets(game)
    if game.waiting:
        _check_waiting(game)
    _check_hand(game)


# ---------------------------------------------------------------- a new start
def _lines_filled(game: SimpleNamespace, seat: int) -> int:
    empty = np.flatnonzero(game.sheet[seat] == NONE)
    return int(empty[0]) if len(empty) else new_start.NUM_LINES


def _cost(game: SimpleNamespace, seat: int) -> int:
    """$ of the lines filled in, the bid not counted."""
    costs = t.NEW_START_OFFERS[np.arange(new_start.NUM_LINES), game.sheet[seat], t.OFFER_COST]
    return int(costs[game.sheet[seat] != NONE].sum())


def _check_sheet(game: SimpleNamespace, seat: int) -> None:
    if game.phase == state.SHEET:
        _check_start(game, seat)
    path, seats = f"companies[{seat}].sheet", int(game.num_players)
    filled = _lines_filled(game, seat)
    lines, bid = new_start.NUM_LINES, int(game.bid[seat])
    if (game.sheet[seat, filled:] != NONE).any():
        refuse(path, f"its lines are filled in order: {', '.join(t.NEW_START_LINES)}, bid")
    if bid != NONE and (seats == 1 or filled < lines):
        why = "in a solo game nobody bids" if seats == 1 else "the other lines come first"
        refuse(f"{path}.bid", f"{bid}, but {why}")
    full = filled == lines and (bid != NONE or seats == 1)
    if game.phase == state.SHEET and seat >= game.to_play:
        if full or (seat > game.to_play and filled):
            refuse(path, f"is filled in, but seat {game.to_play} fills in his, then those after him theirs")
    elif not full:
        refuse(path, "is not filled in to the end")
    total = _cost(game, seat) + max(bid, 0)
    most = int(t.NEW_START_BUDGET - new_start.LEAST[filled])
    if total > most:
        left = "" if filled == lines else f", of which the lines left take {new_start.LEAST[filled]} at least"
        refuse(path, f"its choices cost ${total}; the budget is ${t.NEW_START_BUDGET}{left}")


def _check_start(game: SimpleNamespace, seat: int) -> None:
    """Until the reveal, which replaces it, a company has the base game's start."""
    standing = (t.START_DEPARTMENT >= t.START_HUMAN_RESOURCES) & (t.START_DEPARTMENT < t.LOBBY)
    lying = np.where(t.START_DEPARTMENT == t.LOBBY, t.START_LOBBY, 0)
    for key, same in (
        ("money", game.money[seat] == t.START_MONEY),
        ("goods", game.goods[seat] == t.START_GOODS),
        ("employees", (game.active[seat] == standing).all() and (game.inactive[seat] == lying).all()),
    ):
        if not same:
            refuse(f"companies[{seat}].{key}", "is not as at the start, but the sheets are not revealed yet")


def _check_bids(game: SimpleNamespace) -> None:
    """The first player of round 1 bid most; of equal bids his other lines cost most."""
    seats = range(int(game.num_players))
    if len(seats) == 1:
        return
    first = next(seat for seat in seats if place(game, seat) == 0)
    ranks = [(int(game.bid[seat]), _cost(game, seat)) for seat in seats]
    if ranks[first] < max(ranks):
        best = ", ".join(str(seat) for seat in seats if ranks[seat] == max(ranks))
        refuse(
            "first_player",
            f"{game.first_player}, so seat {first} began; by the sheets it was seat {best} (the highest bid, then the "
            "larger cost of the other lines)",
        )


# ---------------------------------------------------------------- new donations, the secret donation, wait
def _check_panels(game: SimpleNamespace) -> None:
    tiles = t.FACTS.expansion.new_donations.panels
    placed = [int(tile) for tile in game.panel if tile != NONE]
    for tile in placed:
        if placed.count(tile) > 1:
            refuse("panels", f"the {tiles[tile]} tile lies on two panels; there is one")
    most = int(game.num_players)
    if game.phase in BEFORE_PANELS:
        most = 0
    elif game.phase == state.PANELS:
        most = place(game, int(game.to_play))
    if len(placed) > most:
        refuse("panels", f"{len(placed)} are covered, but so far {most} players could do that, one panel each")


def _check_secrets(game: SimpleNamespace) -> None:
    on = bool(game.modules & state.SECRET_DONATION)
    for seat in range(int(game.num_players)):
        if game.phase == state.SECRET:
            chosen = place(game, seat) < place(game, int(game.to_play))
        else:
            chosen = on and game.round_number > 0
        if (game.secret[seat] != NONE) != chosen:
            found = "null" if game.secret[seat] == NONE else t.DONATIONS[game.secret[seat]]
            wanted = "a cell of the donation table" if chosen else "null"
            refuse(
                f"companies[{seat}].secret",
                f"{found}; with options.secret_donation {str(on).lower()}, in phase {state.PHASES[game.phase]} of "
                f"round {game.round_number}, it is {wanted}",
            )


def _check_waiting(game: SimpleNamespace) -> None:
    if not game.modules & state.WAIT:
        refuse("waiting", "true, but options.wait is false")
    if not in_turn(game):
        refuse("waiting", f"true, but in phase {state.PHASES[game.phase]} nobody takes a turn")


# ---------------------------------------------------------------- what is in hand
def _check_hand(game: SimpleNamespace) -> None:
    seat, phase = int(game.to_play), game.phase
    in_use = int(game.department[seat, game.department_in_use]) if game.department_in_use != NONE else 0
    if game.relocations:
        kind = t.DEPARTMENT_TYPE[t.HR_ADMINISTRATION]
        most = int((t.DEPARTMENT_TYPE[game.department[seat]] == kind).sum())
        most *= int(t.EFFECT[t.HR_ADMINISTRATION, t.EFFECT_RELOCATIONS])
        if in_use != t.HR_ADMINISTRATION:
            refuse("turn.relocations", f"{game.relocations}, but the department in use is not hr_administration")
        if game.relocations > most:
            refuse("turn.relocations", f"{game.relocations}; the company's departments give {most}")
    if phase == state.HALVES:
        if in_use not in HALVED:
            names = ", ".join(t.DEPARTMENTS[code] for code in HALVED)
            refuse("turn.department", f"{t.DEPARTMENTS[in_use] or 'none'}; phase halves belongs to {names}")
        regions = t.CITY_REGION[t.SPACE_CITY[game.owner == seat]]
        built = [int((regions == region).sum()) for region in range(4)]
        if int(game.projects) not in built:
            names = ", ".join(t.REGIONS)
            refuse("turn.projects", f"{game.projects}; the company has built {built} projects in {names}")
        consistency.check_spent(game)
    if phase == state.LEVEL:
        _check_level(game, seat)
    if game.payroll_activated:
        home = np.flatnonzero(game.department[seat] == t.PAYROLL_MANAGEMENT)
        active = int(game.active[seat, home[0]]) if len(home) else 0
        if game.payroll_activated > active:
            refuse("turn.payroll_activated", f"{game.payroll_activated}, but {active} are active in payroll_management")


def _check_level(game: SimpleNamespace, seat: int) -> None:
    region = int(game.level_region)
    home = np.flatnonzero(game.department[seat] == t.ARCHIVES)
    if not len(home) or not game.active[seat, home[0]]:
        refuse("phase", "level, but the company has no Archives with an active employee")
    if game.track[seat, region] == 0:
        refuse(f"companies[{seat}].transport.{t.REGIONS[region]}", "0, so there is no level to choose in phase level")
    if in_turn(game):
        cities = t.SPACE_CITY[game.owner == seat]
        if not ((t.CITY_REGION[cities] == region) & (t.CITY_BONUS[cities] != 0)).any():
            refuse("turn.level_region", f"{t.REGIONS[region]}, where the company has no disk in a city with a bonus")
        if game.action != t.DEPARTMENT_TYPE[t.START_CONSTRUCTION]:
            refuse("turn.action", f"{t.ACTION_TYPES[game.action]}, but a city's bonus comes with a build")
    elif region != consistency.event(game)[0]:
        wanted = t.REGIONS[consistency.event(game)[0]]
        refuse("turn.level_region", f"{t.REGIONS[region]}, but the round's income is that of {wanted}")
