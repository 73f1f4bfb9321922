"""Self-play: one network decides for every seat and learns from wins and losses. `pip install torch`"""

import torch

from carnegie_env import Batch
from carnegie_env.core.rewards import returns

batch = Batch(64, num_players=3)  # row i is the decision of seat batch.to_play[i]
network = torch.nn.Linear(batch.observation_size, batch.num_actions)
optimizer = torch.optim.Adam(network.parameters(), 1e-3)
for _ in range(5):
    batch.reset()
    steps = []
    while not batch.done.all():
        logits = network(torch.as_tensor(batch.observe())).masked_fill(torch.as_tensor(batch.action_masks() == 0), -1e9)
        choice = torch.distributions.Categorical(logits=logits)
        actions = choice.sample()
        steps.append((choice.log_prob(actions), torch.as_tensor(batch.to_play).long()))
        batch.step(torch.where(torch.as_tensor(batch.done), -1, actions).numpy())  # -1 where a game is over
    log_probs, movers = (torch.stack(part) for part in zip(*steps, strict=True))
    gains = torch.as_tensor(returns("win", batch.results(), 3))[torch.arange(64), movers] * (movers >= 0)
    optimizer.zero_grad()
    (-log_probs * gains).mean().backward()
    optimizer.step()
