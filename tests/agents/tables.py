"""Tables at which agents are tested, of each game."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core.batch import Batch
from carnegie_env.core.game import Game
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.players import mode_name


class Table(NamedTuple):
    """A game and its options."""

    game: Game
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """For ids of tests, and files."""
        return f"{self.game.name}-{mode_name(self.options)}"

    def batch(self, number: int, threads: int = 1) -> Batch[Any]:
        """New games."""
        return self.game.batch_class(number, num_threads=threads, **self.options)


STEEL = tuple(Table(STEEL_DRIVER, {"num_players": n}) for n in range(3, 7))
LAST_ROUND = {CARNEGIE: 20, STEEL_DRIVER: 5}


def carnegie(*options: dict[str, Any]) -> tuple[Table, ...]:
    """Tables of Carnegie."""
    return tuple(Table(CARNEGIE, each) for each in options)


def at(*tables: Table) -> pytest.MarkDecorator:
    """A test at each of these tables, its argument `table`."""
    return pytest.mark.parametrize("table", tables, ids=[table.name for table in tables])
