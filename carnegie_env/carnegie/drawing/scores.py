"""The current scores by category, as far as the viewer knows them."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np

from carnegie_env.carnegie import names as words
from carnegie_env.carnegie import state
from carnegie_env.carnegie.drawing import letters, signs
from carnegie_env.carnegie.drawing.scene import HEAD, Scene, plain
from carnegie_env.carnegie.rules import scoring
from carnegie_env.core.game import Game
from carnegie_env.render import svg

ROW = 22
NAME = 120  # width of a side's name
TITLES = {
    "immediate": "immediate", "action_choice": "Action Choice", "active_employees": "active employees",
    "departments": "departments", "tabs": "project tabs", "links": "links", "cities": "cities",
    "final_effects": "final effects", "secret_donation": "secret donation", "donations": "donations", "total": "total",
    "cards": "cards", "transport": "transport",
}  # fmt: skip
SHORT_TITLES = {  # where columns are narrow
    "immediate": "immed.", "action_choice": "Act. Choice", "active_employees": "active empl.", "departments": "depts",
    "final_effects": "final eff.", "secret_donation": "secret don.", "donations": "donat.",
}  # fmt: skip
ANDREWS = {"cards": "immediate", "transport": "links"}  # Andrew's categories in the columns of the seats
HEADS = 30  # height of the column names


def rows(scene: Scene, record: Any) -> list[dict[str, int]]:
    """The score of each side by category; donations are one number, unknown secret donations are left out."""
    known, secret = SimpleNamespace(**vars(scene.fields)), scene.game.secret
    known.secret = np.array([cell if scene.knows(seat) else state.NONE for seat, cell in enumerate(secret)])
    out = np.zeros((state.SEATS + 1, scoring.NUM_SCORES), np.int64)
    plain(scoring.score)(known, out)
    game: Game = scene.position.game
    return game.summed_scores(record, out[list(game.sides(scene.options))].tolist())


def height(sides: int) -> float:
    """The panel's height."""
    return HEAD + HEADS + sides * ROW + 8


def draw(scene: Scene, found: list[dict[str, int]], x: float, y: float, width: float) -> None:
    """A table: a row for each side, a column for each category."""
    names = [name for name in TITLES if name in found[0]]
    owners = scene.position.game.sides(scene.options)
    title = "Scores" if scene.mover < 0 else "Scores as if the game ended now"
    hidden = scene.options.secret_donation and scene.mover >= 0
    note = "without unknown secret donations" if hidden else ""
    with scene.panel(x, y, width, height(len(found)), title, note):
        scene.pencil.raw(_heads(scene.theme, tuple(names), width))
        for k, (owner, scores) in enumerate(zip(owners, found, strict=True)):
            values = tuple(_value(scores, name) for name in names)
            said, body = _row(scene.theme, owner, tuple(names), values, width)
            with scene.moved(0, HEAD + HEADS + k * ROW):
                scene.part(f"score_{words.OWNERS[owner]}", said, body, "scores")


def _value(scores: dict[str, int], name: str) -> str:
    for andrews, column in ANDREWS.items():
        if column == name and andrews in scores:
            return str(scores[andrews])
    return str(scores.get(name, "-"))


@functools.lru_cache(64)
def _heads(theme: str, names: tuple[str, ...], width: float) -> str:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    wide = (width - NAME - 12) / len(names)
    for k, name in enumerate(names):
        title = TITLES[name]
        if max(letters.width(word, 11) for word in title.split(" ")) > wide - 4:
            title = SHORT_TITLES.get(name, title)
        lines = title.split(" ")
        for row, line in enumerate(lines):
            foot = HEAD + HEADS - 8 - 12 * (len(lines) - 1 - row)
            pencil.text(NAME + (k + 1) * wide - 8, foot, line, 11, colours.faint, "end")
    pencil.line((12, HEAD + HEADS - 2), (width - 12, HEAD + HEADS - 2), colours.line)
    return pencil.shapes()


@functools.lru_cache(1024)
def _row(theme: str, owner: int, names: tuple[str, ...], values: tuple[str, ...], width: float) -> tuple[str, str]:
    pencil = signs.sheet(theme)
    wide = (width - NAME - 12) / len(names)
    pencil.raw(signs.at(22, ROW / 2, signs.disk(theme, owner, 8)))
    pencil.text(36, ROW / 2 + 4.5, words.OWNERS[owner].capitalize() if owner == state.ANDREW else words.OWNERS[owner],
                12)  # fmt: skip
    for k, (name, value) in enumerate(zip(names, values, strict=True)):
        total = name == "total"
        pencil.text(NAME + (k + 1) * wide - 8, ROW / 2 + 4.5, value, 14 if total else 12, anchor="end", bold=total)
    said = [f"{TITLES[name]} {value}" for name, value in zip(names, values, strict=True)]
    return f"Score of {words.OWNERS[owner]}: {', '.join(said)}", pencil.shapes()
