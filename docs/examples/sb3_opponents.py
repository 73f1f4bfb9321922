"""Stable-Baselines3: MaskablePPO learns a game of 3 players against agents. `pip install sb3-contrib`"""

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from carnegie_env import make_agent
from carnegie_env.envs.sb3 import GameVecEnv

opponents = ["random", make_agent("random", seed=7)]  # names or agents with act_batch(batch, rows)
env = GameVecEnv(32, num_players=3, opponents=opponents, reward="dense_margin", seed=0)  # the learner's seat rotates
model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=2, seed=0)
model.learn(6_000)
for name in ("random", "greedy"):
    table = GameVecEnv(16, num_players=3, opponents=name, reward="win", seed=1000)
    print(f"against {name}: {evaluate_policy(model, table, 16)[0]:+.2f} of -1 to +1")
