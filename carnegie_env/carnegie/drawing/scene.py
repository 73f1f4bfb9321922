"""The data that the parts of a picture are drawn from: the position in plain numbers, the viewer, the legal actions."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie.drawing import places
from carnegie_env.core.lazy import in_plain_python
from carnegie_env.render import svg

WIDTH = 1280
Rectangle = tuple[float, float, float, float]  # left, top, width, height
MARGIN, GAP = 14, 10  # around the picture, between its panels
HEAD = 26  # height of a panel's title
plain = functools.cache(in_plain_python)  # rules in plain Python: no picture waits for a compiler


class Scene:
    """A picture while it is drawn.

    Args:
        position: the position to draw.
        seat: the viewer; None: what everybody sees.
        theme: the name of the theme.
        height: the picture's height.
        title: the picture's title.
    """

    def __init__(self, position: Any, seat: int | None, theme: str, height: float, title: str) -> None:
        self.theme = theme
        self.colours = svg.theme(theme)
        self.pencil = svg.Drawing(WIDTH, height, self.colours, title)
        self.position = position
        self.options = position.options
        self.players: int = position.num_players
        self.seat = seat
        # For the rules: ints and read-only views as attributes, which are several times faster to read.
        self.fields = SimpleNamespace(**dict(zip(state.FIELDS.names, position.record.item(), strict=True)))
        self.game = SimpleNamespace(**{name: np.asarray(value).tolist() for name, value in vars(self.fields).items()})
        self.mover: int = self.game.to_play  # -1 when the game is over
        shown = self.mover >= 0 and (seat is None or seat == self.mover)
        self.legal: list[int] = position.legal_numbers().tolist() if shown else []
        self.at: dict[str, list[int]] = {}
        for number in self.legal:
            self.at.setdefault(places.place(self.game, number), []).append(number)

    def ask(self, rule: Callable[..., Any], *arguments: int) -> int:
        """The answer of a rule about the position.

        Args:
            rule: a function in `carnegie.rules` that returns a number and changes nothing.
            arguments: its arguments after the record.
        """
        return int(plain(rule)(self.fields, *arguments))

    def knows(self, seat: int) -> bool:
        """Whether the viewer sees what a seat hides from others."""
        return self.seat == seat or self.mover < 0

    # ---- shapes
    def part(self, name: str, title: str, body: str, help: str = "", frame: str | Rectangle = "") -> None:
        """Draw a part; if it has legal actions, with a ``frame``: shapes, or a rectangle to mark."""
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
        """Move the origin to a point."""
        self.pencil.raw(f'<g transform="translate({x:g} {y:g})">')
        yield
        self.pencil.raw("</g>")

    @contextlib.contextmanager
    def panel(self, x: float, y: float, width: float, height: float, title: str = "", note: str = "") -> Iterator[None]:
        """Draw a panel with a title; inside, the origin is its upper left corner."""
        with self.pencil.panel(x, y, width, height), self.moved(x, y):
            pencil, colours = self.pencil, self.colours
            pencil.rect(0, 0, width, height, colours.panel, colours.line, 1, 8)
            if title:
                pencil.text(12, 18, title, 13, bold=True)
            if note:
                pencil.text(width - 12, 18, note, 11, colours.faint, "end")
            yield
