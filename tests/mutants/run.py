"""Seed single mistakes into the rules and fact tables, and run the tests on each: `make mutants`.

Each mistake of mistakes.py and expansion.py is made in a copy of the project; then the tests run there, stopping at the
first failure, as plain Python (NUMBA_DISABLE_JIT=1: nothing to compile). A mistake that a test finds is killed. The
stages run in order and the golden records last, since they notice any change but cannot tell a mistake from an intended
one: the table says who found how many. Mistakes known to change nothing that can be seen are listed as equivalent.
Exits with 1 if less than 98 % of the others are killed.
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

from tests.mutants import expansion, mistakes
from tests.mutants.mistakes import Mistake

PROJECT = Path(__file__).resolve().parents[2]
PARTS = ("carnegie_env", "tests", "pyproject.toml", "README.md")
TARGET = 0.98
SETS = {"base": mistakes.MISTAKES, "expansion": expansion.MISTAKES}
EQUIVALENT = {*mistakes.EQUIVALENT, *expansion.EQUIVALENT}
# name, arguments of pytest: cheap and telling ones first; the property tests are left out, slow as plain Python
STAGES = {
    "scenarios": ["tests/test_scenarios.py", "-k", "engine"],  # no mistake reaches the referee
    "tables": ["tests/carnegie/test_tables.py"],
    "referee": ["tests/test_lockstep.py", "-k"],
    "hidden": ["tests/mutants/test_hidden.py"],
    "golden": ["tests/test_golden.py"],
}
GAMES = {"base": "not with_modules", "expansion": "with_modules"}  # that the referee plays for a set's mistakes
PATIENCE = 5  # times as long as without a mistake, a stage may take: one can make a game endless, which counts as found

_lock = threading.Lock()


def _copy_project(folder: Path) -> Path:
    for part in PARTS:
        source = PROJECT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / part)
    return folder


def _passes(copy: Path, part: str, stage: str, timeout: float | None = None) -> bool:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *STAGES[stage]]
    command += [GAMES[part]] if stage == "referee" else []
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def killer(mistake: Mistake, copy: Path, part: str, limits: dict[str, float]) -> str | None:
    """Name of the stage that finds the mistake, None if none does; limits: seconds that each stage may take."""
    name, right, wrong = mistake
    file = copy / "carnegie_env" / "carnegie" / name
    text = file.read_text()
    file.write_text(text.replace(right, wrong))
    try:
        return next((stage for stage, limit in limits.items() if not _passes(copy, part, stage, limit)), None)
    finally:
        file.write_text(text)


def misplaced(seeded: list[Mistake]) -> list[str]:
    """Mistakes that can't be made: the text to change does not stand in its file, or more than once."""
    found = []
    for name, right, _ in seeded:
        times = (PROJECT / "carnegie_env" / "carnegie" / name).read_text().count(right)
        if times != 1:
            found.append(f"{name}: the text to change stands there {times} times, not once: {right!r}")
    return found


def time_limits(copy: Path, part: str, stages: list[str]) -> dict[str, float]:
    """Seconds that each stage may take, by how long it takes without a mistake."""
    limits = {}
    for stage in stages:
        start = time.monotonic()
        if not _passes(copy, part, stage):
            raise SystemExit(f"the tests of stage {stage} fail without any mistake seeded")
        limits[stage] = 30 + PATIENCE * (time.monotonic() - start)
    return limits


def _show(mistake: Mistake) -> str:
    name, right, wrong = mistake
    return f"{name}: {right.strip()!r} -> {wrong.strip()!r}"


def main(arguments: list[str] | None = None) -> int:
    """Run the mistakes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mistakes tried at the same time")
    parser.add_argument("--set", choices=SETS, help="only the mistakes in the base game or in expansion 1")
    parser.add_argument("--only", default="", help="only mistakes whose file or text contains this")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES), help="only these stages")
    parser.add_argument("--report", type=Path, help="write the result as JSON")
    options = parser.parse_args(arguments)
    parts = [options.set] if options.set else list(SETS)
    seeded = [(part, mistake) for part in parts for mistake in SETS[part] if options.only in _show(mistake)]
    if wrong := misplaced([mistake for _, mistake in seeded]):
        print("\n".join(wrong), file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        copies = collections.deque(_copy_project(Path(folder, str(job))) for job in range(options.jobs))
        limits = {part: time_limits(copies[0], part, options.stages) for part in {part for part, _ in seeded}}
        results: dict[int, str | None] = {}
        start = time.monotonic()

        def run(number: int) -> None:
            part, mistake = seeded[number]
            with _lock:
                copy = copies.popleft()
            try:
                found = killer(mistake, copy, part, limits[part])
            finally:
                with _lock:
                    copies.append(copy)
            results[number] = found or ("equivalent" if mistake in EQUIVALENT else None)
            left = (time.monotonic() - start) / len(results) * (len(seeded) - len(results))
            print(
                f"[{len(results)}/{len(seeded)}, {left / 60:.0f} min left] "
                f"{results[number] or 'SURVIVED'}: {_show(mistake)}",
                flush=True,
            )

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(run, range(len(seeded))))

    return _report([(seeded[number][1], results[number]) for number in range(len(seeded))], options)


def _report(results: list[tuple[Mistake, str | None]], options: argparse.Namespace) -> int:
    found = collections.Counter(result for _, result in results)
    for stage in options.stages:
        print(f"{stage:<12}{found[stage]:>5}")
    killed = len(results) - found[None] - found["equivalent"]
    share = killed / max(killed + found[None], 1)
    print(f"killed {killed}, survived {found[None]}, equivalent {found['equivalent']} ({100 * share:.1f} % killed)")
    for mistake, result in results:
        if result in (None, "equivalent"):
            print(f"{result or 'survived'}: {_show(mistake)}")
    if options.report:
        options.report.write_text(json.dumps([[*mistake, result] for mistake, result in results], indent=1))
    return 0 if killed >= TARGET * (killed + found[None]) else 1


if __name__ == "__main__":
    sys.exit(main())
