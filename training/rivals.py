"""Rivals of value learning: opponents inside the compiled loop that do not learn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import evaluation, network
from carnegie_env.agents.evaluation import Room
from carnegie_env.agents.greedy import loops as greedy
from carnegie_env.agents.network import Weights
from carnegie_env.core import masks, rules
from carnegie_env.core.jit import jit

GREEDY, VALUE, POLICY = range(3)  # kinds: the greedy agent, a value network, a PPO network


class Rival(NamedTuple):
    """A rival; it can be pickled."""

    kind: int  # GREEDY, VALUE or POLICY
    net: Weights | None = None  # None for the greedy agent; a PPO network has an output for each action


@jit
def _most_probable(game: Any, net: Weights, room: Room) -> int:
    """The legal action with the highest logit, which :class:`carnegie_env.agents.learned.PPOAgent` takes."""
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


class Seated(NamedTuple):
    """A rival and its working memory."""

    kind: int
    net: Weights  # unused by the greedy agent
    room: Room
    greedy_room: greedy.Room
    worths: NDArray[np.float64]  # (A,)


@jit
def choose(rival: Seated, game: Any, draws: int, seed: np.uint64) -> int:
    """The action of a rival in a game that is not over.

    Args:
        rival: the rival.
        game: the record.
        draws: samples of the hidden information; PPO ignores them.
        seed: of these samples.
    """
    if rival.kind == GREEDY:
        return greedy.best(game, seed, rival.greedy_room)
    if rival.kind == VALUE:
        return evaluation.rate(game, draws, seed, rival.net, rival.room, rival.worths)
    return _most_probable(game, rival.net, rival.room)
