"""Gymnasium: one solo game with random legal actions. `pip install gymnasium`"""

import gymnasium

env = gymnasium.make("carnegie_env:Carnegie/Solo-v0", difficulty="normal", modules="all")
observation, info = env.reset(seed=1)
terminated = False
while not terminated:
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)
print(info["score"], "to", info["andrew_score"])
