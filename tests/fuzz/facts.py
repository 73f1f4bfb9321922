"""Malformed component files."""

import copy
import functools
import json
import random
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from carnegie_env import load_facts
from carnegie_env.carnegie import tables as t
from tests import spoiling
from tests.commands import completed
from tests.fuzz.answers import Wrong, answer, refused
from tests.fuzz.texts import as_bytes, scramble
from tests.paths import ROOT


@functools.cache
def shipped(name: str) -> str:
    return (t.SHIPPED / f"{name}.toml").read_text(encoding="utf-8")


@functools.cache
def parsed(name: str) -> dict:
    return tomllib.loads(shipped(name))


def to_toml(value: Any) -> str:
    """A value of a TOML document, in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {to_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple | set):
        return "[" + ", ".join(to_toml(part) for part in value) + "]"
    if isinstance(value, int):
        return str(value) if value.bit_length() < 3000 else "1e400"
    if isinstance(value, float):
        return repr(value)  # nan and inf are TOML
    return json.dumps(str(value))


def facts_case(rng: random.Random) -> str:
    """Component files with changed values and characters, read alone or from a folder."""
    name = rng.choice(list(t.FILES))
    if rng.random() < 0.6:
        text = "".join(f"{key} = {to_toml(part)}\n" for key, part in spoiling.spoil(parsed(name), rng).items() if key)
    else:
        text = scramble(shipped(name), rng, shipped(rng.choice(list(t.FILES))))
    content = as_bytes(text, rng) if rng.random() < 0.2 else text.encode("utf-8", "replace")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, f"{name}.toml")
        if rng.random() < 0.02:
            target = Path(folder, rng.choice((f"{name}.txt", "x.toml", f"{name}.TOML", "steel_driver.toml")))
        target.write_bytes(content)
        if rng.random() < 0.02:
            Path(folder, "board.toml").unlink(missing_ok=True)
            Path(folder, "board.toml").mkdir()
        found = answer(lambda: load_facts(rng.choice((folder, target))))
        if not refused(found):
            return "accepted"
        if not any(f"{file}.toml" in str(found) for file in t.FILES) and folder not in str(found):
            raise Wrong(f"the message doesn't name the file: {found}")
    return "refused"


PLAY = """
import sys, warnings
warnings.simplefilter("error")
import numpy as np
from carnegie_env import Batch
from carnegie_env.core import kernels
from tests import players
assert kernels.CHECK
for mode in (*players.MODES[3:], *players.ALL_ON):
    batch = Batch(1, num_threads=1, **mode)
    batch.reset(int(sys.argv[1]))
    players.play_on(batch, "patient", 1)
    batch.observe(), batch.breakdown()
"""


def own_facts_case(rng: random.Random) -> str:
    """Component files with a few changed numbers: if they are accepted, games of all modes can be played with them.

    Uses plain Python, which is stricter than compiled code (overflow of small integers is an error) and starts at once.
    """
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(20):
            name = rng.choice(list(t.FILES))
            table = copy.deepcopy(parsed(name))
            numbers = [path for path, value in spoiling.leaves(table) if type(value) is int]
            for _ in range(rng.choice((1, 2, 3))):
                path = rng.choice(numbers)
                value = spoiling.at(table, path)
                other = rng.choice((value + 1, value - 1, 0, 2 * value, 9, 100, 1000))
                spoiling.put(table, path, max(0, other))
            text = "".join(f"{key} = {to_toml(part)}\n" for key, part in table.items())
            Path(folder, f"{name}.toml").write_text(text)
            if not refused(answer(lambda: load_facts(folder))):
                break
            Path(folder, f"{name}.toml").unlink()
        else:
            return "refused"
        environment = {"CARNEGIE_ENV_FACTS": folder, "NUMBA_DISABLE_JIT": "1", "CARNEGIE_CHECK": "1"}
        run = completed("-c", PLAY, rng.randrange(1000), cwd=ROOT, timeout=600, **environment)
        if run.returncode:
            pairs = [(path, spoiling.at(parsed(name), path), spoiling.at(table, path)) for path in numbers]
            changed = [f"{path}: {before} -> {after}" for path, before, after in pairs if before != after]
            raise Wrong(f"accepted, but no game can be played with {name}.toml, {changed}:\n{run.stderr[-1500:]}")
    return "accepted and played"
