"""The renderer of the games' pictures: SVG in the colours of a theme, with named parts for web pages.

A picture has only shapes with presentation attributes: no style sheets, scripts or external files. Shapes that belong
together form a *part*, see :meth:`Drawing.part`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

Point = tuple[float, float]
FONT = "Inter, DejaVu Sans, Verdana, sans-serif"
_SIZE = re.compile(r'<svg [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"')
_PANEL = re.compile(r"<!--panel ([-\d.]+) ([-\d.]+) ([-\d.]+) ([-\d.]+)-->\n(.*?)<!--/panel-->\n", re.DOTALL)
BORDER = 2  # how far, in units, a panel's borders may extend beyond its rectangle
OWNER = 'data-owner=""'  # attribute of the text on a piece that says whose it is; the page numbers seats from 1
LETTER = 0.6  # the average width of a letter, as a share of the font size; DejaVu Sans is wide, so Inter fits


@dataclasses.dataclass(frozen=True)
class Theme:
    """The colours of a picture.

    Args:
        ground: the background.
        panel: the background of panels.
        ink: text and outlines.
        faint: less important text.
        line: borders and the map's lines.
        legal: outlines of legal choices.
        seats: the players, by seat, distinct in greyscale and with red-green colour blindness (Okabe and Ito 2008); a
            seat's pieces also show its number.
        opponent, nobody: the automatic opponent, and pieces that belong to nobody.
    """

    ground: str
    panel: str
    ink: str
    faint: str
    line: str
    legal: str
    seats: tuple[str, ...]
    opponent: str
    nobody: str


THEMES = {
    "light": Theme(
        ground="#f6f3ec", panel="#fffdf8", ink="#1c1c1c", faint="#6a665e", line="#a79f8f", legal="#c2410c",
        seats=("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#56b4e9"), opponent="#3a3a3a", nobody="#bdb7aa",
    ),
    "dark": Theme(
        ground="#1b1d21", panel="#24272c", ink="#eceae4", faint="#a9a69d", line="#5d6169", legal="#ffb454",
        seats=("#4aa8e0", "#f0b429", "#2fc79a", "#e39ac4", "#f5ec6b", "#8fd0f5"), opponent="#d0d0d0", nobody="#6b6a66",
    ),
}  # fmt: skip


def theme(name: str) -> Theme:
    """A theme by name; a ValueError lists the names."""
    if name not in THEMES:
        raise ValueError(f"theme must be one of {', '.join(THEMES)}, not {str(name)[:60]!r}")
    return THEMES[name]


@functools.cache
def contrast(colour: str) -> str:
    """Black or white, whichever is more legible on a colour `#rrggbb`; the contrast is at least 4.5 to 1."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#ffffff"


def fitting(text: str, width: float, size: float) -> str:
    """A text shortened to a width, with an ellipsis."""
    most = max(int(width / (size * LETTER)), 1)
    return text if len(text) <= most else text[: max(most - 1, 1)] + "…"


def size_of(svg: str) -> tuple[float, float]:
    """The width and height of a picture from :class:`Drawing`."""
    match = _SIZE.match(svg)
    if match is None:
        raise ValueError("the picture must be SVG text from Drawing.svg")
    return float(match[1]), float(match[2])


def apart(svg: str) -> tuple[str, list[tuple[tuple[float, float, float, float], str]]]:
    """Split a picture from :class:`Drawing` into its background and its panels.

    Returns:
        The picture without title and panels, and for each panel its rectangle with borders (left, top, right, bottom)
            and a picture of the same size with only this panel. Drawn in this order, they make up the picture.
    """
    end = svg.index("\n") + 1
    head, panels = re.sub("<title>.*?</title>", "", svg[:end]), []
    for match in _PANEL.finditer(svg):
        x, y, width, height = map(float, match.groups()[:4])
        panels.append(((x - BORDER, y - BORDER, x + width + BORDER, y + height + BORDER), f"{head}{match[5]}</svg>\n"))
    return head + _PANEL.sub("", svg[end:]), panels


class Drawing:
    """A picture being drawn; coordinates are in user units, y points down.

    Args:
        width, height: the picture's size.
        theme: its colours.
        title: a description for screen readers.
    """

    def __init__(self, width: float, height: float, theme: Theme, title: str) -> None:
        self.theme = theme
        self._size = width, height
        self._title = title
        self._lines: list[str] = []

    def svg(self) -> str:
        """The whole picture as SVG text."""
        width, height = self._size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="{FONT}" role="group"><title>{escape(self._title)}</title>'
            f'<rect width="{width:g}" height="{height:g}" fill="{self.theme.ground}"/>'
        )
        return "\n".join([head, *self._lines, "</svg>\n"])

    def shapes(self) -> str:
        """The shapes drawn so far, to pass to :meth:`raw` of another drawing."""
        return "\n".join(self._lines)

    # ---- parts
    @contextlib.contextmanager
    def part(
        self, name: str, title: str, actions: Iterable[int] = (), help: str = "", offer: str = ""
    ) -> Iterator[None]:
        """A context manager: shapes drawn inside belong together.

        Args:
            name: a unique name that stays the same during the game, such as `space_chicago_2`. Web pages highlight
                parts that have changed.
            title: its meaning and state in words, for screen readers and tooltips.
            actions: the numbers of its legal actions, which a page offers when it is clicked.
            help: the key of its topic in the game's help.
            offer: its current use, added to the title; a page does not highlight a change of it.
        """
        numbers = " ".join(map(str, actions))
        chosen = f' class="legal" data-actions="{numbers}" tabindex="0" role="button"' if numbers else ' role="img"'
        explained = f' data-help="{_escaped(help)}"' if help else ""
        label, offered = _escaped(title), ""
        if offer:
            label, offered = f"{label}; {_escaped(offer)}", f' data-offer="{_escaped(offer)}"'
        self._lines.append(
            f'<g data-part="{_escaped(name)}"{chosen}{explained}{offered} aria-label="{label}"><title>{label}</title>'
        )
        yield
        self._lines.append("</g>")

    @contextlib.contextmanager
    def panel(self, x: float, y: float, width: float, height: float) -> Iterator[None]:
        """A context manager: shapes drawn inside, and no others, are in this rectangle with borders of 2 units.

        The pixels of a panel can therefore be reused in other pictures.
        """
        self._lines.append(f"<!--panel {x:g} {y:g} {width:g} {height:g}-->")
        yield
        self._lines.append("<!--/panel-->")

    # ---- shapes
    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str = "none", line: float = 1,
        corner: float = 0, more: str = "",
    ) -> None:  # fmt: skip
        """A rectangle with its upper left corner at ``x``, ``y``; ``more`` has further attributes as text."""
        self._lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="{line:g}"{_more(more)}/>'
        )

    def circle(self, x: float, y: float, radius: float, fill: str, stroke: str = "none", line: float = 1) -> None:
        """A circle."""
        self._lines.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}" stroke-width="{line:g}"/>'
        )

    def polygon(self, points: Sequence[Point], fill: str, stroke: str = "none", line: float = 1) -> None:
        """A polygon."""
        corners = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._lines.append(f'<polygon points="{corners}" fill="{fill}" stroke="{stroke}" stroke-width="{line:g}"/>')

    def line(self, one: Point, other: Point, stroke: str, line: float = 1, more: str = "") -> None:
        """A straight line."""
        self._lines.append(
            f'<line x1="{one[0]:g}" y1="{one[1]:g}" x2="{other[0]:g}" y2="{other[1]:g}" stroke="{stroke}" '
            f'stroke-width="{line:g}"{_more(more)}/>'
        )

    def text(
        self, x: float, y: float, text: object, size: float, fill: str = "", anchor: str = "start", bold: bool = False,
        more: str = "",
    ) -> None:  # fmt: skip
        """A line of text with its baseline at ``y`` and its ``anchor`` (start, middle or end) at ``x``."""
        weight = ' font-weight="bold"' if bold else ""
        self._lines.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" '
            f'fill="{fill or self.theme.ink}"{weight}{_more(more)}>{escape(str(text))}</text>'
        )

    def badge(self, x: float, y: float, radius: float, label: object, fill: str) -> None:
        """A disk with a label, which identifies its owner without colour."""
        self.circle(x, y, radius, fill, self.theme.ink, 1.5)
        self.text(x, y + radius * 0.42, label, radius * 1.2, contrast(fill), "middle", bold=True, more=OWNER)

    def raw(self, svg: str) -> None:
        """Add shapes as SVG text."""
        self._lines.append(svg)


_escaped = functools.lru_cache(16384)(escape)  # most parts are the same in successive pictures


def _more(attributes: str) -> str:
    return f" {attributes}" if attributes else ""
