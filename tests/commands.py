"""The command `carnegie-env` in this process, for tests of its subcommands."""

from __future__ import annotations

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
