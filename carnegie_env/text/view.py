"""Rules, positions and legal actions as text. A position's text has everything that a seat sees, and nothing hidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from carnegie_env import collection
from carnegie_env.core import information
from carnegie_env.core.facts import Table, files
from carnegie_env.core.game import NOTHING, Game
from carnegie_env.core.position import BasePosition

STYLES = ("full", "compact")
WIDTH = 120  # columns of a board
EXAMPLES = 3  # actions that show a form


def check_style(style: str) -> str:
    """Return the style if it exists; a ValueError lists the styles."""
    if style not in STYLES:
        raise ValueError(f"style must be one of {', '.join(STYLES)}, not {style!r}")
    return style


def options_of(game: Game, options: Any) -> Any:
    """The options from a dictionary of some of them, from None, or unchanged."""
    return game.options.from_dict(options or {}) if options is None or isinstance(options, Mapping) else options


# ---------------------------------------------------------------- rules
def rules(game: str | Game, options: Any = None, *, with_components: bool = False) -> str:
    """Short rules, from the game's help texts.

    Args:
        game: a game or its name.
        options: the game's options, a dictionary of some of them, or None for the defaults.
        with_components: add all values of the components; see :func:`components`.

    Raises:
        ValueError: an unknown game or invalid options.
    """
    game = collection.find(game)
    options = options_of(game, options)
    shown, topics = game.presentation, game.presentation.topics()
    keys = topics if shown.rules is None else shown.rules(options)
    ranks = [name.replace("_", " ") for name in game.rank_by]
    ties = f"; ties are broken by {', then '.join(ranks[1:])}" if ranks[1:] else ""
    sides = ", ".join(game.side_names(options))
    lines = [f"{game.title}. The sides are {sides}. The side with the highest {ranks[0]} wins{ties}."]
    lines += [f"Random: {game.random}."] if game.has_chance else []
    lines += [f"Hidden: {shown.hidden}."] if shown.hidden != NOTHING and game.hides(options) else []
    lines += [f"{topics[key].title}: {topics[key].text}" for key in keys]
    return "\n".join([*lines, *(["", components(game)] if with_components else [])])


def components(game: str | Game) -> str:
    """All values of the components, a line for each entry of the fact tables; "" for a game without such tables."""
    facts = collection.find(game).presentation.facts
    if facts is None:
        return ""
    lines: list[str] = []
    for name in files(type(facts)):
        lines += [f"COMPONENTS: {name}", *_entries("", getattr(facts, name))]
    return "\n".join(lines)


def _entries(name: str, value: Any) -> Iterator[str]:
    """The lines of a value: one for each table that contains no further tables."""
    if isinstance(value, list | tuple) and value and isinstance(value[0], Table):
        for part in value:
            yield from _entries(name, part)
    elif isinstance(value, Table):
        values = {key: getattr(value, key) for key in value.__struct_fields__ if key not in ("mark", "marks")}
        inner = {key for key, each in values.items() if _has_tables(each)}
        if own := ", ".join(f"{key} {_short(each)}" for key, each in values.items() if key not in inner):
            yield f"{name}: {own}" if name else own
        for key in inner:
            yield from _entries(f"{name} {key}".strip(), values[key])


def _has_tables(value: Any) -> bool:
    parts = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(part, Table) for part in parts)


def _short(value: Any) -> str:
    """A value without quotes."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_short, value))}]"
    if isinstance(value, Mapping):
        return f"({', '.join(f'{key} {_short(each)}' for key, each in value.items())})"
    return str(value)


# ---------------------------------------------------------------- positions
def describe(position: BasePosition[Any], seat: int, style: str = "full") -> str:
    """A position as a seat sees it, without legal actions.

    Args:
        position: the game; it is not changed.
        seat: the observing seat.
        style: "full": the board as text; "compact": the observation by name, without the numbers that are 0.

    Raises:
        ValueError: an unknown seat or style.
    """
    check_style(style)
    game, players = position.game, position.num_players
    observation = position.observe(seat)  # checks the seat
    hides = not position.is_over and game.hides(position.options)
    seen = information.as_seen(position, seat) if hides else position
    if style == "full":
        return f"You are player_{seat}.\n{seen.render(WIDTH, seat)}"
    moves = "the game is over" if position.is_over else f"player_{position.to_play} decides"
    others = ", ".join(f"player_{(seat + k) % players}" for k in range(1, players))
    follow = f"; then clockwise {others}" if others else ""
    lines = [
        f"{game.title}, round {position.round}, phase {position.phase}: {moves}",
        f"You are player_{seat} (own){follow}.",
        position.observation_layout.text(observation),
    ]
    if position.is_over:
        names = game.side_names(position.options)
        scores = zip(names, position.scores(), position.places(), strict=True)
        lines.append("result: " + ", ".join(f"{name} {score} (place {place + 1})" for name, score, place in scores))
    return "\n".join(lines)


# ---------------------------------------------------------------- actions
WORD = re.compile(r"(?<!\w)-\d+|[^\W_]+")


def words_of(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, without case and punctuation; a minus before a number belongs to it."""
    return tuple(WORD.findall(text.lower()))


def legal_actions(position: BasePosition[Any], style: str = "full") -> str:
    """The legal actions by their texts, which never change; "" when the game is over.

    Args:
        position: the game.
        style: "full": a line for each action, with the action in words if these say more. "compact": a line for all
            actions with the same first word, separated by `|`.
    """
    check_style(style)
    game, record = position.game, position.record
    numbers = position.legal_numbers().tolist()
    if style == "compact":
        return "\n".join(" | ".join(group) for group in _by_verb(position.legal_actions()).values())
    lines = []
    for number in numbers:
        text, words = game.texts[number], game.wording(record, number)
        lines.append(text if set(words_of(words)) <= set(words_of(text)) else f"{text}: {words}")
    return "\n".join(lines)


def action_forms(game: str | Game, options: Any = None) -> str:
    """The forms of all actions with these options: a line for each first word, with its number and some examples."""
    game = collection.find(game)
    texts = game.texts[: game.num_actions(options_of(game, options))]
    lines = []
    for group in _by_verb(texts).values():
        step = max(len(group) // EXAMPLES, 1)
        more = f" ({len(group)} in all)" if len(group) > EXAMPLES else ""
        lines.append(" | ".join(group[::step][:EXAMPLES]) + more)
    return "\n".join(lines)


def _by_verb(texts: Iterable[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(text.partition(" ")[0], []).append(text)
    return groups
