"""One game of Carnegie for people and tests, and its records; see :mod:`carnegie_env.core.position`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.rules import scoring
from carnegie_env.core import position, record

CATEGORIES = ("immediate", "action_choice", "active_employees", "departments", "tabs", "links", "cities")
ANDREW_CATEGORIES = {  # by name: the column of a score row (rulebook part 4, chapter 3)
    "cards": scoring.IMMEDIATE,
    "departments": scoring.DEPARTMENTS,
    "transport": scoring.LINKS,
    "cities": scoring.CITIES,
}


class Position(position.BasePosition):
    """One game of Carnegie at a decision (or over).

    >>> position = Position.new({"num_players": 2}, seed=7)
    >>> position.legal_actions()
    ['side housing a', 'side housing b']
    >>> position.apply("side housing a")
    """

    game = CARNEGIE

    @property
    def options(self) -> Options:
        """The options that the game was set up with."""
        options: Options = super().options
        return options

    @property
    def phase(self) -> str:
        """What is being decided (docs/design.md, section 1)."""
        return state.PHASES[self.record.phase]

    @property
    def round(self) -> int:
        """The round: 0 in set-up, then 1 to 20; 20 when the game is over."""
        return int(self.record.round_number)

    def scores(self) -> list[int]:
        """Total VP of each seat as if the game ended now; in a solo game Andrew's total comes last."""
        totals: list[int] = self.breakdown()[:, scoring.TOTAL].tolist()
        return totals[: self.num_players] + ([totals[state.ANDREW]] if self.options.solo else [])

    def score_breakdown(self) -> list[dict[str, Any]]:
        """VP by category as if the game ended now, one dictionary per seat; in a solo game Andrew's comes last.

        A seat's keys: immediate, action_choice, active_employees, departments, tabs, links, cities, donations (VP by
        the cells he has a disk on), total. Andrew's: cards, departments, transport, cities, donations, total.
        Before donations, with new_departments or diverse_setup: final_effects; with secret_donation: secret_donation.
        Rulings 29-31, 37, 44 and 45.
        """
        rows, options = self.breakdown().tolist(), self.options
        seat_columns = {name: column for column, name in enumerate(CATEGORIES)}
        if options.new_tiles:
            seat_columns["final_effects"] = scoring.FINAL_EFFECTS
        if options.secret_donation:
            seat_columns["secret_donation"] = scoring.SECRET
        found = [self._named(rows[seat], seat, seat_columns) for seat in range(self.num_players)]
        if self.options.solo:
            found.append(self._named(rows[state.ANDREW], state.ANDREW, ANDREW_CATEGORIES))
        return found

    def _named(self, row: list[int], owner: int, columns: dict[str, int]) -> dict[str, Any]:
        cells = {
            cell: row[scoring.DONATIONS + k]
            for k, cell in enumerate(t.DONATIONS)
            if int(self.record.donation[k]) >> owner & 1
        }
        return {name: row[column] for name, column in columns.items()} | {
            "donations": cells,
            "total": row[scoring.TOTAL],
        }

    def render(self, width: int = 120) -> str:
        """The board as text, at most ``width`` columns wide (see :mod:`carnegie_env.render.text`)."""
        from carnegie_env.render import text

        return text.render(self, width)

    __str__ = render

    def __repr__(self) -> str:
        who = "over" if self.is_over else f"player_{self.to_play} to play"
        return f"<Position of Carnegie: {self.num_players} players, round {self.round}, phase {self.phase}, {who}>"


class GameRecord(record.GameRecord):
    """The record of one game of Carnegie; see :class:`carnegie_env.core.record.GameRecord`."""

    position = Position

    if TYPE_CHECKING:  # the same, as a type checker sees it: this game's options and positions
        options: Options

        def positions(self) -> Iterator[Position]: ...
        def replay(self, decisions: int | None = None) -> Position: ...
