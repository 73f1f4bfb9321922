"""Films of recorded games: a frame for the start and one after each decision, with a caption that describes it.

A film is an .mp4 or a .gif, made by ffmpeg (of the package imageio-ffmpeg), or a folder of PNG files. It appears under
its name when it is complete. Needs the extra `pictures`.
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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from carnegie_env.core import log
from carnegie_env.core.files import write_whole
from carnegie_env.render import png, svg
from carnegie_env.render.needed import PicturesNotInstalled

ENDINGS = (".mp4", ".gif")
COLOURS = 255  # of a .gif, and one for what has not changed
EXACT = 96  # of them: those that there is most of, as they are; the others are spread over what is left
HELD = 3  # seconds that the last frame stays
_LINES, _LINE, _SIZE, _EDGE = 3, 18, 14, 16  # of a caption: how many, how high; of its letters; left of it
STRIP = _LINES * _LINE + 8  # height of a caption
_FFMPEG = ("-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "image2pipe", "-c:v", "png")
_MP4 = ("-c:v", "libx264", "-preset", "medium", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart")


# ---------------------------------------------------------------- frames
def frames(record: Any, seat: int | None, theme: str, width: int) -> Iterator[bytes]:
    """The frames of a recorded game as PNG files: ``len(record.actions) + 1``.

    Args:
        record: a game record.
        seat: the point of view; None: everyone's.
        theme: of the pictures.
        width: in pixels.

    Raises:
        ValueError: no such seat, theme, or width; a game without pictures.
        PicturesNotInstalled: without the extra.
    """
    position = record.position.new(record.options, record.seed)
    number = len(record.actions)
    yield _frame(position, seat, theme, width, f"{position.game.title}: the start; {number} decisions follow")
    for taken, action in enumerate(record.actions, 1):
        told = caption(position, action, seat)
        position.apply(action)
        yield _frame(position, seat, theme, width, f"{taken} of {number}   {told}")


def samples(record: Any, seat: int | None, theme: str, width: int) -> list[bytes]:
    """Some of the :func:`frames`, with another caption; the last one is of the end."""
    number = len(record.actions)
    positions = [record.replay(number * k // 4) for k in range(5)]
    return [_frame(position, seat, theme, width, position.game.title) for position in positions]


def caption(position: Any, action: str, seat: int | None) -> str:
    """The caption of an action from a position, as a seat sees it; None: as everyone does."""
    said = [each for step in log.steps(position, action) for each in log.phrases(position.game, step, seat)]
    last, sentences = None, []
    for who, phrase in log.joined(said):
        if who and who == last:
            sentences[-1] += f", {phrase}"
        else:
            sentences.append(f"{who}: {phrase}" if who else str(phrase))
        last = who
    return "; ".join(sentences)


def _frame(position: Any, seat: int | None, theme: str, width: int, words: str) -> bytes:
    """A picture with a caption above it."""
    picture = position.to_svg(seat, theme)
    across, _ = svg.size_of(picture)
    strip = svg.Drawing(across, STRIP, svg.theme(theme), words)
    for k, line in enumerate(_broken(words, across - 2 * _EDGE)):
        strip.text(_EDGE, (k + 1) * _LINE + 2, line, _SIZE, bold=k == 0)
    return png.encoded(np.vstack([png.pixels(strip.svg(), width), png.pixels(picture, width)]))


def _broken(words: str, width: float) -> list[str]:
    """A text in lines, the last one with an ellipsis if more would follow."""
    most = int(width / (_SIZE * svg.LETTER))
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + 1 + len(word) > most and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    if len(lines) > _LINES:
        lines[_LINES - 1] = svg.fitting(f"{lines[_LINES - 1]} {lines[_LINES]}", width, _SIZE)
    return lines[:_LINES]


# ---------------------------------------------------------------- files
def check(path: str | os.PathLike[str]) -> Path:
    """A path that a film can be written to.

    Raises:
        ValueError: it has another ending than ``ENDINGS``, or none for a folder.
        OSError: its folder does not exist, or it exists and is not an empty folder.
    """
    path = Path(path)
    if path.suffix and path.suffix.lower() not in ENDINGS:
        wanted = f"a film's name ends with {' or '.join(ENDINGS)}, or has no ending: a folder of PNG files"
        raise ValueError(f"{path}: {wanted}")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    if path.suffix:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "there is a folder of that name", str(path))
    elif path.is_dir() and any(path.iterdir()):
        raise FileExistsError(errno.EEXIST, "there is something in that folder, which stays as it is", str(path))
    elif path.exists() and not path.is_dir():
        raise FileExistsError(errno.EEXIST, "there is a file of that name, which stays as it is", str(path))
    return path


def write(path: Path, pictures: Iterable[bytes], fps: float, samples: list[bytes]) -> None:
    """Make a film, whole or not at all.

    Args:
        path: of :func:`check`.
        pictures: the frames, PNG files of one size.
        fps: frames a second.
        samples: some of them, which determine the colours of a .gif.

    Raises:
        PicturesNotInstalled: without the extra.
        OSError: it can't be written, or ffmpeg fails.
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
    """The frames, and the last one for some seconds more."""
    picture = b""
    for picture in pictures:
        yield picture
    yield from [picture] * round(HELD * fps)


def _write_folder(path: Path, pictures: Iterable[bytes]) -> None:
    """A folder of files 0000.png, 0001.png, ..."""
    made = path.absolute().with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    made.mkdir()
    try:
        for number, picture in enumerate(pictures):
            (made / f"{number:04}.png").write_bytes(picture)
        if path.is_dir():
            path.rmdir()  # an error if something has come into it
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
            with contextlib.suppress(BrokenPipeError):  # it has ended: what it said comes below
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
    """The colours of pictures of one size as ffmpeg takes them: a PNG file of 16 by 16 pixels, one of them clear."""
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
