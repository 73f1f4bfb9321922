"""Games on one machine, on Ray, and on a thousand nodes: `python -m benchmarks.scale` (docs/scale.md).

It measures, in turns of some seconds (turns.py), datasets and the arena in one process and two, on this machine and on
a Ray of its own; then what a lot takes: a core's time to play it, the messages, the driver's time. With these a model
(cluster_model.py) is tried on what was measured, and asked about more nodes.

Speeds by the clock want a machine that has nothing else to do; costs are CPU times, which others disturb less.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import itertools
import os
import pickle
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import numpy as np

import agents.generate
from agents.arena import match
from agents.arena.lines import GameLine
from agents.arena.worker import DESK, Setup, Task, Worker
from agents.cluster import AHEAD, Cluster, Pool, connect
from agents.generate import AT_ONCE, Plan, check_lot, columns_of, generate, manifest_of
from benchmarks.cluster_model import Costs, Found, simulate
from benchmarks.throughput import Row, print_table
from benchmarks.turns import Command, Watch, take_turns
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
SMALL = 100  # games of a lot against the clock
ENDLESS = 1_000_000  # games: more than there is time for
ONE, TWO, APART, ON_RAY = "one process", "two processes", "two commands of one process", " on Ray"


class Nothing:
    """A worker whose tasks take no time: what is left is what Ray and the pool take."""

    def __init__(self, slots: int) -> None:
        pass

    def do(self, task: Any) -> Any:
        """As many bytes as the task says."""
        return b"0" * task[1]


# ---------------------------------------------------------------- by the clock
def dataset(game: Game, agent: str, processes: int, cluster: Cluster | None, watch: Watch) -> None:
    """A dataset made, its shards written."""
    plan = Plan(game, dict(game.bench_options), ((agent, agent),), ENDLESS, shard_games=10 * SMALL)
    with tempfile.TemporaryDirectory() as folder:
        generate(plan, Path(folder, "games"), processes=processes, cluster=cluster, watch=watch)


def arena(game: Game, agent: str, processes: int, cluster: Cluster | None, watch: Watch) -> None:
    """A match between two of the same agent."""
    agents = (("one", agent), ("other", agent))
    played = match.Match(game, dict(game.bench_options), agents, ENDLESS // 2)
    with tempfile.TemporaryDirectory() as folder:
        match.play(played, output=Path(folder, "games.jsonl"), processes=processes, cluster=cluster, watch=watch)


KINDS: dict[str, Callable[[Game, str, int, Cluster | None, Watch], None]] = {"generate": dataset, "arena": arena}
Rates = dict[str, dict[str, list[float]]]  # by command and contestant


def by_the_clock(game: Game, agent: str, lots: int, rounds: int, ray: bool) -> tuple[Rates, float]:
    """Games a second of each command, in turns: one process, two, two commands of one process each; and on Ray.

    Lots are smaller than usual, so that turns are short; what a lot costs beside its games weighs more, then.

    Returns:
        A list of ``rounds`` for each command and contestant; and the part of a core that Ray's own processes took,
        those that do no tasks.
    """
    rates: Rates = {}
    with contextlib.ExitStack() as held:
        cluster = held.enter_context(connect(cpus=3 * len(KINDS), unit="games")) if ray else None
        held.enter_context(mock.patch.object(agents.generate, "AT_ONCE", SMALL))
        held.enter_context(mock.patch.object(match, "GAMES_AT_ONCE", SMALL))
        began, at_first = time.perf_counter(), ray_seconds()
        for name, run in KINDS.items():

            def command(processes: int, there: Cluster | None, run: Any = run) -> Command:
                waiting = processes * (AHEAD if there else 1)
                return Command(functools.partial(run, game, agent, processes, there), processes, waiting)

            print(name, flush=True)
            contestants = {APART: [command(1, None), command(1, None)]}
            contestants |= {TWO: [command(2, None)], ONE: [command(1, None)]}
            if cluster is not None:  # beside those that they are compared with
                contestants |= {ONE + ON_RAY: [command(1, cluster)], TWO + ON_RAY: [command(2, cluster)]}
            rates[name] = take_turns(contestants, lots, rounds)
        return rates, (ray_seconds() - at_first) / (time.perf_counter() - began)


def ray_seconds() -> float:
    """CPU seconds of Ray's own processes on this machine, so far."""
    found = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            words = (folder / "cmdline").read_bytes().decode(errors="replace")
            if "/ray/" in words and not words.startswith("ray::"):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                found += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def ratio(over: Sequence[float], under: Sequence[float]) -> float:
    """The median of the ratios of rounds: both were measured one soon after the other."""
    return statistics.median(a / b for a, b in zip(over, under, strict=True))


def _compared(what: str, over: Sequence[float], under: Sequence[float], target: float | None = None) -> Row:
    """The ratio, beside it where it lies with 95 % (bootstrap)."""
    ratios = np.array(over) / np.array(under)
    drawn = np.random.default_rng(0).choice(ratios, (2000, len(ratios)))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    return Row(f"{what} [{low:.2f}, {high:.2f}]", ratio(over, under), "x", target)


def clock_rows(rates: Rates, agent: str) -> list[Row]:
    """What was wanted of them, and what the machine gives at most: two commands that know nothing of each other."""
    rows = []
    for name, found in rates.items():
        of = f"{name}, {agent}"
        rows += [Row(f"{of}, {each}", statistics.median(speeds), "games/s") for each, speeds in found.items()]
        rows.append(_compared(f"{of}, {APART} against one", found[APART], found[ONE]))
        for where in ("", ON_RAY) if TWO + ON_RAY in found else ("",):
            what = f"{of}, two processes against one{where}"
            rows.append(_compared(what, found[TWO + where], found[ONE + where], SPEEDUP))
        for processes in (ONE, TWO) if TWO + ON_RAY in found else ():
            what = f"{of}, Ray against here, {processes}"
            rows.append(_compared(what, found[processes + ON_RAY], found[processes], 1 - OVERHEAD))
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
    if "generate" in rates and TWO + ON_RAY in rates["generate"]:
        # the clock's own speed of a core: others use the machine, too, and a process plays no faster than it may
        alone = statistics.median(rates["generate"][ONE + ON_RAY])
        scaled = dataclasses.replace(costs, play=lot.games / alone)
        said = simulate(scaled, 1, 2, 50).rate / simulate(scaled, 1, 1, 50).rate
        real = ratio(rates["generate"][TWO + ON_RAY], rates["generate"][ONE + ON_RAY])
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
    parser.add_argument("--rounds", type=int, default=40, help="of turns against the clock (default: 40)")
    parser.add_argument("--turn", type=int, default=3, help="lots of a process in a turn (default: 3)")
    parser.add_argument("--lots", type=int, default=5, help="of each agent, whose costs are measured (default: 5)")
    parser.add_argument("--no-clock", action="store_true", help="leave out what is measured by the clock")
    parser.add_argument("--no-ray", action="store_true", help="leave out what needs Ray")
    given = parser.parse_args(arguments)
    game = collection.find(given.game)
    rates: Rates = {}
    rows: list[Row] = []
    if not given.no_clock:
        rates, own = by_the_clock(game, given.agent, given.turn, given.rounds, not given.no_ray)
        rows = clock_rows(rates, given.agent)
        if not given.no_ray:
            rows.append(Row("Ray's own processes, part of a core, all the time", own, ""))
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
