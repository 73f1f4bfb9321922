"""The contract between the core and the games: what a game declares. docs/core.md and docs/adding-a-game.md explain it.

The core itself depends on no game.
"""

from __future__ import annotations

import copyreg
import dataclasses
import functools
import importlib
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import rules
from carnegie_env.core.arrays import Words
from carnegie_env.core.options import BaseOptions
from carnegie_env.core.rules import Rules

if TYPE_CHECKING:
    from carnegie_env.core.batch import Batch
    from carnegie_env.core.facts import Edition
    from carnegie_env.core.fields import Fields
    from carnegie_env.core.layout import Layout
    from carnegie_env.core.position import BasePosition
    from carnegie_env.core.record import GameRecord

LARGEST_RECORD = 1024  # bytes
NOTHING = "nothing"  # the text for games without hidden information, or without chance


class Record(Protocol):
    """The fields that the core needs; a game's own class of its record inherits them."""

    rng: np.uint64  # u8: the state of the generator; the same options, seed and actions give the same game everywhere
    decisions: int  # i4: decisions taken, forced ones not counted
    num_players: int  # i1: seats in play
    to_play: int  # i1: the seat that decides, -1 when the game is over
    show_forced: int  # i1: 1 if forced decisions are presented to the player
    legal: Words  # u8 (words): the current legal actions as bits, 64 to a word


OptionsT = TypeVar("OptionsT", bound=BaseOptions)


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
    """The value of an episode to the player who ends it with an illegal action.

    It must be below the value of any regular game; otherwise an illegal action could be the best move.

    Args:
        margin, score: points for the rewards of these names.
    """

    margin: float
    score: float


def _as_declared(options: Any) -> Any:
    """A placeholder for a default that depends on other declarations."""


def choices(position: Any, width: int) -> list[str]:
    """The legal actions, separated by commas, in lines of at most this width."""
    return textwrap.wrap(", ".join(position.legal_actions()), width)


def board(position: Any, width: int, seat: int | None = None) -> str:
    """The observation, a line for each owner: the default board."""
    lines = position.observation_layout.text(position.observe(seat)).splitlines()
    return "\n".join(part for line in lines for part in textwrap.wrap(line, width, subsequent_indent="    "))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Presentation:
    """How people see a game. Everything is optional and has a plain default.

    Args:
        title: the name for people; None: the id with capitals.
        point: the unit of the score, as in "VP".
        hidden: a description of the hidden information.
        phase, round: record -> the current phase as text, and the round (0 before the first). Defaults: the record's
            fields ``phase`` (by its declared names) and ``round_number``, if it has them.
        breakdown: record, score rows of the sides -> a dictionary for each side with its score by category and `total`.
            None: the columns by name, and the first of ``rank_by`` as `total`.
        board: position, width in columns, seat -> the board as text. None: with the legal actions, and what only the
            seat to move knows. A seat: without legal actions, and with what only this seat knows.
        rules: options -> the keys of the topics that make up short rules, in order. Default: all topics.
        choices: position, width in columns -> the legal actions in a few lines.
        short_text: text of an action -> a shorter text, which people may use for the first legal action that has it.
        secret_phases: phases whose decisions the other seats don't see, with the text that these see instead, as in
            "chooses a card".
        wording: record at a decision, number of an action -> the action in words. None: its text.
        tell: a step (core/log.py), a seat -> the events that this seat (None: a spectator) sees, in order: the name of
            a side, or "" for the table, and a few words. None: the numbers of the observation that changed.
        draw: position, seat, name of a theme -> the board as SVG (render/svg.py) as the seat sees it (None: public
            information). Legal actions are marked with their numbers if it is the seat's turn or the seat is None.
            None: the game has no pictures.
        topics: help on parts of the board, by the keys that the picture uses.
        facts: the component tables, with marks of provenance; None if the game has no such files.
        statistics: a batch of finished games, the number of times each action was played (int64 (A,)) -> tables:
            titles, and pairs of a name and a number as texts.
    """

    title: str | None = None
    point: str = "points"
    hidden: str = NOTHING
    phase: Callable[[Any], str] | None = None
    round: Callable[[Any], int] | None = None
    breakdown: Callable[[Any, list[list[int]]], list[dict[str, Any]]] | None = None
    board: Callable[[Any, int, int | None], str] = board
    choices: Callable[[Any, int], list[str]] = choices
    short_text: Callable[[str], str] = lambda text: text
    secret_phases: Mapping[str, str] = dataclasses.field(default_factory=dict)
    wording: Callable[[Any, int], str] | None = None
    tell: Callable[[Any, int | None], list[tuple[str, str]]] | None = None
    draw: Callable[[Any, int | None, str], str] | None = None
    topics: Callable[[], Mapping[str, Topic]] = dict
    rules: Callable[[Any], Iterable[str]] | None = None
    facts: Edition | None = None
    statistics: Callable[[Any, NDArray[np.int64]], list[tuple[str, list[tuple[str, str]]]]] = lambda batch, played: []


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Game:
    """One game of the collection: its rules, and optionally how people see it.

    Args:
        name: the id in lower case, as in `--game`, records and positions; `namespace` follows from it.
        options: the class of the options; the range of ``num_players`` gives the numbers of players.
        fields: the declared fields of the record; see :class:`carnegie_env.core.fields.Fields`.
        texts: the text of each action, by number; action 0 is `pass` (kernels.NOTHING).
        rules: the functions of one record.
        layout: options -> the named features of an observation.
        score_columns: the names of the columns of a score row.
        rank_by: the columns that rank a result, in order of precedence; higher is better. Sides that are equal in all
            of them share a place. The first one is the score. Default: the first column.
        template: options -> array of shape (1,), the record before anything is drawn. Default: ``fields.blank``.
        num_actions: options -> the number of actions A; the texts from A on belong to other options. Default: all.
        opponent: the name of the automatic opponent at a table of one; None if there is no such table. Its score row is
            the last one.
        random: a description of the random elements; "nothing" if there are none.
        hides: options -> whether games with these options hide anything from a seat.
        longest: the most decisions of a game, including forced ones.
        losses: see :class:`Losses`.
        dense_unit: a clear lead, in points: `dense_margin` counts it as 1, and networks use it as their unit.
        insights: the names of the numbers that ``rules.insight`` writes.
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
        """Fill in defaults, check the declarations (ValueError), and register the rules."""
        defaults = {
            "rank_by": self.score_columns[:1],
            "template": self.fields.blank,
            "num_actions": lambda options: len(self.texts),
        }
        for name, default in defaults.items():
            if getattr(self, name) in ((), _as_declared):
                object.__setattr__(self, name, default)  # the class is frozen
        if not re.fullmatch("[a-z][a-z0-9_]*", self.name):
            raise ValueError(f"a game's name must consist of lower-case letters, digits and _, not {self.name!r}")
        if self.record.itemsize > LARGEST_RECORD:
            raise ValueError(f"{self.name}: a record has {self.record.itemsize} bytes, more than {LARGEST_RECORD}")
        if unknown := [name for name in self.rank_by if name not in self.score_columns]:
            raise ValueError(f"{self.name}: rank_by names {unknown[0]!r}, which is not a score column")
        if not self.rank_by:
            raise ValueError(f"{self.name}: a result needs a score column")
        if self.texts[0] != "pass":
            raise ValueError(f"{self.name}: action 0 must be 'pass', not {self.texts[0]!r}")
        if (self.opponent is not None) != (self.seats[0] == 1):
            raise ValueError(f"{self.name}: a table of one needs an automatic opponent, and no other table has one")
        rules.register(self.name, self.record, self.rules)

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_of, (self.name, self.options.__module__)  # one object per process

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
        """Create this game's subclass of a class of the core, which is pickled as an attribute of the game."""
        text = f"{name} of {self.title}; see :class:`{base.__module__}.{base.__qualname__}`."
        made: Any = _OfGame(name, (base,), {"game": self, "__doc__": text, **more})
        made.where = where
        return made

    # ---- derived properties
    @property
    def record(self) -> np.dtype[Any]:
        """The dtype of a record, with a fixed size of at most 1 KiB."""
        return self.fields.dtype

    @property
    def derived(self) -> frozenset[str]:
        """The names of the fields that ``rules.rebuild`` computes from the others."""
        return self.fields.derived

    @property
    def codec(self) -> Fields:
        """The codec of positions."""
        return self.fields

    @property
    def edition(self) -> str:
        """The edition of the component tables that this process plays with."""
        edition: str = self.options.loaded_edition()
        return edition

    @functools.cached_property
    def seats(self) -> tuple[int, int]:
        """The least and the greatest number of players."""
        field = self.options.__dataclass_fields__["num_players"]
        return field.metadata["least"], field.metadata["most"]

    @property
    def score_rows(self) -> int:
        """The number of rows that ``rules.score`` writes: the seats, then the automatic opponent."""
        return self.seats[1] + (self.opponent is not None)

    def sides(self, options: Any) -> tuple[int, ...]:
        """The score rows of the sides: the seats in order, then the automatic opponent."""
        alone = self.opponent is not None and options.num_players == 1
        return (0, self.score_rows - 1) if alone else tuple(range(options.num_players))

    @property
    def title(self) -> str:
        """The name for people."""
        return self.presentation.title or self.name.replace("_", " ").title()

    @property
    def namespace(self) -> str:
        """The namespace of its Gymnasium environments, `<namespace>/Versus-v0` and `<namespace>/Solo-v0`."""
        return self.name.title().replace("_", "")

    @property
    def has_chance(self) -> bool:
        """Whether the game has random elements; if not, all deals are the same."""
        return self.random != NOTHING

    @property
    def bench_options(self) -> dict[str, Any]:
        """The options for measuring speed: the smallest table without an automatic opponent."""
        return {"num_players": max(self.seats[0], 2)}

    @functools.cached_property
    def rank_columns(self) -> tuple[int, ...]:
        """The indices of the columns of ``rank_by``."""
        return tuple(self.score_columns.index(name) for name in self.rank_by)

    def side_names(self, options: Any) -> tuple[str, ...]:
        """The names of the sides: `player_0`, ..., then the automatic opponent."""
        seats = [f"player_{seat}" for seat in range(options.num_players)]
        return tuple(seats if options.num_players > 1 or self.opponent is None else [*seats, self.opponent])

    def phase(self, record: Any) -> str:
        """The current phase, as text."""
        if self.presentation.phase is not None:
            return self.presentation.phase(record)
        kind = self.fields.kinds.get("phase")
        if kind is None or not kind.names:
            return "over" if record["to_play"] < 0 else "play"
        return str(kind.names[record["phase"]])

    def round(self, record: Any) -> int:
        """The round; 0 before the first, and in games without rounds."""
        if self.presentation.round is not None:
            return self.presentation.round(record)
        return int(record["round_number"]) if "round_number" in self.fields.kinds else 0

    def named_scores(self, record: Any, rows: list[list[int]]) -> list[dict[str, Any]]:
        """The score of each side by category; see ``Presentation.breakdown``."""
        if self.presentation.breakdown is not None:
            return self.presentation.breakdown(record, rows)
        return [dict(zip(self.score_columns, row, strict=True), total=row[self.rank_columns[0]]) for row in rows]

    def summed_scores(self, record: Any, rows: list[list[int]]) -> list[dict[str, int]]:
        """As :meth:`named_scores`, but subdivided categories as their sum."""
        return [
            {name: int(sum(each.values()) if isinstance(each, dict) else each) for name, each in categories.items()}
            for categories in self.named_scores(record, rows)
        ]

    def wording(self, record: Any, action: int) -> str:
        """An action, given by its number, in words."""
        words = self.presentation.wording
        return self.texts[action] if words is None else words(record, action)

    def phase_is_secret(self, record: Any) -> bool:
        """Whether the current decision is hidden from the other seats."""
        return self.phase(record) in self.presentation.secret_phases


def _game_of(name: str, module: str) -> Game:
    """A game by its name, in the collection or in the module of its options."""
    from carnegie_env import collection

    if name in collection.names():
        return collection.find(name)
    found = vars(importlib.import_module(module)).values()
    return next(each for each in found if isinstance(each, Game) and each.name == name)


class _OfGame(type):
    """The metaclass of the classes that a game creates."""

    game: Game
    where: str  # the attribute of the game


copyreg.pickle(_OfGame, lambda made: (getattr, (made.game, made.where)))
