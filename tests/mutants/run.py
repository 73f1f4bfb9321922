"""Seed single mistakes into the rules and tables of a game, and run its tests on each: `make mutants`.

Operators on the syntax tree (operators.py) and on the component files (tables.py) make the mutants. A sample is drawn
by seed so that every module, file and function has its share; by_hand.toml adds a short list. All tests run as plain
Python (NUMBA_DISABLE_JIT=1: nothing to compile), in copies of the project.

First the tests run without a mutation, to record which of them execute which lines. Then each mutant meets the tests
that execute its line, stage by stage (games.py), until one fails. Mutants listed as equivalent (explained.toml) are not
tried. Exits with 1 if less than 98.5 % of the others are found, with 2 if the tests fail without a mutation.
"""

import argparse
import collections
import contextlib
import dataclasses
import hashlib
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

from tests.mutants import explained, operators, tables, worker
from tests.mutants.games import GAMES, PROJECT, Game
from tests.mutants.operators import Mutant

PARTS = ("carnegie_env", "tests", "pyproject.toml")  # what a copy of the project needs
BY_HAND = tomllib.loads(Path(__file__).with_name("by_hand.toml").read_text(encoding="utf-8"))
TARGET = 0.985
LEAST = 4  # mutants of every file, if it has as many
ENVIRONMENT = {
    "NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
    "CARNEGIE_LONG": "1",  # all games of lock-step
}  # fmt: skip
MOST_SECONDS = 4 * 3600.0  # for all tests of one mutant; the worker limits the time of each


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
    """The mutants of a game's list; ValueError for code that doesn't occur exactly once."""
    sources = operators.read(PROJECT, GAMES[name].files(GAMES[name].rules))
    found = []
    for place, right, wrong in BY_HAND[name]:
        named = f"def {place.split('.')[-1]}("
        where = [file for file, source in sources.items() if named in source or Path(file).stem == place]
        made = [m for file in where for m in operators.by_hand(file, sources[file], place, right, wrong)]
        if len(made) != 1:
            raise ValueError(f"by_hand.toml, {place}: the code must occur once, not {len(made)} times: {right!r}")
        found += made
    return found


def sample(mutants: list[Mutant], number: int, seed: int) -> list[Mutant]:
    """A number of mutants: LEAST of every file, the rest in proportion to the files, and at least one of every
    operator; a few more if the number is too small for that.

    Within a file the functions (tables) take turns, and within a function the operators, in an order that the seed and
    the mutants' names decide: an edit elsewhere changes little of what is drawn here.
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
        first = min((m for m in mutants if m.operator == operator), key=lambda mutant: _order(mutant, seed))
        spare = (m for m in reversed(found) if files_left[m.file] > LEAST and operators_left[m.operator] > 1)
        if other := next(spare, None):
            found[found.index(other)] = first
        else:
            found.append(first)
    return found


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
class Outcome:
    """The stage and test that found a mutant, how, and the seconds of processor time that it took."""

    mutant: Mutant
    stage: str | None
    test: str
    how: str
    seconds: float


class Trial:
    """The tests of a game, tried on mutants by a pool of workers. Close it after use."""

    def __init__(self, game: Game, jobs: int) -> None:
        os.environ.update(ENVIRONMENT)
        self.stages, self.jobs = game.stages, jobs
        self.rules = operators.read(PROJECT, game.files(game.rules))
        self.facts = operators.read(PROJECT, game.files(game.facts))
        self.seconds: dict[str, dict[str, float]] = {}  # stage: test: seconds
        self.tests: dict[tuple[str, int], set[str]] = {}  # (file, line): the tests that execute it
        self.imported: set[tuple[str, int]] = set()  # lines that importing executes
        self.found_by: collections.Counter[tuple[str, str]] = collections.Counter()  # (place or file, test)
        self.planned: list[worker.Planned] = [(stage.name, stage.tests, {}) for stage in self.stages]
        self.folder = tempfile.TemporaryDirectory()
        arguments = (Path(self.folder.name), PROJECT, PARTS, self.planned, list(self.rules))
        self.pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), worker.start, arguments)

    def close(self) -> None:
        """End the workers and delete their copies of the project."""
        for process in multiprocessing.active_children():
            process.terminate()  # it ends its child
        self.pool.shutdown(cancel_futures=True)
        self.folder.cleanup()

    def record(self) -> None:
        """Run the tests without a mutation; SystemExit if one fails."""
        marked = {file: worker.instrumented(text, number) for number, (file, text) in enumerate(self.rules.items())}
        sizes = {file: text.count("\n") + 2 for file, text in self.rules.items()}
        answers = [self.pool.submit(worker.run, worker.record, marked, stage, sizes) for stage in self.planned]
        for stage, future in zip(self.stages, answers, strict=True):
            answer = future.result()
            if answer["error"]:
                print(answer["error"], file=sys.stderr)
                raise SystemExit(2)
            self.seconds[stage.name], lines, imported = answer["recorded"]
            self.imported |= imported
            for line, tests in lines.items():
                self.tests.setdefault(line, set()).update(tests)

    def plan(self, mutant: Mutant) -> list[worker.Planned]:
        """The stages and tests for a mutant: first those that found others near by, then the quickest."""
        where = (mutant.file, mutant.line)
        fitting = None if mutant.line == 0 or where in self.imported else self.tests.get(where, set())
        planned = []
        for stage in self.stages:
            if mutant.file in self.facts and not stage.facts:
                continue
            seconds = self.seconds[stage.name]
            tests = [name for name in seconds if fitting is None or name in fitting]
            tests.sort(key=lambda name: (-self.found_by[mutant.place, name], -self.found_by[mutant.file, name],
                                         seconds[name]))  # fmt: skip
            if tests:
                planned.append((stage.name, stage.tests, {name: seconds[name] for name in tests}))
        return planned

    def outcomes(self, mutants: Iterable[Mutant]) -> Iterator[Outcome]:
        """Run the tests on mutants, several at the same time."""
        left, running = list(mutants), dict[Future[dict[str, Any]], Mutant]()
        while left or running:
            while left and len(running) < self.jobs:
                mutant = left.pop(0)
                if planned := self.plan(mutant):
                    seeded = {mutant.file: mutant.seeded((self.rules | self.facts)[mutant.file])}
                    future = self.pool.submit(worker.run, worker.find, seeded, planned, seconds=MOST_SECONDS)
                    running[future] = mutant
                else:
                    yield Outcome(mutant, None, "", "no test executes the line", 0.0)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                mutant, answer = running.pop(future), future.result()
                self.found_by[mutant.place, answer["test"]] += 1
                self.found_by[mutant.file, answer["test"]] += 1
                yield Outcome(mutant, answer["stage"], answer["test"], answer["how"], answer["processor"])


# ---------------------------------------------------------------- the command
def _chosen(options: argparse.Namespace) -> tuple[list[Mutant], int]:
    """The mutants to try, and the number of those drawn that are equivalent and not tried."""

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
    parser.add_argument("--number", type=int, default=500, help="mutants to draw, besides those made by hand")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--all", action="store_true", help="try every mutant: takes a day")
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
    outcomes: list[Outcome] = []
    jobs, start = min(options.jobs, max(len(mutants), 1)), time.monotonic()
    with contextlib.closing(Trial(GAMES[options.game], jobs)) as trial:
        trial.record()
        print(f"{len(mutants)} mutants; the tests without any: {time.monotonic() - start:.0f} s", flush=True)
        start = time.monotonic()
        for outcome in trial.outcomes(random.Random(options.seed).sample(mutants, len(mutants))):
            outcomes.append(outcome)
            left = (time.monotonic() - start) / len(outcomes) * (len(mutants) - len(outcomes)) / 60
            found = f"{outcome.stage or 'SURVIVED'} {outcome.how}".strip()
            print(f"[{len(outcomes)}/{len(mutants)}, {left:.0f} min left] {found}, {outcome.seconds:.1f} s: "
                  f"{outcome.mutant}", flush=True)  # fmt: skip
    print("\n".join(_lines(sorted(outcomes, key=lambda o: (o.mutant.file, o.mutant.key)), equivalent, options.game)))
    killed = sum(outcome.stage is not None for outcome in outcomes)
    return int(killed > 0 if options.equivalent else killed < TARGET * len(outcomes))


def _lines(outcomes: list[Outcome], equivalent: int, game: str) -> Iterator[str]:
    """The report: the number found by each stage and of each operator; the survivors, and why they survive."""
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
    yield f"{spent:.0f} s of processor time, {spent / max(len(outcomes), 1):.1f} s per mutant"
    for outcome in survived:
        why = explained.reason(outcome.mutant, game, "survivors")
        yield f"survived: {outcome.mutant} ({why or outcome.how or 'not explained'})"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the workers are ended
    sys.exit(main())
