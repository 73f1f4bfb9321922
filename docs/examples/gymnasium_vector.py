"""Gymnasium: many solo games in compiled loops, under Gymnasium's vector wrappers. `pip install gymnasium`"""

import gymnasium
from gymnasium.wrappers.vector import NormalizeObservation, RecordEpisodeStatistics

from carnegie_env.core.batch import sample

envs = gymnasium.make_vec("carnegie_env:Carnegie/Solo-v0", num_envs=64, autoreset_mode="NextStep")
envs = RecordEpisodeStatistics(NormalizeObservation(envs))
observations, infos = envs.reset(seed=1)
for _ in range(200):
    actions = sample(infos["action_mask"], envs.np_random)
    observations, rewards, terminated, truncated, infos = envs.step(actions)
print("the last returns:", list(envs.return_queue)[-8:])
