"""The component tables as the rules read them: frozen arrays and constants, made from facts/steel_driver.toml.

Arrays are read-only, int64, and compiled into the rules as constants, so a changed table takes effect in the next
process. They are indexed by the first words of their names, or as a comment in brackets says. Names are codes: places
in COMPANIES, CITIES, GOODS, ROUTES. A set of cities is a bit mask in an int64; a set of routes is ROUTE_WORDS of them,
with WORD_BITS routes each.

The environment variable CARNEGIE_ENV_FACTS names a folder (or one .toml file) whose files replace the shipped files of
the same name. It is read once, when this module is imported.
"""

from __future__ import annotations

import os
from pathlib import Path

from carnegie_env.core import facts
from carnegie_env.core.facts import frozen, keys, mask
from carnegie_env.steel_driver import facts_checks, schema

SHIPPED = Path(__file__).parent / "facts"


def load_facts(path: str | os.PathLike[str] | None = None) -> schema.Facts:
    """Load and check all tables.

    Args:
        path: a folder, or one .toml file, that replaces the shipped files of the same name; None for the shipped ones.

    Raises:
        ValueError: naming the file, the table and the value, and what would be right.
    """
    found = facts.load(schema.Facts, SHIPPED, path)
    facts_checks.check(found)
    return found


FACTS = load_facts(os.environ.get("CARNEGIE_ENV_FACTS") or None)
_GAME = FACTS.steel_driver.game
_CITIES = FACTS.steel_driver.city
_ROUTES = FACTS.steel_driver.network.routes

# ---------------------------------------------------------------- the rules' numbers
COMPANIES: tuple[str, ...] = tuple(_GAME.companies)
NUM_COMPANIES = len(COMPANIES)
LEAST_SEATS, SEATS = 3, 6
ROUNDS = _GAME.rounds
SHARES = _GAME.shares_per_company
LINKS = _GAME.links_per_company
CUBES = _GAME.investment_cubes
ROUND_CUBES = frozen([0] * LEAST_SEATS + [getattr(_GAME.cubes_per_player, key) for key in keys(schema.CubesPerPlayer)])
SET_VALUE = frozen([0, *_GAME.set_values])  # [cubes]
BUILDER_BONUS = _GAME.transcontinental.builder
OTHERS_BONUS = _GAME.transcontinental.others

# ---------------------------------------------------------------- the map
CITIES = tuple(city.id for city in _CITIES)
NUM_CITIES = len(CITIES)
CITY_VALUE = frozen([city.value for city in _CITIES])
GOODS = keys(schema.GoodsCubes)
NUM_GOODS = len(GOODS)
CITY_GOODS = frozen([GOODS.index(city.goods) for city in _CITIES])
GOODS_CITIES = frozen([mask(c for c, city in enumerate(_CITIES) if city.goods == colour) for colour in GOODS])
START_CITIES = mask(c for c, city in enumerate(_CITIES) if city.start)
EAST, WEST = CITIES.index(_GAME.transcontinental.from_), CITIES.index(_GAME.transcontinental.to)

ROUTES = tuple(f"{a} {b}" for a, b, _ in _ROUTES)
NUM_ROUTES = len(ROUTES)
ROUTE_FROM = frozen([CITIES.index(a) for a, _, _ in _ROUTES])
ROUTE_TO = frozen([CITIES.index(b) for _, b, _ in _ROUTES])
ROUTE_COST = frozen([cost for _, _, cost in _ROUTES])
ROUTE_ENDS = frozen([mask((a, b)) for a, b in zip(ROUTE_FROM.tolist(), ROUTE_TO.tolist(), strict=True)])
WORD_BITS = 62  # without the sign and one spare bit
ROUTE_WORDS = (NUM_ROUTES + WORD_BITS - 1) // WORD_BITS


def _words(routes: list[int]) -> list[int]:
    """A set of routes."""
    return [mask(r - w * WORD_BITS for r in routes if r // WORD_BITS == w) for w in range(ROUTE_WORDS)]


def _starts_at(city: int) -> bool:
    return _CITIES[city].start


_ALL = range(NUM_ROUTES)
_AT_CITY = [[r for r in _ALL if c in (ROUTE_FROM[r], ROUTE_TO[r])] for c in range(NUM_CITIES)]
CITY_ROUTES = frozen([_words(routes) for routes in _AT_CITY])  # [city, word]
PAYABLE = frozen([_words([r for r in _ALL if ROUTE_COST[r] <= cubes]) for cubes in range(CUBES + 1)])  # [cubes, word]
START_ROUTES = frozen(_words([r for r in _ALL if ROUTE_ENDS[r] & START_CITIES]))  # [word]
# A first link starts in a start city: the set of routes whose first city is one, and the list of routes whose second
# city is one.
FORWARD_STARTS = frozen(_words([r for r in _ALL if _starts_at(ROUTE_FROM[r])]))  # [word]
BACKWARD = frozen([r for r in _ALL if _starts_at(ROUTE_TO[r])])

# ---------------------------------------------------------------- the longest game
# A round: every bid is higher than the one before, and the winner pays the last one, so there are at most as many bids
# as cubes handed out. In each auction all players but the winner pass at most once. Before each auction all players but
# its opener may hand the marker on, and after the last one, unless it was the sixth, all do: at most one pass more than
# with six auctions. Then come at most a link for each route (or all links), and a goods cube for each city.
_AUCTIONS = [n * int(ROUND_CUBES[n]) + 2 * NUM_COMPANIES * (n - 1) + 1 for n in range(LEAST_SEATS, SEATS + 1)]
LONGEST = ROUNDS * max(_AUCTIONS) + min(NUM_ROUTES, NUM_COMPANIES * LINKS) + NUM_CITIES  # decisions
