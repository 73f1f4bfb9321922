"""A CleanRL-style loop: a masked policy gradient on the native vector environment. `pip install torch`"""

import gymnasium
import torch

envs = gymnasium.make_vec("carnegie_env:Carnegie/Solo-v0", num_envs=32, reward="dense_margin")  # SAME_STEP
size, actions = envs.single_observation_space.shape[0], envs.single_action_space.n
network = torch.nn.Sequential(torch.nn.Linear(size, 64), torch.nn.Tanh(), torch.nn.Linear(64, actions))
optimizer = torch.optim.Adam(network.parameters(), 1e-3)
observations, infos = envs.reset(seed=1)
for _ in range(20):
    loss = trace = torch.zeros(32)
    for _ in range(16):
        logits = network(torch.from_numpy(observations)).masked_fill(torch.from_numpy(infos["action_mask"]) == 0, -1e9)
        choice = torch.distributions.Categorical(logits=logits)
        chosen = choice.sample()
        observations, rewards, terminated, truncated, infos = envs.step(chosen.numpy())
        trace = trace + choice.log_prob(chosen)
        loss = loss - trace * torch.from_numpy(rewards)  # a reward is due to all earlier actions of its game
        trace = trace * torch.from_numpy(~terminated)
    optimizer.zero_grad()
    loss.mean().backward()
    optimizer.step()
