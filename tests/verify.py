"""The engines against their referees in lock-step over hundreds of thousands of decisions: `make verify`.

Like tests/test_lockstep.py (Carnegie: every mode and option, half of the games with modules of expansion 1, several
styles of play, from the set-up or from rich companies) and tests/steel_driver/test_lockstep.py (every number of players
and style), with many more games. It stops at the first difference and prints it with the seed and the actions.

    python -m tests.verify [--game carnegie] [--decisions 1000000] [--seed 1] [--jobs 2]
"""

import random
import sys
from collections.abc import Callable

import pytest

from carnegie_env import Position
from tests import longrun, players
from tests.lockstep import Lockstep
from tests.referee import Referee, play
from tests.steel_driver import test_lockstep as steel_driver

GAMES_IN_A_JOB = 14
DECISIONS = {"carnegie": 1_000_000, "steel_driver": 500_000}
Begun = tuple[Lockstep, str, str]  # a game, the style in which it is played, the group in which its decisions count


# ---------------------------------------------------------------- Carnegie
def options_of(seed: int) -> dict:
    """Seeds take turns through modes, other options and styles; every other round of the modes has modules."""
    turn, number = divmod(seed, len(players.MODES))
    mode = players.MODES[number]
    if turn % 2:
        mode = with_modules(mode, turn // 6)  # plain and rich games, see carnegie(), with each
    return mode | {"timeline_tiles": ["columns", "rows"][turn // 2 % 2], "show_forced": turn // 4 % 3 == 2}


def with_modules(mode: dict, turn: int) -> dict:
    """A mode with all modules for its players, one module, or a mix, in turn."""
    fitting = players.modules_for(mode)
    match turn % 3:
        case 0:
            return mode | dict.fromkeys(fitting, True)
        case 1:
            return mode | {fitting[turn // 3 % len(fitting)]: True}
    return players.mixed(mode, turn)


def group_of(options: dict) -> str:
    """A name for games with the same players, difficulty and kind of modules."""
    on = [module for module in players.MODULES if options.get(module)]
    mode = players.mode_name({key: options[key] for key in ("num_players", "difficulty") if key in options})
    if not on:
        return mode
    if on == list(players.modules_for(options)):
        return f"{mode}, all modules"
    return f"{mode}, {on[0] if len(on) == 1 else 'a mix of modules'}"


def carnegie(seed: int) -> Begun:
    """The game of a seed; two of three start from rich companies."""
    options, turn = options_of(seed), seed // (2 * len(players.MODES))
    title, style = f"{options}, seed {seed}", ["manager", "any", "manager", "verbs", "manager"][turn % 5]
    if turn % 3 == 0:
        position = Position.new(options, seed)
    else:
        position, title = players.rich_start(options, seed), f"{title}, rich"
    referee = Referee.from_dict(position.to_dict())
    return Lockstep(title, position, referee, play.choose), style, group_of(options)


# ---------------------------------------------------------------- Steel Driver
def steel(seed: int) -> Begun:
    """The game of a seed: seeds take turns through numbers of players and styles."""
    styles, seats = steel_driver.play.STYLES, steel_driver.PLAYERS
    style, num_players = styles[seed % len(styles)], seats[seed // len(styles) % len(seats)]
    return steel_driver.Game(num_players, seed), style, f"{num_players} players, {style}"


# ---------------------------------------------------------------- all games
BEGIN: dict[str, Callable[[int], Begun]] = {"carnegie": carnegie, "steel_driver": steel}


def work(job: tuple[str, int, int]) -> longrun.Result:
    """Play the games of some seeds in lock-step."""
    name, seed, number = job
    result = longrun.Result()
    for k in range(number * GAMES_IN_A_JOB, (number + 1) * GAMES_IN_A_JOB):
        game, style, group = BEGIN[name](seed + k)
        try:
            game.play_out(random.Random(seed + k), style)
        except (pytest.fail.Exception, AssertionError) as error:
            result.wrong.append(f"{error}\nall actions: {game.actions}")
        except Exception as error:  # of the engine or the referee
            result.wrong.append(f"{game.title}: {type(error).__name__}: {error}\nall actions: {game.actions}")
        result.done += len(game.actions)
        result.outcomes[f"decisions, {group}"] += len(game.actions)
        if result.wrong:
            break
    return result


if __name__ == "__main__":
    sys.exit(longrun.main(__doc__, work, DECISIONS))
