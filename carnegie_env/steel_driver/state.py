"""The record of one game: every field with its meaning, shape and unit.

A game is one element of a NumPy array of dtype :data:`GAME`: fixed size, no pointers. Seats are numbered 0-5;
companies, cities and routes by their places in the tables. Derived fields exist only for speed; :func:`rebuild` makes
them.
"""

from __future__ import annotations

from typing import Annotated, Any

from carnegie_env.core import game
from carnegie_env.core.arrays import Matrix, Vector, int64
from carnegie_env.core.fields import Axis, Fields, Kind
from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import actions
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.options import Options

NONE = -1  # no seat, no company, no city, no route

PHASES = ("open", "bid", "build", "goods", "over")
OPEN, BID, BUILD, GOODS, OVER = range(len(PHASES))

SEAT = Axis("seat", t.SEATS, length="num_players")
COMPANY, COLOUR, CITY = Axis("company", t.COMPANIES), Axis("colour", t.GOODS), Axis("city", t.CITIES)
ORDER, PASSED = Axis("turn", t.NUM_COMPANIES), Axis("passing", t.NUM_COMPANIES, length="num_passed")
LINK, WORD = Axis("link", t.LINKS, length="num_links"), Axis("word", t.ROUTE_WORDS)
MOST_MONEY = 1_000_000  # $: far more than in any game, but within the record's range
_COLOURS = tuple(t.GOODS[colour] for colour in t.CITY_GOODS)  # of the goods cube, by city


def _in_order(game: dict[str, Any]) -> list[str]:
    """The companies in the order of the round."""
    return [t.COMPANIES[company] for company in game["order"]]


class Record(game.Record):
    """One game, as the rules and type checkers see it: a ``numpy.record`` of dtype :data:`GAME`."""

    # ---- the round
    phase: Annotated[int, Kind("i1", names=PHASES), "what is being decided"]
    round_number: Annotated[int, Kind("i1", least=1, most=t.ROUNDS, at="round"), "the round"]
    # ---- the auctions (phase 2)
    marker: Annotated[int, Kind("i1", seat=True), "holder of the active-player marker"]
    marker_passes: Annotated[int, Kind("i1", most=t.SEATS - 1), "times it was handed on since the last auction"]
    auction: Annotated[
        int, Kind("i1", names=t.COMPANIES, null=NONE, at="auction.company"), "company whose control marker is up"
    ]
    bid: Annotated[int, Kind("i1", most=t.CUBES, at="auction.bid"), "the standing bid in cubes, 0 if there is none"]
    bidder: Annotated[int, Kind("i1", seat=True, null=NONE, at="auction.bidder"), "seat of the standing bid"]
    passed_bidders: Annotated[
        int, Kind("i1", bits=SEAT, seat=True, at="auction.passed[]"), "seats that have passed in it"
    ]
    sold: Annotated[
        int, Kind("i1", bits=COMPANY, at="companies.{company}.sold"), "companies whose marker was sold this round"
    ]
    # ---- the turn-order display
    order: Annotated[Vector[int], Kind("i1", shape=(ORDER,), names=t.COMPANIES), "companies in the order of the round"]
    place: Annotated[
        int, Kind("i1", names=_in_order, most=t.NUM_COMPANIES - 1, null=NONE, at="active"),
        "place in it of the active company, -1 in auctions",
    ]  # fmt: skip
    passed: Annotated[
        Vector[int], Kind("i1", shape=(PASSED,), names=t.COMPANIES, null=NONE),
        "companies that have passed in the phase, in that order; -1 behind them",
    ]  # fmt: skip
    num_passed: Annotated[int, Kind("i1", most=t.NUM_COMPANIES, at=None), "how many have"]
    # ---- the players
    cash: Annotated[Vector[int], Kind("i4", most=MOST_MONEY, shape=(SEAT,), at="players[seat].cash"), "$"]
    cubes: Annotated[Vector[int], Kind("i1", most=t.CUBES, shape=(SEAT,), at="players[seat].cubes"), "investment cubes"]
    shares: Annotated[
        Matrix[int], Kind("i1", most=t.SHARES, shape=(SEAT, COMPANY), at="players[seat].shares.{company}"), "shares"
    ]
    # ---- the companies
    controller: Annotated[
        Vector[int], Kind("i1", shape=(COMPANY,), seat=True, null=NONE, at="companies.{company}.controller"),
        "seat that holds the control marker",
    ]  # fmt: skip
    last_controller: Annotated[
        Vector[int], Kind("i1", shape=(COMPANY,), seat=True, null=NONE, at="companies.{company}.last_controller"),
        "seat that last bought the control marker",
    ]  # fmt: skip
    company_cubes: Annotated[
        Vector[int], Kind("i1", most=t.CUBES, shape=(COMPANY,), at="companies.{company}.cubes"), "investment cubes"
    ]
    profit: Annotated[
        Vector[int], Kind("i4", most=MOST_MONEY, shape=(COMPANY,), at="companies.{company}.profit"),
        "$: level of the round; at last, value of the sets",
    ]  # fmt: skip
    start: Annotated[
        Vector[int], Kind("i1", shape=(COMPANY,), names=t.CITIES, null=NONE, at="companies.{company}.start"),
        "city it started in",
    ]  # fmt: skip
    links: Annotated[
        Matrix[int], Kind("i1", shape=(COMPANY, LINK), names=t.ROUTES, null=NONE, at="companies.{company}.links[link]"),
        "routes built, in that order; -1 behind them",
    ]  # fmt: skip
    num_links: Annotated[Vector[int], Kind("i1", most=t.LINKS, shape=(COMPANY,), at=None), "how many"]
    goods: Annotated[
        Matrix[int], Kind("i1", most=t.NUM_CITIES, shape=(COMPANY, COLOUR), at="companies.{company}.goods.{colour}"),
        "goods cubes",
    ]  # fmt: skip
    # ---- the board
    goods_left: Annotated[
        int, Kind("i8", bits=CITY, marks=_COLOURS, at="goods.{city?}"),
        "cities where a goods cube lies, with its colour",
    ]  # fmt: skip
    transcontinental: Annotated[
        int, Kind("i1", bits=COMPANY, at="transcontinental.companies[]"),
        "companies of the transcontinental link; none before it exists",
    ]  # fmt: skip
    link_builder: Annotated[
        int, Kind("i1", names=t.COMPANIES, null=NONE, at="transcontinental.builder"), "the one that completed it"
    ]
    # ---- derived, for speed
    network: Annotated[Vector[int], Kind("i8", shape=(COMPANY,), derived=True), "bit set of cities connected"]
    reach: Annotated[
        Matrix[int], Kind("i8", shape=(COMPANY, WORD), derived=True),
        "set of routes, built ones too, at a city of the network",
    ]  # fmt: skip
    built: Annotated[Vector[int], Kind("i8", shape=(WORD,), derived=True), "set of routes with a link"]


FIELDS = Fields(
    "steel_driver", Record, Options, actions.TEXTS,
    order=(
        "rng", "decisions", "round", "phase", "to_play", "marker", "marker_passes", "auction", "order", "passed",
        "active", "supply", "players", "companies.{company}.controller", "companies.{company}.last_controller", "goods",
        "transcontinental.builder",
    ),
    blocks={"auction": "auction", "transcontinental": "transcontinental"},
    computed={"supply": lambda game: t.CUBES - sum(game["cubes"]) - sum(game["company_cubes"])},
)  # fmt: skip
GAME = FIELDS.dtype


@jit
def bit(index: int) -> int:
    """A 64-bit integer with the bit ``index`` set (the index may come from any small field)."""
    return int64(1) << int64(index)


@jit
def left_of(game: Record, seat: int) -> int:
    """The next seat clockwise."""
    return 0 if seat + 1 == game.num_players else seat + 1


@jit
def connect(game: Record, company: int, route: int) -> None:
    """Add a link to the derived fields."""
    game.built[route // t.WORD_BITS] |= bit(route % t.WORD_BITS)
    game.network[company] |= t.ROUTE_ENDS[route]
    for w in range(t.ROUTE_WORDS):
        game.reach[company, w] |= t.CITY_ROUTES[t.ROUTE_FROM[route], w] | t.CITY_ROUTES[t.ROUTE_TO[route], w]


@jit
def rebuild(game: Record) -> None:
    """Make all derived fields except ``legal``."""
    game.built[:] = 0
    for company in range(t.NUM_COMPANIES):
        game.network[company] = 0
        for w in range(t.ROUTE_WORDS):
            game.reach[company, w] = 0
        for k in range(game.num_links[company]):
            connect(game, company, int64(game.links[company, k]))
