"""What belongs together of the phases, for the checks."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie.state import NONE, Record
from carnegie_env.core.jit import jit


@jit
def in_round(game: Record) -> bool:
    """Whether set-up is over."""
    return game.round_number > 0


@jit
def only_in_set_up(phase: int) -> bool:
    """Whether a phase is of set-up; destinations and activations are also of rounds."""
    return before_panels(phase) or phase == state.PANELS or phase == state.SETUP_MOVES or phase == state.SECRET


@jit
def before_panels(phase: int) -> bool:
    """Whether a phase is of set-up before new donations, which come after step 10."""
    return before_housing(phase) or phase == state.HOUSING or phase == state.RESERVE


@jit
def before_housing(phase: int) -> bool:
    """Whether a phase is of set-up before step 9: sheets, and sides of tabs."""
    return phase == state.SHEET or phase == state.SIDES


@jit
def in_turn(game: Record) -> bool:
    """Whether a seat's turn is going on; destinations are also of set-up, levels of income of events."""
    phase = game.phase
    if phase == state.LEVEL:
        return game.action != NONE
    return in_round(game) and (
        phase == state.TURN or phase == state.DESTINATION or phase == state.LOBBY_TURN or phase == state.SITE
        or phase == state.PROPERTY or phase == state.CHARITY or phase == state.RELOCATION or phase == state.HALVES
    )  # fmt: skip


@jit
def in_income(game: Record) -> bool:
    """Whether an income event is going on."""
    phase = game.phase
    if phase == state.LEVEL:
        return game.action == NONE
    return (
        phase == state.RECOVER or phase == state.LOBBY_RECOVER or phase == state.RESEARCH
        or phase == state.TAB_INCOME or phase == state.LOBBY_TAB
    )  # fmt: skip
