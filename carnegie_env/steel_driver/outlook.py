"""What a player would reckon from the board: what companies may earn, what their goods may be worth, who leads.

Nothing here is a rule. Observations, insights and agents ask it.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.core.arrays import int64
from carnegie_env.core.facts import frozen, mask
from carnegie_env.core.jit import jit, trailing_zeros
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import building, goods
from carnegie_env.steel_driver.state import GOODS, NONE, Record, bit

_START_ROUTES = frozen([
    mask(r for r in range(t.WORD_BITS) if w * t.WORD_BITS + r < t.NUM_ROUTES
         and t.ROUTE_ENDS[w * t.WORD_BITS + r] & t.START_CITIES)
    for w in range(t.ROUTE_WORDS)
])  # fmt: skip


@jit
def best_earnings(game: Record, company: int) -> int:
    """The most $ that a company can earn with its next link, if it can pay one; 0 too if all earn nothing."""
    best = 0
    if game.num_links[company] == t.LINKS:
        return best
    first = game.num_links[company] == 0
    for w in range(t.ROUTE_WORDS):
        routes = building.first_routes(game, company, w) if first else building.open_routes(game, company, w)
        while routes != 0:
            route = w * t.WORD_BITS + trailing_zeros(routes)
            routes &= routes - 1
            earned = t.CITY_VALUE[t.ROUTE_TO[route]] if first else building.earnings(game, company, route)
            best = max(best, earned)
    if first:
        for k in range(t.BACKWARD.shape[0]):
            if building.can_build_back(game, company, k):
                best = max(best, t.CITY_VALUE[t.ROUTE_FROM[t.BACKWARD[k]]])
    return best


@jit
def free_routes(game: Record, company: int, network: int, word: int) -> int:
    """The routes without a link at a network that a company may have come to: a word of the set.

    Args:
        game: the record.
        company: whose network it is to be.
        network: bit set of cities, its own now among them; 0 before the first link, which starts in a start city.
        word: which.
    """
    if network == 0:
        return _START_ROUTES[word] & ~game.built[word]
    routes, new = int64(game.reach[company, word]), network & ~game.network[company]
    while new != 0:
        routes |= t.CITY_ROUTES[trailing_zeros(new), word]
        new &= new - 1
    return routes & ~game.built[word]


@jit
def best_route(game: Record, company: int, network: int, cubes: int) -> int:
    """The free route that brings a network most $ a cube, or none (-1); of equals the first of the component file.

    Args:
        game, company, network: see :func:`free_routes`.
        cubes: what can be spent.
    """
    best, chosen = 0.0, NONE
    origins = network if network else t.START_CITIES
    for word in range(t.ROUTE_WORDS):
        routes = free_routes(game, company, network, word) & t.PAYABLE[cubes, word]
        while routes != 0:
            route = word * t.WORD_BITS + trailing_zeros(routes)
            routes &= routes - 1
            rate = gain(origins, network, route) / t.ROUTE_COST[route]
            if rate > best:
                best, chosen = rate, route
    return chosen


@jit
def gain(origins: int, network: int, route: int) -> int:
    """The most $ that a route brings a network, if it begins in one of the ``origins`` (bit sets of cities)."""
    one, other = t.ROUTE_FROM[route], t.ROUTE_TO[route]
    earned = 0
    if origins & bit(one) and not network & bit(other):
        earned = t.CITY_VALUE[other]
    if origins & bit(other) and not network & bit(one):
        earned = max(earned, t.CITY_VALUE[one])
    return earned


@jit
def prospect(game: Record, company: int, more: int) -> int:
    """What a company may earn in a round, in $, with its cubes and some ``more``, if no other builds.

    It is taken to build, of the links that it can pay, the one with most $ a cube, and so on.
    """
    network = int64(game.network[company])
    left = min(int64(game.company_cubes[company]) + more, t.CUBES)
    earned = 0
    for _ in range(t.LINKS - game.num_links[company]):
        route = best_route(game, company, network, left)
        if route == NONE:
            break
        earned += gain(network if network else t.START_CITIES, network, route)
        network |= t.ROUTE_ENDS[route]
        left -= t.ROUTE_COST[route]
    return earned


@jit
def expected_sets(game: Record, company: int) -> float:
    """What a company's goods cubes may be worth at last, in $, if no more links were built.

    A cube that lies, or will, in a city of several networks counts in equal parts for each, and sets are made of such
    parts, too: as far as the first colour goes there are sets of all colours, and so on.
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
