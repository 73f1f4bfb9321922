"""The value network inside the compiled loop.

A small multilayer perceptron as in TD-Gammon (Tesauro 1995), with a first layer as in NNUE (Nasu 2018):

    inputs (F, sparse) -> H, ReLU -> M, ReLU -> 2 outputs

inputs.py describes the inputs. The outputs are the final margin of the seat over the best other side, minus the present
margin, in the game's margin unit; and the logit of its win probability.

The first layer has nearly all of the weights. A decision changes few inputs, so the layer's sums are kept for one
position and updated for the next one. Everything is float32.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.jit import LANES, jit, nonzero, trailing_zeros

Floats = NDArray[np.float32]
Places = NDArray[np.int64]

OUTPUTS = 2  # margin, win probability; training may add a third one, see output
BLOCK = LANES  # the number of inputs is a multiple of this


class Weights(NamedTuple):
    """The weights of a network, float32; ``F`` inputs (a multiple of BLOCK), ``H`` and ``M`` units, 2 outputs."""

    first: Floats  # (F, H)
    first_bias: Floats  # (H,)
    second: Floats  # (M, H)
    second_bias: Floats  # (M,)
    last: Floats  # (2, M); (3, M) in some trainings
    last_bias: Floats  # (2,)


def shapes(inputs: int, hidden: int, middle: int, outputs: int = OUTPUTS) -> Weights:
    """The shape of each array of :class:`Weights`."""
    found = ((inputs, hidden), (hidden,), (middle, hidden), (middle,), (outputs, middle), (outputs,))
    return Weights(*found)  # type: ignore[arg-type]  # shapes instead of arrays


def zeros(inputs: int, hidden: int, middle: int, outputs: int = OUTPUTS) -> Weights:
    """A network of zeros."""
    return Weights(*(np.zeros(shape, np.float32) for shape in shapes(inputs, hidden, middle, outputs)))


def widened(net: Weights, hidden: int, middle: int) -> Weights:
    """A copy with more units: new ones have weights of 0, so the outputs do not change."""
    made = zeros(len(net.first), hidden, middle, len(net.last))
    for source, part in zip(net, made, strict=True):
        part[tuple(slice(length) for length in source.shape)] = source
    return made


def with_outputs(net: Weights, outputs: int) -> Weights:
    """A copy with another number of outputs: the last ones are dropped, new ones are 0."""
    made = zeros(net.first.shape[0], net.first.shape[1], net.second.shape[0], outputs)
    for source, part in zip(net, made, strict=True):
        rows = min(len(source), len(part))
        part[:rows] = source[:rows]
    return made


def initial(inputs: int, hidden: int, middle: int, generator: np.random.Generator) -> Weights:
    """Random weights (Kaiming initialisation, for about 150 non-zero inputs); the last layer is 0."""
    made = zeros(inputs, hidden, middle)
    made.first[:] = generator.normal(0, np.sqrt(1 / 150), made.first.shape)
    made.second[:] = generator.normal(0, np.sqrt(2 / hidden), made.second.shape)
    return made


# ---------------------------------------------------------------- evaluation
@jit
def begin(net: Weights, inputs: Floats, sums: Floats, places: Places) -> None:
    """Write the first layer's sums, float32 (H,), for inputs, float32 (F,). ``places``: working memory."""
    number = 0
    for i in range(inputs.shape[0]):
        places[number] = i  # without a branch: about one in seven differs from 0
        number += inputs[i] != 0
    copy(net.first_bias, sums)
    _add(net, inputs, places, number, sums)


@jit
def change(
    net: Weights, before: Floats, after: Floats, sums_before: Floats, sums: Floats, places: Places, by: Floats
) -> int:
    """Write the sums for the inputs ``after``, from the sums for ``before``; returns the number of inputs that differ.

    ``places``, int64 (F,), and ``by``, float32 (F,), are working memory.
    """
    for i in range(by.shape[0]):
        by[i] = after[i] - before[i]
    number = 0
    for block in range(0, by.shape[0], BLOCK):
        found = nonzero(by, block)
        while found != 0:
            places[number] = block + trailing_zeros(found)
            found &= found - 1
            number += 1
    copy(sums_before, sums)
    _add(net, by, places, number, sums)
    return number


@jit
def copy(source: Floats, out: Floats) -> None:
    """Copy a vector, several times faster than by assigning slices, which might overlap."""
    for k in range(out.shape[0]):
        out[k] = source[k]


@jit(fastmath=True)
def _add(net: Weights, inputs: Floats, places: Places, number: int, sums: Floats) -> None:
    """Add rows of the first layer times their inputs, four at a time to save reading and writing the sums."""
    rows = net.first
    whole = number - number % 4
    for p in range(0, whole, 4):
        a, b, c, d = places[p], places[p + 1], places[p + 2], places[p + 3]
        by_a, by_b, by_c, by_d = inputs[a], inputs[b], inputs[c], inputs[d]
        for k in range(sums.shape[0]):
            sums[k] += by_a * rows[a, k] + by_b * rows[b, k] + by_c * rows[c, k] + by_d * rows[d, k]
    for p in range(whole, number):
        a = places[p]
        by_a = inputs[a]
        for k in range(sums.shape[0]):
            sums[k] += by_a * rows[a, k]


@jit(fastmath=True)
def go_through(net: Weights, sums: Floats, middle: Floats) -> None:
    """Write the second layer's sums without biases into ``middle``, float32 (M,); overwrites the first layer's."""
    hidden, units = sums.shape[0], middle.shape[0]
    zero = np.float32(0)
    for k in range(hidden):
        sums[k] = max(sums[k], zero)
    second = net.second
    for j in range(0, units - 3, 4):  # four at a time, to read each unit of the first layer once
        a = b = c = d = zero
        for k in range(hidden):
            unit = sums[k]
            a += unit * second[j, k]
            b += unit * second[j + 1, k]
            c += unit * second[j + 2, k]
            d += unit * second[j + 3, k]
        middle[j], middle[j + 1], middle[j + 2], middle[j + 3] = a, b, c, d
    for j in range(units - units % 4, units):
        a = zero
        for k in range(hidden):
            a += sums[k] * second[j, k]
        middle[j] = a


@jit(fastmath=True)
def finish(net: Weights, sums: Floats, middle: Floats) -> tuple[float, float]:
    """The first two outputs, from the first layer's sums, which are overwritten; see :func:`go_through`."""
    go_through(net, sums, middle)
    margin, win = net.last_bias[0], net.last_bias[1]
    for j in range(middle.shape[0]):
        unit = max(middle[j] + net.second_bias[j], np.float32(0))
        margin += unit * net.last[0, j]
        win += unit * net.last[1, j]
    return margin, win


@jit(fastmath=True)
def output(net: Weights, number: int, middle: Floats) -> float:
    """One output, from the second layer's sums: the bonus to come in training, the logit of an action in PPO."""
    total = net.last_bias[number]
    for j in range(middle.shape[0]):
        total += max(middle[j] + net.second_bias[j], np.float32(0)) * net.last[number, j]
    return float(total)
