"""TextArena: a table of three as an environment, and random answers. `pip install textarena`"""

import random

import textarena as ta

from carnegie_env.text import TextGame


class CarnegieEnv(ta.Env):
    def reset(self, num_players, seed=None):
        self.game = TextGame("carnegie", {"num_players": num_players}, seed=seed or 0, seats="all")

    def get_observation(self):
        return self.game.to_play, [(ta.GAME_ID, self.game.prompt(), ta.ObservationType.GAME_BOARD)]

    def step(self, action):
        return self.game.answer(action) is None or self.game.is_over, {}

    def close(self):
        return dict(enumerate(self.game.rewards("margin"))), {}


ta.register("Carnegie-v0", CarnegieEnv)
env, done = ta.make("Carnegie-v0"), False
env.reset(num_players=3, seed=1)
while not done:
    player, messages = env.get_observation()
    legal = messages[-1][1].split("Your legal actions:\n")[1].split("\n\n")[0]
    done, _ = env.step("Action: " + random.choice(legal.splitlines()))  # a model's answer to the messages
print(env.close()[0])
