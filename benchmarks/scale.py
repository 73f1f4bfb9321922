"""Games on one machine, on Ray, and on a thousand nodes: `python -m benchmarks.scale` (docs/scale.md).

It measures, one after the other in rounds, datasets and the arena in one process and two, on this machine and on a Ray
of its own, from the first results to the last; then what a lot takes: a core's time to play it, the messages, the
driver's time. With these a model (cluster_model.py) is tried on what was measured, and asked about more nodes.

Speeds by the clock want a machine that has nothing else to do; costs are CPU times, which others disturb less.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
import pickle
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agents.arena import match
from agents.arena.lines import GameLine
from agents.arena.worker import DESK, Setup, Task, Worker
from agents.cluster import Cluster, Pool, connect
from agents.generate import AT_ONCE, Plan, check_lot, columns_of, generate, manifest_of
from benchmarks.cluster_model import Costs, Found, simulate
from benchmarks.throughput import Row, print_table
from carnegie_env import collection
from carnegie_env.core.game import Game
from carnegie_env.datasets.columns import encode

AGENTS = "random", "greedy", "value", "search:evals=400"
NODES = 10, 100, 1000
NODE_CORES = 16
PRICE = 0.04  # dollars for a core and hour: an assumption
BANDWIDTH = 1.25e9  # bytes a second of the driver's link: 10 gigabit, an assumption
OVERHEAD, SPEEDUP = 0.05, 1.85  # at most, at least
BILLION = 1e9


class Nothing:
    """A worker whose tasks take no time: what is left is what Ray and the pool take."""

    def __init__(self, slots: int) -> None:
        pass

    def do(self, task: Any) -> Any:
        """As many bytes as the task says."""
        return b"0" * task[1]


# ---------------------------------------------------------------- by the clock
class Watch:
    """Games a second of some processes, without what starting takes.

    They count from when there are as many lots as processes: these were begun together, so from the first result on,
    the others' first lots would come for nothing, and two processes would seem more than twice as fast as one.
    """

    def __init__(self, processes: int) -> None:
        self.begun = time.perf_counter()
        self._processes = processes
        self._seen: list[tuple[float, int]] = []

    def __call__(self, played: int, total: int) -> None:
        if played and (not self._seen or played > self._seen[-1][1]):
            self._seen.append((time.perf_counter(), played))

    @property
    def rate(self) -> float:
        """Games a second."""
        least = self._processes * self._seen[0][1]
        begun, before = next((each for each in self._seen if each[1] >= least), self._seen[-1])
        ended, after = self._seen[-1]
        return (after - before) / (ended - begun) if ended > begun else float("nan")

    @property
    def start(self) -> float:
        """Seconds to the first results."""
        return self._seen[0][0] - self.begun


@contextlib.contextmanager
def place(ray: bool, processes: int) -> Iterator[Cluster | None]:
    """This machine, or a Ray of its own with so many cores."""
    if not ray:
        yield None
        return
    with connect(cpus=processes, unit="games") as joined:
        yield joined


def dataset(game: Game, agent: str, games: int, processes: int, ray: bool) -> Watch:
    """A dataset made, its shards written."""
    watch = Watch(processes)
    plan = Plan(game, dict(game.bench_options), ((agent, agent),), games, shard_games=1000)
    with tempfile.TemporaryDirectory() as folder, place(ray, processes) as cluster:
        generate(plan, Path(folder, "games"), processes=processes, cluster=cluster, watch=watch)
    return watch


def arena(game: Game, agent: str, games: int, processes: int, ray: bool) -> Watch:
    """A match between two of the same agent."""
    watch = Watch(processes)
    agents = (("one", agent), ("other", agent))
    played = match.Match(game, dict(game.bench_options), agents, games // 2)
    with tempfile.TemporaryDirectory() as folder, place(ray, processes) as cluster:
        match.play(played, output=Path(folder, "games.jsonl"), processes=processes, cluster=cluster, watch=watch)
    return watch


Rates = dict[tuple[str, bool, int], list[float]]


def by_the_clock(game: Game, agent: str, games: int, rounds: int, ray: bool) -> Rates:
    """Games a second of each command, here and on Ray, by one process and two: a list of ``rounds`` for each."""
    rates: Rates = {}
    kinds: dict[str, Callable[..., Watch]] = {"generate": dataset, "arena": arena}
    places = [False, True] if ray else [False]
    for _ in range(rounds):
        for (name, make), there, processes in itertools.product(kinds.items(), places, (1, 2)):
            watch = make(game, agent, games, processes, there)
            rates.setdefault((name, there, processes), []).append(watch.rate)
            where = "Ray" if there else "here"
            print(f"  {name}, {where}, {processes}: {watch.rate:.1f} games/s after {watch.start:.1f} s", flush=True)
    return rates


def ratio(over: Sequence[float], under: Sequence[float]) -> float:
    """The median of the ratios of rounds: both were measured one after the other."""
    return statistics.median(a / b for a, b in zip(over, under, strict=True))


def clock_rows(rates: Rates, agent: str) -> list[Row]:
    """What was wanted of them."""
    rows = []
    for name in ("generate", "arena"):
        for there in sorted({there for _, there, _ in rates}):
            where = "on Ray" if there else "here"
            rows.append(Row(f"{name}, {agent}, one process {where}", max(rates[name, there, 1]), "games/s"))
            two = ratio(rates[name, there, 2], rates[name, there, 1])
            rows.append(Row(f"{name}, {agent}, two processes against one {where}", two, "x", SPEEDUP))
        for processes in (1, 2) if (name, True, 1) in rates else ():
            share = ratio(rates[name, True, processes], rates[name, False, processes])
            what = f"{name}, {agent}, Ray against here, {processes} process{'es' * (processes > 1)}"
            rows.append(Row(what, share, "x", 1 - OVERHEAD))
    return rows


# ---------------------------------------------------------------- what a lot takes
@dataclasses.dataclass(frozen=True)
class Lot:
    """What a lot of games of an agent takes.

    Args:
        games: of a lot.
        play: CPU seconds of a core to play it, one for each time that was measured.
        task, result: bytes of the messages.
        stored: its bytes in a shard.
        take: CPU seconds of the driver to unpack, check and write it.
        plan: CPU seconds of the driver to say what is to be played.
    """

    games: int
    play: tuple[float, ...]
    task: int
    result: int
    stored: float
    take: float
    plan: float

    @property
    def rate(self) -> float:
        """Games a second and core."""
        return self.games / statistics.median(self.play)


def lot_of(game: Game, agent: str, games: int, times: int) -> Lot:
    """Play lots in this process, and take them as the driver does, all of them into one shard."""
    plan = Plan(game, dict(game.bench_options), ((agent, agent),), games * times, shard_games=games * times)
    setup = Setup(game, plan.options, (agent,), plan.seed, 1e6, 1e6, moves=True)
    worker, manifest = Worker(setup, [0.0] * len(DESK)), manifest_of(plan, [""], games > 1, 0)
    play, take, planned, everything = [], [], [], []
    task = result = b""
    list(worker.play(Task(((0, 0, plan.seating(0)),), False)))  # programs are loaded
    for number in range(times):
        begun = time.process_time()
        chunk = tuple((k, 0, plan.seating(k)) for k in range(number * games, (number + 1) * games))
        task = pickle.dumps((chunk, True))
        planned.append(time.process_time() - begun)
        begun = time.process_time()
        lines = [line for each in worker.play(Task(chunk, games > 1)) for line in _lines(each)]
        result = msgspec.msgpack.encode(lines)
        play.append(time.process_time() - begun)
        begun = time.process_time()
        everything += msgspec.msgpack.decode(result, type=list[GameLine])
        check_lot(plan, everything[-games:], None)
        take.append(time.process_time() - begun)
    encode(manifest, columns_of(plan, everything))
    begun = time.process_time()
    stored = encode(manifest, columns_of(plan, everything))
    write = (time.process_time() - begun) / times
    taken = statistics.median(take) + write
    return Lot(games, tuple(play), len(task), len(result), len(stored) / times, taken, statistics.median(planned))


def _lines(answer: Any) -> list[GameLine]:
    assert isinstance(answer, list), answer
    return answer


def ray_costs(result: int, tasks: int, slots: int) -> tuple[float, float]:
    """CPU seconds of the driver, and seconds by the clock, for a task that does nothing and returns so many bytes.

    There are ``slots`` done at a time, so that ``AHEAD`` times as many are waited for.
    """
    from benchmarks import scale  # as nodes find it: this file may be running as __main__

    task = (tuple((k, 0, (0, 0)) for k in range(AT_ONCE)), result)
    with connect(cpus=slots) as cluster, Pool(cluster, scale.Nothing) as pool:
        list(pool.run(itertools.repeat(task, 2 * slots)))
        begun, clock = time.process_time(), time.perf_counter()
        for _ in pool.run(itertools.repeat(task, tasks)):
            pass
        return (time.process_time() - begun) / tasks, (time.perf_counter() - clock) / tasks


# ---------------------------------------------------------------- the model
def costs_of(lot: Lot, ray: float) -> Costs:
    """A lot's costs for the model; ``ray``: seconds of the driver for a task, half of them before."""
    mean = statistics.mean(lot.play)
    spread = statistics.stdev(lot.play) / mean if len(lot.play) > 1 else 0.0
    return Costs(lot.games, mean, spread, lot.plan + ray / 2, lot.take + ray / 2, lot.result, BANDWIDTH)


def model_lines(agent: str, lot: Lot, ray: float, rates: Rates) -> list[str]:
    """The model beside what was measured, and what it says of more nodes."""
    costs = costs_of(lot, ray)
    lines = []
    if ("generate", True, 1) in rates:
        # the clock's own speed of a core: others use the machine, too, and a process plays no faster than it may
        alone = max(rates["generate", True, 1])
        scaled = dataclasses.replace(costs, play=lot.games / alone)
        said = simulate(scaled, 1, 2, 50).rate / simulate(scaled, 1, 1, 50).rate
        real = ratio(rates["generate", True, 2], rates["generate", True, 1])
        lines.append(f"{agent}: two workers against one: model {said:.2f} x, measured {real:.2f} x")
    for nodes in NODES:
        lines.append(f"{agent}: {nodes:,} nodes: {_told(simulate(costs, nodes, NODE_CORES, 12), lot)}")
    hours = BILLION / lot.rate / 3600
    lines.append(
        f"{agent}: a billion games: {hours:,.0f} core-hours, ${hours * PRICE:,.0f} at ${PRICE} each, "
        f"{BILLION * lot.stored / lot.games / 1e9:,.0f} GB"
    )
    return lines


def _told(found: Found, lot: Lot) -> str:
    return (
        f"{found.rate:,.0f} games/s; busy: cores {found.cores:.0%}, driver {found.driver:.0%}, link {found.link:.1%}; "
        f"a billion games in {BILLION / found.rate / 3600:,.1f} h"
    )


# ---------------------------------------------------------------- the command
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns 0 if all that was wanted was met, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--game", default="carnegie", help="which game (default: carnegie)")
    parser.add_argument("--agent", default="value", help="who plays against the clock (default: value)")
    parser.add_argument("--agents", nargs="+", default=AGENTS, help=f"whose lots are measured (default: {AGENTS})")
    parser.add_argument("--games", type=int, default=10_000, help="of each run by the clock (default: 10000)")
    parser.add_argument("--rounds", type=int, default=3, help="of these runs (default: 3)")
    parser.add_argument("--lots", type=int, default=5, help="lots of each agent (default: 5)")
    parser.add_argument("--no-clock", action="store_true", help="leave out what is measured by the clock")
    parser.add_argument("--no-ray", action="store_true", help="leave out what needs Ray")
    given = parser.parse_args(arguments)
    game = collection.find(given.game)
    rates: Rates = {}
    rows: list[Row] = []
    if not given.no_clock:
        rates = by_the_clock(game, given.agent, given.games, given.rounds, not given.no_ray)
        rows = clock_rows(rates, given.agent)
    lots = {}
    for agent in given.agents:
        alone = agent.startswith("search")  # it plays one game after the other
        lots[agent] = lot_of(game, agent, 1 if alone else AT_ONCE, given.lots * (4 if alone else 1))
    for agent, lot in lots.items():
        rows.append(Row(f"{agent}: games a second and core", lot.rate, "games/s"))
        rows.append(Row(f"{agent}: message of a lot of {lot.games}, there", lot.task / lot.games, "bytes a game"))
        rows.append(Row(f"{agent}: and back", lot.result / lot.games, "bytes a game"))
        rows.append(Row(f"{agent}: in the shard", lot.stored / lot.games, "bytes a game"))
        rows.append(Row(f"{agent}: driver, to plan and to take", (lot.plan + lot.take) / lot.games * 1e6, "us a game"))
    ray = 0.0
    if not given.no_ray:
        result = max(lot.result for lot in lots.values())
        for slots in (2, 256):
            ray, clock = ray_costs(result, 1000 if slots < 8 else 3000, slots)
            rows.append(Row(f"driver, for a task of Ray that does nothing, {slots} at a time", ray * 1e3, "ms CPU"))
            rows.append(Row("by the clock", clock * 1e3, "ms"))
    print_table(rows)
    print()
    for agent, lot in lots.items():
        print("\n".join(model_lines(agent, lot, ray, rates if agent == given.agent else {})))
    return int(any(row.verdict == "MISSED" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
