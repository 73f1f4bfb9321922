"""Players for the tests, each preferring another corner of the rules."""

import random
from functools import cache

from tests import play_styles

from .components import CITIES, ROUTES, Route

# "any": uniform, so mostly wild bids. "verbs": uniform over kinds of actions. "builder": many companies are sold for a
# few cubes and build for long. "rich": bids all or nothing, so few companies build far. "passer": mostly passes, so
# cubes pile up and the supply runs short. "coast": builds towards the other coast. "links": puts nearly everything into
# one company and builds the cheapest links, to reach the last one.
STYLES = ["any", "verbs", "builder", "rich", "passer", "coast", "links"]


def choose(rng: random.Random, position: dict, legal: set[str], style: str) -> str:
    """Choose an action in a style of ``STYLES``."""
    return play_styles.choose(rng, legal, style, lambda action: _wish(position, action, style))


def _wish(d: dict, action: str, style: str) -> float:
    verb, *words = action.split()
    match verb:
        case "pass":
            return {"passer": 60.0, "rich": 3.0}.get(style, 1.0 if d["phase"] == "bid" else 0.2)
        case "open" if style == "links" and words[0] != "red":
            return 0.001
        case "open":
            return _bid(d, int(words[1]), style)
        case "bid":
            return _bid(d, int(words[0]), style)
        case "build" if style == "coast":
            return _towards_the_other_coast(d, words)
        case "build" if style == "links":
            return 30.0 ** -_route(words).cost
    return 1.0


def _bid(d: dict, cubes: int, style: str) -> float:
    if style == "rich":
        return 3.0 if cubes == d["players"][d["to_play"]]["cubes"] else 0.05
    if style == "links":
        return 1.0 if cubes >= 9 or d["round"] > 3 else 0.05
    return 1.0 if 3 <= cubes <= 6 else 0.05


def _route(words: list[str]) -> Route:
    return ROUTES.get(" ".join(words)) or ROUTES[" ".join(reversed(words))]


@cache
def _links_to(goal: str) -> dict[str, int]:
    """The distance of every city from one city, in routes."""
    found, ring = {goal: 0}, [goal]
    while ring:
        near = {r.other_end(city) for city in ring for r in ROUTES.values() if city in r.ends} - found.keys()
        found |= dict.fromkeys(near, found[ring[0]] + 1)
        ring = sorted(near)
    return found


def _towards_the_other_coast(d: dict, words: list[str]) -> float:
    company = d["companies"][d["active"]]
    if company["start"] is None:
        return 3.0 if words[0] in ("new_york", "san_francisco") else 0.3
    east = CITIES[company["start"]].goods in ("white", "black")
    goal = _links_to("san_francisco" if east else "new_york")
    connected = {city for link in company["links"] for city in link.split()}
    ends = [city for city in words if city not in connected]
    return 0.02 if not ends else 8.0 ** (min(goal[c] for c in connected) - goal[ends[0]])
