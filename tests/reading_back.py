"""Helpers that read values back from the features of an observation."""

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def marked(flags: Iterable[Any], names: Iterable[T]) -> list[T]:
    """The names whose flags are set."""
    return [name for name, flag in zip(names, flags, strict=True) if flag]


def one_of(flags: Iterable[Any], names: Iterable[T]) -> T | None:
    """The name whose flag is set, if any; at most one may be."""
    found = marked(flags, names)
    assert len(found) <= 1
    return found[0] if found else None


def whole(values: Any) -> Any:
    """Raw numbers as integers: they must be whole apart from rounding."""
    rounded = np.rint(values)
    assert np.allclose(values, rounded, atol=2e-3)
    return rounded.astype(int)
