"""`carnegie-env about`, `simulate` and `bench`: how the rules run, statistics of random games, speed, the signature."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import options_of, progress
from carnegie_env.core.validation import whole_number
from carnegie_env.render.text import number_of

AT_ONCE = 10_000  # games in memory
BENCH_GAMES = 20_000
BENCH_ROUNDS = 3


def simulate(given: argparse.Namespace) -> None:
    """Play random games and print their statistics; after Ctrl-C those of the games so far."""
    import numpy as np

    from carnegie_env.core import rewards

    whole_number("--games", given.games, 1)
    whole_number("a seed", given.seed, 0)
    game = collection.find(given.game)
    generator = np.random.default_rng(given.seed)
    warm = game.batch_class(1, **options_of(given))  # compiles outside the measured time
    warm.step(warm.sample_actions(np.random.default_rng(0)))
    taken, done, begun = 0, 0, time.perf_counter()
    found: dict[str, list[Any]] = {"decisions": [], "scores": [], "wins": []}
    tables: list[tuple[str, list[tuple[str, str]]]] = []
    with progress("games") as watch:
        try:
            for first in range(0, given.games, AT_ONCE):
                batch = game.batch_class(min(AT_ONCE, given.games - first), **options_of(given))
                batch.reset(seed=given.seed + first)
                played = np.zeros(batch.num_actions, np.int64)
                while not batch.done.all():
                    chosen = batch.sample_actions(generator)
                    played += np.bincount(chosen[chosen >= 0], minlength=batch.num_actions)
                    batch.step(chosen)
                found["decisions"].append(batch.games["decisions"].copy())  # not a view of the games
                found["scores"].append(batch.scores())
                found["wins"].append(rewards.win_shares(batch.results()))
                taken, done = taken + int(played.sum()), done + len(batch)
                tables = tables or game.presentation.statistics(batch, played)
                watch(done, given.games)
        except KeyboardInterrupt:
            if not done:
                raise
    seconds = time.perf_counter() - begun

    if done < given.games:
        print(f"Interrupted after {done} of {given.games} games.", file=sys.stderr)
    games = number_of(done, "random games")
    print(f"{games}, {_mode(warm.options)}, seed {given.seed}: {taken} decisions in {seconds:.1f} s")
    decisions, scores, wins = (np.concatenate(parts) for parts in found.values())
    print(f"decisions per game: mean {decisions.mean():.1f}, {decisions.min()} to {decisions.max()}\n")
    print(f"{'score':12} {'mean':>7} {'sd':>6} {'min':>5} {'max':>5} {'wins':>7}")
    for name, score, won in zip(game.side_names(warm.options), scores.T, wins.mean(axis=0), strict=True):
        print(f"{name:12} {score.mean():7.1f} {score.std():6.1f} {score.min():5} {score.max():5} {f'{won:.1%}':>7}")
    for title, pairs in tables:
        print(f"\n{title}" + (f", of the first {AT_ONCE}" if done > AT_ONCE else ""))
        _print_table(pairs)


def _mode(options: Any) -> str:
    """The number of players, and the options with other values than the defaults."""
    players = "solo" if options.num_players == 1 else f"{options.num_players} players"
    default = {field.name: field.default for field in dataclasses.fields(options)}
    chosen = {name: value for name, value in options.to_dict().items() if name != "num_players"}
    others = [name if value is True else str(value) for name, value in chosen.items() if value != default[name]]
    return ", ".join([players, *others])


def _print_table(pairs: list[tuple[str, str]]) -> None:
    """Print pairs of a name and a number in three columns, column by column."""
    height = -(-len(pairs) // 3)
    width = max((len(name) for name, _ in pairs), default=0)
    for k in range(height):
        print("".join(f"  {name:{width}} {number:>6}  " for name, number in pairs[k::height]).rstrip())


def about(given: argparse.Namespace) -> None:
    """Print versions, and whether the library, Numba or plain Python runs the rules, and why."""
    from carnegie_env.core import jit, library
    from carnegie_env.core.versions import versions

    print(", ".join(f"{name} {version}" for name, version in versions().items()))
    if not jit.COMPILED:
        print("The rules run as plain Python, because NUMBA_DISABLE_JIT is set.")
    elif library.module is not None:
        print(f"The rules run from the library of compiled loops ({library.processor()}); nothing is compiled.")
    else:
        print(f"Numba compiles the rules; the library of compiled loops is not used: {library.reason}.")


def bench(given: argparse.Namespace) -> None:
    """Print decisions per second and the engine's signature."""
    from carnegie_env.core import kernels
    from carnegie_env.core.signature import dealt, signature

    game = collection.find(given.game)
    kernels.play_out(*dealt(game, game.bench_options, 1))  # compiles outside the measured time
    best = 0.0
    for _ in range(BENCH_ROUNDS):
        games, seeds = dealt(game, game.bench_options, BENCH_GAMES)
        begun = time.perf_counter()
        decisions = kernels.play_out(games, seeds)
        best = max(best, decisions / (time.perf_counter() - begun))
    print(f"{best:.0f} decisions/s")
    print(f"signature {signature(game)}")
