"""The library of compiled loops: the same games as Numba's code and as plain Python, and what happens without it.

`make test-engine` builds it and runs these tests; without it they are skipped.
"""

import json

import pytest

from tests.commands import python
from tests.paths import ROOT

BUILT = (ROOT / "carnegie_env" / "_engine.abi3.so").exists()
pytestmark = pytest.mark.skipif(not BUILT, reason="make engine builds the library")

NO_NUMBA = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            raise ImportError(f"{name} is blocked")
sys.meta_path.insert(0, Blocked())
"""


def run(program: str, **environment: str) -> list:
    """What a program prints, as JSON, in a process of its own."""
    printed = python("-c", program, cwd=ROOT, timeout=900, **{"CARNEGIE_ENGINE": ""} | environment)
    return json.loads(printed.splitlines()[-1])


def play(arguments: str, **environment: str) -> list:
    program = (ROOT / "tests" / "install" / "same_games.py").read_text(encoding="utf-8")
    given = f"import sys\nsys.argv[1:] = {arguments.split()}\n"
    return run(NO_NUMBA * ("CARNEGIE_ENGINE" not in environment) + given + program, **environment)


def test_the_library_plays_what_numba_plays():
    served, numba, digests = play("64 120 greedy value")
    assert served and not numba
    assert play("64 120 greedy value", CARNEGIE_ENGINE="numba") == [False, True, digests]


def test_every_loop_is_found_without_numba():
    """Agents, datasets, positions and training: nothing falls back."""
    program = (
        NO_NUMBA
        + """
import json, tempfile
from carnegie_env import collection, make_agent
from carnegie_env.core import library
from carnegie_env.datasets import Dataset
from carnegie_env.workers import generate
fallen = set()
library.Function.compiled = property(lambda self: fallen.add(self.__qualname__) or self.plain)
from training.value_players import Threads
from training.value_settings import Settings
from training.value_trainer import Trainer
for name in ("carnegie", "steel_driver"):
    game = collection.find(name)
    position = game.position_class.new(game.bench_options, seed=1)
    for agent in ("random", "greedy", "value", "search:evals=200"):
        position.apply(make_agent(agent).act(position))
    game.position_class.from_dict(position.to_dict())
    position.render()
    game.batch_class.playouts(position, 4)
    options = game.options.from_dict(game.bench_options)
    trainer = Trainer(game, [options], Settings(hidden=16, middle=16, round_games=4), 1, lambda c: Threads(c, 1))
    trainer.compile()
    trainer.round(0.0)
    trainer.round(0.5)
print(json.dumps([library.module is not None, sorted(fallen)]))
"""
    )
    assert run(program) == [True, []]


def test_wrong_arguments_never_reach_a_loop():
    program = (
        NO_NUMBA
        + """
import json
import numpy as np
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import kernels, library
library.Function.compiled = property(lambda self: lambda *given: "otherwise")
games, seats = np.zeros(2, CARNEGIE.record), np.zeros(2, np.int64)
out = np.zeros((2, 600), np.float32)
locked = out.copy()
locked.flags.writeable = False
wrong = [
    (games, seats, out.astype(np.float64)), (games, seats, out[:, ::2]), (games, seats, out[0]), (games, seats),
    (games, seats, out, 1), (games, seats.astype(np.int32), out), (games["rng"], seats, out), (None, seats, out),
    (games.tobytes(), seats, out), (games, 1.5, out), (games, seats, locked), ((games,), seats, out),
]
print(json.dumps([kernels.observe(*each) for each in wrong]))
"""
    )
    assert set(run(program)) == {"otherwise"}


@pytest.mark.parametrize("switch", ["NUMBA_BOUNDSCHECK", "CARNEGIE_CHECK", "CARNEGIE_ENV_FACTS"])
def test_a_switch_that_changes_the_code_asks_for_numba(switch):
    program = "import json\nfrom carnegie_env.core import library\nprint(json.dumps([library.reason]))"
    assert run(program, **{switch: "1"}) == [f"{switch} is set"]


def test_an_edited_source_asks_for_numba():
    program = (
        "import json\nfrom carnegie_env.core import library\n"
        "library.sources = lambda: 'edited'\nprint(json.dumps([library._load()[1]]))"
    )
    assert "built from other sources" in run(program)[0]


def test_a_game_of_your_own_is_compiled_by_numba():
    program = """
import json, sys
from carnegie_env.core import library
from tests.toy.game import SIXES
batch = SIXES.batch_class(8, num_players=2)
batch.reset(seed=1)
print(json.dumps([library.module is not None, "numba" in sys.modules]))
"""
    assert run(program) == [True, True]
    assert run(NO_NUMBA + program) == [True, False]  # as plain Python
