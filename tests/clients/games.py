"""Small datasets of Carnegie for clients, made in this process without a compiler."""

from pathlib import Path
from typing import Any

from carnegie_env import collection
from carnegie_env.datasets import Dataset
from carnegie_env.workers import generate
from carnegie_env.workers.generate import Plan
from tests.datasets.games import replace_shard, write

GAMES = 5


def dataset(folder: Path, num_players: int, **more: Any) -> Dataset:
    """Games of random agents in two shards."""
    wanted = Plan(
        collection.find("carnegie"), {"num_players": num_players}, (("one", "random"), ("two", "random"))[:num_players],
        GAMES, 11, shard_games=3, **more,
    )  # fmt: skip
    manifest = generate.manifest_of(wanted, [""] * len(wanted.agents), True, 77)
    write(folder / "games", wanted, manifest)
    return Dataset(folder / "games")


def damaged(folder: Path) -> Dataset:
    """A dataset whose third game has an illegal action; checksums are right."""
    made = dataset(folder, 2)
    found = made.columns(0)
    actions = found.actions.copy()
    actions[found.edges[2] + 20] = 332 if actions[found.edges[2] + 20] != 332 else 331
    replace_shard(made, 0, found._replace(actions=actions))
    return Dataset(made.path)
