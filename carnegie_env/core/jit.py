"""`jit`, the decorator of every rule function, and what Numba lacks: two bit operations, and the prefetch of a record.

How functions are compiled: compiling.py. Where the code is kept: cache.py. What is said meanwhile: progress.py. Numba's
settings are left as they are for everybody else's code.

With NUMBA_DISABLE_JIT=1, and where plain.py says so, `jit` returns the function unchanged, and everything runs as plain
Python, without Numba.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, SupportsInt, TypeVar, overload

import numpy as np

from carnegie_env.core import plain

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = not plain.wanted()
if COMPILED:
    from carnegie_env.core import compiling


@overload
def jit(function: F) -> F: ...
@overload
def jit(**options: Any) -> Callable[[F], F]: ...
def jit(function: Any = None, **options: Any) -> Any:
    """Compile a rule function: `@jit`, or `@jit(inline="always")` with any option of numba.njit.

    It is compiled when it is first called, for each combination of argument types.
    """
    if function is None:
        return functools.partial(jit, **options)
    return compiling.dispatcher(function, options) if COMPILED else function


# ---------------------------------------------------------------- bit operations: one instruction each when compiled,
# Python otherwise. They take any integer as its 64 bits.
_ALL_BITS = (1 << 64) - 1


def popcount(x: SupportsInt) -> int:
    """How many bits of a 64-bit word are set."""
    return (int(x) & _ALL_BITS).bit_count()


def trailing_zeros(x: SupportsInt) -> int:
    """The position of the lowest set bit of a 64-bit word; 64 if none is set."""
    bits = int(x) & _ALL_BITS
    return (bits & -bits).bit_length() - 1 if bits else 64


# ---------------------------------------------------------------- prefetch: one instruction for each cache line
def prefetch(records: np.ndarray, i: int) -> None:
    """Have the processor load a record into its cache, to be there when its turn comes; harmless past the last one."""


if COMPILED:
    compiling.teach(popcount, trailing_zeros, prefetch)
