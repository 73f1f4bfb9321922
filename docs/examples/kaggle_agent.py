"""A Kaggle harness for functions `agent(observation, configuration)`. `pip install kaggle-environments`"""

import random

import kaggle_environments

from carnegie_env.text.for_kaggle import register


def agent(observation, configuration):
    legal = observation.text.split("Your legal actions:\n")[1].split("\n\n")[0]
    return "Action: " + random.choice(legal.splitlines())  # a model's answer to the text


register("carnegie")
env = kaggle_environments.make("carnegie")
env.run([agent, agent])
print([each.reward for each in env.state])
