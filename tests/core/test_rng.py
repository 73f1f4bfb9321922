"""The generator in the record is SplitMix64 and draws uniformly."""

import itertools
import math

import numpy as np
import pytest

from carnegie_env.core import rng
from carnegie_env.core.jit import jit

# The field before `rng` is needed because for Numba a record is a supertype of all records that begin with its fields.
RECORD = np.dtype((np.record, [("nothing", "i1"), ("rng", "u8")]))

# From the published algorithm: the first numbers of seeds 0 and 1234567.
PUBLISHED = {
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B],
    1234567: [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821],
}


@jit
def draw_many(record, n, out):
    for i in range(out.shape[0]):
        out[i] = rng.draw(record, n)


@jit
def shuffle_many(record, items, out):
    for i in range(out.shape[0]):
        out[i] = items
        rng.shuffle(record, out[i])


def generator(state):
    games = np.zeros(1, RECORD)
    games["rng"] = state
    return games


def limit(freedom):
    """The chi-square that is exceeded by chance once in 10,000 times (Wilson and Hilferty)."""
    return freedom * (1 - 2 / (9 * freedom) + 3.72 * math.sqrt(2 / (9 * freedom))) ** 3


def chi_square(counts):
    expected = counts.sum() / counts.size
    return ((counts - expected) ** 2 / expected).sum()


@pytest.mark.parametrize("seed", PUBLISHED)
def test_the_numbers_of_splitmix64(seed):
    games = generator(seed)
    assert [int(rng.next_u64(games[0])) for _ in range(5)] == PUBLISHED[seed]
    assert games["rng"][0] == (seed + 5 * 0x9E3779B97F4A7C15) % 2**64


def test_mix_is_the_output_of_the_generator_and_injective():
    for state in (0, 1, 2**63, 2**64 - 1, 0x9E3779B97F4A7C15):
        games = generator(state)
        assert int(rng.next_u64(games[0])) == int(rng.mix(np.uint64((state + 0x9E3779B97F4A7C15) % 2**64)))
    assert len({int(rng.mix(np.uint64(value))) for value in range(5000)}) == 5000


def test_a_stream_of_seeds_agrees_with_the_generator():
    games = generator(2**64 - 5)
    drawn = [int(rng.next_u64(games[0])) for _ in range(6)]
    assert rng.stream(2**64 - 5, 2, 4).tolist() == drawn[2:]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 40, 100])
def test_draws_are_in_range_and_uniform(n):
    out = np.empty(40_000, np.int64)
    draw_many(generator(n)[0], n, out)
    assert out.min() == 0 and out.max() == n - 1
    if n > 1:
        assert chi_square(np.bincount(out, minlength=n)) < limit(n - 1)


def test_large_ranges():
    out = np.empty(1000, np.int64)
    draw_many(generator(3)[0], 2**31 - 1, out)
    assert 0 <= out.min() and out.max() < 2**31 - 1 and out.max() > 2**30


def test_all_orders_of_a_shuffle_are_equally_likely():
    items, out = np.arange(4), np.empty((48_000, 4), np.int64)
    shuffle_many(generator(8)[0], items, out)
    codes = (out * [64, 16, 4, 1]).sum(axis=1)
    orders = [64 * a + 16 * b + 4 * c + d for a, b, c, d in itertools.permutations(range(4))]
    counts = np.bincount(codes, minlength=256)[orders]
    assert counts.sum() == 48_000 and chi_square(counts) < limit(23)
    assert np.array_equal(items, np.arange(4))


def test_consecutive_seeds_are_unrelated():
    """Games of a batch get seeds s, s + 1, ...: their first draws must look independent."""
    firsts = []
    for seed in range(20_000):
        games = generator(int(rng.mix(np.uint64(seed))))
        firsts.append(int(rng.next_u64(games[0])) >> 60)
    assert chi_square(np.bincount(firsts, minlength=16)) < limit(15)
    pairs = [16 * a + b for a, b in itertools.pairwise(firsts)]
    assert chi_square(np.bincount(pairs[::2], minlength=256)) < limit(255)
