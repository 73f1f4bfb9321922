"""The greedy agent: try every legal action, look at the position it leads to, take the best.

How good a position is for a seat, :func:`value`, is a sum of a few things that a player would name, in victory points:
the score as if the game ended now, and what money, goods, employees, tabs and tracks may still bring, which fades as
the rounds run out. Two decisions can't be judged by the next position, so they are looked at a little further:

- a decision whose second half is open (who moves: where to; which department: where) counts as its best second half,
- the timeline's row is judged by playing the round to its end, everybody playing greedily.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.carnegie import actions, insight, state
from carnegie_env.carnegie.rules import scoring
from carnegie_env.carnegie.state import Record
from carnegie_env.core import kernels, masks
from carnegie_env.core.arrays import Matrix, Records
from carnegie_env.core.batch import Batch, in_slices
from carnegie_env.core.jit import jit

from .base import Agent

# What is in hand is worth in VP; what a company has: insight.py.
MOVE, POINT = 0.1, 0.15  # an employee move, a research point in hand
RELOCATION = 0.25  # of HR Administration, in hand


@jit
def value(game: Record, seat: int, scores: Matrix[int]) -> float:
    """How good a game is for a seat, in VP. ``scores`` is room to work in: int64 (5, NUM_SCORES)."""
    scoring.score(game, scores)
    points = 1.0 * scores[seat, scoring.TOTAL]
    if game.difficulty != state.NONE:
        points -= scores[state.ANDREW, scoring.TOTAL]
    return points + insight.fading(game) * insight.holdings(game, seat)


@jit
def _in_hand(game: Record) -> float:
    return MOVE * game.moves + POINT * game.research + RELOCATION * game.relocations


@jit
def _actions(game: Record) -> int:
    """How many actions the game's spaces have."""
    return actions.NUM_ACTIONS if game.modules else actions.NUM_BASE_ACTIONS


@jit
def _half_done(game: Record, seat: int) -> bool:
    """Whether the seat still has to say the second half of what it decided."""
    return game.to_play == seat and (
        game.phase == state.DESTINATION
        or game.phase == state.SITE
        or game.phase == state.CHARITY
        or game.phase == state.HALVES
        or game.phase == state.LEVEL
    )


@jit
def _value_after(before: Record, action: int, after: Record, scores: Matrix[int]) -> float:
    """The value of ``after``, which an action led to.

    Moves and points in hand are worth something, so that they are spent well. But passing does not lose them, or they
    would be wasted rather than left over.
    """
    in_hand = 0.0
    if action == actions.PASS:
        in_hand = _in_hand(before)
    elif after.round_number == before.round_number:
        in_hand = _in_hand(after)
    return value(after, before.to_play, scores) + in_hand


@jit
def _worth_in_turn(game: Record, action: int, trials: Records, scores: Matrix[int]) -> float:
    """The value of the position that an action leads to; if its second half is open, with the best one."""
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
    """The action that leads to the best position; of equal ones the lowest number."""
    best, best_value = -1, -np.inf
    for action in range(_actions(game)):
        if masks.test(game.legal, action):
            worth = _worth_in_turn(game, action, trials, scores)
            if worth > best_value:
                best, best_value = action, worth
    return best


@jit
def _worth_of_row(game: Record, action: int, trials: Records, scores: Matrix[int]) -> float:
    """The value at the end of the round that a row of the timeline begins, everybody playing greedily."""
    trials[2] = game
    kernels.advance(trials[2], action)
    while trials[2].round_number == game.round_number and trials[2].phase != state.OVER:
        kernels.advance(trials[2], _best_in_turn(trials[2], trials, scores))
    return value(trials[2], game.to_play, scores)


@jit
def rate(games: Records, out: Matrix[float]) -> None:
    """What every legal action is worth into ``out`` (float64, (n, actions)), -inf for others. No game may be over."""
    trials = np.zeros(3, state.GAME)
    scores = np.zeros((state.SEATS + 1, scoring.NUM_SCORES), np.int64)
    out[:] = -np.inf
    for i in range(games.shape[0]):
        row = games[i].phase == state.TIMELINE
        for action in range(_actions(games[i])):
            if masks.test(games[i].legal, action):
                if row:
                    out[i, action] = _worth_of_row(games[i], action, trials, scores)
                else:
                    out[i, action] = _worth_in_turn(games[i], action, trials, scores)


@jit
def choose(games: Records, out: NDArray[np.int64]) -> None:
    """The action worth most in every game, of equal ones the first, into ``out`` (int64, (n,)). No game may be over."""
    worth = np.zeros((1, actions.NUM_ACTIONS))
    for i in range(games.shape[0]):
        rate(games[i : i + 1], worth)
        out[i] = worth[0].argmax()


@jit
def expect(games: Records, out: Matrix[float]) -> None:
    """As :func:`rate`, less what the best other player's position is worth now; Andrew's score is off already."""
    rate(games, out)
    scores = np.zeros((state.SEATS + 1, scoring.NUM_SCORES), np.int64)
    for i in range(games.shape[0]):
        if games[i].difficulty == state.NONE:
            best = -np.inf
            for seat in range(games[i].num_players):
                if seat != games[i].to_play:
                    best = max(best, value(games[i], seat, scores))
            for action in range(out.shape[1]):
                out[i, action] -= best


class GreedyAgent(Agent):
    """Takes the action with the best :func:`value`. It guesses what it can't see, Andrew's cards, from ``seed``."""

    name = "greedy"
    games = ("carnegie",)
    side_by_side = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        """See :meth:`Agent.choose`."""
        out = np.zeros(batch.num_games, np.int64)
        in_slices(choose, self._guess(batch)._games, out, threads=batch.num_threads)
        return out

    def rate(self, position: Any) -> list[tuple[int, float]] | None:
        """See :meth:`Agent.rate`."""
        if position.is_over:
            raise ValueError("the game is over, there is nothing to decide")
        worth = np.zeros((1, actions.NUM_ACTIONS))
        expect(self._guess(position.game.batch_class.of(position, num_threads=1))._games, worth)
        legal = np.flatnonzero(np.isfinite(worth[0]))
        best_first = legal[np.argsort(-worth[0, legal], kind="stable")]
        return [(int(action), float(worth[0, action])) for action in best_first]

    def _guess(self, batch: Batch[Any]) -> Batch[Any]:
        """A copy in which what the player to move can't see is drawn anew."""
        guessed = batch.copy()
        guessed.redraw_hidden(seed=np.uint64(self.seed) + guessed.games["decisions"].astype(np.uint64))
        return guessed
