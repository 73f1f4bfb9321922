"""Rivals of value learning: who plays other seats at times and does not learn, inside the compiled loop."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import evaluation, network
from agents.evaluation import Room
from agents.greedy import loops as greedy
from agents.network import Weights
from carnegie_env.core import masks, rules
from carnegie_env.core.jit import jit

GREEDY, VALUE, POLICY = range(3)  # kinds: the greedy agent, a value network, a network of PPO


class Rival(NamedTuple):
    """A rival; it can be pickled."""

    kind: int  # GREEDY, VALUE or POLICY
    net: Weights | None = None  # None: the greedy agent has none. Of PPO it has an output for each action


@jit
def _most_probable(game: Any, net: Weights, room: Room) -> int:
    """The legal action with the highest logit, as :class:`agents.learned.PPOAgent` chooses."""
    rules.observe(game, game.to_play, room.before)
    network.begin(net, room.before, room.sums_before, room.places)
    network.go_through(net, room.sums_before, room.middle)
    best, highest = -1, -np.inf
    for action in range(net.last.shape[0]):
        if masks.test(game.legal, action):
            logit = network.output(net, action, room.middle)
            if logit > highest:
                best, highest = action, logit
    return best


@jit
def choose(
    kind: int, game: Any, draws: int, seed: np.uint64, net: Weights, room: Room, greedy_room: greedy.Room,
    worths: NDArray[np.float64],
) -> int:  # fmt: skip
    """The action of a rival.

    Args:
        kind: of the rival; only games that it plays may be at hand.
        game: a game that is not over.
        draws: how often it draws anew what is hidden; PPO does not.
        seed: of these draws.
        net, room: its network, and room for it; any for the greedy agent.
        greedy_room: room for the greedy agent.
        worths: room to work in, float64 (A,).
    """
    if kind == GREEDY:
        return greedy.best(game, seed, greedy_room)
    if kind == VALUE:
        return evaluation.rate(game, draws, seed, net, room, worths)
    return _most_probable(game, net, room)
