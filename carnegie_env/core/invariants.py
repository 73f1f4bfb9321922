"""Invariants: conditions on a position that are not ranges of single fields, each a predicate and a sentence.

::

    @invariant("players[{seat}].money", "must not exceed the money that the bank has paid out")
    def money(game: Record, seat: int) -> bool: ...

A predicate is a `jit` function of a record. It may rely on fields within their ranges, up-to-date derived fields, and
all earlier invariants. Parameters after the record are axes: the predicate is called for each place in use. In a path,
`{seat}` stands for the place (its name if it has one), or for a field of the record.

:class:`Invariants` builds the game's `verify` from the ranges of the fields and a list of invariants. The reader of
positions uses the same list, so each condition is written once.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from carnegie_env.core import masks
from carnegie_env.core.fields import Axis, Fields, Kind
from carnegie_env.core.jit import jit
from carnegie_env.core.lazy import lazily_compiled

F = TypeVar("F", bound=Callable[..., bool])
PLAIN_POSITIONS = 300  # positions checked in plain Python, 20 ms each, before the checks are compiled


@dataclasses.dataclass(frozen=True)
class Invariant:
    """One invariant; see :func:`invariant`."""

    path: str
    sentence: str
    predicate: Any
    when: Any
    axes: tuple[str, ...]
    own_axes: dict[str, Axis]


_declared: dict[str, list[Invariant]] = {}  # by module


def invariant(
    path: str, sentence: str, when: Callable[[Any], bool] | None = None, axes: Sequence[Axis] = ()
) -> Callable[[F], F]:
    """Declare a predicate as an invariant of its module's game.

    Args:
        path: the value in a position's dictionary that an error names; "" for the whole position.
        sentence: the requirement, beginning with "must".
        when: a `jit` function of the record; the invariant applies where it is true.
        axes: axes of the predicate that no field has.
    """

    def declare(function: F) -> F:
        names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
        predicate = jit(function)
        found = Invariant(path, sentence, predicate, when, names, {axis.name: axis for axis in axes})
        _declared.setdefault(function.__module__, []).append(found)
        return predicate

    return declare


class Invariants:
    """The invariants of a game, and its `verify`.

    Args:
        fields: the fields of the game.
        rebuild: the game's `jit` function that computes derived fields.
        module: the module whose globals get the functions `within`, `facts`, `is_fresh`, `inspect` and `verify`.
        parts: the modules with invariants, in the order of checking.

    Attributes:
        listed: the invariants in order.
        inspect: a record with any content -> the number of the first fault, 0 if there is none. Derived fields and
            legal actions are ignored.
        verify: the same, including derived fields and legal actions.
    """

    def __init__(self, fields: Fields, rebuild: Any, module: str, parts: Sequence[str]) -> None:
        self.fields = fields
        self.listed = tuple(each for part in parts for each in _declared[part])
        self.axes = dict(fields.axes)
        for each in self.listed:
            self.axes |= each.own_axes
        self._sizes = [math.prod(len(self.axes[axis]) for axis in each.axes) for each in self.listed]
        self.derived = 2 + sum(self._sizes)
        around = vars(sys.modules[module])
        around |= {"_GAME": fields.dtype, "_rebuild": rebuild, "_zeros": np.zeros, "_count": masks.count}
        around |= {f"_holds{k}": each.predicate for k, each in enumerate(self.listed)}
        around |= {f"_when{k}": each.when for k, each in enumerate(self.listed) if each.when is not None}
        for source in (self._within(), self._facts(), self._fresh(), _INSPECT, _VERIFY.format(self.derived)):
            exec(compile(source, around["__file__"], "exec"), around)  # text from this file and the game's own only
            name = source.partition("(")[0].removeprefix("def ")
            around[name] = jit(around[name])
        self.inspect: Callable[[Any], int] = around["inspect"]
        self.verify: Callable[[Any], int] = around["verify"]
        self._inspect = lazily_compiled(self.inspect, PLAIN_POSITIONS)
        fields.invariants = self

    # ---- faults in words
    def broken(self, record: Any) -> tuple[str, str]:
        """The path and sentence of the first fault of a record; two empty texts if it has none."""
        number = int(self._inspect(record))
        return self.words(number, record) if number else ("", "")

    def words(self, number: int, record: Any) -> tuple[str, str]:
        """The path and sentence for a number that `verify` returned for a record."""
        if number >= self.derived:
            stale = "must have up-to-date derived fields"
            return "", stale if number == self.derived else "must have legal actions at decisions only"
        if number == 1:
            return "", "must have all fields within their ranges"
        number -= 2
        for each, size in zip(self.listed, self._sizes, strict=True):
            if number < size:
                return each.path.format_map(_Names(self.axes, each, number, record)), each.sentence
            number -= size
        raise ValueError(f"there is no invariant {number}")

    def number(self, predicate: Any, *places: int) -> int:
        """The number of an invariant, given by its predicate, at places on its axes."""
        first = 2
        for each, size in zip(self.listed, self._sizes, strict=True):
            if each.predicate is predicate:
                for axis, place in zip(each.axes, places, strict=True):
                    size //= len(self.axes[axis])
                    first += place * size
                return first
            first += size
        raise ValueError(f"{predicate} is not an invariant")

    # ---- sources of the compiled functions
    def _within(self) -> str:
        lines = ["def within(game):"]
        for name, kind in self.fields.facts.items():
            if test := _outside(kind, np.iinfo(kind.type)):
                lines += _each(name, kind, test)
        return "\n".join([*lines, "    return True"])

    def _facts(self) -> str:
        lines, number = ["def facts(games):", "    game = games[0]"], 2
        for k, (each, size) in enumerate(zip(self.listed, self._sizes, strict=True)):
            tabs, place, left = "    ", str(number), size
            if each.when is not None:
                lines.append(f"{tabs}if _when{k}(game):")
                tabs += "    "
            for axis in each.axes:
                left //= len(self.axes[axis])
                lines.append(f"{tabs}for {axis} in range({_used(self.axes[axis])}):")
                place, tabs = f"{place} + {axis} * {left}", tabs + "    "
            lines += [f"{tabs}if not _holds{k}({', '.join(('game', *each.axes))}):", f"{tabs}    return {place}"]
            number += size
        return "\n".join([*lines, "    return 0"])

    def _fresh(self) -> str:
        lines = ["def is_fresh(games, game):", "    fresh = games[0]"]
        for name in sorted(self.fields.derived - {"legal"}):
            lines += _each(name, self.fields.kinds[name], "fresh.{0} != game.{0}")
        return "\n".join([*lines, "    return True"])


_INSPECT = """def inspect(game):
    if not within(game):
        return 1
    fresh = _zeros(1, _GAME)
    fresh[0] = game
    _rebuild(fresh[0])
    return facts(fresh)  # the array, because a record alone does not keep its memory alive
"""
_VERIFY = """def verify(game):
    fault = inspect(game)
    if fault:
        return fault
    fresh = _zeros(1, _GAME)
    fresh[0] = game
    _rebuild(fresh[0])
    if not is_fresh(fresh, game):
        return {0}
    return 0 if (game.to_play >= 0) == (_count(game.legal) > 0) else {0} + 1
"""


def _used(axis: Axis) -> str:
    return f"game.{axis.length}" if axis.length == "num_players" else str(len(axis))


def _each(name: str, kind: Kind, test: str) -> list[str]:
    """Lines that return False if a test fails for any number of a field."""
    places = [f"i{k}" for k in range(len(kind.axes))]
    lines = [f"{'    ' * (k + 1)}for {place} in range({len(kind.axes[k])}):" for k, place in enumerate(places)]
    number, tabs = f"{name}[{', '.join(places)}]" if places else name, "    " * (len(places) + 1)
    return [*lines, f"{tabs}if {test.format(number)}:", f"{tabs}    return False"]


def _outside(kind: Kind, whole: np.iinfo[Any]) -> str:
    """The test for a number of a field outside its range; "" if the range covers the type."""
    least, most = kind.limits
    least = least if kind.null is None else min(least, kind.null)
    most = int(whole.max) if kind.open_ended else most
    if kind.seat:
        limit = "game.num_players" if kind.bits is None else "(1 << game.num_players)"
        return f"not {least} <= game.{{0}} < {limit}"
    return "" if least <= whole.min and most >= whole.max else f"not {least} <= game.{{0}} <= {most}"


class _Names(dict[str, Any]):
    """The replacements for braces in the path of an invariant: a place on an axis, or a field of the record."""

    def __init__(self, axes: dict[str, Axis], each: Invariant, number: int, record: Any) -> None:
        self.record = record
        for axis in reversed([axes[name] for name in each.axes]):
            number, place = divmod(number, len(axis))
            self[axis.name] = place if isinstance(axis.places, int) else axis.places[place]

    def __missing__(self, field: str) -> int:
        return int(self.record[field])
