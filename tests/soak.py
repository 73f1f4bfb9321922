"""Fifty million decisions with the checks compiled into every step: `make soak`.

With CARNEGIE_CHECK=1 `carnegie_env.carnegie.checks.verify` looks at every position; a fault stops the run with the
game that has it. Several playing styles (tests/players.py), because a player that draws evenly hardly builds a company;
half of the games start from rich companies, half have modules of expansion 1. Between steps, scores, observations and
hidden cards are asked for, too.

    CARNEGIE_CHECK=1 python -m tests.soak [--decisions 50000000] [--seed 1] [--jobs 2]
    NUMBA_BOUNDSCHECK=1 CARNEGIE_CHECK=1 python -m tests.soak --decisions 2000000

The second compiles a check of every array index in as well; run it after a change of the rules.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np

from carnegie_env import Batch
from carnegie_env.carnegie import checks, codec, state
from carnegie_env.core import kernels, masks, rng
from carnegie_env.core.jit import jit
from tests import longrun, players, verify
from tests.players import redraw_hidden

GAMES = 512
STEPS = 512
RICH_STARTS = 8  # of a job; each is played on many times
TASTES = 16  # of a job, for the style that has them
Job = tuple[int, int]  # seed, number


def options_of(number: int) -> tuple[dict, str, bool]:
    """Jobs go through modes, styles and starts, half of them with modules, in turn: options, style, rich."""
    number, mode = divmod(number, len(players.MODES))
    number, style = divmod(number, len(players.STYLES))
    forced, rows = number % 5 == 4, number // 2 % 2
    mode_on = players.MODES[mode]
    if (mode + style + number // 2) % 2:
        mode_on = verify.with_modules(mode_on, mode + style + len(players.STYLES) * number)
    options = mode_on | {"timeline_tiles": ["columns", "rows"][rows], "show_forced": forced}
    return options, players.STYLES[style], number % 2 == 1


@jit
def draw(games, weight, source, out):
    """What players.choose does, compiled: legal actions by weight (float64 (n, actions)) into `out` (int64 (n,))."""
    for i in range(games.shape[0]):
        total = 0.0
        for k in range(masks.count(games[i].legal)):
            total += weight[i, masks.pick(games[i].legal, k)]
        drawn = total * (np.float64(rng.next_u64(source[0]) >> np.uint64(11)) / 2.0**53)
        out[i] = -1
        for k in range(masks.count(games[i].legal)):
            out[i] = masks.pick(games[i].legal, k)
            drawn -= weight[i, out[i]]
            if drawn < 0:
                break


def work(job: Job) -> longrun.Result:
    """Play a batch for a while, games that end start anew."""
    seed, number = job
    options, style, rich = options_of(number)
    chance = np.random.default_rng([seed, number])
    batch = Batch(GAMES, num_threads=1, **options)
    batch.reset(int(chance.integers(2**62)))
    if rich:
        starts = [players.rich_start(options, int(s)).games for s in chance.integers(2**31, size=RICH_STARTS)]
        pool = np.concatenate(starts)
        batch._games[:] = pool[np.arange(GAMES) % RICH_STARTS]
    weight = np.array([players.weights(style, int(s)) for s in chance.integers(2**31, size=TASTES)])
    weight = np.repeat(weight, GAMES // TASTES, axis=0)
    result = longrun.Result(0, Counter())
    source, chosen, before = np.zeros(1, state.GAME), np.zeros(GAMES, np.int64), batch.games.copy()
    source["rng"] = chance.integers(2**62)
    ended = f"games ended, {verify.group_of(options)}"
    try:
        for step in range(STEPS):
            np.copyto(before, batch.games)
            draw(batch._games, weight, source, chosen)
            batch.step(chosen)
            result.done += GAMES
            if step % 32 == 0:
                look_around(batch, seed + step)
            over = batch.done
            if over.any():
                result.outcomes[ended] += int(over.sum())
                batch.reset(mask=over)
                if rich:
                    batch._games[over] = pool[chance.integers(RICH_STARTS, size=int(over.sum()))]
    except Exception as error:
        what = f"{options}, {style}, rich {rich}: {type(error).__name__}: {error}"
        result.wrong.append(f"job {job}, {what}\n{broken(batch, before)}")
    return result


def look_around(batch: Batch, seed: int) -> None:
    """What players and programs ask between steps, on a copy."""
    other = batch.copy()
    other.observe()
    other.breakdown()
    redraw_hidden(other._games, np.arange(GAMES, dtype=np.uint64) + np.uint64(seed))
    kernels.refresh(other._games)
    assert np.array_equal(other.games["legal"], batch.games["legal"])


def broken(batch: Batch, before: np.ndarray) -> str:
    """The first game with a fault, before and after the step."""
    for row, game in enumerate(batch.games):
        fault = checks.verify(game)
        if fault:
            found = [json.dumps(codec.to_dict(record)) for record in (before[row], game)]
            return f"game {row}: {checks.faults.FAULTS[fault]}\nbefore: {found[0]}\nafter: {found[1]}"
    return "no game has a fault by itself"


def jobs(seed: int) -> Iterator[Job]:
    for number in itertools.count():
        yield seed, number


def main() -> int:
    options = longrun.arguments(__doc__, decisions=50_000_000).parse_args()
    os.environ["CARNEGIE_CHECK"] = "1"  # the processes to come compile the checks in
    return longrun.run(work, jobs(options.seed), options.decisions, "checked decisions", options.jobs)


if __name__ == "__main__":
    sys.exit(main())
