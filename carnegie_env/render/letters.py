"""Texts of pictures as outlines: the same on every machine, and three times as fast to render.

A renderer would lay out each text again in every picture; here outlines are cached. The font (Inter) is the web page's.
"""

from __future__ import annotations

import functools
import re
from html import unescape
from pathlib import Path
from typing import Any

from carnegie_env.render.needed import PicturesNotInstalled

# Matches Drawing.text's output; other texts are left to the renderer.
_TEXT = re.compile(
    r'<text x="([-\d.]+)" y="([-\d.]+)" font-size="([\d.]+)" text-anchor="(start|middle|end)" ([^>]*)>([^<]*)</text>'
)
FONT = Path(__file__).resolve().parents[1] / "web" / "page" / "inter.woff"  # of the page as well
_BOLD = 'font-weight="bold"'
_WEIGHTS = (400, 700)  # plain and bold, of the font's axis
_SHARE = {"start": 0.0, "middle": 0.5, "end": 1.0}  # the share of a text's width to the left of its anchor


def outlined(svg: str) -> str:
    """A picture with its texts replaced by paths; PicturesNotInstalled without the extra `pictures`."""
    return _TEXT.sub(_path, svg)


def _path(found: re.Match[str]) -> str:
    x, y, size, anchor, more, text = found.groups()
    path, width = _outline(unescape(text), float(size), _BOLD in more)
    left = float(x) - _SHARE[anchor] * width
    return f'<g {more}><path transform="translate({left:.2f} {y})" d="{path}"/></g>'


@functools.lru_cache(maxsize=20_000)
def _outline(text: str, size: float, bold: bool) -> tuple[str, float]:
    """A text's path, relative to its start, and its width."""
    from fontTools.pens.svgPathPen import SVGPathPen
    from fontTools.pens.transformPen import TransformPen

    pen, across = SVGPathPen(None, ntos="{:.2f}".format), 0.0
    for character in text:
        steps, width, unit = _letter(character, bold)
        unit *= size
        steps.replay(TransformPen(pen, (unit, 0, 0, -unit, across, 0)))
        across += width * unit
    return pen.getCommands(), across


@functools.lru_cache(maxsize=2_000)
def _letter(character: str, bold: bool) -> tuple[Any, float, float]:
    """The pen's steps of a letter, and its width, in units of the font; the size of such a unit."""
    from fontTools.pens.recordingPen import DecomposingRecordingPen

    letters, names, unit = _font(bold)
    letter = letters[names.get(ord(character), ".notdef")]
    pen = DecomposingRecordingPen(letters)
    letter.draw(pen)
    return pen, letter.width, unit


@functools.cache
def _font(bold: bool) -> tuple[Any, dict[int, str], float]:
    """The font's outlines by name, the names by character, and the size of its unit."""
    try:
        from fontTools.ttLib import TTFont
    except ModuleNotFoundError:
        raise PicturesNotInstalled("fonttools") from None
    font = TTFont(FONT, lazy=True)
    return font.getGlyphSet(location={"wght": _WEIGHTS[bold]}), font.getBestCmap(), 1 / font["head"].unitsPerEm
