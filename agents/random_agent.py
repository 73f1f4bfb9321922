"""The random agent: every legal action is equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.batch import Batch

from .base import Agent


class RandomAgent(Agent):
    """Plays uniformly random legal actions, drawn from ``seed``."""

    name = "random"
    side_by_side = True

    def __init__(self, seed: int = 0) -> None:
        self._generator = np.random.default_rng(seed)

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        """See :meth:`Agent.choose`."""
        return batch.sample_actions(self._generator)
