"""The interface of agents: they choose an action for one position, or for every game of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carnegie_env.core.validation import array_of, row_numbers

if TYPE_CHECKING:  # so that commands can list the agents without loading the compiler
    from carnegie_env.core.batch import Batch
    from carnegie_env.core.game import Game


class Judgement(NamedTuple):
    """The decisions of an agent in N games, with its evaluation of all actions.

    Args:
        actions: legal actions, int64 (N,).
        values: the final margin expected after each legal action, in points, as in :meth:`Agent.rate`: float64 (N, A).
            None: the agent has no values.
        visits: the number of times a search tried each action: int64 (N, A), or None.
    """

    actions: NDArray[np.int64]
    values: NDArray[np.float64] | None = None
    visits: NDArray[np.int64] | None = None


class Player(Protocol):
    """The methods that an environment calls on an opponent."""

    def act_batch(self, batch: Any, rows: ArrayLike | None = None, /) -> NDArray[np.int64]:
        """Actions for rows of a batch (None: all), int64; -1 where the game is over."""


class Agent:
    """A player. Subclasses implement :meth:`choose`; callers use :meth:`act` and :meth:`act_batch`.

    With the same seed and the same sequence of calls, an agent makes the same choices. It uses only information that
    the player to move can see.

    Attributes:
        name: its label in tables.
        games: names of the games it plays; None: any.
        side_by_side: whether it is faster with many games in one call; the arena then plays its games in batches.
        version: distinguishes agents of the same name, for example a digest of the weights; result files record it.
            To that of your own class, the arena adds a digest of its file.
    """

    name = "agent"
    games: tuple[str, ...] | None = None
    side_by_side = False
    version = ""

    def check_plays(self, game: Game, options: Any) -> None:
        """Raise a ValueError for a game, or options of it, that the agent does not play."""
        if self.games is not None and game.name not in self.games:
            raise ValueError(f"{self.name} does not play {game.name}; it plays {', '.join(self.games)}")

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        """Legal actions for a batch in which no game is over, int64 (N,). Must not change the batch."""
        raise NotImplementedError(f"{type(self).__name__} needs a method choose(batch): docs/guides/own-agent.md")

    def judge(self, batch: Batch[Any]) -> Judgement:
        """The actions of :meth:`choose`, and values of all actions if the agent has any."""
        return Judgement(self.choose(batch))

    def act(self, position: Any) -> int:
        """An action for one position.

        Raises:
            ValueError: the game is over, or this is not a position.
        """
        _check_undecided(position)
        return int(self.choose(position.game.batch_class.of(position, num_threads=1))[0])

    def rate(self, position: Any) -> list[tuple[int, float]] | None:
        """The legal actions with the final margins that the agent expects, best first.

        Returns:
            Pairs of an action and the final margin of the player to move: its score minus the best other side's, in
                points. None if the agent has no values.

        Raises:
            ValueError: the game is over, or this is not a position.
        """
        _check_undecided(position)
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
        """Actions for many games, for :meth:`Batch.step`.

        Args:
            batch: the games, each at a decision of its player to move.
            rows: row numbers in any order; None: all.

        Returns:
            An action for each row, -1 where the game is over: int64 (number of rows,).

        Raises:
            ValueError: invalid rows.
        """
        given = np.arange(batch.num_games) if rows is None else array_of("rows", rows)
        if given.size == 0:
            return np.zeros(0, np.int64)
        chosen = row_numbers(given, batch.num_games)
        running = ~batch.done[chosen]
        actions = np.full(len(chosen), -1, np.int64)
        if running.any():
            actions[running] = self.choose(select(batch, chosen[running]))
        return actions


def _check_undecided(position: Any) -> None:
    if not hasattr(position, "is_over"):
        raise ValueError(f"an agent decides in a position, such as env.unwrapped.position or Position.new(), not in a "
                         f"{type(position).__name__}")  # fmt: skip
    if position.is_over:
        raise ValueError("the game is over: there is nothing to decide")


def select(batch: Batch[Any], rows: NDArray[np.int64]) -> Batch[Any]:
    """Some rows of a batch, in the order given: copies, or the batch itself for all rows in order."""
    if len(rows) == batch.num_games and (rows == np.arange(batch.num_games)).all():
        return batch
    return batch.select(rows)
