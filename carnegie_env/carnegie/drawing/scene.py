"""What the parts of the picture are drawn from: the position in plain numbers, who looks, and what he may choose."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie.drawing import places
from carnegie_env.render import svg

WIDTH = 1280
Rectangle = tuple[float, float, float, float]  # left, top, width, height
MARGIN, GAP = 14, 10  # around the picture, between its panels
HEAD = 26  # height of a panel's title


class Scene:
    """A picture while it is drawn.

    Args:
        position: what is drawn.
        seat: who looks, None: everybody.
        theme: the name of the colours.
        height: of the picture.
        title: of the picture.
    """

    def __init__(self, position: Any, seat: int | None, theme: str, height: float, title: str) -> None:
        self.theme = theme
        self.colours = svg.theme(theme)
        self.pencil = svg.Drawing(WIDTH, height, self.colours, title)
        self.position = position
        self.options = position.options
        self.players: int = position.num_players
        self.seat = seat
        self.fields = state.fields(position.record)  # for the rules
        self.game = SimpleNamespace(**{name: np.asarray(value).tolist() for name, value in vars(self.fields).items()})
        self.mover: int = self.game.to_play  # -1 when the game is over
        self.legal = self._legal() if seat is None or seat == self.mover else []
        self.at: dict[str, list[int]] = {}
        for number in self.legal:
            self.at.setdefault(places.place(self.game, number), []).append(number)

    def _legal(self) -> list[int]:
        if self.mover < 0:
            return []
        bits = int.from_bytes(self.fields.legal.astype("<u8").tobytes(), "little")
        found = []
        while bits:
            lowest = bits & -bits
            found.append(lowest.bit_length() - 1)
            bits ^= lowest
        return [number for number in found if number < actions.NUM_ACTIONS]

    def knows(self, seat: int) -> bool:
        """Whether he who looks sees what a seat keeps to itself."""
        return self.seat == seat or self.mover < 0

    # ---- shapes
    def part(self, name: str, title: str, body: str, help: str = "", frame: str | Rectangle = "") -> None:
        """A part; if it can be chosen, ``frame`` is drawn over it: shapes, or a rectangle that is to be marked."""
        numbers = self.at.pop(name, ())
        with self.pencil.part(name, title, numbers, help):
            self.pencil.raw(body)
            if numbers and frame:
                self.pencil.raw(frame if isinstance(frame, str) else self._frame(*frame))

    def _frame(self, x: float, y: float, width: float, height: float) -> str:
        return (
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="none" '
            f'stroke="{self.colours.legal}" stroke-width="3"/>'
        )

    @contextlib.contextmanager
    def moved(self, x: float, y: float) -> Iterator[None]:
        """What is drawn inside has its origin there."""
        self.pencil.raw(f'<g transform="translate({x:g} {y:g})">')
        yield
        self.pencil.raw("</g>")

    @contextlib.contextmanager
    def panel(self, x: float, y: float, width: float, height: float, title: str = "", note: str = "") -> Iterator[None]:
        """A sheet with a title; inside, the origin is its upper left corner."""
        with self.pencil.panel(x, y, width, height), self.moved(x, y):
            pencil, colours = self.pencil, self.colours
            pencil.rect(0, 0, width, height, colours.panel, colours.line, 1, 8)
            if title:
                pencil.text(12, 18, title, 13, bold=True)
            if note:
                pencil.text(width - 12, 18, note, 11, colours.faint, "end")
            yield
