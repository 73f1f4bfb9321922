"""The random generator in each game's record: SplitMix64 (Steele, Lea, Flood 2014).

The state is one uint64, so the same options, seed and actions give the same game on every machine and thread count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.jit import COMPILED, jit

if TYPE_CHECKING:  # rules.py imports this module, and game.py imports rules.py
    from carnegie_env.core.game import Record

if not COMPILED:  # with Python integers, because NumPy scalars would warn about the intended overflow

    def advance(state: np.uint64) -> np.uint64:
        """The next state (uint64); the draw is its :func:`mix`."""
        return np.uint64((int(state) + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF)

    def mix(value: np.uint64) -> np.uint64:
        """Scramble a uint64 into an unrelated uint64."""
        z = int(value)
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        return np.uint64(z ^ (z >> 31))

else:

    @jit
    def advance(state: np.uint64) -> np.uint64:
        """The next state (uint64); the draw is its :func:`mix`."""
        return state + np.uint64(0x9E3779B97F4A7C15)

    @jit
    def mix(value: np.uint64) -> np.uint64:
        """Scramble a uint64 into an unrelated uint64."""
        z = value
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


@jit
def next_u64(game: Record) -> np.uint64:
    """Draw 64 random bits from the generator in the record (uint64)."""
    game.rng = advance(game.rng)
    return mix(game.rng)


@jit
def draw(game: Record, n: int) -> int:
    """Draw an integer 0 <= x < n, n < 2**31 (bias below 2**-32 per draw)."""
    return below(next_u64(game), n)


@jit
def below(drawn: np.uint64, n: int) -> int:
    """Map 64 random bits to an integer 0 <= x < n, n < 2**31."""
    return int64(((drawn >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@jit
def set_apart(game: Record, stream: int) -> np.uint64:
    """Switch to one of the game's separate random streams; return the state to restore afterwards.

    Chance during play does not use the record's own generator, so the next game's seed doesn't depend on this game.
    """
    kept = game.rng
    game.rng = mix(kept ^ np.uint64(stream))
    return kept


@jit
def shuffle(game: Record, items: Vector[int]) -> None:
    """Shuffle a 1-D array in place (Fisher-Yates)."""
    for i in range(items.shape[0] - 1, 0, -1):
        j = draw(game, i + 1)
        items[i], items[j] = items[j], items[i]


def stream(state: int, first: int, number: int) -> NDArray[np.uint64]:
    """``number`` consecutive draws from a state, beginning with the ``first``: uint64 (number,)."""
    steps = np.arange(first + 1, first + number + 1, dtype=np.uint64)
    return mixed(np.uint64(state) + steps * np.uint64(0x9E3779B97F4A7C15))


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """:func:`mix` of each number of a uint64 array, as a new array."""
    z = values ^ (values >> np.uint64(30))
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z
