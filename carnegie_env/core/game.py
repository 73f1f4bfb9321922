"""The contract between the core and the games. The core knows no game.

docs/core.md explains it, docs/adding-a-game.md walks through two small games.
"""

from __future__ import annotations

import copyreg
import dataclasses
import functools
import importlib
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import rules
from carnegie_env.core.arrays import Words
from carnegie_env.core.rules import Rules

if TYPE_CHECKING:
    from carnegie_env.core.batch import Batch
    from carnegie_env.core.facts import Edition
    from carnegie_env.core.fields import Fields
    from carnegie_env.core.layout import Layout
    from carnegie_env.core.position import BasePosition
    from carnegie_env.core.record import GameRecord

LARGEST_RECORD = 1024  # bytes
NOTHING = "nothing"  # what is random, or hidden, in some games


class Record(Protocol):
    """One game, as the core's compiled functions see it; a game's own class of its record has these fields as well."""

    rng: np.uint64  # u8: the generator; the same options, seed and actions give the same game everywhere
    decisions: int  # i4: decisions taken, forced ones not counted
    num_players: int  # i1: seats in play
    to_play: int  # i1: the seat that decides, -1 when the game is over
    show_forced: int  # i1: 1 if forced decisions are presented to the player
    legal: Words  # u8 (words): legal actions of the decision at hand, 64 to a word


class GameOptions(Protocol):
    """The options of a game: a frozen dataclass whose fields are the arguments of every interface."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    SOLO_ONLY: ClassVar[tuple[str, ...]]  # the options that only tables of one have

    @property
    def num_players(self) -> int:
        """Seats in play."""

    @classmethod
    def from_dict(cls, values: dict[str, Any], *, also: Sequence[str] = ()) -> Self:
        """Options from keyword values; an UnexpectedArgument or ValueError says what is wrong with them."""

    @classmethod
    def choices(cls, *, solo: bool = False) -> dict[str, tuple[str, ...]]:
        """By name, the options with named values, and these; `modules`: the switches that it turns on.

        Args:
            solo: those that go with a table of one.
        """

    def to_dict(self) -> dict[str, Any]:
        """All options by name, in JSON types."""


OptionsT = TypeVar("OptionsT", bound=GameOptions)


class Codec(Protocol):
    """How a record is written as a dictionary of JSON types and read back.

    ``to_dict`` is plain Python: for a record of any content it returns or raises, and touches no memory but its own.
    ``from_dict`` takes positions that play could reach and raises a ValueError for everything else.
    """

    def to_dict(self, record: Any, /) -> dict[str, Any]: ...
    def from_dict(self, position: Any, /) -> NDArray[Any]: ...
    def options_of(self, record: Any, /) -> Any: ...


@dataclasses.dataclass(frozen=True)
class Topic:
    """Help on one part of the board, in a few sentences.

    Args:
        title: its name in the rulebook.
        text: its purpose.
        source: where the rule is, as in "rulebook, Donations; ruling 12".
    """

    title: str
    text: str
    source: str


@dataclasses.dataclass(frozen=True)
class Losses:
    """The value of an episode to the player who ends it with an illegal action, by reward.

    It must be below that of any game played by the rules; otherwise an illegal action could be the best move.

    Args:
        margin, score: in points.
    """

    margin: float
    score: float


def _as_declared(options: Any) -> Any:
    """In place of a function that follows from the other declarations."""


def choices(position: Any, width: int) -> list[str]:
    """The legal actions one after the other, in lines of a width."""
    return textwrap.wrap(", ".join(position.legal_actions()), width)


def board(position: Any, width: int) -> str:
    """The fields of a record, a line each: the board of a game that draws none."""
    lines = (f"{name}: {value}" for name, value in position.to_dict().items() if name not in ("options", "rng"))
    return "\n".join(line[:width] for line in lines)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Presentation:
    """How people see a game. Everything here is optional: without it, every interface works, only plainly.

    Args:
        title: its name for people; None: its id with capitals.
        point: unit of the score, as in "VP".
        hidden: the things that seats can't see, in words.
        phase, round: record -> the decision at hand, as text, and the round; rounds before the first are 0. By default
            the record's fields ``phase`` (by the names that it was declared with) and ``round_number``, if it has them.
        breakdown: record, score rows of the sides -> for each side its score by category; a dictionary with a key
            `total`. None: the columns by their names, and the first of ``rank_by`` as `total`.
        board: position, width in columns -> the board as text.
        choices: position, width in columns -> the legal actions in a few lines.
        short_text: text of an action -> a shorter one that people may use for the first legal action that has it.
        secret_phases: phases whose decisions the other seats don't see, and what they see instead: "chooses a card".
        wording: record at a decision, number of an action -> the action in words for people. None: its text.
        tell: a step (core/log.py), a seat -> the events that this seat (None: a spectator) sees, in order: the name of
            a side, "" for the table, and a few words. None: the single numbers of the observation that changed.
        draw: position, seat, name of a theme -> the board as SVG (render/svg.py) as that seat sees it, None: what lies
            open to all; legal actions are marked and carry their numbers, if it is the seat's turn or the seat is None.
            None: the game has no pictures.
        topics: explanations of the things on the board, by the keys that parts of the picture name.
        facts: its component tables, with the marks of provenance; None if it has no such files.
        statistics: a batch of games that are over, how often each action was played in them (int64 (A,)) -> tables of
            what they used: titles, and pairs of a name and a number as texts.
    """

    title: str | None = None
    point: str = "points"
    hidden: str = NOTHING
    phase: Callable[[Any], str] | None = None
    round: Callable[[Any], int] | None = None
    breakdown: Callable[[Any, list[list[int]]], list[dict[str, Any]]] | None = None
    board: Callable[[Any, int], str] = board
    choices: Callable[[Any, int], list[str]] = choices
    short_text: Callable[[str], str] = lambda text: text
    secret_phases: Mapping[str, str] = dataclasses.field(default_factory=dict)
    wording: Callable[[Any, int], str] | None = None
    tell: Callable[[Any, int | None], list[tuple[str, str]]] | None = None
    draw: Callable[[Any, int | None, str], str] | None = None
    topics: Callable[[], Mapping[str, Topic]] = dict
    facts: Edition | None = None
    statistics: Callable[[Any, NDArray[np.int64]], list[tuple[str, list[tuple[str, str]]]]] = lambda batch, played: []


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Game:
    """One game of the collection: its rules, and optionally how people see it.

    Args:
        name: its id in lower case, as in `--game`, records and positions; `namespace` follows from it.
        options: class of its options; the range of ``num_players`` says how many can play.
        fields: the declared fields of its records: see :class:`carnegie_env.core.fields.Fields`.
        texts: text of every action, by number; action 0 is `pass` (kernels.NOTHING).
        rules: the functions of one record.
        layout: options -> the named features of an observation.
        score_columns: names of the columns of a score row.
        rank_by: the columns that rank a result, in this order; the higher number is better. Sides that are equal in all
            of them share their place. The first one is the score. Default: the first column.
        template: options -> array of shape (1,), the record before anything is drawn. Default: ``fields.blank``.
        num_actions: options -> number of actions A of such games; texts beyond A stand for actions they never have.
        opponent: name of the automatic opponent at a table of one; None if there is no such table. Its score row is
            the last one.
        random: the random elements, in words; "nothing" if there are none.
        hides: options -> whether games with them hide anything from a seat.
        longest: the most decisions that a game can have, forced ones included.
        losses: see :class:`Losses`.
        dense_unit: a clear lead, in points: `dense_margin` counts it as 1, networks use it as their unit.
        insights: names of the numbers that ``rules.insight`` writes.
        variants: options that together cover all rules; benchmarks and tests use each of them.
        presentation: see :class:`Presentation`.
    """

    name: str
    options: type[Any]
    fields: Fields
    texts: tuple[str, ...]
    rules: Rules
    layout: Callable[[Any], Layout]
    score_columns: tuple[str, ...]
    rank_by: tuple[str, ...] = ()
    template: Callable[[Any], NDArray[Any]] = _as_declared
    num_actions: Callable[[Any], int] = _as_declared
    opponent: str | None = None
    random: str = NOTHING
    hides: Callable[[Any], bool] = lambda options: False
    longest: int = 10_000
    losses: Losses = Losses(margin=-1000, score=-1000)
    dense_unit: float = 1
    insights: tuple[str, ...] = ()
    variants: tuple[dict[str, Any], ...] = ({},)
    presentation: Presentation = Presentation()

    def __post_init__(self) -> None:
        """Check the declarations, with a ValueError for faults, and register the rules."""
        defaults = {
            "rank_by": self.score_columns[:1],
            "template": self.fields.blank,
            "num_actions": lambda options: len(self.texts),
        }
        for name, default in defaults.items():
            if getattr(self, name) in ((), _as_declared):
                object.__setattr__(self, name, default)  # the class is frozen
        if not re.fullmatch("[a-z][a-z0-9_]*", self.name):
            raise ValueError(f"{self.name!r}: a game's name has lower-case letters, digits and _")
        if self.record.itemsize > LARGEST_RECORD:
            raise ValueError(f"{self.name}: a record has {self.record.itemsize} bytes, more than {LARGEST_RECORD}")
        if unknown := [name for name in self.rank_by if name not in self.score_columns]:
            raise ValueError(f"{self.name}: rank_by names {unknown[0]!r}, which is no score column")
        if not self.rank_by:
            raise ValueError(f"{self.name}: a result needs a score column")
        if self.texts[0] != "pass":
            raise ValueError(f"{self.name}: action 0 is to be 'pass', not {self.texts[0]!r}")
        if (self.opponent is not None) != (self.seats[0] == 1):
            raise ValueError(f"{self.name}: a table of one needs an automatic opponent, and only that")
        rules.register(self.name, self.record, self.rules)

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_of, (self.name, self.options.__module__)  # one object a process

    # ---- its classes
    @functools.cached_property
    def batch_class(self) -> type[Batch[Any]]:
        """Its :class:`~carnegie_env.core.batch.Batch`."""
        from carnegie_env.core.batch import Batch

        made: type[Batch[Any]] = self._own(Batch, "Batch", "batch_class")
        return made

    @functools.cached_property
    def position_class(self) -> type[BasePosition[Any]]:
        """Its :class:`~carnegie_env.core.position.BasePosition`."""
        from carnegie_env.core.position import BasePosition

        made: type[BasePosition[Any]] = self._own(BasePosition, "Position", "position_class")
        return made

    @functools.cached_property
    def record_class(self) -> type[GameRecord[Any]]:
        """Its :class:`~carnegie_env.core.record.GameRecord`."""
        from carnegie_env.core.record import GameRecord

        made: type[GameRecord[Any]] = self._own(GameRecord, "GameRecord", "record_class", position=self.position_class)
        return made

    def _own(self, base: type[Any], name: str, where: str, **more: Any) -> Any:
        """This game's subclass of a class of the core; it is pickled as an attribute of the game."""
        text = f"{name} of {self.title}; see :class:`{base.__module__}.{base.__qualname__}`."
        made: Any = _OfGame(name, (base,), {"game": self, "__doc__": text, **more})
        made.where = where
        return made

    # ---- what follows from it
    @property
    def record(self) -> np.dtype[Any]:
        """The dtype of a record: fixed size, at most 1 KiB."""
        return self.fields.dtype

    @property
    def derived(self) -> frozenset[str]:
        """The names of the fields that follow from the others (``rules.rebuild`` makes them)."""
        return self.fields.derived

    @property
    def codec(self) -> Codec:
        """How positions are written and read."""
        return self.fields

    @functools.cached_property
    def seats(self) -> tuple[int, int]:
        """Least and most players."""
        field = self.options.__dataclass_fields__["num_players"]
        return field.metadata["least"], field.metadata["most"]

    @property
    def score_rows(self) -> int:
        """The rows that ``rules.score`` writes: the seats, then the automatic opponent."""
        return self.seats[1] + (self.opponent is not None)

    def sides(self, options: Any) -> tuple[int, ...]:
        """The score rows of those who compete: the seats in order, then the automatic opponent."""
        alone = self.opponent is not None and options.num_players == 1
        return (0, self.score_rows - 1) if alone else tuple(range(options.num_players))

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.presentation.title or self.name.replace("_", " ").title()

    @property
    def namespace(self) -> str:
        """Where its Gymnasium environments are: `<namespace>/Versus-v0`, with an automatic opponent `.../Solo-v0`."""
        return namespace_of(self.name)

    @property
    def has_chance(self) -> bool:
        """Whether anything is left to chance: if not, all deals are the same."""
        return self.random != NOTHING

    @property
    def bench_options(self) -> dict[str, Any]:
        """The options of games that speed is measured on: the smallest table without an automatic opponent."""
        return {"num_players": max(self.seats[0], 2)}

    @functools.cached_property
    def rank_columns(self) -> tuple[int, ...]:
        """Where the columns of ``rank_by`` are."""
        return tuple(self.score_columns.index(name) for name in self.rank_by)

    def side_names(self, options: Any) -> tuple[str, ...]:
        """The names of those who compete: `player_0`, ..., then the automatic opponent."""
        seats = [f"player_{seat}" for seat in range(options.num_players)]
        return tuple(seats if options.num_players > 1 or self.opponent is None else [*seats, self.opponent])

    def phase(self, record: Any) -> str:
        """The decision at hand, as text."""
        if self.presentation.phase is not None:
            return self.presentation.phase(record)
        kind = self.fields.kinds.get("phase")
        if kind is None or not kind.names:
            return "over" if record["to_play"] < 0 else "play"
        return str(kind.names[record["phase"]])

    def round(self, record: Any) -> int:
        """The round; rounds before the first, and those of a game without rounds, are 0."""
        if self.presentation.round is not None:
            return self.presentation.round(record)
        return int(record["round_number"]) if "round_number" in self.fields.kinds else 0

    def named_scores(self, record: Any, rows: list[list[int]]) -> list[dict[str, Any]]:
        """The score of each side by category, as ``Presentation.breakdown`` says."""
        if self.presentation.breakdown is not None:
            return self.presentation.breakdown(record, rows)
        return [dict(zip(self.score_columns, row, strict=True), total=row[self.rank_columns[0]]) for row in rows]

    def wording(self, record: Any, action: int) -> str:
        """An action, by its number, in words for people."""
        words = self.presentation.wording
        return self.texts[action] if words is None else words(record, action)

    def phase_is_secret(self, record: Any) -> bool:
        """Whether the decision at hand is hidden from the other seats."""
        return self.phase(record) in self.presentation.secret_phases


def namespace_of(name: str) -> str:
    """The namespace of a game's Gymnasium environments: `SteelDriver` of `steel_driver`."""
    return name.title().replace("_", "")


def _game_of(name: str, module: str) -> Game:
    """A game by its name; one that is not in the collection is in the module of its options."""
    from carnegie_env import collection

    if name in collection.names():
        return collection.find(name)
    found = vars(importlib.import_module(module)).values()
    return next(each for each in found if isinstance(each, Game) and each.name == name)


class _OfGame(type):
    """The class of the classes that a game makes."""

    game: Game
    where: str  # the attribute of the game


copyreg.pickle(_OfGame, lambda made: (getattr, (made.game, made.where)))
