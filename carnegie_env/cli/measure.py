"""`carnegie-env about`, `simulate` and `bench`: how the rules run, statistics of random games, speed, the signature."""

from __future__ import annotations

import argparse
import dataclasses
import time
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import options_of
from carnegie_env.core.validation import whole_number

BENCH_GAMES = 20_000
BENCH_ROUNDS = 3


def simulate(given: argparse.Namespace) -> None:
    """Play random games and print their statistics."""
    import numpy as np

    from carnegie_env.core import rewards

    whole_number("--games", given.games, 1)
    game = collection.find(given.game)
    batch = game.batch_class(given.games, **options_of(given))
    batch.reset(seed=given.seed)
    generator = np.random.default_rng(given.seed)
    played = np.zeros(batch.num_actions, np.int64)
    warm = game.batch_class(1, **options_of(given))  # compiles outside the measured time
    warm.step(warm.sample_actions(np.random.default_rng(0)))
    begun = time.perf_counter()
    while not batch.done.all():
        chosen = batch.sample_actions(generator)
        played += np.bincount(chosen[chosen >= 0], minlength=batch.num_actions)
        batch.step(chosen)
    seconds = time.perf_counter() - begun

    mode = _mode(batch.options)
    print(f"{given.games} random games, {mode}, seed {given.seed}: {played.sum()} decisions in {seconds:.1f} s")
    lengths = batch.games["decisions"]
    print(f"decisions per game: mean {lengths.mean():.1f}, {lengths.min()} to {lengths.max()}\n")
    scores, shares = batch.scores(), rewards.win_shares(batch.results())
    print(f"{'score':12} {'mean':>7} {'sd':>6} {'min':>5} {'max':>5} {'wins':>7}")
    for k, name in enumerate(game.side_names(batch.options)):
        column, wins = scores[:, k], f"{shares[:, k].mean():.1%}"
        print(f"{name:12} {column.mean():7.1f} {column.std():6.1f} {column.min():5} {column.max():5} {wins:>7}")
    for title, pairs in game.presentation.statistics(batch, played):
        print(f"\n{title}")
        _print_table(pairs)


def _mode(options: Any) -> str:
    """The number of players, and the options with other values than the defaults."""
    players = "solo" if options.num_players == 1 else f"{options.num_players} players"
    default = {field.name: field.default for field in dataclasses.fields(options)}
    chosen = {name: value for name, value in options.to_dict().items() if name != "num_players"}
    others = [name if value is True else str(value) for name, value in chosen.items() if value != default[name]]
    return ", ".join([players, *others])


def _print_table(pairs: list[tuple[str, str]], columns: int = 3) -> None:
    """Print pairs of a name and a number, column by column."""
    height = -(-len(pairs) // columns)
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
