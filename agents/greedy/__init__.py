"""The greedy agent: it rates every legal action by a hand-written evaluation, and takes the best one.

The :class:`Evaluation` of a game is a module of this package with the game's name, with short compiled functions.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents.base import Agent, Judgement
from carnegie_env.agents.greedy import loops
from carnegie_env.core.arrays import Matrix, Records, Vector
from carnegie_env.core.batch import Batch, in_slices
from carnegie_env.core.validation import seed_of

AT_ONCE = 256  # games whose ratings are in memory at a time


class Evaluation(Protocol):
    """The @jit functions of a game's module in this package; the game is not over.

    ``trials``, three records of the game, and ``scores``, int64 (score rows, score columns), are working memory.
    """

    def rate(self, game: Any, trials: Records, scores: Matrix[int], out: Vector[float], /) -> None:
        """Write the value of every legal action for the player to move into ``out``, (A,), in points; else -inf.

        It is the value of the next position, or where `are_gains` says so (a function of the records, bool (n,), that
        a module may have) the gain over the present one.
        """

    def stand(self, game: Any, seat: int, scores: Matrix[int], /) -> float:
        """The value of the position for a seat, in points."""


class GreedyAgent(Agent):
    """Takes the action that the game's :class:`Evaluation` rates best, the first if tied.

    Args:
        seed: of the samples of hidden information (in Carnegie Andrew's cards and secret donations).
    """

    name = "greedy"
    games = loops.GAMES
    side_by_side = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed_of(seed)

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        self.check_plays(batch.game, batch.options)
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

    def judge(self, batch: Batch[Any]) -> Judgement:
        """See :meth:`Agent.judge`; values are relative to the present position of the best other seat."""
        self.check_plays(batch.game, batch.options)
        games = self._guess(batch)._games
        worth, standing = np.empty((len(games), batch.num_actions)), np.empty((len(games), batch.options.num_players))
        room = loops.room(batch.game, batch.num_actions)
        loops.rate(games, room, worth)
        loops.stand(games, room, standing)
        own = np.arange(len(games)), games["to_play"]
        base = np.zeros(len(games))
        if are_gains := getattr(loops.evaluation(batch.game.record), "are_gains", None):
            base += are_gains(games) * standing[own]
        if standing.shape[1] > 1:
            standing[own] = -np.inf
            base -= standing.max(axis=1)
        return Judgement(worth.argmax(axis=1), worth + base[:, None])

    def _guess(self, batch: Batch[Any]) -> Batch[Any]:
        """A copy in which hidden information is sampled."""
        guessed = batch.copy()
        guessed.redraw_hidden(seed=np.uint64(self.seed) + guessed.games["decisions"].astype(np.uint64))
        return guessed
