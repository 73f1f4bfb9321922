"""Games for tests that visit a position at each decision, and ways to change dictionaries at random."""

from __future__ import annotations

import copy
import functools
import random
from collections.abc import Iterator
from typing import Any

from carnegie_env import Position
from tests import players
from tests.players import mode_name
from tests.referee import play
from tests.spoiling import JUNK, at, paths, spoil

__all__ = ["ALL_MODES", "JUNK", "MODES", "at", "dictionaries", "example", "mode_name", "paths", "spoil", "step", "walk"]

MODES = players.MODES
ALL_MODES = [*MODES, *players.ALL_ON]
SET_UP = ("sides", "housing", "reserve", "setup_moves", "sheet", "panels", "secret")


def walk(options: dict[str, Any], seed: int, rich: bool = False) -> Iterator[Position]:
    """Yields the same position object at every decision of a game, and at its end.

    With `rich`, companies get wealth, departments and projects in an early round, so that late rules apply.
    """
    rng = random.Random(seed)
    position = Position.new(options, seed)
    if rich:
        first = rng.randrange(1, 6)
        while position.phase != "timeline" or position.round < first:
            step(position, rng)
        position = Position.from_dict(play.enrich(rng, position.to_dict()))
    while True:
        yield position
        if position.is_over:
            return
        step(position, rng)


def step(position: Position, rng: random.Random) -> None:
    """Play one decision in a sensible style."""
    position.apply(play.choose(rng, position.to_dict(), set(position.legal_actions()), "manager"))


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
