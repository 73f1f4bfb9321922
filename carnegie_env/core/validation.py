"""Validation of arguments of batches and positions: numbers, arrays, seeds, rows. Errors are ValueErrors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from reprlib import repr as shown  # short for any value
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_SEED = 2**64 - 1
MOST_THREADS = 1024


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number from ``least`` to ``most`` (None: no limit) as a Python int; else a ValueError."""
    right = not isinstance(value, bool | np.bool_) and isinstance(value, int | np.integer)
    if right and least <= int(value) and (most is None or int(value) <= most):
        return int(value)
    last = "2**64 - 1" if most == LARGEST_SEED else most
    allowed = f"of {least} or more" if most is None else f"from {least} to {last}"
    raise ValueError(f"{name} must be a whole number {allowed}, not {shortened(value)}")


def number_of_threads(num_threads: int | None) -> int:
    """The number of threads; None: as many as the process may use."""
    if num_threads is not None:
        return whole_number("num_threads", num_threads, 1, MOST_THREADS)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def seat_of(seat: Any, num_players: int) -> int:
    """A seat in play as a Python int; else a ValueError."""
    return whole_number("seat", seat, 0, num_players - 1)


def seed_of(seed: Any) -> int:
    """A seed, 0 to 2**64 - 1, as a Python int; else a ValueError."""
    return whole_number("a seed", seed, 0, LARGEST_SEED)


def are_several(seed: Any) -> bool:
    """Whether a seed is a sequence or an array of seeds."""
    several = seed.ndim > 0 if isinstance(seed, np.ndarray) else isinstance(seed, Sequence)
    return several and not isinstance(seed, str | bytes | bytearray | memoryview)


def seeds_of(seed: Any, number: int) -> NDArray[np.uint64]:
    """The seeds of N games from an int s (s + i) or N ints."""
    if are_several(seed):
        if len(seed) != number:
            raise ValueError(f"{number} games need one seed or {number} seeds, got {len(seed)}")
        values = list(seed)
    else:
        first = seed_of(seed)
        values = [first + i for i in range(number)]
    return np.array([seed_of(value) for value in values], np.uint64)


def array_of(name: str, given: Any) -> NDArray[Any]:
    """The argument as a plain array; a ValueError if it can't be converted."""
    try:
        return np.asarray(given)
    except Exception as error:  # anything that an object's own conversion raises
        raise ValueError(f"{name} must be an array, not a {type(given).__name__}") from error


def row_numbers(rows: Any, number: int, once: bool = False) -> NDArray[np.int64]:
    """A copy of one or more row numbers; ``once``: they must be different."""
    given = array_of("rows", rows)
    if given.ndim != 1 or given.dtype.kind not in "iu" or len(given) == 0:
        raise ValueError(f"rows must be integers of shape (n,), n >= 1, not {given.dtype} {given.shape}")
    chosen = given.astype(np.int64)
    wrong = given[(chosen < 0) | (chosen >= number)]  # a number too large for int64 becomes negative
    if len(wrong) > 0:
        raise ValueError(f"there is no row {wrong[0]}; the rows are 0 to {number - 1}")
    if once and len(np.unique(chosen)) != len(chosen):
        raise ValueError("rows must not be repeated")
    return chosen


def observation_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of observations: float32, float16 or uint8."""
    kind: np.dtype[Any]
    try:
        kind = np.dtype(dtype)
    except Exception:  # anything that an object which is not a dtype raises
        kind = np.dtype(object)
    if kind not in (np.float32, np.float16, np.uint8):
        raise ValueError(f"dtype must be float32, float16 or uint8, not {shown(dtype)}")
    return kind


def output(out: Any, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """A new array, or the caller's array if the compiled loops can write into it."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise ValueError(f"out must be a NumPy array, not a {type(out).__name__}")
    if out.shape != shape or out.dtype != dtype or not out.flags.carray:
        kind = "" if out.flags.behaved else ", read-only or not aligned"
        raise ValueError(
            f"out must be a C-contiguous, writable {np.dtype(dtype).name} array of shape {shape}, "
            f"not {out.dtype} {out.shape}{kind}"
        )
    return out.view(np.ndarray)


def shortened(value: Any) -> str:
    """A value for a message; only the type of objects other than texts and numbers, because of their repr."""
    if not isinstance(value, str | int | float | np.generic | None):
        return f"a {type(value).__name__}"
    if isinstance(value, int) and value.bit_length() > 1000:
        return "a very long int"
    if isinstance(value, str) and len(value) > 80:
        return f"{value[:75]!r}..."
    return cut(repr(value))


def printable(text: str) -> str:
    """A text from elsewhere for a terminal or a file in UTF-8: other characters than printable ones are escaped."""
    return "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)


def error_text(error: Exception) -> str:
    """An error for a person at a terminal; an OSError with its file's name."""
    if isinstance(error, OSError):
        where = "" if error.filename is None else f"{error.filename or repr(error.filename)}: "
        return printable(f"{where}{error.strerror or error}")
    return printable(str(error))


def cut(text: str, most: int = 80) -> str:
    """A text, shortened for a message."""
    return text if len(text) <= most else text[: most - 3] + "..."
