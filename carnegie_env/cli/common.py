"""Functions shared by the commands: options, records, agents, limits, progress."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import re
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from carnegie_env import collection
from carnegie_env.core.arguments import given_options

if TYPE_CHECKING:
    from carnegie_env.core.game import Game

BACKLOG = 1024  # connections that wait to be accepted by a server


def options_of(given: argparse.Namespace) -> dict[str, Any]:
    """The game options in the arguments; a solo-only option, such as a difficulty, implies one player."""
    kind = collection.options(given.game)
    options = given_options(given, kind)
    if any(name in options for name in kind.SOLO_ONLY):
        options.setdefault("num_players", 1)
    return options


def record_in(file: str, named: str | None) -> Any:
    """The record in a file, of any game; a ValueError if it is not of the game ``named`` by `--game`."""
    from carnegie_env.core.record import name_of_game

    game = game_in(file, name_of_game(file) or collection.DEFAULT)
    if named not in (None, game.name):
        raise ValueError(f"{file}: this is a game of {game.name}, not of {named}; omit --game")
    return game.record_class.load(file)


def game_in(file: str, name: str) -> Game:
    """The game that a file names."""
    try:
        return collection.find(name)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def width() -> int:
    """The width of a board in columns: the terminal's, from 80 to 120."""
    return min(max(shutil.get_terminal_size((120, 40)).columns, 80), 120)


# ---------------------------------------------------------------- matches between agents
def labelled(name: str) -> tuple[str, str]:
    """The label and the registry's name of an agent, from `LABEL=AGENT` or `AGENT`."""
    found = re.fullmatch(r"([\w.-]+)=(.+)", name)
    return (found[1], found[2]) if found else (name, name)


def seated(
    given: argparse.Namespace, named: Sequence[str], game: Game
) -> tuple[tuple[tuple[str, str], ...], dict[str, Any], tuple[tuple[int, ...], ...] | None]:
    """The participants from names in the form of :func:`labelled`; an agent that is named twice takes two seats.

    Returns:
        The labels and names of the agents, each once; the options of the game; the tables if an agent is named twice.
    """
    if not named:
        from carnegie_env.agents import registry

        raise ValueError(f"--agents is missing; the agents are {registry.names()}")
    chairs = [labelled(name) for name in named]
    agents = tuple(dict.fromkeys(chairs))
    options = options_of(given)
    options.setdefault("num_players", max(game.seats[0], min(len(chairs), game.seats[1])))
    players = game.options.from_dict(options).num_players
    tables = None
    if len(agents) < len(chairs):
        if len(chairs) != players:
            raise ValueError(f"if an agent is named twice, {players} players need {players} names, not {len(chairs)}")
        tables = (tuple(agents.index(chair) for chair in chairs),)
    return agents, options, tables


def limits(given: argparse.Namespace) -> dict[str, float]:
    """The time limits in the arguments."""
    return {name: value for name in ("time_limit", "first_limit") if (value := getattr(given, name)) is not None}


def add_agents(add: Callable[..., object]) -> None:
    """Add the argument `--agents`."""
    text = "agents, such as greedy, value or old=ppo:PATH (docs/agents.md); an agent named twice takes two seats"
    add("--agents", nargs="+", metavar="AGENT", default=[], help=text)


def add_players(add: Callable[..., object], late: str) -> None:
    """Add the arguments of worker processes; ``late``: the consequence of exceeding the time limit."""
    add("--processes", type=int, metavar="N", help="worker processes, with --ray on each node (default: one per core)")
    add_ray(add)
    text = f"limit for a decision; an agent that exceeds it {late} (default: 60)"
    add("--time-limit", type=float, metavar="SECONDS", help=text)
    text = "limit for loading an agent, and for its first decision in a process (default: 300)"
    add("--first-limit", type=float, metavar="SECONDS", help=text)


def add_ray(add: Callable[..., object]) -> None:
    """Add the argument `--ray` to a parser or a group; its value is "" without an address."""
    text = (
        "use a Ray cluster: HOST:PORT of its head, auto (this machine is a node), or ray://HOST:PORT (docs/cluster.md)"
    )
    add("--ray", nargs="?", const="", metavar="ADDRESS", help=f"{text}; without ADDRESS, start a local Ray")


# ---------------------------------------------------------------- servers
def add_allow(add: Callable[..., object]) -> None:
    """Add the argument `--allow`."""
    text = "also offer an agent that loads files or modules, such as ppo:RUN; can be repeated"
    add("--allow", action="append", default=[], metavar="AGENT", help=text)


def check_allowed(names: Sequence[str]) -> None:
    """Refuse an agent of --allow that can't be made; the operator's own modules are only looked for."""
    from carnegie_env.agents import registry

    for name in names:
        kind, colon, _ = name.partition(":")
        if kind in registry.AGENTS:
            try:
                registry.make_agent(name)
            except ValueError as error:
                raise ValueError(f"--allow {name}: {error}") from None
        elif not colon or not PathFinder.find_spec(kind.partition(".")[0], [os.getcwd(), *sys.path]):
            raise ValueError(f"--allow {name}: there is no such agent; the agents are {registry.names()}")


def listen(host: str, port: int, otherwise: str) -> socket.socket:
    """A socket that listens; 0 is any free port.

    Raises:
        ValueError: it can't listen. If another program uses the port, the message ends with ``otherwise``.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # Without the explicit protocol asyncio does not set TCP_NODELAY, and each answer is delayed by 40 ms.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        return listening
    except OSError as error:
        where = f"port {port} of {host}" if port else host
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"{where} is in use by another program; {otherwise}") from None
        raise ValueError(f"can't listen on {where}: {error.strerror or error}") from None


# ---------------------------------------------------------------- long commands
@contextlib.contextmanager
def cluster(given: argparse.Namespace, unit: str) -> Iterator[Any]:
    """The cluster of `--ray`, or None; prints the work of each node at the end.

    Raises:
        ValueError: the cluster can't be joined, or no node is left.
    """
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
            if report := joined.text():
                print(report, file=sys.stderr, flush=True)


@contextlib.contextmanager
def interruptible(kept: str) -> Iterator[None]:
    """Add to a Ctrl-C what is kept, and how to continue; `main` prints it."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(kept) from None


@contextlib.contextmanager
def progress(unit: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar, if stderr is a terminal and `rich` is installed: a function of the number done and the total."""
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
