"""The arena's file: a line for the settings, then one for each game, in the order of the schedule.

Lines are added whole. If the program was killed while it wrote, the half line at the end is dropped on resuming.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Self

import msgspec

from carnegie_env.arena.lines import FORMAT, GameLine, Header
from carnegie_env.core import files
from carnegie_env.core.settings import differences

INFORMATION = ("versions",)  # parts of a header that may differ when a match is resumed


class Journal:
    """A file that games are added to; a context manager, which locks it.

    Args:
        path: the file.
        header: what is played.
        resume: continue the file, if it exists.

    Raises:
        ValueError: without ``resume`` the file exists; with it, it is damaged, or of other settings.
        OSError: it can't be read or written, or another process is adding to it.

    Attributes:
        lines: the games in the file.
    """

    def __init__(self, path: str | os.PathLike[str], header: Header, resume: bool = False) -> None:
        self.path = Path(path)
        self.lines: list[GameLine] = []
        self._ends: list[int] = []  # where each game's line ends, in bytes
        self._held = contextlib.ExitStack()
        if not resume and self.path.exists():
            raise ValueError(f"{self.path} exists already; --resume continues it, --output FILE writes another")
        if not self.path.exists():
            files.write_whole(self.path, msgspec.json.encode(header) + b"\n")
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(files.lock(self.path))
            except BlockingIOError:
                raise ValueError(f"{self.path} is being written by another arena") from None
            self._read(header)
            self._file: BinaryIO = held.enter_context(open(self.path, "ab", buffering=0))
            self._held = held.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _read(self, header: Header) -> None:
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        found = content[:whole].split(b"\n")[:-1]
        if not found:
            raise ValueError(f"{self.path} is no file of the arena: it does not begin with a line of settings")
        _compare(self.path, read_header(self.path, found[0]), header)
        end = len(found[0]) + 1
        for line in found[1:]:
            end += len(line) + 1
            self.lines.append(_game(self.path, len(self.lines) + 2, line))
            self._ends.append(end)
        self._start = len(found[0]) + 1
        if whole < len(content):
            os.truncate(self.path, whole)

    def keep(self, number: int) -> None:
        """Drop all games but the first ``number``."""
        del self.lines[number:], self._ends[number:]
        os.truncate(self.path, self._ends[-1] if self._ends else self._start)

    def add(self, lines: Sequence[GameLine]) -> None:
        """Add games; they are on the disk when this returns."""
        text = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        while text:  # an interrupted system call may write a part only
            text = text[self._file.write(text) :]
        os.fsync(self._file.fileno())
        self.lines += lines


def read_header(path: Path, line: bytes) -> Header:
    """The settings of a file; a ValueError if it is not the arena's, or has another format."""
    try:
        format_ = msgspec.json.decode(line, type=dict[str, Any]).get("arena")
        if format_ is not None and format_ != FORMAT:
            raise ValueError(f"{path} has format {format_}; this program reads and writes format {FORMAT}")
        return msgspec.json.decode(line, type=Header)
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path} is no file of the arena, or its first line is damaged: {error}") from None


def read(path: str | os.PathLike[str]) -> tuple[Header, list[GameLine]]:
    """The settings and the games of a file, without a half last line; a ValueError if it is damaged."""
    path = Path(path)
    found = path.read_bytes().split(b"\n")[:-1]
    if not found:
        raise ValueError(f"{path} is no file of the arena: it does not begin with a line of settings")
    return read_header(path, found[0]), [_game(path, number, line) for number, line in enumerate(found[1:], 2)]


def _game(path: Path, number: int, line: bytes) -> GameLine:
    try:
        return msgspec.json.decode(line, type=GameLine)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is damaged: line {number} is no game: {error}") from None


def _compare(path: Path, found: Header, wanted: Header) -> None:
    """Refuse a file of other settings."""
    theirs, ours = msgspec.structs.asdict(found), msgspec.structs.asdict(wanted)
    if said := differences(theirs, ours, ignored=INFORMATION, texts={"agents": _named}):
        raise ValueError(f"{path} was played with other settings: {'; '.join(said)}")


def _named(agents: Sequence[Any]) -> str:
    return ", ".join(f"{agent.label}{f' ({agent.version})' if agent.version else ''}" for agent in agents)
