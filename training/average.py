"""The mean of networks that were trained from one another: `python -m training.average OUT FILE FILE ...`.

It often plays better than each of them (Izmailov et al. 2018, Averaging Weights Leads to Wider Optima and Better
Generalization); the mean of networks trained apart is worthless.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from carnegie_env.agents import tensors, value
from carnegie_env.agents.network import Weights
from carnegie_env.agents.value import Network
from carnegie_env.core.files import write_whole
from training.value import to_bytes


def mean(networks: Sequence[Network]) -> Weights:
    """The mean weights of networks for the same games; a ValueError if their games or sizes differ."""
    first = networks[0]
    for each in networks[1:]:
        if (each.game, each.inputs) != (first.game, first.inputs):
            raise ValueError("the networks are for different games: their inputs do not mean the same")
        if [part.shape for part in each.weights] != [part.shape for part in first.weights]:
            raise ValueError("the networks' layers have different sizes")
    parts = zip(*(each.weights for each in networks), strict=True)
    return Weights(*(np.asarray(np.mean(each, axis=0, dtype=np.float64), np.float32) for each in parts))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the mean of the networks; returns 0, or 2 after a message."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition(":")[0])
    parser.add_argument("out", type=Path, help="the file to write; what it says of itself is what the first one says")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="weights of networks, two or more")
    given = parser.parse_args(arguments)
    try:
        if len(given.files) < 2:
            raise ValueError("two networks or more are needed")
        net = mean([value.read(file) for file in given.files])
        write_whole(given.out, to_bytes(net, tensors.read(given.files[0])[1]))
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
