"""Seed single mistakes into the rules and fact tables, and run the tests on each: `make mutants`.

Each mistake of mistakes.py is made in a copy of the project; then the tests run there, stopping at the first failure,
as plain Python (NUMBA_DISABLE_JIT=1: nothing to compile). A mistake that a test finds is killed. The stages run in
order and the golden records last, since they notice any change but cannot tell a mistake from an intended one: the
table says who found how many. Exits with 1 if less than 98 % are killed.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.mistakes import MISTAKES

PROJECT = Path(__file__).resolve().parents[2]
PARTS = ("carnegie_env", "tests", "pyproject.toml", "README.md")
TARGET = 0.98
# name, arguments of pytest: cheap and telling ones first; the property tests are left out, slow as plain Python
STAGES = (
    ("scenarios", ["tests/test_scenarios.py"]),
    ("tables", ["tests/carnegie/test_tables.py"]),
    ("referee", ["tests/test_lockstep.py"]),
    ("golden", ["tests/test_golden.py"]),
)
TIMEOUT = 600  # seconds a stage may take: a mistake can make a game endless, which counts as found

_lock = threading.Lock()


def _copy_project(folder: Path) -> Path:
    for part in PARTS:
        source = PROJECT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / part)
    return folder


def _passes(copy: Path, arguments: list[str]) -> bool:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def killer(mistake: tuple[str, str, str], copy: Path) -> str | None:
    """Name of the stage that finds the mistake, None if none does."""
    name, right, wrong = mistake
    file = copy / "carnegie_env" / "carnegie" / name
    text = file.read_text()
    if text.count(right) != 1:
        raise SystemExit(f"{name}: the text to change stands there {text.count(right)} times, not once: {right!r}")
    file.write_text(text.replace(right, wrong))
    try:
        return next((stage for stage, arguments in STAGES if not _passes(copy, arguments)), None)
    finally:
        file.write_text(text)


def _show(mistake: tuple[str, str, str]) -> str:
    name, right, wrong = mistake
    return f"{name}: {right.strip()!r} -> {wrong.strip()!r}"


def main(arguments: list[str] | None = None) -> int:
    """Run the mistakes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mistakes tried at the same time")
    parser.add_argument("--only", default="", help="only mistakes whose file or text contains this")
    parser.add_argument("--report", type=Path, help="write the result as JSON")
    options = parser.parse_args(arguments)
    mistakes = [mistake for mistake in MISTAKES if options.only in _show(mistake)]
    with tempfile.TemporaryDirectory() as folder:
        copies = collections.deque(_copy_project(Path(folder, str(job))) for job in range(options.jobs))
        for stage, tests in STAGES:
            if not _passes(copies[0], tests):
                print(f"the tests of stage {stage} fail without any mistake seeded", file=sys.stderr)
                return 2
        results: dict[int, str | None] = {}
        start = time.monotonic()

        def run(number: int) -> None:
            with _lock:
                copy = copies.popleft()
            try:
                results[number] = killer(mistakes[number], copy)
            finally:
                with _lock:
                    copies.append(copy)
            seconds = time.monotonic() - start
            left = seconds / len(results) * (len(mistakes) - len(results))
            print(
                f"[{len(results)}/{len(mistakes)}, {left / 60:.0f} min left] "
                f"{results[number] or 'SURVIVED'}: {_show(mistakes[number])}",
                flush=True,
            )

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(run, range(len(mistakes))))

    found = collections.Counter(results.values())
    for stage, _ in STAGES:
        print(f"{stage:<12}{found[stage]:>5}")
    survivors = [_show(mistakes[number]) for number in sorted(results) if results[number] is None]
    share = 1 - len(survivors) / max(len(mistakes), 1)
    print(f"killed {len(mistakes) - len(survivors)} of {len(mistakes)} ({100 * share:.1f} %)")
    for survivor in survivors:
        print(f"survived: {survivor}")
    if options.report:
        by = {_show(mistakes[number]): results[number] for number in sorted(results)}
        options.report.write_text(json.dumps(by, indent=1))
    return 0 if share >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
