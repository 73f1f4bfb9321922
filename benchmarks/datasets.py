"""The speed of writing and replaying datasets, and their size: `python -m benchmarks.datasets`.

The speeds of one core are measured by CPU time (of the thread, or of the agents' processes), as the best of some
rounds, because other programs on the machine disturb this least. The comparison of two processes with one is by the
clock, so it needs an idle machine.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.throughput import MILLION, Row, mode, print_table, step_rate
from carnegie_env import collection
from carnegie_env.core.game import Game
from carnegie_env.datasets import Dataset
from carnegie_env.workers.cluster import connect
from carnegie_env.workers.generate import Plan, generate

BATCH = 4096
SHUFFLE = 65_536
ORDERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("in order", {}),
    ("shuffled", {"shuffle": SHUFFLE}),
    ("shuffled, uint8", {"shuffle": SHUFFLE, "dtype": "uint8"}),
)
TARGET = 1  # million decisions a second and core


def made(
    game: Game, folder: Path, agents: Sequence[str], number: int, processes: int, cluster: Any = None, **more: Any
) -> Dataset:
    options = more.pop("options", {}) or game.bench_options
    plan = Plan(game, options, tuple((name, name) for name in agents), number, **more)
    generate(plan, folder, processes=processes, cluster=cluster)
    return Dataset(folder)


def batches_rate(dataset: Dataset, arguments: dict[str, Any], seconds: float) -> float:
    """Decisions a second, over some seconds of CPU time; filling the first buffer does not count."""

    def endless() -> Iterator[Any]:
        for epoch in range(10**9):
            yield from dataset.replay(BATCH, seed=epoch, reuse=True, **arguments)

    batches = endless()
    next(batches)
    decisions, begun = 0, time.thread_time()
    while time.thread_time() - begun < seconds:
        decisions += len(next(batches).actions)
    return decisions / (time.thread_time() - begun)


def replay_rows(game: Game, folder: Path, number: int, rounds: int, seconds: float) -> list[Row]:
    """Replaying random games, in order and shuffled, for several options."""
    rows = []
    tables = [game.bench_options, {"num_players": game.seats[0]}, {"num_players": game.seats[1]}]
    for k, options in enumerate(table for n, table in enumerate(tables) if table not in tables[:n]):
        dataset = made(game, folder / f"table{k}", ["random"], number, 1, options=options)
        best = dict.fromkeys((name for name, _ in ORDERS), 0.0)
        for _ in range(rounds):
            for name, arguments in ORDERS:
                best[name] = max(best[name], batches_rate(dataset, arguments, seconds))
        if k == 0:
            rate = step_rate(game, options, BATCH, 1, 10 * rounds, time.thread_time)
            what = f"compare: Batch.step, masks, observations, {BATCH:,} games, {mode(options)}"
            rows.append(Row(what, rate / MILLION, "M decisions/s"))
        for name, rate in best.items():
            target = TARGET if k == 0 else None
            rows.append(Row(f"replayed, {mode(options)}, {name}", rate / MILLION, "M decisions/s", target))
        if k == 0:
            begun = time.thread_time()
            dataset.verify()
            checked = dataset.num_decisions / (time.thread_time() - begun)
            rows.append(Row("checked: checksums, columns, all actions, scores", checked / MILLION, "M decisions/s"))
            begun = time.thread_time()
            for index in range(len(dataset.shards)):
                dataset.columns(index)
            spent = time.thread_time() - begun
            rows.append(Row("read into arrays, checksums and columns checked", len(dataset) / spent, "games/s"))
            buffer = SHUFFLE * game.record.itemsize / 2**20
            rows.append(Row(f"memory of a buffer of {SHUFFLE:,} decisions", buffer, "MiB"))
    return rows


def size_rows(game: Game, folder: Path, number: int) -> list[Row]:
    """Games of agents: the speed of one core, the CPU time of the writing process, bytes a game."""
    rows = []
    made(game, folder / "first", ["random"], 1, 1)  # load all programs
    for name, more in (("random", {}), ("greedy", {}), ("value", {}), ("value, --values", {"values": True})):
        count = number if name == "random" else max(number // 20, 1)
        before = time.process_time(), _children()
        dataset = made(game, folder / name.replace(" ", ""), [name.partition(",")[0]], count, 1, **more)
        driver, spent = time.process_time() - before[0], _children() - before[1]
        size = sum(shard.bytes for shard in dataset.shards) / count
        what = f"made by {name}, {mode(game.bench_options)}"
        rows.append(Row(f"{what}, with start of programs", count / (driver + spent), "games/s"))
        if name == "random":
            rows.append(Row(f"{what}: checked and written", count / driver, "games/s"))
        rows.append(Row(f"{what}: {dataset.num_decisions / count:.0f} decisions a game", size, "bytes a game"))
    return rows


def _children() -> float:
    """CPU time of this process's children that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def scaling_rows(game: Game, folder: Path, number: int, rounds: int, ray: bool) -> list[Row]:
    """Two processes of agents compared with one, alternately, locally and on Ray, by the clock, including the start."""
    rows = []
    with contextlib.ExitStack() as held:
        places: dict[str, Any] = {"": None}
        if ray:
            places[" on Ray"] = held.enter_context(connect(cpus=2, unit="games"))
        speeds = dict.fromkeys(((processes, place) for place in places for processes in (1, 2)), 0.0)
        for k in range(rounds):
            for processes, place in speeds:
                begun, to = time.perf_counter(), folder / f"scaling-{k}-{processes}{place}"
                made(game, to, ["value"], number, processes, cluster=places[place], shard_games=1000)
                rate = number / (time.perf_counter() - begun)
                speeds[processes, place] = max(speeds[processes, place], rate)
    for place in places:
        what = f"two processes against one{place}, {number:,} games of value"
        rows.append(Row(what, speeds[2, place] / speeds[1, place], "x", 1.85))
    if ray:
        rows += [Row(f"{n} on Ray against {n} here", speeds[n, " on Ray"] / speeds[n, ""], "x", 0.95) for n in (1, 2)]
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.datasets", description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--game", choices=collection.names(), default=collection.DEFAULT, help="the game (default: %(default)s)"
    )
    parser.add_argument("--games", type=int, default=20_000, help="random games of each dataset (default: %(default)s)")
    parser.add_argument("--ray", action="store_true", help="also with a local Ray")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and no scaling")
    given = parser.parse_args(arguments)
    if given.games < 1:
        parser.error(f"--games must be 1 or more, not {given.games}")
    game = collection.find(given.game)
    rounds, seconds = (3, 0.7) if given.quick else (7, 1.5)
    with tempfile.TemporaryDirectory() as folder:
        print_table(replay_rows(game, Path(folder), given.games, rounds, seconds))
        print_table(size_rows(game, Path(folder), given.games))
        if not given.quick:
            print_table(scaling_rows(game, Path(folder), max(given.games // 2, 2), 2, given.ray))
    return 0


if __name__ == "__main__":
    sys.exit(main())
