"""Disks in cities: projects, networks, points (part 2, chapters 3.3 and 5)."""

from __future__ import annotations

from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit, trailing_zeros


@jit
def region_of(space: int) -> int:
    """The region that a construction space lies in."""
    return t.CITY_REGION[t.SPACE_CITY[space]]


@jit
def disks_of(game: Record, owner: int) -> int:
    """Disks of an owner in the cities; a seat's are its projects."""
    number = 0
    for space in range(t.NUM_SPACES):
        number += game.owner[space] == owner
    return number


@jit
def disks_on_type(game: Record, owner: int, project: int) -> int:
    """Disks of an owner on construction spaces of a project type, without those of small cities."""
    number = 0
    for space in range(t.NUM_SPACES):
        number += game.owner[space] == owner and t.SPACE_TYPE[space] == project
    return number


@jit
def projects_in(game: Record, seat: int, region: int) -> int:
    """Projects that a seat has built in a region."""
    number = 0
    for space in range(t.NUM_SPACES):
        number += game.owner[space] == seat and region_of(space) == region
    return number


@jit
def projects_in_small_cities(game: Record, seat: int) -> int:
    """Projects that a seat has built in small cities."""
    number = 0
    for space in range(t.NUM_SPACES):
        number += game.owner[space] == seat and t.CITY_SMALL[t.SPACE_CITY[space]] == 1
    return number


@jit
def regions_of(game: Record, seat: int) -> int:
    """Bit set of the regions in which a seat has built (P10)."""
    regions = int64(0)
    for space in range(t.NUM_SPACES):
        if game.owner[space] == seat:
            regions |= bit(region_of(space))
    return regions


@jit
def cities_of(game: Record, owner: int) -> int:
    """Bit set of the cities with a disk of the owner."""
    cities = int64(0)
    for space in range(t.NUM_SPACES):
        cities |= t.SPACE_CITY_BIT[space] if game.owner[space] == owner else 0
    return cities


@jit
def points_of(game: Record, owner: int) -> int:
    """VP of an owner's disks in the cities."""
    points = 0
    for space in range(t.NUM_SPACES):
        points += t.SPACE_POINTS_OF_CITY[space] if game.owner[space] == owner else 0
    return points


@jit
def network(cities: int, start: int) -> int:
    """Bit set of the cities of ``cities`` reached from ``start`` along printed lines."""
    reached = int64(0)
    border = cities & bit(start)
    while border != 0:
        city = trailing_zeros(border)
        reached |= bit(city)
        border = (border | (t.CITY_ADJACENT[city] & cities)) & ~reached
    return reached
