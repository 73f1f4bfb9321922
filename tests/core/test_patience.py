"""Functions that are compiled late: plain Python at first, with all that they call, and the same answers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carnegie_env.carnegie import checks, state
from carnegie_env.carnegie.checks import faults
from carnegie_env.core import patience
from carnegie_env.core.jit import COMPILED
from tests import players
from tests.amounts import LONG

ROOT = Path(__file__).resolve().parents[2]

compiled_only = pytest.mark.skipif(not COMPILED, reason="everything is plain Python")


@compiled_only
def test_plain_copies_call_plain_copies():
    plain = patience.in_plain_python(checks.verify)
    around = plain.__globals__
    assert not isinstance(plain, type(checks.verify)) and plain.__code__ is checks.verify.py_func.__code__
    assert type(around["inspect"]) is type(around["board"].check_tiles) is type(plain)
    assert around["state"].GAME is checks.state.GAME
    assert checks.board.check_tiles is not around["board"].check_tiles  # the modules stay as they are


@compiled_only
@pytest.mark.parametrize("mode", [players.MODES[1], players.ALL_ON[-1]], ids=players.mode_name)
def test_plain_and_compiled_find_the_same(mode):
    plain, generator = patience.in_plain_python(checks.inspect), np.random.default_rng(0)
    game = players.whole_game(mode, 3)
    seen = set()
    for number in range(120):
        record = game.games[number % len(game) : number % len(game) + 1].copy()
        if number % 4:
            values = record[generator.choice(sorted(set(state.NAMES) - state.DERIVED))].reshape(-1)  # a view
            values[generator.integers(len(values))] += generator.choice((-1, 1))
        found, expected = np.zeros((2, faults.DETAILS), np.int64)
        fault = checks.inspect(record[0], expected)
        assert plain(record[0], found) == fault and (found == expected).all()
        seen.add(int(fault))
    assert 0 in seen and len(seen) > 5


@compiled_only
def test_whether_it_is_at_hand_is_asked_once_for_each_kind_of_arguments():
    """It takes Numba longer to tell than most of these functions take."""

    class Function:
        asked = 0
        __module__, __name__ = "carnegie_env.core.masks", "test"

        def is_at_hand(self, *arguments):
            Function.asked += 1
            return True

        def __call__(self, *arguments):
            return arguments

    late = patience.seldom(Function(), 100)
    record = players.whole_game(players.MODES[1], 3).games[0]
    for number in range(20):
        assert late(record, number) == (record, number)
    assert Function.asked == 1
    assert late(record, 0.5) == (record, 0.5) and late(np.zeros(2), 1)[1] == 1
    assert Function.asked == 3


PROGRAM = """
import json, sys
from carnegie_env import Position
from carnegie_env.carnegie import checks
from carnegie_env.carnegie.codec import words
from carnegie_env.core import compiling, patience

words._inspect = patience.seldom(checks.inspect, 2)
position = Position.new({"num_players": 2}, 1).to_dict()
made = []
for _ in range(4):
    before = compiling.made["translations"]
    assert Position.from_dict(position).to_dict() == position
    made.append(compiling.made["translations"] - before)
print(json.dumps(made))
"""


@compiled_only
def test_compiled_after_so_many_calls_and_at_once_where_a_file_has_it(tmp_path):
    def made() -> list[int]:
        environment = os.environ | {"CARNEGIE_ENV_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=400)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout)

    if not LONG:  # a minute: all is compiled into an empty cache
        pytest.skip("takes a minute; CARNEGIE_LONG=1 runs it")
    first, second, third, fourth = made()
    assert second == fourth == 0 and third > 50 > first
    assert made() == [0, 0, 0, 0]
