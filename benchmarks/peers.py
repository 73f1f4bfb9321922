"""Random play-outs of other libraries, timed in the same run. Libraries that are not installed are skipped.

The figures are decisions of players per second, without chance moves.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from benchmarks.end_to_end import Pgx


def open_spiel(game_name: str) -> float:
    """OpenSpiel's C++ play-outs (its RandomRolloutEvaluator under one search): decisions/s on one core."""
    import pyspiel

    game = pyspiel.load_game(game_name)
    draw = random.Random(0)
    played = 20
    decisions = 0
    for _ in range(played):  # measure the length of games; the timed part below runs in C++
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draw.choices(outcomes, weights)[0])
            else:
                state.apply_action(draw.choice(state.legal_actions()))
                decisions += 1
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    simulations, rollouts = 2, 100
    bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(rollouts, 1), 1.0, simulations, 100, False, 1, False)
    start = time.perf_counter()
    bot.mcts_search(state)
    return simulations * rollouts * decisions / played / (time.perf_counter() - start)


def catanatron(games: int = 5) -> float:
    """Catanatron's random games of two: decisions/s."""
    from catanatron import Color, Game, RandomPlayer

    decisions = 0
    start = time.perf_counter()
    for seed in range(games):
        game = Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)], seed=seed)
        game.play()
        decisions += len(game.state.actions)
    return decisions / (time.perf_counter() - start)


def pgx(games: int = 1024, steps: int = 200) -> float:
    """pgx's backgammon on one core: random legal moves in a batch, compiled by JAX: decisions/s."""
    batch = Pgx(games)
    batch.bare(steps)
    start = time.perf_counter()
    batch.bare(steps)
    return games * steps / (time.perf_counter() - start)


# name, package, measurement
PEERS: tuple[tuple[str, str, Callable[[], float]], ...] = (
    ("OpenSpiel backgammon (C++)", "pyspiel", lambda: open_spiel("backgammon")),
    ("OpenSpiel chess (C++)", "pyspiel", lambda: open_spiel("chess")),
    ("pgx backgammon (JAX, CPU)", "pgx", pgx),
    ("Catanatron", "catanatron", catanatron),
)
