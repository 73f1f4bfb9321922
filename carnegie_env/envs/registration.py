"""Gymnasium environments of games without environment classes of their own, such as those of other packages."""

from __future__ import annotations

import functools
from typing import Any

from carnegie_env import collection
from carnegie_env.envs.single import GameEnv
from carnegie_env.envs.vector import GameVectorEnv


def make(game: str, solo: bool, **arguments: Any) -> GameEnv:
    """Make a :class:`~carnegie_env.envs.single.GameEnv`.

    Args:
        game: the game's name.
        solo: whether one player plays against the automatic opponent, otherwise two or more play.
        **arguments: arguments of the class.

    Raises:
        ValueError: an unknown game, a solo game that does not exist, or a wrong argument.
    """
    env: GameEnv = _class_of(GameEnv, game, solo)(**arguments)
    return env


def make_vector(game: str, solo: bool, **arguments: Any) -> GameVectorEnv:
    """Make a :class:`~carnegie_env.envs.vector.GameVectorEnv`, like :func:`make`."""
    env: GameVectorEnv = _class_of(GameVectorEnv, game, solo)(**arguments)
    return env


@functools.cache
def _class_of(base: type[Any], name: str, solo: bool) -> type[Any]:
    game = collection.find(name)
    if solo and game.opponent is None:
        raise ValueError(f"{game.title} has no automatic opponent: use {game.namespace}/Versus-v0")
    made: type[Any] = type(base.__name__, (base,), {"game": game, "solo": solo, "__doc__": base.__doc__})
    return made
