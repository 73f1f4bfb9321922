"""Masked PPO in one short loop, as in CleanRL: `python -m training.ppo_single --seed 1 --run-dir runs/ppo-1`.

Schulman et al. 2017, with the masks of Huang and Ontañón 2022: logits of illegal actions are -1e9 when actions are
sampled and when the network learns.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from carnegie_env.agents.policy import distribution, draw
from training.single import Run, command

STEPS, MINIBATCH, EPOCHS = 64, 1024, 3  # decisions in each game between updates; in a gradient step; uses of each
RATE, CLIP, ENTROPY, VALUE = 5e-4, 0.2, 0.01, 0.5
GAMMA, LAMBDA = 0.998, 0.95
LARGEST_GRADIENT = 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    text = "Train with masked PPO in a single short loop."
    return command("ppo_single", text, RATE, train, arguments, steps=STEPS)


def train(run: Run) -> None:
    observed = torch.from_numpy(run.env.reset())
    while run.share < 1:
        for group in run.optimizer.param_groups:
            group["lr"] = RATE * max(1 - run.share, 0.01)
        observed = update(run, observed)
        run.log()


def update(run: Run, observed: Tensor) -> Tensor:
    """Play STEPS decisions in each game and learn from them; returns the next observations (envs, F)."""
    net, envs = run.net, len(observed)
    seen, masks = (
        torch.zeros(STEPS, *observed.shape),
        torch.zeros(STEPS, envs, run.interface["actions"], dtype=torch.bool),
    )
    actions = torch.zeros(STEPS, envs, dtype=torch.int64)
    rewards, going, values, log_probs = (torch.zeros(STEPS, envs) for _ in range(4))
    for step in range(STEPS):
        seen[step], masks[step] = observed, torch.from_numpy(run.masks())
        with torch.no_grad():
            logits, values[step] = net(observed)
            all_log_probs, probabilities = distribution(logits, masks[step])
        actions[step] = draw(probabilities)
        log_probs[step] = all_log_probs.gather(1, actions[step][:, None]).squeeze(1)
        following, reward, ended = run.step(actions[step].numpy())
        observed = torch.from_numpy(following)
        rewards[step], going[step] = torch.from_numpy(reward), torch.from_numpy(1.0 - ended.astype(np.float32))

    advantages, gained = torch.zeros(STEPS, envs), torch.zeros(envs)  # generalised advantage estimation
    with torch.no_grad():
        following_value = net(observed)[1]
    for step in reversed(range(STEPS)):
        error = rewards[step] + GAMMA * following_value * going[step] - values[step]
        gained = error + GAMMA * LAMBDA * going[step] * gained
        advantages[step], following_value = gained, values[step]

    returns = advantages + values
    flat = [each.flatten(0, 1) for each in (seen, masks, actions, log_probs, advantages, returns)]
    for _ in range(EPOCHS):
        for rows in torch.split(torch.randperm(STEPS * envs), MINIBATCH):
            _learn(run, *(each[rows] for each in flat))
    return observed


def _learn(
    run: Run, seen: Tensor, masks: Tensor, actions: Tensor, before: Tensor, advantages: Tensor, returns: Tensor
) -> None:
    logits, values = run.net(seen)
    all_log_probs, probabilities = distribution(logits, masks)
    ratio = (all_log_probs.gather(1, actions[:, None]).squeeze(1) - before).exp()
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    policy = -torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
    entropy = -(probabilities * all_log_probs).sum(dim=1).mean()
    loss = policy + VALUE * functional.mse_loss(values, returns) - ENTROPY * entropy
    run.optimizer.zero_grad()
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(run.net.parameters(), LARGEST_GRADIENT)
    run.optimizer.step()


if __name__ == "__main__":
    sys.exit(main())
