"""Malformed input, made at random: positions, JSON texts, records, component files, actions, options and seeds.

Input is either refused with a ValueError that says what is wrong, or valid: then the position keeps the invariants, is
written as it was read, is played by the engine as by the referee, and comes to an end. There is no other exception, no
warning, crash or hang; no code is executed, and refused input changes nothing.

    python -m tests.fuzz [--game carnegie] [--cases 100000] [--seed 1] [--jobs 2]
        [--target position]

Without --game a run covers the targets of all games. Batches, environments and options belong to the core, and are
tested with Carnegie. A case is a target and a seed; a failure prints both, and `--target T --seed S --cases 1` repeats
it.
"""

import functools
import random
import sys
import traceback
import warnings
from collections.abc import Callable

from carnegie_env import Batch, GameRecord, Position
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests import longrun, players
from tests.fuzz import answers, calls, facts, memory, positions, records, steel_driver
from tests.fuzz.answers import Wrong, answer, refused

__all__ = ["GAMES", "SLOW_TARGETS", "TARGETS", "Wrong", "answer", "refused", "run_case", "work"]

TARGETS: dict[str, tuple[Callable[[random.Random], str], int]] = {  # with the share in a run
    "position": (functools.partial(positions.position_case, positions.CARNEGIE), 40),
    "json": (functools.partial(positions.json_case, positions.CARNEGIE), 12),
    "record": (functools.partial(records.record_case, CARNEGIE, records.carnegie_records), 14),
    "facts": (facts.facts_case, 10),
    "action": (calls.action_case, 10),
    "memory": (memory.memory_case, 20),
    "environment": (calls.environment_case, 6),
    "option": (calls.option_case, 6),
    "steel_position": (functools.partial(positions.position_case, steel_driver.POSITIONS), 30),
    "steel_json": (functools.partial(positions.json_case, steel_driver.POSITIONS), 8),
    "steel_record": (functools.partial(records.record_case, STEEL_DRIVER, steel_driver.some_records), 10),
}
GAMES = {
    "carnegie": tuple(name for name in TARGETS if not name.startswith("steel")),
    "steel_driver": tuple(name for name in TARGETS if name.startswith("steel")),
}
SLOW_TARGETS = {"own_facts": facts.own_facts_case}  # seconds each; a few in every large run


@functools.cache
def watch() -> None:
    """Load all compiled code, then watch for executed code and written files (once per process: a hook stays)."""
    game = players.whole_game({"num_players": 1, "difficulty": "normal"}, 0)
    position = game.position(3)
    position.apply(position.legal_actions()[0])
    Position.from_json(position.to_json()).observe()
    Batch(2, num_threads=1).reset()
    GameRecord.from_text(GameRecord.of(Position.new()).to_text())
    steel_driver.warm()
    calls.environments()
    memory.warm()
    sys.addaudithook(answers.audit)


def run_case(target: str, seed: int) -> tuple[str, str]:
    """Run a case; returns the outcome and the error, or "" if there is none."""
    watch()
    case = SLOW_TARGETS[target] if target in SLOW_TARGETS else TARGETS[target][0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return case(random.Random(f"{target} {seed}")), ""
    except Wrong as error:
        return "WRONG", f"target {target}, seed {seed}: {error}"
    except Exception as error:  # in the checks of what was accepted
        trace = "".join(traceback.format_exception(error))[-3000:]
        return "WRONG", f"target {target}, seed {seed}: {trace}"


def work(job: tuple[str, int, int]) -> longrun.Result:
    """Run some cases of one target."""
    target, first, number = job
    result = longrun.Result(done=number)
    for seed in range(first, first + number):
        outcome, wrong = run_case(target, seed)
        result.outcomes[f"{target}: {outcome}"] += 1
        result.wrong += [wrong] if wrong else []
    return result
