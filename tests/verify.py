"""The engines against their referees in lock-step over hundreds of thousands of decisions: `make verify`.

The games of tests/test_lockstep.py (Carnegie: every mode and option, half of the games with modules of expansion 1,
several styles of play, from the set-up on and from rich companies) and of tests/steel_driver/test_lockstep.py (every
number of players and style), many more of them. At the first difference it stops with the difference, the seed and the
last actions.

    python -m tests.verify [--game carnegie] [--decisions 1000000] [--seed 1] [--jobs 2]

Without --game all games of the collection, one after the other, --decisions of each or as many as GAMES says.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
import sys
from collections.abc import Callable, Iterator

import pytest

from carnegie_env import Position
from tests import longrun, players
from tests.lockstep import Lockstep
from tests.referee import Referee, play
from tests.steel_driver import test_lockstep as steel_driver

GAMES_IN_A_JOB = 14
Job = tuple[str, int, int]  # the game of the collection, the first seed, number of games


@dataclasses.dataclass(frozen=True)
class Started:
    """A game to be played in lock-step: both sides, how it is played, what its decisions are counted under."""

    lockstep: Lockstep
    style: str
    group: str


# ---------------------------------------------------------------- Carnegie
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


def group_of(options: dict) -> str:
    """What the decisions of a game are counted under."""
    on = [module for module in players.MODULES if options.get(module)]
    mode = players.mode_name({key: options[key] for key in ("num_players", "difficulty") if key in options})
    if not on:
        return mode
    if on == list(players.modules_for(options)):
        return f"{mode}, all modules"
    return f"{mode}, {on[0] if len(on) == 1 else 'a mix of modules'}"


def carnegie(seed: int) -> Started:
    """The game of a seed; two of three start from rich companies."""
    options = options_of(seed)
    title = f"{options}, seed {seed}"
    if seed // (2 * len(players.MODES)) % 3 == 0:
        position = Position.new(options, seed)
    else:
        position, title = players.rich_start(options, seed), f"{title}, rich"
    referee = Referee.from_dict(position.to_dict())
    return Started(Lockstep(title, position, referee, play.choose), style_of(seed), group_of(options))


# ---------------------------------------------------------------- Steel Driver
def steel(seed: int) -> Started:
    """The game of a seed: they go through numbers of players and styles."""
    styles, seats = steel_driver.play.STYLES, steel_driver.PLAYERS
    style, num_players = styles[seed % len(styles)], seats[seed // len(styles) % len(seats)]
    return Started(steel_driver.Game(num_players, seed), style, f"{num_players} players, {style}")


# ---------------------------------------------------------------- all games
# How a game of the collection is begun from a seed, and over how many decisions it is verified.
GAMES: dict[str, tuple[Callable[[int], Started], int]] = {
    "carnegie": (carnegie, 1_000_000),
    "steel_driver": (steel, 500_000),
}


def check_game(name: str, seed: int) -> tuple[int, str, str]:
    """Play one game; the number of decisions, what they are counted under, the difference ("" if there is none)."""
    started = GAMES[name][0](seed)
    game = started.lockstep
    try:
        game.play_out(random.Random(seed), started.style)
    except (pytest.fail.Exception, AssertionError) as error:
        return len(game.actions), started.group, f"{error}\nall actions: {game.actions}"
    except Exception as error:  # one of the two sides broke down
        what = f"{game.title}: {type(error).__name__}: {error}\nall actions: {game.actions}"
        return len(game.actions), started.group, what
    return len(game.actions), started.group, ""


def work(job: Job) -> longrun.Result:
    """The games of a few seeds."""
    name, first, number = job
    result = longrun.Result()
    for seed in range(first, first + number):
        decisions, group, difference = check_game(name, seed)
        result.done += decisions
        result.outcomes[f"decisions, {group}"] += decisions
        if difference:
            result.wrong.append(difference)
            break
    return result


def jobs(name: str, seed: int) -> Iterator[Job]:
    for number in itertools.count():
        yield name, seed + number * GAMES_IN_A_JOB, GAMES_IN_A_JOB


def main() -> int:
    options = longrun.arguments(__doc__, decisions={name: number for name, (_, number) in GAMES.items()}).parse_args()
    return max(
        longrun.run(work, jobs(name, options.seed), decisions, "decisions", options.jobs)
        for name, decisions in longrun.chosen(options)
    )


if __name__ == "__main__":
    sys.exit(main())
