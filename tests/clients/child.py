"""Run the checks of one client in the client's environment: `python -m tests.clients.child gymnasium`.

Prints one line of JSON for each check, beginning with `MARK`: its name, its error or "", its seconds.
"""

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

from tests.clients import EXAMPLES
from tests.clients.catalogue import CLIENTS

os.environ["SDL_VIDEODRIVER"] = "dummy"  # no windows
os.environ["RAY_ADDRESS"] = "local"  # otherwise Ray waits for the last cluster of `ray start`, even if it is dead
MARK = "@check "
LONGEST = 900  # seconds for an example

Check = Callable[[], Any]


def checks(client: str) -> Iterator[tuple[str, Check]]:
    """The checks of a client by name: its module's `check_` functions and its `more()`, then its examples."""
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
    """Run an example in an empty folder."""
    path = EXAMPLES / f"{name}.py"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(path)], cwd=folder, capture_output=True, text=True, timeout=LONGEST,
            env=os.environ | {"RAY_DEDUP_LOGS": "0", "CUDA_VISIBLE_DEVICES": ""},
        )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{path} ended with {done.returncode}:\n{done.stderr[-3000:]}")


def error_of(check: Check) -> str:
    """The error that a check raises, or ""."""
    try:
        check()
    except Exception as error:
        traceback.print_exc()
        return f"{type(error).__name__}: {error}"
    return ""


def main(client: str) -> int:
    """Run all checks; returns the number of failures."""
    failed = 0
    for name, check in checks(client):
        begun = time.perf_counter()
        error = error_of(check)
        failed += bool(error)
        row = {"check": name, "error": error, "seconds": round(time.perf_counter() - begun, 1)}
        print(f"\n{MARK}{json.dumps(row)}", flush=True)
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
