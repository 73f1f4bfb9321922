"""Lazily compiled functions: plain Python with all their callees first, with the same results."""

import json
import types

import numpy as np
import pytest

from carnegie_env.carnegie import invariants, state
from carnegie_env.carnegie.invariants import INVARIANTS
from carnegie_env.core import lazy
from carnegie_env.core.jit import COMPILED
from tests import players
from tests.amounts import LONG
from tests.commands import python

compiled_only = pytest.mark.skipif(not COMPILED, reason="everything is plain Python")


@compiled_only
def test_plain_copies_call_plain_copies():
    plain = lazy.in_plain_python(INVARIANTS.verify)
    around = plain.__globals__
    assert not isinstance(plain, type(INVARIANTS.verify)) and plain.__code__ is INVARIANTS.verify.py_func.__code__
    assert type(around["inspect"]) is type(around["board"].tiles) is type(plain)
    assert around["state"].GAME is state.GAME
    assert invariants.board.tiles is not around["board"].tiles  # the module itself is unchanged


@compiled_only
@pytest.mark.parametrize("mode", [players.MODES[1], players.ALL_ON[-1]], ids=players.mode_name)
def test_plain_and_compiled_functions_agree(mode):
    plain, generator = lazy.in_plain_python(INVARIANTS.inspect), np.random.default_rng(0)
    game = players.whole_game(mode, 3)
    seen = set()
    for number in range(120):
        record = game.games[number % len(game) : number % len(game) + 1].copy()
        if number % 4:
            values = record[generator.choice(sorted(set(state.GAME.names) - state.DERIVED))].reshape(-1)  # a view
            values[generator.integers(len(values))] += generator.choice((-1, 1))
        fault = INVARIANTS.inspect(record[0])
        assert plain(record[0]) == fault
        seen.add(int(fault))
    assert 0 in seen and len(seen) > 5


@compiled_only
def test_is_ready_is_called_once_for_each_kind_of_arguments(monkeypatch):
    """Numba needs longer for it than most of these functions take."""
    asked = []
    compiler = types.SimpleNamespace(is_ready=lambda function, arguments: asked.append(arguments) or True)
    monkeypatch.setattr(lazy, "compiler", lambda: compiler)
    late = lazy.lazily_compiled(lambda *arguments: arguments, 100)
    record = players.whole_game(players.MODES[1], 3).games[0]
    for number in range(20):
        assert late(record, number) == (record, number)
    assert len(asked) == 1
    assert late(record, 0.5) == (record, 0.5) and late(np.zeros(2), 1)[1] == 1
    assert len(asked) == 3


PROGRAM = """
import json, sys
from carnegie_env import Position
from carnegie_env.carnegie.invariants import INVARIANTS
from carnegie_env.core import lazy, programs

INVARIANTS._inspect = lazy.lazily_compiled(INVARIANTS.inspect, 2)
position = Position.new({"num_players": 2}, 1).to_dict()
made = []
for _ in range(4):
    before = programs.made["translations"]
    assert Position.from_dict(position).to_dict() == position
    made.append(programs.made["translations"] - before)
print(json.dumps(made))
"""


@compiled_only
@pytest.mark.skipif(not LONG, reason="takes a minute with an empty cache; CARNEGIE_LONG=1 runs it")
def test_compiled_after_some_calls_or_loaded_from_a_file(tmp_path):
    def made() -> list[int]:
        return json.loads(python("-c", PROGRAM, timeout=400, CARNEGIE_ENV_CACHE=str(tmp_path)))

    first, second, third, fourth = made()
    assert second == fourth == 0 and third > 50 > first
    assert made() == [0, 0, 0, 0]
