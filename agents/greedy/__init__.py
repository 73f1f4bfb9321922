"""The greedy agent: it rates every legal action by what a player would name, and takes the best.

What the actions of a game are worth its evaluation says, a module of this package with the game's name: plain compiled
functions of few lines, :class:`Evaluation`.
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.arrays import Records
from carnegie_env.core.batch import Batch, in_slices
from carnegie_env.core.game import Game

from ..base import Agent

AT_ONCE = 256  # games whose ratings are in memory at a time


class Evaluation(Protocol):
    """What a module of this package offers; no game may be over."""

    def rate(self, games: Records, out: NDArray[np.float64], /) -> None:
        """What every legal action is worth to who takes it, in points, into ``out``, (n, A); -inf for the others."""

    def stand(self, games: Records, out: NDArray[np.float64], /) -> None:
        """What the position is worth to each seat, in points, into ``out``, (n, seats)."""


class GreedyAgent(Agent):
    """Takes the action that its game's :class:`Evaluation` rates best, of equal ones the first.

    Args:
        seed: what it can't see (in Carnegie Andrew's cards, secret donations) it guesses from it.
    """

    name = "greedy"
    games = ("carnegie", "steel_driver")
    side_by_side = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        """See :meth:`Agent.choose`."""
        evaluation, actions = self._evaluation(batch.game), batch.num_actions

        def best(games: Records, out: NDArray[np.int64]) -> None:
            for first in range(0, len(games), AT_ONCE):
                part = slice(first, first + AT_ONCE)
                worth = np.empty((len(games[part]), actions))
                evaluation.rate(games[part], worth)
                out[part] = worth.argmax(axis=1)

        out = np.zeros(batch.num_games, np.int64)
        in_slices(best, self._guess(batch)._games, out, threads=batch.num_threads)
        return out

    def rate(self, position: Any) -> list[tuple[int, float]] | None:
        """What each action is worth, less what the best other seat's position is worth now; see :meth:`Agent.rate`."""
        if position.is_over:
            raise ValueError("the game is over, there is nothing to decide")
        evaluation = self._evaluation(position.game)
        batch = self._guess(position.game.batch_class.of(position, num_threads=1))
        worth, standing = np.empty((1, batch.num_actions)), np.empty((1, batch.options.num_players))
        evaluation.rate(batch._games, worth)
        evaluation.stand(batch._games, standing)
        others = np.delete(standing[0], position.to_play)
        expected = worth[0] - (others.max() if len(others) else 0.0)
        legal = np.flatnonzero(np.isfinite(expected))
        best_first = legal[np.argsort(-expected[legal], kind="stable")]
        return [(int(action), float(expected[action])) for action in best_first]

    def _evaluation(self, game: Game) -> Evaluation:
        self.check_plays(game)
        return cast(Evaluation, importlib.import_module(f".{game.name}", __package__))

    def _guess(self, batch: Batch[Any]) -> Batch[Any]:
        """A copy in which what the player to move can't see is drawn anew."""
        guessed = batch.copy()
        guessed.redraw_hidden(seed=np.uint64(self.seed) + guessed.games["decisions"].astype(np.uint64))
        return guessed
