"""Datasets for the tests: games of Sixes, which are quick without a compiler."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("pyarrow")

from carnegie_env.agents.registry import make_agent
from carnegie_env.arena.worker import STATE, GameLine, Setup, Task, Worker, version_of
from carnegie_env.datasets import Dataset
from carnegie_env.datasets import manifest as manifests
from carnegie_env.datasets.columns import Columns, encode
from carnegie_env.datasets.manifest import MANIFEST, Manifest
from carnegie_env.datasets.writing import Writer
from carnegie_env.workers import generate as generating
from carnegie_env.workers.generate import Plan, chunks_of, columns_of
from tests.arena.misfits import MISFITS
from tests.toy.game import SIXES

SIGNATURE = 77


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def plan(*agents: str, games: int = 60, players: int = 2, **more: Any) -> Plan:
    """A plan for games of the tests' agents or `random`."""
    named = tuple((name, name if name == "random" else MISFITS + name) for name in agents or ("random", "Last"))
    options = {"num_players": players} | more.pop("options", {})
    return Plan(SIXES, options, named, games, **{"seed": 3, "shard_games": 25, **more})


def manifest_of(wanted: Plan) -> Manifest:
    """The manifest of a plan whose agents play side by side."""
    versions = [version_of(make_agent(spec)) for _, spec in wanted.agents]
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
    write(folder, wanted, manifest_of(wanted))
    return Dataset(folder, game=SIXES)


def write(folder: Path, wanted: Plan, manifest: Manifest, backwards: bool = False) -> None:
    """Play and write the missing shards of a dataset."""
    with Writer(folder, manifest, wanted.game) as writer:
        for shard in sorted(writer.missing(), reverse=backwards):
            lines = [line for chunk in chunks_of(manifest, shard) for line in lines_of(wanted, chunk)]
            writer.add(shard, columns_of(wanted, lines))
        writer.finish()


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
