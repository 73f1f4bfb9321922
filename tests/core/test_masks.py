"""Masks of 64-bit words behave like sets of numbers, compiled and in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from carnegie_env.core import masks

WORDS = 5
ACTIONS = 291  # not a whole number of words

sets_of_actions = st.sets(st.integers(0, ACTIONS - 1))


def words_of(chosen):
    words = np.zeros(WORDS, np.uint64)
    for action in chosen:
        words[action // 64] |= np.uint64(1) << np.uint64(action % 64)
    return words


def both(function):
    """The compiled function and its plain Python form (the same with NUMBA_DISABLE_JIT=1)."""
    return [function, getattr(function, "py_func", function)]


@given(sets_of_actions)
def test_put_count_test_and_first(chosen):
    for put, count, test, first, clear in zip(
        *map(both, (masks.put, masks.count, masks.test, masks.first, masks.clear)), strict=True
    ):
        words = np.zeros(WORDS, np.uint64)
        for action in chosen:
            put(words, action)
        assert np.array_equal(words, words_of(chosen))
        assert count(words) == len(chosen)
        assert {action for action in range(ACTIONS) if test(words, action)} == chosen
        assert first(words) == min(chosen, default=-1)
        clear(words)
        assert not words.any()


@given(sets_of_actions)
def test_pick_counts_from_below(chosen):
    words = words_of(chosen)
    for pick in both(masks.pick):
        assert [pick(words, k) for k in range(len(chosen))] == sorted(chosen)
        assert pick(words, len(chosen)) == -1
    assert np.array_equal(words, words_of(chosen))


@given(sets_of_actions)
def test_after_goes_through_all_from_below(chosen):
    words = words_of(chosen)
    for after in both(masks.after):
        found = [after(words, -1)]
        while found[-1] >= 0:
            found.append(after(words, found[-1]))
        assert found == [*sorted(chosen), -1]
    for after in both(masks.after):
        assert after(words, 64 * WORDS - 1) == -1


@given(sets_of_actions)
def test_bytes(chosen):
    expected = [action in chosen for action in range(ACTIONS)]
    for to_bytes in both(masks.to_bytes):
        out = np.full(ACTIONS, 7, np.int8)
        to_bytes(words_of(chosen), out)
        assert out.tolist() == expected


@given(sets_of_actions, st.integers(0, ACTIONS - 64), st.integers(0, 2**62 - 1))
def test_put_bits_across_words(chosen, first, bits):
    expected = chosen | {first + j for j in range(62) if bits >> j & 1}
    for put_bits in both(masks.put_bits):
        words = words_of(chosen)
        put_bits(words, first, bits)
        assert np.array_equal(words, words_of(expected))


def test_full_words():
    words = np.full(WORDS, 2**64 - 1, np.uint64)
    for count, pick, first in zip(*map(both, (masks.count, masks.pick, masks.first)), strict=True):
        assert count(words) == 64 * WORDS
        assert [pick(words, k) for k in (0, 63, 64, 319)] == [0, 63, 64, 319]
        assert first(words) == 0
