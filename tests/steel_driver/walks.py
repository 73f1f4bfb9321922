"""Games of several styles to look at: the record at every decision and at the end."""

from __future__ import annotations

import functools

import numpy as np

from carnegie_env.steel_driver.game import Batch, Position

STYLES = ("any", "opener", "low", "high")


def choose(position: Position, style: str, generator: np.random.Generator) -> str:
    """An action: any; or companies are put up for auction whenever that is possible, for little or for anything."""
    legal = position.legal_actions()
    if style != "any" and position.phase == "open":
        legal = [text for text in legal if text != "pass" and (style != "low" or int(text.split()[2]) <= 2)]
    if style == "low" and position.phase == "bid":
        legal = legal[:3]
    return legal[generator.integers(len(legal))]


@functools.cache
def walk(num_players: int, style: str, seed: int = 0, show_forced: bool = False) -> np.ndarray:
    """The records of a game, shape (decisions + 1,)."""
    position = Position.new({"num_players": num_players, "show_forced": show_forced}, seed)
    generator, found = np.random.default_rng(seed), [position.games.copy()]
    while not position.is_over:
        position.apply(choose(position, style, generator))
        found.append(position.games.copy())
    return np.concatenate(found).view(Batch.game.record)


def at(records: np.ndarray, k: int) -> Position:
    """One of them as a position."""
    return Position(records[k : k + 1])


def first(records: np.ndarray, phase: int, skip: int = 0) -> int:
    """Where a phase comes for the first time, or some decisions of it later."""
    return int(np.flatnonzero(records["phase"] == phase)[skip])
