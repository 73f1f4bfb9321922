"""What the commands share: the options that were given, records, the width of the terminal."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from carnegie_env import collection
from carnegie_env.core.arguments import given_options

if TYPE_CHECKING:
    from carnegie_env.agency import Agent
    from carnegie_env.core.game import Game


def options_of(given: argparse.Namespace) -> dict[str, Any]:
    """The game options that were given; an option of tables of one only, such as a difficulty, means such a table."""
    kind = collection.options(given.game)
    options = given_options(given, kind)
    if any(name in options for name in kind.SOLO_ONLY):
        options.setdefault("num_players", 1)
    return options


def record_in(file: str) -> Any:
    """A record, of whichever game it is."""
    from carnegie_env.core.record import name_of_game

    name = name_of_game(file)
    try:
        game = collection.find(name or collection.DEFAULT)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    return game.record_class.load(file)


def width() -> int:
    """Columns of a board: those of the terminal, from 80 to 120."""
    return min(max(shutil.get_terminal_size((120, 40)).columns, 80), 120)


def make_agent(name: str, seed: int) -> Agent:
    """An agent by its name.

    Raises:
        ValueError: there is no such agent, or what it is made of is not there.
    """
    from carnegie_env.agency import make_agent

    try:
        return make_agent(name, seed)
    except ModuleNotFoundError as error:
        raise ValueError(f"{name}: {error}") from None


# ---------------------------------------------------------------- agents that play each other
def labelled(name: str) -> tuple[str, str]:
    """What an agent is called, and how it is made: `NAME=AGENT`, or its own name."""
    found = re.fullmatch(r"([\w.-]+)=(.+)", name)
    return (found[1], found[2]) if found else (name, name)


def seated(
    given: argparse.Namespace, named: Sequence[str], game: Game
) -> tuple[tuple[tuple[str, str], ...], dict[str, Any], tuple[tuple[int, ...], ...] | None]:
    """Who plays at which tables.

    Args:
        given: what was given, the game's options among it.
        named: agents as :func:`labelled` takes them; one that is named twice sits on two seats.
        game: which.

    Returns:
        The agents, each once: labels and names; the options of the game; who sits together, if anybody was named twice.

    Raises:
        ValueError: not as many names as seats, where somebody was named twice; a wrong option.
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
    """The limits of time that were given."""
    return {name: value for name in ("time_limit", "first_limit") if (value := getattr(given, name)) is not None}


def add_ray(add: Callable[..., object]) -> None:
    """The argument `--ray` of a parser, or of a group of one; its value is "" without an address."""
    text = "on a Ray cluster: HOST:PORT of its head, auto (this machine is a node), ray://HOST:PORT (docs/cluster.md); "
    add("--ray", nargs="?", const="", metavar="ADDRESS", help=text + "without ADDRESS a Ray on this machine")


@contextlib.contextmanager
def cluster(given: argparse.Namespace, unit: str) -> Iterator[Any]:
    """The cluster that `--ray` asks for, or None; at the end stderr gets what each node has done, in such units.

    Raises:
        ValueError: it can't be joined; the work there can't go on.
    """
    if given.ray is None:
        yield None
        return
    from carnegie_env.agency import package

    module = importlib.import_module(f"{package().__name__}.cluster")
    with module.connect(given.ray or None, None if given.ray else given.processes, unit) as joined:
        try:
            yield joined
        except module.Lost as error:
            raise ValueError(str(error)) from error
        finally:
            if said := joined.text():
                print(said, file=sys.stderr, flush=True)


@contextlib.contextmanager
def progress(unit: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, if `rich` is installed, else nothing: a function of how many are done, and of how many."""
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
