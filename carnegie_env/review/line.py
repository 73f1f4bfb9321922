"""A line: the positions and actions of one game."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env import collection
from carnegie_env.core import rng
from carnegie_env.core.game import Game
from carnegie_env.core.record import GameRecord, name_of_game


@dataclasses.dataclass(frozen=True, eq=False)
class Line:
    """One game, finished or not.

    Args:
        game: its game.
        options: its options.
        records: the record before each decision, and the last one: shape (T + 1,).
        actions: the action of each decision, int64 (T,).
        dealt: whether it began with a deal, not with some other position.
    """

    game: Game
    options: Any
    records: NDArray[Any]
    actions: NDArray[np.int64]
    dealt: bool = True

    @classmethod
    def of(cls, source: GameRecord[Any] | str | os.PathLike[str]) -> Line:
        """The line of a game record or of its file.

        Raises:
            ValueError: it is neither, the file is not a record, or an action is illegal.
            OSError: the file can't be read.
        """
        if not isinstance(source, GameRecord | str | os.PathLike):
            kind = type(source).__name__
            raise ValueError(f"a review needs a game record, such as GameRecord.of(position), or its file, not {kind}")
        if not isinstance(source, GameRecord):
            game = collection.find(name_of_game(source) or collection.DEFAULT)
            source = game.record_class.load(source)
        records = [position.games.copy() for position in source.positions()]
        numbers = {text: number for number, text in enumerate(source.position.game.texts)}
        actions = np.array([numbers[text] for text in source.actions], np.int64)
        return cls(source.position.game, source.options, np.concatenate(records), actions)

    def seeds(self, seed: int, first: int, number: int) -> NDArray[np.uint64]:
        """Seeds of samples, uint64 (number,), beginning with the ``first``: different ones in every game."""
        return rng.mixed(rng.stream(seed, first, number) ^ self.records["rng"][0])

    @property
    def movers(self) -> NDArray[np.int64]:
        """The seat of each decision, int64 (T,)."""
        return self.records["to_play"][:-1].astype(np.int64)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.records["to_play"][-1] < 0)
