"""The C interface: the same games as Python, errors instead of crashes, and the examples of docs/c.md.

`make test-c` builds it and runs these tests; without it, or without a C compiler, they are skipped.
"""

import configparser
import ctypes
import os
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

import carnegie_env
from carnegie_env.agents import value
from carnegie_env.core.sources import sources
from tests.engine.test_library import BUILT as ENGINE_BUILT
from tests.engine.test_library import NO_NUMBA, run
from tests.paths import ROOT

BUILT = ROOT / "build" / "c"
EXAMPLES = ROOT / "docs" / "examples"
COMPILERS = {"c": os.environ.get("CC", "cc"), "cpp": os.environ.get("CXX", "c++")}


def built_from_these_sources(file: Path) -> bool:
    """Whether a file exists and has the hash of the present rules."""
    return file.exists() and sources()[:16] in file.read_text()


pytestmark = [
    pytest.mark.skipif(not ENGINE_BUILT, reason="make engine builds the library that games are compared with"),
    pytest.mark.skipif(not built_from_these_sources(BUILT / "carnegie.h"), reason="make c-library builds the library"),
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
SCORES = """
def scores(options, agent="value"):
    from carnegie_env import make_agent
    batch = collection.find("carnegie").batch_class(2, num_threads=1, **options)
    batch.reset(seed=0)
    player = make_agent(agent)
    while not batch.done.all():
        rows = [row for row in range(2) if not batch.done[row]]
        batch.step(player.choose(type(batch).of(batch.games[rows])), rows=rows)
    return batch.scores().tolist()
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


def test_the_example_in_c_refuses_wrong_arguments(compiled):
    program = compiled("c/play.c")
    wrong = {
        ("2", "", "4", "4"): "table: there is no such game\n",
        ("0", "wait=1", "4", "4"): "table: wait must be false or true, not '1' (with num_players=2)\n",
        ("0", "", "abc", "4"): "wrong number: abc\n",
        ("0", "", "0", "4"): "wrong number: 0\n",
        ("0", "", "4", "-1"): "wrong number: -1\n",
    }
    for words, said in wrong.items():
        done = subprocess.run([program, *words], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_the_rules_count_no_references(tmp_path):
    """LLVM removes Numba's counts where it knows the functions by name; they would take more time than the rules."""
    subprocess.run(["ar", "x", BUILT / "libcarnegie.a"], cwd=tmp_path, check=True)
    rules = sorted(tmp_path.glob("loops[1-9]*.o"))  # 0 has the loops of agents
    assert rules and not [file.name for file in rules if b"NRT_incref" in file.read_bytes()]


def test_the_network_in_cpp_plays_as_in_python(compiled):
    """Rounding differs between processors, so an action may differ where two are worth the same; no game here."""
    program = compiled("c/agent.cpp")
    tables = [({"num_players": 2}, "value"), ({"num_players": 1, "modules": "all"}, "value")]
    tables.append(({"num_players": 1}, "search:evals=400,depth=2,candidates=3"))
    tables.append(({"num_players": 2}, "search:opponents=own,evals=2000"))  # their number by default
    budgets = [[], [], ["400", "3", "2"], ["2000"]]
    networks = ["carnegie-2", "carnegie-1-expansion", "carnegie-1", "carnegie-2"]
    found = []
    for (options, _), network, budget in zip(tables, networks, budgets, strict=True):
        weights = ROOT / "carnegie_env" / "agents" / "weights" / f"{network}.safetensors"
        lines = printed(program, in_words(options), weights, 2, 2, *budget).splitlines()
        found.append([[int(word) for word in line.split()] for line in lines])
    assert found == run(f"{NO_NUMBA}{DIGEST}{SCORES}print(json.dumps([scores(*each) for each in {tables!r}]))")


def test_pufferlib_steps_the_environment_as_gymnasium_does(compiled):
    folder = EXAMPLES / "pufferlib"
    settings = configparser.ConfigParser()
    settings.read(folder / "config" / "carnegie_solo.ini")
    assert settings["base"]["env_name"] == "carnegie_solo"
    words = [word for setting in settings["env"].items() for word in setting]
    program = compiled("pufferlib/ocean/carnegie_solo/binding.c", f"-I{ROOT / 'tests' / 'engine' / 'pufferlib'}")
    lines = [line.split() for line in printed(program, *words).splitlines()]
    steps = [[int(env), int(action), *map(float, rest)] for env, action, *rest in lines if env.isdigit()]
    logged = {line[0]: float(line[1]) for line in lines if len(line) == 2}
    assert logged["illegal"] == pytest.approx(1 / 50, abs=0.01) and 0 <= logged["perf"] < 0.2
    assert logged["margin"] / 100 == pytest.approx(logged["episode_return"], abs=1e-4)
    python = """
import gymnasium, json
import numpy as np
import carnegie_env
from carnegie_env.core.sources import sources
env = gymnasium.make("Carnegie/Solo-v0", difficulty="normal", reward="dense_margin").unwrapped
found, games = [], 0
observation, info = env.reset(seed=0)
weights = np.arange(1259) % 17 + 1
for _, action, *_ in STEPS:
    mask = env.action_masks()
    while not mask[action]:
        action = (action + 1) % len(mask)
    observation, reward, over, *_ = env.step(action)
    if over:
        games += 1
        observation, info = env.reset(seed=games)
    seen = weights @ np.concatenate([observation, env.action_masks()]).astype(np.float64)
    found.append([float(reward), float(over), seen])
print(json.dumps(found))
"""
    first = [step for step in steps if step[0] == 0]
    assert any(over for *_, over, _ in first) and len(first) == 400
    found = run(f"{NO_NUMBA}STEPS = {first!r}\n{python}")
    assert [step[2:] for step in first] == [pytest.approx(step, abs=2e-4) for step in found]


def test_wrong_arguments_are_errors_and_change_nothing():
    c = ctypes.CDLL(str(BUILT / "libcarnegie.so"))
    for name in ("carnegie_error_text", "carnegie_action_text", "carnegie_version", "carnegie_legal_words"):
        getattr(c, name).restype = ctypes.c_char_p if "words" not in name else ctypes.c_void_p
    table, message = (ctypes.c_uint64 * (c.carnegie_table_bytes() // 8))(), ctypes.create_string_buffer(300)
    record = (ctypes.c_uint64 * 119)()

    def options(text: str) -> str:
        kept = bytes(table)
        status = c.carnegie_table_set(table, 0, text.encode(), message, len(message))
        assert status == 0 or bytes(table) == kept
        return message.value.decode() if status else "set"

    assert c.carnegie_version().decode() == carnegie_env.__version__
    good = ("", "  num_players=1  difficulty=expert ", "modules=all wait=true", "modules=wait,new_start num_players=4")
    assert all(options(each) == "set" for each in good)
    wrong = {
        "num_players": "num_players must be from 1 to 4, not ''",
        "num_players=2 num_players=3": "num_players is given twice",
        "wait=true wait=false": "wait is given twice, with different values",
        "modules=wait wait=false": "wait is given twice, with different values",
        "num_players=1 wait=true": "wait must be false, not 'true' (with num_players=1)",
        "difficulty=normal": "there is no option 'difficulty'",
        "modules=": "there is no module ''",
        "modules=,wait": "there is no module ''",
        "modules=wait,": "there is no module ''",
        "modules=all,wait": "among modules, all stands by itself",
        "modules=wait,all": "among modules, all stands by itself",
        "=": "there is no option ''",
        "x" * 1000: f"there is no option '{'x' * 40}'",
    }
    for text, said in wrong.items():
        assert options(text).startswith(said)
    assert c.carnegie_table_set(table, 0, b"wrong=1", message, 5) == -4 and message.value == b"ther"
    assert c.carnegie_table_set(table, 2, b"", message, 0) == -3 and message.value == b"ther"
    assert c.carnegie_table_set(table, 2, b"", message, 300) == -3 and message.value == b"there is no such game"
    assert c.carnegie_table_set(None, 0, b"", message, 300) == -2 and message.value.startswith(b"a pointer is NULL")

    assert options("num_players=2") == "set"
    seed, floats = ctypes.c_uint64(1), (ctypes.c_float * 4096)()
    assert c.carnegie_start(table, record, seed) == 0
    before = bytes(record)
    calls = {
        -2: [c.carnegie_start(None, record, seed), c.carnegie_start(table, None, seed), c.carnegie_step(None, None, 0),
             c.carnegie_observe(table, record, 0, None), c.carnegie_scores(table, record, None),
             c.carnegie_table_set(None, 0, b"", None, 0), c.carnegie_table_set(table, 0, None, None, 0)],
        -3: [c.carnegie_table_set(table, 2, b"", None, 0), c.carnegie_table_set(table, -1, b"", None, 0)],
        -5: [c.carnegie_to_play(table, (ctypes.c_uint64 * 119)())],
        -6: [c.carnegie_step(table, record, action) for action in (-1, 0, 333, 10**6, 2**31 - 1)],
        -7: [c.carnegie_observe(table, record, seat, floats) for seat in (-1, 2, 100)],
        -9: [c.carnegie_rewards(table, record, reward, floats) for reward in (-1, 4)],
        -12: [c.carnegie_search(table, record, None, struct.pack("dqqii", *budget), seed, None, 0, None)
              for budget in ((0, 0, 0, 0, 0), (np.nan, 0, 9, 0, 0), (np.inf, 0, 0, 0, 0), (9, -1, 0, 0, 0))],
    }  # fmt: skip
    for status, found in calls.items():
        assert set(found) == {status} and b"no error" not in c.carnegie_error_text(status)
    assert bytes(record) == before
    assert c.carnegie_action_text(0, 673) is None and c.carnegie_action_text(0, 0) == b"pass"
    assert c.carnegie_play_out(table, record, seed) > 10
    assert c.carnegie_to_play(table, record) == -1 and c.carnegie_step(table, record, 0) == -8


def test_a_malformed_network_is_refused():
    c = ctypes.CDLL(str(BUILT / "libcarnegie.so"))
    table, message = (ctypes.c_uint64 * (c.carnegie_table_bytes() // 8))(), ctypes.create_string_buffer(300)
    assert c.carnegie_table_set(table, 0, b"num_players=2", None, 0) == 0
    path = ROOT / "carnegie_env" / "agents" / "weights" / "carnegie-2.safetensors"
    whole, right = path.read_bytes(), 24 + sum(part.nbytes for part in value.read(path).weights)
    header = 8 + int.from_bytes(whole[:8], "little")

    def size(file: bytes) -> int:
        return c.carnegie_network_bytes(table, file, ctypes.c_size_t(len(file)), message, len(message))

    assert size(whole) == right
    read, out = (table, whole, ctypes.c_size_t(len(whole))), (ctypes.c_uint64 * (right // 8))()
    for place, room, said in ((out, 8, b"a buffer is too small"), (None, right, b"a pointer is NULL")):
        assert c.carnegie_network_read(*read, place, ctypes.c_size_t(room), message, len(message)) < -1
        assert message.value.startswith(said)
    nan = whole[:-2] + b"\x00\x7e"
    cuts = [whole[:length] for length in (0, 7, 8, 100, header - 1, header, len(whole) - 1)]
    pairs = [(b"F16", b"F64"), (b"[1184,128]", b"[1184,127]"), (b'"last"', b'"lost"'), (b'"carnegie"', b'"chess"')]
    edits = [whole.replace(*pair) for pair in [*pairs, (b"06abb599", b"16abb599")]]
    assert [size(each) for each in (nan, *cuts, *edits)] == [-10] * (1 + len(cuts) + len(edits))
    generator = np.random.default_rng(1)
    for _ in range(3000):
        changed = bytearray(whole[: header + 64])
        for place in generator.integers(0, header, 3):
            changed[place] = generator.choice(list(b'{}[]":,0129\\') + [0, 255])
        assert size(bytes(changed) + whole[header + 64 :]) in (-10, right)
