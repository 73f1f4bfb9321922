"""The games of a server, with their options as a form needs them, and the help topics."""

from __future__ import annotations

import dataclasses
from typing import Any

import carnegie_env
from carnegie_env import collection
from carnegie_env.core.arguments import MODULES, argument_texts
from carnegie_env.core.facts import unprinted
from carnegie_env.core.game import Game, Topic

Json = dict[str, Any]


def about(agents: list[Json]) -> Json:
    """The version, the games and these agents."""
    games = [_game(game) for game in collection.games().values()]
    return {"version": carnegie_env.__version__, "games": games, "agents": agents}


def help_of(game: Game) -> Json:
    """The help topics of a game, by key, with a notice if component values are reconstructed."""
    topics = dict(game.presentation.topics())
    values = unprinted(game.presentation.facts) if game.presentation.facts else []
    number = sum(value.mark == "reconstructed" for value in values)
    if number:
        text = (
            f"{number} component values are reconstructed, because no picture of these components was available; "
            f"results are valid only for these values. `carnegie-env facts --game {game.name}` lists them."
        )
        topics["reconstructed"] = Topic("About reconstructed values", text, "docs/rules/fidelity.md")
    return {key: dataclasses.asdict(topic) for key, topic in topics.items()}


def _game(game: Game) -> Json:
    return {
        "name": game.name,
        "title": game.title,
        "seats": list(game.seats),
        "opponent": game.opponent,
        "point": game.presentation.point,
        "options": _options(game),
    }


def _options(game: Game) -> list[Json]:
    """The options of a game, except for the number of players, which follows from the seats."""
    kind = game.options
    choices, solo = kind.choices(), kind.choices(solo=True)
    texts = argument_texts(kind.__doc__ or "")
    forms: dict[str, tuple[str, Any]] = {}
    for field in dataclasses.fields(kind):
        flag = "flag" if isinstance(field.default, bool) else "number"
        forms[field.name] = ("choice" if field.name in choices else flag), field.default
    modules = choices.get(MODULES, ())
    if modules:
        forms[MODULES] = "names", []
    return [
        {
            "name": name,
            "kind": form,
            "choices": list(choices.get(name, ())),
            "default": default,
            "solo_only": name in kind.SOLO_ONLY,
            "not_solo": [choice for choice in choices.get(name, ()) if choice not in solo[name]],
            "help": texts.get(name, ""),
        }
        for name, (form, default) in forms.items()
        if name != "num_players" and name not in modules  # MODULES lists them together
    ]
