"""Players for the tests: all reach the end, each prefers another corner of the rules. No rules here."""

from __future__ import annotations

import random
from functools import cache

from .components import CITIES, ROUTES, Route

# "any": each action alike, so mostly wild bids. "verbs": each kind of action alike. "builder": many companies are sold
# for a few cubes and build for long. "rich": bids all or nothing, so few companies build far. "passer": seldom does
# anything, so that cubes pile up and the supply runs short. "coast": builds westward, or eastward from the west.
# "links": puts nearly all into one company and spends as little as it can on each link, to come to the last of them.
STYLES = ["any", "verbs", "builder", "rich", "passer", "coast", "links"]


def choose(rng: random.Random, position: dict, legal: set[str], style: str) -> str:
    """An action drawn by a player of that style."""
    actions = sorted(legal)
    if style == "any":
        return rng.choice(actions)
    if style == "verbs":
        by_verb: dict[str, list[str]] = {}
        for action in actions:
            by_verb.setdefault(action.split()[0], []).append(action)
        return rng.choice(by_verb[rng.choice(sorted(by_verb))])
    return rng.choices(actions, [_wish(position, action, style) for action in actions])[0]


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
    """From every city, the routes it takes to a city at least."""
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
