"""What a player would reckon from what he sees: numbers for value networks, and a guess to begin learning from.

Nothing here is a rule. A network could find these numbers by itself, in far more games: what is left of the game as a
switch for each round, and how many cities are missing between two large ones. The guess is in victory points: what
money, goods, employees, tabs, tracks and networks may still bring, which fades as the rounds run out.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import cities, company, event, tabs
from carnegie_env.carnegie.state import NONE, Record, bit
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.jit import jit, trailing_zeros
from carnegie_env.core.layout import Feature, numbers, size, starts

_LARGE = tuple(city for city in range(t.NUM_CITIES) if t.CITY_LINK_POINTS[city] > 0)
_PAIRS = tuple(f"{t.CITIES[a]} - {t.CITIES[b]}" for k, a in enumerate(_LARGE) for b in _LARGE[k + 1 :])
FARTHEST = 7  # cities to build in, to link two large ones; more, or none to build in, count as so many

INSIGHTS = (
    Feature("round", "the round", (numbers(t.ROUNDS + 1),)),
    Feature("missing", "cities to build in, until two large ones are linked", (_PAIRS, numbers(FARTHEST + 1))),
)
SIZE = size(INSIGHTS)
_AT = starts(INSIGHTS)

# What things are worth in VP before the end draws near. Found by trying, against Andrew at normal difficulty.
MONEY = 0.5  # $1
GOODS = 0.6  # one goods cube
ACTIVE = 2.5  # an active employee, beside the 1 VP he scores
READY = 0.3  # an inactive one beside a free workstation, to be activated soon
AWAY = 1.2  # one on a mission
EVENT_SOON = 0.15  # more for him, for each row whose next event is his region
OPEN_PROJECT = 0.8  # an uncovered project that can be built
BUILT_PROJECT = 2.5  # a built one: its income to come
TILE = 0.7  # a department built
STEP = 0.6  # a step on a transport track
LINK, NEARER = 0.7, 0.75  # of the VP of a link, once it is there; less by this factor for each city that is missing

FADING_ROUNDS = 8  # before the end, over which all of this goes to nothing


@jit
def insight(game: Record, seat: int, out: Vector[float]) -> None:
    """Write the numbers of :data:`INSIGHTS`, as a seat reckons them, into ``out`` (float32, (SIZE,))."""
    out[:] = 0
    out[_AT.round + game.round_number] = 1
    own, may_build = cities.cities_of(game, seat), cities.cities_of(game, NONE)
    at = _AT.missing
    for k in range(len(_LARGE) - 1):
        at = _write_missing(own, may_build & ~own, k, out, at)


@jit
def _write_missing(own: int, may_build: int, k: int, out: Vector[float], at: int) -> int:
    """How far a large city is from those behind it in the list."""
    start = bit(_LARGE[k])
    wanted = int64(0)
    for j in range(k + 1, len(_LARGE)):
        wanted |= bit(_LARGE[j])
        out[at + (j - k - 1) * (FARTHEST + 1) + FARTHEST] = 1
    reached = int64(0)
    new = start & (own | may_build)
    built = int64(0) if new & own else int64(1)
    while new != 0 and built < FARTHEST:
        around = int64(0)
        while new != 0:  # all that own cities link without building
            city = trailing_zeros(new)
            reached |= bit(city)
            around |= t.CITY_ADJACENT[city]
            new = (new | (t.CITY_ADJACENT[city] & own)) & ~reached
        found = reached & wanted
        if found:
            wanted &= ~found
            for j in range(k + 1, len(_LARGE)):
                if found & bit(_LARGE[j]):
                    place = at + (j - k - 1) * (FARTHEST + 1)
                    out[place + FARTHEST] = 0
                    out[place + built] = 1
            if wanted == 0:
                break
        new = around & may_build & ~reached
        built += 1
    return at + (len(_LARGE) - 1 - k) * (FARTHEST + 1)


# ---------------------------------------------------------------- the guess
_PAIR_POINTS = tuple(
    int(t.CITY_LINK_POINTS[a] + t.CITY_LINK_POINTS[b]) for k, a in enumerate(_LARGE) for b in _LARGE[k + 1 :]
)


@jit
def guess(game: Record, seat: int) -> float:
    """What is still to come for a seat beside the score as if the game ended now, in VP: where learning starts."""
    return fading(game) * (holdings(game, seat) + _links(game, seat))


@jit
def fading(game: Record) -> float:
    """The share of all this that can still be turned into points: 1, falling to 0 in the last rounds."""
    return min(t.ROUNDS - game.round_number, FADING_ROUNDS) / FADING_ROUNDS


@jit
def holdings(game: Record, seat: int) -> float:
    """What money, goods, employees, tabs and tracks of a seat may bring in VP, long before the end."""
    return _wealth(game, seat) + _employees(game, seat) + _projects(game, seat)


@jit
def _wealth(game: Record, seat: int) -> float:
    return MONEY * game.money[seat] + GOODS * game.goods[seat]


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
    """The best link between two large cities that is not complete."""
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
