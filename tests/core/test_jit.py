"""The decorator, programs and bit operations; test_cache.py covers the files."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carnegie_env.core import masks
from carnegie_env.core.jit import COMPILED, LANES, jit, nonzero, popcount, trailing_zeros

needs_compiler = pytest.mark.skipif(not COMPILED, reason="NUMBA_DISABLE_JIT is set")


# ---------------------------------------------------------------- bit operations
@jit
def both_bits(word):
    return popcount(word), trailing_zeros(word)


@given(st.integers(0, 2**64 - 1))
def test_bit_operations(word):
    bits = f"{word:064b}"
    expected = (bits.count("1"), 64 - len(bits.rstrip("0")))
    assert (popcount(word), trailing_zeros(word)) == expected
    assert (popcount(np.uint64(word)), trailing_zeros(np.uint64(word))) == expected
    assert both_bits(np.uint64(word)) == expected
    signed = np.uint64(word).astype(np.int64)
    assert both_bits(signed) == (popcount(signed), trailing_zeros(signed)) == expected


@pytest.mark.parametrize(("value", "expected"), [(np.int8(6), (2, 1)), (np.int32(0), (0, 64)), (np.int16(256), (1, 8))])
def test_bit_operations_on_small_integers(value, expected):
    assert both_bits(value) == (popcount(value), trailing_zeros(value)) == expected


@jit
def compiled_nonzero(values, start):
    return nonzero(values, start)


@given(st.lists(st.sampled_from([0.0, -0.0, 1.5, -1e-45, 3e38, np.nan]), min_size=40, max_size=40), st.integers(0, 24))
def test_nonzero(numbers, start):
    values = np.array(numbers, np.float32)
    expected = sum(1 << k for k in range(LANES) if values[start + k] != 0)
    assert compiled_nonzero(values, start) == nonzero(values, start) == expected


# ---------------------------------------------------------------- the decorator
@needs_compiler
def test_jit_releases_the_gil_and_does_not_change_settings():
    before = numba.config.CACHE_DIR, numba.config.DISABLE_JIT
    space: dict = {"jit": jit}
    exec("@jit\ndef thrice(a):\n    return 3 * a\n", space)  # not in a file
    twice = jit(lambda a: 2 * popcount(a), inline="always", cache=False)
    half = jit(lambda a: a // 2, light=True, cache=False)
    assert (space["thrice"](5), twice(6), half(9)) == (15, 4, 4)
    assert twice.targetoptions["nogil"] and half.targetoptions["nogil"]
    assert (numba.config.CACHE_DIR, numba.config.DISABLE_JIT) == before


@needs_compiler
def test_compiled_functions_work_with_numbas_own():
    both = numba.njit(lambda words: (masks.count(words), masks.first(words)))
    back = jit(lambda words: both(words)[0] + np.sort(words)[0], cache=False)
    words = np.array([6, 1], np.uint64)
    assert both(words) == (3, 1) and back(words) == 4


@needs_compiler
def test_errors_of_compiled_functions():
    @jit(cache=False)
    def inner(a):
        if a > 2:
            raise ValueError("too large")
        return a

    outer = jit(lambda a: inner(a), cache=False)
    with pytest.raises(ValueError, match="too large"):
        outer(3)
    with pytest.raises(numba.TypingError):
        outer("three")
    assert outer(1) == 1
