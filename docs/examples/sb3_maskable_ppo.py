"""Stable-Baselines3: MaskablePPO learns the solo game. `pip install sb3-contrib`"""

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from carnegie_env.envs.sb3 import GameVecEnv

env = GameVecEnv(32, reward="dense_margin", seed=0)  # or make_vec_env("carnegie_env:Carnegie/Solo-v0", 32)
model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=2, seed=0)
model.learn(6_000)
mean, deviation = evaluate_policy(model, GameVecEnv(16, reward="margin", seed=1000), 32)
print(f"margin {mean:.1f}, deviation {deviation:.1f}")
