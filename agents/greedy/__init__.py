"""The greedy agent: it rates every legal action by what a player would name, and takes the best.

What the actions of a game are worth its evaluation says, a module of this package with the game's name: plain compiled
functions of few lines, :class:`Evaluation`.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.arrays import Matrix, Records, Vector
from carnegie_env.core.batch import Batch, in_slices

from ..base import Agent, Judgement
from . import loops

AT_ONCE = 256  # games whose ratings are in memory at a time


class Evaluation(Protocol):
    """What a game's module of this package offers, with @jit; the game is not over.

    Beside the record they get room to work in: ``trials``, three records of the game, and ``scores``, int64 (score
    rows, score columns).
    """

    def rate(self, game: Any, trials: Records, scores: Matrix[int], out: Vector[float], /) -> None:
        """What every legal action is worth to who takes it, in points, into ``out``, (A,); -inf for the others."""

    def stand(self, game: Any, seat: int, scores: Matrix[int], /) -> float:
        """What the position is worth to a seat, in points."""


class GreedyAgent(Agent):
    """Takes the action that its game's :class:`Evaluation` rates best, of equal ones the first.

    Args:
        seed: what it can't see (in Carnegie Andrew's cards, secret donations) it guesses from it.
    """

    name = "greedy"
    games = loops.GAMES
    side_by_side = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        """See :meth:`Agent.choose`."""
        self.check_plays(batch.game)
        actions = batch.num_actions

        def best(games: Records, out: NDArray[np.int64]) -> None:
            room = loops.room(batch.game, actions)
            for first in range(0, len(games), AT_ONCE):
                part = slice(first, first + AT_ONCE)
                worth = np.empty((len(games[part]), actions))
                loops.rate(games[part], room, worth)
                out[part] = worth.argmax(axis=1)

        out = np.zeros(batch.num_games, np.int64)
        in_slices(best, self._guess(batch)._games, out, threads=batch.num_threads)
        return out

    def rate(self, position: Any) -> list[tuple[int, float]] | None:
        """What each action is worth, less what the best other seat's position is worth now; see :meth:`Agent.rate`."""
        if position.is_over:
            raise ValueError("the game is over, there is nothing to decide")
        judged = self.judge(position.game.batch_class.of(position, num_threads=1)).values
        assert judged is not None
        legal = np.flatnonzero(np.isfinite(judged[0]))
        best_first = legal[np.argsort(-judged[0, legal], kind="stable")]
        return [(int(action), float(judged[0, action])) for action in best_first]

    def judge(self, batch: Batch[Any]) -> Judgement:
        """See :meth:`Agent.judge`."""
        self.check_plays(batch.game)
        games = self._guess(batch)._games
        worth, standing = np.empty((len(games), batch.num_actions)), np.empty((len(games), batch.options.num_players))
        room = loops.room(batch.game, batch.num_actions)
        loops.rate(games, room, worth)
        loops.stand(games, room, standing)
        others = 0.0
        if standing.shape[1] > 1:
            standing[np.arange(len(games)), games["to_play"]] = -np.inf
            others = standing.max(axis=1)[:, None]
        return Judgement(worth.argmax(axis=1), worth - others)

    def _guess(self, batch: Batch[Any]) -> Batch[Any]:
        """A copy in which what the player to move can't see is drawn anew."""
        guessed = batch.copy()
        guessed.redraw_hidden(seed=np.uint64(self.seed) + guessed.games["decisions"].astype(np.uint64))
        return guessed
