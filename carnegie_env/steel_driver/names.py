"""Names as the rulebook prints them: cities, actions, sides. Files and interfaces use the ids of the tables instead."""

from __future__ import annotations

from typing import Any

from carnegie_env.steel_driver import actions
from carnegie_env.steel_driver import tables as t

CITIES = tuple(city.replace("_", " ").title() for city in t.CITIES)
PLAYERS = tuple(f"player_{seat}" for seat in range(t.SEATS))


def _wording(number: int) -> str:
    text = actions.TEXTS[number]
    if number >= actions.TAKE:
        city = number - actions.TAKE
        return f"take the {t.GOODS[t.CITY_GOODS[city]]} goods cube of {CITIES[city]}"
    if number >= actions.BUILD:
        return "build " + " to ".join(CITIES[t.CITIES.index(city)] for city in text.split()[1:])
    if number >= actions.OPEN:
        _, company, bid = text.split()
        return f"open {company} for {bid}"
    return text


WORDINGS = tuple(_wording(number) for number in range(actions.NUM_ACTIONS))


def action(game: Any, number: int) -> str:
    """An action in words.

    Args:
        game: the record before the action; it makes no difference in this game.
        number: the action's number.
    """
    return WORDINGS[number]
