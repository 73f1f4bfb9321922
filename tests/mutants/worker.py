"""Runs tests on mutants, each in a process of its own: a child forked from this one, which has imported everything but
the project. So a mutant costs no start of Python and NumPy, whatever it breaks breaks nothing else, and a test that
never ends is ended. Started by run.py in a copy of the project, whose files it may change:

    python -m tests.mutants.worker

Reads requests and writes replies, a line of JSON each. A request has "files" (path: text to be put there for the time),
"stages" (see :func:`_find`), "seconds" (that all may take) and "task":

- "import": {"modules": what the tests import from outside the project}; imported here, too, for the children to come;
- "record": {"tests": [[name, seconds], ...], "lines": {path: {line: [numbers of the tests that execute it]}},
  "imported": {path: [lines executed before a test starts]}}, or {"wrong": why}; files as :func:`instrumented`;
- "find": {"stage": which found the mutant, None if none did, "test": by which test, "how": "failed", "endless" or
  "died", "processor": seconds}. The stage "load" stands for a project that cannot even be imported.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import io
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

MEMORY = 4 << 30  # bytes of address space that a mutant may take beyond what is there
PATIENCE = 10  # times as long as without a mistake, a test may take
GRACE = 1.0  # seconds more
LOADING = 30.0  # seconds of processor time to import and collect
QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:faulthandler", "-W", "ignore")


# ---------------------------------------------------------------- which lines a test executes
def _ran(number: int) -> str:
    return f"_ran_{number}"


def instrumented(source: str, number: int) -> str:
    """The source with a mark before every statement of a function: `_ran_<number>[line] = 1`.

    The marks are kept in the builtins by who wants to see them, else (what a test starts) nowhere.
    """

    def marked(statement: ast.stmt) -> list[ast.stmt]:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return [statement]  # a docstring stays first
        return [*ast.parse(f"{_ran(number)}[{statement.lineno}] = 1").body, statement]

    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in {id(node): node for function in functions for node in ast.walk(function)}.values():
        for name in ("body", "orelse", "finalbody"):
            if isinstance(block := getattr(node, name, None), list):
                setattr(node, name, [part for statement in block for part in marked(statement)])
    size, first = source.count("\n") + 2, 0
    while first < len(tree.body) and isinstance(tree.body[first], (ast.Expr, ast.ImportFrom)):
        first += 1  # a docstring, and what comes from __future__
    name = _ran(number)
    tree.body[first:first] = ast.parse(f"{name} = getattr(__import__('builtins'), '{name}', bytearray({size}))").body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


class Recorder:
    """A plugin of pytest: how long every test takes and which lines it executes."""

    def __init__(self, marks: dict[str, bytearray]):
        self.marks = marks
        self.tests: list[tuple[str, float]] = []
        self.lines: dict[str, dict[int, list[int]]] = {path: {} for path in marks}
        self.imported: dict[str, list[int]] = {}
        self.wrong = ""

    def _taken(self) -> Iterator[tuple[str, list[int]]]:
        for path, ran in self.marks.items():
            yield path, [line for line, mark in enumerate(ran) if mark]
            ran[:] = bytes(len(ran))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if not self.imported:
            self.imported = dict(self._taken())
        start = time.process_time()
        result = yield
        number = len(self.tests)
        self.tests.append((item.nodeid, time.process_time() - start))
        for path, lines in self._taken():
            for line in lines:
                self.lines[path].setdefault(line, []).append(number)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.wrong = f"{report.nodeid} fails without any mistake:\n{report.longreprtext}"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.wrong = f"{report.nodeid} cannot be collected:\n{report.longreprtext}"


# ---------------------------------------------------------------- what finds a mutant
class Finder:
    """A plugin of pytest: the tests of a stage in a given order, each within its time, up to the first that fails."""

    def __init__(self, limits: dict[str, float], endless: Callable[[str], None]):
        self.limits, self.endless = limits, endless
        self.running = self.failed = ""
        signal.signal(signal.SIGPROF, lambda *_: endless(self.running))
        self._allow(LOADING)

    def _allow(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        order = {name: k for k, name in enumerate(self.limits)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.running = item.nodeid
        self._allow(GRACE + PATIENCE * self.limits[item.nodeid])
        result = yield
        self._allow(LOADING)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid


def _find(request: dict, reply: Callable[[dict], None]) -> None:
    """Run the stages, each [name, arguments of pytest, {test: seconds it takes}], up to the first that fails."""
    limit = _address_space() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for name, arguments, tests in request["stages"]:

        def endless(test: str, stage: str = name) -> None:
            reply({"stage": stage if test else "load", "test": test, "how": "endless"})

        finder = Finder(tests, endless)
        code = pytest.main([*QUIET, "-x", *arguments], plugins=[finder])
        if finder.failed:
            return reply({"stage": name, "test": finder.failed, "how": "failed"})
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return reply({"stage": "load", "test": "", "how": "failed"})
    return reply({"stage": None, "test": "", "how": ""})


def _address_space() -> int:
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[0]) * resource.getpagesize() if pages.exists() else 64 << 30


def _record(request: dict, reply: Callable[[dict], None]) -> None:
    marks = {path: bytearray(size) for path, size in request["sizes"].items()}
    for number, ran in enumerate(marks.values()):
        setattr(builtins, _ran(number), ran)
    recorder = Recorder(marks)
    for _, arguments, _ in request["stages"]:
        code = pytest.main([*QUIET, *arguments], plugins=[recorder])
        if code != pytest.ExitCode.OK and not recorder.wrong:
            recorder.wrong = f"pytest {' '.join(arguments)}: {code!r}"
    if recorder.wrong:
        return reply({"wrong": recorder.wrong})
    return reply({"tests": recorder.tests, "lines": recorder.lines, "imported": recorder.imported})


def _import(request: dict, reply: Callable[[dict], None]) -> None:
    sys.dont_write_bytecode = False  # this once; nothing is changed yet
    for _, arguments, _ in request["stages"]:
        pytest.main([*QUIET, "--collect-only", *arguments])
    here = str(Path.cwd())
    files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
    reply({"modules": [name for name, file in files.items() if file and not file.startswith(here)]})


TASKS = {"import": _import, "record": _record, "find": _find}


# ---------------------------------------------------------------- the process that forks
def _forked(task: Callable, request: dict) -> dict:
    """Run a task in a child; what it replies, or "endless" when its time is over or it dies without a word."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

        def reply(answer: dict) -> None:
            with open(writing, "w") as pipe:
                json.dump(answer, pipe)
            os._exit(0)

        try:
            task(request, reply)
        finally:  # whatever a mutant may raise
            os._exit(1)
    os.close(writing)
    parts, end = [], time.monotonic() + request["seconds"]
    try:
        with open(reading, "rb", buffering=0) as pipe:
            while (left := end - time.monotonic()) > 0 and select.select([pipe], [], [], left)[0]:
                if not (part := pipe.read(1 << 16)):
                    break
                parts.append(part)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # it, and what it may have started
        _, _, used = os.wait4(child, 0)
    if parts:
        answer = json.loads(b"".join(parts))
    else:
        how = "died" if time.monotonic() < end else "endless"
        answer = {"stage": "load", "test": "", "how": how, "wrong": f"the process of the tests: {how}"}
    return answer | {"processor": used.ru_utime + used.ru_stime}


def _answer(request: dict) -> dict:
    before = {path: Path(path).read_text(encoding="utf-8") for path in request["files"]}
    try:
        for path, text in request["files"].items():
            Path(path).write_text(text, encoding="utf-8")
        answer = _forked(TASKS[request["task"]], request)
    finally:
        for path, text in before.items():
            Path(path).write_text(text, encoding="utf-8")
    if request["task"] == "import":
        for name in answer.get("modules", []):
            with contextlib.suppress(Exception):  # some can only be imported by their own package
                importlib.import_module(name)
        for path in request["changing"]:  # compiled code would be told from a mutant's by size and second only
            for compiled in Path(path).parent.glob(f"__pycache__/{Path(path).stem}.*.pyc"):
                compiled.unlink()
    return answer


def main() -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # for what the tests start
    replies = os.fdopen(os.dup(1), "w")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
        for line in io.TextIOWrapper(sys.stdin.buffer):
            answer: Any = _answer(json.loads(line))
            replies.write(json.dumps(answer) + "\n")
            replies.flush()


if __name__ == "__main__":
    main()
