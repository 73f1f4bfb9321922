"""The phase, the round and the seats, and groups of phases for the other invariants."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import timeline
from carnegie_env.carnegie.state import NONE, Record
from carnegie_env.core.invariants import invariant
from carnegie_env.core.jit import jit


@jit
def in_round(game: Record) -> bool:
    """Whether set-up is over."""
    return game.round_number > 0


@jit
def in_set_up(game: Record) -> bool:
    """Whether set-up is not over."""
    return game.round_number == 0


@jit
def is_solo(game: Record) -> bool:
    """Whether Andrew plays."""
    return game.difficulty != NONE


@jit
def before_housing(phase: int) -> bool:
    """Whether a phase belongs to set-up before step 9: sheets, and sides of tabs."""
    return phase == state.SHEET or phase == state.SIDES


@jit
def before_panels(phase: int) -> bool:
    """Whether a phase belongs to set-up before new donations, which come after step 10."""
    return before_housing(phase) or phase == state.HOUSING or phase == state.RESERVE


@jit
def in_turn(game: Record) -> bool:
    """Whether a seat's turn is in progress; set-up also has destinations, and events have levels of income."""
    phase = game.phase
    if phase == state.LEVEL:
        return game.action != NONE
    return in_round(game) and (
        phase == state.TURN or phase == state.DESTINATION or phase == state.LOBBY_TURN or phase == state.SITE
        or phase == state.PROPERTY or phase == state.CHARITY or phase == state.RELOCATION or phase == state.HALVES
    )  # fmt: skip


@jit
def in_income(game: Record) -> bool:
    """Whether an income event is in progress."""
    phase = game.phase
    if phase == state.LEVEL:
        return game.action == NONE
    return (
        phase == state.RECOVER or phase == state.LOBBY_RECOVER or phase == state.RESEARCH
        or phase == state.TAB_INCOME or phase == state.LOBBY_TAB
    )  # fmt: skip


@invariant("options.difficulty", "must be set in a solo game and null in all others")
def difficulty(game: Record) -> bool:
    return (game.difficulty != NONE) == (game.num_players == 1)


@invariant("round", "must be 0 in set-up, 20 when the game is over, and 1 to 20 in between")
def round_number(game: Record) -> bool:
    phase, number = game.phase, game.round_number
    if before_panels(phase) or phase == state.PANELS or phase == state.SETUP_MOVES or phase == state.SECRET:
        return number == 0
    if phase == state.OVER:
        return number == t.ROUNDS
    return number >= 1 or phase == state.DESTINATION or phase == state.ACTIVATION


@invariant(
    "first_player", "must be seat 0 at first, unless there is a new start, and move on clockwise after each round"
)
def first_player(game: Record) -> bool:
    right = timeline.rounds_played(game) % game.num_players
    return game.first_player == right or game.modules & state.NEW_START != 0


@invariant("to_play", "must be a seat until the game is over, and null afterwards")
def to_play(game: Record) -> bool:
    return (game.to_play != NONE) == (game.phase != state.OVER)
