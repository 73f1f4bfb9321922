"""The value of an action in Carnegie: the value of the position after it.

The value of a position for a seat, :func:`stand`, is a sum of a few terms in victory points: the score as if the game
ended now, and the future value of money, goods, employees, tabs and tracks, which declines with the rounds left. Two
kinds of decisions are examined further:

- a decision with two halves (the employee and the destination; the department and the place) has the value of its best
  second half,
- for a row of the timeline, the round is played to its end, with all players playing greedily.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import actions, insight, state
from carnegie_env.carnegie.rules import scoring
from carnegie_env.carnegie.state import Record
from carnegie_env.core import kernels, masks
from carnegie_env.core.arrays import Matrix, Records, Vector
from carnegie_env.core.jit import jit

# Values in VP. insight.py has the values of a company's possessions.
MOVE, POINT = 0.1, 0.15  # an unused employee move, an unused research point
RELOCATION = 0.25  # an unused relocation of HR Administration


@jit
def stand(game: Record, seat: int, scores: Matrix[int]) -> float:
    """The value of a game for a seat, in VP. ``scores`` is working memory: int64 (5, NUM_SCORES)."""
    scoring.score(game, scores)
    points = 1.0 * scores[seat, scoring.TOTAL]
    if game.difficulty != state.NONE:
        points -= scores[state.ANDREW, scoring.TOTAL]
    return points + insight.fading(game) * insight.holdings(game, seat)


@jit
def _unused(game: Record) -> float:
    return MOVE * game.moves + POINT * game.research + RELOCATION * game.relocations


@jit
def _actions(game: Record) -> int:
    """The number of actions in the game's space."""
    return actions.NUM_ACTIONS if game.modules else actions.NUM_BASE_ACTIONS


@jit
def _half_done(game: Record, seat: int) -> bool:
    """Whether the seat still has to decide the second half of a decision."""
    return game.to_play == seat and (
        game.phase == state.DESTINATION
        or game.phase == state.SITE
        or game.phase == state.CHARITY
        or game.phase == state.HALVES
        or game.phase == state.LEVEL
    )


@jit
def _value_after(before: Record, action: int, after: Record, scores: Matrix[int]) -> float:
    """The value of ``after``, the position after an action.

    Unused moves and points have a value, so that they are spent well. Passing does not lose this value; otherwise they
    would be wasted rather than left over.
    """
    unused = 0.0
    if action == actions.PASS:
        unused = _unused(before)
    elif after.round_number == before.round_number:
        unused = _unused(after)
    return stand(after, before.to_play, scores) + unused


@jit
def _worth_in_turn(game: Record, action: int, trials: Records, scores: Matrix[int]) -> float:
    """The value of the position after an action and its best second half, if it has one."""
    trials[0] = game
    kernels.advance(trials[0], action)
    if not _half_done(trials[0], game.to_play):
        return _value_after(game, action, trials[0], scores)
    worth = -np.inf
    for second in range(_actions(game)):
        if masks.test(trials[0].legal, second):
            trials[1] = trials[0]
            kernels.advance(trials[1], second)
            worth = max(worth, _value_after(game, action, trials[1], scores))
    return worth


@jit
def _best_in_turn(game: Record, trials: Records, scores: Matrix[int]) -> int:
    """The action that leads to the best position, the first if tied."""
    best, best_value = -1, -np.inf
    for action in range(_actions(game)):
        if masks.test(game.legal, action):
            worth = _worth_in_turn(game, action, trials, scores)
            if worth > best_value:
                best, best_value = action, worth
    return best


@jit
def _worth_of_row(game: Record, action: int, trials: Records, scores: Matrix[int]) -> float:
    """The value of a row of the timeline: of the position at the end of the round, with all playing greedily."""
    trials[2] = game
    kernels.advance(trials[2], action)
    while trials[2].round_number == game.round_number and trials[2].phase != state.OVER:
        kernels.advance(trials[2], _best_in_turn(trials[2], trials, scores))
    return stand(trials[2], game.to_play, scores)


@jit
def rate(game: Record, trials: Records, scores: Matrix[int], out: Vector[float]) -> None:
    """See :class:`carnegie_env.agents.greedy.Evaluation`."""
    out[:] = -np.inf
    row = game.phase == state.TIMELINE
    for action in range(_actions(game)):
        if masks.test(game.legal, action):
            if row:
                out[action] = _worth_of_row(game, action, trials, scores)
            else:
                out[action] = _worth_in_turn(game, action, trials, scores)
