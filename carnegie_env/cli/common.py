"""What the commands share: the options that were given, records, the width of the terminal."""

from __future__ import annotations

import argparse
import shutil
from typing import TYPE_CHECKING, Any

from carnegie_env import collection
from carnegie_env.core.arguments import given_options

if TYPE_CHECKING:
    from carnegie_env.agency import Agent


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
