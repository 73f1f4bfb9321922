"""Compares the speed of this tree with another revision: `python -m benchmarks.pair HEAD~`.

This tree's `make bench` measures both alternately, with Numba's code, because only this tree may have the library of
`make engine`. A ratio above 1 means that this tree is faster.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINE = re.compile(r"(\S.*?)  +([\d,.]+) (\S+(?: \S+)*?)(?:  .*)?")
TIMES = ("s", "ns/decision", "bytes")  # units for which less is better


def unpack(revision: str, folder: Path) -> None:
    """Extract a revision into a folder, with this tree's benchmarks."""
    done = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True)
    if done.returncode:
        raise ValueError(f"can't unpack the revision {revision}: {done.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
        files.extractall(folder, filter="data")
    shutil.copytree(ROOT / "benchmarks", folder / "benchmarks", dirs_exist_ok=True)


def measure(tree: Path, arguments: list[str]) -> dict[str, tuple[float, str]]:
    """The figures of a tree with their units, by name."""
    command = [sys.executable, "-m", "benchmarks.throughput", *arguments]
    environment = os.environ | {"PYTHONPATH": str(tree), "CARNEGIE_ENGINE": "numba"}
    printed = subprocess.run(command, cwd=tree, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = [match for line in printed.splitlines() if (match := LINE.fullmatch(line.rstrip()))]
    return {match[1]: (float(match[2].replace(",", "")), match[3]) for match in found if not match[1].endswith(" is")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each figure: the best of both trees, and the ratio."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pair", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("revision", help="the revision to compare with")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each tree (default: %(default)s)")
    given, others = parser.parse_known_args(arguments)  # the others are for `make bench`
    if given.rounds < 1:
        parser.error(f"--rounds must be 1 or more, not {given.rounds}")
    best: dict[Path, dict[str, tuple[float, str]]] = {}
    try:
        with tempfile.TemporaryDirectory() as folder:
            unpack(given.revision, Path(folder))
            for number in range(given.rounds):
                for tree in (ROOT, Path(folder))[:: -1 if number % 2 else 1]:
                    mine = best.setdefault(tree, {})
                    for what, (value, unit) in measure(tree, others).items():
                        choose = min if unit in TIMES else max
                        mine[what] = choose(value, mine.get(what, (value,))[0]), unit
    except (ValueError, subprocess.CalledProcessError) as error:
        parser.error(str(error))
    for what, (now, unit) in best[ROOT].items():
        before = best[Path(folder)].get(what, (0.0,))[0]
        ratio = (before / now if unit in TIMES else now / before) if now and before else float("nan")
        print(f"{what:<70}{before:>14,.5g}{now:>14,.5g} {unit:<14}{ratio:>7.3f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
