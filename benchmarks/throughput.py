"""Speed and size of the environment, in one table: `make bench` (or `python -m benchmarks.throughput --quick`).

Each figure is the best of several timings in this run, including the other libraries' (peers.py); compared figures are
timed alternately. Machines differ and are shared, so only ratios within a run carry over to other machines.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import peers
from carnegie_env import Batch, collection
from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.core import kernels, masks, rng
from carnegie_env.core.arrays import Records
from carnegie_env.core.batch import in_slices, sample
from carnegie_env.core.game import Game
from carnegie_env.core.jit import jit

MILLION = 1e6
PARTS = (("set-up", 0), ("rounds 1-5", 5), ("rounds 6-10", 10), ("rounds 11-15", 15), ("rounds 16-20", t.ROUNDS))
PASSES = 30  # repetitions of whole games, which take milliseconds, for each repeat
# By game: the targets in million decisions a second in the kernel, of the fewest players without an automatic opponent,
# and of the solo game.
KERNEL_TARGETS = {"carnegie": (4, 3), "steel_driver": (5, None)}


@dataclasses.dataclass
class Row:
    """A line of the table: a label, the figure, and its target, if any: a lower or an upper limit."""

    what: str
    value: float
    unit: str
    target: float | None = None
    at_most: bool = False

    @property
    def verdict(self) -> str:
        """ "ok" or "MISSED" where there is a target."""
        if self.target is None:
            return ""
        return "ok" if (self.value <= self.target) == self.at_most or self.value == self.target else "MISSED"


def best_rate(count: int, run: Callable[[], object], repeats: int) -> float:
    """``count`` per second in the best of the repeats, which other programs disturbed least."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return count / best


def kernel_rate(game: Game, num_games: int, decisions: int, threads: int, repeats: int, **options: Any) -> float:
    """Random self-play inside the kernel: legal actions, uniform choice and step, in decisions/s."""
    batch = game.batch_class(num_games, num_threads=threads, **options)
    batch.reset(0)
    seeds = np.arange(num_games, dtype=np.uint64)
    template = batch._template

    def run() -> None:
        in_slices(lambda games, s: kernels.run(games, template, s, decisions), batch._games, seeds, threads=threads)

    run()
    return best_rate(num_games * decisions, run, repeats)


def mode(options: dict[str, Any]) -> str:
    """A short name of a variant."""
    others = [f"{name}={value}" for name, value in options.items() if name != "num_players" and value is not None]
    players = options.get("num_players")
    return ", ".join(["solo" if players == 1 else f"{players} players", *others])


def kernel_rows(game: Game, repeats: int, quick: bool) -> list[Row]:
    """Play-outs inside the kernel, by variant and on two threads, and of other libraries."""
    n, steps = 1024, 200 if quick else 1000
    base = game.bench_options
    rates, (target, solo_target) = {}, KERNEL_TARGETS.get(game.name, (None, None))
    rates[mode(base)] = two = kernel_rate(game, n, steps, 1, repeats, **base)
    what = "random play-outs in the kernel, 1 core,"
    rows = [Row(f"{what} {mode(base)}", two / MILLION, "M decisions/s", target)]
    for options in game.variants:
        if mode(options) not in rates:
            rates[mode(options)] = rate = kernel_rate(game, n, steps, 1, repeats, **options)
            goal = solo_target if mode(options) == "solo" else None
            rows.append(Row(f"the same, {mode(options)}", rate / MILLION, "M decisions/s", goal))
    # The others are compared with the first variant of the same number of players.
    plain = {options.get("num_players"): rates[mode(options)] for options in reversed(game.variants)}
    least = min(rates[mode(options)] / plain[options.get("num_players")] for options in game.variants)
    if len(plain) < len(game.variants):
        rows.append(Row("the slowest variant against the first with as many players", least, "x", 0.5))
    if (os.cpu_count() or 1) > 1:
        pairs = [
            (kernel_rate(game, 4 * n, steps, 2, 1, **base), kernel_rate(game, 4 * n, steps, 1, 1, **base))
            for _ in range(repeats)
        ]
        ratio = max(pair[0] for pair in pairs) / max(pair[1] for pair in pairs)
        rows.append(Row("two threads against one", ratio, "x", 1.85))
    for name, package, measure in peers.PEERS:
        if importlib.util.find_spec(package):
            rate = max(measure() for _ in range(1 if quick else 3))
            goal = 25 if name.startswith("OpenSpiel backgammon") else None
            rows.append(Row(f"{name}: {rate / MILLION:.3f} M decisions/s; ours is", two / rate, "x", goal))
        else:
            print(f"{name}: skipped, the package {package} is not installed", file=sys.stderr)
    return rows


def length_rows(game: Game) -> list[Row]:
    """Decisions per random game, by variant."""
    rows = []
    for options in game.variants:
        batch = game.batch_class(2000, **options)
        batch.reset(0)
        decisions = batch.play_to_end(0) / 2000
        rows.append(Row(f"decisions per random game, {mode(options)}", decisions, ""))
    return rows


def step_rate(
    game: Game, options: dict[str, Any], num_games: int, steps: int, repeats: int, clock: Callable[[], float]
) -> float:
    """Decisions a second of Batch.step with masks and observations, for actions from outside, in the best repeat."""
    batch = game.batch_class(num_games, num_threads=1, autoreset=True, **options)
    batch.reset(0)
    masks, observations = batch.action_masks(), batch.observe()
    generator, best = np.random.default_rng(0), float("inf")
    for _ in range(repeats):
        spent = 0.0
        for _ in range(steps):
            actions = sample(masks, generator)
            start = clock()
            batch.step(actions)
            batch.action_masks(masks)
            batch.observe(observations)
            spent += clock() - start
        best = min(best, spent)
    return num_games * steps / best


def batch_row(game: Game, repeats: int, quick: bool) -> Row:
    """Batch.step with masks and observations, one core."""
    rate = step_rate(game, game.bench_options, 4096, 20 if quick else 50, repeats, time.perf_counter)
    return Row("Batch.step + masks + observations, 4,096 games, 1 core", rate / MILLION, "M/s", 1)


def gymnasium_rows(game: Game, repeats: int, quick: bool) -> list[Row]:
    """The Gymnasium and PettingZoo environments."""
    import gymnasium

    generator = np.random.default_rng(0)
    n, steps = 4096, 10 if quick else 40
    venv = gymnasium.make_vec(env_id(game), num_envs=n, vectorization_mode="vector_entry_point")
    _, info = venv.reset(seed=0)

    def run_vector() -> None:
        nonlocal info
        for _ in range(steps):
            info = venv.step(sample(info["action_mask"], generator))[4]

    run_vector()
    rows = [Row("gymnasium.make_vec, 4,096 environments", best_rate(n * steps, run_vector, repeats), "steps/s", 4e5)]

    env = gymnasium.make(env_id(game))
    single_steps = 1000 if quick else 5000

    def run_single() -> None:
        mask = env.reset()[1]["action_mask"]
        for _ in range(single_steps):
            legal = mask.nonzero()[0]
            _, _, over, _, info = env.step(legal[int(draws.random() * len(legal))])
            mask = env.reset()[1]["action_mask"] if over else info["action_mask"]

    import random

    draws = random.Random(0)
    run_single()
    rate = best_rate(single_steps, run_single, repeats)
    rows.append(Row("one Gymnasium environment, step with mask", rate, "steps/s", 4e4))

    aec = importlib.import_module(f"carnegie_env.{game.name}_v0").env(**game.bench_options)

    def run_aec() -> None:
        aec.reset()
        for _ in range(single_steps):
            observation, _, over, _, _ = aec.last()
            if over or observation is None:
                aec.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            aec.step(legal[int(draws.random() * len(legal))])

    aec.reset(seed=0)
    run_aec()
    rows.append(Row("PettingZoo AEC", best_rate(single_steps, run_aec, repeats), "steps/s", 2e4))
    return rows


def env_id(game: Game) -> str:
    """The Gymnasium environment that is measured: against the automatic opponent if there is one."""
    return f"{game.namespace}/{'Versus' if game.opponent is None else 'Solo'}-v0"


def collecting_rows(game: Game, repeats: int, quick: bool) -> list[Row]:
    """Steps of a trainer: this package's VecEnv compared with one Python environment for each game."""
    if not importlib.util.find_spec("stable_baselines3"):
        print("collecting through a VecEnv: skipped, stable-baselines3 is not installed", file=sys.stderr)
        return []
    import gymnasium
    from stable_baselines3.common.vec_env import DummyVecEnv

    from carnegie_env.envs.sb3 import GameVecEnv

    n, reward = 256, "win" if game.opponent is None else "dense_margin"  # as in training/ppo.py
    single = [lambda: gymnasium.make(env_id(game), reward=reward) for _ in range(n)]
    ours, theirs = GameVecEnv(n, game=game, num_threads=1, reward=reward, seed=0), DummyVecEnv(single)
    theirs.seed(0)
    generator = np.random.default_rng(0)

    def collect(venv: Any, steps: int) -> float:
        start = time.perf_counter()
        for _ in range(steps):
            masks = np.stack(venv.env_method("action_masks"))
            venv.step(sample(masks, generator))
        return n * steps / (time.perf_counter() - start)

    rates: dict[Any, float] = {}
    for venv in (ours, theirs):
        venv.reset()
        collect(venv, 2)
    for _ in range(repeats):  # alternately, because the machine's speed drifts
        for venv, steps in ((ours, 20 if quick else 100), (theirs, 5 if quick else 20)):
            rates[venv] = max(rates.get(venv, 0.0), collect(venv, steps))
    what = f"DummyVecEnv of {n}: {rates[theirs]:,.0f} steps/s; GameVecEnv, 1 core, is"
    return [Row(what, rates[ours] / rates[theirs], "x", 3)]


def search_rows(game: Game, repeats: int, quick: bool) -> list[Row]:
    """Play-outs from one position, on all cores."""
    n = 5000 if quick else 20000
    position, batch = game.position_class.new(game.bench_options, seed=0), game.batch_class
    batch.playouts(position, n)
    rate = best_rate(n, lambda: batch.playouts(position, n), repeats)
    return [Row(f"Batch.playouts from the opening, {mode(game.bench_options)}, all cores", rate, "play-outs/s", 5000)]


def size_rows(game: Game, quick: bool) -> list[Row]:
    """Size of a record; a million games."""
    rows = [Row("size of one game", game.record.itemsize, "bytes", 1024, at_most=True)]
    n = 10_000 if quick else 1_000_000
    batch = game.batch_class(n, **game.bench_options)
    batch.reset(0)
    firsts = batch.action_masks().argmax(axis=1)
    start = time.perf_counter()
    batch.step(firsts)
    what = f"one step of {n:,} games ({batch.games.nbytes / 2**30:.2f} GiB)"
    rows.append(Row(what, time.perf_counter() - start, "s"))
    return rows


def growth_rows(game: Game, repeats: int, quick: bool) -> list[Row]:
    """Speed by the number of games."""
    rates = {}
    for n in (256, 4096, 65536):
        steps = max(65536 * (1 if quick else 8) // n, 20)
        rates[n] = kernel_rate(game, n, steps, 1, repeats, **game.bench_options)
    rows = [Row(f"{n:,} games", rate / MILLION, "M decisions/s") for n, rate in rates.items()]
    rows.append(Row("slowest of these against the fastest", min(rates.values()) / max(rates.values()), "x", 0.85))
    return rows


@jit
def play_to_round(games: Records, seeds: NDArray[np.uint64], last: int) -> int:
    """Random play until round ``last`` is over; returns the number of decisions."""
    decisions = 0
    for i in range(games.shape[0]):
        game = games[i]
        source = rng.mix(seeds[i])
        while game.phase != state.OVER and game.round_number <= last:
            source = rng.advance(source)
            kernels.advance(game, masks.pick(game.legal, rng.below(rng.mix(source), masks.count(game.legal))))
            decisions += 1
    return decisions


def by_part(num_games: int, repeats: int) -> dict[str, tuple[float, float]]:
    """Decisions in all games (mean of the repeats) and ns per decision (best repeat), by part of the game."""
    decisions, best = np.zeros(len(PARTS)), np.full(len(PARTS), np.inf)
    batch = Batch(num_games, num_threads=1, num_players=2)
    for repeat in range(repeats + 1):  # the first one compiles
        batch.reset(repeat * num_games)
        seeds = np.arange(num_games, dtype=np.uint64) + np.uint64(repeat * num_games)
        for k, (_, last) in enumerate(PARTS):
            start = time.perf_counter()
            number = play_to_round(batch._games, seeds + np.uint64(k << 32), last)
            ns = (time.perf_counter() - start) / number * 1e9
            if repeat > 0:
                decisions[k] += number / repeats
                best[k] = min(best[k], ns)
    return {name: (float(decisions[k]), float(best[k])) for k, (name, _) in enumerate(PARTS)}


def round_rows(repeats: int) -> list[Row]:
    """Time over the course of a game for 2 players: per decision and per round."""
    parts = by_part(500, PASSES * repeats)
    rows = [Row(f"random play in the kernel, {name}", ns, "ns/decision") for name, (_, ns) in parts.items()]
    rounds = list(parts.values())[1:]
    mean = sum(n * ns for n, ns in rounds) / sum(n for n, _ in rounds)
    slowest = max(ns for _, ns in rounds) / mean
    rows.append(Row("slowest 5 rounds against the mean of all 20", slowest, "x", 1.15, at_most=True))
    (early, early_ns), (late, late_ns) = rounds[0], rounds[-1]
    rows.append(Row("decisions in one of the last 5 rounds against the first 5", late / early, "x"))
    rows.append(Row("time for one of the last 5 rounds against the first 5", late * late_ns / (early * early_ns), "x"))
    return rows


FIRST_BOARD = "import sys; from carnegie_env.cli import main; sys.argv[1:] = ['new']; main()"
FIRST_STEP = """
import gymnasium, carnegie_env
env = gymnasium.make("Carnegie/Solo-v0")
env.step(int(env.reset(seed=0)[1]["action_mask"].argmax()))
"""
EVERYTHING = """
import numpy
from carnegie_env import Batch
b = Batch(2, autoreset=True)
b.reset(0); b.action_masks(); b.observe(); b.scores(); b.load(b.games)
b.step(b.sample_actions(numpy.random.default_rng(0)))
Batch.playouts(b.games[:1], 2)
"""


def spent(program: str, **environment: str) -> tuple[float, float]:
    """Run a program in a new process: seconds by the clock, and of CPU time."""
    before, start = os.times(), time.perf_counter()
    settings = {**os.environ, "CARNEGIE_ENV_QUIET": "1", **environment}
    subprocess.run([sys.executable, "-c", program], check=True, env=settings, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def start_rows(compiles: bool) -> list[Row]:
    """Import, first step, first board and compilation with an empty cache, in new processes."""
    empty = spent("pass")[0]
    spent(FIRST_STEP)
    rows = [
        Row("import carnegie_env", spent("import carnegie_env")[0] - empty, "s", 0.5, at_most=True),
        Row("import and first step of gymnasium.make, warm cache", spent(FIRST_STEP)[0] - empty, "s", 2, at_most=True),
        Row("`carnegie-env new`, which compiles nothing", spent(FIRST_BOARD)[0], "s", 3, at_most=True),
    ]
    programs = {"the first step of gymnasium.make": FIRST_STEP, "everything compiled": EVERYTHING}
    for what, program in programs.items() if compiles else ():
        with tempfile.TemporaryDirectory() as cache:
            wall, cpu = spent(program, CARNEGIE_ENV_CACHE=cache)
        rows.append(Row(f"from an empty cache to {what}, CPU time", cpu, "s"))
        rows.append(Row(f"from an empty cache to {what}, by the clock", wall, "s"))
    return rows


def print_table(rows: list[Row]) -> None:
    width = max((len(row.what) for row in rows), default=0)
    for row in rows:
        target = "" if row.target is None else f"{'<=' if row.at_most else '>='} {row.target:,g}"
        value = f"{row.value:,.0f}" if row.value >= 1000 else f"{row.value:,.3g}"
        print(f"{row.what:<{width}}  {value:>10} {row.unit:<14} {target:<12} {row.verdict}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput", description=__doc__.splitlines()[0])
    names = ", ".join(collection.names())
    parser.add_argument("--game", default=collection.DEFAULT, help=f"the game: {names} (default: {collection.DEFAULT})")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, smaller sizes, no compilation")
    given = parser.parse_args(arguments)
    try:
        game = collection.find(given.game)
    except ValueError as error:
        parser.error(str(error))
    quick = given.quick
    repeats = 3 if quick else 7
    rows = kernel_rows(game, repeats, quick) + length_rows(game) + [batch_row(game, repeats, quick)]
    rows += gymnasium_rows(game, repeats, quick) + collecting_rows(game, repeats, quick)
    rows += search_rows(game, repeats, quick) + size_rows(game, quick) + growth_rows(game, repeats, quick)
    if game.name == collection.DEFAULT:  # measurements of the whole package, with one game
        rows += round_rows(repeats) + start_rows(compiles=not quick)
    print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
