"""The shape of a position's dictionary. Companies, cities and routes ("A B", as in the component file) are ids.

Every key is always present. Cities of `goods` are a plain dictionary here; reading.py takes it apart, so that a message
can name the key.
"""

# No `from __future__ import annotations` here: types that are texts would be compiled when a value is refused.
from typing import Annotated, Any, Literal

import msgspec

from carnegie_env.core.reading import Part, prepare
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.schema import Company as CompanyId

GAME = "steel_driver"
VERSION = 1
LARGEST_RNG = 2**64 - 1
LARGEST = 1_000_000  # $: far above what a game brings, far below what the record holds
DEEPEST = 6  # levels of the dictionary, more than any position has
MOST_VALUES = 5_000  # in the dictionary, far more than any position has

Dollars = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
Cubes = Annotated[int, msgspec.Meta(ge=0, le=t.CUBES)]
Seat = Annotated[int, msgspec.Meta(ge=0, le=t.SEATS - 1)]
Shares = Annotated[int, msgspec.Meta(ge=0, le=t.SHARES)]
Goods = Annotated[int, msgspec.Meta(ge=0, le=t.NUM_CITIES)]


class Auction(Part, frozen=True):
    """The auction going on: the standing bid, who made it, seats that have passed, ascending."""

    company: CompanyId
    bid: Annotated[int, msgspec.Meta(ge=1, le=t.CUBES)]
    bidder: Seat
    passed: Annotated[list[Seat], msgspec.Meta(max_length=t.SEATS)]


class SharesByCompany(Part, frozen=True):
    """A player's shares."""

    red: Shares
    yellow: Shares
    green: Shares
    blue: Shares
    grey: Shares
    brown: Shares


class Player(Part, frozen=True):
    """A player: $ paid out in the rounds, investment cubes, shares."""

    cash: Dollars
    cubes: Cubes
    shares: SharesByCompany


class GoodsByColour(Part, frozen=True):
    """A company's goods cubes."""

    white: Goods
    black: Goods
    green: Goods
    orange: Goods
    pink: Goods


class Company(Part, frozen=True):
    """A company: who has its control marker, who bought it last, whether it was sold this round; its investment cubes,
    profit (in the final scoring phase the value of its sets), start city, links in the order of building, goods cubes.
    """

    controller: Seat | None
    last_controller: Seat | None
    sold: bool
    cubes: Cubes
    profit: Dollars
    start: str | None
    links: Annotated[list[str], msgspec.Meta(max_length=t.LINKS)]
    goods: GoodsByColour


class Companies(Part, frozen=True):
    """The companies."""

    red: Company
    yellow: Company
    green: Company
    blue: Company
    grey: Company
    brown: Company


class Transcontinental(Part, frozen=True):
    """The transcontinental link: who completed it, and all companies that take part, in the order of the boxes."""

    builder: CompanyId
    companies: Annotated[list[CompanyId], msgspec.Meta(min_length=1, max_length=t.NUM_COMPANIES)]


class Position(Part, frozen=True):
    """The whole dictionary.

    `order` is that of the round, `passed` those that have passed in the building or goods phase, in that order,
    `active` the company whose turn it is; `marker_passes` counts who has handed on the active-player marker since the
    last auction; `goods` says the colour of the cube that lies in a city.
    """

    game: Literal["steel_driver"]
    version: Literal[1]
    options: dict[str, Any]
    rng: int
    decisions: Annotated[int, msgspec.Meta(ge=0, le=2**30)]
    round: Annotated[int, msgspec.Meta(ge=1, le=t.ROUNDS)]
    phase: Literal["open", "bid", "build", "goods", "over"]
    to_play: Seat | None
    marker: Seat
    marker_passes: Seat
    auction: Auction | None
    order: Annotated[list[CompanyId], msgspec.Meta(min_length=t.NUM_COMPANIES, max_length=t.NUM_COMPANIES)]
    passed: Annotated[list[CompanyId], msgspec.Meta(max_length=t.NUM_COMPANIES)]
    active: CompanyId | None
    supply: Cubes
    players: Annotated[list[Player], msgspec.Meta(min_length=t.LEAST_SEATS, max_length=t.SEATS)]
    companies: Companies
    goods: dict[str, Any]
    transcontinental: Transcontinental | None


prepare(globals())
