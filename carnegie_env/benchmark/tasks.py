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

# Digests of the pool's networks, by the names of their files.
VALUE = {
    "carnegie-1-expansion": "f741fa2b5b12",
    "carnegie-1": "61339f42e690",
    "carnegie-2-expansion": "f796e27b251c",
    "carnegie-2": "3c11851bfbaf",
    "carnegie-3-expansion": "ec2b694e515e",
    "carnegie-3": "6ed53c49bb71",
    "carnegie-4-expansion": "2d21386f39bf",
    "carnegie-4": "a3ec4e389c14",
    "steel_driver-3": "9a4967e9e1b9",
    "steel_driver-4": "2817e87cb6c3",
    "steel_driver-5": "a96d53463e7d",
    "steel_driver-6": "50fb1404eaf6",
}
PPO = {"ppo/carnegie-1": "3c4b7b8d1f14", "ppo/carnegie-2": "e49ce2054c4f"}


@dataclasses.dataclass(frozen=True)
class Player:
    """An agent of the leaderboard that never changes.

    Args:
        label: its name in tables.
        spec: the registry's name, with {network} for the path of its network.
        networks: digests of its networks by name (see :meth:`network`); None: it needs none.
        deals: the largest number of deals for which it plays in the leaderboard, because it is slow; None: all.
        folder: where its networks are, ending in a slash; empty: among the networks of `value`.
    """

    label: str
    spec: str
    networks: Mapping[str, str] | None = None
    deals: int | None = None
    folder: str = ""

    def network(self, task: Task) -> str:
        """The name of its network in a task, such as `carnegie-2-expansion` or `ppo/carnegie-2`."""
        return self.folder + task.network

    def plays(self, task: Task) -> bool:
        return self.networks is None or self.network(task) in self.networks

    def version(self, task: Task) -> str:
        """The digest of its network in a task, or ""."""
        return "" if self.networks is None else self.networks[self.network(task)]

    def spec_in(self, task: Task) -> str:
        """The registry's name in a task; a ValueError if its network is missing."""
        return self.spec.format(network=_file(self.network(task), self.version(task))) if self.networks else self.spec


@functools.cache
def _file(name: str, digest: str) -> Path:
    from carnegie_env.agents import learned, value

    read = learned.PPOAgent if name in PPO else value.Networks
    for folder in (FOLDER, value.FOLDER):
        path = folder / f"{name}.safetensors"
        if path.exists() and read(str(path)).version == digest:
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
        """The seed of the first deal."""
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
        Player("ppo", "ppo:{network}", PPO, folder="ppo/"),
        Player("value", "value:{network}", VALUE),
        Player(
            "search", "search:network={network},noise=0,deviations=0,candidates=4,depth=4,evals=1000", VALUE, deals=50
        ),
    )
}

# The package's agents in the leaderboard, those of the pool among them.
AGENTS = {
    "random": Player("random", "random"),
    **POOL,
    "search-10k": Player("search-10k", "search:network={network},candidates=16,evals=10000", VALUE, deals=20),
}

# In the order of the leaderboard.
TASKS = {
    "solo-normal": Task(0, "solo against Andrew, normal", {"num_players": 1, "difficulty": "normal"}, 400),
    "solo-expert": Task(1, "solo against Andrew, expert", {"num_players": 1, "difficulty": "expert"}, 400),
    "duel": Task(2, "2 players", {"num_players": 2}, 200, revision=2),
    "table-3": Task(3, "3 players", {"num_players": 3}, 100),
    "table-4": Task(4, "4 players", {"num_players": 4}, 100),
    "steel-driver-4": Task(6, "Steel Driver, 4 players", {"num_players": 4}, 100, "steel_driver"),
    "solo-modules": Task(7, "solo, expert, all modules", _modules(1, difficulty="expert"), 400, held_out=True),
    "duel-modules": Task(8, "2 players, all modules", _modules(2), 200, held_out=True),
    "table-3-modules": Task(5, "3 players, all modules", _modules(3), 100, held_out=True),
    "table-4-modules": Task(9, "4 players, all modules", _modules(4), 100, held_out=True),
    "steel-driver-3": Task(10, "Steel Driver, 3 players", {"num_players": 3}, 100, "steel_driver", True, 2),
    "steel-driver-5": Task(11, "Steel Driver, 5 players", {"num_players": 5}, 100, "steel_driver", True, 2),
    "steel-driver-6": Task(12, "Steel Driver, 6 players", {"num_players": 6}, 100, "steel_driver", True, 2),
}


def find(name: str) -> Task:
    """A task by its name; for an unknown name, a ValueError lists the tasks."""
    if name not in TASKS:
        raise ValueError(f"there is no task {name!r}; the tasks are {', '.join(TASKS)}")
    return TASKS[name]
