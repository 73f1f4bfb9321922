"""Pictures as PNG files and as pixels: SVG text through the renderer resvg. Needs the extra `pictures`."""

from __future__ import annotations

import functools
import io
import math
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.validation import whole_number
from carnegie_env.render.letters import outlined
from carnegie_env.render.needed import PicturesNotInstalled
from carnegie_env.render.svg import apart, size_of

WIDTH = 1280  # pixels; all parts are legible
FRAME_WIDTH, FRAME_HEIGHT = 960, 1080  # the largest frames of environments, so that windows fit on screens
LEAST_WIDTH, MOST_WIDTH = 16, 8192
KEPT = 48  # panels in the cache
MOST_KEPT = 2048  # the largest width of pictures with cached panels, to limit memory
LEAST_SCALE = 0.5  # pixels per unit; in smaller pictures panels share pixels
COMPRESSION = 3  # of PNG files: higher levels are slower and hardly smaller
Box = tuple[int, int, int, int]  # left, top, right, bottom
_own = threading.local()  # the renderer's options can't be shared between threads


def png(svg: str, width: int = WIDTH) -> bytes:
    """A picture as a PNG file.

    Args:
        svg: a picture from ``Drawing.svg``.
        width: in pixels, 16 to 8,192. The height follows; it is even, as films require.

    Raises:
        PicturesNotInstalled: without the extra `pictures`.
        ValueError: an invalid width.
    """
    return encoded(pixels(svg, whole_number("width", width, LEAST_WIDTH, MOST_WIDTH)))


def encoded(frame: NDArray[np.uint8]) -> bytes:
    """Pixels, uint8 (height, width, 3), as a PNG file."""
    out = io.BytesIO()
    _images().fromarray(frame).save(out, "PNG", compress_level=COMPRESSION)
    return out.getvalue()


def pixels(svg: str, width: int | None = None) -> NDArray[np.uint8]:
    """A picture's pixels in RGB: uint8 (height, width, 3).

    A decision changes little of a picture, so panels (``Drawing.panel``) are cached in pictures of the usual widths.

    Args:
        svg: a picture from ``Drawing.svg``.
        width: as for :func:`png`; None for the largest even width that fits into 960 by 1,080.

    Raises:
        PicturesNotInstalled, ValueError: as for :func:`png`.
    """
    across, down = size_of(svg)
    if width is None:
        width = 2 * int(min(FRAME_WIDTH, FRAME_HEIGHT * across / down) / 2)
    width = whole_number("width", width, LEAST_WIDTH, MOST_WIDTH)
    height = max(2 * round(width * down / across / 2), 2)
    scale = width / across, height / down
    if min(scale) < LEAST_SCALE or width > MOST_KEPT:
        return _rendered(svg, scale, (0, 0, width, height))
    ground, panels = apart(svg)
    frame = _kept(ground, scale, (0, 0, width, height)).copy()
    for (left, top, right, bottom), panel in panels:
        box = (max(math.floor(left * scale[0]), 0), max(math.floor(top * scale[1]), 0),
               min(math.ceil(right * scale[0]), width), min(math.ceil(bottom * scale[1]), height))  # fmt: skip
        frame[box[1] : box[3], box[0] : box[2]] = _kept(panel, scale, box)
    return frame


def _rendered(svg: str, scale: tuple[float, float], box: Box) -> NDArray[np.uint8]:
    """The pixels inside a box of a picture: uint8 (bottom - top, right - left, 3)."""
    render, read, options = _renderer()
    left, top, right, bottom = box
    tree = read(outlined(svg), options)
    data = render(tree, (scale[0], 0, -left, 0, scale[1], -top), bg_size=(right - left, bottom - top))
    return np.array(_images().open(io.BytesIO(data)).convert("RGB"))


_kept = functools.lru_cache(KEPT)(_rendered)


def _images() -> Any:
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise PicturesNotInstalled("pillow") from None
    return Image


def _renderer() -> tuple[Any, Any, Any]:
    """The renderer's functions and options; it needs no fonts, because texts are outlines."""
    try:
        from resvg import render, usvg
    except ModuleNotFoundError:
        raise PicturesNotInstalled("resvg") from None
    if not hasattr(_own, "options"):
        _own.options = usvg.Options.default()
    return render, usvg.Tree.from_str, _own.options
