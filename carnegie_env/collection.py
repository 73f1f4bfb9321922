"""The games of this and other packages by name, loaded on demand.

Another package registers a game with an entry point of the group `carnegie_env.games`, under the name of the game::

    [project.entry-points."carnegie_env.games"]
    tic_tac_toe = "my_package.tic_tac_toe:GAME"
"""

from __future__ import annotations

import functools
import importlib
import sys
from importlib import metadata
from reprlib import repr as shown  # short for any value
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # not at run time: it imports core/jit.py, and whether to compile may still be undecided
    from carnegie_env.core.game import Game

GROUP = "carnegie_env.games"
# The package of each game: its module `game` has the game in capitals, its module `options` the class Options.
PACKAGES = {"carnegie": "carnegie_env.carnegie", "steel_driver": "carnegie_env.steel_driver"}
DEFAULT = "carnegie"


@functools.cache
def entry_points() -> dict[str, metadata.EntryPoint]:
    """The games of other packages, by name; they can't replace a game of this package."""
    return {each.name: each for each in metadata.entry_points(group=GROUP) if each.name not in PACKAGES}


def names() -> tuple[str, ...]:
    """The names of all games, without loading any."""
    return (*PACKAGES, *sorted(entry_points()))


def games() -> dict[str, Game]:
    """All games by name.

    Raises:
        ValueError: a game of another package can't be loaded.
    """
    return {name: find(name) for name in names()}


def loaded() -> bool:
    """Whether a game of this package, and thus its component tables, has been loaded."""
    return any(f"{package}.game" in sys.modules for package in PACKAGES.values())


def options(name: str) -> type[Any]:
    """The class of a game's options, without loading the component tables of a game of this package."""
    if name not in PACKAGES:
        return find(name).options
    found: type[Any] = importlib.import_module(f"{PACKAGES[name]}.options").Options
    return found


def find(name: str | Game) -> Game:
    """A game by its name; a game is returned as it is.

    Raises:
        ValueError: there is no such game (the message lists the names), or it can't be loaded.
    """
    if not isinstance(name, str):
        return name
    game: Game
    if name in PACKAGES:
        game = getattr(importlib.import_module(f"{PACKAGES[name]}.game"), name.upper())
        return game
    if name not in entry_points():
        raise ValueError(f"there is no game {shown(name)}; the games are {', '.join(names())}")
    entry = entry_points()[name]
    package = entry.dist.name if entry.dist is not None else "?"
    try:
        game = entry.load()
    except Exception as error:
        text = f"the game {name} of the package {package} can't be loaded from {entry.value}: {type(error).__name__}"
        raise ValueError(f"{text}: {error}") from error
    if getattr(game, "name", None) != name:
        raise ValueError(f"{entry.value} of the package {package} is not a Game with the name {name!r}")
    return game
