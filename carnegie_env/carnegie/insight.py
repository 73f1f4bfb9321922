"""Derived numbers for value networks, and an initial guess of the result.

Nothing here is a rule. A network could learn these numbers by itself from far more games: the round as one switch each,
and the number of cities missing between two large ones. The guess is in VP: the expected yield of money, goods,
employees, tabs, tracks and networks, which fades in the last rounds.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import cities, company, event, tabs
from carnegie_env.carnegie.state import NONE, Record, bit
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.facts import frozen
from carnegie_env.core.jit import jit
from carnegie_env.core.layout import Feature, numbers, size, starts

_LARGE = tuple(city for city in range(t.NUM_CITIES) if t.CITY_LINK_POINTS[city] > 0)
_PART = 8  # cities
_SETS = np.arange(1 << _PART)
_AROUND = frozen(
    [
        np.bitwise_or.reduce([(_SETS >> c & 1) * around for c, around in enumerate(part)])
        for part in np.split(t.CITY_ADJACENT, range(_PART, t.NUM_CITIES, _PART))
    ]
)  # by part, the cities adjacent to each set of its cities
_PAIRS = tuple(f"{t.CITIES[a]} - {t.CITIES[b]}" for k, a in enumerate(_LARGE) for b in _LARGE[k + 1 :])
FARTHEST = 7  # most cities to build in to link two large ones; also if they can't be linked

INSIGHTS = (
    Feature("round", "the round", (numbers(t.ROUNDS + 1),)),
    Feature("missing", "cities to build in to link two large ones", (_PAIRS, numbers(FARTHEST + 1))),
)
SIZE = size(INSIGHTS)
_AT = starts(INSIGHTS)

# Values in VP before the last rounds, found by experiments against Andrew at normal difficulty.
MONEY = 0.5  # $1
GOODS = 0.6  # one goods cube
ACTIVE = 2.5  # an active employee, without the 1 VP scored
READY = 0.3  # an inactive employee with a free workstation
AWAY = 1.2  # one on a mission
EVENT_SOON = 0.15  # in addition, for each row whose next event is that region
OPEN_PROJECT = 0.8  # an uncovered project that can be built
BUILT_PROJECT = 2.5  # a built project: its future income
TILE = 0.7  # a department built
STEP = 0.6  # a step on a transport track
LINK, NEARER = 0.7, 0.75  # share of a link's VP; factor for each missing city

FADING_ROUNDS = 8  # last rounds, in which these values fade to zero


@jit
def insight(game: Record, seat: int, out: Vector[float]) -> None:
    """Write the numbers of :data:`INSIGHTS` for a seat into ``out`` (float32, (SIZE,))."""
    out[:] = 0
    out[_AT.round + game.round_number] = 1
    own, may_build = cities.cities_of(game, seat), cities.cities_of(game, NONE)
    at = _AT.missing
    for k in range(len(_LARGE) - 1):
        at = _write_missing(own, may_build, k, out, at)


@jit
def _around(some: int) -> int:
    """The cities adjacent to some cities."""
    around = int64(0)
    for part in range(_AROUND.shape[0]):
        around |= _AROUND[part, (some >> (_PART * part)) & ((1 << _PART) - 1)]
    return around


@jit
def _write_missing(own: int, may_build: int, k: int, out: Vector[float], at: int) -> int:
    """Write how far a large city is from the following ones in the list."""
    start = bit(_LARGE[k])
    reached = start & own
    missing = int64(0)  # eight bits for each of the other cities
    built = 0
    while built < FARTHEST:  # without conditions for each city, which would be unpredictable
        around = _around(reached)
        linked = around & own & ~reached
        if linked != 0:
            reached |= linked
            continue
        for j in range(k + 1, len(_LARGE)):
            missing += (~reached >> _LARGE[j] & 1) << (8 * j)
        reached |= (around | start) & may_build
        built += 1
    for j in range(k + 1, len(_LARGE)):
        out[at + (missing >> (8 * j) & 255)] = 1
        at += FARTHEST + 1
    return at


# ---------------------------------------------------------------- the guess
_PAIR_POINTS = tuple(
    int(t.CITY_LINK_POINTS[a] + t.CITY_LINK_POINTS[b]) for k, a in enumerate(_LARGE) for b in _LARGE[k + 1 :]
)


@jit
def guess(game: Record, seat: int) -> float:
    """The expected further gain of a seat in VP, beyond the score as if the game ended now: the start of learning."""
    return fading(game) * (holdings(game, seat) + _links(game, seat))


@jit
def fading(game: Record) -> float:
    """The share of the values that can still become points: 1, falling to 0 in the last rounds."""
    return min(t.ROUNDS - game.round_number, FADING_ROUNDS) / FADING_ROUNDS


@jit
def holdings(game: Record, seat: int) -> float:
    """The expected VP of a seat's money, goods, employees, tabs and tracks, long before the end."""
    wealth = MONEY * game.money[seat] + GOODS * game.goods[seat]
    return wealth + _employees(game, seat) + _projects(game, seat)


@jit
def _employees(game: Record, seat: int) -> float:
    worth = 0.0
    for space in range(t.COMPANY_SPACES):
        free = company.free_workstations(game, seat, space)
        worth += ACTIVE * game.active[seat, space] + READY * min(game.inactive[seat, space], free)
    for region in range(t.NUM_REGIONS):
        if game.missions[seat, region] > 0:
            soon = 0
            for row in range(t.TIMELINE_ROWS):
                soon += event.next_region(game, row) == region
            worth += (AWAY + EVENT_SOON * soon) * game.missions[seat, region]
    return worth


@jit
def _projects(game: Record, seat: int) -> float:
    worth = TILE * company.tiles_built(game, seat)
    for project in range(t.NUM_PROJECT_TYPES):
        worth += BUILT_PROJECT * game.tab_built[seat, project] + OPEN_PROJECT * tabs.ready(game, seat, project)
    for region in range(t.NUM_REGIONS):
        worth += STEP * game.track[seat, region]
    return worth


@jit
def _links(game: Record, seat: int) -> float:
    """The value of the best incomplete link between two large cities."""
    numbers = np.empty(SIZE, np.float32)
    insight(game, seat, numbers)
    best = 0.0
    for pair in range(len(_PAIR_POINTS)):
        worth = LINK * t.LINK_VP[_PAIR_POINTS[pair], t.LEVEL_RAILROAD]
        for missing in range(1, FARTHEST):
            worth *= NEARER
            if numbers[_AT.missing + pair * (FARTHEST + 1) + missing] == 1:
                best = max(best, worth)
    return best
