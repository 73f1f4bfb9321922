"""kaggle-environments: its runner with functions as agents, at every table."""

import random

import kaggle_environments

from carnegie_env.text import for_kaggle
from tests.clients.stand_in import ILLEGAL, answer_to

GENERATOR = random.Random(4)


def stand_in(observation, configuration):
    assert "HOW TO ANSWER" in observation.rules
    return answer_to(observation.text, GENERATOR)


def wrong(observation, configuration):
    return ILLEGAL


def check_games() -> None:
    """Games of one (solo) to four agents, in both games."""
    for game, tables in (("carnegie", (1, 2, 4)), ("steel_driver", (3,))):
        for_kaggle.register(f"test_{game}", game=game, style="compact")
        for players in tables:
            env = kaggle_environments.make(f"test_{game}", debug=True)
            env.run([stand_in] * players)
            assert [each.status for each in env.state] == ["DONE"] * players, env.state
            rewards = [each.reward for each in env.state]
            assert env.game.position.is_over and rewards == env.game.rewards("margin")


def check_illegal() -> None:
    """An agent without a legal answer loses."""
    for_kaggle.register("test_illegal")
    env = kaggle_environments.make("test_illegal", debug=True)
    env.run([wrong, wrong])
    assert env.game.forfeited_by is not None and min(each.reward for each in env.state) < -100
