"""OpenSpiel: all tests of tests/envs/test_openspiel.py."""

import functools
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator

from tests.clients import ROOT
from tests.envs import test_openspiel


def more() -> Iterator[tuple[str, Callable[[], None]]]:
    """Each of the tests, with all its games."""
    for name, function in inspect.getmembers(test_openspiel, inspect.isfunction):
        if name.startswith("test_"):
            title = (function.__doc__ or name.removeprefix("test_").replace("_", " ")).split("\n")[0].rstrip(".")
            yield title, functools.partial(run, name)


def run(test: str) -> None:
    """Run one test, which must not be skipped."""
    command = [sys.executable, "-m", "pytest", "-q", f"tests/envs/test_openspiel.py::{test}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode or " passed" not in done.stdout or " skipped" in done.stdout:
        raise AssertionError(f"{test} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
