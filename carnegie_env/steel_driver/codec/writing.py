"""A record of one game as a dictionary of JSON types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carnegie_env.core.facts import members
from carnegie_env.core.patience import seldom
from carnegie_env.steel_driver import state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.codec import shape
from carnegie_env.steel_driver.options import Options
from carnegie_env.steel_driver.rules import rounds
from carnegie_env.steel_driver.state import NONE

_supply = seldom(rounds.supply)


def to_dict(record: Any) -> dict[str, Any]:
    """One game as a dictionary of JSON types, see :mod:`shape`.

    Args:
        record: one of dtype ``state.GAME`` at a decision or over.
    """
    game = {name: record[name].tolist() for name in state.NAMES}
    place, link = game["place"], game["transcontinental"]
    return {
        "game": shape.GAME,
        "version": shape.VERSION,
        "options": options_of(record).to_dict(),
        "rng": game["rng"],
        "decisions": game["decisions"],
        "round": game["round_number"],
        "phase": state.PHASES[game["phase"]],
        "to_play": _or_none(game["to_play"]),
        "marker": game["marker"],
        "marker_passes": game["marker_passes"],
        "auction": _auction(game),
        "order": [t.COMPANIES[company] for company in game["order"]],
        "passed": [t.COMPANIES[company] for company in game["passed"][: game["num_passed"]]],
        "active": None if place == NONE else t.COMPANIES[game["order"][place]],
        "supply": int(_supply(record)),
        "players": [_player(game, seat) for seat in range(game["num_players"])],
        "companies": {name: _company(game, company) for company, name in enumerate(t.COMPANIES)},
        "goods": {t.CITIES[city]: t.GOODS[t.CITY_GOODS[city]] for city in members(game["goods_left"])},
        "transcontinental": None if link == 0 else {
            "builder": _name(t.COMPANIES, game["link_builder"]),
            "companies": [t.COMPANIES[company] for company in members(link)],
        },
    }  # fmt: skip


def options_of(record: Any) -> Options:
    """The options that a game was set up with."""
    return Options(num_players=int(record["num_players"]), show_forced=bool(record["show_forced"]))


def _auction(game: dict[str, Any]) -> dict[str, Any] | None:
    if game["auction"] == NONE:
        return None
    return {
        "company": t.COMPANIES[game["auction"]],
        "bid": game["bid"],
        "bidder": game["bidder"],
        "passed": members(game["passed_bidders"]),
    }


def _player(game: dict[str, Any], seat: int) -> dict[str, Any]:
    return {
        "cash": game["cash"][seat],
        "cubes": game["cubes"][seat],
        "shares": dict(zip(t.COMPANIES, game["shares"][seat], strict=True)),
    }


def _company(game: dict[str, Any], company: int) -> dict[str, Any]:
    return {
        "controller": _or_none(game["controller"][company]),
        "last_controller": _or_none(game["last_controller"][company]),
        "sold": bool(game["sold"] >> company & 1),
        "cubes": game["company_cubes"][company],
        "profit": game["profit"][company],
        "start": _name(t.CITIES, game["start"][company]),
        "links": [t.ROUTES[route] for route in game["links"][company][: game["num_links"][company]]],
        "goods": dict(zip(t.GOODS, game["goods"][company], strict=True)),
    }


def _or_none(number: int) -> int | None:
    return None if number == NONE else number


def _name(names: Sequence[str], code: int) -> str | None:
    return None if code == NONE else names[code]
