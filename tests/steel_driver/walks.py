"""Games played in several styles: the record at every decision and at the end, and the actions."""

import functools

import numpy as np

from carnegie_env.steel_driver.game import Batch, Position

STYLES = ("any", "opener", "low", "high")


def choose(position: Position, style: str, generator: np.random.Generator) -> str:
    """Choose an action: any; in other styles auctions are opened whenever possible, with low or any bids."""
    legal = position.legal_actions()
    if style != "any" and position.phase == "open":
        legal = [text for text in legal if text != "pass" and (style != "low" or int(text.split()[2]) <= 2)]
    if style == "low" and position.phase == "bid":
        legal = legal[:3]
    return legal[generator.integers(len(legal))]


@functools.cache
def played(num_players: int, style: str, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """The records of a game, shape (decisions + 1,), and its actions."""
    position = Position.new({"num_players": num_players}, seed)
    generator, found, actions = np.random.default_rng(seed), [position.games.copy()], list[str]()
    while not position.is_over:
        actions.append(choose(position, style, generator))
        position.apply(actions[-1])
        found.append(position.games.copy())
    return np.concatenate(found).view(Batch.game.record), actions


def walk(num_players: int, style: str, seed: int = 0) -> np.ndarray:
    """The records of a game, shape (decisions + 1,)."""
    return played(num_players, style, seed)[0]


def at(records: np.ndarray, k: int) -> Position:
    """Record ``k`` as a position."""
    return Position(records[k : k + 1])


def first(records: np.ndarray, phase: int, skip: int = 0) -> int:
    """The number of a phase's first record, or of a later one."""
    return int(np.flatnonzero(records["phase"] == phase)[skip])
