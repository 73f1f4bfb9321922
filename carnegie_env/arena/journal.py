"""The arena's file: a line for the settings, then one for each game, in the order of the schedule.

If the program was killed while it wrote, resuming drops the incomplete line at the end.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from carnegie_env.arena.lines import FORMAT, Entrant, GameLine, Header
from carnegie_env.core import files
from carnegie_env.core.settings import differences

INFORMATION = ("versions",)  # fields of the header that may differ when a match is resumed
LONGEST_HEADER = 1_000_000  # bytes


class Journal(contextlib.AbstractContextManager["Journal"]):
    """A file that games are added to; a context manager, which locks it.

    Args:
        path: the file.
        header: the settings of the match.
        resume: continue the file if it exists.

    Raises:
        ValueError: the path is a folder, the file exists although ``resume`` is False, is damaged, has other settings,
            or is being written by another process.
        OSError: the file can't be read or written.

    Attributes:
        lines: the games in the file.
    """

    def __init__(self, path: str | os.PathLike[str], header: Header, resume: bool = False) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise ValueError(f"{self.path}: there is a folder of that name; name a file with --output")
        if not resume and self.path.exists():
            raise ValueError(f"{self.path} exists; continue it with --resume, or name another file with --output")
        if not self.path.exists():
            files.write_whole(self.path, msgspec.json.encode(header) + b"\n")
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(files.lock(self.path))
            except BlockingIOError:
                raise ValueError(f"{self.path} is being written by another arena") from None
            found, self.lines = read(self.path)
            theirs, ours = msgspec.structs.asdict(found), msgspec.structs.asdict(header)
            if said := differences(theirs, ours, ignored=INFORMATION, texts={"agents": _named}):
                raise ValueError(f"{self.path} was played with other settings: {'; '.join(said)}")
            self.keep(len(self.lines))
            self._file: BinaryIO = held.enter_context(open(self.path, "ab", buffering=0))
            self._held = held.pop_all()

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def keep(self, number: int) -> None:
        """Drop everything after the first ``number`` games."""
        del self.lines[number:]
        kept = self.path.read_bytes().split(b"\n", number + 1)[: number + 1]
        os.truncate(self.path, sum(len(line) + 1 for line in kept))

    def add(self, lines: Sequence[GameLine]) -> None:
        """Add games. They are on the disk when this returns."""
        text = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        with files.errors_named(self.path):
            while text:  # an interrupted system call may write only a part
                text = text[self._file.write(text) :]
            os.fsync(self._file.fileno())
        self.lines += lines


def read(path: str | os.PathLike[str]) -> tuple[Header, list[GameLine]]:
    """The settings and the games of a file, without an incomplete last line; a ValueError if it is damaged."""
    path = Path(path)
    with path.open("rb") as file:
        first = file.readline(LONGEST_HEADER)  # checked before the rest is read, which may be another, endless file
        header = _header(path, first if first.endswith(b"\n") else b"")
        games = file.read().split(b"\n")[:-1]
    return header, [_game(path, number, line) for number, line in enumerate(games, 2)]


def _header(path: Path, line: bytes) -> Header:
    try:
        format_ = msgspec.json.decode(line, type=dict[str, Any]).get("arena")
        if format_ is not None and format_ != FORMAT:
            raise ValueError(f"{path} has format {format_}; this program reads and writes format {FORMAT}")
        return msgspec.json.decode(line, type=Header)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not a file of the arena, or its first line is damaged: {error}") from None


def _game(path: Path, number: int, line: bytes) -> GameLine:
    try:
        return msgspec.json.decode(line, type=GameLine)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: line {number} is not a game: {error}") from None


def _named(agents: Sequence[Entrant]) -> str:
    named = (each.spec if each.label == each.spec else f"{each.label}={each.spec}" for each in agents)
    pairs = zip(named, agents, strict=True)
    return ", ".join(name + (f" ({each.version})" if each.version else "") for name, each in pairs)
