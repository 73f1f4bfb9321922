"""`carnegie-env generate`: datasets of games between agents; `carnegie-env export-minari`: convert them to Minari."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import (
    add_agents,
    add_players,
    cluster,
    interruptible,
    limits,
    options_of,
    progress,
    seated,
)
from carnegie_env.core.arguments import check_least
from carnegie_env.render.text import number_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `generate`, except the game's options and the seed."""
    add = parser.add_argument
    add_agents(add)
    add("--games", type=int, metavar="N", help="number of games; game i is dealt from seed + i")
    text = "folder of the dataset; an existing dataset with the same settings is continued"
    add("--out", metavar="DIR", required=True, help=text)
    text = "continue the dataset in --out; without --agents all settings are taken from it"
    add("--resume", action="store_true", help=text)
    text = "games in a file (default: 10000, or 100 if an agent plays games one by one)"
    add("--shard-games", type=int, metavar="K", help=text)
    add_players(add, "ends the program")
    text = "also store the agents' values of the legal actions, and their visits in the search"
    add("--values", action="store_true", help=text)


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `export-minari`."""
    add = parser.add_argument
    add("dataset", metavar="DIR", help="folder of the dataset")
    add("--id", required=True, metavar="NAME", help="id of the Minari dataset, such as carnegie/value-v0")
    add("--games", type=int, metavar="N", help="export only the first N games")
    add("--reward", default="win", metavar="NAME", help="reward of the environment (default: %(default)s)")
    add("--author", metavar="NAME", help="author of the Minari dataset")


def generate(given: argparse.Namespace) -> None:
    """Generate a dataset, or continue one."""
    made = _with_pyarrow("carnegie_env.workers.generate")
    manifest = _with_pyarrow("carnegie_env.datasets.manifest")
    check_least(given, processes=1)
    if Path(given.out).is_file():
        raise ValueError(f"--out must be a folder; {given.out} is a file")
    if given.resume and not manifest.path_of(given.out).exists():
        raise ValueError(f"--resume continues the dataset in --out, but there is none in {given.out}")
    if given.resume and not given.agents:
        if options_of(given) or given.seed != 0 or given.shard_games or given.values or given.games:
            raise ValueError(
                "--resume without --agents takes all settings from the dataset; leave the other options out"
            )
        found = manifest.read(given.out)
        if programs := [player.agent for player in found.agents if _is_program(player.agent)]:
            raise ValueError(
                f"--resume without --agents does not run a program that the dataset names, such as {programs[0]!r}, "
                "because the dataset may be another person's; give --agents and the other options of its first command"
            )
        plan = made.Plan.of(found, **limits(given))
    else:
        plan = _plan(given, made)
    kept = f"Complete files of games, if there are any, are kept in {given.out}; the same command continues."
    with interruptible(kept), cluster(given, "games") as nodes, progress("games") as watch:
        done = made.generate(plan, given.out, processes=given.processes, cluster=nodes, watch=watch)
    size, decisions = (sum(getattr(shard, name) for shard in done.shards) for name in ("bytes", "decisions"))
    print(
        f"{given.out}: {number_of(done.games, 'games')} of {done.game}, {number_of(decisions, 'decisions')}, "
        f"in {number_of(done.num_shards, 'shards')}; {size} bytes, {size / done.games:.0f} per game"
    )


def _is_program(agent: str) -> bool:
    """Whether an agent is a program outside of a sandbox (SECURITY.md)."""
    from carnegie_env.agents.arguments import Arguments
    from carnegie_env.agents.registry import AGENTS

    kind, _, arguments = agent.partition(":")
    return kind not in AGENTS or (kind == "bot" and Arguments(kind, arguments).text("trusted") is not None)


def _plan(given: argparse.Namespace, made: Any) -> Any:
    if given.agents and given.games is None:
        raise ValueError("--games N is missing")
    game = collection.find(given.game)
    agents, options, tables = seated(given, given.agents, game)
    settings = given.games, given.seed, tables, given.shard_games, given.values
    return made.Plan(game, options, agents, *settings, **limits(given))


def export_minari(given: argparse.Namespace) -> None:
    """Convert a dataset to a Minari dataset."""
    export = _with_pyarrow("carnegie_env.datasets.for_minari")
    with progress("games") as watch:
        wanted = {"games": given.games, "reward": given.reward, "author": given.author}
        number = export.export_minari(given.dataset, given.id, **wanted, watch=watch)
    print(f"{given.id}: {number_of(number, 'games')}")


def _with_pyarrow(module: str) -> Any:
    """Import a module that needs the extra `data`."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise ValueError("datasets need pyarrow: pip install 'carnegie_env[data]'") from None
