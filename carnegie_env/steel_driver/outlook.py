"""Estimates from the board: possible earnings of companies and the expected value of their goods.

Nothing here is a rule. Observations, insights and agents use it.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit, trailing_zeros
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import building, goods, turn_order
from carnegie_env.steel_driver.state import GOODS, NONE, Record, bit


# ---------------------------------------------------------------- the transcontinental link
@jit
def joined(game: Record, cities: int) -> int:
    """A set of cities and all cities that links of any companies connect with it (bit sets)."""
    before = int64(0)
    while cities != before:
        before = cities
        for company in range(t.NUM_COMPANIES):
            if game.network[company] & cities:
                cities |= game.network[company]
    return cities


@jit
def halves(game: Record) -> tuple[int, int]:
    """The cities that links connect with each end of the transcontinental link (bit sets), (0, 0) once it exists."""
    if game.transcontinental != 0:
        return int64(0), int64(0)
    return joined(game, bit(t.EAST)), joined(game, bit(t.WEST))


@jit
def bonus(east: int, west: int, route: int) -> int:
    """$ that a link earns by completing the transcontinental link, see :func:`halves`."""
    ends = t.ROUTE_ENDS[route]
    return t.BUILDER_BONUS if ends & east and ends & west else 0


# ---------------------------------------------------------------- links
@jit
def link_of(game: Record, action: int) -> tuple[int, int, int]:
    """A link that the active company can build: its cost in cubes, and its $ from a city and as a bonus.

    Args:
        game: the record.
        action: the action that builds it.
    """
    route, network = building.route_of(action), int64(game.network[turn_order.active(game)])
    earned = building.earnings(network if network else bit(building.origin_of(action)), route)
    east, west = halves(game)
    return t.ROUTE_COST[route], earned, bonus(east, west, route)


@jit
def best_earnings(game: Record, company: int, east: int, west: int) -> int:
    """The most $ that a company can earn with a next link that it can pay; 0 if there is none.

    Args:
        game, company: the record and the company.
        east, west: see :func:`halves`.
    """
    best, network = 0, int64(game.network[company])
    if game.num_links[company] == t.LINKS:
        return best
    for word in range(t.ROUTE_WORDS):
        routes = free_routes(game, company, network, word) & t.PAYABLE[int64(game.company_cubes[company]), word]
        while routes != 0:
            route = word * t.WORD_BITS + trailing_zeros(routes)
            routes &= routes - 1
            best = max(best, gain(network, route) + bonus(east, west, route))
    return best


@jit
def free_routes(game: Record, company: int, network: int, word: int) -> int:
    """The routes without a link at a future network of a company: a word of the set.

    Args:
        game: the record.
        company: the company.
        network: bit set of cities, including its current ones; 0 before the first link, which starts in a start city.
        word: the number of the word.
    """
    if network == 0:
        return t.START_ROUTES[word] & ~game.built[word]
    routes, new = int64(game.reach[company, word]), network & ~game.network[company]
    while new != 0:
        routes |= t.CITY_ROUTES[trailing_zeros(new), word]
        new &= new - 1
    return routes & ~game.built[word]


@jit
def best_route(game: Record, company: int, network: int, cubes: int, east: int, west: int) -> int:
    """The free route with the most $ per cube for a network, or -1; among ties the first of the component file.

    Args:
        game, company, network: see :func:`free_routes`.
        cubes: the cubes that can be spent.
        east, west: see :func:`halves`.
    """
    best, chosen = 0.0, NONE
    for word in range(t.ROUTE_WORDS):
        routes = free_routes(game, company, network, word) & t.PAYABLE[cubes, word]
        while routes != 0:
            route = word * t.WORD_BITS + trailing_zeros(routes)
            routes &= routes - 1
            rate = (gain(network, route) + bonus(east, west, route)) / t.ROUTE_COST[route]
            if rate > best:
                best, chosen = rate, route
    return chosen


@jit
def gain(network: int, route: int) -> int:
    """The most $ that a route at a network earns (bit set of cities; 0: the first link, from a start city)."""
    if network:
        return building.earnings(network, route)
    starts, earned = t.ROUTE_ENDS[route] & t.START_CITIES, int64(0)
    if starts & bit(t.ROUTE_FROM[route]):
        earned = building.earnings(bit(t.ROUTE_FROM[route]), route)
    if starts & bit(t.ROUTE_TO[route]):
        earned = max(earned, building.earnings(bit(t.ROUTE_TO[route]), route))
    return earned


@jit
def prospect(game: Record, company: int, more: int) -> int:
    """$ that a company may earn in a round with its cubes and some ``more``, if no other company builds.

    It repeatedly builds the link with the most $ per cube that it can pay. $ include cities and a transcontinental link
    that it completes itself.
    """
    network = int64(game.network[company])
    left = min(int64(game.company_cubes[company]) + more, t.CUBES)
    east, west = halves(game)
    earned = 0
    for _ in range(t.LINKS - game.num_links[company]):
        route = best_route(game, company, network, left, east, west)
        if route == NONE:
            break
        earned += gain(network, route)
        network |= t.ROUTE_ENDS[route]
        if bonus(east, west, route) > 0:
            earned += t.BUILDER_BONUS
            east, west = int64(0), int64(0)
        if network & east and network & ~east:
            east = joined(game, east | network)
        if network & west and network & ~west:
            west = joined(game, west | network)
        left -= t.ROUTE_COST[route]
    return earned


@jit
def expected_sets(game: Record, company: int) -> float:
    """The expected final value of a company's goods cubes in $ without further links.

    A cube in a city of several networks counts in equal fractions for each, and sets are made of fractions as well: as
    many sets of all colours as the rarest colour allows, and so on.
    """
    parts = np.zeros(t.NUM_GOODS)
    for colour in range(t.NUM_GOODS):
        parts[colour] = game.goods[company, colour]
    cities = game.network[company] if game.phase < GOODS else goods.cities_with_goods(game, company)
    while cities != 0:
        city = trailing_zeros(cities)
        cities &= cities - 1
        networks = 0
        for other in range(t.NUM_COMPANIES):
            networks += game.network[other] >> city & 1
        parts[t.CITY_GOODS[city]] += 1 / networks
    value, used = 0.0, 0.0
    for _ in range(t.NUM_GOODS):
        size, least = 0, float(t.NUM_CITIES)
        for colour in range(t.NUM_GOODS):
            if parts[colour] > used:
                size += 1
                least = min(least, parts[colour])
        if size == 0:
            break
        value += (least - used) * t.SET_VALUE[size]
        used = least
    return value
