"""Helpers that run `carnegie-env` in this process, and Python in another process."""

from __future__ import annotations

import os
import subprocess
import sys

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


def undisturbed(monkeypatch, folder, module):
    """Compile nothing, work in a folder of the test, and do not play games for the module's `signature`."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(module, "signature", lambda game: 77)
    monkeypatch.chdir(folder)


def python(*arguments, cwd=None, timeout=300, **environment):
    """Run Python in another process with these arguments and variables; returns its output."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=os.environ | environment, timeout=timeout,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout
