"""The observation of a seat: a table of named features, and the writer; see :mod:`carnegie_env.core.layout`.

The observation is a flat float32 vector from the seat of one player, usually the one to move: first what all share
(phase, auction, board), then the companies in their first order, then the players: the seat's own, the others
clockwise. Everything is public in Steel Driver, and the observation contains all of it except the number of decisions
and the order in which a company built its links.
"""

from __future__ import annotations

import functools

from carnegie_env.core.arrays import Vector, float32, int64
from carnegie_env.core.facts import frozen, members
from carnegie_env.core.jit import jit, popcount
from carnegie_env.core.layout import Feature, Layout, factors, mark, mark_bits, numbers, put, size, starts
from carnegie_env.steel_driver import outlook
from carnegie_env.steel_driver import state as s
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import building, goods, rounds
from carnegie_env.steel_driver.state import GOODS, NONE, Record

# ---------------------------------------------------------------- the table of features
TENS = 0.1  # money is counted in $10, like city values
_SUM = int(t.CITY_VALUE.sum())  # $ that one company can earn with its links
_SETS = int(t.NUM_CITIES * t.SET_VALUE.max())  # more than its goods can be worth
_BONUS = max(t.BUILDER_BONUS, t.OTHERS_BONUS)
_MOST_PROFIT = max(_SUM + _BONUS, _SETS) * TENS
_MOST_CASH = t.NUM_COMPANIES * (_SUM + _BONUS) * TENS
_STARTS = tuple(members(t.START_CITIES))
_START_NUMBER = frozen([_STARTS.index(c) if c in _STARTS else NONE for c in range(t.NUM_CITIES)])
_PLACES = numbers(t.NUM_COMPANIES, 1)
_VALUE = int(t.CITY_VALUE.max())

BOARD = (
    Feature("phase", "what is being decided", (s.PHASES,)),
    Feature("round", "the round", (numbers(t.ROUNDS, 1),)),
    Feature("marker_passes", "players who have handed the active-player marker on since the last auction",
            most=t.SEATS - 1, scale=t.SEATS - 1),
    Feature("auction", "the company whose control marker is up for auction", (t.COMPANIES,)),
    Feature("bid", "the standing bid in cubes", most=t.CUBES, scale=10),
    Feature("active", "the company that builds, or takes goods", (t.COMPANIES,)),
    Feature("supply", "investment cubes in the supply", most=t.CUBES, scale=t.CUBES),
    Feature("transcontinental", "the companies of the transcontinental link", (t.COMPANIES,)),
    Feature("link_builder", "the company that completed it", (t.COMPANIES,)),
    Feature("goods_left", "goods cubes on the map", (t.CITIES,)),
)  # fmt: skip

COMPANY = (
    Feature("place", "its place in the order of the round", (_PLACES,)),
    Feature("passed", "its place among those that have passed, which is that in the next round", (_PLACES,)),
    Feature("sold", "its control marker was sold this round"),
    Feature("cubes", "investment cubes", most=t.CUBES, scale=10),
    Feature("profit", "profit of the round in $10; in the final scoring phase the value of its sets",
            most=_MOST_PROFIT, scale=10),
    Feature("links_left", "links it may still build", most=t.LINKS, scale=t.LINKS),
    Feature("start", "the city it started in", (tuple(t.CITIES[c] for c in _STARTS),)),
    Feature("network", "cities connected", (t.CITIES,)),
    Feature("links", "links built", (t.ROUTES,)),
    Feature("colours", "connected cities by colour", (t.GOODS,), most=t.NUM_CITIES, scale=10),
    Feature("goods", "goods cubes", (t.GOODS,), most=t.NUM_CITIES, scale=10),
    Feature("can_build", "it can build and pay a link"),
    Feature("best", "the most that such a link earns, with the bonus of a transcontinental link, in $10",
            most=(_VALUE + t.BUILDER_BONUS) * TENS, scale=10),
)  # fmt: skip

PLAYER = (
    Feature("to_play", "is to decide"),
    Feature("marker", "holds the active-player marker"),
    Feature("bidder", "has made the standing bid"),
    Feature("out", "has passed in this auction"),
    Feature("cash", "$10", most=_MOST_CASH, scale=50),
    Feature("cubes", "investment cubes", most=t.CUBES, scale=10),
    Feature("due", "profits of the companies controlled that are not paid yet, in $10", most=_MOST_CASH, scale=50),
    Feature("controls", "companies controlled", (t.COMPANIES,)),
    Feature("bought_last", "companies whose control marker the player bought last, which breaks ties at the end",
            (t.COMPANIES,)),
    Feature("leads", "companies that the player would control at the end by the shares sold so far", (t.COMPANIES,)),
    Feature("shares", "shares", (t.COMPANIES,), most=t.SHARES, scale=t.SHARES),
)  # fmt: skip

_BOARD, _BOARD_BY = starts(BOARD), factors(BOARD)
_COMPANY, _COMPANY_BY = starts(COMPANY), factors(COMPANY)
_PLAYER, _PLAYER_BY = starts(PLAYER), factors(PLAYER)
_COMPANY_SIZE, _PLAYER_SIZE = size(COMPANY), size(PLAYER)
_COMPANIES = size(BOARD)
_PLAYERS = _COMPANIES + t.NUM_COMPANIES * _COMPANY_SIZE

SEAT_NAMES = ("own", *(f"opponent{k}" for k in range(1, t.SEATS)))


@functools.cache
def layout(num_players: int) -> Layout:
    """The layout of the observation with 3 to 6 players."""
    companies = [(name, COMPANY) for name in t.COMPANIES]
    players = [(name, PLAYER) for name in SEAT_NAMES[:num_players]]
    return Layout(f"Steel Driver, num_players={num_players}", [("", BOARD), *companies, *players])


# ---------------------------------------------------------------- the writer
@jit
def _write_board(game: Record, out: Vector[float]) -> None:
    mark(out, _BOARD.phase, game.phase)
    mark(out, _BOARD.round, game.round_number - 1)
    out[_BOARD.marker_passes] = float32(game.marker_passes) * _BOARD_BY.marker_passes
    mark(out, _BOARD.auction, game.auction)
    out[_BOARD.bid] = float32(game.bid) * _BOARD_BY.bid
    if game.place != NONE:
        mark(out, _BOARD.active, game.order[game.place])
    out[_BOARD.supply] = float32(rounds.supply(game)) * _BOARD_BY.supply
    mark_bits(out, _BOARD.transcontinental, int64(game.transcontinental))
    mark(out, _BOARD.link_builder, game.link_builder)
    mark_bits(out, _BOARD.goods_left, game.goods_left)


@jit
def _write_company(game: Record, company: int, east: int, west: int, out: Vector[float], at: int) -> None:
    out[at + _COMPANY.sold] = game.sold >> company & 1
    out[at + _COMPANY.cubes] = float32(game.company_cubes[company]) * _COMPANY_BY.cubes
    out[at + _COMPANY.profit] = float32(game.profit[company] * TENS) * _COMPANY_BY.profit
    out[at + _COMPANY.links_left] = float32(t.LINKS - game.num_links[company]) * _COMPANY_BY.links_left
    if game.start[company] != NONE:
        mark(out, at + _COMPANY.start, _START_NUMBER[game.start[company]])
    mark_bits(out, at + _COMPANY.network, game.network[company])
    for k in range(game.num_links[company]):
        mark(out, at + _COMPANY.links, game.links[company, k])
    for colour in range(t.NUM_GOODS):
        connected = popcount(game.network[company] & t.GOODS_CITIES[colour])
        out[at + _COMPANY.colours + colour] = float32(connected) * _COMPANY_BY.colours
    put(out, at + _COMPANY.goods, game.goods[company], _COMPANY_BY.goods)
    if building.can_build(game, company):
        out[at + _COMPANY.can_build] = 1
        best = outlook.best_earnings(game, company, east, west)
        out[at + _COMPANY.best] = float32(best * TENS) * _COMPANY_BY.best


@jit
def _write_player(game: Record, seat: int, out: Vector[float], at: int) -> None:
    out[at + _PLAYER.to_play] = game.to_play == seat
    out[at + _PLAYER.marker] = game.marker == seat
    out[at + _PLAYER.bidder] = game.bidder == seat
    out[at + _PLAYER.out] = game.passed_bidders >> seat & 1
    out[at + _PLAYER.cash] = float32(game.cash[seat] * TENS) * _PLAYER_BY.cash
    out[at + _PLAYER.cubes] = float32(game.cubes[seat]) * _PLAYER_BY.cubes
    put(out, at + _PLAYER.shares, game.shares[seat], _PLAYER_BY.shares)


@jit
def _write_control(game: Record, company: int, seat: int, out: Vector[float]) -> None:
    """Who controls a company, who bought it last and who would control it at the end: into the players' blocks."""
    if game.last_controller[company] == NONE:
        return
    out[_place(game, game.last_controller[company], seat) + _PLAYER.bought_last + company] = 1
    out[_place(game, goods.final_controller(game, company), seat) + _PLAYER.leads + company] = 1
    if game.controller[company] != NONE:
        at = _place(game, game.controller[company], seat)
        out[at + _PLAYER.controls + company] = 1
        if game.phase < GOODS:
            out[at + _PLAYER.due] += float32(game.profit[company] * TENS) * _PLAYER_BY.due


@jit
def _place(game: Record, other: int, seat: int) -> int:
    """Where the block of player ``other`` begins in the observation of ``seat``."""
    steps = int64(other) - seat
    return _PLAYERS + (steps if steps >= 0 else steps + int64(game.num_players)) * _PLAYER_SIZE


@jit
def observe(game: Record, seat: int, out: Vector[float]) -> None:
    """Write a seat's observation into ``out``, float32 of the size of its layout; every number is set."""
    out[:] = 0
    _write_board(game, out)
    for player in range(game.num_players):
        _write_player(game, player, out, _place(game, player, seat))
    east, west = outlook.halves(game)
    for company in range(t.NUM_COMPANIES):
        _write_company(game, company, east, west, out, _COMPANIES + company * _COMPANY_SIZE)
        _write_control(game, company, seat, out)
    for k in range(t.NUM_COMPANIES):
        mark(out, _COMPANIES + int64(game.order[k]) * _COMPANY_SIZE + _COMPANY.place, k)
    for k in range(game.num_passed):
        mark(out, _COMPANIES + int64(game.passed[k]) * _COMPANY_SIZE + _COMPANY.passed, k)
