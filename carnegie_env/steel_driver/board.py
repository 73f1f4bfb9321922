"""A position as text, and its legal actions in a few lines."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from carnegie_env.core.facts import members
from carnegie_env.core.patience import seldom
from carnegie_env.steel_driver import actions, outlook, state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import goods, rounds
from carnegie_env.steel_driver.rules.auctions import ALL_COMPANIES
from carnegie_env.steel_driver.state import BUILD, GOODS, NONE, OPEN

SELDOM = 10_000  # calls before compiling the rules that are asked here pays
_final_controller, _supply = seldom(goods.final_controller, SELDOM), seldom(rounds.supply, SELDOM)
_link_of = seldom(outlook.link_of, SELDOM)
_NOBODY = "-"


def board(position: Any, width: int) -> str:
    """The position as text, at most ``width`` columns wide (80 to 120)."""
    lines = [*_wrapped("", _title(position), width), "", *_companies(position), "", *_networks(position.record, width)]
    lines += ["", *_players(position), "", *(_scores(position) if position.is_over else choices(position, width, True))]
    return "\n".join(line.rstrip()[:width] for line in lines)


# ---------------------------------------------------------------- helpers
def _wrapped(start: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(start + text, width, subsequent_indent="    ", break_on_hyphens=False)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells in columns as wide as they need: the first to the left, the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
            for row in rows]  # fmt: skip


def _seat(seat: int) -> str:
    return _NOBODY if seat == NONE else f"player_{seat}"


def _number(number: int) -> str:
    return str(number) if number else _NOBODY


# ---------------------------------------------------------------- the parts
def _title(position: Any) -> str:
    game = position.record
    text = f"STEEL DRIVER   {position.num_players} players   round {position.round} of {t.ROUNDS}   "
    if position.is_over:
        return f"{text}the game is over"
    if game.auction != NONE:
        text += f"{t.COMPANIES[game.auction]} is up for auction, {_seat(game.bidder)} bids {game.bid}: "
    elif game.place != NONE:
        doing = "builds" if game.phase == BUILD else "takes goods"
        text += f"{t.COMPANIES[game.order[game.place]]} {doing}: "
    return f"{text}{_seat(game.to_play)} decides"


def _companies(position: Any) -> list[str]:
    """A row for each company, in the order of the round."""
    game = position.record
    final = game.phase >= GOODS
    passed = game.passed[: game.num_passed].tolist()
    columns = ["sets", *t.GOODS] if final else ["profit", "would control"]
    rows = [["COMPANY", "control", "cubes", "links", "passed", *columns]]
    for company in game.order.tolist():
        cells = [t.COMPANIES[company], _seat(game.controller[company])]
        cells += [str(game.company_cubes[company]), str(game.num_links[company])]
        cells += [str(passed.index(company) + 1) if company in passed else _NOBODY, f"${game.profit[company]}"]
        cells += map(_number, game.goods[company].tolist()) if final else [_seat(_final_controller(game, company))]
        rows.append(cells)
    return _table(rows)


def _networks(game: Any, width: int) -> list[str]:
    """The cities of each company, in the order in which they were connected; free cubes at last."""
    lines = ["NETWORKS   cities in the order of building, with their value in $"]
    for company, name in enumerate(t.COMPANIES):
        cities = dict.fromkeys([game.start[company]] if game.num_links[company] else [])
        for route in game.links[company, : game.num_links[company]].tolist():
            cities |= dict.fromkeys((t.ROUTE_FROM[route], t.ROUTE_TO[route]))
        text = ", ".join(f"{t.CITIES[city]}:{t.CITY_VALUE[city]}" for city in cities)
        lines += _wrapped(f"  {name}: ", text or _NOBODY, width)
    if game.transcontinental:
        names = [t.COMPANIES[k] for k in members(game.transcontinental)]
        lines += _wrapped("  transcontinental link: ", f"{', '.join(names)}; completed by "
                          f"{t.COMPANIES[game.link_builder]}", width)  # fmt: skip
    if game.phase == GOODS:
        left = [f"{t.CITIES[k]}:{t.GOODS[t.CITY_GOODS[k]]}" for k in members(game.goods_left)]
        lines += _wrapped("  goods cubes: ", ", ".join(left), width)
    return lines


def _players(position: Any) -> list[str]:
    game = position.record
    rows = [["PLAYER", "cash", "cubes", *t.COMPANIES, ""]]
    for seat in range(position.num_players):
        signs = ["marker"] if seat == game.marker else []
        signs += ["decides"] if seat == game.to_play else []
        signs += ["passed"] if game.passed_bidders >> seat & 1 else []
        shares = map(_number, game.shares[seat].tolist())
        rows.append([_seat(seat), f"${game.cash[seat]}", str(game.cubes[seat]), *shares, ", ".join(signs)])
    return [*_table(rows), f"shares by company; {_supply(game)} investment cubes in the supply"]


def _scores(position: Any) -> list[str]:
    """The result; goods cubes decide between equals."""
    found = position.score_breakdown()
    rows = [["FINAL SCORE", *(_seat(seat) for seat in range(len(found)))]]
    rows += [[key, *(str(scores[key]) for scores in found)] for key in ("cash", "shares", "total", "goods")]
    winners = [_seat(seat) for seat, place in enumerate(position.places()) if place == 0]
    return [*_table(rows), f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the victory'}"]


# ---------------------------------------------------------------- the decision
def choices(position: Any, width: int, title: bool = False) -> list[str]:
    """The legal actions in a few lines; bids as a range, links with what they cost and earn.

    Args:
        position: a game that is not over.
        width: columns.
        title: begin with a line that says whose they are.
    """
    game, legal = position.record, position.legal_actions()
    heading = [f"PLAYER_{game.to_play} CAN PLAY"] if title else []
    if game.phase == OPEN:
        names = [t.COMPANIES[k] for k in members(ALL_COMPANIES & ~game.sold)]
        cubes = f"1 to {game.cubes[game.to_play]}" if game.cubes[game.to_play] > 1 else "1"
        return heading + _wrapped("", f"pass, open COMPANY CUBES: {', '.join(names)}; {cubes}", width)
    if game.phase == state.BID:
        return heading + _wrapped("", f"pass, bid CUBES: {game.bid + 1} to {game.cubes[game.to_play]}", width)
    if game.phase == BUILD:
        legal = [_link(game, text) for text in legal]
    else:
        legal = [f"{text} ({t.GOODS[t.CITY_GOODS[t.CITIES.index(text.split()[-1])]]})" for text in legal]
    return heading + _wrapped("", ", ".join(legal), width)


def _link(game: Any, text: str) -> str:
    """A link with its cost and what it earns: a city, and the bonus of a transcontinental link."""
    cost, earned, bonus = _link_of(game, actions.TEXTS.index(text))
    return f"{text} ({cost} cubes, ${earned}{f' + ${bonus}' if bonus else ''})"
