"""Carnegie's engine and its independent referee (tests/referee) play the same games."""

import random

import pytest

from carnegie_env import Position
from carnegie_env.carnegie import actions
from tests import players
from tests.amounts import LONG, some
from tests.lockstep import Lockstep
from tests.players import ALL_ON, ALONE, MODES
from tests.referee import Referee, play

PLAIN = [(mode, seed) for mode in MODES for seed in range(1, 13 if LONG else 7)]
# Games with all modules of expansion 1 for the number of players, with one, and with mixes.
EXPANDED = [(mode, seed) for mode in ALL_ON for seed in range(1, 6)]
EXPANDED += [(mode, seed) for mode in ALONE for seed in range(1, 3)]
EXPANDED += [(players.mixed(MODES[seed % len(MODES)], seed), seed) for seed in range(11, 21)]
GAMES = [*PLAIN, *some(EXPANDED, 2)]
RICH_GAMES = [(mode, seed + 100) for mode, seed in (*PLAIN, *some(EXPANDED, 2, 1))]


def whole_game(mode: dict, seed: int, rich: bool = False) -> Lockstep:
    """Play a game, with `rich` from an early round with wealth, departments and projects, so that late rules apply.

    The seeds of a mode cover all combinations of the other options, and several styles.
    """
    options = mode | {"timeline_tiles": ["columns", "rows"][seed % 2], "show_forced": seed // 2 % 2 == 1}
    position = players.rich_start(options, seed) if rich else Position.new(options, seed=seed)
    title = f"{options}, seed {seed}{', rich' * rich}"
    game = Lockstep(title, position, Referee.from_dict(position.to_dict()), play.choose)
    game.play_out(random.Random(seed), ["any", "manager", "verbs", "manager", "manager"][seed % 5])
    return game


def _title(value: object) -> str:
    return players.mode_name(value) if isinstance(value, dict) else str(value)


@pytest.mark.parametrize(("mode", "seed"), GAMES, ids=_title)
def test_whole_game(mode: dict, seed: int) -> None:
    whole_game(mode, seed)


@pytest.mark.parametrize(("mode", "seed"), RICH_GAMES, ids=_title)
def test_whole_game_of_rich_companies(mode: dict, seed: int) -> None:
    whole_game(mode, seed, rich=True)


def test_games_with_all_modules_contain_every_kind_of_action() -> None:
    games = [whole_game(ALL_ON[3], 1), *(whole_game(ALL_ON[3], seed, rich=True) for seed in (121, 108, 109))]
    verbs = {actions.VERB[actions.NUMBERS[text]] for game in games for text in game.actions}
    assert verbs == set(range(len(actions.VERBS)))
