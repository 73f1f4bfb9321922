"""The contract: what a game declares and supplies. The core knows no rule of any game, and no game's name.

docs/core.md explains it, docs/adding-a-game.md walks through a small one.
"""

from __future__ import annotations

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
    from carnegie_env.core.layout import Layout
    from carnegie_env.core.position import BasePosition
    from carnegie_env.core.record import GameRecord

LARGEST_RECORD = 1024  # bytes
NOTHING = "nothing"  # what is random, or hidden, in some games


class Record(Protocol):
    """One game, as the core's compiled functions see it; a game's own class of its record has these fields, too."""

    rng: np.uint64  # u8: the generator; the same options, seed and actions give the same game everywhere
    decisions: int  # i4: decisions taken, forced ones not counted
    num_players: int  # i1: seats in play
    to_play: int  # i1: the seat that decides, -1 when the game is over
    show_forced: int  # i1: 1 if decisions with one legal action are handed out, too
    legal: Words  # u8 (words): legal actions of the decision at hand, 64 to a word


HEADER = {"rng": "u8", "decisions": "i4", "num_players": "i1", "to_play": "i1", "show_forced": "i1"}


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
    """What a thing on the board is, in a few sentences.

    Args:
        title: its name in the rulebook.
        text: what it is for.
        source: where the rule is, as in "rulebook, Donations; ruling 12".
    """

    title: str
    text: str
    source: str


@dataclasses.dataclass(frozen=True)
class Losses:
    """What an episode is worth to the player who ends it with an illegal action, by reward.

    It must be less than any game that is played by the rules: else breaking them would be a way out of a bad game.

    Args:
        margin, score: in points.
    """

    margin: float
    score: float


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Game:
    """One game of the collection.

    Args:
        name: its id, as in `--game`, records and positions.
        title: its name for people; without blanks it is the namespace of its Gymnasium environments (`namespace`).
        module: the module with its classes `Batch`, `Position` and `GameRecord`.
        seats: least and most players.
        opponent: name of the automatic opponent at a table of one, None if there is no such table.
        random, hidden: what is left to chance, and what seats can't see, in words; "nothing" where that is so.
        hides: options -> whether such games hide anything from a seat.
        longest: no game has more decisions, those with one legal action counted.
        options: class of its options.
        record: dtype of a record: fixed size, at most 1 KiB, with the fields of :class:`Record`.
        derived: names of the fields that follow from the others (``rules.rebuild`` makes them).
        template: options -> array of shape (1,), the record before anything is drawn.
        rules: the functions of one record.
        codec: how positions are written and read.
        texts: text of every action, by number; action 0 is `pass` (kernels.NOTHING).
        num_actions: options -> number of actions A of such games; texts beyond A stand for actions they never have.
        score_columns: names of the columns of a score row.
        score_rows: rows that ``rules.score`` writes.
        sides: options -> the rows of those who compete: the seats in order, then the automatic opponent.
        rank_by: the columns that rank a result, first things first; the higher number is better. Sides that are equal
            in all of them share their place. The first one is the score.
        point: unit of the score, as in "VP".
        losses: see :class:`Losses`.
        dense_unit: points that are a clear lead: `dense_margin` counts them as 1, networks reckon in shares of them.
        layout: options -> the named features of an observation.
        insights: names of the numbers that ``rules.insight`` writes.
        phase, round: record -> what is being decided, as text, and the round; rounds before the first are 0.
        breakdown: record, score rows of the sides -> for each side its score by category, as people read it; a
            dictionary with a key `total`. None: the columns by their names, and the first of ``rank_by`` as `total`.
        board: position, width in columns -> the board as text.
        choices: position, width in columns -> the legal actions in a few lines; by default one after the other.
        short_text: text of an action -> a shorter one that people may use for the first legal action that has it.
        secret_phases: phases whose decisions the other seats don't see, and what they see instead: "chooses a card".
        tell: the record at a decision, the number of the action taken, the record at the next decision, a seat -> what
            that seat (None: somebody who only watches) sees happen, in order: who (the name of a side, "" where it is
            nobody's), and a few words. The action itself is told anyway. None: the single numbers of the observation
            that changed (core/telling.py).
        draw: position, seat, name of a theme -> the board as SVG (render/svg.py): what that seat sees of it, None: what
            lies open to all; what can be chosen now is marked and carries its action numbers, if it is the seat's turn
            or the seat is None. None: the game has no pictures.
        topics: what things on the board are, for people, by the keys that parts of the picture name.
        facts: its component tables, with the marks of provenance; None if it has no such files.
        statistics: a batch of games that are over, how often each action was played in them (int64 (A,)) -> tables of
            what they used, for people: titles, and pairs of a name and a number as texts.
        variants: options of games that together show all of the rules: benches and tests go through them.
    """

    name: str
    title: str
    module: str
    seats: tuple[int, int]
    opponent: str | None
    random: str
    hidden: str
    hides: Callable[[Any], bool]
    longest: int
    options: type[Any]
    record: np.dtype[Any]
    derived: frozenset[str] = frozenset({"legal"})
    template: Callable[[Any], NDArray[Any]]
    rules: Rules
    codec: Codec
    texts: tuple[str, ...]
    num_actions: Callable[[Any], int]
    score_columns: tuple[str, ...]
    score_rows: int
    sides: Callable[[Any], tuple[int, ...]]
    rank_by: tuple[str, ...]
    point: str = "points"
    losses: Losses
    dense_unit: float = 1
    layout: Callable[[Any], Layout]
    insights: tuple[str, ...] = ()
    phase: Callable[[Any], str]
    round: Callable[[Any], int]
    breakdown: Callable[[Any, list[list[int]]], list[dict[str, Any]]] | None = None
    board: Callable[[Any, int], str]
    choices: Callable[[Any, int], list[str]] = lambda position, width: textwrap.wrap(
        ", ".join(position.legal_actions()), width
    )
    short_text: Callable[[str], str] = lambda text: text
    secret_phases: Mapping[str, str] = dataclasses.field(default_factory=dict)
    tell: Callable[[Any, int, Any, int | None], list[tuple[str, str]]] | None = None
    draw: Callable[[Any, int | None, str], str] | None = None
    topics: Callable[[], Mapping[str, Topic]] = dict
    facts: Edition | None = None
    statistics: Callable[[Any, NDArray[np.int64]], list[tuple[str, list[tuple[str, str]]]]] = lambda batch, played: []
    variants: tuple[dict[str, Any], ...] = ({},)

    def __post_init__(self) -> None:
        """Refuse, with a ValueError, what the core could not work with; then the core knows the game's rules."""
        fields: Mapping[str, Any] = self.record.fields or {}
        for name, kind in HEADER.items():
            if name not in fields or fields[name][0] != np.dtype(kind):
                raise ValueError(f"{self.name}: the record needs a field {name!r} of type {kind}")
        words = (len(self.texts) + 63) // 64
        if "legal" not in fields or fields["legal"][0] != np.dtype(("u8", (words,))):
            raise ValueError(f"{self.name}: the record needs a field 'legal' of type u8, shape ({words},)")
        if self.record.itemsize > LARGEST_RECORD:
            raise ValueError(f"{self.name}: a record has {self.record.itemsize} bytes, more than {LARGEST_RECORD}")
        if unknown := [name for name in self.rank_by if name not in self.score_columns]:
            raise ValueError(f"{self.name}: rank_by names {unknown[0]!r}, which is no score column")
        if not self.rank_by or self.score_rows < 1:
            raise ValueError(f"{self.name}: a result needs a score row, and a column in rank_by")
        if self.namespace.lower() != re.sub("[^a-z0-9_]", "", self.namespace.lower()):
            raise ValueError(f"{self.name}: the title has other characters than letters, digits and blanks")
        if self.texts[0] != "pass":
            raise ValueError(f"{self.name}: action 0 is to be 'pass', not {self.texts[0]!r}")
        if (self.opponent is not None) != (self.seats[0] == 1):
            raise ValueError(f"{self.name}: a table of one needs an automatic opponent, and only that")
        rules.register(self.name, self.record, self.rules)

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_of, (self.module,)  # one object a process

    # ---- its classes
    @functools.cached_property
    def batch_class(self) -> type[Batch[Any]]:
        """Its :class:`~carnegie_env.core.batch.Batch`."""
        found: type[Batch[Any]] = importlib.import_module(self.module).Batch
        return found

    @functools.cached_property
    def position_class(self) -> type[BasePosition[Any]]:
        """Its :class:`~carnegie_env.core.position.BasePosition`."""
        found: type[BasePosition[Any]] = importlib.import_module(self.module).Position
        return found

    @functools.cached_property
    def record_class(self) -> type[GameRecord[Any]]:
        """Its :class:`~carnegie_env.core.record.GameRecord`."""
        found: type[GameRecord[Any]] = importlib.import_module(self.module).GameRecord
        return found

    # ---- what follows from it
    @property
    def namespace(self) -> str:
        """Where its Gymnasium environments are: `<namespace>/Versus-v0`, with an automatic opponent `.../Solo-v0`."""
        return self.title.replace(" ", "")

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

    def named_scores(self, record: Any, rows: list[list[int]]) -> list[dict[str, Any]]:
        """The score of each side by category, as ``breakdown`` says."""
        if self.breakdown is not None:
            return self.breakdown(record, rows)
        return [dict(zip(self.score_columns, row, strict=True), total=row[self.rank_columns[0]]) for row in rows]

    def phase_is_secret(self, record: Any) -> bool:
        """Whether the decision at hand is hidden from the other seats."""
        return self.phase(record) in self.secret_phases


def _game_of(module: str) -> Game:
    game: Game = importlib.import_module(module).Batch.game
    return game
