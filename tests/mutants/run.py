"""Seed single mistakes into the rules and tables of a game, and run its tests on each: `make mutants`.

The mistakes are made by operators on the syntax tree (operators.py) and on the component files (tables.py); a sample is
drawn by seed so that every module, every file and every function has its share. A short list is made by hand
(by_hand.toml). All tests run as plain Python (NUMBA_DISABLE_JIT=1: nothing to compile), in copies of the project.

First the tests run without a mistake, to record which of them execute which lines; then each mutant meets the tests
that execute its line, stage by stage (games.py), until one fails. Mutants known to change nothing are not tried
(explained.toml). Exits with 1 if less than 98.5 % of the others are found, with 2 if the tests fail without a mistake.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import hashlib
import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.mutants import explained, operators, tables
from tests.mutants.games import GAMES, PROJECT, Game
from tests.mutants.operators import Mutant
from tests.mutants.worker import instrumented

PARTS = ("carnegie_env", "tests", "pyproject.toml")  # what a copy of the project needs
BY_HAND = tomllib.loads(Path(__file__).with_name("by_hand.toml").read_text(encoding="utf-8"))
TARGET = 0.985
LEAST = 4  # mutants of every file, if it has so many
ALONE = {"NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
RECORDING = 3600.0  # seconds that the tests may take without a mistake
WAITING = 4 * 3600.0  # seconds that they may take on one mutant; a single test's time is limited by the worker


# ---------------------------------------------------------------- the mutants of a game
def generated(game: Game) -> list[Mutant]:
    """All mutants that the operators make, in the order of the files."""
    sources = operators.read(PROJECT, game.files(game.rules))
    names = operators.families(sources)
    found = [m for file, source in sources.items() for m in operators.mutants(file, source, names, game.is_left_out)]
    for file, source in operators.read(PROJECT, game.files(game.facts)).items():
        found += tables.mutants(file, source, game.silent)
    return found


def made_by_hand(name: str) -> list[Mutant]:
    """The mutants of a game's list; ValueError for those whose code is not there just once."""
    sources = operators.read(PROJECT, GAMES[name].files(GAMES[name].rules))
    found = []
    for place, right, wrong in BY_HAND[name]:
        named = f"def {place.split('.')[-1]}("
        where = [file for file, source in sources.items() if named in source or Path(file).stem == place]
        made = [m for file in where for m in operators.by_hand(file, sources[file], place, right, wrong)]
        if len(made) != 1:
            raise ValueError(f"by_hand.toml, {place}: the code stands there {len(made)} times, not once: {right!r}")
        found += made
    return found


def sample(mutants: list[Mutant], number: int, seed: int) -> list[Mutant]:
    """So many of the mutants: of every file LEAST, of the rest in proportion to the files; of every operator one. (A
    few more than asked for, if the number is too small for all that.)

    Within a file they go round the functions (tables), within a function round the operators, in an order that the seed
    and the mutants' names decide: an edit elsewhere changes little of what is drawn here.
    """
    files: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        files.setdefault(mutant.file, []).append(mutant)
    rest = max(number - LEAST * len(files), 0)
    ends, total = [], 0
    for of_file in files.values():
        total += max(len(of_file) - LEAST, 0)
        ends.append(total)
    shares = [rest * end // max(total, 1) for end in ends]
    found = []
    for k, of_file in enumerate(files.values()):
        found += _spread(of_file, LEAST + shares[k] - (shares[k - 1] if k else 0), seed)
    for operator in sorted({mutant.operator for mutant in mutants} - {mutant.operator for mutant in found}):
        files_left = collections.Counter(mutant.file for mutant in found)
        operators_left = collections.Counter(mutant.operator for mutant in found)
        first = _first([mutant for mutant in mutants if mutant.operator == operator], seed)
        spare = (m for m in reversed(found) if files_left[m.file] > LEAST and operators_left[m.operator] > 1)
        if other := next(spare, None):
            found[found.index(other)] = first
        else:
            found.append(first)
    return found


def _first(mutants: list[Mutant], seed: int) -> Mutant:
    return min(mutants, key=lambda mutant: _order(mutant, seed))


def _order(mutant: Mutant, seed: int) -> bytes:
    return hashlib.sha256(f"{seed} {mutant.key}".encode()).digest()


def _spread(mutants: list[Mutant], number: int, seed: int) -> list[Mutant]:
    groups: dict[str, dict[str, list[Mutant]]] = {}
    for mutant in sorted(mutants, key=lambda mutant: _order(mutant, seed)):
        groups.setdefault(mutant.place, {}).setdefault(mutant.operator, []).append(mutant)
    found: list[Mutant] = []
    while groups and len(found) < number:
        for place in list(groups)[: number - len(found)]:
            operator = next(iter(groups[place]))
            of_operator = groups[place].pop(operator)
            found.append(of_operator.pop(0))
            if of_operator:
                groups[place][operator] = of_operator  # now the last
            elif not groups[place]:
                del groups[place]
    return found


# ---------------------------------------------------------------- the tests of a game
@dataclasses.dataclass
class Recorded:
    """What the tests do without a mistake: their seconds by stage and name, and those that execute a line."""

    seconds: dict[str, dict[str, float]] = dataclasses.field(default_factory=dict)
    by_line: dict[tuple[str, int], set[str]] = dataclasses.field(default_factory=dict)
    imported: set[tuple[str, int]] = dataclasses.field(default_factory=set)

    def add(self, stage: str, answer: dict) -> None:
        """Add what a worker recorded of a stage."""
        names = [name for name, _ in answer["tests"]]
        self.seconds[stage] = dict(answer["tests"])
        for file, lines in answer["lines"].items():
            for line, numbers in lines.items():
                self.by_line.setdefault((file, int(line)), set()).update(names[number] for number in numbers)
        self.imported |= {(file, line) for file, lines in answer["imported"].items() for line in lines}

    def tests(self, mutant: Mutant) -> set[str] | None:
        """The tests that may find a mutant; None for all."""
        where = (mutant.file, mutant.line)
        return None if mutant.line == 0 or where in self.imported else self.by_line.get(where, set())


class Workers:
    """Copies of a project with a worker in each. Close them after use."""

    def __init__(self, number: int, project: Path, parts: tuple[str, ...]):
        self.folder = tempfile.TemporaryDirectory()
        self.free: queue.Queue[subprocess.Popen] = queue.Queue()
        self.all = []
        for k in range(number):
            copy = Path(self.folder.name, str(k))
            for part in parts:
                if (project / part).is_dir():
                    shutil.copytree(project / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy2(project / part, copy / part)
            command = [sys.executable, "-m", "tests.mutants.worker"]
            environment = {**os.environ, **ALONE, "PYTHONPATH": str(copy), "PYTEST_ADDOPTS": ""}
            pipe = subprocess.PIPE
            worker = subprocess.Popen(command, cwd=copy, env=environment, stdin=pipe, stdout=pipe, text=True)
            self.all.append(worker)
            self.free.put(worker)

    def ask(self, task: str, stages: list, files: dict[str, str], seconds: float, **more: object) -> dict:
        """Have a free worker do a task."""
        worker = self.free.get()
        try:
            request = {"task": task, "stages": stages, "files": files, "seconds": seconds, **more}
            worker.stdin.write(json.dumps(request) + "\n")
            worker.stdin.flush()
            if not (line := worker.stdout.readline()):
                raise RuntimeError("a worker has ended")
            return json.loads(line)
        finally:
            self.free.put(worker)

    def close(self) -> None:
        """End the workers, delete the copies."""
        for worker in self.all:
            worker.terminate()  # it ends the child it may have
        for worker in self.all:
            worker.wait()
            worker.stdin.close()
            worker.stdout.close()
        self.folder.cleanup()


def _in_parallel(number: int, function: Callable[[Any], object], work: Iterable[Any]) -> None:
    """Call a function on all work in this number of threads; the first error is raised, and ends it."""
    pool = ThreadPoolExecutor(number)
    try:
        for _ in pool.map(function, work):
            pass
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@dataclasses.dataclass
class Outcome:
    """What became of a mutant: the stage and test that found it, how, and the seconds of processor time it took."""

    mutant: Mutant
    stage: str | None
    test: str
    how: str
    seconds: float


class Trial:
    """The tests of a game, tried on mutants."""

    def __init__(self, game: Game, workers: Workers):
        self.stages, self.workers = game.stages, workers
        self.sources = operators.read(PROJECT, [*game.files(game.rules), *game.files(game.facts)])
        self.recorded = Recorded()
        self.found_by: collections.Counter[tuple[str, str]] = collections.Counter()

    def record(self) -> None:
        """Run the tests without a mistake; SystemExit if one fails."""
        rules = {file: text for file, text in self.sources.items() if file.endswith(".py")}
        plain = [[stage.name, stage.tests, {}] for stage in self.stages]
        marked = {file: instrumented(text, number) for number, (file, text) in enumerate(rules.items())}
        sizes = {file: text.count("\n") + 2 for file, text in rules.items()}

        def run(stage: list) -> None:
            answer = self.workers.ask("record", [stage], marked, RECORDING, sizes=sizes)
            if wrong := answer.get("wrong"):
                print(wrong, file=sys.stderr)
                raise SystemExit(2)
            self.recorded.add(stage[0], answer)

        for _ in self.workers.all:  # one after the other: each takes the next that is free
            self.workers.ask("import", plain, {}, RECORDING, changing=list(rules))
        _in_parallel(len(self.workers.all), run, plain)

    def plan(self, mutant: Mutant) -> list[list]:
        """The stages and tests for a mutant, as a worker wants them: those first that found others near by, then the
        quickest."""
        fitting = self.recorded.tests(mutant)
        is_fact = mutant.file not in {file for file in self.sources if file.endswith(".py")}
        planned = []
        for stage in self.stages:
            if is_fact and not stage.facts:
                continue
            seconds = self.recorded.seconds[stage.name]
            tests = [name for name in seconds if fitting is None or name in fitting]
            tests.sort(key=lambda name: (-self.found_by[mutant.place, name], -self.found_by[mutant.file, name],
                                         seconds[name]))  # fmt: skip
            if tests:
                planned.append([stage.name, stage.tests, {name: seconds[name] for name in tests}])
        return planned

    def find(self, mutant: Mutant) -> Outcome:
        """Try a mutant."""
        seeded = mutant.seeded(self.sources[mutant.file])
        planned = self.plan(mutant)
        if not planned:
            return Outcome(mutant, None, "", "no test executes the line", 0.0)
        answer = self.workers.ask("find", planned, {mutant.file: seeded}, WAITING)
        self.found_by[mutant.place, answer["test"]] += 1
        self.found_by[mutant.file, answer["test"]] += 1
        return Outcome(mutant, answer["stage"], answer["test"], answer["how"], answer["processor"])


# ---------------------------------------------------------------- the command
def _chosen(options: argparse.Namespace) -> tuple[list[Mutant], int]:
    """The mutants to be tried, and how many of those drawn are not, being equivalent."""

    def wanted(mutants: list[Mutant]) -> list[Mutant]:
        return [mutant for mutant in mutants if options.only in f"{mutant.file}: {mutant}"]

    every = wanted(generated(GAMES[options.game]))
    if options.equivalent:
        return [m for m in every if explained.reason(m, options.game, "equivalent")], 0
    drawn = every if options.all else sample(every, options.number, options.seed)
    drawn = drawn + wanted(made_by_hand(options.game))
    tried = [m for m in drawn if not explained.reason(m, options.game, "equivalent")]
    return tried, len(drawn) - len(tried)


def main(arguments: list[str] | None = None) -> int:
    """Try the mutants and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=GAMES, default="carnegie", help="whose rules and tables")
    parser.add_argument("--number", type=int, default=500, help="mutants to draw, beside those made by hand")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--all", action="store_true", help="all there are: takes a day")
    parser.add_argument("--only", default="", help="only mutants whose file, function or code contains this")
    parser.add_argument("--equivalent", action="store_true", help="try those listed as equivalent: none must be found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants tried at the same time")
    parser.add_argument("--list", action="store_true", help="print the mutants, try none")
    options = parser.parse_args(arguments)
    if options.number < 0 or options.jobs < 1:
        parser.error("--number must be 0 or more, --jobs 1 or more")
    mutants, equivalent = _chosen(options)
    if options.list:
        print("\n".join(f"{mutant.file}: {mutant}" for mutant in mutants))
        return 0
    workers = Workers(min(options.jobs, max(len(mutants), 1)), PROJECT, PARTS)
    outcomes: list[Outcome] = []

    def run(mutant: Mutant) -> None:
        outcome = trial.find(mutant)
        outcomes.append(outcome)
        left = (time.monotonic() - start) / len(outcomes) * (len(mutants) - len(outcomes)) / 60
        found = f"{outcome.stage or 'SURVIVED'} {outcome.how}".strip()
        print(f"[{len(outcomes)}/{len(mutants)}, {left:.0f} min left] {found}, {outcome.seconds:.1f} s: {mutant}",
              flush=True)  # fmt: skip

    try:
        trial, start = Trial(GAMES[options.game], workers), time.monotonic()
        trial.record()
        print(f"{len(mutants)} mutants; the tests without any: {time.monotonic() - start:.0f} s", flush=True)
        start = time.monotonic()
        _in_parallel(len(workers.all), run, random.Random(options.seed).sample(mutants, len(mutants)))
    finally:
        workers.close()
    print("\n".join(_lines(sorted(outcomes, key=lambda o: (o.mutant.file, o.mutant.key)), equivalent, options.game)))
    killed = sum(outcome.stage is not None for outcome in outcomes)
    return int(killed > 0 if options.equivalent else killed < TARGET * len(outcomes))


def _lines(outcomes: list[Outcome], equivalent: int, game: str) -> Iterator[str]:
    """The report: how many each stage found; by operator; the survivors, and why they survive."""
    found = collections.Counter(outcome.stage for outcome in outcomes)
    yield from (f"{stage:<12}{found[stage]:>5}" for stage in ["load", *(stage.name for stage in GAMES[game].stages)])
    tried = collections.Counter(o.mutant.operator for o in outcomes)
    survived = [outcome for outcome in outcomes if outcome.stage is None]
    left = collections.Counter(o.mutant.operator for o in survived)
    yield from (f"{operator:<12}{number - left[operator]:>5} of {number}" for operator, number in sorted(tried.items()))
    killed = len(outcomes) - len(survived)
    share = 100 * killed / max(len(outcomes), 1)
    yield f"found {killed}, survived {len(survived)} ({share:.1f} % found), equivalent {equivalent}"
    spent = sum(outcome.seconds for outcome in outcomes)
    yield f"{spent:.0f} s of processor time, {spent / max(len(outcomes), 1):.1f} s a mutant"
    for outcome in survived:
        why = explained.reason(outcome.mutant, game, "survivors")
        yield f"survived: {outcome.mutant} ({why or outcome.how or 'not explained'})"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the workers are ended
    sys.exit(main())
