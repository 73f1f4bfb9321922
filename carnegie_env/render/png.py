"""Pictures as PNG files and as pixels: SVG text through the renderer resvg. Needs the extra `pictures`."""

from __future__ import annotations

import io
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.incoming import whole_number
from carnegie_env.render.letters import font_files, outlined
from carnegie_env.render.needed import PicturesNotInstalled
from carnegie_env.render.svg import size_of

WIDTH = 1280  # pixels, of a picture that is to be read in all its parts
FRAME_WIDTH, FRAME_HEIGHT = 960, 1080  # at most, of environments' frames: 10 a second, windows that fit on screens
LEAST_WIDTH, MOST_WIDTH = 16, 8192
_own = threading.local()  # the renderer's options may not pass from thread to thread


def png(svg: str, width: int = WIDTH) -> bytes:
    """A picture as a PNG file.

    Args:
        svg: of ``Drawing.svg``.
        width: in pixels, 16 to 8,192; the height follows, an even number, as films want it.

    Raises:
        PicturesNotInstalled: without the extra `pictures`.
        ValueError: a width that is none.
    """
    width = whole_number("width", width, LEAST_WIDTH, MOST_WIDTH)
    render, read, options = _renderer()
    tree = read(outlined(svg), options)
    across, down = tree.int_size()
    height = max(2 * round(width * down / across / 2), 2)
    found: bytes = render(tree, (width / across, 0, 0, 0, height / down, 0), bg_size=(width, height))
    return found


def pixels(svg: str, width: int | None = None) -> NDArray[np.uint8]:
    """A picture as red, green and blue: uint8 (height, width, 3).

    Args:
        svg, width: as for :func:`png`; None: as wide as goes into 960 by 1,080, an even number.

    Raises:
        PicturesNotInstalled, ValueError: as for :func:`png`.
    """
    if width is None:
        across, down = size_of(svg)
        width = 2 * int(min(FRAME_WIDTH, FRAME_HEIGHT * across / down) / 2)
    data = png(svg, width)
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise PicturesNotInstalled("pillow") from None
    return np.array(Image.open(io.BytesIO(data)).convert("RGB"))


def _renderer() -> tuple[Any, Any, Any]:
    """The renderer's functions, and its options, with fonts that are read once a thread; no font of the system."""
    try:
        from resvg import render, usvg
    except ModuleNotFoundError:
        raise PicturesNotInstalled("resvg") from None
    if not hasattr(_own, "options"):
        options = usvg.Options.default()
        for file in font_files():
            options.load_font_file(str(file))
        _own.options = options
    return render, usvg.Tree.from_str, _own.options
