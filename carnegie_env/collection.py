"""The games of the collection, by name; a game is loaded when it is asked for."""

from __future__ import annotations

import importlib
import sys
from reprlib import repr as shown  # a short one, whatever is given
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # not while running: with it comes core/jit.py, and whether to compile may be still to be said
    from carnegie_env.core.game import Game

# By name, a game's package: its module `game` has Batch, Position and GameRecord, its module `options` has Options.
PACKAGES = {"carnegie": "carnegie_env.carnegie", "steel_driver": "carnegie_env.steel_driver"}
DEFAULT = "carnegie"


def games() -> dict[str, Game]:
    """All games by name."""
    return {name: find(name) for name in PACKAGES}


def loaded() -> bool:
    """Whether a game has been loaded, and so its component tables."""
    return any(f"{package}.game" in sys.modules for package in PACKAGES.values())


def options(name: str) -> type[Any]:
    """The class of a game's options; its component tables are not loaded."""
    found: type[Any] = importlib.import_module(f"{_package(name)}.options").Options
    return found


def find(name: str | Game) -> Game:
    """A game by its name; a game stands for itself.

    Raises:
        ValueError: there is no such game; the message lists those there are.
    """
    if not isinstance(name, str):
        return name
    game: Game = importlib.import_module(f"{_package(name)}.game").Batch.game
    return game


def _package(name: str) -> str:
    if name not in PACKAGES:
        raise ValueError(f"there is no game {shown(name)}; the games are {', '.join(PACKAGES)}")
    return PACKAGES[name]
