"""Game records: options, seed and actions of one game in a text file that people can read and a program can check.

The file, in order: a line with the format and its version; ``game``, ``option`` and ``seed`` lines; one line per
decision with its number, the seat that took it and the action's text; the last line with the number of decisions,
whether the game is over, and the scores. Forced decisions are not written: the rules play them. Empty lines and lines
that begin with ``#`` say nothing. Numbers, seats and scores are there to be checked: a file that was cut or changed is
refused with its line.

The file of a game in progress is rewritten as a whole after every decision (:class:`Journal`), so a killed process
leaves a complete record.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import re
from collections.abc import Iterator
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar

from carnegie_env.core.files import write_whole
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import cut, seed_of

Kind = TypeVar("Kind", bound="GameRecord[Any]")
PositionT = TypeVar("PositionT", bound=BasePosition[Any])

FORMAT = "carnegie-env game record"
VERSION = 1
LARGEST_FILE = 16_000_000  # bytes
BEGINNING = 4096  # of a file, in which the game's name is
_OPTION = re.compile(r"option (\w+) = (.+)")
_ACTION = re.compile(r"(\d{1,9}) +player_(\d{1,2}) +(\S.*)")
_END = re.compile(r"end: (\d{1,9}) decisions, (over|not over), scores ([-\d ]+)")


class RecordError(ValueError):
    """A file that is no whole, right record. The message begins with the file and the line.

    Attributes:
        line: the number of the line, from 1; 0 if the fault is not in a line.
    """

    def __init__(self, source: str, line: int, wrong: str) -> None:
        super().__init__(f"{source}:{line}: {wrong}" if line else f"{source}: {wrong}")
        self.line = line


@dataclasses.dataclass(frozen=True)
class GameRecord(Generic[PositionT]):
    """Options, seed and actions of one game.

    A game of the collection makes its own class by naming its ``position``.

    Args:
        options: the game's options.
        seed: the seed it was dealt from.
        actions: the texts of the decisions taken, forced ones left out.
    """

    options: Any
    seed: int
    actions: tuple[str, ...]

    position: ClassVar[type[Any]]  # of the game's positions

    @classmethod
    def of(cls, position: BasePosition[Any]) -> Self:
        """The record of a game that began with ``Position.new``.

        Raises:
            ValueError: the position was read from a dictionary, so how it came about is not known.
        """
        if position.history is None or position.seed is None:
            raise ValueError("a position that was read has no record; only one that began with new() does")
        texts = position.game.texts
        return cls(position.options, position.seed, tuple(texts[number] for number in position.history))

    # ---- playing it
    def positions(self) -> Iterator[PositionT]:
        """The position before the first decision, then after each one: copies, ``len(actions) + 1`` in all.

        Raises:
            ValueError: an action is not legal where it stands; the message names its number.
        """
        position: PositionT = self.position.new(self.options, self.seed)
        yield position.copy()
        for number, action in enumerate(self.actions, 1):
            try:
                position.apply(action)
            except ValueError as error:
                raise ValueError(f"decision {number}: {error}") from None
            yield position.copy()

    def replay(self, decisions: int | None = None) -> PositionT:
        """The position after the first n decisions (None: after all).

        Raises:
            ValueError: an action is not legal where it stands, or there are fewer decisions.
        """
        wanted = len(self.actions) if decisions is None else decisions
        if isinstance(wanted, bool) or not isinstance(wanted, int) or not 0 <= wanted <= len(self.actions):
            raise ValueError(f"the record has decisions 0 to {len(self.actions)}, not {wanted!r}")
        position: PositionT = self.position.new(self.options, self.seed)
        for number, action in enumerate(self.actions[:wanted], 1):
            try:
                position.apply(action)
            except ValueError as error:
                raise ValueError(f"decision {number}: {error}") from None
        return position

    def verify(self) -> None:
        """Replay all of it; a ValueError if an action is not legal where it stands."""
        self.replay()

    # ---- as text
    def to_text(self) -> str:
        """The record as the text of a file."""
        decisions = []
        position: PositionT = self.position.new(self.options, self.seed)
        for number, action in enumerate(self.actions, 1):
            seat = position.to_play
            try:
                position.apply(action)
            except ValueError as error:
                raise ValueError(f"decision {number}: {error}") from None
            decisions.append(f"player_{seat}  {action}")
        return _text(position, decisions)

    @classmethod
    def from_text(cls, text: str, source: str = "record") -> Self:
        """Read a record and replay it.

        Args:
            text: the text of a file.
            source: its name, for messages.

        Raises:
            RecordError: with the line that is wrong and the reason.
        """
        return _Reader(text, source).read(cls)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record to a file, whole or not at all: an old file stays until the new one is complete.

        Raises:
            ValueError: the record cannot be replayed.
            OSError: the folder cannot be written.
        """
        write_whole(path, self.to_text())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a record from a file and replay it.

        Raises:
            RecordError: a wrong or cut file, with its line and the reason.
            OSError: the file cannot be read.
        """
        source = os.fspath(path)
        with open(source, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise RecordError(source, 0, f"more than {LARGEST_FILE} bytes, no game record is that long")
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise RecordError(source, line, "not a text file in UTF-8") from None
        return cls.from_text(text, source)


def begins_like_a_record(path: str | os.PathLike[str]) -> bool:
    """Whether a file is empty or has a game record's first words; an OSError if it can't be read."""
    with open(path, "rb") as file:
        start = file.read(len(FORMAT))
    return start in (b"", FORMAT.encode())


def name_of_game(path: str | os.PathLike[str]) -> str:
    """The name that the second line of a record gives; "" if it has none. An OSError if the file can't be read."""
    with open(path, "rb") as file:
        return name_in(file.read(BEGINNING).decode("utf-8", "replace"))


def name_in(text: str) -> str:
    """The same of a record's text."""
    found = re.search(r"^game (\w+)\s*$", text[:BEGINNING], re.MULTILINE)
    return found[1] if found else ""


class Journal:
    """The record file of a game that is being played: whole after every decision, whatever ends the program.

    Args:
        path: the file. It is written at once, so that what makes it impossible is known before anybody has played.
        position: the game, begun with ``Position.new``.
        again: the file may be there already: it is this game's.

    Attributes:
        error: why the file could not be written when it was last tried; None if it is up to date.

    Raises:
        ValueError: a position that was read and so has no record.
        OSError: the file can't be written, or there is something in it (FileExistsError).
    """

    def __init__(self, path: str | os.PathLike[str], position: BasePosition[Any], again: bool = False) -> None:
        self.path = path
        self.error: OSError | None = None
        if not again and os.path.exists(path) and os.path.getsize(path) > 0:
            raise FileExistsError(errno.EEXIST, "there is a file of that name, which stays as it is", os.fspath(path))
        record: GameRecord[Any] = GameRecord.of(position)
        replayed = type(position).new(record.options, record.seed)
        self._decisions: list[str] = []
        for action in record.actions:
            self._decisions.append(f"player_{replayed.to_play}  {action}")
            replayed.apply(action)
        write_whole(path, _text(position, self._decisions))

    def note(self, position: BasePosition[Any], seat: int | None = None) -> bool:
        """Write what has happened: the last decision of the position, or that one was taken back.

        Args:
            position: the game now.
            seat: who took the last decision; None: decisions were taken back.

        Returns:
            Whether the file is up to date; if not, see :attr:`error`. The next call writes all that is missing.
        """
        history = position.history or []
        if seat is not None:
            self._decisions.append(f"player_{seat}  {position.game.texts[history[-1]]}")
        del self._decisions[len(history) :]
        return self.write(position)

    def write(self, position: BasePosition[Any]) -> bool:
        """Try to bring the file up to date; see :meth:`note`."""
        try:
            write_whole(self.path, _text(position, self._decisions))
            self.error = None
        except OSError as error:
            self.error = error
        return self.error is None


def _text(position: Any, decisions: list[str]) -> str:
    """The text of a file: a game's position now, and its decisions with the seats that took them."""
    lines = [f"{FORMAT} {VERSION}", f"game {position.game.name}"]
    lines += [f"option {name} = {json.dumps(value)}" for name, value in position.options.to_dict().items()]
    width = len(str(len(decisions)))
    numbered = [f"{number:{width}}  {decision}" for number, decision in enumerate(decisions, 1)]
    return "\n".join([*lines, f"seed {position.seed}", "", *numbered, "", _end_line(position, len(decisions)), ""])


def _end_line(position: Any, decisions: int) -> str:
    over = "over" if position.is_over else "not over"
    return f"end: {decisions} decisions, {over}, scores {' '.join(str(score) for score in position.scores())}"


class _Reader:
    """The lines of a file, and the position that its actions lead to."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.lines = text.split("\n")
        self.number = 0  # of the line at hand

    def refuse(self, wrong: str, line: int | None = None) -> NoReturn:
        raise RecordError(self.source, self.number if line is None else line, wrong)

    def next(self, wanted: str) -> str:
        """The next line that says something."""
        while self.number < len(self.lines):
            self.number += 1
            line = self.lines[self.number - 1].strip()
            if line and not line.startswith("#"):
                return line
        self.number = max(len(self.lines) - (self.lines[-1] == ""), 1)
        self.refuse(f"the file ends here, but {wanted} must follow; it was cut off")

    def read(self, kind: type[Kind]) -> Kind:
        options, seed, line = self._read_header(kind)
        try:
            position = kind.position.new(options, seed)
        except ValueError as error:
            self.refuse(str(error))
        actions: list[str] = []
        wanted = "a decision or the line with 'end:'"
        while not line.startswith("end"):
            actions.append(self._read_decision(line, len(actions) + 1, position))
            line = self.next(wanted)
        if _END.fullmatch(line) is None:
            self.refuse(f"{cut(line)!r} is not a whole last line: 'end: <n> decisions, over, scores <numbers>'")
        if line != _end_line(position, len(actions)):
            self.refuse(f"{cut(line)!r}, but these decisions lead to '{_end_line(position, len(actions))}'; "
                        "the file was changed, or made with other component data")  # fmt: skip
        for rest in self.lines[self.number :]:
            self.number += 1
            if rest.strip() and not rest.strip().startswith("#"):
                self.refuse(f"{cut(rest)!r} after the end")
        return kind(position.options, seed, tuple(actions))

    def _read_header(self, kind: type[GameRecord[Any]]) -> tuple[dict[str, Any], int, str]:
        line = self.next("the first line of a record")
        if line != f"{FORMAT} {VERSION}":
            self.refuse(f"{cut(line)!r} is not the first line of a record this version reads: '{FORMAT} {VERSION}'")
        line = self.next("the game's name")
        if line != f"game {kind.position.game.name}":
            self.refuse(f"{cut(line)!r}, but 'game {kind.position.game.name}' is wanted")
        options: dict[str, Any] = {}
        last_option = self.number
        while (line := self.next("an option or the seed")).startswith("option"):
            found = _OPTION.fullmatch(line)
            if found is None:
                self.refuse(f"{cut(line)!r} is not an option: 'option <name> = <value>'")
            if found[1] in options:
                self.refuse(f"the option {found[1]} is there twice")
            try:
                options[found[1]] = json.loads(found[2])
            except (ValueError, RecursionError):
                self.refuse(f"{cut(found[2])!r} is not a value: a number, a text in double quotes, true, false or null")
            last_option = self.number
        try:
            kind.position.game.options.from_dict(options)
        except ValueError as error:
            self.refuse(cut(str(error), 200), last_option)
        if not re.fullmatch(r"seed \d{1,20}", line):
            self.refuse(f"{cut(line)!r} is not the seed: 'seed <whole number>'")
        try:
            seed = seed_of(int(line[5:]))
        except ValueError as error:
            self.refuse(str(error))
        return options, seed, self.next("a decision or the line with 'end:'")

    def _read_decision(self, line: str, number: int, position: BasePosition[Any]) -> str:
        found = _ACTION.fullmatch(line)
        if found is None:
            self.refuse(f"{cut(line)!r} is not a decision: '{number}  player_<seat>  <action>'")
        if int(found[1]) != number:
            self.refuse(f"decision {int(found[1])}, but {number} is the next; a line is missing or there twice")
        if number > position.game.longest:
            self.refuse(f"more than {position.game.longest} decisions, no game of {position.game.title} has that many")
        if position.to_play is None:
            self.refuse("a decision after the end of the game")
        if int(found[2]) != position.to_play:
            self.refuse(f"player_{found[2]}, but player_{position.to_play} decides there")
        try:
            position.apply(found[3])
        except ValueError as error:
            self.refuse(str(error))
        return position.game.texts[(position.history or [])[-1]]
