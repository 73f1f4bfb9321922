"""Films of recorded games: a frame for the start and one after each decision, with a caption that describes it.

A film is an .mp4 or .gif file, made by ffmpeg (from the package imageio-ffmpeg), or a folder of PNG files. It appears
under its name when it is complete. Needs the extra `pictures`.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import shutil
import subprocess
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from carnegie_env.core import log
from carnegie_env.core.files import write_whole
from carnegie_env.render import png, spectator, svg
from carnegie_env.render.needed import PicturesNotInstalled
from carnegie_env.render.text import number_of

ENDINGS = (".mp4", ".gif")
COLOURS = 255  # of a .gif, besides the one for unchanged pixels
EXACT = 96  # of these, the most frequent colours, unchanged; the others approximate the rest
HELD = 3  # seconds to show the last frame
_LINES, _LINE, _SIZE, _EDGE = 3, 18, 14, 16  # a caption's number of lines, line height, font size, left margin
STRIP = _LINES * _LINE + 8  # a caption's height
_FFMPEG = ("-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "image2pipe", "-c:v", "png")
_EVEN = ("-vf", "crop=trunc(iw/2)*2")  # a width that yuv420p allows
_MP4 = (*_EVEN, "-c:v", "libx264", "-preset", "medium", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart")


# ---------------------------------------------------------------- frames
def frames(record: Any, seat: int | None, theme: str, width: int) -> Iterator[bytes]:
    """The ``len(record.actions) + 1`` frames of a recorded game as PNG files.

    Args:
        record: a game record.
        seat: the point of view; None for public information only.
        theme: the pictures' theme.
        width: in pixels.

    Raises:
        ValueError: an invalid seat, theme or width, or a game that can't be drawn.
        PicturesNotInstalled: without the extra.
    """
    position = record.position.new(record.options, record.seed)
    number = len(record.actions)
    start = f"{position.game.title}: the start; {number_of(number, 'decisions')} to come"
    yield _frame(position, seat, theme, width, start)
    for k, action in enumerate(record.actions, 1):
        text = caption(position, action, seat)
        position.apply(action)
        yield _frame(position, seat, theme, width, f"{k} of {number}   {text}")


def samples(record: Any, seat: int | None, theme: str, width: int) -> list[bytes]:
    """Five of the :func:`frames`, from the start to the end, with other captions."""
    number = len(record.actions)
    positions = [record.replay(number * k // 4) for k in range(5)]
    return [_frame(position, seat, theme, width, position.game.title) for position in positions]


def caption(position: Any, action: str, seat: int | None) -> str:
    """The caption for an action at a position, from a seat's point of view or (None) a spectator's."""
    phrases = [each for step in log.steps(position, action) for each in log.phrases(position.game, step, seat)]
    last, sentences = None, []
    for who, phrase in log.joined(phrases):
        if who and who == last:
            sentences[-1] += f", {phrase}"
        else:
            sentences.append(f"{who}: {phrase}" if who else str(phrase))
        last = who
    return "; ".join(sentences)


def _frame(position: Any, seat: int | None, theme: str, width: int, words: str) -> bytes:
    """A picture with a caption above it."""
    picture = spectator.picture(position, theme) if seat is None else position.to_svg(seat, theme)
    across, _ = svg.size_of(picture)
    strip = svg.Drawing(across, STRIP, svg.theme(theme), words)
    most = int((across - 2 * _EDGE) / (_SIZE * svg.LETTER))
    for k, line in enumerate(textwrap.wrap(words, most, max_lines=_LINES, placeholder=" …", break_on_hyphens=False)):
        strip.text(_EDGE, (k + 1) * _LINE + 2, line, _SIZE, bold=k == 0)
    return png.encoded(np.vstack([png.pixels(strip.svg(), width), png.pixels(picture, width)]))


# ---------------------------------------------------------------- files
def check(path: str | os.PathLike[str]) -> Path:
    """A path to write a film to.

    Raises:
        ValueError: the name has an ending that is not in ``ENDINGS``. A folder has none.
        OSError: its folder does not exist, or it exists and is not an empty folder.
    """
    path = Path(path)
    if path.suffix and path.suffix.lower() not in ENDINGS:
        wanted = f"a film's name must end with {' or '.join(ENDINGS)}, or have no ending for a folder of PNG files"
        raise ValueError(f"{path}: {wanted}")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    if path.suffix:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "there is a folder of that name", str(path))
    elif path.is_dir() and any(path.iterdir()):
        raise FileExistsError(errno.EEXIST, "the folder is not empty", str(path))
    elif path.exists() and not path.is_dir():
        raise FileExistsError(errno.EEXIST, "there is a file of that name", str(path))
    return path


def write(path: Path, pictures: Iterable[bytes], fps: float, samples: list[bytes]) -> None:
    """Make a film, whole or not at all.

    Args:
        path: a path from :func:`check`.
        pictures: the frames, PNG files of the same size.
        fps: frames per second.
        samples: some of the frames, which determine the colours of a .gif.

    Raises:
        PicturesNotInstalled: without the extra.
        OSError: the film can't be written, or ffmpeg fails.
    """
    if not path.suffix:
        _write_folder(path, pictures)
        return
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / f"film{path.suffix.lower()}"
        if made.suffix == ".gif":
            palette = Path(folder) / "palette.png"
            palette.write_bytes(_palette(samples))
            wanted = ["-i", str(palette), "-lavfi", "paletteuse=dither=none:diff_mode=rectangle"]
        else:
            wanted = list(_MP4)
        _run_ffmpeg(["-framerate", f"{fps:g}", "-i", "-", *wanted, str(made)], _held(pictures, fps))
        write_whole(path, made.read_bytes())


def _held(pictures: Iterable[bytes], fps: float) -> Iterator[bytes]:
    """The frames, with the last one repeated for some seconds."""
    picture = b""
    for picture in pictures:
        yield picture
    yield from [picture] * round(HELD * fps)


def _write_folder(path: Path, pictures: Iterable[bytes]) -> None:
    """Write a folder of files 0000.png, 0001.png, ..."""
    made = path.absolute().with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    made.mkdir()
    try:
        for number, picture in enumerate(pictures):
            (made / f"{number:04}.png").write_bytes(picture)
        if path.is_dir():
            path.rmdir()  # an error if it is no longer empty
        made.rename(path)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _run_ffmpeg(arguments: list[str], pictures: Iterable[bytes]) -> None:
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ModuleNotFoundError:
        raise PicturesNotInstalled("imageio-ffmpeg") from None
    with tempfile.TemporaryFile() as said:
        command = [get_ffmpeg_exe(), *_FFMPEG, *arguments]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)
        try:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # it has exited, see below
                for picture in pictures:
                    process.stdin.write(picture)
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            code = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if code:
            said.seek(0)
            lines = said.read().decode("utf-8", "replace").strip().splitlines()
            raise OSError(errno.EIO, f"ffmpeg: {lines[-1] if lines else f'exit code {code}'}")


def _palette(pictures: list[bytes]) -> bytes:
    """A colour palette for pictures of the same size in ffmpeg's form: a PNG of 16 by 16 pixels, one transparent."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise PicturesNotInstalled("pillow") from None
    opened = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    across, down = opened[0].size
    together = Image.new("RGB", (across, down * len(opened)))
    for k, picture in enumerate(opened):
        together.paste(picture, (0, k * down))
    counted = sorted(together.getcolors(across * down * len(opened)) or [], reverse=True)
    exact: list[Any] = [colour for _, colour in counted[:EXACT]]
    few = together.quantize(COLOURS - EXACT, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    exact += zip(few[0::3], few[1::3], few[2::3], strict=True)
    exact += [exact[0]] * (COLOURS - len(exact))
    pixels = Image.new("RGBA", (16, 16))
    pixels.putdata([(*colour, 255) for colour in exact[:COLOURS]] + [(0, 0, 0, 0)])
    out = io.BytesIO()
    pixels.save(out, "PNG")
    return out.getvalue()
