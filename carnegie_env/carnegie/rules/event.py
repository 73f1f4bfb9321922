"""The event of the round, and the row of the timeline that brings it (rulebook part 2, chapter 1; ruling 8)."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.state import Record
from carnegie_env.core.jit import jit


@jit
def has_ended(game: Record, row: int) -> bool:
    """Whether the marker of a row has passed all its spaces."""
    return game.marker[row] >= t.TIMELINE_SPACES


@jit
def moving_row(game: Record, row: int) -> int:
    """The row that advances if ``row`` is chosen: itself, or the next lower one that has not ended, wrapping."""
    for _ in range(t.TIMELINE_ROWS - 1):
        if not has_ended(game, row):
            break
        row = (row + 1) % t.TIMELINE_ROWS
    return row


@jit
def next_region(game: Record, row: int) -> int:
    """The mission region of a row's next space, -1 if it has none or the row has ended."""
    return state.NONE if has_ended(game, row) else game.event_region[row, game.marker[row]]


@jit
def next_donation(game: Record, row: int) -> bool:
    """Whether a row's next space has a donation; not if the row has ended."""
    return not has_ended(game, row) and game.event_donation[row, game.marker[row]] != 0


@jit
def region(game: Record) -> int:
    """The active mission region of the round, -1 if the event has none."""
    return next_region(game, game.advancing_row)


@jit
def donation(game: Record) -> bool:
    """Whether the round's event has a donation."""
    return next_donation(game, game.advancing_row)
