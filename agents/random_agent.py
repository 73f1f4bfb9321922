"""The random agent: every legal action is equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents.base import Agent
from carnegie_env.core import rng
from carnegie_env.core.batch import Batch, pick
from carnegie_env.core.validation import seed_of


class RandomAgent(Agent):
    """Plays uniformly random legal actions.

    The choice is a hash of ``seed``, the game's generator and the number of decisions, so it does not depend on other
    games in the batch. It does not reveal the generator.
    """

    name = "random"
    side_by_side = True

    def __init__(self, seed: int = 0) -> None:
        self._seed = np.random.SeedSequence(seed_of(seed)).generate_state(1, np.uint64)

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        games = batch.games
        drawn = rng.mixed(rng.mixed(games["rng"] ^ self._seed) + games["decisions"].astype(np.uint64))
        return pick(batch.action_masks(), (drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53)
