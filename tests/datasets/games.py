"""Datasets for the tests: games of Sixes, which are quick without a compiler."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

pytest.importorskip("pyarrow")

from carnegie_env.agents.base import Agent, Judgement
from carnegie_env.arena.worker import STATE, GameLine, Setup, Task, Worker
from carnegie_env.datasets import Dataset
from carnegie_env.datasets import manifest as manifests
from carnegie_env.datasets.columns import Columns, encode
from carnegie_env.datasets.manifest import MANIFEST, Manifest
from carnegie_env.datasets.writing import Writer
from carnegie_env.workers import generate as generating
from carnegie_env.workers.generate import Plan, chunks_of, columns_of
from tests.arena.misfits import MISFITS, Last
from tests.toy.game import SIXES

HERE = "tests.datasets.games:"
SIGNATURE = 77


class Thoughtful(Last):
    """Values an action at minus its number, with twice as many visits."""

    version = "v7"

    def judge(self, batch):
        numbers = np.tile(np.arange(batch.num_actions), (batch.num_games, 1))
        return Judgement(self.choose(batch), -numbers.astype(float), 2 * numbers)


class Babbler(Last):
    """Gives NaN as the value of every action."""

    def judge(self, batch):
        return Judgement(self.choose(batch), np.full((batch.num_games, batch.num_actions), np.nan))


class Fickle(Agent):
    """Fails in several games at once, but not in one alone."""

    side_by_side = True

    def choose(self, batch):
        if batch.num_games > 1:
            raise RuntimeError("too many of them")
        return batch.action_masks().argmax(axis=1)


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def plan(*agents: str, games: int = 60, players: int = 2, **more: Any) -> Plan:
    """A plan for games of the tests' agents or `random`."""
    named = tuple((name, name if name == "random" else _module(name) + name) for name in agents or ("random", "Last"))
    options = {"num_players": players} | more.pop("options", {})
    return Plan(SIXES, options, named, games, **{"seed": 3, "shard_games": 25, **more})


def _module(name: str) -> str:
    return HERE if name in ("Thoughtful", "Babbler", "Fickle") else MISFITS


def manifest_of(wanted: Plan) -> Manifest:
    """The manifest of a plan whose agents play side by side."""
    versions = ["v7" if label == "Thoughtful" else "" for label, _ in wanted.agents]
    return generating.manifest_of(wanted, versions, True, SIGNATURE)


def lines_of(wanted: Plan, chunk: range) -> list[GameLine]:
    """The games of a chunk, played in this process."""
    specs = tuple(spec for _, spec in wanted.agents)
    setup = Setup(wanted.game, wanted.options, specs, wanted.seed, 60, 60, moves=True, values=wanted.values)
    games = tuple((number, 0, wanted.seating(number)) for number in chunk)
    (lines,) = Worker(setup, [0.0] * len(STATE)).play(Task(games, True))
    assert isinstance(lines, list)
    return lines


def make(folder: Path, *agents: str, **more: Any) -> Dataset:
    """A dataset, made in this process."""
    wanted = plan(*agents, **more)
    manifest = manifest_of(wanted)
    with Writer(folder, manifest) as writer:
        for shard in writer.missing():
            lines = [line for chunk in chunks_of(manifest, shard) for line in lines_of(wanted, chunk)]
            writer.add(shard, columns_of(wanted, lines))
        writer.finish()
    return Dataset(folder, game=SIXES)


def replace_shard(made: Dataset, index: int, found: Columns) -> None:
    """Replace a shard's games, with a matching checksum in the manifest."""
    content = encode(made.manifest, found)
    made.path_of(index).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    size = {"bytes": len(content), "sha256": digest, "decisions": len(found.actions)}
    shards = list(made.shards)
    shards[index] = msgspec.structs.replace(shards[index], **size)
    manifest = msgspec.structs.replace(made.manifest, shards=tuple(shards))
    (made.path / MANIFEST).write_bytes(manifests.encode(manifest))
