"""Masked double DQN in one short loop: `python -m training.dqn --seed 1 --run-dir runs/dqn-1`.

Mnih et al. 2015 and van Hasselt et al. 2016; only legal actions are explored, and only they count in the maximum of the
next position. Libraries with masked DQN play one environment at a time from Python, so the loop is our own.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from carnegie_env.agents.policy import draw, legal_only
from training.single import Net, Run, command

REPLAY = 100_000  # decisions to learn from
FIRST = 5_000  # decisions before the first gradient step
MINIBATCH, EVERY = 256, 128  # decisions in a gradient step, and between two of them
RATE, GAMMA = 3e-4, 0.998
TARGET_EVERY = 200  # gradient steps between copies of the target network
EXPLORE, EXPLORE_UNTIL = (1.0, 0.02), 0.3  # share of random actions: at the start, from this share of the training on
LOG_EVERY = 8192  # decisions
LARGEST_GRADIENT = 10.0


class Replay:
    """The last decisions, overwritten in a ring; observations in bfloat16, as the network reads them."""

    def __init__(self, features: int, actions: int) -> None:
        self.number = 0
        self.seen, self.next = (torch.zeros(REPLAY, features, dtype=torch.bfloat16) for _ in range(2))
        self.next_masks = torch.zeros(REPLAY, actions, dtype=torch.bool)
        self.actions = torch.zeros(REPLAY, dtype=torch.int64)
        self.rewards, self.going = torch.zeros(REPLAY), torch.zeros(REPLAY)

    def add(
        self, seen: Tensor, action: Tensor, reward: Tensor, following: Tensor, masks: Tensor, going: Tensor
    ) -> None:
        """Add a decision of every game; the next observation of a finished game does not count."""
        rows = torch.arange(self.number, self.number + len(seen)) % REPLAY
        self.seen[rows], self.next[rows] = seen.bfloat16(), following.bfloat16()
        self.actions[rows], self.next_masks[rows] = action, masks
        self.rewards[rows], self.going[rows] = reward, going
        self.number += len(seen)

    def draw(self) -> tuple[Tensor, ...]:
        rows = torch.randint(min(self.number, REPLAY), (MINIBATCH,))
        columns = self.seen, self.next, self.next_masks, self.actions, self.rewards, self.going
        return tuple(column[rows] for column in columns)


def main(arguments: Sequence[str] | None = None) -> int:
    return command("dqn", "Train with masked double DQN in a single short loop.", RATE, train, arguments)


def train(run: Run) -> None:
    target = copy.deepcopy(run.net)
    replay = Replay(run.interface["features"], run.interface["actions"])
    observed, masks = torch.from_numpy(run.env.reset()), torch.from_numpy(run.masks())
    updates, logged = 0, run.steps
    while (share := run.share) < 1:
        start, end = EXPLORE
        explore = max(start + (end - start) * share / EXPLORE_UNTIL, end)
        with torch.no_grad():
            best = legal_only(run.net.ratings(observed), masks).argmax(dim=1)
        random = draw(masks.float())
        actions = torch.where(torch.rand(len(best)) < explore, random, best)
        following, rewards, ended = run.step(actions.numpy())
        now, now_masks = torch.from_numpy(following), torch.from_numpy(run.masks())
        going = torch.from_numpy(1.0 - ended.astype(np.float32))
        replay.add(observed, actions, torch.from_numpy(rewards), now, now_masks, going)
        observed, masks = now, now_masks
        for _ in range(_due(replay.number, len(actions))):
            _learn(run, target, replay)
            updates += 1
            if updates % TARGET_EVERY == 0:
                target.load_state_dict(run.net.state_dict())
        if run.steps - logged >= LOG_EVERY:
            run.log()
            logged = run.steps


def _due(number: int, added: int) -> int:
    """The gradient steps that are due after some more decisions."""
    return 0 if number < FIRST else number // EVERY - (number - added) // EVERY


def _learn(run: Run, target: Net, replay: Replay) -> None:
    seen, following, masks, actions, rewards, going = replay.draw()
    with torch.no_grad():
        chosen = legal_only(run.net.ratings(following), masks).argmax(dim=1)
        aims = rewards + GAMMA * going * target.ratings_of(following, chosen)
    loss = functional.smooth_l1_loss(run.net.ratings_of(seen, actions), aims)
    run.optimizer.zero_grad()
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(run.net.parameters(), LARGEST_GRADIENT)
    run.optimizer.step()


if __name__ == "__main__":
    sys.exit(main())
