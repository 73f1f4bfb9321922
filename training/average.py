"""Averages the weights of networks from one training: `python -m training.average OUT FILE FILE ...`.

The mean often plays better than each of them (Izmailov et al. 2018, Averaging Weights Leads to Wider Optima and Better
Generalization). The mean of networks from separate trainings is useless.
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
    """The mean weights of networks; a ValueError if their games or sizes differ."""
    first = networks[0]
    for each in networks[1:]:
        if (each.game, each.inputs) != (first.game, first.inputs):
            raise ValueError("the networks are for different games or options")
        if [part.shape for part in each.weights] != [part.shape for part in first.weights]:
            raise ValueError("the networks have layers of different sizes")
    parts = zip(*(each.weights for each in networks), strict=True)
    return Weights(*(np.asarray(np.mean(each, axis=0, dtype=np.float64), np.float32) for each in parts))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition(":")[0])
    parser.add_argument("out", type=Path, help="the file to write, with the metadata of the first FILE")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="two or more networks")
    given = parser.parse_args(arguments)
    try:
        if len(given.files) < 2:
            raise ValueError("at least two networks are needed")
        net = mean([value.read(file) for file in given.files])
        write_whole(given.out, to_bytes(net, tensors.read(given.files[0])[1]))
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
