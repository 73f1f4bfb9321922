"""Game records: the options, seed and actions of one game in a text file that people can read and programs can check.

The lines of a file are: the format and its version; ``game``, ``option`` and ``seed``; one line per decision with its
number, its seat and the text of the action; a last line with the number of decisions, whether the game is over, and the
scores. Forced decisions are omitted because the rules play them. Empty lines and lines that begin with ``#`` are
ignored. Numbers, seats and scores serve as checks: a truncated or changed file is refused with the number of the line.

:class:`Journal` rewrites the file of a game in progress completely after every decision, so a killed process leaves a
complete record.
"""

from __future__ import annotations

import codecs
import contextlib
import dataclasses
import errno
import itertools
import json
import os
import re
from collections.abc import Iterator
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar

from carnegie_env.core.facts import FIRST_EDITION
from carnegie_env.core.files import write_whole
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import cut, seed_of, whole_number

Kind = TypeVar("Kind", bound="GameRecord[Any]")
PositionT = TypeVar("PositionT", bound=BasePosition[Any])

FORMAT = "carnegie-env game record"
VERSION = 1
LARGEST_FILE = 16_000_000  # bytes
BEGINNING = 4096  # characters at the start of a file that contain the game's name
_OPTION = re.compile(r"option (\w+) = (.+)")
_ACTION = re.compile(r"(\d{1,9}) +player_(\d{1,2}) +(\S.*)")
NEXT = "a decision or the line with 'end:'"
_END = re.compile(r"end: (\d{1,9}) decisions, (over|not over), scores ([-\d ]+)")


class RecordError(ValueError):
    """A file that is not a complete and correct record. The message begins with the file and the line.

    Attributes:
        line: the number of the line, from 1; 0 if the fault is not in one line.
    """

    def __init__(self, source: str, line: int, wrong: str) -> None:
        super().__init__(f"{source}:{line}: {wrong}" if line else f"{source}: {wrong}")
        self.line = line


@dataclasses.dataclass(frozen=True)
class GameRecord(Generic[PositionT]):
    """The options, seed and actions of one game. ``Game.record_class`` is the game's subclass.

    Args:
        options: the game's options.
        seed: the seed of the deal.
        actions: the texts of the actions taken, without forced ones.
    """

    options: Any
    seed: int
    actions: tuple[str, ...]

    position: ClassVar[type[Any]]  # the class of the game's positions

    @classmethod
    def of(cls, position: BasePosition[Any]) -> Self:
        """The record of a game that began with ``Position.new``.

        Raises:
            ValueError: the position was read from a dictionary, so its history is unknown.
        """
        if position.history is None or position.seed is None:
            raise ValueError("a position that was read has no record; only a game that began with new() does")
        texts = position.game.texts
        return cls(position.options, position.seed, tuple(texts[number] for number in position.history))

    # ---- replay
    def _replayed(self) -> Iterator[PositionT]:
        """One position, which changes: before the first decision, then after each one."""
        position: PositionT = self.position.new(self.options, self.seed)
        yield position
        for number, action in enumerate(self.actions, 1):
            try:
                position.apply(action)
            except ValueError as error:
                raise ValueError(f"decision {number}: {error}") from None
            yield position

    def positions(self) -> Iterator[PositionT]:
        """The position before the first decision, then after each one: ``len(actions) + 1`` copies.

        Raises:
            ValueError: an action is illegal; the message gives its number.
        """
        return (position.copy() for position in self._replayed())

    def replay(self, decisions: int | None = None) -> PositionT:
        """The position after the first n decisions (None: after all).

        Raises:
            ValueError: an action is illegal, or there are fewer decisions.
        """
        most = len(self.actions)
        wanted = most if decisions is None else whole_number("decisions", decisions, 0, most)
        position: PositionT = next(itertools.islice(self._replayed(), wanted, None))
        return position

    def verify(self) -> None:
        """Replay the record; a ValueError if an action is illegal."""
        self.replay()

    # ---- text
    def to_text(self) -> str:
        """The record as the text of a file."""
        position, decisions = _decisions(self)
        return _text(position, decisions)

    @classmethod
    def from_text(cls, text: str, source: str = "record") -> Self:
        """Read a record and replay it.

        Args:
            text: the text of a file.
            source: its name, for messages.

        Raises:
            RecordError: a fault, with its line.
        """
        return _Reader(text, source).read(cls)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record to a file, completely or not at all: an old file stays until the new one is complete.

        Raises:
            ValueError: the record cannot be replayed.
            OSError: the folder cannot be written.
        """
        write_whole(path, self.to_text())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a record from a file and replay it.

        Raises:
            RecordError: a fault, with its line.
            OSError: the file cannot be read.
        """
        source = os.fspath(path)
        with open(source, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise RecordError(source, 0, f"a game record has at most {LARGEST_FILE} bytes")
        if content.startswith(codecs.BOM_UTF8):
            raise RecordError(source, 1, "the file begins with a byte order mark; save it as UTF-8 without one")
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise RecordError(source, line, "not a text file in UTF-8") from None
        return cls.from_text(text, source)


def begins_like_a_record(path: str | os.PathLike[str]) -> bool:
    """Whether a file is empty or begins like a game record; an OSError if it can't be read."""
    with open(path, "rb") as file:
        start = file.read(len(FORMAT))
    return start in (b"", FORMAT.encode())


def name_of_game(path: str | os.PathLike[str]) -> str:
    """The name of the game in a record's second line, or ""; an OSError if the file can't be read."""
    with open(path, "rb") as file:
        return name_in(file.read(BEGINNING).decode("utf-8", "replace"))


def name_in(text: str) -> str:
    """The name of the game in a record's text, or ""."""
    found = re.search(r"^game (\w+)\s*$", text[:BEGINNING], re.MULTILINE)
    return found[1] if found else ""


class Journal:
    """The record file of a game in progress, complete after every decision, however the program ends.

    Args:
        path: the file. It is written immediately, so errors are known before anybody has played.
        position: the game, begun with ``Position.new``.
        again: the file may exist: it belongs to this game.

    Attributes:
        error: the error of the last attempt to write the file; None if the file is up to date.

    Raises:
        ValueError: the position was read from a dictionary and has no record.
        OSError: the file can't be written, or it exists and is not empty (FileExistsError).
    """

    def __init__(self, path: str | os.PathLike[str], position: BasePosition[Any], again: bool = False) -> None:
        self.path = path
        self.error: OSError | None = None
        if not again and os.path.exists(path) and os.path.getsize(path) > 0:
            raise FileExistsError(errno.EEXIST, "there is a file of that name, which stays as it is", os.fspath(path))
        _, self._decisions = _decisions(position.game.record_class.of(position))
        write_whole(path, _text(position, self._decisions))

    def note(self, position: BasePosition[Any], seat: int | None = None) -> bool:
        """Write the last decision of the position, or that decisions were taken back.

        Args:
            position: the current position.
            seat: the seat of the last decision; None: decisions were taken back.

        Returns:
            Whether the file is up to date; if not, see :attr:`error`. The next call writes everything that is missing.
        """
        history = position.history or []
        if seat is not None:
            self._decisions.append(f"player_{seat}  {position.game.texts[history[-1]]}")
        del self._decisions[len(history) :]
        return self.write(position)

    def write(self, position: BasePosition[Any]) -> bool:
        """Write the file; see :meth:`note`."""
        try:
            write_whole(self.path, _text(position, self._decisions))
            self.error = None
        except OSError as error:
            self.error = error
        return self.error is None


def _decisions(record: GameRecord[Any]) -> tuple[Any, list[str]]:
    """Replay a record; returns the last position, and the decisions with their seats."""
    seats = []
    for position in record._replayed():
        seats.append(position.to_play)
    return position, [f"player_{seat}  {action}" for seat, action in zip(seats, record.actions, strict=False)]


def _text(position: Any, decisions: list[str]) -> str:
    """The text of a file, from the current position and the decisions with their seats."""
    lines = [f"{FORMAT} {VERSION}", f"game {position.game.name}"]
    options = position.options.to_dict() | {"edition": position.game.edition}
    lines += [f"option {name} = {json.dumps(value)}" for name, value in options.items()]
    width = len(str(len(decisions)))
    numbered = [f"{number:{width}}  {decision}" for number, decision in enumerate(decisions, 1)]
    return "\n".join([*lines, f"seed {position.seed}", "", *numbered, "", _end_line(position, len(decisions)), ""])


def _end_line(position: Any, decisions: int) -> str:
    over = "over" if position.is_over else "not over"
    return f"end: {decisions} decisions, {over}, scores {' '.join(str(score) for score in position.scores())}"


class _Reader:
    """The reader of a file."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        lines = text.split("\n")
        stripped = [(number, line.strip()) for number, line in enumerate(lines, 1)]
        self.lines = iter([(number, line) for number, line in stripped if line and not line.startswith("#")])
        self.last = max(len(lines) - (lines[-1] == ""), 1)
        self.number = 0  # of the current line

    def refuse(self, wrong: str) -> NoReturn:
        raise RecordError(self.source, self.number, wrong)

    @contextlib.contextmanager
    def errors_with_line(self, number: int | None = None) -> Iterator[None]:
        """Give errors the number of a line (None: of the current one)."""
        try:
            yield
        except ValueError as error:
            raise RecordError(self.source, number or self.number, cut(str(error), 1000)) from None

    def next(self, wanted: str) -> str:
        """The next line that is not ignored."""
        self.number, line = next(self.lines, (self.last, ""))
        if not line:
            self.refuse(f"the file ends here, but {wanted} must follow; it is truncated")
        return line

    def read(self, kind: type[Kind]) -> Kind:
        options, seed, line = self._read_header(kind)
        with self.errors_with_line():
            position = kind.position.new(options, seed)
        actions: list[str] = []
        while not line.startswith("end"):
            actions.append(self._read_decision(line, len(actions) + 1, position))
            line = self.next(NEXT)
        if _END.fullmatch(line) is None:
            self.refuse(f"{cut(line)!r} is not a complete last line: 'end: <n> decisions, over, scores <numbers>'")
        if line != _end_line(position, len(actions)):
            self.refuse(f"{cut(line)!r}, but these decisions lead to '{_end_line(position, len(actions))}'; "
                        "the file was changed, or written with other component tables")  # fmt: skip
        self.number, line = next(self.lines, (self.last, ""))
        if line:
            self.refuse(f"{cut(line)!r} after the end")
        return kind(position.options, seed, tuple(actions))

    def _read_header(self, kind: type[GameRecord[Any]]) -> tuple[dict[str, Any], int, str]:
        name = kind.position.game.name
        line = self.next("the first line of a record")
        if line != f"{FORMAT} {VERSION}":
            self.refuse(f"{cut(line)!r} is not the first line of a record of this version: '{FORMAT} {VERSION}'")
        line = self.next("the game's name")
        if line != f"game {name}":
            self.refuse(f"the line must be 'game {name}', not {cut(line)!r}")
        options: dict[str, Any] = {}
        last_option = self.number
        while (line := self.next("an option or the seed")).startswith("option"):
            found = _OPTION.fullmatch(line)
            if found is None:
                self.refuse(f"{cut(line)!r} is not an option: 'option <name> = <value>'")
            if found[1] in options:
                self.refuse(f"the option {found[1]} occurs twice")
            try:
                options[found[1]] = json.loads(found[2])
            except (ValueError, RecursionError):
                self.refuse(f"{cut(found[2])!r} is not a value: a number, a text in double quotes, true, false or null")
            last_option = self.number
        with self.errors_with_line(last_option):
            kind.position.game.options.from_dict({"edition": FIRST_EDITION, **options})
        if not re.fullmatch(r"seed \d{1,20}", line):
            self.refuse(f"{cut(line)!r} is not the seed: 'seed <whole number>'")
        with self.errors_with_line():
            seed = seed_of(int(line[5:]))
        return options, seed, self.next(NEXT)

    def _read_decision(self, line: str, number: int, position: BasePosition[Any]) -> str:
        found = _ACTION.fullmatch(line)
        if found is None:
            self.refuse(f"{cut(line)!r} is not a decision: '{number}  player_<seat>  <action>'")
        if int(found[1]) != number:
            self.refuse(f"the next decision must be {number}, not {int(found[1])}; a line is missing or duplicated")
        if number > position.game.longest:
            self.refuse(f"a game of {position.game.title} has at most {position.game.longest} decisions")
        if position.to_play is None:
            self.refuse("a decision after the end of the game")
        if int(found[2]) != position.to_play:
            self.refuse(f"player_{position.to_play} decides here, not player_{found[2]}")
        with self.errors_with_line():
            position.apply(found[3])
        return position.game.texts[(position.history or [])[-1]]
