"""Rulebook 2.1, the choice of the timeline, and what event it triggers."""

from .components import ROWS
from .position import Game

SPACES_IN_A_ROW = 5


def advancing_row(g: Game, chosen: str) -> str:
    """2.1, ruling 8: the chosen row; if it has ended, the next lower one that can still move, wrapping around."""
    row = chosen
    while g.markers[row] == SPACES_IN_A_ROW:
        row = ROWS[(ROWS.index(row) + 1) % len(ROWS)]
    return row


def events(g: Game) -> list[str]:
    """The space to the right of the marker: a region (income), "donation", or on the End tile both."""
    return g.spaces[g.advancing][g.markers[g.advancing]]


def income_region(g: Game) -> str | None:
    return next((event for event in events(g) if event != "donation"), None)


def donation_event(g: Game) -> bool:
    return "donation" in events(g)
