"""Observations: named features, their layout, and helpers for the compiled functions that write them.

An observation is a flat float32 vector. A game lists its features in sections, tuples of :class:`Feature`. A section
can occur several times, for instance once for each seat, with the owner's name before the features' names.

:class:`Layout` has the position, bounds and documentation of each feature. For compiled functions, :func:`starts` and
:func:`factors` give positions and scales by name, as constants.

:func:`mark`, :func:`mark_bits`, :func:`mark_equal` and :func:`put` write groups of numbers. A value is
`raw number / scale`, from 0 to `high`. Flags and one-hot groups are 0 or 1.
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from carnegie_env.core.arrays import Vector, float32, int64
from carnegie_env.core.jit import jit, trailing_zeros


@dataclasses.dataclass(frozen=True)
class Feature:
    """A named part of the observation.

    name: a Python name; in a layout with the owner before it, as in `own.money`.
    meaning: one line.
    axes: the names of the entries along each axis; () for a single number.
    most: the greatest raw number; the least is 0.
    scale: the divisor of raw numbers.
    start: the position of the first number in the section; in a layout, in the vector.
    """

    name: str
    meaning: str
    axes: tuple[tuple[str, ...], ...] = ()
    most: float = 1
    scale: float = 1
    start: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of entries along each axis."""
        return tuple(len(axis) for axis in self.axes)

    @property
    def size(self) -> int:
        """The number of numbers."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def high(self) -> float:
        """The greatest value; the least is 0."""
        return self.most / self.scale

    @property
    def slice(self) -> slice:
        """The position in the vector."""
        return slice(self.start, self.start + self.size)

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for every number of the feature, such as `own.active[r3c1]`."""
        names = [""]
        for axis in self.axes:
            names = [f"{before}[{entry}]" for before in names for entry in axis]
        return tuple(self.name + entry for entry in names)


Section = tuple[Feature, ...]


def numbers(n: int, first: int = 0) -> tuple[str, ...]:
    """The numbers from ``first`` on as the names of ``n`` entries of an axis."""
    return tuple(str(i) for i in range(first, first + n))


# ---------------------------------------------------------------- the layout
class Layout(Mapping[str, Feature]):
    """The named features of an observation: a read-only mapping from name to :class:`Feature`, in order.

    `layout["own.money"]` has the position (`slice`), arrangement (`shape`, `axes`) and upper bound (`high`) of a
    feature. Layouts are equal if all their features are.

    Attributes:
        title: a short description of the observations.
        size: the number of numbers in an observation.
        low, high: the bounds of each number, read-only float32 (size,).
        units: the value of a raw 1 for each number, read-only float32 (size,): `observation = raw * units`.
        slices: the slice of each feature, by name.
        labels: a name for each number.
    """

    def __init__(self, title: str, sections: Iterable[tuple[str, Section]]) -> None:
        """Place features one after the other.

        Args:
            title: a short description of the observations.
            sections: in order, the owner's name (as in "own"; "" for none) and the features.

        Raises:
            ValueError: no features, a duplicate name, or a feature without numbers or with invalid bounds.
        """
        self.title = title
        self.size = 0
        self._features: dict[str, Feature] = {}
        for owner, section in sections:
            for feature in section:
                name = f"{owner}.{feature.name}" if owner else feature.name
                if name in self._features:
                    raise ValueError(f"two features have the name {name}")
                if not (feature.size > 0 and feature.most > 0 and feature.scale > 0):
                    raise ValueError(f"the feature {name} needs entries, and `most` and `scale` above 0")
                self._features[name] = dataclasses.replace(feature, name=name, start=self.size)
                self.size += feature.size
        if not self._features:
            raise ValueError("a layout needs at least one feature")
        self.low = np.zeros(self.size, np.float32)
        self.high = np.concatenate([np.full(f.size, f.high, np.float32) for f in self.values()])
        self.slices = {name: feature.slice for name, feature in self.items()}
        self.labels = tuple(label for feature in self.values() for label in feature.labels)
        self.units = np.concatenate([np.full(f.size, 1 / f.scale, np.float32) for f in self.values()])
        for array in (self.low, self.high, self.units):
            array.setflags(write=False)

    def __getitem__(self, name: str) -> Feature:
        return self._features[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)

    def __repr__(self) -> str:
        return f"Layout({self.title}: {len(self)} features, {self.size} numbers)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, (self.title, (("", tuple(self.values())),))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return tuple(self._features)

    def read(self, observation: np.ndarray, name: str) -> np.ndarray:
        """The raw numbers of a feature: shape (..., *feature.shape) from observations of shape (..., size)."""
        feature = self[name]
        part = np.asarray(observation)[..., feature.slice] * feature.scale
        return part.reshape(part.shape[:-1] + feature.shape)

    def named(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """All features of one or more observations by name; see :meth:`read`."""
        return {name: self.read(observation, name) for name in self}

    def text(self, observation: np.ndarray) -> str:
        """An observation as text: a line for each owner, with the raw numbers that are not 0, by name.

        Two observations have the same text exactly if they are equal.
        """
        owners: dict[str, list[str]] = {}
        for name, feature in self.items():
            owner, _, own = name.rpartition(".")
            raw = (np.asarray(observation, np.float64)[feature.slice] * feature.scale).round(3).tolist()
            entries = (label[len(name) :].strip("[]").replace("][", " ") for label in feature.labels)
            count = "{}={:g}" if feature.axes else "{}{:g}"
            told = [
                (count if feature.most > 1 else "{}").format(*pair)
                for pair in zip(entries, raw, strict=True)
                if pair[1]
            ]
            if told:
                owners.setdefault(owner, []).append(f"{own} {', '.join(told)}".rstrip())
        return "\n".join(f"{owner or 'table'}: {'; '.join(told)}" for owner, told in owners.items())

    def markdown(self) -> str:
        """The layout as a Markdown table."""
        lines = ["| feature | numbers | shape | up to | unit | meaning |", "|---|---|---|---|---|---|"]
        for f in self.values():
            place = f"{f.start}-{f.start + f.size - 1}" if f.size > 1 else f"{f.start}"
            shape = " x ".join(map(str, f.shape)) or "-"
            unit = "0 or 1" if f.most == 1 == f.scale else f"1/{f.scale:g}"
            lines.append(f"| `{f.name}` | {place} | {shape} | {f.high:.4g} | {unit} | {f.meaning} |")
        return "\n".join(lines)

    __str__ = markdown


# ---------------------------------------------------------------- positions and scales of a section
def size(section: Section) -> int:
    """The number of numbers in a section."""
    return sum(feature.size for feature in section)


def starts(section: Section, first: int = 0) -> Any:
    """The start of each feature of a section that begins at ``first``, as a named tuple of ints.

    Numba treats the numbers of a global tuple as constants.
    """
    sizes = [feature.size for feature in section]
    kind: Any = namedtuple("Starts", [feature.name for feature in section])  # type: ignore[misc]
    return kind(*(first + sum(sizes[:i]) for i in range(len(sizes))))


def factors(section: Section) -> Any:
    """The factor for raw numbers of each feature, 1 / scale, as a named tuple.

    They are float32, so that vector instructions process twice as many numbers.
    """
    kind: Any = namedtuple("Factors", [feature.name for feature in section])  # type: ignore[misc]
    return kind(*(np.float32(1 / feature.scale) for feature in section))


# ---------------------------------------------------------------- groups of numbers
@jit
def mark(out: Vector[float], start: int, index: int) -> None:
    """Set one entry of a group of zeros that begins at ``start``; none if the index is negative."""
    out[start + max(int64(index), 0)] = index >= 0  # without a branch, which would be unpredictable


@jit
def mark_bits(out: Vector[float], start: int, bits: int) -> None:
    """Set the entries of a group that are set in ``bits``, usually few."""
    while bits != 0:
        out[start + trailing_zeros(bits)] = 1
        bits &= bits - 1


@jit
def mark_equal(out: Vector[float], start: int, values: Vector[int], wanted: int) -> None:
    """Write 1 for each value that equals ``wanted``, else 0."""
    part = out[start : start + values.shape[0]]
    narrow = values.dtype.type(wanted)  # more of them fit into a vector
    for i in range(values.shape[0]):
        part[i] = values[i] == narrow


@jit
def put(out: Vector[float], start: int, values: Vector[int], factor: float) -> None:
    """Write a scaled array of small integers."""
    part = out[start : start + values.shape[0]]
    for i in range(values.shape[0]):
        part[i] = float32(values[i]) * factor
