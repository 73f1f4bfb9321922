"""What every agent offers: an action for one position, or for every game of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carnegie_env import Batch


class Agent:
    """A player. A subclass writes :meth:`choose`; the two ``act`` methods are for everybody else.

    The same agent, made anew with the same seed, answers the same positions with the same actions. An agent sees what the
    player to move sees: nothing hidden enters its choice.

    Attributes:
        name: what tables call it.
    """

    name = "agent"

    def choose(self, batch: Batch) -> NDArray[np.int64]:
        """Legal actions for a batch in which no game is over: int64 (N,). The batch is not to be changed."""
        raise NotImplementedError

    def act(self, position: Any) -> int:
        """The action number for one position.

        Args:
            position: a :class:`carnegie_env.Position` that is not over.

        Raises:
            ValueError: the game is over.
        """
        batch = Batch(1, num_threads=1, **position.options.to_dict())
        batch.games[:] = position.games
        if batch.done[0]:
            raise ValueError("the game is over, there is nothing to decide")
        return int(self.choose(batch)[0])

    def act_batch(self, batch: Batch, rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """Actions for many games.

        Args:
            batch: the games; each row is a decision of its player to move.
            rows: which rows to answer for, as row numbers or a bool mask (N,); None: all.

        Returns:
            int64 (n,), one action per asked row, -1 where the game is over.
        """
        asked = np.arange(batch.num_games) if rows is None else np.arange(batch.num_games)[np.asarray(rows)]
        running = asked[~batch.done[asked]]
        actions = np.full(len(asked), -1, np.int64)
        if len(running) == batch.num_games:
            actions[:] = self.choose(batch)[asked]
        elif len(running) > 0:
            chosen = np.zeros(batch.num_games, np.int64)
            chosen[running] = self.choose(_some(batch, running))
            actions[:] = np.where(batch.done[asked], -1, chosen[asked])
        return actions


def _some(batch: Batch, rows: NDArray[np.int64]) -> Batch:
    """A batch of copies of some rows."""
    counts = np.zeros(batch.num_games, np.int64)
    counts[rows] = 1
    return batch.repeat(counts)
