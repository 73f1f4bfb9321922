"""Run the checks of one client in the environment it is installed in: `python -m tests.clients.child gymnasium`.

Prints one line of JSON for each check, beginning with `MARK`: its name, what came of it, details, seconds.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from tests.clients import EXAMPLES, NotApplicableError
from tests.clients.catalogue import CLIENTS

os.environ["SDL_VIDEODRIVER"] = "dummy"  # no windows
os.environ["RAY_ADDRESS"] = "local"  # Ray would wait for a cluster that `ray start` left a note of, dead or not
MARK = "@check "
LONGEST = 900  # seconds that an example may take
LINES = 20  # that an example has at most; empty ones and its docstring do not count

Check = Callable[[], Any]


def checks(client: str) -> Iterator[tuple[str, Check]]:
    """The checks of a client by name: its module's `check_` functions and what its `more` gives, then its examples."""
    try:
        module = importlib.import_module(f"tests.clients.for_{client}")
    except ModuleNotFoundError as error:
        if error.name != f"tests.clients.for_{client}":
            raise
    else:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("check_") and function.__module__ == module.__name__:
                yield (function.__doc__ or name).split("\n")[0].rstrip("."), function
        yield from getattr(module, "more", lambda: ())()
    for name in CLIENTS[client].examples:
        yield f"docs/examples/{name}.py", lambda name=name: run_example(name)


def run_example(name: str) -> None:
    """Run an example as a user would who copied it, from an empty folder."""
    path = EXAMPLES / f"{name}.py"
    lines = [line for line in path.read_text().splitlines()[1:] if line.strip()]
    assert len(lines) <= LINES, f"{path} has {len(lines)} lines"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(path)], cwd=folder, capture_output=True, text=True, timeout=LONGEST,
            env=os.environ | {"RAY_DEDUP_LOGS": "0", "CUDA_VISIBLE_DEVICES": ""},
        )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{path} ended with {done.returncode}:\n{done.stderr[-3000:]}")


def outcome(check: Check) -> tuple[str, str]:
    """ "works", "not applicable" or "fails", and the reason."""
    try:
        check()
    except NotApplicableError as reason:
        return "not applicable", str(reason)
    except Exception as error:
        traceback.print_exc()
        return "fails", f"{type(error).__name__}: {error}"
    return "works", ""


def main(client: str) -> int:
    """Run all of them; returns how many fail."""
    failed = 0
    for name, check in checks(client):
        begun = time.perf_counter()
        result, why = outcome(check)
        failed += result == "fails"
        row = {"check": name, "result": result, "why": why, "seconds": round(time.perf_counter() - begun, 1)}
        print(f"\n{MARK}{json.dumps(row)}", flush=True)
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
