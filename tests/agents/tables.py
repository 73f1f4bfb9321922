"""Games and options for testing agents."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core.batch import Batch
from carnegie_env.core.game import Game
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.networks import network_file
from tests.players import ALL_ON, mode_name


class Table(NamedTuple):
    """A game and its options."""

    game: Game
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """A name for test ids and files."""
        return f"{self.game.name}-{mode_name(self.options)}"

    def batch(self, number: int, threads: int = 1) -> Batch[Any]:
        """New games."""
        return self.game.batch_class(number, num_threads=threads, **self.options)


STEEL = tuple(Table(STEEL_DRIVER, {"num_players": n}) for n in range(3, 7))
LAST_ROUND = {CARNEGIE: 20, STEEL_DRIVER: 5}


def carnegie(*options: dict[str, Any]) -> tuple[Table, ...]:
    """Tables of Carnegie."""
    return tuple(Table(CARNEGIE, each) for each in options)


TABLES = (
    *carnegie({"num_players": 1, "difficulty": "expert"}, {"num_players": 2}, ALL_ON[1], ALL_ON[3]), STEEL[0], STEEL[3]
)  # fmt: skip


def at(*tables: Table) -> pytest.MarkDecorator:
    """Parametrize a test with these tables, as its argument `table`."""
    return pytest.mark.parametrize("table", tables, ids=[table.name for table in tables])


def network_files(*tables: Table) -> Any:
    """A fixture with the files of small networks, by name of the table."""

    @pytest.fixture(scope="module")
    def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
        folder = tmp_path_factory.mktemp("weights")
        return {table.name: network_file(folder, *table) for table in tables}

    return files


def middle(table: Table, number: int = 24, decisions: int = 40, threads: int = 1) -> Batch[Any]:
    """Games after random decisions; every second game after half as many."""
    batch = table.batch(number, threads)
    batch.reset(seed=5)
    generator = np.random.default_rng(5)
    for k in range(decisions):
        rows = np.arange(0, number, 1 if k < decisions // 2 else 2)
        some = batch.select(rows)
        some.step(some.sample_actions(generator))
        batch.load(some, rows=rows)
    return batch


def position_of(batch: Batch[Any], row: int = 0) -> Any:
    """A game of a batch as a position."""
    return batch.game.position_class(batch.games[row : row + 1].copy())
