"""SuperSuit: wrappers for the PettingZoo environment; actions are sampled with the mask. `pip install supersuit`"""

import supersuit

from carnegie_env import carnegie_v0

game = carnegie_v0.env(num_players=2, reward="margin")
env = supersuit.clip_reward_v0(game, -50, 50)
env = supersuit.observation_lambda_v0(env, lambda seen, space: seen["observation"], lambda space: space["observation"])
env = supersuit.frame_stack_v1(env, 2)
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    mask = game.observe(agent)["action_mask"]
    env.step(None if termination else env.action_space(agent).sample(mask))
