"""Hostile input: positions, JSON texts, records, component files, actions, options and seeds, spoilt at random.

Whatever comes in, the answer is a ValueError that says what is wrong, or the input is right: then the position keeps
the rules, is written back as it was read, is played by the engine as by the referee, and comes to an end. No other
exception, no warning, no crash, no hang, no code executed, nothing changed by what was refused.

    python -m tests.fuzz [--game carnegie] [--cases 100000] [--seed 1] [--jobs 2]
        [--target position]

Without --game a run goes through the targets of all games of the collection. Batches, environments and options are the
core's, and are tried with Carnegie. A case is a target and a seed; a failure names both, and `--target T --seed S
--cases 1` repeats it.
"""

from __future__ import annotations

import functools
import random
import sys
import traceback
import warnings
from collections.abc import Callable

from carnegie_env import Batch, GameRecord, Position
from tests import longrun, players
from tests.fuzz import answers, calls, facts, memory, positions, records, steel_driver
from tests.fuzz.answers import Wrong, answer, refused

__all__ = ["GAMES", "SLOW_TARGETS", "TARGETS", "Wrong", "answer", "refused", "run_case", "watch", "work"]

TARGETS: dict[str, tuple[Callable[[random.Random], str], int]] = {  # with its share in a run
    "position": (functools.partial(positions.position_case, positions.CARNEGIE), 40),
    "json": (functools.partial(positions.json_case, positions.CARNEGIE), 12),
    "record": (functools.partial(records.record_case, records.CARNEGIE), 14),
    "facts": (facts.facts_case, 10),
    "action": (calls.action_case, 10),
    "batch": (calls.batch_case, 8),
    "memory": (memory.memory_case, 12),
    "environment": (calls.environment_case, 6),
    "option": (calls.option_case, 6),
    "steel_position": (functools.partial(positions.position_case, steel_driver.POSITIONS), 30),
    "steel_json": (functools.partial(positions.json_case, steel_driver.POSITIONS), 8),
    "steel_record": (functools.partial(records.record_case, steel_driver.RECORDS), 10),
}
GAMES = {
    "carnegie": tuple(name for name in TARGETS if not name.startswith("steel")),
    "steel_driver": tuple(name for name in TARGETS if name.startswith("steel")),
}
SLOW_TARGETS = {"own_facts": facts.own_facts_case}  # seconds each; only by name, and a few beside every large run


@functools.cache
def watch() -> None:
    """Be told of code that is executed and of files that are written (cannot be taken back: once for a process)."""
    game = players.whole_game({"num_players": 1, "difficulty": "normal"}, 0)  # loading compiled code is all right
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
    """One case: what came out, and what was wrong with it ("" if nothing)."""
    watch()
    case = SLOW_TARGETS[target] if target in SLOW_TARGETS else TARGETS[target][0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return case(random.Random(f"{target} {seed}")), ""
    except Wrong as error:
        return "WRONG", f"target {target}, seed {seed}: {error}"
    except Exception as error:  # of the checks after it: as bad
        trace = "".join(traceback.format_exception(error))[-3000:]
        return "WRONG", f"target {target}, seed {seed}: {trace}"


def work(job: tuple[str, int, int]) -> longrun.Result:
    """Some cases of one target."""
    target, first, number = job
    result = longrun.Result()
    for seed in range(first, first + number):
        outcome, wrong = run_case(target, seed)
        result.done += 1
        result.outcomes[f"{target}: {outcome}"] += 1
        result.wrong += [wrong] if wrong else []
    return result
