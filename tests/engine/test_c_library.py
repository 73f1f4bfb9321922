"""The C interface: the same games as Python, errors instead of crashes, and the examples of docs/c.md.

`make test-engine` builds it and runs these tests; without it, or without a C compiler, they are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.engine.test_library import BUILT as ENGINE_BUILT
from tests.engine.test_library import NO_NUMBA, ROOT, run

BUILT = ROOT / "build" / "c"
EXAMPLES = ROOT / "docs" / "examples"
COMPILERS = {"c": os.environ.get("CC", "cc"), "cpp": os.environ.get("CXX", "c++")}
pytestmark = [
    pytest.mark.skipif(not ENGINE_BUILT, reason="make engine builds the library that games are compared with"),
    pytest.mark.skipif(not (BUILT / "libcarnegie.a").exists(), reason="make c-library builds the library"),
    pytest.mark.skipif(not all(map(shutil.which, COMPILERS.values())), reason="there is no compiler for C and C++"),
]
DIGEST = """
import hashlib, json
import numpy as np
from carnegie_env import collection
from carnegie_env.core import kernels, library
assert library.module is not None, library.reason

def digest(name, options, games, decisions):
    game = collection.find(name)
    batch = game.batch_class(games, num_threads=1, **options)
    seeds = np.arange(games, dtype=np.uint64)
    template = game.template(batch.options)
    records = np.repeat(template, games)
    kernels.start(records, template, seeds)
    kernels.run(records, template, seeds, decisions)
    seats = batch.options.num_players
    shown = np.zeros((seats, games, game.layout(batch.options).size), np.float32)
    for seat in range(seats):
        kernels.observe(records, np.full(games, seat), shown[seat])
    rows = np.zeros((games, game.score_rows, len(game.score_columns)), np.int64)
    kernels.score(records, rows)
    scores = rows[:, game.sides(batch.options), game.rank_columns[0]].astype(np.int32)
    made = 0xCBF29CE484222325
    for i in range(games):
        for byte in records[i].tobytes() + shown[:, i].tobytes() + scores[i].tobytes():
            made = (made ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{made:016x}"
"""
TABLES = [  # the number of the game, its name, options, games, decisions in each
    (0, "carnegie", {"num_players": 1, "difficulty": "expert", "modules": "all"}, 4, 1000),
    (0, "carnegie", {"num_players": 2}, 64, 15625),
    (0, "carnegie", {"num_players": 3, "modules": "wait,new_start", "timeline_tiles": "columns"}, 4, 1000),
    (0, "carnegie", {"num_players": 4, "secret_donation": True, "show_forced": True}, 4, 1000),
    (1, "steel_driver", {"num_players": 5}, 16, 1000),
]


def in_words(options: dict) -> str:
    return " ".join(f"{name}={str(each).lower()}" for name, each in options.items())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A function that compiles an example and returns the program."""

    def make(name: str, *flags: str) -> Path:
        source, made = EXAMPLES / name, tmp_path_factory.mktemp("program") / "program"
        standard = {"c": "-std=c99", "cpp": "-std=c++17"}[source.suffix[1:]]
        strict = ["-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", standard, f"-I{BUILT}"]
        around = [*flags, BUILT / "libcarnegie.a", "-lm", "-pthread", "-o", made]
        subprocess.run([COMPILERS[source.suffix[1:]], *strict, source, *around], check=True)
        return made

    return make


def printed(program: Path, *words: object) -> str:
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_million_decisions_in_c_are_those_of_python(compiled):
    program = compiled("c/play.c")
    found = [printed(program, number, in_words(options), *amount).strip() for number, _, options, *amount in TABLES]
    tables = [(name, options, *amount) for _, name, options, *amount in TABLES]
    assert found == run(f"{NO_NUMBA}{DIGEST}print(json.dumps([digest(*each) for each in {tables!r}]))")


def test_the_network_in_cpp_plays_as_in_python(compiled):
    """Rounding differs between processors, so an action may differ where two are worth the same; no game here."""
    program = compiled("c/agent.cpp")
    python = """
import json
from carnegie_env import collection, make_agent
found = []
for options, agent in TABLES:
    batch = collection.find("carnegie").batch_class(2, num_threads=1, **options)
    batch.reset(seed=0)
    player = make_agent(agent)
    while not batch.done.all():
        rows = [row for row in range(2) if not batch.done[row]]
        part = batch.__class__.of(batch.games[rows])
        batch.step(player.choose(part), rows=rows)
    found.append(batch.scores().tolist())
print(json.dumps(found))
"""
    tables = [({"num_players": 2}, "value"), ({"num_players": 1, "modules": "all"}, "value")]
    tables.append(({"num_players": 1}, "search:evals=1,depth=1,candidates=3"))
    networks = ["carnegie-2", "carnegie-1-expansion", "carnegie-1"]
    found = []
    for (options, agent), network in zip(tables, networks, strict=True):
        budget = ["1", "3", "1"] if agent != "value" else []
        weights = ROOT / "agents" / "weights" / f"{network}.safetensors"
        lines = printed(program, in_words(options), weights, 2, 2, *budget).splitlines()
        found.append([[int(word) for word in line.split()] for line in lines])
    assert found == run(f"{NO_NUMBA}TABLES = {tables!r}\n{python}")
