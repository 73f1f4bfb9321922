"""The network's arithmetic against NumPy's."""

import numpy as np
import pytest

from carnegie_env.agents import network
from tests.networks import random_weights

SHAPES = ((64, 128, 32), (16, 5, 1), (48, 33, 6), (32, 16, 7))


def by_numpy(net, inputs):
    wide = [part.astype(np.float64) for part in net]
    first = np.maximum(inputs @ wide[0] + wide[1], 0)
    middle = np.maximum(wide[2] @ first + wide[3], 0)
    return wide[4] @ middle + wide[5]


def some_inputs(size, seed):
    generator = np.random.default_rng(seed)
    return (generator.integers(-2, 9, size) * (generator.random(size) < 0.3) / 4).astype(np.float32)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_outputs_are_those_of_numpy(shape):
    size, hidden, middle = shape
    net = random_weights(*shape)
    for seed in range(10):
        inputs, sums = some_inputs(size, seed), np.full(hidden, np.nan, np.float32)
        network.begin(net, inputs, sums, np.zeros(size, np.int64))
        found = network.finish(net, sums, np.full(middle, np.nan, np.float32))
        np.testing.assert_allclose(found, by_numpy(net, inputs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_from_what_changed_are_the_sums(shape):
    size, hidden, _ = shape
    net = random_weights(*shape)
    generator = np.random.default_rng(1)
    before, sums_before, sums, whole = some_inputs(size, 1), *np.full((3, hidden), np.nan, np.float32)
    places, by = np.zeros(size, np.int64), np.zeros(size, np.float32)
    network.begin(net, before, sums_before, places)
    for number in (0, 1, 2, 3, 4, 5, 8, 11, size):
        after = before.copy()
        after[generator.permutation(size)[:number]] += 1
        assert network.change(net, before, after, sums_before, sums, places, by) == number
        network.begin(net, after, whole, places)
        np.testing.assert_allclose(sums, whole, rtol=1e-4, atol=1e-4)
    assert network.change(net, before, before, sums_before, sums, places, by) == 0
    assert (sums == sums_before).all()
