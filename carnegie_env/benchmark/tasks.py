"""The tasks of the benchmark, and the pool of opponents.

The deals of a task have seeds from ``RESERVED``, on which nothing may be trained, tuned or chosen. A change to a task
or to the pool raises the task's revision and invalidates older results.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from carnegie_env import collection
from carnegie_env.core.game import Game

RESERVED = range(2**40, 2**41)  # seeds of the tasks' deals; nothing else uses them
BLOCK = 2**32  # seeds for each task
FOLDER = Path(__file__).parent / "pool"  # networks of the pool that the package's agents no longer use

# Digests of the pool's value networks, by the names of their files.
VALUE = {
    "carnegie-1-expansion": "f741fa2b5b12",
    "carnegie-1": "61339f42e690",
    "carnegie-2-expansion": "f796e27b251c",
    "carnegie-2": "3c11851bfbaf",
    "carnegie-3-expansion": "ec2b694e515e",
    "carnegie-3": "6ed53c49bb71",
    "carnegie-4-expansion": "2d21386f39bf",
    "carnegie-4": "a3ec4e389c14",
    "steel_driver-4": "2817e87cb6c3",
}


@dataclasses.dataclass(frozen=True)
class Player:
    """An agent of the leaderboard that never changes.

    Args:
        label: its name in tables.
        spec: the registry's name, with {network} for the path of its network.
        networks: digests of its networks by name (see :meth:`Task.network`); None: it needs none.
        deals: the largest number of deals for which it plays in the leaderboard, because it is slow; None: all.
    """

    label: str
    spec: str
    networks: Mapping[str, str] | None = None
    deals: int | None = None

    def plays(self, task: Task) -> bool:
        return self.networks is None or task.network in self.networks

    def version(self, task: Task) -> str:
        """The digest of its network in a task, or ""."""
        return "" if self.networks is None else self.networks[task.network]

    def spec_in(self, task: Task) -> str:
        """The registry's name in a task; a ValueError if its network is missing."""
        if self.networks is None:
            return self.spec
        return self.spec.format(network=_file(task.network, self.networks[task.network]))


@functools.cache
def _file(name: str, digest: str) -> Path:
    from carnegie_env.agents import value

    for folder in (FOLDER, value.FOLDER):
        path = folder / f"{name}.safetensors"
        if path.exists() and value.Networks(str(path)).version == digest:
            return path
    raise ValueError(
        f"the network {name} of the benchmark's pool, with digest {digest}, is missing; when the package's networks "
        f"change, the old ones move to {FOLDER}"
    )


@dataclasses.dataclass(frozen=True)
class Task:
    """A game with fixed options, deals and opponents.

    Args:
        number: of its block of the reserved seeds.
        text: a description.
        options: of the game.
        deals: the number of deals.
        game: the game's name.
        held_out: nothing may be trained for this task; it measures how far other training carries.
        revision: raised with every change.
    """

    number: int
    text: str
    options: Mapping[str, Any]
    deals: int
    game: str = collection.DEFAULT
    held_out: bool = False
    revision: int = 1

    @property
    def seed(self) -> int:
        """Of the first deal."""
        return RESERVED.start + self.number * BLOCK

    @property
    def players(self) -> int:
        players: int = self.options["num_players"]
        return players

    @property
    def network(self) -> str:
        """The name of a network for its games."""
        return f"{self.game}-{self.players}" + ("-expansion" if "modules" in self.options else "")

    @property
    def rules(self) -> Game:
        """The game."""
        return collection.find(self.game)

    @property
    def opponents(self) -> tuple[Player, ...]:
        """The columns of the leaderboard: one of them has all other seats; none in solo games."""
        return () if self.players == 1 else tuple(each for each in POOL.values() if each.plays(self))


def _modules(players: int, **more: Any) -> dict[str, Any]:
    return {"num_players": players, "modules": "all", **more}


POOL = {
    each.label: each
    for each in (
        Player("greedy", "greedy"),
        Player("value", "value:{network}", VALUE),
        Player("search", "search:network={network},candidates=4,depth=4,evals=1000", VALUE, deals=20),
    )
}

# The package's agents in the leaderboard, those of the pool among them.
AGENTS = {
    "random": Player("random", "random"),
    **POOL,
    "search-20k": Player("search-20k", "search:network={network},evals=20000", VALUE, deals=8),
}

# In the order of the leaderboard.
TASKS = {
    "solo-normal": Task(0, "solo against Andrew, normal", {"num_players": 1, "difficulty": "normal"}, 400),
    "solo-expert": Task(1, "solo against Andrew, expert", {"num_players": 1, "difficulty": "expert"}, 400),
    "duel": Task(2, "2 players", {"num_players": 2}, 200),
    "table-3": Task(3, "3 players", {"num_players": 3}, 100),
    "table-4": Task(4, "4 players", {"num_players": 4}, 100),
    "steel-driver-4": Task(6, "Steel Driver, 4 players", {"num_players": 4}, 100, "steel_driver"),
    "solo-modules": Task(7, "solo, expert, all modules", _modules(1, difficulty="expert"), 400, held_out=True),
    "duel-modules": Task(8, "2 players, all modules", _modules(2), 200, held_out=True),
    "table-3-modules": Task(5, "3 players, all modules", _modules(3), 100, held_out=True),
    "table-4-modules": Task(9, "4 players, all modules", _modules(4), 100, held_out=True),
    "steel-driver-3": Task(10, "Steel Driver, 3 players", {"num_players": 3}, 100, "steel_driver", held_out=True),
    "steel-driver-5": Task(11, "Steel Driver, 5 players", {"num_players": 5}, 100, "steel_driver", held_out=True),
    "steel-driver-6": Task(12, "Steel Driver, 6 players", {"num_players": 6}, 100, "steel_driver", held_out=True),
}


def find(name: str) -> Task:
    """A task by its name; for an unknown name, a ValueError lists the tasks."""
    if name not in TASKS:
        raise ValueError(f"there is no task {name!r}; the tasks are {', '.join(TASKS)}")
    return TASKS[name]
