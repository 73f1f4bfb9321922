"""The names of the picture's parts, and the part that a player clicks to take an action."""

from __future__ import annotations

from types import SimpleNamespace

from carnegie_env.carnegie import actions
from carnegie_env.carnegie import tables as t

BUTTON = ""  # the place of actions that are buttons in the part `decision`


def space(number: int) -> str:
    """The part of a construction space."""
    city = int(t.SPACE_CITY[number])
    return f"space_{t.CITIES[city]}_{number - int(t.CITY_FIRST_SPACE[city]) + 1}"


def company(seat: int, number: int) -> str:
    """The part of a company space."""
    return f"company_{seat}_{t.SPACE_IDS[number]}"


def track(region: int, number: int) -> str:
    """The part of a space of a transport track."""
    return f"track_{t.REGIONS[region]}_{number + 1}"


_WORDS = tuple(tuple(text.split()) for text in actions.TEXTS)
_SPACES = {name: number for number, name in enumerate(t.SPACE_IDS)}
_DEPARTMENTS = {name: number for number, name in enumerate(t.DEPARTMENTS) if name}
_VERB, _ARGUMENT = actions.VERB.tolist(), actions.ARGUMENT.tolist()
_SPACE_OF_BUILD: tuple[str, ...] = tuple(space(number) for number in t.BUILD_SPACE.tolist())


def place(game: SimpleNamespace, action: int) -> str:
    """The part of an action, ``BUTTON`` if it has none on the board.

    Args:
        game: the fields of a record as plain numbers and lists.
        action: the number of a legal action.
    """
    seat: int = game.to_play
    verb, words = _VERB[action], _WORDS[action]
    if verb == actions.V_NEW_LOBBY:
        return BUTTON  # the words name a department, but the choice is a number of employees
    if verb == actions.V_BUILD:
        return _SPACE_OF_BUILD[int(_ARGUMENT[action])]
    if verb == actions.V_DONATE:
        return f"donation_{words[1]}"
    if verb == actions.V_TIMELINE:
        return f"timeline_{words[1]}"
    if verb in (actions.V_SIDE, actions.V_ADVANCE_TAB):
        return f"tab_{seat}_{words[1]}"
    if verb == actions.V_ADVANCE_TRACK:
        region = _ARGUMENT[action]
        return track(region, game.track[seat][region] + 1)
    if verb == actions.V_LEVEL:
        return track(game.level_region, _ARGUMENT[action])
    if verb == actions.V_DEPARTMENT:
        number = _DEPARTMENTS[words[1]]
        return f"reserved_{seat}" if game.reserved[seat] == number else f"display_{words[1]}"
    if verb == actions.V_PANEL:
        return f"donations_{words[3]}"
    for word in words:  # a company space (to, activate, lift), or the space of a department in use
        if word in _SPACES:
            return company(seat, _SPACES[word])
        if word in _DEPARTMENTS and _DEPARTMENTS[word] in game.department[seat]:
            return company(seat, game.department[seat].index(_DEPARTMENTS[word]))
    return BUTTON
