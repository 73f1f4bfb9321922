"""What callers hand to a batch or a position: numbers, arrays, seeds, rows; a ValueError says what would be right."""

from __future__ import annotations

import os
from collections.abc import Sequence
from reprlib import repr as shown  # a short one, whatever is given
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_SEED = 2**64 - 1
MOST_THREADS = 1024


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number from ``least`` to ``most`` (None: to any) as a Python int; a ValueError if it is none."""
    right = not isinstance(value, bool | np.bool_) and isinstance(value, int | np.integer)
    if right and least <= int(value) and (most is None or int(value) <= most):
        return int(value)
    last = "2**64 - 1" if most == LARGEST_SEED else most
    to = f"of {least} or more" if most is None else f"from {least} to {last}"
    raise ValueError(f"{name} must be a whole number {to}, not {shortened(value)}")


def number_of_threads(num_threads: int | None) -> int:
    """A number of threads; None: as many as the process may use."""
    if num_threads is not None:
        return whole_number("num_threads", num_threads, 1, MOST_THREADS)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def seat_of(seat: Any, num_players: int) -> int:
    """A seat in play as a Python int; a ValueError if it is none."""
    return whole_number("seat", seat, 0, num_players - 1)


def seed_of(seed: Any) -> int:
    """A seed as a Python int; a ValueError if it is not a whole number from 0 to 2**64 - 1."""
    return whole_number("a seed", seed, 0, LARGEST_SEED)


def are_several(seed: Any) -> bool:
    """Whether a seed is a sequence or an array, in order, and not one number or something else."""
    several = seed.ndim > 0 if isinstance(seed, np.ndarray) else isinstance(seed, Sequence)
    return several and not isinstance(seed, str | bytes | bytearray | memoryview)


def seeds_of(seed: Any, number: int) -> NDArray[np.uint64]:
    """Seeds of N games from an int (s + i) or N ints."""
    if are_several(seed):
        if len(seed) != number:
            raise ValueError(f"{number} games need one seed or {number} seeds, got {len(seed)}")
        values = list(seed)
    else:
        first = seed_of(seed)
        values = [first + i for i in range(number)]
    return np.array([seed_of(value) for value in values], np.uint64)


def array_of(name: str, given: Any) -> NDArray[Any]:
    """As a plain array; a ValueError if it is none."""
    try:
        return np.asarray(given)
    except Exception as error:  # whatever an object's own conversion raises
        raise ValueError(f"{name} must be an array, got a {type(given).__name__}") from error


def row_numbers(rows: Any, number: int, once: bool = False) -> NDArray[np.int64]:
    """Row numbers, 1 or more of them, a copy."""
    given = array_of("rows", rows)
    if given.ndim != 1 or given.dtype.kind not in "iu" or len(given) == 0:
        raise ValueError(f"rows must be integers of shape (n,), 1 or more, got {given.dtype} {given.shape}")
    chosen = given.astype(np.int64)
    wrong = given[(chosen < 0) | (chosen >= number)]  # a number too large for an int64 is below 0 there
    if len(wrong) > 0:
        raise ValueError(f"there is no row {wrong[0]}; the rows are 0 to {number - 1}")
    if once and len(np.unique(chosen)) != len(chosen):
        raise ValueError("every row can be given once only")
    return chosen


def observation_dtype(dtype: Any) -> np.dtype[Any]:
    """One of the types of observations."""
    kind: np.dtype[Any]
    try:
        kind = np.dtype(dtype)
    except Exception:  # whatever an object that is no dtype raises
        kind = np.dtype(object)
    if kind not in (np.float32, np.float16, np.uint8):
        raise ValueError(f"dtype must be float32, float16 or uint8, not {shown(dtype)}")
    return kind


def output(out: Any, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """A new array, or the caller's if the compiled loops can write into it."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise ValueError(f"out must be a NumPy array, got a {type(out).__name__}")
    if out.shape != shape or out.dtype != dtype or not out.flags.carray:
        kind = "" if out.flags.behaved else ", read-only or not aligned"
        raise ValueError(
            f"out must be a C-contiguous {np.dtype(dtype).name} array of shape {shape} that can be written, "
            f"got {out.dtype} {out.shape}{kind}"
        )
    return out.view(np.ndarray)


def shortened(value: Any) -> str:
    """A value for a message; of what is no text or number the type only, for its repr may be anything."""
    if not isinstance(value, str | int | float | np.generic | None):
        return f"a {type(value).__name__}"
    if isinstance(value, int) and value.bit_length() > 1000:
        return "an int of very many digits"
    return cut(repr(value if not isinstance(value, str) else value[:100]))


def cut(text: str, most: int = 80) -> str:
    """A text for a message, not too long."""
    return text if len(text) <= most else text[: most - 3] + "..."
