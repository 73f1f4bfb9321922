"""Seed single mistakes into the rules and tables of a game, and run its tests on each: `make mutants`.

The mistakes are made by operators on the syntax tree (operators.py) and on the component files (tables.py); a sample is
drawn by seed so that every module, every file and every function has its share. A short list is made by hand
(by_hand.py). All tests run as plain Python (NUMBA_DISABLE_JIT=1: nothing to compile), in copies of the project.

First the tests run without a mistake, to record which of them execute which lines; then each mutant meets the tests
that execute its line, stage by stage (games.py), until one fails. Mutants known to change nothing are not tried
(explained.py). Exits with 1 if less than 98.5 % of the others are found, with 2 if the tests fail without any mistake.
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
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from carnegie_env.core import files
from tests import longrun
from tests.mutants import by_hand, explained, operators, tables
from tests.mutants.games import GAMES, PROJECT, Game
from tests.mutants.operators import Mutant
from tests.mutants.worker import instrumented

PARTS = ("carnegie_env", "tests", "pyproject.toml")  # what a copy of the project needs
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
    for place, right, wrong in by_hand.BY_HAND[name]:
        named = f"def {place.split('.')[-1]}("
        where = [file for file, source in sources.items() if named in source or Path(file).stem == place]
        made = [m for file in where for m in operators.by_hand(file, sources[file], place, right, wrong)]
        if len(made) != 1:
            raise ValueError(f"by_hand.py, {place}: the code stands there {len(made)} times, not once: {right!r}")
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
    answers: list = dataclasses.field(default_factory=list)  # as they came, to be kept

    def add(self, stage: str, answer: dict) -> None:
        """Add what a worker recorded of a stage."""
        self.answers.append([stage, answer])
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


def _mark(folder: Path) -> str:
    """A mark of all files of a copy but those of this folder that are in no stage."""
    staged = {test for game in GAMES.values() for stage in game.stages for test in stage.tests}
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        if not name.startswith("tests/mutants/") or name in staged:
            digest.update(f"{name} {file.stat().st_size} ".encode() + file.read_bytes())
    return digest.hexdigest()


class Workers:
    """So many copies of a project, a worker in each. Close them after use."""

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
            if k == 0:
                self.mark = _mark(copy)
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


def _in_parallel(number: int, work: list, function) -> None:
    """Call a function on all work, by so many threads; the first error is raised when all have stopped."""
    left, errors = iter(work), []
    lock = threading.Lock()

    def run() -> None:
        while not errors:
            with lock:
                item = next(left, None)
            if item is None:
                return
            try:
                function(item)
            except BaseException as error:
                errors.append(error)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


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

    def __init__(self, game: Game, stages: list[str], workers: Workers):
        self.game, self.workers = game, workers
        self.stages = [stage for stage in game.stages if stage.name in stages]
        self.sources = operators.read(PROJECT, [*game.files(game.rules), *game.files(game.facts)])
        self.recorded = Recorded()
        self.found_by: collections.Counter[tuple[str, str]] = collections.Counter()

    def record(self, kept: Path | None = None) -> None:
        """Run the tests without a mistake; SystemExit if one fails.

        kept: a file with what was recorded before; taken if the project is as it was then, else written anew.
        """
        rules = {file: text for file, text in self.sources.items() if file.endswith(".py")}
        plain = [[stage.name, stage.tests, {}] for stage in self.stages]

        def run(stage: list) -> None:
            marked = {file: instrumented(text, number) for number, (file, text) in enumerate(rules.items())}
            sizes = {file: text.count("\n") + 2 for file, text in rules.items()}
            answer = self.workers.ask("record", [stage], marked, RECORDING, sizes=sizes)
            if wrong := answer.get("wrong"):
                print(wrong, file=sys.stderr)
                raise SystemExit(2)
            self.recorded.add(stage[0], answer)

        for _ in self.workers.all:  # one after the other: each takes the next that is free
            self.workers.ask("import", plain, {}, RECORDING, changing=list(rules))
        mark = [self.workers.mark, *(stage.name for stage in self.stages)]
        before = json.loads(kept.read_text(encoding="utf-8")) if kept and kept.exists() else {}
        if before.get("mark") == mark:
            for stage, answer in before["answers"]:
                self.recorded.add(stage, answer)
            return
        _in_parallel(len(self.workers.all), plain, run)
        if kept:
            files.write_whole(kept, json.dumps({"mark": mark, "answers": self.recorded.answers}))

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
    every = [mutant for mutant in generated(GAMES[options.game]) if options.only in f"{mutant.file}: {mutant}"]
    slips = [mutant for mutant in made_by_hand(options.game) if options.only in f"{mutant.file}: {mutant}"]
    if options.equivalent:
        listed = (m for m in every if explained.reason(m, explained.EQUIVALENT[options.game]))
        return list(options.part.jobs(listed)), 0
    if options.again:
        survived = survivors(options.again, options.game)
        drawn = [mutant for mutant in (*every, *slips) if (mutant.file, *mutant.key) in survived]
        print(f"{len(survived)} survivors in {options.again}, {len(drawn)} of them can be made now", flush=True)
    else:
        drawn = (every if options.all else sample(every, options.number, options.seed)) + slips
    drawn = list(options.part.jobs(drawn))  # neighbours are of one file: each part has its share of every file
    tried = [m for m in drawn if not explained.reason(m, explained.EQUIVALENT[options.game])]
    return tried, len(drawn) - len(tried)


def survivors(report: Path, game: str) -> set[tuple[str, ...]]:
    """File and name of the mutants that no test found in an earlier run, by its report (--report).

    Raises ValueError for what is no report on that game.
    """
    try:
        said = json.loads(report.read_text(encoding="utf-8"))
        of, rows = said["game"], [(row["file"], *row["mutant"]) for row in said["mutants"] if row["stage"] is None]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{report} is no report of an earlier run: {type(error).__name__}, {error}") from None
    if of != game:
        raise ValueError(f"{report} is a report on {of}, not on {game}")
    return set(rows)


def _progress(options: argparse.Namespace, outcomes: list[Outcome], number: int, start: float) -> str:
    left = (time.monotonic() - start) / len(outcomes) * (number - len(outcomes))
    last = outcomes[-1]
    found = last.stage + (" (endless)" if last.how == "endless" else "") if last.stage else "SURVIVED"
    return f"[{len(outcomes)}/{number}, {left / 60:.0f} min left] {found}, {last.seconds:.1f} s: {last.mutant}"


def main(arguments: list[str] | None = None) -> int:
    """Try the mutants and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=GAMES, default="carnegie", help="whose rules and tables")
    parser.add_argument("--number", type=int, default=500, help="mutants to draw, beside those made by hand")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--all", action="store_true", help="all there are: takes a day")
    parser.add_argument("--only", default="", help="only mutants whose file, function or code contains this")
    parser.add_argument("--again", type=Path, metavar="REPORT", help="the survivors of an earlier run's report")
    parser.add_argument("--equivalent", action="store_true", help="try those listed as equivalent: none must be found")
    parser.add_argument("--stages", nargs="+", help="only these stages")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants tried at the same time")
    longrun.part_argument(parser)
    parser.add_argument("--recording", type=Path, help="a file to keep what is recorded first, for the next run")
    parser.add_argument("--report", type=Path, help="write the result as JSON")
    parser.add_argument("--list", action="store_true", help="print the mutants, try none")
    options = parser.parse_args(arguments)
    stages = [stage.name for stage in GAMES[options.game].stages]
    if unknown := set(options.stages or ()) - set(stages):
        parser.error(f"{options.game} has no stage {', '.join(sorted(unknown))}; it has {', '.join(stages)}")
    if options.number < 0 or options.jobs < 1:
        parser.error("--number must be 0 or more, --jobs 1 or more")
    if options.recording and not options.recording.parent.is_dir():
        parser.error(f"--recording {options.recording}: there is no folder {options.recording.parent}")
    try:
        mutants, equivalent = _chosen(options)
    except ValueError as error:
        parser.error(str(error))
    if options.list:
        print("\n".join(f"{mutant.file}: {mutant}" for mutant in mutants))
        return 0
    workers = Workers(min(options.jobs, max(len(mutants), 1)), PROJECT, PARTS)
    try:
        start = time.monotonic()
        trial = Trial(GAMES[options.game], options.stages or stages, workers)
        trial.record(options.recording)
        print(f"{len(mutants)} mutants; the tests without any: {time.monotonic() - start:.0f} s", flush=True)
        outcomes: list[Outcome] = []
        start = time.monotonic()
        lock = threading.Lock()

        def run(mutant: Mutant) -> None:
            outcome = trial.find(mutant)
            with lock:
                outcomes.append(outcome)
                print(_progress(options, outcomes, len(mutants), start), flush=True)

        _in_parallel(len(workers.all), random.Random(options.seed).sample(mutants, len(mutants)), run)
    finally:
        workers.close()
    order = {id(mutant): k for k, mutant in enumerate(mutants)}
    outcomes.sort(key=lambda outcome: order[id(outcome.mutant)])
    return _report(outcomes, equivalent, options)


def _lines(outcomes: list[Outcome], stages: list[str], equivalent: int, game: str) -> Iterator[str]:
    """The tables of the report: who found how many; by operator; the survivors and why they survive."""
    found = collections.Counter(outcome.stage for outcome in outcomes)
    yield from (f"{stage:<12}{found[stage]:>5}" for stage in ["load", *stages])
    by_operator: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_operator.setdefault(outcome.mutant.operator, []).append(outcome)
    for operator, of_operator in sorted(by_operator.items()):
        yield f"{operator:<12}{sum(o.stage is not None for o in of_operator):>5} of {len(of_operator)}"
    survived = [outcome for outcome in outcomes if outcome.stage is None]
    killed = len(outcomes) - len(survived)
    share = 100 * killed / max(len(outcomes), 1)
    yield f"found {killed}, survived {len(survived)} ({share:.1f} % found), equivalent {equivalent}"
    spent = sum(outcome.seconds for outcome in outcomes)
    yield f"{spent:.0f} s of processor time, {spent / max(len(outcomes), 1):.1f} s a mutant"
    for outcome in survived:
        why = explained.reason(outcome.mutant, explained.SURVIVORS[game])
        yield f"survived: {outcome.mutant} ({why or outcome.how or 'not explained'})"


def _report(outcomes: list[Outcome], equivalent: int, options: argparse.Namespace) -> int:
    stages = [stage.name for stage in GAMES[options.game].stages]
    print("\n".join(_lines(outcomes, stages, equivalent, options.game)))
    killed = sum(outcome.stage is not None for outcome in outcomes)
    if options.report:
        rows = [
            {"file": o.mutant.file, "mutant": o.mutant.key, "stage": o.stage, "test": o.test, "how": o.how,
             "seconds": round(o.seconds, 2)}
            for o in outcomes
        ]  # fmt: skip
        chosen = {"game": options.game, "seed": options.seed, "number": options.number, "equivalent": equivalent}
        chosen["part"] = f"{options.part.number}/{options.part.of}"
        options.report.write_text(json.dumps({**chosen, "mutants": rows}, indent=1) + "\n", encoding="utf-8")
    if options.equivalent:
        return 1 if killed else 0
    return 0 if killed >= TARGET * len(outcomes) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the workers are to be ended, too
    sys.exit(main())
