"""What every agent offers: an action for one position, or for every game of a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carnegie_env.core.batch import Batch
from carnegie_env.core.game import Game


class Judgement(NamedTuple):
    """Decisions of an agent in N games, and what it thought of them.

    Args:
        actions: legal actions, int64 (N,).
        values: the final margin that it expects after each action, in points, as :meth:`Agent.rate` says it: float64
            (N, A), of which those of legal actions count. None: it doesn't say.
        visits: how often its search tried each action: int64 (N, A), likewise.
    """

    actions: NDArray[np.int64]
    values: NDArray[np.float64] | None = None
    visits: NDArray[np.int64] | None = None


class Agent:
    """A player. A subclass writes :meth:`choose`; the two ``act`` methods are for everybody else.

    An agent made anew with the same seed and asked the same questions in the same order gives the same answers. It goes
    by what the player to move can see: nothing hidden enters its choice.

    Attributes:
        name: what tables call it.
        games: names of the games it plays; None: any.
        side_by_side: whether it decides faster in many games at once than in one after the other; the arena then asks
            it so.
        version: tells agents of the same name apart, such as a digest of its weights; files of results say it.
    """

    name = "agent"
    games: tuple[str, ...] | None = None
    side_by_side = False
    version = ""

    def check_plays(self, game: Game) -> None:
        """Refuse, with a ValueError, a game that the agent does not play."""
        if self.games is not None and game.name not in self.games:
            raise ValueError(f"{self.name} does not play {game.name}; it plays {', '.join(self.games)}")

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        """Legal actions for a batch in which no game is over, int64 (N,). The batch is left as it is."""
        raise NotImplementedError

    def judge(self, batch: Batch[Any]) -> Judgement:
        """The actions that :meth:`choose` gives, with what the agent expects of all of them, if it offers that."""
        return Judgement(self.choose(batch))

    def act(self, position: Any) -> int:
        """The number of an action for one position of a game.

        Raises:
            ValueError: the game is over.
        """
        if position.is_over:
            raise ValueError("the game is over, there is nothing to decide")
        return int(self.choose(position.game.batch_class.of(position, num_threads=1))[0])

    def rate(self, position: Any) -> list[tuple[int, float]] | None:
        """What the agent expects of the legal actions: their numbers with the final margin, best first.

        Returns:
            The margin is that of the player to move, in points: his score less that of the best other side. None if
            the agent does not rate, as here.

        Raises:
            ValueError: the game is over.
        """
        return None

    def act_batch(self, batch: Batch[Any], rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """Actions for many games, as :meth:`Batch.step` takes them.

        Args:
            batch: the games; each row is a decision of that game's player to move.
            rows: the rows to answer for, row numbers in any order; None: all.

        Returns:
            int64 (number of rows,): an action for each, -1 where the game is over.
        """
        rows = np.arange(batch.num_games) if rows is None else np.asarray(rows, np.int64)
        running = ~batch.done[rows]
        actions = np.full(len(rows), -1, np.int64)
        if running.any():
            actions[running] = self.choose(select(batch, rows[running]))
        return actions


def select(batch: Batch[Any], rows: NDArray[np.int64]) -> Batch[Any]:
    """A batch of some rows, in the order given: copies, but for the whole batch in order the batch itself."""
    if len(rows) == batch.num_games and (rows == np.arange(batch.num_games)).all():
        return batch
    return batch.select(rows)
