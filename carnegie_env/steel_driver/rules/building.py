"""Phase 3: links, one company after the other until all have passed (rulings 47, 49 and 55)."""

from __future__ import annotations

from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit, popcount
from carnegie_env.steel_driver import actions, events
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import rounds, transcontinental, turn_order
from carnegie_env.steel_driver.state import BUILD, NONE, Record, bit, connect


@jit
def begin(game: Record) -> None:
    """The first company of the order is active."""
    game.phase = BUILD
    game.place = 0


# ---------------------------------------------------------------- what a company can build
@jit
def open_routes(game: Record, company: int, word: int) -> int:
    """Free routes at the network of a company that it can pay: a word of the set (not for a first link)."""
    payable = t.PAYABLE[int64(game.company_cubes[company]), word]
    return game.reach[company, word] & payable & ~game.built[word]


@jit
def first_routes(game: Record, company: int, word: int) -> int:
    """Free routes that a company can pay and whose first city is a start city: a word of the set."""
    payable = t.PAYABLE[int64(game.company_cubes[company]), word]
    return t.FORWARD_STARTS[word] & payable & ~game.built[word]


@jit
def can_build_back(game: Record, company: int, k: int) -> bool:
    """Whether the ``k``-th route whose second city is a start city is free and can be paid."""
    route = t.BACKWARD[k]
    free = not game.built[route // t.WORD_BITS] & bit(route % t.WORD_BITS)
    return free and t.ROUTE_COST[route] <= game.company_cubes[company]


@jit
def can_build(game: Record, company: int) -> bool:
    """Whether a company has a link to build: a free route that it can pay, and a link left."""
    if game.num_links[company] == t.LINKS:
        return False
    if game.num_links[company] > 0:
        for w in range(t.ROUTE_WORDS):
            if open_routes(game, company, w) != 0:
                return True
        return False
    for w in range(t.ROUTE_WORDS):
        if first_routes(game, company, w) != 0:
            return True
    for k in range(t.BACKWARD.shape[0]):
        if can_build_back(game, company, k):
            return True
    return False


@jit
def legal_build(game: Record) -> int:
    """Every link that the active company can build; in a game there is at least one (ruling 49)."""
    masks.clear(game.legal)
    company, number = turn_order.active(game), 0
    if game.num_links[company] == t.LINKS:
        return 0
    first = game.num_links[company] == 0
    for w in range(t.ROUTE_WORDS):
        routes = first_routes(game, company, w) if first else open_routes(game, company, w)
        masks.put_bits(game.legal, actions.BUILD + w * t.WORD_BITS, routes)
        number += popcount(routes)
    if first:
        for k in range(t.BACKWARD.shape[0]):
            if can_build_back(game, company, k):
                masks.put(game.legal, actions.BUILD_BACK + k)
                number += 1
    return number


# ---------------------------------------------------------------- building
@jit
def apply_build(game: Record, action: int) -> None:
    """Build a link: its cost goes back to the supply, and the new city's value is profit."""
    company = turn_order.active(game)
    route = route_of(action)
    if game.num_links[company] == 0:
        origin = origin_of(action)
        game.start[company] = origin
        game.network[company] = bit(origin)
    earned = earnings(game.network[company], route)
    emit(events.BUILT, game.to_play, company, t.ROUTE_COST[route], earned)
    game.profit[company] += earned
    game.company_cubes[company] -= t.ROUTE_COST[route]
    game.links[company, game.num_links[company]] = route
    game.num_links[company] += 1
    connect(game, company, route)
    transcontinental.look_for(game, company)
    turn_order.next_company(game)


@jit
def route_of(action: int) -> int:
    """The route on which an action builds a link."""
    return int64(action - actions.BUILD) if action < actions.BUILD_BACK else t.BACKWARD[action - actions.BUILD_BACK]


@jit
def origin_of(action: int) -> int:
    """The city in which a company's first link begins."""
    return t.ROUTE_FROM[route_of(action)] if action < actions.BUILD_BACK else t.ROUTE_TO[route_of(action)]


@jit
def earnings(network: int, route: int) -> int:
    """The value of the city that a link on a route would connect to a network (bit set of cities), in $."""
    earned = 0
    if not network & bit(t.ROUTE_FROM[route]):
        earned += t.CITY_VALUE[t.ROUTE_FROM[route]]
    if not network & bit(t.ROUTE_TO[route]):
        earned += t.CITY_VALUE[t.ROUTE_TO[route]]
    return earned


@jit
def proceed_build(game: Record) -> bool:
    """Pass for companies without a controller or a possible link; end the round and return True when all have."""
    while not turn_order.all_have_passed(game):
        company = turn_order.active(game)
        if not turn_order.has_passed(game, company):
            if game.controller[company] != NONE and can_build(game, company):
                game.to_play = game.controller[company]
                return False
            turn_order.move_to_lower_row(game, company)
        turn_order.next_company(game)
    rounds.end(game)
    return True
