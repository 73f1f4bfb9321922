"""What somebody who waits is told, and that who looks at a game does not wait for the compiler."""

from __future__ import annotations

import io
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from carnegie_env.core import progress

ROOT = Path(__file__).parents[1]


class Heard:
    """All that was said on stderr so far."""

    def __init__(self, capsys):
        self.capsys = capsys
        self.text = ""

    def getvalue(self):
        self.text += self.capsys.readouterr().err
        return self.text


@pytest.fixture
def stream(monkeypatch, capsys):
    """What is said on stderr by a process that has said nothing yet and is no worker."""
    monkeypatch.setattr(progress, "_told", set())
    monkeypatch.setattr(progress, "_spent", 0.0)
    for name in ("PYTEST_XDIST_WORKER", "CARNEGIE_ENV_QUIET"):
        monkeypatch.delenv(name, raising=False)
    return Heard(capsys)


# ---------------------------------------------------------------- the message
def test_whoever_waits_is_told_within_a_second_and_once(stream):
    begun = time.perf_counter()
    with progress.waiting(lambda: "compiling, about 20 s"):
        while not stream.getvalue() and time.perf_counter() - begun < 10:
            time.sleep(0.02)
        assert time.perf_counter() - begun < 1
        with progress.waiting(lambda: "inside"):
            pass
    with progress.waiting(lambda: "again"):
        time.sleep(progress.PATIENCE + 0.2)
    assert stream.getvalue() == "carnegie_env: compiling, about 20 s\n"


def test_nobody_is_told_of_a_short_wait_but_of_many(stream):
    with progress.waiting(lambda: "short"):
        time.sleep(progress.PATIENCE / 3)
    assert stream.getvalue() == ""
    for _ in range(6):
        with progress.waiting(lambda: "many"):
            time.sleep(progress.PATIENCE / 3)
    assert stream.getvalue() == "carnegie_env: many\n"


@pytest.mark.parametrize(("name", "value"), [("CARNEGIE_ENV_QUIET", "1"), ("PYTEST_XDIST_WORKER", "gw0")])
def test_silence(stream, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    progress.tell("subject", "text")
    assert stream.getvalue() == ""


def test_without_a_stream_nothing_fails(stream, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    progress.tell("subject", "text")
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    progress.tell("subject", "text")


def test_a_child_of_multiprocessing_is_a_worker(stream):
    assert not progress.in_worker()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(progress.in_worker)


def test_a_worker_of_ray_is_one(stream, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", sys)
    assert not progress.in_worker()
    monkeypatch.setattr(sys.modules["__main__"], "__file__", "/ray/_private/workers/default_worker.py", raising=False)
    assert progress.in_worker()


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled")
def test_the_message_of_a_cold_start(tmp_path):
    """The first door of the rules: within a second or so of its opening; the process is ended then."""
    code = (
        "import sys, time, carnegie_env.carnegie.game as game; b = object.__new__(game.Batch);"
        "print('now', file=sys.stderr, flush=True); game.Batch(1)"
    )
    environment = os.environ | {"CARNEGIE_ENV_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    for name in ("PYTEST_XDIST_WORKER", "CARNEGIE_ENV_QUIET"):
        environment.pop(name, None)
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr.readline() == "now\n"
        begun = time.perf_counter()
        line = process.stderr.readline()
        waited = time.perf_counter() - begun
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert line.startswith("carnegie_env: compiling the rules") and str(tmp_path) in line
    assert 5 <= int(line.split("about ")[1].split(" s")[0]) <= 300
    assert waited < 5  # a second, on a machine with nothing else to do


# ---------------------------------------------------------------- the first board
@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A game recorded by the command itself."""
    file = tmp_path_factory.mktemp("record") / "game.txt"
    command(["play", "--record", str(file)], file.parent, "legal\nquit\n")
    return file


def command(arguments, folder, typed=""):
    """Run a command as users do, with an empty cache; returns its output and how long it took."""
    code = (
        "import sys; from carnegie_env.cli import main; sys.argv[0] = 'carnegie-env'; code = main();"
        "assert 'numba' not in sys.modules; sys.exit(code)"
    )
    cache = folder / "cache"
    environment = os.environ | {"CARNEGIE_ENV_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    begun = time.perf_counter()
    options = {"env": environment, "input": typed, "capture_output": True, "text": True, "timeout": 120}
    done = subprocess.run([sys.executable, "-c", code, *arguments], **options)
    assert done.returncode == 0 and done.stderr == "", done.stderr[-2000:]
    assert not cache.exists()
    return done.stdout, time.perf_counter() - begun


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["facts"], "component values"),
        (["new"], "player_0"),
        (["new", "--players", "4", "--modules", "all"], "player_3"),
        (["play"], "player_0"),
        (["replay"], "player_0"),
    ],
)
def test_the_first_board_does_not_wait_for_the_compiler(arguments, shown, tmp_path, recorded):
    given = [*arguments, str(recorded)] if arguments == ["replay"] else arguments
    out, seconds = command(given, tmp_path, "quit\n")
    assert shown in out.lower()
    assert seconds < 12  # 1 s with nothing else to do; with the compiler it was 20 s


def test_a_program_that_calls_the_command_keeps_its_compiled_rules(tmp_path):
    code = (
        "from carnegie_env import cli; cli.main(['facts']);"
        "from carnegie_env.core.jit import COMPILED; assert COMPILED"
    )
    environment = os.environ | {"CARNEGIE_ENV_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
