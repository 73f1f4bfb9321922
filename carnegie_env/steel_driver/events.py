"""The kinds of events in Steel Driver, their numbers, and their words in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carnegie_env.core import events
from carnegie_env.core.events import Kind, Line
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.names import PLAYERS

if TYPE_CHECKING:
    from carnegie_env.core.log import Step

EVENTS = (
    Kind("a round: number, holder of the active-player marker, cubes for each player", lambda number, seat, cubes: (
        "", f"round {number}: {PLAYERS[seat]} has the active-player marker, each player gets {cubes} cubes")),
    Kind("a holder without cubes hands the marker on: seat", lambda seat: (
        PLAYERS[seat], "had no cubes and handed the active-player marker on")),
    Kind("a bidder is out: seat, standing bid", lambda seat, bid: (
        PLAYERS[seat], f"could not bid more than {bid}")),
    Kind("a control marker is sold: seat, company, cubes", lambda seat, company, cubes: (
        PLAYERS[seat], f"bought {t.COMPANIES[company]} for {cubes}")),
    Kind("a link is built: seat, company, cubes, $", lambda seat, company, cubes, earned: (
        PLAYERS[seat], f"{t.COMPANIES[company]} paid {cubes} cubes, earned ${earned}")),
    Kind("the transcontinental link is completed: company", lambda company: (
        "", f"{t.COMPANIES[company]} completed the transcontinental link")),
    Kind("a company takes part in it: company, $", lambda company, bonus: (
        "", f"{t.COMPANIES[company]} earned ${bonus} by the transcontinental link")),
    Kind("a company passes: company", lambda company: (
        "", f"{t.COMPANIES[company]} passed")),
    Kind("a profit is paid: seat, company, $", lambda seat, company, profit: (
        PLAYERS[seat], f"got ${profit} from {t.COMPANIES[company]}")),
    Kind("the final scoring phase begins", lambda: (
        "", "final scoring phase")),
    Kind("most shares give control: seat, company", lambda seat, company: (
        PLAYERS[seat], f"took control of {t.COMPANIES[company]}")),
    Kind("a goods cube is taken: seat, company, $ of its sets before and after", lambda seat, company, old, new: (
        PLAYERS[seat], f"{t.COMPANIES[company]}'s sets ${old} -> ${new}")),
)  # fmt: skip
ROUND, NO_CUBES, OUTBID, SOLD, BUILT, LINKED, BONUS, PASSED, PAID, FINAL_SCORING, CONTROLS, SETS = range(len(EVENTS))


def tell(step: Step, seat: int | None) -> list[Line]:
    """The log, see ``Presentation.tell``; nothing is hidden."""
    return events.lines(EVENTS, step.events, seat)
