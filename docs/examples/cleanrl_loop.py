"""A CleanRL-style loop: a masked policy gradient on the native vector environment. `pip install torch`"""

import gymnasium
import torch

envs = gymnasium.make_vec("carnegie_env:Carnegie/Solo-v0", num_envs=32, reward="dense_margin")  # SAME_STEP
size, actions = envs.single_observation_space.shape[0], envs.single_action_space.n
network = torch.nn.Sequential(torch.nn.Linear(size, 64), torch.nn.Tanh(), torch.nn.Linear(64, actions))
optimizer = torch.optim.Adam(network.parameters(), 1e-3)
observations, infos = envs.reset(seed=1)
for _ in range(20):
    log_probs, rewards, going = [], [], []
    for _ in range(16):
        logits = network(torch.from_numpy(observations)).masked_fill(torch.from_numpy(infos["action_mask"]) == 0, -1e9)
        choice = torch.distributions.Categorical(logits=logits)
        chosen = choice.sample()
        observations, reward, terminated, truncated, infos = envs.step(chosen.numpy())
        log_probs.append(choice.log_prob(chosen))
        rewards.append(torch.from_numpy(reward))
        going.append(torch.from_numpy(~terminated))
    returns, later = torch.zeros(16, 32), torch.zeros(32)
    for step in reversed(range(16)):
        later = returns[step] = rewards[step] + later * going[step]  # nothing from the next game
    optimizer.zero_grad()
    (-torch.stack(log_probs) * (returns - returns.mean())).mean().backward()
    optimizer.step()
