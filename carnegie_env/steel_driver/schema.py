"""The shape of the component file: a struct for each kind of table, and :class:`Facts` for all.

Chapters refer to the rulebook, rulings to RULINGS.md. `facts_checks` checks values against each other.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from carnegie_env.core.facts import Edition, Id, Mark, Number, Positive, Table

Company = Literal["red", "yellow", "green", "blue", "grey", "brown"]  # in the first order
Goods = Literal["white", "black", "green", "orange", "pink"]
MOST_SETS = 5  # colours of goods cubes, so also cubes in a set


class CubesPerPlayer(Table, frozen=True):
    """Investment cubes that each player gets in a round, by the number of players (phase 1)."""

    three: Positive
    four: Positive
    five: Positive
    six: Positive


class GoodsCubes(Table, frozen=True):
    """Goods cubes by colour: one for each city of that colour (final scoring phase)."""

    white: Number
    black: Number
    green: Number
    orange: Number
    pink: Number


class Transcontinental(Table, frozen=True, rename={"from_": "from"}):
    """The transcontinental link: its ends, and the bonuses of its builder and of each other company."""

    from_: Id
    to: Id
    builder: Number
    others: Number


class Numbers(Table, frozen=True):
    """The rules' numbers: companies in their first order, rounds, shares and links of a company, investment cubes,
    goods cubes, the value of a set of 1 to 5 goods cubes (final scoring phase)."""

    companies: list[Company]
    rounds: Positive
    shares_per_company: Positive
    links_per_company: Positive
    investment_cubes: Positive
    cubes_per_player: CubesPerPlayer
    goods_cubes: GoodsCubes
    set_values: Annotated[list[Number], msgspec.Meta(min_length=MOST_SETS, max_length=MOST_SETS)]
    transcontinental: Transcontinental


class City(Table, frozen=True, kw_only=True):
    """A city of the map: whether a company may start there, profit of a link to it, colour, place on the drawing."""

    id: Id
    start: bool
    value: Number
    goods: Goods
    xy: tuple[float, float]
    mark: Mark | None = "reconstructed"


class Network(Table, frozen=True, kw_only=True):
    """The potential routes: two city ids, undirected, and the cost of a link in investment cubes."""

    routes: list[tuple[str, str, Positive]]
    mark: Mark | None = "reconstructed"


class Map(Table, frozen=True):
    """steel_driver.toml: the rules' numbers and the map."""

    game: Numbers
    city: list[City]
    network: Network


class Facts(Edition, frozen=True, kw_only=True):
    """All component tables, a field for each file."""

    steel_driver: Map
