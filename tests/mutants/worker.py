"""Runs tests on mutants. A worker is a process of a pool, in a copy of the project whose files it may change.

A worker imports everything except the project, then forks a child for each mutant. So a mutant costs no start of Python
and NumPy, it can't break anything else, and a test that never ends can be killed.
"""

import ast
import builtins
import contextlib
import importlib
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

MEMORY = 4 << 30  # bytes of address space that a mutant may add
SLOWDOWN = 10  # a test may take this many times as long as without the mutation,
GRACE = 1.0  # plus this many seconds
LOADING = 30.0  # seconds of processor time to import and collect
QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:faulthandler", "-W", "ignore")
Planned = tuple[str, tuple[str, ...], dict[str, float]]  # a stage: name, arguments of pytest, tests with their seconds
Reply = Callable[[dict[str, Any]], None]


# ---------------------------------------------------------------- which lines a test executes
def _ran(number: int) -> str:
    return f"_ran_{number}"


def instrumented(source: str, number: int) -> str:
    """The source with `_ran_<number>[line] = 1` before every statement of a function.

    The array `_ran_<number>` is in the builtins, or, in processes that tests start, in the module.
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
        first += 1  # the docstring and imports from __future__
    name = _ran(number)
    tree.body[first:first] = ast.parse(f"{name} = getattr(__import__('builtins'), '{name}', bytearray({size}))").body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


class Recorder:
    """A pytest plugin that records the time of every test and the lines that it executes."""

    def __init__(self, marks: dict[str, bytearray]):
        self.marks = marks
        self.seconds: dict[str, float] = {}
        self.lines: dict[tuple[str, int], set[str]] = {}
        self.imported: set[tuple[str, int]] = set()
        self.error = ""

    def _take(self) -> list[tuple[str, int]]:
        """The (path, line) executed since the last call."""
        found = [(path, line) for path, ran in self.marks.items() for line, mark in enumerate(ran) if mark]
        for ran in self.marks.values():
            ran[:] = bytes(len(ran))
        return found

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.imported.update(self._take())
        start = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - start
        for line in self._take():
            self.lines.setdefault(line, set()).add(item.nodeid)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.error = f"{report.nodeid} fails without a mutation:\n{report.longreprtext}"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.error = f"{report.nodeid} can't be collected:\n{report.longreprtext}"


def record(stage: Planned, sizes: dict[str, int], reply: Reply) -> None:
    """Run all tests of a stage on instrumented files; replies {"error": text, "recorded": (seconds, lines, imported)}.

    The second part of `recorded` maps (path, line) to the tests that execute the line; the third holds the lines that
    were executed before a test started.
    """
    marks = {path: bytearray(size) for path, size in sizes.items()}
    for number, ran in enumerate(marks.values()):
        setattr(builtins, _ran(number), ran)
    recorder = Recorder(marks)
    code = pytest.main([*QUIET, *stage[1]], plugins=[recorder])
    if code != pytest.ExitCode.OK and not recorder.error:
        recorder.error = f"pytest {' '.join(stage[1])}: {code!r}"
    reply({"error": recorder.error, "recorded": (recorder.seconds, recorder.lines, recorder.imported)})


# ---------------------------------------------------------------- which test kills a mutant
class Finder:
    """A pytest plugin that runs the tests of a stage in a given order, each with a time limit, up to a failure."""

    def __init__(self, limits: dict[str, float], timed_out: Callable[[str], None]):
        self.limits = limits
        self.running = self.failed = ""
        signal.signal(signal.SIGPROF, lambda *_: timed_out(self.running))
        signal.setitimer(signal.ITIMER_PROF, LOADING)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        order = {name: k for k, name in enumerate(self.limits)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.running = item.nodeid
        signal.setitimer(signal.ITIMER_PROF, GRACE + SLOWDOWN * self.limits[item.nodeid])
        result = yield
        signal.setitimer(signal.ITIMER_PROF, LOADING)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid


def find(stages: list[Planned], reply: Reply) -> None:
    """Run the stages up to the first failure; replies {"stage": its name or None, "test": name, "how": word}.

    The stage "load" stands for a project that can't even be imported.
    """
    pages = Path("/proc/self/statm")
    limit = MEMORY + (int(pages.read_text().split()[0]) * resource.getpagesize() if pages.exists() else 64 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for name, arguments, tests in stages:

        def timed_out(test: str, stage: str = name) -> None:
            reply({"stage": stage if test else "load", "test": test, "how": "endless"})

        finder = Finder(tests, timed_out)
        code = pytest.main([*QUIET, "-x", *arguments], plugins=[finder])
        if finder.failed:
            return reply({"stage": name, "test": finder.failed, "how": "failed"})
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return reply({"stage": "load", "test": "", "how": "failed"})
    return reply({"stage": None, "test": "", "how": ""})


# ---------------------------------------------------------------- the process that forks
def start(root: Path, project: Path, parts: tuple[str, ...], stages: list[Planned], rules: list[str]) -> None:
    """Start a worker: copy the project, and import what its tests import from elsewhere."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    folder = root / str(os.getpid())
    for part in parts:
        if (project / part).is_dir():
            shutil.copytree(project / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(project / part, folder / part)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ.update(PYTHONPATH=str(folder), PYTEST_ADDOPTS="", PYTEST_DEBUG_TEMPROOT=str(folder))
    for name in run(_imported, {}, stages)["modules"]:
        with contextlib.suppress(Exception):  # some can only be imported by their own package
            importlib.import_module(name)
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # for processes that tests start
    for path in rules:  # Python compares only size and second, so a mutant could be taken for the compiled original
        for compiled in Path(path).parent.glob(f"__pycache__/{Path(path).stem}.*.pyc"):
            compiled.unlink()


def _imported(stages: list[Planned], reply: Reply) -> None:
    for _, arguments, _ in stages:
        pytest.main([*QUIET, "--collect-only", *arguments])
    here = str(Path.cwd())
    files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
    reply({"modules": [name for name, file in files.items() if file and not file.startswith(here)]})


def run(task: Callable[..., None], files: dict[str, str], *arguments: Any, seconds: float = 3600.0) -> dict[str, Any]:
    """Put texts into files of the copy and run a task in a child, with a function that sends its reply and ends it.

    Returns the reply with "processor", the seconds used. A child that dies or needs too long counts as found by "load".
    """
    before = {path: Path(path).read_text(encoding="utf-8") for path in files}
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        for path, text in files.items():
            Path(path).write_text(text, encoding="utf-8")
        found = _forked(task, arguments, seconds)
    finally:
        for path, text in before.items():
            Path(path).write_text(text, encoding="utf-8")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found | {"processor": now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime}


def _forked(task: Callable[..., None], arguments: tuple[Any, ...], seconds: float) -> dict[str, Any]:
    reading, writing = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]  # the copy's tests are imported

        def reply(answer: dict[str, Any]) -> None:
            writing.send(answer)
            os._exit(0)

        try:
            task(*arguments, reply)
        finally:  # whatever a mutant raises
            os._exit(1)
    writing.close()
    how = "endless"
    try:
        if reading.poll(seconds):
            how = "died"
            return reading.recv()
    except EOFError:
        pass
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # the child and the processes that it started
        os.waitpid(child, 0)
        reading.close()
    return {"stage": "load", "test": "", "how": how, "error": f"the process of the tests: {how}"}
