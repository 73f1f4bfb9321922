"""A position as text, and its legal actions in a few lines."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from carnegie_env.core.facts import members
from carnegie_env.core.lazy import lazily_compiled
from carnegie_env.render.text import columns, victory
from carnegie_env.steel_driver import names, outlook
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import goods, rounds
from carnegie_env.steel_driver.rules.auctions import ALL_COMPANIES
from carnegie_env.steel_driver.state import BID, BUILD, GOODS, NONE, OPEN

_final_controller, _supply = lazily_compiled(goods.final_controller), lazily_compiled(rounds.supply)
_link_of, _halves = lazily_compiled(outlook.link_of), lazily_compiled(outlook.halves)
_free_routes_of_word, _bonus = lazily_compiled(outlook.free_routes), lazily_compiled(outlook.bonus)
_NOBODY = "-"
_HARD = "\xa0"  # no-break space


def board(position: Any, width: int, seat: int | None = None) -> str:
    """The position as text, at most ``width`` columns wide (80 to 120); with a seat without the legal actions."""
    game = position.record
    parts = [_title(position), _companies(game), _networks(game, width)]
    if game.phase <= BID:
        parts.append(_next_links(game, width))
    parts.append(_players(position))
    if position.is_over:
        parts.append(_scores(position))
    elif seat is None:
        parts.append(choices(position, width, True))
    return "\n\n".join("\n".join(line.rstrip() for line in lines) for lines in parts)


# ---------------------------------------------------------------- helpers
def _wrapped(start: str, entries: Sequence[str], width: int) -> list[str]:
    """Entries with commas between them, with line breaks only between entries."""
    text = start.replace(" ", _HARD) + ", ".join(entry.replace(" ", _HARD) for entry in entries)
    lines = textwrap.wrap(text, width, subsequent_indent="    ", break_on_hyphens=False)
    return [line.replace(_HARD, " ") for line in lines]


def _seat(seat: int) -> str:
    return _NOBODY if seat == NONE else f"player_{seat}"


def _number(number: int) -> str:
    return str(number) if number else _NOBODY


# ---------------------------------------------------------------- the parts
def _title(position: Any) -> list[str]:
    game = position.record
    title = f"STEEL DRIVER   {position.num_players} players   round {position.round} of {t.ROUNDS}"
    if position.is_over:
        return [title, "the game is over"]
    if game.auction != NONE:
        what = f"{t.COMPANIES[game.auction]} is up for auction, {_seat(game.bidder)} bids {game.bid}"
    elif game.phase == OPEN:
        what = f"auctions, marker passed {game.marker_passes} time{'' if game.marker_passes == 1 else 's'}"
    else:
        what = f"{t.COMPANIES[game.order[game.place]]} {'builds' if game.phase == BUILD else 'takes goods'}"
    return [title, f"{what}: {_seat(game.to_play)} decides"]


def _companies(game: Any) -> list[str]:
    """A row for each company, in the order of the round; a * marks those sold in this round."""
    final = game.phase >= GOODS
    passed = game.passed[: game.num_passed].tolist()
    heads = ["links", "passed", *(["sets", *t.GOODS] if final else ["profit", "cubes", "would control"])]
    rows = [["COMPANY", "control", "buyer", *heads]]
    for company in game.order.tolist():
        sold, buyer = game.sold >> company & 1, game.last_controller[company]
        bought = f"{'*' if sold else ''}{_NOBODY if buyer == NONE else buyer}"
        cells = [t.COMPANIES[company], _seat(game.controller[company]), bought]
        cells += [str(game.num_links[company]), str(passed.index(company) + 1) if company in passed else _NOBODY]
        cells.append(f"${game.profit[company]}")
        if final:
            cells += map(_number, game.goods[company].tolist())
        else:
            cells += [str(game.company_cubes[company]), _seat(_final_controller(game, company))]
        rows.append(cells)
    return [*columns(rows, left=1), "buyer: the seat that bought it last, * in this round"]


def _networks(game: Any, width: int) -> list[str]:
    """The cities of each company in the order of connection, and the goods cubes left."""
    lines = ["NETWORKS   cities as linked: $, letter of goods; from: if not the one before"]
    for company, name in enumerate(t.COMPANIES):
        lines += _wrapped(f"  {name}: ", _network(game, company) or [_NOBODY], width)
    if game.transcontinental:
        companies = [t.COMPANIES[k] for k in members(game.transcontinental)]
        companies[-1] += f"; completed by {t.COMPANIES[game.link_builder]}"
        lines += _wrapped("  transcontinental link: ", companies, width)
    if game.phase == GOODS:
        left = [f"{names.CITIES[k]}:{t.GOODS[t.CITY_GOODS[k]]}" for k in members(game.goods_left)]
        lines += _wrapped("  goods cubes: ", left, width)
    return lines


def _network(game: Any, company: int) -> list[str]:
    """The cities of a company in the order of building, each with the city that its link begins at.

    That is the one before unless another one is named. A link between connected cities is an entry with both.
    """
    entries: list[str] = []
    cities = [int(game.start[company])] if game.num_links[company] else []
    for route in game.links[company, : game.num_links[company]].tolist():
        one, other = sorted((t.ROUTE_FROM[route], t.ROUTE_TO[route]), key=lambda city: city not in cities)
        if other in cities:
            entries.append(f"{names.CITIES[one]}-{names.CITIES[other]}")
            continue
        entries.append(f"{_valued(other)}{'' if cities[-1] == one else f' from {names.CITIES[one]}'}")
        cities.append(other)
    return [_valued(city) for city in cities[:1]] + entries


def _valued(city: int) -> str:
    return f"{names.CITIES[city]}:{t.CITY_VALUE[city]}{t.GOODS[t.CITY_GOODS[city]][0]}"


def _next_links(game: Any, width: int) -> list[str]:
    """The links that companies for sale could build next, whatever their cubes; those that earn nothing are left out.

    Companies without links share one line, with both cities of each link.
    """
    lines = ["NEXT LINKS   new city cubes/$, by the cheapest link; first links: start-city"]
    halves = _halves(game)
    begun = [company for company in members(ALL_COMPANIES & ~game.sold) if game.num_links[company]]
    new = [t.COMPANIES[company] for company in members(ALL_COMPANIES & ~game.sold) if company not in begun]
    for company in begun:
        lines += _wrapped(f"  {t.COMPANIES[company]}: ", _later_links(game, company, halves) or [_NOBODY], width)
    if new:
        lines += _wrapped(f"  {', '.join(new)}: ", _first_links(game, halves) or [_NOBODY], width)
    return lines


def _later_links(game: Any, company: int, halves: tuple[int, int]) -> list[str]:
    """The cities that a company with links could connect next."""
    found: dict[int, int] = {}  # the cheapest route to a city
    if game.num_links[company] < t.LINKS:
        for route in _free_routes(game, company):
            for city in members(t.ROUTE_ENDS[route] & ~game.network[company]):
                if city not in found or t.ROUTE_COST[route] < t.ROUTE_COST[found[city]]:
                    found[city] = route
    return [_price(names.CITIES[city], route, city, halves) for city, route in found.items()]


def _first_links(game: Any, halves: tuple[int, int]) -> list[str]:
    """The first links that a company could build, as start city-new city."""
    found = []
    for route in _free_routes(game, int(np.flatnonzero(game.num_links == 0)[0])):
        one, other = t.ROUTE_FROM[route], t.ROUTE_TO[route]
        for origin, city in ((one, other), (other, one)):
            if t.START_CITIES >> origin & 1:
                found.append(_price(f"{names.CITIES[origin]}-{names.CITIES[city]}", route, city, halves))
    return found


def _free_routes(game: Any, company: int) -> list[int]:
    network = int(game.network[company])
    words = [_free_routes_of_word(game, company, network, word) for word in range(t.ROUTE_WORDS)]
    return [word * t.WORD_BITS + k for word, routes in enumerate(words) for k in members(routes)]


def _price(name: str, route: int, city: int, halves: tuple[int, int]) -> str:
    bonus = _bonus(*halves, route)
    return f"{name} {t.ROUTE_COST[route]}/${t.CITY_VALUE[city]}{f' + ${bonus}' if bonus else ''}"


def _players(position: Any) -> list[str]:
    game = position.record
    rows = [["PLAYER", "cash", "cubes", *t.COMPANIES, ""]]
    for seat in range(position.num_players):
        signs = ["marker"] if seat == game.marker else []
        signs += ["passed"] if game.passed_bidders >> seat & 1 else []
        shares = map(_number, game.shares[seat].tolist())
        rows.append([_seat(seat), f"${game.cash[seat]}", str(game.cubes[seat]), *shares, ", ".join(signs)])
    return [*columns(rows, left=1), f"shares by company; {_supply(game)} investment cubes in the supply"]


def _scores(position: Any) -> list[str]:
    """The result; goods cubes break ties."""
    found = position.score_breakdown()
    rows = [["FINAL SCORE", *(_seat(seat) for seat in range(len(found)))]]
    rows += [[key, *(str(scores[key]) for scores in found)] for key in ("cash", "shares", "total", "goods")]
    winners = [_seat(seat) for seat, place in enumerate(position.places()) if place == 0]
    return [*columns(rows, left=1), victory(winners)]


# ---------------------------------------------------------------- the decision
def choices(position: Any, width: int, title: bool = False) -> list[str]:
    """The legal actions in a few lines; bids as a range, links with what they cost and earn.

    Args:
        position: a game that is not over.
        width: columns.
        title: begin with a line that names the player.
    """
    game = position.record
    heading = [f"PLAYER_{game.to_play} CAN PLAY"] if title else []
    if game.phase == OPEN:
        companies = [t.COMPANIES[k] for k in members(ALL_COMPANIES & ~game.sold)]
        companies[-1] += f"; {_range(1, game.cubes[game.to_play])}"
        return heading + _wrapped("pass, open COMPANY CUBES: ", companies, width)
    if game.phase == BID:
        return [*heading, f"pass, bid CUBES: {_range(game.bid + 1, game.cubes[game.to_play])}"]
    numbers = position.legal_numbers().tolist()
    shown = [_link(game, number) if game.phase == BUILD else names.action(game, number) for number in numbers]
    return heading + _wrapped("", shown, width)


def _range(least: int, most: int) -> str:
    return f"{least} to {most}" if most > least else f"{least}"


def _link(game: Any, number: int) -> str:
    """A link with its cost, the city's value and the bonus for completing the transcontinental link."""
    cost, earned, bonus = _link_of(game, number)
    return f"{names.action(game, number)} ({cost} cubes, ${earned}{f' + ${bonus}' if bonus else ''})"
