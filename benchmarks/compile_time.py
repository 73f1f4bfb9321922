"""How long compiling takes from an empty cache, beside the version of this project that let Numba compile by itself.

Seconds say little on a machine that is shared, so both versions compile in turn, here and now; the older one comes out
of git's history. Without that history there is nothing to compare with, and the reason takes the place of the figure.
"""

from __future__ import annotations

import dataclasses
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

BEFORE = "e576584"  # its doors are compiled function by function, as Numba does it
ROOT = Path(__file__).resolve().parent.parent

FIRST_STEP = """
import gymnasium, carnegie_env
env = gymnasium.make("Carnegie/Solo-v0")
env.step(int(env.reset(seed=0)[1]["action_mask"].argmax()))
"""
# Every door, in both versions: where this one loads records, the older one refreshes them.
EVERYTHING = """
import numpy
from carnegie_env import Batch
b = Batch(2, autoreset=True)
b.reset(0); b.action_masks(); b.observe(); b.scores()
b.load(b.games) if hasattr(b, "load") else b.refresh()
b.step(b.sample_actions(numpy.random.default_rng(0)))
Batch.playouts(b.games[:1], 2)
"""
PROGRAMS = {
    "from an empty cache to the first step of gymnasium.make": FIRST_STEP,
    "cold compile of everything": EVERYTHING,
}
OWN_PACKAGE = """
import os, carnegie_env
found = os.path.dirname(os.path.dirname(carnegie_env.__file__))
assert os.path.samefile(found, os.getcwd()), f"{found} was measured, not {os.getcwd()}"
"""


@dataclasses.dataclass
class Spent:
    """What a program took, in seconds: by the clock, and of CPU time, which other work on the machine disturbs less."""

    wall: float
    cpu: float


@dataclasses.dataclass
class Comparison:
    """The quickest runs of both versions."""

    now: Spent
    before: Spent


class NoHistory(Exception):
    """The older version cannot be had; the text says why."""


def unpack_before(folder: Path) -> None:
    """Put the older version's files into a folder; NoHistory if there are none."""
    try:
        done = subprocess.run(["git", "-C", str(ROOT), "archive", "--format=tar", BEFORE], capture_output=True)
    except FileNotFoundError:
        raise NoHistory("git is not installed") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise NoHistory(f"no history with {BEFORE} here ({said[-1] if said else 'git says nothing'})")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
        files.extractall(folder, filter="data")


def spent(program: str, tree: Path | None = None, **environment: str) -> Spent:
    """Run a program in a new process, with the package of this version or of another tree."""
    settings = {**os.environ, "CARNEGIE_ENV_QUIET": "1", **environment}
    if tree is not None:  # ahead of what is installed
        settings["PYTHONPATH"] = os.pathsep.join(filter(None, (str(tree), os.environ.get("PYTHONPATH"))))
    before, start = os.times(), time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tree, env=settings, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, os.times()
    return Spent(wall, after.children_user + after.children_system - before.children_user - before.children_system)


def compile_cold(program: str, tree: Path) -> Spent:
    """The same with a cache of its own that is empty."""
    with tempfile.TemporaryDirectory() as cache:
        return spent(program + OWN_PACKAGE, tree, CARNEGIE_ENV_CACHE=cache)


def compare(program: str, before: Path, pairs: int) -> Comparison:
    """Both versions in turn, the first of one pair being the second of the next."""
    found: dict[Path, list[Spent]] = {ROOT: [], before: []}
    for number in range(pairs):
        for tree in (ROOT, before) if number % 2 == 0 else (before, ROOT):
            found[tree].append(compile_cold(program, tree))

    def best(runs: list[Spent]) -> Spent:
        return Spent(min(run.wall for run in runs), min(run.cpu for run in runs))

    return Comparison(best(found[ROOT]), best(found[before]))
