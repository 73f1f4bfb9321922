"""The record of a small game, and its dictionary, from one class that says what the fields are.

::

    class Record(game.Record):
        die: Annotated[int, Kind("i1", most=6), "the die of the round; 0 before it is rolled"]
        tokens: Annotated[Vector[int], Kind("i1", most=6, shape=(SEATS,)), "tokens, by seat"]

:class:`Fields` makes of it the dtype, the record before anything is drawn, and the codec: a position is written field
by field, and read with the type and the range of each, after which the game's `verify` says whether all of it together
can be. A game that wants names in place of numbers there writes a codec of its own, see
:class:`carnegie_env.core.game.Codec`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from types import GenericAlias
from typing import Annotated, Any, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import game, kernels
from carnegie_env.core.reading import Part, check_json, convert, refuse

VERSION = 1
LARGEST_RNG = 2**64 - 1
DEEPEST = 5  # levels of a position's dictionary: the position, a field, an array with up to three axes


@dataclasses.dataclass(frozen=True)
class Kind:
    """What a field holds: NumPy's name of its type, its range, its shape, and whether it follows from other fields."""

    type: str
    most: int = 0
    least: int = 0
    shape: tuple[int, ...] = ()
    derived: bool = False


class Fields:
    """The fields of a game, and its :class:`~carnegie_env.core.game.Codec`.

    Fields that have the name of an option hold it: the template has them, a position's dictionary has the options.

    Args:
        name: the game's.
        record: a class with an annotation for every field but those of :class:`carnegie_env.core.game.Record`:
            ``Annotated[type to the rules, Kind(...), "what it means"]``. The range of a derived field says nothing.
        options: the game's options, a :class:`carnegie_env.core.options.BaseOptions`.
        texts: the texts of all actions.
        faults: what is wrong with a position, by the number that the game's `verify` returns.

    Attributes:
        dtype: of a record.
        derived: names of the derived fields, for ``Game.derived``.
        meanings: of the game's own fields, by name.
    """

    def __init__(
        self, name: str, record: type[Any], options: type[Any], texts: Sequence[str], faults: Sequence[str]
    ) -> None:
        found = get_type_hints(record, include_extras=True)
        own = {field: hint.__metadata__ for field, hint in found.items() if hasattr(hint, "__metadata__")}
        kinds = {field: kind for field, (kind, _) in own.items()}
        words = (len(texts) + 63) // 64
        layout = [*game.HEADER.items(), *((field, kind.type, kind.shape) for field, kind in kinds.items())]
        self.dtype = np.dtype((np.record, np.dtype([*layout, ("legal", "u8", (words,))], align=True)))
        self.derived = frozenset({"legal", *(field for field, kind in kinds.items() if kind.derived)})
        self.meanings = {field: meaning for field, (_, meaning) in own.items()}
        self._name, self._options, self._faults = name, options, tuple(faults)
        self._of_options: dict[str, Any] = {field.name: type(field.default) for field in dataclasses.fields(options)}
        if missing := [field for field in self._of_options if field not in (self.dtype.names or ())]:
            raise ValueError(f"{name}: the record needs a field for the option {missing[0]!r}")
        self._kinds = {field: kind for field, kind in kinds.items() if field not in {*self._of_options, *self.derived}}
        self._most_values = 100 + 2 * sum(int(np.prod(kind.shape)) for kind in self._kinds.values())
        self._shape = _struct("Position", {
            "game": str, "version": int, "options": _struct("Options", self._of_options), "rng": int,
            "decisions": _range(0, np.iinfo("i4").max), "to_play": int,
            **{field: _type(kind) for field, kind in self._kinds.items()},
        })  # fmt: skip

    def blank(self, options: Any) -> NDArray[Any]:
        """A record of zeros, shape (1,), but for the options."""
        games = np.zeros(1, self.dtype)
        for field in self._of_options:
            games[field] = getattr(options, field)
        return games

    # ---- the codec
    def to_dict(self, record: Any, /) -> dict[str, Any]:
        """A position as JSON types: the options, then every field that is not derived."""
        heading = {"game": self._name, "version": VERSION, "options": self.options_of(record).to_dict()}
        return heading | {name: record[name].tolist() for name in ("rng", "decisions", "to_play", *self._kinds)}

    def options_of(self, record: Any, /) -> Any:
        """The options that a game was set up with."""
        return self._options(**{name: kind(record[name]) for name, kind in self._of_options.items()})

    def from_dict(self, position: Any, /) -> NDArray[Any]:
        """The record of a position, shape (1,).

        Raises:
            ValueError: the path of a value, what is wrong with it, and what would be right.
        """
        check_json(position, DEEPEST, self._most_values)
        parts: Any = convert(position, self._shape, "")
        if parts.game != self._name:
            refuse("game", f"must be {self._name!r}, not {parts.game[:60]!r}")
        if parts.version != VERSION:
            refuse("version", f"must be {VERSION}, not {parts.version}")
        if not 0 <= parts.rng <= LARGEST_RNG:
            refuse("rng", f"must be a whole number from 0 to 2**64 - 1, not {parts.rng}")
        try:
            options = self._options(**{name: getattr(parts.options, name) for name in self._of_options})
        except ValueError as error:
            refuse("options", str(error))
        if not -1 <= parts.to_play < options.num_players:
            refuse("to_play", f"must be a seat from 0 to {options.num_players - 1}, or -1, not {parts.to_play}")
        games = self.blank(options)
        for name in ("rng", "decisions", "to_play", *self._kinds):
            games[name][0] = getattr(parts, name)
        kernels.rebuild(games)
        fault = np.zeros(1, np.int64)
        kernels.verify(games, fault)  # before any other rule sees it: what is found wrong may lead them anywhere
        if fault[0]:
            refuse("", f"{self._faults[fault[0]]}; no play leads there")
        return games


def _range(least: int, most: int) -> Any:
    return Annotated[int, msgspec.Meta(ge=least, le=most)]


def _type(kind: Kind) -> Any:
    """The type of a field's value in a dictionary: lists in lists for arrays."""
    inner: Any = _range(kind.least, kind.most)
    for length in reversed(kind.shape):
        inner = Annotated[GenericAlias(list, (inner,)), msgspec.Meta(min_length=length, max_length=length)]
    return inner


def _struct(name: str, fields: dict[str, Any]) -> Any:
    return msgspec.defstruct(
        name, list(fields.items()), bases=(Part,), frozen=True, kw_only=True, forbid_unknown_fields=True
    )
