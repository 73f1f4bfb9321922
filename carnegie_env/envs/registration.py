"""Gymnasium environments of games that bring no classes of their own: those of other packages."""

from __future__ import annotations

import functools
from typing import Any

from carnegie_env import collection
from carnegie_env.envs.single import GameEnv
from carnegie_env.envs.vector import GameVectorEnv


def make(game: str, solo: bool, **arguments: Any) -> GameEnv:
    """A :class:`~carnegie_env.envs.single.GameEnv` of a game.

    Args:
        game: its name.
        solo: a table of one against the automatic opponent, else of two or more.
        **arguments: of the class.

    Raises:
        ValueError: there is no such game or table, or an argument is wrong.
    """
    env: GameEnv = _class_of(GameEnv, game, solo)(**arguments)
    return env


def make_vector(game: str, solo: bool, **arguments: Any) -> GameVectorEnv:
    """A :class:`~carnegie_env.envs.vector.GameVectorEnv` of a game; as :func:`make`."""
    env: GameVectorEnv = _class_of(GameVectorEnv, game, solo)(**arguments)
    return env


@functools.cache
def _class_of(base: type[Any], name: str, solo: bool) -> type[Any]:
    game = collection.find(name)
    if solo and game.opponent is None:
        raise ValueError(f"{game.title} has no automatic opponent, so no table of one: {game.namespace}/Versus-v0")
    made: type[Any] = type(base.__name__, (base,), {"game": game, "solo": solo, "__doc__": base.__doc__})
    return made
