"""Legal actions as bits of 64-bit words: bit ``a`` is set if action ``a`` is legal. ``words`` is uint64 of shape (W,).

Drawing a random action is about 1.6 times faster than with bytes, which only the interfaces use.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.core.arrays import Vector, Words
from carnegie_env.core.jit import jit, popcount, trailing_zeros


@jit
def clear(words: Words) -> None:
    """Make no action legal."""
    clear_first(words, words.shape[0])


@jit
def clear_first(words: Words, number: int) -> None:
    """Make no action of the first ``number`` words legal."""
    for w in range(number):
        words[w] = np.uint64(0)


@jit
def put(words: Words, action: int) -> None:
    """Make one action legal."""
    words[action >> 6] |= np.uint64(1) << np.uint64(action & 63)


@jit
def put_bits(words: Words, first: int, bits: int) -> None:
    """Make ``first + j`` legal for every bit ``j`` of the non-negative integer ``bits``."""
    word = first >> 6
    shift = first & 63
    words[word] |= np.uint64(bits) << np.uint64(shift)
    if shift > 0:
        rest = np.uint64(bits) >> np.uint64(64 - shift)
        if rest != np.uint64(0):
            words[word + 1] |= rest


@jit
def test(words: Words, action: int) -> bool:
    """Whether one action (in range) is legal."""
    return bool((words[action >> 6] >> np.uint64(action & 63)) & np.uint64(1) != np.uint64(0))


@jit
def count(words: Words) -> int:
    """The number of legal actions."""
    return count_first(words, words.shape[0])


@jit
def count_first(words: Words, number: int) -> int:
    """The number of legal actions in the first ``number`` words."""
    total = 0
    for w in range(number):
        total += popcount(words[w])
    return total


@jit
def first(words: Words) -> int:
    """The lowest legal action; -1 if there is none."""
    for w in range(words.shape[0]):
        if words[w] != np.uint64(0):
            return 64 * w + trailing_zeros(words[w])
    return -1


@jit
def after(words: Words, action: int) -> int:
    """The lowest legal action above one (or above -1); -1 if there is none."""
    action += 1
    w = action >> 6
    if w >= words.shape[0]:
        return -1
    word = words[w] >> np.uint64(action & 63)
    if word != np.uint64(0):
        return action + trailing_zeros(word)
    for later in range(w + 1, words.shape[0]):
        if words[later] != np.uint64(0):
            return 64 * later + trailing_zeros(words[later])
    return -1


@jit
def pick(words: Words, k: int) -> int:
    """The ``k``-th lowest legal action, 0 <= k < count(words)."""
    for w in range(words.shape[0]):
        word = words[w]
        here = popcount(word)
        if k < here:
            for _ in range(k):
                word &= word - np.uint64(1)
            return 64 * w + trailing_zeros(word)
        k -= here
    return -1


@jit
def to_bytes(words: Words, out: Vector[np.int8]) -> None:
    """Write 0/1 for each action into ``out`` (int8, shape (actions,))."""
    actions = out.shape[0]
    for w in range(actions >> 6):  # whole words: the constant inner loop becomes vector instructions
        word = words[w]
        for b in range(64):
            out[64 * w + b] = np.int8((word >> np.uint64(b)) & np.uint64(1))
    for action in range(actions & ~63, actions):
        out[action] = np.int8((words[action >> 6] >> np.uint64(action & 63)) & np.uint64(1))
