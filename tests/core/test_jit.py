"""The decorator, compiled functions as programs of their own, and the two bit operations. The files: test_cache.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carnegie_env.core import masks
from carnegie_env.core.jit import jit, popcount, trailing_zeros

ROOT = Path(__file__).parents[2]
COMPILES = not numba.config.DISABLE_JIT
needs_compiler = pytest.mark.skipif(not COMPILES, reason="NUMBA_DISABLE_JIT is set")


# ---------------------------------------------------------------- bit operations
@jit
def both_bits(word):
    return popcount(word), trailing_zeros(word)


@given(st.integers(0, 2**64 - 1))
def test_bit_operations_compiled_and_not(word):
    bits = f"{word:064b}"
    expected = (bits.count("1"), 64 - len(bits.rstrip("0")) if word else 64)
    if word:
        expected = (expected[0], len(bits) - len(bits.rstrip("0")))
    assert (popcount(word), trailing_zeros(word)) == expected
    assert (popcount(np.uint64(word)), trailing_zeros(np.uint64(word))) == expected
    assert both_bits(np.uint64(word)) == expected
    signed = np.uint64(word).astype(np.int64)
    assert both_bits(signed) == (popcount(signed), trailing_zeros(signed)) == expected


@pytest.mark.parametrize(("value", "expected"), [(np.int8(6), (2, 1)), (np.int32(0), (0, 64)), (np.int16(256), (1, 8))])
def test_bit_operations_on_small_integers(value, expected):
    assert both_bits(value) == (popcount(value), trailing_zeros(value)) == expected


# ---------------------------------------------------------------- the decorator
@needs_compiler
def test_a_light_door_does_the_same():
    def work(n):
        total = 0
        for i in range(n):
            total += popcount(i) * i % 7
        return total

    full, light = jit(cache=False)(work), jit(light=True, cache=False)(work)
    assert light(1000) == full(1000) == work(1000)
    assert light.light and not full.light


@needs_compiler
def test_jit_compiles_releases_the_lock_and_leaves_the_settings_alone():
    before = numba.config.CACHE_DIR, numba.config.DISABLE_JIT

    @jit
    def add(a, b):
        return a + b

    @jit(inline="always", cache=False)
    def twice(a):
        return 2 * a

    assert add(2, 3) == 5 and twice(4) == 8
    assert add.targetoptions["nogil"] and twice.targetoptions["nogil"]
    assert (numba.config.CACHE_DIR, numba.config.DISABLE_JIT) == before


@needs_compiler
def test_a_function_without_a_file_can_be_compiled():
    space: dict = {"jit": jit}
    exec("@jit\ndef thrice(a):\n    return 3 * a\n", space)
    assert space["thrice"](5) == 15


@needs_compiler
def test_a_function_called_by_another_is_translated_and_only_doors_become_machine_code():
    inner = jit(lambda a: a + 1, cache=False)

    @jit(cache=False)
    def outer(a):
        return 2 * inner(a)

    assert outer(3) == 8
    assert len(outer._doors) == 1 and not inner._doors and len(inner.overloads) == 1
    assert inner(4) == 5 and len(inner._doors) == 1
    assert outer(2.5) == 7 and len(outer._doors) == len(inner.overloads) == 2


@needs_compiler
def test_compiled_functions_work_with_numbas_own():
    @numba.njit
    def both(words):
        return masks.count(words), masks.first(words)

    @jit(cache=False)
    def back(words):
        return both(words)[0] + np.sort(words)[0]

    words = np.array([6, 1], np.uint64)
    assert both(words) == (3, 1) and back(words) == 4


@needs_compiler
def test_errors_of_compiled_functions():
    @jit(cache=False)
    def inner(a):
        if a > 2:
            raise ValueError("too large")
        return a

    @jit(cache=False)
    def outer(a):
        return inner(a)

    with pytest.raises(ValueError, match="too large"):
        outer(3)
    with pytest.raises(numba.TypingError):
        outer("three")
    assert outer(1) == 1


def test_without_compilation_the_function_itself_is_left():
    code = "from carnegie_env.core.jit import jit\nf = lambda a: a\nprint(jit(f) is f, jit(inline='always')(f) is f)"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert run.stdout.split() == ["True", "True"], run.stderr[-2000:]
