"""`jit`, the decorator of every rule function, and instructions that Numba lacks: bit operations and a prefetch.

If the library of compiled loops serves (library.py), nothing is compiled. Otherwise compiling.py compiles the
functions, cache.py stores the code, and progress.py prints messages. Numba's global settings are not changed.

With NUMBA_DISABLE_JIT=1, or if plain.py requests it, `jit` returns the function unchanged, and everything runs as plain
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
    from carnegie_env.core import library

_hooks: list[Callable[[Any], None]] = []


def when_compiling(hook: Callable[[Any], None]) -> None:
    """Call a function with the module compiling.py once Numba compiles: now, unless the library serves."""
    if COMPILED and (library.module is None or compiler.cache_info().currsize):
        hook(compiler())
    else:
        _hooks.append(hook)


@functools.cache
def compiler() -> Any:
    """The module compiling.py, which imports Numba; an ImportError if there is no Numba."""
    from carnegie_env.core import compiling

    compiling.register_instructions(popcount, trailing_zeros, nonzero, LANES, prefetch)
    for hook in _hooks:
        hook(compiling)
    return compiling


@overload
def jit(function: F) -> F: ...
@overload
def jit(**options: Any) -> Callable[[F], F]: ...
def jit(function: Any = None, **options: Any) -> Any:
    """Compile a rule function on its first call with each combination of argument types.

    Use it as `@jit`, or with options of numba.njit, as in `@jit(inline="always")`.
    """
    if function is None:
        return functools.partial(jit, **options)
    if not COMPILED:
        return function
    return compiler().dispatcher(function, options) if library.module is None else library.Function(function, options)


# ---------------------------------------------------------------- instructions
# Plain Python here; compiled code has one instruction for each (or for each cache line). Bit operations take any
# integer as its 64 bits.
_ALL_BITS = (1 << 64) - 1


def popcount(x: SupportsInt) -> int:
    """The number of bits set in a 64-bit word."""
    return (int(x) & _ALL_BITS).bit_count()


def trailing_zeros(x: SupportsInt) -> int:
    """The position of the lowest set bit of a 64-bit word; 64 if none is set."""
    bits = int(x) & _ALL_BITS
    return (bits & -bits).bit_length() - 1 if bits else 64


LANES = 16  # numbers that `nonzero` looks at


def nonzero(values: np.ndarray, start: int) -> int:
    """Which of the LANES numbers from `start` on in a float32 array are not 0: a bit for each."""
    return int(np.packbits(values[start : start + LANES] != 0, bitorder="little").view(np.uint16)[0])


def prefetch(records: np.ndarray, i: int) -> None:
    """Start loading a record into the processor's cache; harmless past the last one."""
