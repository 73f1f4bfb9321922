"""The invariants beside the fields' ranges (state.py), tried in this order; with CARNEGIE_CHECK=1, after every step."""

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
    """Whether the first ``number`` entries are different companies."""
    found = int64(0)
    for k in range(number):
        found |= bit(companies[k]) if companies[k] != NONE else 0
    return popcount(found) == number


@invariant("order", "must have each company once")
def order(game: Record) -> bool:
    return _differ(game.order, t.NUM_COMPANIES)


@invariant("phase", "must agree with to_play, marker, auction, active and round")
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


@invariant("companies.{company}", "must have sold at most one share per round, and have the right controller")
def control(game: Record, company: int) -> bool:
    issued = 0
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


@invariant("companies.{company}.start", "must be a start city once there are links, and null before")
def start(game: Record, company: int) -> bool:
    if game.num_links[company] == 0:
        return game.start[company] == NONE
    return game.start[company] != NONE and t.START_CITIES & bit(game.start[company]) != 0


@invariant("companies.{company}.links", "must extend the network one by one from the start city, after a sale")
def links(game: Record, company: int) -> bool:
    if game.num_links[company] == 0:
        return True
    network = bit(game.start[company])
    for k in range(game.num_links[company]):
        if game.links[company, k] == NONE or not network & t.ROUTE_ENDS[int64(game.links[company, k])]:
            return False
        network |= t.ROUTE_ENDS[int64(game.links[company, k])]
    return game.last_controller[company] != NONE


@invariant("companies.{company}.cubes", "must be 0 in the final scoring phase, and before the company was sold")
def company_cubes(game: Record, company: int) -> bool:
    return game.company_cubes[company] == 0 or (game.last_controller[company] != NONE and game.phase < GOODS)


@jit
def _earned(game: Record, company: int, first: int) -> int:
    """$ earned by a company's links from number ``first`` on."""
    network, earned = bit(game.start[company]), int64(0)
    for k in range(game.num_links[company]):
        route = int64(game.links[company, k])
        if k >= first:
            earned += building.earnings(network, route)
        network |= t.ROUTE_ENDS[route]
    return earned


@invariant("companies.{company}.profit", "must be the earnings of the last links, in the end the value of the sets")
def profit(game: Record, company: int) -> bool:
    if game.phase >= GOODS:
        return game.profit[company] == goods.value_of_sets(game, company)
    if game.phase != BUILD or game.num_links[company] == 0:
        return game.profit[company] == 0
    bonus, number = transcontinental.bonus(game, company), game.num_links[company]
    for first in range(number, -1 if game.controller[company] != NONE else number - 1, -1):
        if game.profit[company] - _earned(game, company, first) in (0, bonus):
            return True
    return False


@invariant("companies", "must not have two links on a route")
def routes(game: Record) -> bool:
    built = 0
    for w in range(t.ROUTE_WORDS):
        built += popcount(game.built[w])
    return built == game.num_links.sum()


@invariant("players", "must not have more cubes, held and spent on links, than were handed out so far")
def cubes(game: Record) -> bool:
    spent = int64(0)
    for company in range(t.NUM_COMPANIES):
        for k in range(game.num_links[company]):
            spent += t.ROUTE_COST[int64(game.links[company, k])]
    handed_out = game.round_number * game.num_players * t.ROUND_CUBES[game.num_players]
    return 0 <= rounds.supply(game) and t.CUBES - rounds.supply(game) + spent <= handed_out


@invariant("transcontinental", "must be set if and only if the links of its companies connect both ends")
def transcontinental_link(game: Record) -> bool:
    if (game.transcontinental != 0) != transcontinental.is_there(game, auctions.ALL_COMPANIES):
        return False
    if game.transcontinental == 0:
        return game.link_builder == NONE
    for company in range(t.NUM_COMPANIES):
        if game.transcontinental & bit(company) and game.num_links[company] == 0:
            return False
    return transcontinental.is_there(game, game.transcontinental)


@invariant("transcontinental.builder", "must be one of transcontinental.companies")
def builder(game: Record) -> bool:
    companies, company = game.transcontinental, game.link_builder
    return companies == 0 or (company != NONE and companies & bit(company) != 0)


@invariant("players", "must have as much cash, with profits, as links earned; a bonus without a controller may be lost")
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


@invariant("goods", "must make up a cube for each connected city, together with those of the companies that connect it")
def goods_cubes(game: Record) -> bool:
    connected = int64(0)
    for company in range(t.NUM_COMPANIES):
        connected |= game.network[company]
        if game.controller[company] == NONE and game.goods[company].sum() > 0:
            return False
    if game.phase < GOODS:
        return game.goods_left == 0 and game.goods.sum() == 0
    taken = connected & ~game.goods_left
    if game.goods_left & ~connected or popcount(taken) != game.goods.sum():
        return False
    for companies in range(1, transcontinental.ALL_SETS):  # Hall's condition: enough cities for the cubes of each set
        for colour in range(t.NUM_GOODS):
            network, held = int64(0), int64(0)
            for company in range(t.NUM_COMPANIES):
                if companies & bit(company):
                    network |= game.network[company]
                    held += game.goods[company, colour]
            if held > popcount(network & taken & t.GOODS_CITIES[colour]):
                return False
    return True


@invariant("auction", "must have a bidder with enough cubes, and all seats from there to to_play must have passed")
def auction(game: Record) -> bool:
    if game.phase != BID:
        return True
    if game.bidder == NONE or game.bid < 1 or game.sold & bit(game.auction) or game.cubes[game.bidder] < game.bid:
        return False
    bidders = bit(game.bidder) | bit(game.to_play)
    if game.passed_bidders & bidders or game.to_play == game.bidder or (game.bid == 1 and game.bidder != game.marker):
        return False
    seat = left_of(game, game.bidder)
    while seat != game.to_play and game.passed_bidders & bit(seat):
        seat = left_of(game, seat)
    return seat == game.to_play


@invariant("passed", "must have the companies that can do nothing, and no others")
def passed(game: Record) -> bool:
    if game.phase <= BID or not _differ(game.passed, game.num_passed):
        return game.num_passed == 0
    if game.phase == OVER and not turn_order.all_have_passed(game):
        return False
    for place in range(t.NUM_COMPANIES):
        company = int64(game.order[place])
        controlled = game.controller[company] != NONE
        if turn_order.has_passed(game, company):
            able = building.can_build(game, company) if game.phase == BUILD else goods.cities_with_goods(game, company)
            if place == game.place or (controlled and able):
                return False
        elif not controlled and place < game.place:
            return False
    return True


@invariant("to_play", "must be a seat with two legal actions, or with one that is not played automatically")
def choice(game: Record) -> bool:
    if game.phase == OVER:
        return True
    number = engine.legal(game)
    return number > 1 or (number == 1 and game.show_forced != 0 and not masks.test(game.legal, actions.PASS))


INVARIANTS = Invariants(state.FIELDS, state.rebuild, __name__, (__name__,))
