"""The games, their tables (a game with options), and random games."""

import dataclasses
import functools
import os
from typing import Any

import numpy as np
import pytest

import carnegie_env
from carnegie_env.core import kernels
from carnegie_env.core.game import Game
from carnegie_env.core.position import BasePosition
from tests.amounts import LONG
from tests.toy.game import SIXES
from tests.toy.tic_tac_toe import TIC_TAC_TOE

AMOUNT = int(os.environ.get("CONFORMANCE", 2 if LONG else 1))
GAMES: dict[str, Game] = {**carnegie_env.games(), SIXES.name: SIXES, TIC_TAC_TOE.name: TIC_TAC_TOE}


@dataclasses.dataclass(frozen=True)
class Table:
    """A game with options."""

    game: Game
    options: Any

    @property
    def values(self) -> dict[str, Any]:
        return self.options.to_dict()

    @property
    def seats(self) -> range:
        return range(self.options.num_players)

    def batch(self, num_games: int, seed: int | None = 0, **arguments: Any) -> Any:
        """New games."""
        batch = self.game.batch_class(num_games, **{"num_threads": 1, **arguments}, **self.values)
        if seed is not None:
            batch.reset(seed)
        return batch

    def position(self, seed: int = 0) -> Any:
        """A new game."""
        return self.game.position_class.new(self.options, seed)

    def __str__(self) -> str:
        default = self.game.options().to_dict()
        changed = [f"{name}={value}" for name, value in self.values.items() if value != default[name]]
        return "-".join([self.game.name, *changed])


@functools.cache
def tables(game: Game) -> tuple[Table, ...]:
    """Every variant of a game with every number of seats, with and without forced decisions."""
    found: dict[Table, None] = {}
    for variant in game.variants:
        for players in range(game.seats[0], game.seats[1] + 1):
            for show_forced in (False, True):
                values = {"num_players": players, **variant, "show_forced": show_forced}
                try:
                    found[Table(game, game.options.from_dict(values))] = None
                except ValueError:  # a variant that does not allow this number
                    assert variant
    return tuple(found)


TABLES = tuple(table for game in GAMES.values() for table in tables(game))
PLAIN_TABLES = tuple(table for table in TABLES if not table.options.show_forced)
EACH_GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
EACH_TABLE = pytest.mark.parametrize("table", TABLES, ids=str)
EACH_PLAIN_TABLE = pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)


# ---------------------------------------------------------------- random games
@dataclasses.dataclass(frozen=True)
class Walk:
    """A game of random legal actions: the record at every decision and at the end."""

    table: Table
    records: np.ndarray
    actions: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.actions)

    def position(self, k: int) -> BasePosition:
        """The game after ``k`` decisions, as a new position."""
        return self.table.game.position_class._of(self.records[k : k + 1].copy())

    def some(self, number: int) -> list[int]:
        """Numbers of decisions spread over the game, including the first one and the end."""
        return sorted({*np.linspace(0, len(self), number).astype(int).tolist()})


@functools.cache
def walk(table: Table, seed: int = 0) -> Walk:
    """A random game, always the same for a table and seed."""
    batch, generator = table.batch(1, seed), np.random.default_rng(seed)
    records, actions = [batch.games.copy()], []
    while not batch.done[0]:
        chosen = batch.sample_actions(generator)
        batch.step(chosen)
        actions.append(int(chosen[0]))
        records.append(batch.games.copy())
    return Walk(table, np.concatenate(records).view(table.game.record), tuple(actions))


def batch_of(walk: Walk, numbers: list[int]) -> Any:
    """Some positions of a walk as a batch."""
    batch = walk.table.batch(len(numbers))
    for row, k in enumerate(numbers):
        batch.load(walk.position(k), [row])
    return batch


def faults(records: np.ndarray) -> np.ndarray:
    """The number of each record's fault, 0 if it has none: int64 (n,)."""
    found = np.empty(len(records), np.int64)
    kernels.verify(records.copy(), found)
    return found


def same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether records are equal field by field, ignoring padding."""
    return one.shape == other.shape and bool((one == other).all())
