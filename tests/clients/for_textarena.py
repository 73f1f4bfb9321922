"""TextArena: the example's environment under the library's own wrapper for language models."""

import random
import runpy

import textarena as ta

from tests.clients import EXAMPLES
from tests.clients.stand_in import answer_to


def check_wrapper() -> None:
    """LLMObservationWrapper: whole games of two and four players."""
    kind = runpy.run_path(str(EXAMPLES / "textarena_game.py"))["CarnegieEnv"]
    for players in (2, 4):
        env = ta.wrappers.LLMObservationWrapper(kind())
        env.reset(num_players=players, seed=2)
        generator, done, movers = random.Random(3), False, set()
        while not done:
            player, text = env.get_observation()
            movers.add(player)
            done, _ = env.step(answer_to(text.rpartition("[GAME]")[2], generator))
        rewards, _ = env.close()
        assert movers == set(range(players)) and abs(sum(rewards.values())) < 1e-3
