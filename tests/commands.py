"""Helpers that run commands in this process, and Python in another process."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from carnegie_env import cli


def run(capsys, *arguments, code=0):
    """Run a command; returns its output, or the error message if it must fail."""
    assert cli.main([str(argument) for argument in arguments]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    if code:
        assert err.startswith("carnegie-env: error: ") and not out
        return err
    assert err == ""
    return out


def refused(capsys, command, *given):
    """Call the function of a command whose arguments its parser refuses; returns the error message."""
    with pytest.raises(SystemExit) as end:
        command(*given)
    err = capsys.readouterr().err
    assert end.value.code == 2 and "Traceback" not in err
    return err


def undisturbed(monkeypatch, folder, module):
    """Compile nothing, work in a folder of the test, and do not play games for the module's `signature`."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(module, "signature", lambda game: 77)
    monkeypatch.chdir(folder)


def completed(*arguments, typed="", cwd=None, timeout=300, **environment):
    """Run Python in another process with these arguments, input and variables."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)], input=typed, cwd=cwd, env=os.environ | environment, timeout=timeout,
        capture_output=True, text=True,
    )  # fmt: skip


def python(*arguments, **how):
    """Run Python as :func:`completed` does, without an error; returns its output."""
    done = completed(*arguments, **how)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def is_gone(pid: int) -> bool:
    """Whether a process ends, soon on an idle machine."""
    until = time.monotonic() + 60
    while is_there(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_there(pid)


def is_there(pid: int) -> bool:
    """Whether a process runs (one that has ended and that nobody has asked for does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it may end while the file is open
        return False


class Program:
    """A program in a file of a folder, to be run with one argument, killed and run again; it compiles nothing."""

    def __init__(self, folder, code):
        (folder / "program.py").write_text(textwrap.dedent(code))
        self.how = {"cwd": folder, "env": os.environ | {"NUMBA_DISABLE_JIT": "1"}}

    def run(self, argument):
        """Run it to its end."""
        subprocess.run([sys.executable, "program.py", argument], check=True, timeout=240, **self.how)

    def start(self, argument, until):
        """Run it until a condition holds; returns the process, which must not have ended before."""
        running = subprocess.Popen([sys.executable, "program.py", argument], **self.how)
        end = time.monotonic() + 120
        while not until() and running.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        assert until() and running.poll() is None
        return running
