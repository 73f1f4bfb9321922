"""The record of one game: every field with its meaning, shape and unit.

A game is one element of a NumPy array of dtype :data:`GAME`: fixed size, no pointers. Seats are numbered 0-5;
companies, cities and routes by their places in the tables. The derived fields are kept only for speed; :func:`rebuild`
makes them anew.
"""

from __future__ import annotations

from typing import Annotated

from carnegie_env.core import game
from carnegie_env.core.arrays import Matrix, Vector, int64
from carnegie_env.core.fields import Fields, Kind
from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import actions
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.faults import FAULTS
from carnegie_env.steel_driver.options import Options

NONE = -1  # no seat, no company, no city, no route

PHASES = ("open", "bid", "build", "goods", "over")
OPEN, BID, BUILD, GOODS, OVER = range(len(PHASES))

_BY_SEAT, _BY_COMPANY, _WORDS = (t.SEATS,), (t.NUM_COMPANIES,), (t.ROUTE_WORDS,)


class Record(game.Record):
    """One game, as the rules and type checkers see it: a ``numpy.record`` of dtype :data:`GAME`."""

    # ---- the round
    phase: Annotated[int, Kind("i1"), "position in PHASES"]
    round_number: Annotated[int, Kind("i1"), "from 1"]
    # ---- the auctions (phase 2)
    marker: Annotated[int, Kind("i1"), "seat that holds the active-player marker"]
    marker_passes: Annotated[int, Kind("i1"), "players who have handed it on since the last auction"]
    auction: Annotated[int, Kind("i1"), "company whose control marker is up, -1 if none is"]
    bid: Annotated[int, Kind("i1"), "the standing bid in cubes, 0 if there is none"]
    bidder: Annotated[int, Kind("i1"), "seat that has bid it, -1 if none"]
    passed_bidders: Annotated[int, Kind("i1"), "bit set of seats that have passed in this auction"]
    sold: Annotated[int, Kind("i1"), "bit set of companies whose control marker was sold this round"]
    # ---- the turn-order display
    order: Annotated[Vector[int], Kind("i1", shape=_BY_COMPANY), "companies in the order of the round"]
    place: Annotated[int, Kind("i1"), "place in it of the active company, -1 in auctions"]
    passed: Annotated[
        Vector[int], Kind("i1", shape=_BY_COMPANY),
        "companies that have passed in the phase, in that order; -1 behind them",
    ]  # fmt: skip
    num_passed: Annotated[int, Kind("i1"), "how many have"]
    # ---- the players
    cash: Annotated[Vector[int], Kind("i4", shape=_BY_SEAT), "$"]
    cubes: Annotated[Vector[int], Kind("i1", shape=_BY_SEAT), "investment cubes"]
    shares: Annotated[Matrix[int], Kind("i1", shape=(t.SEATS, t.NUM_COMPANIES)), "shares by company"]
    # ---- the companies
    controller: Annotated[Vector[int], Kind("i1", shape=_BY_COMPANY), "seat that holds the control marker, or -1"]
    last_controller: Annotated[
        Vector[int], Kind("i1", shape=_BY_COMPANY),
        "seat that last bought the control marker, -1 if nobody has",
    ]  # fmt: skip
    company_cubes: Annotated[Vector[int], Kind("i1", shape=_BY_COMPANY), "investment cubes"]
    profit: Annotated[Vector[int], Kind("i4", shape=_BY_COMPANY), "$: level of the round; at last, value of the sets"]
    start: Annotated[Vector[int], Kind("i1", shape=_BY_COMPANY), "city it started in, or -1"]
    links: Annotated[
        Matrix[int], Kind("i1", shape=(t.NUM_COMPANIES, t.LINKS)),
        "routes built, in that order; -1 behind them",
    ]  # fmt: skip
    num_links: Annotated[Vector[int], Kind("i1", shape=_BY_COMPANY), "how many"]
    goods: Annotated[Matrix[int], Kind("i1", shape=(t.NUM_COMPANIES, t.NUM_GOODS)), "cubes by colour"]
    # ---- the board
    goods_left: Annotated[int, Kind("i8"), "bit set of cities where a goods cube lies"]
    transcontinental: Annotated[
        int, Kind("i1"), "bit set of the companies of the transcontinental link; 0 before it exists"
    ]
    link_builder: Annotated[int, Kind("i1"), "the one that completed it, or -1"]
    # ---- derived, for speed
    network: Annotated[Vector[int], Kind("i8", shape=_BY_COMPANY, derived=True), "bit set of cities connected"]
    reach: Annotated[
        Matrix[int], Kind("i8", shape=(t.NUM_COMPANIES, t.ROUTE_WORDS), derived=True),
        "set of routes, built ones too, at a city of the network",
    ]  # fmt: skip
    built: Annotated[Vector[int], Kind("i8", shape=_WORDS, derived=True), "set of routes with a link"]


FIELDS = Fields("steel_driver", Record, Options, actions.TEXTS, [text for _, text in FAULTS])
GAME = FIELDS.dtype
NAMES: tuple[str, ...] = GAME.names or ()
DERIVED = FIELDS.derived


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
    """Put a link into the derived fields."""
    game.built[route // t.WORD_BITS] |= bit(route % t.WORD_BITS)
    game.network[company] |= t.ROUTE_ENDS[route]
    for w in range(t.ROUTE_WORDS):
        game.reach[company, w] |= t.CITY_ROUTES[t.ROUTE_FROM[route], w] | t.CITY_ROUTES[t.ROUTE_TO[route], w]


@jit
def rebuild(game: Record) -> None:
    """Make all derived fields but ``legal`` anew from the facts."""
    game.built[:] = 0
    for company in range(t.NUM_COMPANIES):
        game.network[company] = 0
        for w in range(t.ROUTE_WORDS):
            game.reach[company, w] = 0
        for k in range(game.num_links[company]):
            connect(game, company, int64(game.links[company, k]))
