"""The order of play: five rounds of five phases, then the final phase; and the Referee."""

from __future__ import annotations

from collections.abc import Callable

from tests.referees import BaseReferee

from . import auctions, building, final, position
from .position import Company, Game

ROUNDS = 5


class Referee(BaseReferee):
    """One game of three to six players. Decisions with one legal action are played, unless the option ``show_forced``
    is on; a lone pass is always played."""

    position = position

    def __init__(self, num_players: int, show_forced: bool = False):
        self._game = position.new_game(num_players, show_forced)
        _begin_round(self._game)
        self._settle()

    def legal_actions(self) -> set[str]:
        """The legal actions of the player to move; none when the game is over."""
        g = self._game
        match g.phase:
            case "open":
                return set(auctions.legal_openings(g))
            case "bid":
                return set(auctions.legal_bids(g))
            case "build":
                return {link.text for link in building.possible_links(g, g.companies[g.active])}
            case "goods":
                return {f"take goods {city}" for city in final.claimable(g, g.companies[g.active])}
        return set()

    def apply(self, text: str) -> None:
        if text not in self.legal_actions():
            raise ValueError(f"illegal in phase {self.phase}: {text}")
        self._game.decisions += 1
        _do(self._game, text)
        self._settle()

    def _settle(self) -> None:
        """Play what leaves no choice."""
        while len(legal := self.legal_actions()) == 1 and (legal == {"pass"} or not self._game.options["show_forced"]):
            _do(self._game, legal.pop())

    def score_breakdown(self) -> list[dict[str, int]]:
        return final.scores(self._game)

    def ranks(self) -> list[int]:
        return final.ranks(self._game)


def _do(g: Game, text: str) -> None:
    match g.phase, text.split():
        case "open", ["pass"]:
            auctions.hand_on(g)
        case "open", ["open", name, cubes]:
            auctions.open_auction(g, name, int(cubes))
        case "bid", ["pass"]:
            auctions.leave_auction(g)
        case "bid", ["bid", cubes]:
            auctions.bid(g, int(cubes))
        case "build", _:
            building.build(g, g.active, text)
            _activate_next(g)
        case "goods", ["take", "goods", city]:
            final.claim(g, g.active, city)
            _activate_next(g)
    if g.phase == "open" and auctions.is_over(g):
        g.marker_passes = 0
        _begin_phase(g, "build")


def _begin_round(g: Game) -> None:
    """Phases 1 and 2. The holder of the active-player marker after the last auction opens the next one (ruling 48)."""
    auctions.hand_out_cubes(g)
    g.phase, g.to_play, g.marker_passes = "open", g.marker, 0


def _begin_phase(g: Game, phase: str) -> None:
    """Companies build, or claim goods, in turn in their order until all have passed."""
    g.phase, g.passed, g.active = phase, [], None
    _activate_next(g)


# The possible actions of an active company; without any it passes.
_CAN: dict[str, Callable[[Game, Company], list]] = {"build": building.possible_links, "goods": final.claimable}


def _activate_next(g: Game) -> None:
    while len(g.passed) < len(g.order):
        place = g.order.index(g.active) + 1 if g.active else 0
        g.active = next(name for name in g.order[place:] + g.order[:place] if name not in g.passed)
        company = g.companies[g.active]
        if _CAN[g.phase](g, company):
            g.to_play = company.controller
            return
        g.passed.append(g.active)
    g.active = None
    if g.phase == "build":
        _end_round(g)
    else:
        g.phase, g.to_play = "over", None


def _end_round(g: Game) -> None:
    """Phase 4, profits are paid to the current controllers, and phase 5. After the last round comes the final phase."""
    for company in g.companies.values():
        if company.controller is not None:
            g.players[company.controller].cash += company.profit
        company.profit = 0
    g.order, g.passed = g.passed, []
    if g.round == ROUNDS:
        final.prepare(g)
        _begin_phase(g, "goods")
        return
    for company in g.companies.values():
        company.controller, company.sold = None, False
    g.round += 1
    _begin_round(g)
