"""The mean weights of networks from one training, for the step `mean` of a recipe.

The mean often plays better than each of them (Izmailov et al. 2018, Averaging Weights Leads to Wider Optima and Better
Generalization). The mean of networks from separate trainings is useless.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from carnegie_env.agents.network import Weights
from carnegie_env.agents.value import Network


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
