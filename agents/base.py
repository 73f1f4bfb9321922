"""The interface of all agents: an action for one position, or for every game of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:  # commands list the agents without loading the compiler
    from carnegie_env.core.batch import Batch
    from carnegie_env.core.game import Game


class Judgement(NamedTuple):
    """Decisions of an agent in N games, and its values.

    Args:
        actions: legal actions, int64 (N,).
        values: the final margin expected after each action, in points, as in :meth:`Agent.rate`: float64 (N, A), of
            which those of legal actions count. None: it has none.
        visits: how often its search tried each action: int64 (N, A), likewise.
    """

    actions: NDArray[np.int64]
    values: NDArray[np.float64] | None = None
    visits: NDArray[np.int64] | None = None


class Player(Protocol):
    """The part of an agent that an environment asks of an opponent."""

    def act_batch(self, batch: Any, rows: ArrayLike | None = None, /) -> NDArray[np.int64]:
        """Actions for these rows of a batch (None: all), int64; -1 where the game is over."""


class Agent:
    """A player. A subclass writes :meth:`choose`; the two ``act`` methods are for everyone else.

    An agent with the same seed that is asked the same questions in the same order gives the same answers. It uses only
    what the player to move can see: nothing hidden enters its choice.

    Attributes:
        name: its label in tables.
        games: names of the games it plays; None: any.
        side_by_side: whether it decides faster in many games at once than one by one; the arena then asks it so.
        version: tells agents of the same name apart, such as a digest of its weights; files of results record it.
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
        """Legal actions for a batch in which no game is over, int64 (N,). The batch is not changed."""
        raise NotImplementedError

    def judge(self, batch: Batch[Any]) -> Judgement:
        """The actions of :meth:`choose`, with the values of all actions if the agent has them."""
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
        """The legal actions with the final margin that the agent expects, best first.

        Returns:
            Numbers of actions with the margin of the player to move, in points: its score less the best other side's.
                None if the agent has no values: it does not override :meth:`judge`, or its answer has none.

        Raises:
            ValueError: the game is over.
        """
        if position.is_over:
            raise ValueError("the game is over, there is nothing to decide")
        if type(self).judge is Agent.judge:
            return None
        batch = position.game.batch_class.of(position, num_threads=1)
        judged = self.judge(batch).values
        if judged is None:
            return None
        legal = np.flatnonzero(batch.action_masks()[0])
        order = legal[np.argsort(-judged[0, legal], kind="stable")]
        return [(int(action), float(judged[0, action])) for action in order]

    def act_batch(self, batch: Batch[Any], rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """Actions for many games, as :meth:`Batch.step` takes them.

        Args:
            batch: the games; each row is a decision of that game's player to move.
            rows: row numbers in any order; None: all.

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
    """A batch of some rows, in the order given: copies, or the batch itself for all rows in order."""
    if len(rows) == batch.num_games and (rows == np.arange(batch.num_games)).all():
        return batch
    return batch.select(rows)
