"""Carnegie's engine and its referee (tests/referee), which knows nothing of the engine's rules, play the same games."""

import random

import pytest

from carnegie_env import Position
from carnegie_env.carnegie import actions
from tests import players
from tests.lockstep import Lockstep
from tests.players import ALL_ON, ALONE, MODES
from tests.referee import Referee, play

SEEDS = range(1, 13)
RICH_SEEDS = range(101, 113)
# Games with modules of expansion 1: all that go with the players, one alone, any mix.
EXPANDED = [(mode, seed) for mode in ALL_ON for seed in range(1, 6)]
EXPANDED += [(mode, seed) for mode in ALONE for seed in range(1, 3)]
EXPANDED += [(players.mixed(MODES[seed % len(MODES)], seed), seed) for seed in range(11, 21)]
RICH_EXPANDED = [(mode, seed + 100) for mode, seed in EXPANDED]


def _options(mode: dict, seed: int) -> dict:
    """Over the seeds of a mode, all four combinations of the other two options."""
    return mode | {"timeline_tiles": ["columns", "rows"][seed % 2], "show_forced": seed // 2 % 2 == 1}


def _style(seed: int) -> str:
    """Mostly the player whose companies work; the others reach what he avoids."""
    return ["any", "manager", "verbs", "manager", "manager"][seed % 5]


def whole_game(mode: dict, seed: int) -> Lockstep:
    options = _options(mode, seed)
    position = Position.new(options, seed=seed)
    game = Lockstep(f"{options}, seed {seed}", position, Referee.from_dict(position.to_dict()), play.choose)
    game.play_out(random.Random(seed), _style(seed))
    return game


def rich_game(mode: dict, seed: int) -> Lockstep:
    """From an early round on with wealth, departments and projects, to meet the rules that come late or seldom."""
    options, rng = _options(mode, seed), random.Random(seed)
    referee = Referee.from_dict(Position.new(options, seed=seed).to_dict())
    first_rich_round = rng.randrange(1, 6)
    while referee.phase != "timeline" or referee.round < first_rich_round:
        referee.apply(play.choose(rng, referee.to_dict(), referee.legal_actions(), "manager"))
    rich = play.enrich(rng, referee.to_dict())
    game = Lockstep(f"{options}, seed {seed}, rich", Position.from_dict(rich), Referee.from_dict(rich), play.choose)
    game.play_out(rng, _style(seed))
    return game


def _title(value: object) -> str:
    return players.mode_name(value) if isinstance(value, dict) else str(value)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mode", MODES, ids=players.mode_name)
def test_whole_game(mode: dict, seed: int) -> None:
    whole_game(mode, seed)


@pytest.mark.parametrize("seed", RICH_SEEDS)
@pytest.mark.parametrize("mode", MODES, ids=players.mode_name)
def test_whole_game_of_rich_companies(mode: dict, seed: int) -> None:
    rich_game(mode, seed)


@pytest.mark.parametrize(("mode", "seed"), EXPANDED, ids=_title)
def test_whole_game_with_modules(mode: dict, seed: int) -> None:
    whole_game(mode, seed)


@pytest.mark.parametrize(("mode", "seed"), RICH_EXPANDED, ids=_title)
def test_whole_game_of_rich_companies_with_modules(mode: dict, seed: int) -> None:
    rich_game(mode, seed)


def test_games_with_all_modules_meet_every_kind_of_action() -> None:
    games = [whole_game(ALL_ON[3], 1), *(rich_game(ALL_ON[3], seed) for seed in (121, 108, 104))]
    verbs = {actions.VERB[actions.NUMBERS[text]] for game in games for text in game.actions}
    assert verbs == set(range(len(actions.VERBS)))
