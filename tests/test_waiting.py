"""Messages while the compiler runs; showing a game does not need the compiler."""

import contextlib
import io
import itertools
import multiprocessing
import os
import re
import sys
import time
from types import SimpleNamespace

import pytest

from carnegie_env.core import progress
from tests.commands import completed, python
from tests.toy.test_plugin import install


@pytest.fixture
def heard(monkeypatch, capsys):
    """The messages of a process that has written none yet and is not a worker."""
    monkeypatch.setattr(progress, "_told", set())
    monkeypatch.setattr(progress, "_spent", 0.0)
    monkeypatch.setattr(progress, "AFTER", 0.3)
    monkeypatch.setattr(progress, "PAUSE", 0.3)
    monkeypatch.setattr(progress.atexit, "register", lambda function: None)
    for name in ("PYTEST_XDIST_WORKER", "CARNEGIE_ENV_QUIET"):
        monkeypatch.delenv(name, raising=False)
    yield lambda: capsys.readouterr().err
    progress._timer.cancel()


# ---------------------------------------------------------------- the message
@contextlib.contextmanager
def compiling():
    with progress.compiling(lambda: "/cache"), progress.compiling(lambda: "inside"):
        yield


def line(heard):
    """The next message, which another thread writes."""
    text, until = "", time.monotonic() + 60
    while not text.endswith("\n") and time.monotonic() < until:
        time.sleep(0.01)
        text += heard()
    return text


def test_start_and_end_of_long_compiling_are_announced_once(heard):
    with compiling():
        text = "compiling the rules that this program needs: up to a minute, longer on a busy computer"
        assert line(heard) == f"carnegie_env: {text}\n"
    with compiling():  # compiling continues
        pass
    assert re.fullmatch(r"carnegie_env: compiled in \d+ s; kept in /cache for the next time\n", line(heard))
    with compiling():
        time.sleep(0.5)
    time.sleep(0.5)
    assert heard() == ""


def test_short_compiling_is_announced_once_it_adds_up(heard, monkeypatch):
    """The clock goes on by 20 s for each compiling."""
    clock = itertools.count(0, 20)
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    monkeypatch.setattr(progress, "AFTER", 60)
    for _ in range(3):
        with compiling():
            pass
    time.sleep(0.4)
    assert heard() == ""
    with compiling():
        assert "up to a minute" in line(heard)


@pytest.mark.parametrize(("name", "value"), [("CARNEGIE_ENV_QUIET", "1"), ("PYTEST_XDIST_WORKER", "gw0")])
def test_silence(heard, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    progress.tell("subject", "text")
    assert heard() == ""


def test_messages_without_a_usable_stderr_are_dropped(heard, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    progress.tell("subject", "text")
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    progress.tell("subject", "text")


def test_a_child_of_multiprocessing_is_a_worker(heard):
    assert not progress.in_worker()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(progress.in_worker)


def test_a_ray_process_is_a_worker(heard, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", sys)
    assert not progress.in_worker()
    monkeypatch.setattr(sys.modules["__main__"], "__file__", "/ray/_private/workers/default_worker.py", raising=False)
    assert progress.in_worker()


# ---------------------------------------------------------------- the first board
@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A game recorded by the command itself."""
    file = tmp_path_factory.mktemp("record") / "game.txt"
    command(["play", "--record", str(file)], file.parent, "legal\nquit\n")
    return file


def command(arguments, folder, typed):
    """Run a command like a user, with an empty cache; returns its output and the processor's seconds that it took."""
    code = (
        "import sys; from carnegie_env.cli import main; sys.argv[0] = 'carnegie-env'; code = main();"
        "assert 'numba' not in sys.modules; sys.exit(code)"
    )
    cache, begun = folder / "cache", os.times()
    done = completed("-c", code, *arguments, typed=typed, CARNEGIE_ENV_CACHE=str(cache), NUMBA_DISABLE_JIT="0")
    assert done.returncode == 0 and done.stderr == "", done.stderr[-2000:]
    assert not [*cache.rglob("*.program")]  # agents may have begun to compile, in processes of their own
    ended = os.times()
    return done.stdout, sum(ended[2:4]) - sum(begun[2:4])  # of child processes that have ended


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
    assert seconds < 12  # 1 s on an idle machine, 20 s with compiling


def test_the_first_board_of_another_packages_game(tmp_path, monkeypatch):
    install(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((os.environ["PYTHONPATH"], str(tmp_path))))
    monkeypatch.setenv("CARNEGIE_ENGINE", "numba")  # the library has no code for it
    assert "free 9" in command(["new", "--game", "tic_tac_toe"], tmp_path, "")[0]


def test_a_program_that_calls_the_command_uses_compiled_rules(tmp_path):
    code = (
        "from carnegie_env import cli; cli.main(['facts']);from carnegie_env.core.jit import COMPILED; assert COMPILED"
    )
    python("-c", code, CARNEGIE_ENV_CACHE=str(tmp_path), NUMBA_DISABLE_JIT="0")
