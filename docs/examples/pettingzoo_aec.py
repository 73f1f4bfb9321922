"""PettingZoo: a game of 3 players with random legal actions. `pip install pettingzoo`"""

from carnegie_env import carnegie_v0

env = carnegie_v0.env(num_players=3, reward="rank")
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    if termination or truncation:
        print(agent, reward, info["score"], info["score_breakdown"])
        env.step(None)
    else:
        env.step(env.action_space(agent).sample(observation["action_mask"]))
