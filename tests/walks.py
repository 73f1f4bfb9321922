"""Carnegie's positions for tests: every decision of a game, and an example of every phase."""

import copy
import functools
from collections.abc import Iterator
from typing import Any

from carnegie_env import Position
from tests import players

ALL_MODES = [*players.MODES, *players.ALL_ON]
SET_UP = ("sides", "housing", "reserve", "setup_moves", "sheet", "panels", "secret")


def walk(options: dict[str, Any], seed: int, rich: bool = False) -> Iterator[Position]:
    """Yields the position at every decision of a game, and at its end; see players.whole_game."""
    game = players.whole_game(options, seed, "busy", rich)
    yield from map(game.position, range(len(game) + 1))


@functools.cache
def dictionaries(mode: int) -> list[dict[str, Any]]:
    """Every third position of a plain and a rich game of a mode of ALL_MODES; copy before changing."""
    kept = []
    for seed, rich in ((mode, False), (mode + 100, True)):
        options = ALL_MODES[mode] | {"timeline_tiles": ["columns", "rows"][mode % 2]}
        kept += [position.to_dict() for k, position in enumerate(walk(options, seed, rich)) if k % 3 == 0]
    return kept


@functools.cache
def _example(phase: str, num_players: int, modules: tuple[str, ...]) -> dict[str, Any]:
    options = {"num_players": num_players} | dict.fromkeys(modules, True)
    for seed in range(1000):
        for position in walk(options, seed, rich=phase not in SET_UP and seed % 4 > 0):
            if position.phase == phase and (position.round > 3 or phase not in ("activation", "destination")):
                return position.to_dict()
            if position.round > 0 and phase in SET_UP:
                break
    raise AssertionError(f"no game of {num_players} reached phase {phase}")


def example(phase: str, num_players: int = 2, *modules: str) -> dict[str, Any]:
    """A position in a phase as a dictionary, which may be changed; after set-up for the phases that it shares.

    `modules` of expansion 1 are on; "all" stands for all that allow the number of players.
    """
    if modules == ("all",):
        modules = players.modules_for({"num_players": num_players})
    return copy.deepcopy(_example(phase, num_players, modules))
