"""What holds in every position that play can reach, beside the ranges of fields (state.py): the list is tried in order.

With ``CARNEGIE_CHECK=1`` every step is verified.
"""

from __future__ import annotations

from carnegie_env.core import masks
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.invariants import Invariants, invariant
from carnegie_env.core.jit import jit, popcount
from carnegie_env.steel_driver import actions, engine, state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import auctions, building, goods, rounds, transcontinental, turn_order
from carnegie_env.steel_driver.state import BID, BUILD, GOODS, NONE, OPEN, OVER, Record, bit, left_of


@jit
def _differ(companies: Vector[int], number: int) -> bool:
    """Whether the first few are different companies."""
    found = int64(0)
    for k in range(number):
        if companies[k] == NONE or found & bit(companies[k]):
            return False
        found |= bit(companies[k])
    return True


@invariant("order", "each company is there once")
def order(game: Record) -> bool:
    return _differ(game.order, t.NUM_COMPANIES)


@invariant("phase", "to_play, marker, auction, active and the round go with it")
def turn(game: Record) -> bool:
    if (game.phase == OVER) != (game.to_play < 0) or (game.phase == BID) != (game.auction != NONE):
        return False
    if game.phase >= GOODS and game.round_number != t.ROUNDS:
        return False
    if (game.phase == BUILD or game.phase == GOODS) != (game.place != NONE):
        return False
    if game.marker_passes >= (game.num_players if game.phase == OPEN else 1):
        return False
    if game.phase == OPEN:
        return game.to_play == game.marker and game.sold != auctions.ALL_COMPANIES
    return game.place == NONE or game.to_play == game.controller[turn_order.active(game)]


@invariant("companies.{company}", "it sells a share a round, with the control marker; at last most shares control")
def control(game: Record, company: int) -> bool:
    issued = int64(0)
    for seat in range(game.num_players):
        issued += game.shares[seat, company]
    last, sold = game.last_controller[company], game.sold & bit(company) != 0
    if issued > game.round_number - (0 if sold else 1) or (last == NONE) != (issued == 0):
        return False
    if last == NONE:
        return not sold and game.controller[company] == NONE
    if game.shares[last, company] == 0:
        return False
    if game.phase >= GOODS:
        return game.controller[company] == goods.final_controller(game, company)
    return game.controller[company] == (last if sold else NONE)


@invariant("companies.{company}.start", "it is a start city once there are links, null before")
def start(game: Record, company: int) -> bool:
    if game.num_links[company] == 0:
        return game.start[company] == NONE
    return game.start[company] != NONE and t.START_CITIES & bit(game.start[company]) != 0


@invariant("companies.{company}.links", "links of a company that was sold lead on from its start city")
def links(game: Record, company: int) -> bool:
    if game.num_links[company] == 0:
        return True
    network = bit(game.start[company])
    for k in range(game.num_links[company]):
        if game.links[company, k] == NONE or not network & t.ROUTE_ENDS[int64(game.links[company, k])]:
            return False
        network |= t.ROUTE_ENDS[int64(game.links[company, k])]
    return game.last_controller[company] != NONE


@invariant("companies.{company}.cubes", "it is 0 in the final scoring phase, and before the company was sold")
def company_cubes(game: Record, company: int) -> bool:
    return game.company_cubes[company] == 0 or (game.last_controller[company] != NONE and game.phase < GOODS)


@jit
def _earned(game: Record, company: int, first: int) -> int:
    """What the links of a company from the ``first`` on have earned, in $."""
    network, earned = bit(game.start[company]), int64(0)
    for k in range(game.num_links[company]):
        route = int64(game.links[company, k])
        if k >= first:
            earned += building.earnings(network, route)
        network |= t.ROUTE_ENDS[route]
    return earned


@invariant("companies.{company}.profit", "it is what the last links earned; at last the value of the sets")
def profit(game: Record, company: int) -> bool:
    if game.phase >= GOODS:
        return game.profit[company] == goods.value_of_sets(game, company)
    if game.phase != BUILD or game.num_links[company] == 0:
        return game.profit[company] == 0
    bonus, number = transcontinental.bonus(game, company), game.num_links[company]
    for first in range(number, -1 if game.controller[company] != NONE else number - 1, -1):
        earned = _earned(game, company, first)
        if game.profit[company] == earned or game.profit[company] == earned + bonus:
            return True
    return False


@invariant("companies", "no route has two links")
def routes(game: Record) -> bool:
    built = 0
    for w in range(t.ROUTE_WORDS):
        built += popcount(game.built[w])
    return built == game.num_links.sum()


@invariant("players", "cubes held and spent on links are not more than were handed out by now")
def cubes(game: Record) -> bool:
    spent = int64(0)
    for company in range(t.NUM_COMPANIES):
        for k in range(game.num_links[company]):
            spent += t.ROUTE_COST[int64(game.links[company, k])]
    handed_out = game.round_number * game.num_players * t.ROUND_CUBES[game.num_players]
    return 0 <= rounds.supply(game) and t.CUBES - rounds.supply(game) + spent <= handed_out


@invariant("transcontinental", "it is there if and only if the links of its companies connect both ends")
def transcontinental_link(game: Record) -> bool:
    if (game.transcontinental != 0) != transcontinental.is_there(game, auctions.ALL_COMPANIES):
        return False
    if game.transcontinental == 0:
        return game.link_builder == NONE
    for company in range(t.NUM_COMPANIES):
        if game.transcontinental & bit(company) and game.num_links[company] == 0:
            return False
    return transcontinental.is_there(game, game.transcontinental)


@invariant("transcontinental.builder", "it is one of transcontinental.companies")
def builder(game: Record) -> bool:
    if game.transcontinental == 0:
        return True
    return game.link_builder != NONE and game.transcontinental & bit(game.link_builder) != 0


@invariant("players", "cash and profits are what links earned; without a controller a bonus may be lost")
def cash(game: Record) -> bool:
    held, earned = int64(game.cash[: game.num_players].sum()), int64(0)
    if game.round_number == 1 and game.phase <= BUILD and held > 0:
        return False
    for company in range(t.NUM_COMPANIES):
        held += game.profit[company] if game.phase == BUILD else 0
        earned += _earned(game, company, 0) if game.num_links[company] else 0
    if not game.transcontinental:
        return held == earned
    bonus = held - earned - t.BUILDER_BONUS
    return 0 <= bonus < popcount(game.transcontinental) * t.OTHERS_BONUS and bonus % t.OTHERS_BONUS == 0


@invariant("goods", "cubes on the map and those of the companies are one for each city that these connect")
def goods_cubes(game: Record) -> bool:
    connected, held = int64(0), int64(0)
    for company in range(t.NUM_COMPANIES):
        connected |= game.network[company]
        held += game.goods[company].sum()
        if game.controller[company] == NONE and game.goods[company].sum() > 0:
            return False
    if game.phase < GOODS:
        return game.goods_left == 0 and held == 0
    taken = connected & ~game.goods_left
    if game.goods_left & ~connected or popcount(taken) != held:
        return False
    for companies in range(1, transcontinental.ALL_SETS):  # what any of them have lay in as many cities of these
        for colour in range(t.NUM_GOODS):
            network, held = int64(0), int64(0)
            for company in range(t.NUM_COMPANIES):
                if companies & bit(company):
                    network |= game.network[company]
                    held += game.goods[company, colour]
            if held > popcount(network & taken & t.GOODS_CITIES[colour]):
                return False
    return True


@jit
def _in_auction(game: Record) -> bool:
    return game.phase == BID


@invariant("auction", "the bidder has the bid, those from there to to_play have passed", _in_auction)
def auction(game: Record) -> bool:
    if game.bidder == NONE or game.bid < 1 or game.sold & bit(game.auction) or game.cubes[game.bidder] < game.bid:
        return False
    if game.passed_bidders & bit(game.bidder) or game.passed_bidders & bit(game.to_play):
        return False
    if game.to_play == game.bidder or (game.bid == 1 and game.bidder != game.marker):
        return False
    seat = left_of(game, game.bidder)
    while seat != game.to_play:
        if not game.passed_bidders & bit(seat):
            return False
        seat = left_of(game, seat)
    return True


@jit
def _can_act(game: Record, company: int) -> bool:
    """Whether a company has a link to build, or a goods cube to take."""
    if game.phase == BUILD:
        return building.can_build(game, company)
    return goods.cities_with_goods(game, company) != 0


@invariant("passed", "companies that can do nothing have passed, no others")
def passed(game: Record) -> bool:
    if game.phase <= BID or not _differ(game.passed, game.num_passed):
        return game.num_passed == 0
    if game.phase == OVER and not turn_order.all_have_passed(game):
        return False
    for place in range(t.NUM_COMPANIES):
        company = int64(game.order[place])
        controlled = game.controller[company] != NONE
        if turn_order.has_passed(game, company):
            if place == game.place or (controlled and _can_act(game, company)):
                return False
        elif not controlled and place < game.place:
            return False
    return True


@invariant("to_play", "two actions are legal, or one that is handed out")
def choice(game: Record) -> bool:
    if game.phase == OVER:
        return True
    number = engine.legal(game)
    return number > 1 or (number == 1 and game.show_forced != 0 and not masks.test(game.legal, actions.PASS))


INVARIANTS = Invariants(state.FIELDS, state.rebuild, __name__, (__name__,))
