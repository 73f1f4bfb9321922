"""Commands that tests run: `carnegie-env` in this process, and Python in another."""

from __future__ import annotations

import os
import subprocess
import sys

from carnegie_env import cli


def run(capsys, *arguments, code=0):
    """Run a command; returns what it wrote (to stderr if it must fail)."""
    assert cli.main([str(argument) for argument in arguments]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    if code:
        assert err.startswith("carnegie-env: error: ") and not out
        return err
    assert err == ""
    return out


def undisturbed(monkeypatch, folder, module):
    """Random games are soon played without a compiler; what is left behind is in a folder of the test's own.

    ``module``: whose `signature` would be computed by games.
    """
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(module, "signature", lambda game: 77)
    monkeypatch.chdir(folder)


def python(*arguments, cwd=None, timeout=300, **environment):
    """Run Python in another process with these arguments and variables; returns what it wrote to stdout."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=os.environ | environment, timeout=timeout,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
