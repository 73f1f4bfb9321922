"""The final scoring phase: goods cubes are placed, companies take them in turn (rulings 51 and 52)."""

from __future__ import annotations

from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit, popcount
from carnegie_env.steel_driver import actions, events
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import turn_order
from carnegie_env.steel_driver.state import GOODS, NONE, OVER, Record, bit, left_of


@jit
def begin(game: Record) -> None:
    """Companies lose their investment cubes, every connected city gets a goods cube, most shares give control."""
    emit(events.FINAL_SCORING)
    for company in range(t.NUM_COMPANIES):
        game.company_cubes[company] = 0
        game.goods_left |= game.network[company]
        game.controller[company] = final_controller(game, company)
        if game.controller[company] != NONE:
            emit(events.CONTROLS, game.controller[company], company)
    game.phase = GOODS
    game.place = 0


@jit
def final_controller(game: Record, company: int) -> int:
    """The seat with the most shares of a company; ties go to the first clockwise, starting with the last controller."""
    seat = int64(game.last_controller[company])
    if seat == NONE:
        return NONE
    best, most = seat, game.shares[seat, company]
    for _ in range(1, game.num_players):
        seat = left_of(game, seat)
        if game.shares[seat, company] > most:
            best, most = seat, game.shares[seat, company]
    return best


@jit
def cities_with_goods(game: Record, company: int) -> int:
    """Bit set of the cities where a company can take a goods cube."""
    return game.network[company] & game.goods_left


@jit
def proceed_goods(game: Record) -> None:
    """Pass for companies without a controller or a cube to take. When all have passed, the game is over."""
    while not turn_order.all_have_passed(game):
        company = turn_order.active(game)
        if not turn_order.has_passed(game, company):
            if game.controller[company] != NONE and cities_with_goods(game, company) != 0:
                game.to_play = game.controller[company]
                return
            turn_order.move_to_lower_row(game, company)
        turn_order.next_company(game)
    game.phase = OVER
    game.place = NONE
    game.to_play = -1


@jit
def legal_goods(game: Record) -> int:
    """Any cube in a city of the active company."""
    masks.clear(game.legal)
    cities = cities_with_goods(game, turn_order.active(game))
    masks.put_bits(game.legal, actions.TAKE, cities)
    return popcount(cities)


@jit
def apply_goods(game: Record, action: int) -> None:
    """The active company takes a goods cube."""
    company, city = turn_order.active(game), action - actions.TAKE
    game.goods_left &= ~bit(city)
    game.goods[company, t.CITY_GOODS[city]] += 1
    value = value_of_sets(game, company)
    emit(events.SETS, game.to_play, company, game.profit[company], value)
    game.profit[company] = value
    turn_order.next_company(game)


@jit
def value_of_sets(game: Record, company: int) -> int:
    """The value of a company's goods cubes in $, in the best arrangement: the largest possible sets."""
    value, size, sets = 0, t.NUM_GOODS, 0
    while size > 0:
        size = 0
        for colour in range(t.NUM_GOODS):
            size += game.goods[company, colour] > sets
        value += t.SET_VALUE[size]
        sets += 1
    return value
