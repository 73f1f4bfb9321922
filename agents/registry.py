"""Agents by name: `random`, `greedy`, `ppo:RUN` (a folder that training left, or a model's zip file in one)."""

from __future__ import annotations

from collections.abc import Callable

from .base import Agent
from .greedy import GreedyAgent
from .random_agent import RandomAgent


def _ppo(path: str, seed: int) -> Agent:
    from .learned import PPOAgent  # needs torch

    return PPOAgent(path, seed=seed)


PLAIN: dict[str, Callable[[int], Agent]] = {"random": RandomAgent, "greedy": GreedyAgent}
WITH_PATH: dict[str, Callable[[str, int], Agent]] = {"ppo": _ppo}


def names() -> str:
    """What :func:`make` takes, for help texts and messages."""
    return ", ".join([*PLAIN, *(f"{name}:PATH" for name in WITH_PATH)])


def make(name: str, seed: int = 0) -> Agent:
    """Make an agent from its name.

    Raises:
        ValueError: an unknown name, a path that holds no usable model; the message says what would be right.
    """
    kind, colon, path = name.partition(":")
    if not colon and kind in PLAIN:
        return PLAIN[kind](seed)
    if path and kind in WITH_PATH:
        return WITH_PATH[kind](path, seed)
    raise ValueError(f"unknown agent {name!r}; the agents are {names()}")
