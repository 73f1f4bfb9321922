"""The engine against the referee in lock-step over a million decisions: `make verify`.

The games of tests/test_lockstep.py, many more of them: every mode and option, half of the games with modules of
expansion 1, several styles of play, from the set-up on and from rich companies. At the first difference it stops with
the difference, the seed and the last actions.

    python -m tests.verify [--decisions 1000000] [--seed 1] [--jobs 2]
"""

from __future__ import annotations

import itertools
import random
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from carnegie_env import Position
from tests import longrun, players
from tests.referee import Referee, play
from tests.test_lockstep import Lockstep

GAMES_IN_A_JOB = 14
Job = tuple[int, int]  # the first seed, number of games


def options_of(seed: int) -> dict:
    """Seeds go through all modes, and through the other options and the styles beside; every other round of the modes
    has modules of expansion 1: all, one alone, any mix."""
    turn, number = divmod(seed, len(players.MODES))
    mode = players.MODES[number]
    if turn % 2:
        mode = with_modules(mode, turn // 6)  # plain and rich games, see start(), with each
    return mode | {"timeline_tiles": ["columns", "rows"][turn // 2 % 2], "show_forced": turn // 4 % 3 == 2}


def with_modules(mode: dict, turn: int) -> dict:
    """All modules that go with a mode, one alone, any mix, in turn."""
    match turn % 3:
        case 0:
            return mode | dict.fromkeys(players.modules_for(mode), True)
        case 1:
            fitting = players.modules_for(mode)
            return mode | {fitting[turn // 3 % len(fitting)]: True}
    return players.mixed(mode, turn)


def style_of(seed: int) -> str:
    return ["manager", "any", "manager", "verbs", "manager"][seed // (2 * len(players.MODES)) % 5]


def start(seed: int) -> tuple[Position, str]:
    """A start position and what to call it; two of three are rich."""
    options, name = options_of(seed), f"{options_of(seed)}, seed {seed}"
    if seed // (2 * len(players.MODES)) % 3 == 0:
        return Position.new(options, seed), name
    return players.rich_start(options, seed), name + ", rich"


def group_of(options: dict) -> str:
    """What the decisions of a game are counted under."""
    on = [module for module in players.MODULES if options.get(module)]
    mode = players.mode_name({key: options[key] for key in ("num_players", "difficulty") if key in options})
    if not on:
        return mode
    if on == list(players.modules_for(options)):
        return f"{mode}, all modules"
    return f"{mode}, {on[0] if len(on) == 1 else 'a mix of modules'}"


def check_game(seed: int) -> tuple[int, str]:
    """Play one game; the number of decisions, and the difference ("" if there is none)."""
    position, title = start(seed)
    game = Lockstep(title, position, Referee.from_dict(position.to_dict()))
    try:
        game.play_out(random.Random(seed), style_of(seed))
    except (pytest.fail.Exception, AssertionError) as error:
        return len(game.actions), f"{error}\nall actions: {game.actions}"
    except Exception as error:  # one of the two sides broke down
        return len(game.actions), f"{title}: {type(error).__name__}: {error}\nall actions: {game.actions}"
    return len(game.actions), ""


def work(job: Job) -> longrun.Result:
    """The games of a few seeds."""
    result = longrun.Result(0)
    outcomes: Counter[str] = Counter()
    for seed in range(job[0], job[0] + job[1]):
        decisions, difference = check_game(seed)
        result.done += decisions
        outcomes[f"decisions, {group_of(options_of(seed))}"] += decisions
        if difference:
            result.wrong.append(difference)
            break
    return longrun.Result(result.done, outcomes, result.wrong)


def jobs(seed: int) -> Iterator[Job]:
    for number in itertools.count():
        yield seed + number * GAMES_IN_A_JOB, GAMES_IN_A_JOB


def main() -> int:
    options = longrun.arguments(__doc__, decisions=1_000_000).parse_args()
    assert play.STYLES  # the referee's own players choose
    return longrun.run(work, jobs(options.seed), options.decisions, "decisions", options.jobs)


if __name__ == "__main__":
    sys.exit(main())
