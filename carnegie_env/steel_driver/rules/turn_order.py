"""The turn-order display: the active company, and those that have passed, in the building and goods phases."""

from __future__ import annotations

from carnegie_env.core.arrays import int64
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import events
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import Record


@jit
def active(game: Record) -> int:
    """The active company."""
    return int64(game.order[game.place])


@jit
def all_have_passed(game: Record) -> bool:
    """Whether the tokens of all companies lie in the lower row."""
    return game.num_passed == t.NUM_COMPANIES


@jit
def has_passed(game: Record, company: int) -> bool:
    """Whether the token of a company lies in the lower row."""
    for k in range(game.num_passed):
        if game.passed[k] == company:
            return True
    return False


@jit
def move_to_lower_row(game: Record, company: int) -> None:
    """A company passes and is out of the phase."""
    emit(events.PASSED, company)
    game.passed[game.num_passed] = company
    game.num_passed += 1


@jit
def next_company(game: Record) -> None:
    """Make the next company of the order active."""
    game.place = 0 if game.place + 1 == t.NUM_COMPANIES else game.place + 1
