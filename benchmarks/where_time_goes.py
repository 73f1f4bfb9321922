"""Where the time of a decision goes: `python -m benchmarks.where_time_goes`; random play, 2 players, one core.

A decision is timed from the drawing of its action to the next decision's legal set; what the engine does between the
two (forced decisions, incomes, the next round) counts to the decision before. The parts of the game are timed as they
are played; kinds of decisions and their steps on many positions in random order, where they cost somewhat more. Every
figure is the best of several short timings; a machine with other work to do still blurs them.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from carnegie_env import Batch
from carnegie_env.carnegie import actions, engine, state
from carnegie_env.carnegie import tables as t
from carnegie_env.core import kernels, masks, rng
from carnegie_env.core.arrays import Records
from carnegie_env.core.jit import jit
from carnegie_env.core.records import as_bytes

PLAYERS = 2
PARTS = (("set-up", 0), ("rounds 1-5", 5), ("rounds 6-10", 10), ("rounds 11-15", 15), ("rounds 16-20", t.ROUNDS))
BLOCK = 256  # records timed at once: with what is written for them they fit into a core's cache
PASSES = 30  # of whole games, milliseconds each, where other parts are timed once
CACHE_LINE = 64  # bytes

Line = tuple[str, float | None, float | None, float | None, str]  # what, of the decisions, figure, of the time, unit


# ---------------------------------------------------------------- the steps of a decision, apart
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


@jit
def pick(games: Records, out: NDArray[np.int64]) -> None:
    """Draw an action in each game."""
    for i in range(games.shape[0]):
        out[i] = masks.pick(games[i].legal, rng.draw(games[i], masks.count(games[i].legal)))


@jit
def apply(games: Records, chosen: NDArray[np.int64]) -> None:
    """Do what the action says, nothing after it."""
    for i in range(games.shape[0]):
        engine.apply(games[i], chosen[i])


@jit
def settle(games: Records) -> None:
    """Go on to the next decision."""
    for i in range(games.shape[0]):
        kernels.settle(games[i])


@jit
def legal(games: Records) -> None:
    """Make the legal set of the decision at hand."""
    for i in range(games.shape[0]):
        engine.legal(games[i])


# ---------------------------------------------------------------- measuring
def by_part(num_games: int, repeats: int) -> dict[str, tuple[float, float]]:
    """Decisions of all games (the mean of the repeats) and ns per decision (the best) in each part of the game."""
    decisions, best = np.zeros(len(PARTS)), np.full(len(PARTS), np.inf)
    batch = Batch(num_games, num_threads=1, num_players=PLAYERS)
    for repeat in range(repeats + 1):  # the first is to compile
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


def positions(num_games: int) -> np.ndarray:
    """Every decision of so many random games, in random order."""
    batch = Batch(num_games, num_threads=1, num_players=PLAYERS)
    batch.reset(0)
    generator = np.random.default_rng(0)
    found = []
    while not batch.done.all():
        found.append(as_bytes(batch.games)[~batch.done])
        batch.step(batch.sample_actions(generator))
    return np.ascontiguousarray(generator.permutation(np.concatenate(found))).view(state.GAME)


def nanoseconds(
    run: Callable[..., object],
    games: np.ndarray,
    *rest: np.ndarray,
    before: Callable[..., object] | None = None,
    repeats: int = 5,
) -> float:
    """ns per game of a kernel on copies of the games; ``before`` is run on a copy first, untimed.

    It is timed block by block, each at its best, less what a call costs without a game.
    """
    run(games[:1].copy(), *(array[:1] for array in rest))
    firsts = range(0, len(games), BLOCK)
    best, call = np.full(len(firsts), np.inf), np.inf
    for _ in range(repeats):
        for k, first in enumerate(firsts):
            cut = slice(first, first + BLOCK)
            block = as_bytes(games[cut]).copy().view(state.GAME)
            parts = [array[cut] for array in rest]
            if before is not None:
                before(block, *parts)
            none = block[:0], *(part[:0] for part in parts)
            start = time.perf_counter()
            run(*none)
            middle = time.perf_counter()
            run(block, *parts)
            best[k] = min(best[k], time.perf_counter() - middle)
            call = min(call, middle - start)
    return float(best.sum() - len(best) * call) / len(games) * 1e9


def instructions(decisions: int) -> float | str:
    """Processor instructions per decision by `perf`, or why there are none."""
    if shutil.which("perf") is None:
        return "perf is not installed"
    play(100)  # compiled now, not while counting
    counts = []
    for factor in (1, 2):  # the difference has no start-up in it
        code = f"from benchmarks import where_time_goes as w; w.play({factor * decisions})"
        command = ["perf", "stat", "-x", ",", "-e", "instructions:u", sys.executable, "-c", code]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stderr.strip().splitlines()
        count = said[-1].split(",")[0] if said else ""
        if not count.isdigit():
            return "perf can't count them on this machine"
        counts.append(int(count))
    return (counts[1] - counts[0]) / decisions


def play(decisions: int) -> None:
    """So many decisions of random self-play inside the kernel."""
    batch = Batch(100, num_threads=1, num_players=PLAYERS)
    batch.reset(0)
    kernels.run(batch._games, batch._template, np.arange(100, dtype=np.uint64), decisions // 100)


# ---------------------------------------------------------------- the table
def part_lines(num_games: int, repeats: int) -> list[Line]:
    """By part of the game."""
    parts = by_part(num_games, PASSES * repeats)
    decisions = sum(n for n, _ in parts.values())
    total = sum(n * ns for n, ns in parts.values())
    lines: list[Line] = [("a decision inside the kernel", 1, total / decisions, 1, "ns")]
    return lines + [(f"  {name}", n / decisions, ns, n * ns / total, "ns") for name, (n, ns) in parts.items()]


def phase_lines(games: np.ndarray, chosen: np.ndarray, picking: float, repeats: int) -> list[Line]:
    """By what is being decided, the dearest first. ``picking``: ns to draw an action."""
    numbers = np.bincount(games["phase"], minlength=state.OVER)
    often = np.flatnonzero(numbers >= BLOCK)  # too few are no measurement
    kinds = [(state.PHASES[phase], games["phase"] == phase) for phase in often]
    kinds.append(("the rarer ones", ~np.isin(games["phase"], often)))
    found = []
    for name, which in kinds:
        if which.any():
            ns = picking + nanoseconds(kernels.step, games[which], chosen[which], repeats=repeats)
            found.append((f"  {name}", which.mean(), ns))
    total = sum(share * ns for _, share, ns in found)
    found.sort(key=lambda line: -line[1] * line[2])
    lines: list[Line] = [("a decision, by what is being decided", 1, total, 1, "ns")]
    return lines + [(name, share, ns, share * ns / total, "ns") for name, share, ns in found]


def step_lines(games: np.ndarray, chosen: np.ndarray, picking: float, repeats: int) -> list[Line]:
    """A decision's own steps, and what is asked for beside it."""
    after = as_bytes(games).copy().view(state.GAME)
    kernels.step(after, chosen)
    applying = nanoseconds(apply, games, chosen, repeats=repeats)
    settling = nanoseconds(lambda block, _: settle(block), games, chosen, before=apply, repeats=repeats)
    sets = nanoseconds(legal, after, repeats=repeats)
    total = picking + applying + settling
    lines: list[Line] = [
        ("a decision, by its steps", 1, total, 1, "ns"),
        ("  draw an action from the legal set", None, picking, picking / total, "ns"),
        ("  apply it", None, applying, applying / total, "ns"),
        ("  the next legal set", None, sets, sets / total, "ns"),
        ("  between: forced decisions, incomes, next round", None, settling - sets, (settling - sets) / total, "ns"),
    ]
    layout = Batch(1, num_players=PLAYERS).observation_layout
    scores = (Batch.game.score_rows, len(Batch.game.score_columns))
    outputs = (
        (f"legal set to {actions.NUM_BASE_ACTIONS} bytes", kernels.byte_masks, (actions.NUM_BASE_ACTIONS,), np.int8),
        (f"observation of {layout.size} numbers", kernels.observe, (layout.size,), np.float32),
        ("scores as if the game ended now", kernels.score, scores, np.int64),
    )
    for name, kernel, shape, dtype in outputs:
        out = np.zeros((BLOCK, *shape), dtype)
        seats = games["to_play"].astype(np.int64)
        ns = nanoseconds(_writing(kernel, out), games, seats, repeats=repeats)
        lines.append((f"beside it: {name}", None, ns, ns / total, "ns"))
    return lines


def _writing(kernel: Callable[..., object], out: np.ndarray) -> Callable[..., object]:
    """A kernel that writes to an output, with the same arguments whether it takes seats or not."""
    if kernel is kernels.observe:
        return lambda block, seats: kernel(block, seats, out[: len(block)])
    return lambda block, _: kernel(block, out[: len(block)])


def byte_lines(games: np.ndarray, chosen: np.ndarray) -> list[Line]:
    """What a decision changes in the record. What it reads can't be seen from outside."""
    after = as_bytes(games).copy().view(state.GAME)
    kernels.step(after, chosen)
    old, new = (array.view(np.uint8).reshape(len(games), -1) for array in (games, after))
    changed = old != new
    assert state.GAME.fields is not None, "a record has fields"
    kind, first = state.GAME.fields["legal"][:2]
    of_legal = changed[:, first : first + kind.itemsize].sum(axis=1).mean()
    starts = np.arange(0, changed.shape[1], CACHE_LINE)
    lines_changed = np.logical_or.reduceat(changed, starts, axis=1).sum(axis=1).mean()
    return [
        (f"bytes of the record ({changed.shape[1]}) that change", None, changed.sum(axis=1).mean(), None, "bytes"),
        ("  in the legal set", None, of_legal, None, "bytes"),
        (f"  stretches of {CACHE_LINE} bytes ({len(starts)}) with a change", None, lines_changed, None, ""),
    ]


def print_table(lines: list[Line]) -> None:
    """One table of all lines."""
    width = max(len(line[0]) for line in lines)
    print(f"{'':<{width}}  {'decisions':>9}  {'figure':>8} {'':<5}  {'of time':>7}")
    for what, decisions, figure, of_time, unit in lines:
        shares = ["" if share is None else f"{share:.1%}" for share in (decisions, of_time)]
        print(f"{what:<{width}}  {shares[0]:>9}  {figure:>8.3g} {unit:<5}  {shares[1]:>7}".rstrip())


def main(arguments: list[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=500, help="whose decisions are timed (default: 500)")
    parser.add_argument("--repeats", type=int, default=7, help="timings of which the best counts (default: 7)")
    given = parser.parse_args(arguments)
    games = positions(given.games)
    chosen = np.zeros(len(games), np.int64)
    pick(as_bytes(games).copy().view(state.GAME), chosen)
    picking = nanoseconds(pick, games, np.zeros(len(games), np.int64), repeats=given.repeats)
    lines = part_lines(given.games, given.repeats)
    lines += phase_lines(games, chosen, picking, given.repeats)
    lines += step_lines(games, chosen, picking, given.repeats) + byte_lines(games, chosen)
    counted = instructions(1_000_000)
    if isinstance(counted, float):
        lines.append(("instructions of a decision inside the kernel", None, counted, None, ""))
    else:
        print(f"instructions per decision: skipped, {counted}", file=sys.stderr)
    print_table(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
