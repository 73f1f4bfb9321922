"""The opponents in self-play: frozen copies of the learner, and `greedy` as a fixed yardstick.

Of every eight environments one has `greedy`, which the learning curve is measured against, four have the newest copy,
and three have older ones, so that the learner does not forget how to beat them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from carnegie_env.agents.base import Agent
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.agents.policy import Policy, distribution, draw
from carnegie_env.core.batch import Batch

YARDSTICK = -1
# By environment number modulo 8: the yardstick, or the age of the copy.
PLACES = (YARDSTICK, 0, 0, 0, 0, 1, 2, 3)
KEPT = 1 + max(PLACES)


class League(Agent):
    """Opponents for a vector environment; they sample their actions as the learner does.

    Call :meth:`take` before the first decision.
    """

    name = "league"

    def __init__(self) -> None:
        self._yardstick: Agent = GreedyAgent()
        self._copies: list[nn.Module] = []  # newest first

    def take(self, policy: Policy) -> None:
        """Add a copy of the present network; the oldest copy is dropped."""
        self._copies = [policy.actor(), *self._copies[: KEPT - 1]]

    @staticmethod
    def is_yardstick(row: int) -> bool:
        """Whether the game of this environment is against `greedy`."""
        return PLACES[row % len(PLACES)] == YARDSTICK

    def act_batch(self, batch: Batch[Any], rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """See :meth:`Agent.act_batch`; row numbers are environment numbers."""
        chosen = np.arange(batch.num_games) if rows is None else np.asarray(rows, np.int64)
        places = np.array(PLACES)[chosen % len(PLACES)]
        places = np.minimum(places, len(self._copies) - 1)  # at first there are no older copies
        actions = np.full(len(chosen), -1, np.int64)
        for place in np.unique(places):
            here = places == place
            if place == YARDSTICK:
                actions[here] = self._yardstick.act_batch(batch, chosen[here])
            else:
                actions[here] = _drawn(self._copies[place], batch, chosen[here])
        actions[batch.done[chosen]] = -1
        return actions


def _drawn(actor: nn.Module, batch: Batch[Any], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Actions sampled from a network's probabilities."""
    device = next(actor.parameters()).device
    observations = torch.from_numpy(batch.observe(rows=rows)).to(device)
    with torch.no_grad():
        _, probabilities = distribution(actor(observations), batch.action_masks(rows=rows))
        drawn: NDArray[np.int64] = draw(probabilities).cpu().numpy()
    return drawn
