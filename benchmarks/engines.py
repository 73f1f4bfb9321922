"""The speed of the library of compiled loops against Numba's code for this processor: `python -m benchmarks.engines`.

One process calls each loop alternately from the library and as Numba compiles it, with the same arguments, and measures
CPU time. A ratio above 1 means that the library is faster.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from carnegie_env import collection, make_agent
from carnegie_env.agents import evaluation, search
from carnegie_env.agents.greedy import loops as greedy
from carnegie_env.core import kernels, library
from carnegie_env.core.game import Game

GAMES, STEPS = 1024, 50
SWITCHED = {kernels: ("run", "_play", "byte_masks", "observe", "check", "score", "start"), evaluation: ("choose",),
            search: ("play_futures",), greedy: ("rate",)}  # fmt: skip
LOOPS = {(module, name): getattr(module, name) for module, names in SWITCHED.items() for name in names}


def use(numba: bool) -> None:
    """Let every caller use these loops of the library, or Numba's."""
    for (module, name), loop in LOOPS.items():
        setattr(module, name, loop.compiled if numba else loop)


def cases(game: Game) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is measured, by name."""
    batch = game.batch_class(GAMES, num_threads=1, autoreset=True, **game.bench_options)
    batch.reset(0)
    generator = np.random.default_rng(0)
    for _ in range(20):
        batch.step(batch.sample_actions(generator))
    seeds, actions = np.arange(GAMES, dtype=np.uint64), batch.sample_actions(generator)
    masks, observations, few = batch.action_masks(), batch.observe(), batch.select(range(8))
    yield "random play in the kernel", lambda: kernels.run(batch._games.copy(), batch._template, seeds, STEPS)
    yield "play-outs", lambda: kernels.play_out(batch._games.copy(), seeds)
    yield "Batch.step, masks, observations", lambda: step(batch.copy(), actions, masks, observations)
    yield "reset", lambda: batch.copy().reset(1)
    yield "scores", batch.scores
    for name in ("greedy", "value", "search:evals=400"):
        yield f"the agent {name}", partial(make_agent(name).choose, few)


def step(batch: Any, *given: np.ndarray) -> None:
    """One step of a trainer."""
    actions, masks, observations = given
    batch.step(actions)
    batch.action_masks(masks)
    batch.observe(observations)


def spent(run: Callable[[], Any], numba: bool) -> float:
    use(numba)
    begun = time.process_time()
    run()
    return time.process_time() - begun


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.engines", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--rounds", type=int, default=25, help="measurements of each (default: %(default)s)")
    given = parser.parse_args()
    if library.module is None:
        print(f"the library does not serve: {library.reason}", file=sys.stderr)
        return 1
    for name in collection.names():
        for what, run in cases(collection.find(name)):
            spent(run, False), spent(run, True)  # Numba compiles
            pairs = [[spent(run, numba) for numba in (False, True)[:: 1 - k % 2 * 2]][:: 1 - k % 2 * 2]
                     for k in range(given.rounds)]  # fmt: skip
            ratio = statistics.median(numba / ours for ours, numba in pairs)
            print(f"{name:14}{what:34}{ratio:6.2f} x", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
