"""Games for tests: walks through every mode, visiting a position at each decision; ways to spoil a dictionary."""

from __future__ import annotations

import copy
import functools
import random
from collections.abc import Iterator
from typing import Any

from carnegie_env import Position
from tests import players
from tests.referee import play
from tests.spoiling import JUNK, at, paths, spoil

__all__ = ["ALL_MODES", "JUNK", "MODES", "at", "dictionaries", "example", "mode_name", "paths", "spoil", "step", "walk"]

MODES = [{"num_players": 1, "difficulty": difficulty} for difficulty in ("beginner", "normal", "difficult", "expert")]
MODES += [{"num_players": n} for n in (2, 3, 4)]
ALL_MODES = [*MODES, *players.ALL_ON]  # the last ones with all modules of expansion 1 that go with the players


def mode_name(mode: dict[str, Any]) -> str:
    name = mode.get("difficulty") or f"{mode['num_players']} players"
    return f"{name}, all modules" if mode in players.ALL_ON else name


def walk(options: dict[str, Any], seed: int, rich: bool = False) -> Iterator[Position]:
    """The same position object at every decision of a game, and when it is over.

    rich: from one of the first rounds on with wealth, departments and projects, to reach what comes late or seldom.
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
    """One decision of a player whose companies work, roughly."""
    position.apply(play.choose(rng, position.to_dict(), set(position.legal_actions()), "manager"))


@functools.cache
def dictionaries(mode: int) -> list[dict[str, Any]]:
    """Positions of a plain and a rich game of one of ALL_MODES, one in three; copy before changing."""
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


SET_UP = ("sides", "housing", "reserve", "setup_moves", "sheet", "panels", "secret")


def example(phase: str, num_players: int = 2, *modules: str) -> dict[str, Any]:
    """A position in a phase (in a round where set-up has that phase, too), free to be changed.

    modules: those of expansion 1 that are on; "all": those that go with the players.
    """
    if modules == ("all",):
        modules = players.modules_for({"num_players": num_players})
    return copy.deepcopy(_example(phase, num_players, modules))
