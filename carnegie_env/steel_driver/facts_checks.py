"""Checks between the values of the component tables; an error names the file, the table and the value.

A user's edition may have another map and other numbers, as far as the rules support them: everything else is refused
here.
"""

from __future__ import annotations

import itertools
from typing import get_args

from carnegie_env.core.facts import keys, need, need_unique
from carnegie_env.steel_driver import schema
from carnegie_env.steel_driver.schema import Facts

COMPANIES: tuple[str, ...] = get_args(schema.Company)
MOST_CITIES = 62  # sets of cities are bit masks in an int64
MOST_ROUTES = 124  # sets of routes are two int64
MOST_CUBES = 62  # sets of bids are bit masks in an int64
MOST_ROUNDS = 9
MOST_LINKS = 20  # of a company, to keep records small


def check(facts: Facts) -> None:
    """Raise a ValueError that says what would be right if the rules can't play with these tables."""
    file = facts.sources["steel_driver"]
    _check_numbers(file, facts.steel_driver.game)
    _check_cities(file, facts.steel_driver)
    _check_routes(file, facts.steel_driver)


def _check_numbers(file: str, game: schema.Numbers) -> None:
    right = game.companies == list(COMPANIES)
    need(right, file, "game companies", game.companies, f"{list(COMPANIES)}, the rules can't vary it")
    need(game.rounds <= MOST_ROUNDS, file, "game rounds", game.rounds, f"1 to {MOST_ROUNDS}")
    right = game.shares_per_company == game.rounds
    need(right, file, "game shares_per_company", game.shares_per_company, f"{game.rounds}, one for each round")
    need(game.links_per_company <= MOST_LINKS, file, "game links_per_company", game.links_per_company,
         f"1 to {MOST_LINKS}")  # fmt: skip
    in_all = game.investment_cubes
    need(in_all <= MOST_CUBES, file, "game investment_cubes", in_all, f"1 to {MOST_CUBES}")
    for players, key in enumerate(keys(schema.CubesPerPlayer), 3):
        cubes = getattr(game.cubes_per_player, key)
        need(players * cubes <= in_all, file, f"game cubes_per_player {key}", cubes,
             f"at most {in_all // players}: there are {in_all} investment cubes")  # fmt: skip
    steps = [after - before for before, after in itertools.pairwise([0, *game.set_values])]
    need(steps == sorted(steps), file, "game set_values", game.set_values,
         "such that each further cube of a set adds as much as the one before or more")  # fmt: skip


def _check_cities(file: str, facts: schema.Map) -> None:
    ids = [city.id for city in facts.city]
    need(2 <= len(ids) <= MOST_CITIES, file, "city", len(ids), f"2 to {MOST_CITIES} cities")
    need_unique(file, "city", ids)
    need(any(city.start for city in facts.city), file, "city start", False, "true of one city or more")
    for colour in keys(schema.GoodsCubes):
        cubes, cities = getattr(facts.game.goods_cubes, colour), sum(city.goods == colour for city in facts.city)
        need(cubes == cities, file, f"game goods_cubes {colour}", cubes, f"{cities}, one for each {colour} city")
    ends = {"from": facts.game.transcontinental.from_, "to": facts.game.transcontinental.to}
    for key, end in ends.items():
        need(end in ids, file, f"game transcontinental {key}", end, "the id of a city of this file")
    need(ends["from"] != ends["to"], file, "game transcontinental to", ends["to"], "another city than `from`")


def _check_routes(file: str, facts: schema.Map) -> None:
    routes, ids = facts.network.routes, [city.id for city in facts.city]
    need(1 <= len(routes) <= MOST_ROUTES, file, "network routes", len(routes), f"1 to {MOST_ROUTES} routes")
    for a, b, cost in routes:
        for end in (a, b):
            need(end in ids, file, "network routes", end, "the id of a city of this file")
        need(a != b, file, "network routes", [a, b, cost], "between two different cities")
        need(cost <= facts.game.investment_cubes, file, "network routes", [a, b, cost],
             f"at most {facts.game.investment_cubes} cubes: there are no more")  # fmt: skip
    need_unique(file, "network routes", (tuple(sorted(route[:2])) for route in routes))
