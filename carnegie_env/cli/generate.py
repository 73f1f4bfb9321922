"""`carnegie-env generate`: datasets of games between agents; `carnegie-env export-minari`: the same for Minari."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import add_players, agent_names, cluster, limits, options_of, progress, seated


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `generate`, but for the game's options and the seed."""
    add = parser.add_argument
    text = "the agents: names or NAME=AGENT; seats change from game to game, an agent named twice has two"
    add("--agents", nargs="+", metavar="AGENT", default=[], help=text)
    add("--games", type=int, metavar="N", help="how many; game i is dealt from seed + i")
    text = "the folder of the dataset; an existing one is continued, if it has the same settings"
    add("--out", metavar="DIR", required=True, help=text)
    text = "continue the dataset in --out: without --agents, with all its settings"
    add("--resume", action="store_true", help=text)
    text = "games of a file (default: 10000; 100 if an agent does not play many games at once)"
    add("--shard-games", type=int, metavar="K", help=text)
    add_players(add, "ends the program")
    text = "keep the agents' values of each legal action, and how often their search tried it"
    add("--values", action="store_true", help=text)


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `export-minari`."""
    add = parser.add_argument
    add("dataset", metavar="DIR", help="the folder of the dataset")
    add("--id", required=True, metavar="NAME", help="of the Minari dataset, as in carnegie/value-v0")
    add("--games", type=int, metavar="N", help="the first N games (default: all)")
    add("--reward", default="win", metavar="NAME", help="of the environment (default: win)")
    add("--author", metavar="NAME", help="of the Minari dataset")


def generate(given: argparse.Namespace) -> None:
    """Make a dataset, or continue one."""
    made = _with_pyarrow("carnegie_env.workers.generate")
    manifest = _with_pyarrow("carnegie_env.datasets.manifest")
    if given.processes is not None and given.processes < 1:
        raise ValueError(f"--processes must be 1 or more, not {given.processes}")
    if Path(given.out).is_file():
        raise ValueError(f"--out must be a folder; {given.out} is a file")
    if given.resume and not (Path(given.out) / manifest.MANIFEST).exists():
        raise ValueError(f"--resume continues the dataset that --out names; in {given.out} there is none")
    if given.resume and not given.agents:
        if options_of(given) or given.seed != 0 or given.shard_games or given.values or given.games:
            raise ValueError("--resume without --agents takes all settings from the dataset: leave the others out")
        plan = made.Plan.of(manifest.read(given.out), **limits(given))
    else:
        plan = _plan(given, made)
    with cluster(given, "games") as nodes, progress("games") as watch:
        done = made.generate(plan, given.out, processes=given.processes, cluster=nodes, watch=watch)
    size, decisions = (sum(getattr(shard, name) for shard in done.shards) for name in ("bytes", "decisions"))
    print(
        f"{given.out}: {done.games} games of {done.game}, {decisions} decisions, in {done.num_shards} shards of "
        f"{size} bytes, {size / done.games:.0f} a game"
    )


def _plan(given: argparse.Namespace, made: Any) -> Any:
    if not given.agents:
        raise ValueError("--agents names the players: one or more of " + agent_names())
    if given.games is None:
        raise ValueError("--games says how many games are wanted")
    game = collection.find(given.game)
    agents, options, tables = seated(given, given.agents, game)
    settings = given.games, given.seed, tables, given.shard_games, given.values
    return made.Plan(game, options, agents, *settings, **limits(given))


def export_minari(given: argparse.Namespace) -> None:
    """Write a dataset of Minari."""
    export = _with_pyarrow("carnegie_env.datasets.for_minari")
    with progress("games") as watch:
        wanted = {"games": given.games, "reward": given.reward, "author": given.author}
        number = export.export_minari(given.dataset, given.id, **wanted, watch=watch)
    print(f"{given.id}: {number} games")


def _with_pyarrow(module: str) -> Any:
    """A module that needs the extra `data`."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise ValueError("datasets need pyarrow: pip install 'carnegie_env[data]'") from None
