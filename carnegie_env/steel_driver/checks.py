"""What holds in every position that play can reach, each invariant once: its number in `faults`.

:func:`verify` looks at a record at a decision, derived fields included; :func:`inspect` at all but those. The ranges of
fields are the codec's to see to (codec/shape.py): what comes from outside goes through it first. With
``CARNEGIE_CHECK=1`` every step is verified.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.core import masks
from carnegie_env.core.arrays import Records, int64
from carnegie_env.core.jit import jit, popcount
from carnegie_env.steel_driver import actions, engine, faults, state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import auctions, building, goods, transcontinental, turn_order
from carnegie_env.steel_driver.state import BID, BUILD, GOODS, NONE, OPEN, OVER, Record, bit, left_of


@jit
def verify(game: Record) -> int:
    """Number of an invariant that does not hold in a record at a decision or over, 0 if all do. It is not changed."""
    fault = inspect(game)
    return faults.DERIVED if fault == 0 and _is_stale(game) else fault


@jit
def inspect(game: Record) -> int:
    """The same without derived fields and legal actions, which need not be made yet."""
    fresh = np.zeros(1, state.GAME)
    fresh[0] = game
    state.rebuild(fresh[0])
    return _check(fresh)


@jit
def _is_stale(game: Record) -> bool:
    fresh = np.zeros(1, state.GAME)
    fresh[0] = game
    state.rebuild(fresh[0])
    same = True
    for w in range(t.ROUTE_WORDS):
        same = same and fresh[0].built[w] == game.built[w]
        for company in range(t.NUM_COMPANIES):
            same = same and fresh[0].reach[company, w] == game.reach[company, w]
    for company in range(t.NUM_COMPANIES):
        same = same and fresh[0].network[company] == game.network[company]
    return not same


@jit
def _check(games: Records) -> int:
    """Derived fields are fresh[0]. The array and not its record is passed: a record alone does not keep its memory."""
    game = games[0]
    if not _turn_is_right(game):
        return faults.TURN
    for company in range(t.NUM_COMPANIES):
        if not _control_is_right(game, company):
            return faults.CONTROL + company
        if not _start_is_right(game, company):
            return faults.START + company
        if not _links_are_right(game, company):
            return faults.LINKS + company
        if not _cubes_are_right(game, company):
            return faults.COMPANY_CUBES + company
        if not _profit_is_right(game, company):
            return faults.PROFIT + company
    if not _routes_are_right(game):
        return faults.ROUTES
    if _cubes_in_play(game) > game.round_number * game.num_players * t.ROUND_CUBES[game.num_players]:
        return faults.CUBES
    if not _transcontinental_is_right(game):
        return faults.TRANSCONTINENTAL
    if game.transcontinental and (game.link_builder == NONE or not game.transcontinental & bit(game.link_builder)):
        return faults.BUILDER
    if not _cash_is_right(game):
        return faults.CASH
    if not _goods_are_right(game):
        return faults.GOODS
    if game.phase == BID and not _auction_is_right(game):
        return faults.AUCTION
    if not _passed_are_right(game):
        return faults.PASSED
    return 0 if game.phase == OVER or _is_a_choice(game) else faults.FORCED


@jit
def _turn_is_right(game: Record) -> bool:
    """Phase, round, seat to play, marker, auction and active company go together."""
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
    if game.place != NONE:
        return game.to_play == game.controller[turn_order.active(game)]
    return True


@jit
def _control_is_right(game: Record, company: int) -> bool:
    """A company sells a share a round, with its control marker; at last most shares give control."""
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


@jit
def _start_is_right(game: Record, company: int) -> bool:
    """A company that has links began in a start city."""
    if game.num_links[company] == 0:
        return game.start[company] == NONE
    return game.start[company] != NONE and t.START_CITIES & bit(game.start[company]) != 0


@jit
def _cubes_are_right(game: Record, company: int) -> bool:
    """A company has none before it was sold, and none in the final scoring phase."""
    return game.company_cubes[company] == 0 or (game.last_controller[company] != NONE and game.phase < GOODS)


@jit
def _links_are_right(game: Record, company: int) -> bool:
    """Links hang together, from the start city on; a company that was never sold has none."""
    if game.num_links[company] == 0:
        return True
    if game.last_controller[company] == NONE:
        return False
    network = bit(game.start[company])
    for k in range(game.num_links[company]):
        ends = t.ROUTE_ENDS[int64(game.links[company, k])]
        if not network & ends:
            return False
        network |= ends
    return True


@jit
def _routes_are_right(game: Record) -> bool:
    """No route has two links."""
    built, links = 0, 0
    for w in range(t.ROUTE_WORDS):
        built += popcount(game.built[w])
    for company in range(t.NUM_COMPANIES):
        links += game.num_links[company]
    return built == links


@jit
def _cubes_in_play(game: Record) -> int:
    """Investment cubes that players and companies hold, and those that links have cost."""
    cubes = int64(0)
    for company in range(t.NUM_COMPANIES):
        cubes += game.company_cubes[company]
        for k in range(game.num_links[company]):
            cubes += t.ROUTE_COST[int64(game.links[company, k])]
    for seat in range(game.num_players):
        cubes += game.cubes[seat]
    return cubes


@jit
def _earned(game: Record, company: int, first: int) -> int:
    """What the links of a company from the ``first`` on have earned, in $."""
    network, earned = bit(game.start[company]), int64(0)
    for k in range(game.num_links[company]):
        ends = t.ROUTE_ENDS[int64(game.links[company, k])]
        if k >= first and ends & ~network:
            route = int64(game.links[company, k])
            new = t.ROUTE_TO[route] if network & bit(t.ROUTE_FROM[route]) else t.ROUTE_FROM[route]
            earned += t.CITY_VALUE[new]
        network |= ends
    return earned


@jit
def _bonus(game: Record, company: int) -> int:
    """What a company got by the transcontinental link, in $."""
    if not game.transcontinental & bit(company):
        return 0
    return t.BUILDER_BONUS if game.link_builder == company else t.OTHERS_BONUS


@jit
def _profit_is_right(game: Record, company: int) -> bool:
    """The value of the sets at last; while companies build, what the last links of a company have earned."""
    if game.phase >= GOODS:
        return game.profit[company] == goods.value_of_sets(game, company)
    if game.phase != BUILD or game.num_links[company] == 0:
        return game.profit[company] == 0
    bonus, links = _bonus(game, company), game.num_links[company]
    for first in range(links, -1 if game.controller[company] != NONE else links - 1, -1):
        earned = _earned(game, company, first)
        if game.profit[company] == earned or game.profit[company] == earned + bonus:
            return True
    return False


@jit
def _cash_is_right(game: Record) -> bool:
    """Cash and profits not paid yet are what all links have earned; uncontrolled companies may have lost a bonus."""
    held, earned = int64(0), int64(0)
    for seat in range(game.num_players):
        held += game.cash[seat]
    if game.round_number == 1 and game.phase <= BUILD and held > 0:
        return False
    for company in range(t.NUM_COMPANIES):
        if game.phase == BUILD:
            held += game.profit[company]
        if game.num_links[company] > 0:
            earned += _earned(game, company, 0)
    if game.transcontinental:
        earned += t.BUILDER_BONUS
        for _ in range(popcount(game.transcontinental)):
            if held == earned:
                return True
            earned += t.OTHERS_BONUS
        return False
    return held == earned


@jit
def _transcontinental_is_right(game: Record) -> bool:
    """It is there as soon as links connect its ends; its companies do."""
    if (game.transcontinental != 0) != transcontinental.is_there(game, auctions.ALL_COMPANIES):
        return False
    if game.transcontinental == 0:
        return game.link_builder == NONE
    for company in range(t.NUM_COMPANIES):
        if game.transcontinental & bit(company) and game.num_links[company] == 0:
            return False
    return transcontinental.is_there(game, game.transcontinental)


@jit
def _goods_are_right(game: Record) -> bool:
    """The cubes that were taken can be shared out: those of any companies lay in as many cities of these."""
    connected, cubes = int64(0), int64(0)
    for company in range(t.NUM_COMPANIES):
        connected |= game.network[company]
        cubes += game.goods[company].sum()
        if game.controller[company] == NONE and game.goods[company].sum() > 0:
            return False
    if game.phase < GOODS:
        return game.goods_left == 0 and cubes == 0
    taken = connected & ~game.goods_left
    if game.goods_left & ~connected or popcount(taken) != cubes:
        return False
    for companies in range(1, transcontinental.ALL_SETS):
        for colour in range(t.NUM_GOODS):
            network, cubes = int64(0), int64(0)
            for company in range(t.NUM_COMPANIES):
                if companies & bit(company):
                    network |= game.network[company]
                    cubes += game.goods[company, colour]
            if cubes > popcount(network & taken & t.GOODS_CITIES[colour]):
                return False
    return True


@jit
def _auction_is_right(game: Record) -> bool:
    """The bidder has what he bids, all seats between him and the one to play have passed, and that one can bid more."""
    if game.sold & bit(game.auction) or game.cubes[game.bidder] < game.bid:
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
def _passed_are_right(game: Record) -> bool:
    """Companies have passed that could do nothing, and all uncontrolled ones whose turn has come."""
    if game.phase <= BID:
        return game.num_passed == 0
    if game.phase == OVER and not turn_order.all_have_passed(game):
        return False
    for place in range(t.NUM_COMPANIES):
        company = int64(game.order[place])
        if turn_order.has_passed(game, company):
            if place == game.place or (game.controller[company] != NONE and _can_act(game, company)):
                return False
        elif game.controller[company] == NONE and place < game.place:
            return False
    return True


@jit
def _can_act(game: Record, company: int) -> bool:
    """Whether a company has a link to build, or a goods cube to take."""
    if game.phase == BUILD:
        return building.can_build(game, company)
    return goods.cities_with_goods(game, company) != 0


@jit
def _is_a_choice(game: Record) -> bool:
    """Two actions are legal, or one that is handed out."""
    number = engine.legal(game)
    if number == 1:
        return game.show_forced != 0 and not masks.test(game.legal, actions.PASS)
    return number > 1
