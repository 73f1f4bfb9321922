"""OpenSpiel: its IS-MCTS bot, which does not foresee draws, against a random player. `pip install open_spiel`"""

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from carnegie_env.envs import openspiel

game = openspiel.load("carnegie", num_players=2)
chance = np.random.RandomState(1)
search = {"use_observation_string": True, "allow_inconsistent_action_sets": True, "random_state": chance}
bots = [ISMCTSBot(game, RandomRolloutEvaluator(1, chance), 2.0, 10, **search), pyspiel.make_uniform_random_bot(1, 1)]
state = game.new_initial_state()
state.apply_action(7)  # the deal: actions of the chance node are seeds
while not state.is_terminal():
    action = bots[state.current_player()].step(state)
    print(state.current_player(), state.action_to_string(action))
    state.apply_action(action)
print(state.returns(), state.position.scores())
