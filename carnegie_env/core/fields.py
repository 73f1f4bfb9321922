"""The fields of a game's record, each declared once: dtype, ranges, place in a position's dictionary, meaning.

::

    SEAT = Axis("seat", 4, length="num_players")
    REGION = Axis("region", ("west", "east"))


    class Record(game.Record):
        phase: Annotated[int, Kind("i1", names=PHASES), "what is being decided"]
        money: Annotated[Vector[int], Kind("i2", most=500, shape=(SEAT,), at="players[seat].money"), "$"]
        track: Annotated[Matrix[int], Kind("i1", most=4, shape=(SEAT, REGION), at="players[seat].{region}"), "..."]

:class:`Fields` derives the dtype, a blank record, the codec of positions, and a table for the documentation;
:mod:`carnegie_env.core.invariants` derives the compiled range checks.

The place of a field (``at``) is a path in the dictionary. ``key.key`` are keys of objects, ``[seat]`` is a list over an
axis, ``{region}`` is a key for each place of an axis, ``{region?}`` only for places that are not empty, and a final
``[]`` is a list of names: the members of a bit set, or the names of several fields with that place. If a path omits an
axis, the last place of that axis is meant. A field without a place follows from others.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, get_type_hints

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import kernels
from carnegie_env.core.facts import FIRST_EDITION
from carnegie_env.core.reading import at_path, check_json, code_of, join, number_at, refuse, show
from carnegie_env.core.records import as_bytes

VERSION = 1
DEEPEST, MOST_VALUES = 8, 20_000  # levels and values of a dictionary: more than a position of any game has
FLAG = (False, True)  # names of 0 and 1

Values: TypeAlias = dict[str, Any]  # the number of each field, or nested lists of numbers
Index: TypeAlias = tuple[int, ...]  # places on the axes that the path has named so far


@dataclasses.dataclass(frozen=True)
class Axis:
    """The meaning of one dimension of an array.

    Args:
        name: its name in paths.
        places: the names of its places, or their number.
        length: the field that holds the number of places in use.
        inside: another axis that groups these places, as cities group spaces, and the first place of each group.
    """

    name: str
    places: Sequence[Any] | int
    length: str = ""
    inside: tuple[Axis, Sequence[int]] | None = None

    def __len__(self) -> int:
        return self.places if isinstance(self.places, int) else len(self.places)


@dataclasses.dataclass(frozen=True)
class Kind:
    """The type, range and place of a field.

    Args:
        type: the NumPy type code of its numbers.
        most, least: the range. The range of a field with names, bits or digits follows from these.
        shape: the axes; a plain number is an axis without names.
        derived: follows from other fields; the game's `rebuild` computes it.
        at: its place in a dictionary, or several. Default: its own name, arrays as lists. None: no place.
        names: JSON values by number; a tuple of such sequences, one for each place of the last axis; or a function of
            the fields that returns a sequence.
        null: the number that is written as null; a blank record has it.
        bits: the number is a set of places on this axis. If the path names the axis, each place has its own value.
        marks: the values of the members of such a set, instead of true.
        digits: the number is written as an object: its keys, each with the names of one digit of the number.
        seat: the number is a seat in play, or a set of such seats.
        offset: a dictionary has the number plus this.
        open_ended: play may exceed ``most``, which then limits only positions that are read.
        default: the number at each place of the last axis that `{axis?}` omits, if not 0.
        visible_to: "all", "owner" (the seat that the field belongs to) or "none".
    """

    type: str
    most: int = 0
    least: int = 0
    shape: tuple[int | Axis, ...] = ()
    derived: bool = False
    at: str | tuple[str, ...] | None = ""
    names: Any = None
    null: int | None = None
    bits: Axis | None = None
    marks: Sequence[Any] | None = None
    digits: tuple[tuple[str, Sequence[Any]], ...] = ()
    seat: bool = False
    offset: int = 0
    open_ended: bool = False
    default: Sequence[int] = ()
    visible_to: str = "all"

    @functools.cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of the shape."""
        return tuple(axis if isinstance(axis, Axis) else Axis(f"axis{k}", axis) for k, axis in enumerate(self.shape))

    @functools.cached_property
    def limits(self) -> tuple[int, int]:
        """The least and the largest number, apart from null. A field of seats has no limits of its own."""
        if self.most or self.names is None and self.bits is None and not self.digits:
            return self.least, self.most
        if self.bits is not None:
            return 0, (1 << len(self.bits)) - 1
        if self.digits:
            return 0, math.prod(len(names) for _, names in self.digits) - 1
        return 0, len(self.names[0] if isinstance(self.names[0], tuple) else self.names) - 1

    @property
    def places(self) -> tuple[str, ...]:
        """The paths in the dictionary."""
        return (self.at,) if isinstance(self.at, str) else self.at or ()


# ---------------------------------------------------------------- the nodes of the dictionary
class _Node:
    """A part of the dictionary. It is written by an expression that is compiled on first use."""

    _write: Callable[[Values, Index], Any] | None = None

    def source(self, index: Sequence[str], names: dict[str, Any]) -> str:
        """An expression for the JSON value of the fields ``v``, with the variables of the axes that the path has named.
        It may add constants to ``names``."""
        raise NotImplementedError

    def write(self, values: Values, index: Index) -> Any:
        """The JSON value."""
        if self._write is None:
            names: dict[str, Any] = {}
            text = self.source([f"index[{k}]" for k in range(len(index))], names)
            # The text comes from declarations alone; values of records are only ever arguments.
            self._write = eval(f"lambda v, index: {text}", names)
        return self._write(values, index)


def _constant(value: Any, names: dict[str, Any]) -> str:
    name = f"c{len(names)}"
    names[name] = value
    return name


class _Number(_Node):
    """A number of a field as a JSON value."""

    def __init__(self, name: str, kind: Kind, bound: Sequence[str]) -> None:
        self.name, self.kind = name, kind
        self.picks = [bound.index(axis.name) if axis.name in bound else -1 for axis in kind.axes]
        self.bit = bound.index(kind.bits.name) if kind.bits is not None and kind.bits.name in bound else -1

    def box(self, values: Values, index: Index) -> tuple[Any, Any]:
        """The list that holds the number, and the index in it."""
        box: Any = values
        key: Any = self.name
        for pick in self.picks:
            box, key = box[key], index[pick] if pick >= 0 else -1
        return box, key

    def number(self, index: Sequence[str]) -> str:
        """An expression for the number."""
        return f"v[{self.name!r}]" + "".join(self._places(index))

    def _places(self, index: Sequence[str]) -> list[str]:
        return [f"[{index[pick] if pick >= 0 else -1}]" for pick in self.picks]

    def source(self, index: Sequence[str], names: dict[str, Any]) -> str:
        number, kind = self.number(index), self.kind
        if self.bit >= 0:
            place, is_set = index[self.bit], f"{number} >> {index[self.bit]} & 1 == 1"
            return is_set if kind.marks is None else f"({is_set} and {_constant(kind.marks, names)}[{place}])"
        code = number if kind.null is None else "n"
        if callable(kind.names):
            text = f"{_constant(kind.names, names)}(v)[{code}]"
        elif kind.names is not None:
            place = self._places(index)[-1] if isinstance(kind.names[0], tuple) else ""
            text = f"{_constant(kind.names, names)}{place}[{code}]"
        elif kind.digits:
            text = f"{_constant(self._digits, names)}({code})"
        else:
            text = f"{code} + {kind.offset}" if kind.offset else code
        return text if kind.null is None else f"(None if (n := {number}) == {kind.null} else {text})"

    def empty(self, index: Sequence[str], names: dict[str, Any]) -> str:
        """An expression for whether the number has its default value, or the set lacks the place."""
        number, default = self.number(index), self.kind.default
        if self.bit >= 0:
            return f"not {number} >> {index[self.bit]} & 1"
        return f"{number} == {_constant(default, names) + self._places(index)[-1] if default else 0}"

    def _digits(self, number: int) -> dict[str, Any]:
        written = {}
        for name, names in reversed(self.kind.digits):
            number, digit = divmod(number, len(names))
            written[name] = names[digit]
        return dict(reversed(written.items()))

    def _names(self, values: Values, key: Any) -> Any:
        names = self.kind.names
        if callable(names):
            return names(values)
        return names[key] if isinstance(names[0], tuple) else names

    def read(self, values: Values, index: Index, given: Any, path: str) -> None:
        """Set the number from a JSON value."""
        box, key = self.box(values, index)
        if self.bit < 0:
            box[key] = self._number(values, key, given, path)
            return
        marks, place = self.kind.marks, index[self.bit]
        is_set = code_of(path, given, FLAG if marks is None else ("", marks[place]))
        box[key] = box[key] & ~(1 << place) | is_set << place

    def _number(self, values: Values, key: Any, given: Any, path: str) -> int:
        kind = self.kind
        if given is None and kind.null is not None:
            return kind.null
        if kind.names is not None:
            return code_of(path, given, self._names(values, key), kind.null is not None)
        if kind.digits:
            keys = [name for name, _ in kind.digits]
            _check_keys(path, given, keys)
            number = 0
            for name, names in kind.digits:
                number = number * len(names) + code_of(join(path, name), given[name], names)
            return number
        if kind.seat:
            return number_at(path, given, 0, values["num_players"] - 1)
        least, most = kind.limits
        return number_at(path, given, least + kind.offset, most + kind.offset) - kind.offset

    def members(self) -> Sequence[Any]:
        """The names of the field in a list."""
        names: Sequence[Any] = self.kind.names if self.kind.bits is None else _names_of(self.kind.bits)
        return names

    def clear(self, values: Values, index: Index) -> None:
        """Set the default value; sets are empty before they are read."""
        box, key = self.box(values, index)
        if self.bit < 0:
            box[key] = self.kind.default[key] if self.kind.default else 0


class _Members(_Node):
    """One or more fields as a list of names: the members of sets, or the name of each number."""

    def __init__(self, parts: Sequence[_Number]) -> None:
        self.parts = parts

    def source(self, index: Sequence[str], names: dict[str, Any]) -> str:
        found = []
        for part in self.parts:
            number, members = part.number(index), part.members()
            if part.kind.bits is not None:
                pairs = _constant([(1 << k, name) for k, name in enumerate(members)], names)
                found.append(f"[name for number in ({number},) for bit, name in {pairs} if number & bit]")
            else:
                one = f"[{_constant(members, names)}[{number}]]"
                found.append(f"({one} if {number} != {part.kind.null} else [])")
        return " + ".join(found)

    def empty(self, index: Sequence[str], names: dict[str, Any]) -> str:
        """An expression for whether the list is empty."""
        return f"not ({self.source(index, names)})"

    def read(self, values: Values, index: Index, given: Any, path: str) -> None:
        names = [(part, k, name) for part in self.parts for k, name in enumerate(part.members())]
        if type(given) is not list:
            refuse(path, f"must be a list, not {show(given)}")
        for part in self.parts:
            box, key = part.box(values, index)
            box[key] = 0 if part.kind.bits is not None else part.kind.null
        for k, name in enumerate(given):
            if self.parts[0].kind.seat:
                number_at(f"{path}[{k}]", name, 0, values["num_players"] - 1)
            part, code, _ = names[code_of(f"{path}[{k}]", name, [known for _, _, known in names])]
            box, key = part.box(values, index)
            free = not box[key] >> code & 1 if part.kind.bits is not None else box[key] == part.kind.null
            if not free:
                refuse(f"{path}[{k}]", f"{show(name)} is a duplicate, or excludes an earlier entry")
            box[key] = box[key] | 1 << code if part.kind.bits is not None else code
        order = [name for _, _, name in names if name in given]
        if given != order:
            refuse(path, f"must be in the order {show(order)}, not {show(given)}")

    def clear(self, values: Values, index: Index) -> None:
        self.read(values, index, [], "")


class _Object(_Node):
    """An object with fixed keys. It is null if ``decider``, an option or a field, is off or ``null``."""

    def __init__(self, entries: Sequence[tuple[str, Any, int | None]], decider: str, null: int | None) -> None:
        self.entries, self.decider, self.null = entries, decider, null
        self.keys = [key for key, _, _ in entries]

    def _is_set(self, values: Values) -> bool:
        if not self.decider:
            return True
        return bool(values["options"][self.decider]) if self.null is None else values[self.decider] != self.null

    def source(self, index: Sequence[str], names: dict[str, Any]) -> str:
        parts = [f"{key!r}: {part.source(_extended(index, k), names)}" for key, part, k in self.entries]
        text = f"{{{', '.join(parts)}}}"
        if not self.decider:
            return text
        is_set = f"v['options'][{self.decider!r}]" if self.null is None else f"v[{self.decider!r}] != {self.null}"
        return f"({text} if {is_set} else None)"

    def empty(self, index: Sequence[str], names: dict[str, Any]) -> str:
        """An expression for whether all parts are empty."""
        return " and ".join(f"({part.empty(_extended(index, k), names)})" for _, part, k in self.entries)

    def read(self, values: Values, index: Index, given: Any, path: str) -> None:
        if self.decider and self.null is None and (given is not None) != self._is_set(values):
            option = show(values["options"][self.decider])
            refuse(path, f"must{' not' if given is None else ''} be null because options.{self.decider} is {option}")
        if self.decider and given is None:
            return
        _check_keys(path, given, self.keys)
        for key, part, k in self.entries:
            part.read(values, index if k is None else (*index, k), given[key], join(path, key))
        if self.decider and not self._is_set(values):
            refuse(path, "must be null instead of an empty object")

    def clear(self, values: Values, index: Index) -> None:
        for _, part, k in self.entries:
            part.clear(values, index if k is None else (*index, k))


class _Map(_Node):
    """An object whose keys are the names of the places that are not empty."""

    def __init__(self, axis: Axis, part: Any) -> None:
        self.names, self.part = [str(name) for name in _names_of(axis)], part

    def source(self, index: Sequence[str], names: dict[str, Any]) -> str:
        place = f"i{len(index)}"
        inner, pairs = [*index, place], _constant([*enumerate(self.names)], names)
        value, empty = self.part.source(inner, names), self.part.empty(inner, names)
        return f"{{name: {value} for {place}, name in {pairs} if not ({empty})}}"

    def read(self, values: Values, index: Index, given: Any, path: str) -> None:
        if type(given) is not dict:
            refuse(path, f"must be an object, not {show(given)}")
        for k, name in enumerate(self.names):
            if name not in given:
                self.part.clear(values, (*index, k))
        for key, value in given.items():
            self.part.read(values, (*index, code_of(path, key, self.names)), value, join(path, key))


class _List(_Node):
    """A list over an axis. If its length is a field that has no place of its own, the list sets that field."""

    def __init__(self, axis: Axis, part: Any, length: _Number | None, bound: Sequence[str]) -> None:
        self.axis, self.part, self.length = axis, part, length
        self.outer = bound.index(axis.inside[0].name) if axis.inside is not None else -1

    def _range(self, values: Values, index: Index) -> range:
        if self.axis.inside is not None:
            first = self.axis.inside[1]
            return range(int(first[index[self.outer]]), int(first[index[self.outer] + 1]))
        if self.length is None:
            return range(len(self.axis))
        box, key = self.length.box(values, index)
        return range(box[key])

    def source(self, index: Sequence[str], names: dict[str, Any]) -> str:
        place = f"i{len(index)}"
        if self.axis.inside is not None:
            first, outer = _constant([*map(int, self.axis.inside[1])], names), index[self.outer]
            places = f"{first}[{outer}], {first}[{outer} + 1]"
        else:
            places = str(len(self.axis)) if self.length is None else self.length.number(index)
        return f"[{self.part.source([*index, place], names)} for {place} in range({places})]"

    def read(self, values: Values, index: Index, given: Any, path: str) -> None:
        if type(given) is not list:
            refuse(path, f"must be a list, not {show(given)}")
        if self.length is not None and self.length.kind.at is None:
            if len(given) > len(self.axis):
                refuse(path, f"must have at most {len(self.axis)} entries, not {len(given)}")
            box, key = self.length.box(values, index)
            box[key] = len(given)
        places = self._range(values, index)
        if len(given) != len(places):
            refuse(path, f"must have {len(places)} entries, not {len(given)}")
        for number, (k, value) in enumerate(zip(places, given, strict=True)):
            self.part.read(values, (*index, k), value, f"{path}[{number}]")


class _Computed(_Node):
    """A value that is computed from the fields."""

    def __init__(self, value: Callable[[Values], Any]) -> None:
        self.value = value

    def source(self, index: Sequence[str], names: dict[str, Any]) -> str:
        return f"{_constant(self.value, names)}(v)"

    def read(self, values: Values, index: Index, given: Any, path: str) -> None:
        """Read nothing: `Fields.from_dict` compares the value when all fields have been read."""


def _extended(index: Sequence[str], place: int | None) -> Sequence[str]:
    return index if place is None else [*index, str(place)]


def _names_of(axis: Axis) -> Sequence[Any]:
    return range(axis.places) if isinstance(axis.places, int) else axis.places


def _check_keys(path: str, given: Any, keys: Sequence[str]) -> None:
    """Refuse anything but an object with these keys."""
    if type(given) is not dict:
        refuse(path, f"must be an object with the keys {', '.join(keys)}, not {show(given)}")
    for key in [*keys, *given]:
        if key not in given or key not in keys:
            wrong = "is an unknown key" if key in given else "is missing"
            refuse(join(path, key), f"{wrong}; the keys are {', '.join(keys)}")


# ---------------------------------------------------------------- the fields of a game
HEADER = {
    "rng": (Kind("u8", most=2**64 - 1, visible_to="none"), "state of the random generator"),
    "decisions": (Kind("i4", most=2**30), "decisions taken, forced ones not counted"),
    "num_players": (Kind("i1"), "seats in play"),
    "to_play": (Kind("i1", seat=True, null=-1), "seat that decides; null when the game is over"),
    "show_forced": (Kind("i1"), "1 if forced decisions are presented to the player"),
}


class Fields:
    """The fields of a game, and the codec of its positions.

    A field with the name of an option holds that option, and so does a field whose place is in `options`.

    The codec writes a record as a dictionary of JSON types and reads it back. ``to_dict`` is plain Python: for a record
    with any content it returns or raises, and accesses no other memory. ``from_dict`` accepts the positions that play
    could reach and raises a ValueError for everything else.

    Args:
        name: the name of the game.
        record: a class with an annotation for every field except those of :class:`carnegie_env.core.game.Record`:
            ``Annotated[type in the rules, Kind(...), "meaning"]``. The range of a derived field is ignored.
        options: the game's options, a :class:`carnegie_env.core.options.BaseOptions`.
        texts: the texts of all actions.
        faults: the faults of a position by the number that the game's `verify` returns, unless
            :class:`carnegie_env.core.invariants.Invariants` builds that function.
        version: the version of the dictionary.
        order: paths whose keys come first, in this order; the others follow in the order of the record.
        blocks: by path, the objects that may be null, with the option or field that decides.
        computed: by path, values of the dictionary that are computed from the fields.

    Attributes:
        dtype: the dtype of a record.
        names: the names of all fields.
        kinds: the kind of each field except `legal`.
        derived: the names of the derived fields.
        meanings: the meaning of each field.
        invariants: the game's :class:`~carnegie_env.core.invariants.Invariants`; None: ``faults`` apply.
    """

    def __init__(
        self,
        name: str,
        record: type[Any],
        options: type[Any],
        texts: Sequence[str],
        faults: Sequence[str] = (),
        *,
        version: int = VERSION,
        order: Sequence[str] = (),
        blocks: Mapping[str, str] | None = None,
        computed: Mapping[str, Callable[[Values], Any]] | None = None,
    ) -> None:
        found = {field: hint.__metadata__ for field, hint in get_type_hints(record, include_extras=True).items()
                 if hasattr(hint, "__metadata__")}  # fmt: skip
        own = {field: meta for field, meta in HEADER.items() if field not in found} | found
        self._options, self._name, self._version = options, name, version
        self._of_options = {field.name: field for field in dataclasses.fields(options)}
        self.kinds: dict[str, Kind] = {field: self._completed(field, kind) for field, (kind, _) in own.items()}
        self.meanings: dict[str, str] = {field: meaning for field, (_, meaning) in own.items()}
        words = (len(texts) + 63) // 64
        layout = [(field, kind.type, tuple(map(len, kind.axes))) for field, kind in self.kinds.items()]
        self.dtype = np.dtype((np.record, np.dtype([*layout, ("legal", "u8", (words,))], align=True)))
        self.names: tuple[str, ...] = self.dtype.names or ()
        self.derived = frozenset({"legal", *(field for field, kind in self.kinds.items() if kind.derived)})
        self.facts = {field: kind for field, kind in self.kinds.items() if not kind.derived}
        placed = {field: kind.places for field, kind in self.facts.items()}
        of_options = {field: places[0] for field, places in placed.items() if "".join(places).startswith("options.")}
        self._decisive = tuple(of_options)
        if missing := [name for name in self._of_options if f"options.{name}" not in of_options.values()
                       and not self._in_bits(name)]:  # fmt: skip
            raise ValueError(f"{name}: the record needs a field for the option {missing[0]!r}")
        self.axes = {axis.name: axis for kind in self.kinds.values() for axis in _axes_of(kind)}
        self._computed = dict(computed or {})
        self._tree = self._grown(placed, order, blocks or {})
        (self._option_part,) = (part for key, part, _ in self._tree.entries if key == "options")
        self._faults = tuple(faults)
        self.invariants: Any = None
        self._blank = np.zeros(1, self.dtype)
        for field, kind in self.facts.items():
            if kind.null is not None and field != "to_play":  # seat 0 decides first unless set-up changes it
                self._blank[field] = kind.null
        self._known_options = functools.lru_cache(1000)(self._options_from)

    def _in_bits(self, option: str) -> bool:
        return any(kind.bits is not None and option in _names_of(kind.bits) for kind in self.kinds.values())

    def _completed(self, field: str, kind: Kind) -> Kind:
        """Add the default place, and to the field of an option the range of the option."""
        if kind.at != "" or kind.derived:
            return kind
        option = self._of_options.get(field)
        if option is None:
            return dataclasses.replace(kind, at=field + "".join(f"[{axis.name}]" for axis in kind.axes))
        if isinstance(option.default, bool):
            return dataclasses.replace(kind, at=f"options.{field}", names=FLAG)
        return dataclasses.replace(kind, at=f"options.{field}", **(kind.most == 0 and dict(option.metadata) or {}))

    def _grown(self, placed: Mapping[str, Sequence[str]], order: Sequence[str], blocks: Mapping[str, str]) -> _Object:
        """Build the tree of the dictionary."""
        spec: dict[str, Any] = {"options": dict.fromkeys(self._of_options)}
        paths = [(path, None) for path in order] + [(p, field) for field, each in placed.items() for p in each]
        for path, field in [*paths, *((path, path) for path in self._computed)]:
            *outer, last = re.findall(r"\{\w+\??\}|\[\w*\]|\w+", path)
            part = spec
            for token in outer:
                part[token] = part = part.get(token) or {}
            part[last] = (part.get(last) or []) + [field] if field else part.get(last)
        spec["options"] = {key: part for key, part in spec["options"].items() if part is not None}
        self._path_of_block = dict(blocks)
        tree: _Object = self._node(spec, (), "")
        return tree

    def _node(self, spec: Any, bound: tuple[str, ...], path: str) -> Any:
        if isinstance(spec, list):
            if spec[0] in self._computed:
                return _Computed(self._computed[spec[0]])
            return _Number(spec[0], self.kinds[spec[0]], bound)
        token = next(iter(spec))
        if token == "[]":
            return _Members([_Number(field, self.kinds[field], bound) for field in spec[token]])
        inner = token.strip("[]{}?")
        if token[0] == "[":
            axis = self.axes[inner]
            length = _Number(axis.length, self.kinds[axis.length], bound) if axis.length else None
            return _List(axis, self._node(spec[token], (*bound, inner), path + token), length, bound)
        if token.endswith("?}"):
            return _Map(self.axes[inner], self._node(spec[token], (*bound, inner), path + token))
        entries: list[tuple[str, Any, int | None]] = []
        for token, part in spec.items():
            inner = token.strip("{}")
            if token[0] == "{":
                child = self._node(part, (*bound, inner), join(path, token))
                entries += [(str(name), child, k) for k, name in enumerate(_names_of(self.axes[inner]))]
            else:
                entries.append((token, self._node(part, bound, join(path, token)), None))
        decider = self._path_of_block.get(path, "")
        null = None
        if decider and decider not in self._of_options:
            null = self.kinds[decider].null or 0
        return _Object(entries, decider, null)

    # ---- records
    def blank(self, options: Any) -> NDArray[Any]:
        """A record, shape (1,), with the options; all other fields are null or 0."""
        games = as_bytes(self._blank).copy().view(self.dtype)  # including the padding between fields
        values: Values = {field: games[field][0].tolist() for field in self._decisive}
        self._read_options(values, options.to_dict())
        for field in self._decisive:
            games[field][0] = values[field]
        return games

    def _read_options(self, values: Values, given: Any) -> None:
        self._option_part.read(values, (), given, "options")
        values["options"] = given

    def options_of(self, record: Any, /) -> Any:
        """The options that a game was set up with."""
        return self._known_options(*(int(np.void.__getitem__(record, name)) for name in self._decisive))

    def _options_from(self, *numbers: int) -> Any:
        return self._options(**self._option_part.write(dict(zip(self._decisive, numbers, strict=True)), ()))

    # ---- the codec
    def to_dict(self, record: Any, /) -> dict[str, Any]:
        """The complete position, including hidden information, as JSON types."""
        values = {name: value.tolist() if isinstance(value, np.ndarray) else value
                  for name, value in zip(self.names, record.item(), strict=True)}  # fmt: skip
        values["options"] = self.options_of(record).to_dict()
        written = self._tree.write(values, ()) or {}
        edition = self._options.loaded_edition()
        named = {} if edition == FIRST_EDITION else {"edition": edition}
        return {"game": self._name, "version": self._version, **named, **written}

    def from_dict(self, position: Any, /) -> NDArray[Any]:
        """The record of a position, shape (1,), without its derived fields.

        Raises:
            ValueError: a position that play cannot reach; the message gives the path and value of the fault.
        """
        check_json(position, DEEPEST, MOST_VALUES)
        if isinstance(position, dict):
            position = dict(position)
            try:
                self._options.check_edition(position.pop("edition", FIRST_EDITION))
            except ValueError as error:
                refuse("edition", str(error))
        keys = ["game", "version", *self._tree.keys]
        _check_keys("", position, keys)
        code_of("game", position["game"], (self._name,))
        code_of("version", position["version"], (self._version,))
        values: Values = {field: self._blank[field][0].tolist() for field in self.facts}
        self._read_options(values, position["options"])
        try:
            options = self._options(**position["options"]).to_dict()
        except ValueError as error:
            refuse("options", str(error))
        for key, value in options.items():
            if position["options"][key] != value:
                found = show(position["options"][key])
                refuse(f"options.{key}", f"must be {show(value)} with the other options, not {found}")
        for key, part, _ in self._tree.entries:
            if key != "options":
                part.read(values, (), position[key], key)
        for key, value in self._computed.items():
            if position[key] != value(values) or type(position[key]) is bool:
                refuse(key, f"must be {show(value(values))} in this position, not {show(position[key])}")
        games = as_bytes(self._blank).copy().view(self.dtype)
        for field in self.facts:
            games[field][0] = values[field]
        self._check(games, position)
        return games

    def _check(self, games: NDArray[Any], position: Any) -> None:
        """Refuse unreachable positions before the rules see them: the rules could access any memory."""
        if self.invariants is not None:
            path, wrong = self.invariants.broken(games[0])
            found = at_path(position, path) if path else None
            if wrong:
                refuse(path, wrong if isinstance(found, dict | list) or not path else f"{wrong}; got {show(found)}")
            return
        kernels.rebuild(games)
        fault = np.zeros(1, np.int64)
        kernels.verify(games, fault)
        if fault[0]:
            refuse("", f"cannot occur in play: {self._faults[fault[0]]}")

    # ---- the documentation
    def table(self) -> str:
        """A Markdown table of all fields except the derived ones."""
        rows = ["| field | type | range | place | visible to | meaning |", "|---|---|---|---|---|---|"]
        for name, kind in self.facts.items():
            shape = "".join(f" x {len(axis)} {axis.name}" for axis in kind.axes)
            least, most = kind.limits
            numbers = "a seat" if kind.seat else f"{least} to {most}"
            numbers += f", or {kind.null}" if kind.null is not None else ""
            place = ", ".join(f"`{path}`" for path in kind.places) or "the length of its list"
            cells = (f"`{name}`", f"{kind.type}{shape}", numbers, place, kind.visible_to, self.meanings[name])
            rows.append(f"| {' | '.join(cells)} |")
        return "\n".join(rows) + "\n"


def _axes_of(kind: Kind) -> list[Axis]:
    found = [*kind.axes, *([kind.bits] if kind.bits is not None else [])]
    return found + [axis.inside[0] for axis in found if axis.inside is not None]
