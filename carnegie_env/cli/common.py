"""Parts that the commands share: game options, records, agents, limits, progress."""

from __future__ import annotations

import argparse
import contextlib
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from carnegie_env import collection
from carnegie_env.core.arguments import given_options

if TYPE_CHECKING:
    from carnegie_env.agents.base import Agent
    from carnegie_env.core.game import Game


def options_of(given: argparse.Namespace) -> dict[str, Any]:
    """The game options that were given; a solo-only option, such as a difficulty, means a table of one."""
    kind = collection.options(given.game)
    options = given_options(given, kind)
    if any(name in options for name in kind.SOLO_ONLY):
        options.setdefault("num_players", 1)
    return options


def record_in(file: str) -> Any:
    """A record of any game."""
    from carnegie_env.core.record import name_of_game

    name = name_of_game(file)
    try:
        game = collection.find(name or collection.DEFAULT)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    return game.record_class.load(file)


def width() -> int:
    """Columns of a board: the terminal's, from 80 to 120."""
    return min(max(shutil.get_terminal_size((120, 40)).columns, 80), 120)


def make_agent(name: str, seed: int) -> Agent:
    """An agent by its name; a ValueError if it does not exist, or its packages are missing."""
    from carnegie_env.agents.registry import make_agent

    try:
        return make_agent(name, seed)
    except ModuleNotFoundError as error:
        raise ValueError(f"{name}: {error}") from None


def agent_names() -> str:
    """The names of the agents; imported here because they import the rules."""
    from carnegie_env.agents import registry

    return registry.names()


# ---------------------------------------------------------------- agents that play each other
def labelled(name: str) -> tuple[str, str]:
    """The label and the registry's name of an agent, from `NAME=AGENT`, or its own name."""
    found = re.fullmatch(r"([\w.-]+)=(.+)", name)
    return (found[1], found[2]) if found else (name, name)


def seated(
    given: argparse.Namespace, named: Sequence[str], game: Game
) -> tuple[tuple[tuple[str, str], ...], dict[str, Any], tuple[tuple[int, ...], ...] | None]:
    """The participants and their tables.

    Args:
        given: the arguments, the game's options among them.
        named: agents as :func:`labelled` takes them; one that is named twice sits on two seats.
        game: which.

    Returns:
        The agents, each once: labels and names; the options of the game; the tables, if an agent was named twice.

    Raises:
        ValueError: an agent was named twice and there are not as many names as seats; a wrong option.
    """
    chairs = [labelled(name) for name in named]
    agents = tuple(dict.fromkeys(chairs))
    options = options_of(given)
    options.setdefault("num_players", min(len(chairs), game.seats[1]))
    players = game.options.from_dict(options).num_players
    tables = None
    if len(agents) < len(chairs):
        if len(chairs) != players:
            raise ValueError(
                f"agents that are named twice sit on two seats: {players} players need as many names, not {len(chairs)}"
            )
        tables = (tuple(agents.index(chair) for chair in chairs),)
    return agents, options, tables


def limits(given: argparse.Namespace) -> dict[str, float]:
    """The time limits that were given."""
    return {name: value for name in ("time_limit", "first_limit") if (value := getattr(given, name)) is not None}


def add_players(add: Callable[..., object], late: str) -> None:
    """The arguments of processes in which agents play; ``late``: the consequence of exceeding the time limit."""
    text = "agents that play at a time, on each node (default: one per core)"
    add("--processes", type=int, metavar="N", help=text)
    add_ray(add)
    text = f"for a decision; a slower agent {late} (default: 60)"
    add("--time-limit", type=float, metavar="SECONDS", help=text)
    text = "for making an agent, and for its first decision in a process (default: 300)"
    add("--first-limit", type=float, metavar="SECONDS", help=text)


def add_ray(add: Callable[..., object]) -> None:
    """The argument `--ray` of a parser, or of a group of one; its value is "" without an address."""
    text = "on a Ray cluster: HOST:PORT of its head, auto (this machine is a node), ray://HOST:PORT (docs/cluster.md); "
    add("--ray", nargs="?", const="", metavar="ADDRESS", help=text + "without ADDRESS a Ray on this machine")


@contextlib.contextmanager
def cluster(given: argparse.Namespace, unit: str) -> Iterator[Any]:
    """The cluster that `--ray` asks for, or None; prints the work of each node at the end. A ValueError if it can't be
    joined, or work can't continue."""
    if given.ray is None:
        yield None
        return
    from carnegie_env.workers.cluster import Lost, connect

    with connect(given.ray or None, None if given.ray else given.processes, unit) as joined:
        try:
            yield joined
        except Lost as error:
            raise ValueError(str(error)) from error
        finally:
            if said := joined.text():
                print(said, file=sys.stderr, flush=True)


@contextlib.contextmanager
def progress(unit: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, if `rich` is installed, else nothing: a function of the number done and the total."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn
    except ModuleNotFoundError:
        yield lambda done, total: None
        return
    columns = (BarColumn(bar_width=30), MofNCompleteColumn(), unit, TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
