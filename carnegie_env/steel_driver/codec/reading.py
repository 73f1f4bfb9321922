"""The record of a position's dictionary.

Reading goes in steps, each of which names the value it refuses: JSON types and nothing else, the shape, the ids, which
turn into codes (:mod:`carnegie_env.core.reading`), then what the values say together (:mod:`..checks`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.arguments import UnexpectedArgument
from carnegie_env.core.patience import seldom
from carnegie_env.core.reading import check_json, code_of, convert, refuse, show
from carnegie_env.steel_driver import checks, state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.codec import shape
from carnegie_env.steel_driver.faults import FAULTS
from carnegie_env.steel_driver.options import Options
from carnegie_env.steel_driver.rules import rounds, setup
from carnegie_env.steel_driver.state import NONE

PATIENCE = 300  # positions that are read before the checks are compiled
_inspect, _supply = seldom(checks.inspect, PATIENCE), seldom(rounds.supply, PATIENCE)


def from_dict(position: Any) -> NDArray[Any]:
    """The record of a position; the derived fields and the legal actions are not made yet.

    Args:
        position: a dictionary as :func:`to_dict` makes it, of JSON types only.

    Returns:
        Array of shape (1,), dtype ``state.GAME``.

    Raises:
        ValueError: with the path to the value that is wrong, what is wrong with it, and what would be right.
    """
    check_json(position, shape.DEEPEST, shape.MOST_VALUES)
    parts: shape.Position = convert(position, shape.Position, "")
    games = setup.template(_options(parts.options))
    game = games[0]
    _read_head(game, parts)
    _read_auction(game, parts.auction)
    _read_order(game, parts)
    for seat, player in enumerate(parts.players):
        game.cash[seat], game.cubes[seat] = player.cash, player.cubes
        game.shares[seat] = [getattr(player.shares, name) for name in t.COMPANIES]
    for company, name in enumerate(t.COMPANIES):
        _read_company(game, company, getattr(parts.companies, name), f"companies.{name}")
    left = int(_supply(game))
    if parts.supply != left:
        refuse("supply", f"{parts.supply}, but of {t.CUBES} cubes those of players and companies leave {left}")
    _read_goods(game, parts.goods)
    if parts.transcontinental is not None:
        game.link_builder = t.COMPANIES.index(parts.transcontinental.builder)
        companies = parts.transcontinental.companies
        game.transcontinental = _set(companies, t.COMPANIES, "transcontinental.companies")
    fault = int(_inspect(game))
    if fault:
        refuse(*FAULTS[fault])
    return games


def _options(values: dict[str, Any]) -> Options:
    known = Options().to_dict()
    for key in known:
        if key not in values:
            refuse(f"options.{key}", "is missing; every option must be there")
    try:
        return Options.from_dict(values)
    except (UnexpectedArgument, ValueError) as error:
        refuse("options", str(error))


def _read_head(game: Any, parts: shape.Position) -> None:
    """Who plays, and what is decided."""
    if len(parts.players) != game.num_players:
        refuse("players", f"{len(parts.players)} of them, but options.num_players is {game.num_players}")
    if not 0 <= parts.rng <= shape.LARGEST_RNG:
        refuse("rng", f"must be a whole number from 0 to {shape.LARGEST_RNG}, not {parts.rng}")
    game.rng, game.decisions = parts.rng, parts.decisions
    game["round_number"] = parts.round
    game.phase = state.PHASES.index(parts.phase)
    game.to_play = NONE if parts.to_play is None else _seat(game, parts.to_play, "to_play")
    game.marker = _seat(game, parts.marker, "marker")
    game.marker_passes = parts.marker_passes


def _seat(game: Any, seat: int, path: str) -> int:
    if seat >= game.num_players:
        refuse(path, f"{seat}, but the seats in play are 0 to {game.num_players - 1}")
    return seat


def _read_auction(game: Any, auction: shape.Auction | None) -> None:
    if auction is not None:
        game.auction = t.COMPANIES.index(auction.company)
        game.bid = auction.bid
        game.bidder = _seat(game, auction.bidder, "auction.bidder")
        seats = [_seat(game, seat, f"auction.passed[{k}]") for k, seat in enumerate(auction.passed)]
        game.passed_bidders = _set(seats, range(t.SEATS), "auction.passed")


def _read_order(game: Any, parts: shape.Position) -> None:
    game.order[:] = [t.COMPANIES.index(name) for name in parts.order]
    for path, names in (("order", parts.order), ("passed", parts.passed)):
        if len(set(names)) < len(names):
            refuse(path, f"{show(names)} has a company twice")
    game.num_passed = len(parts.passed)
    game.passed[: len(parts.passed)] = [t.COMPANIES.index(name) for name in parts.passed]
    game.place = NONE if parts.active is None else parts.order.index(parts.active)


def _read_company(game: Any, company: int, part: shape.Company, path: str) -> None:
    for field, seat in (("controller", part.controller), ("last_controller", part.last_controller)):
        game[field][company] = NONE if seat is None else _seat(game, seat, f"{path}.{field}")
    game.sold |= part.sold << company
    game.company_cubes[company] = part.cubes
    game.profit[company] = part.profit
    game.start[company] = NONE if part.start is None else code_of(f"{path}.start", part.start, t.CITIES, "city")
    routes = [code_of(f"{path}.links[{k}]", link, t.ROUTES, "route") for k, link in enumerate(part.links)]
    game.num_links[company] = len(routes)
    game.links[company, : len(routes)] = routes
    game.goods[company] = [getattr(part.goods, colour) for colour in t.GOODS]


def _read_goods(game: Any, goods: dict[str, Any]) -> None:
    for city, colour in goods.items():
        code = code_of("goods", city, t.CITIES, "city")
        right = t.GOODS[t.CITY_GOODS[code]]
        if colour != right:
            refuse(f"goods.{city}", f"{show(colour)}, but the cubes of that city are {right}")
        game.goods_left |= np.int64(1 << code)


def _set(members: Any, known: Any, path: str) -> int:
    """A bit set; the members must be there once each, in order."""
    codes = [known.index(member) for member in members]
    if codes != sorted(set(codes)):
        refuse(path, f"{show(list(members))} is not in order, or has something twice")
    return sum(1 << code for code in codes)
