"""Type checkers see the public names correctly; `make test` runs mypy on the code itself (pyproject.toml)."""

from __future__ import annotations

import ast
import re
import sys
import typing
from pathlib import Path

import numpy as np
import pytest

import carnegie_env
from carnegie_env.carnegie import state
from carnegie_env.core import arrays
from tests.commands import completed, python
from tests.paths import ROOT

USER_PROGRAM = ROOT / "tests" / "install" / "user_program.py"
MISTAKES = """\
from carnegie_env.carnegie.state import Record
from carnegie_env import Batch, Position, Positoin
import carnegie_env

carnegie_env.Bacth
Batch("four")
Position.new(seed="seven")
Position.new().rendered()
number: int = Position.new().legal_actions()


def rule(game: Record, seat: int) -> None:
    game.mony[seat] = 1
    print(game.money[seat, 0])
"""


def mypy(*programs: Path) -> dict[Path, list[tuple[int, str]]]:
    """Line and code of each mypy error in users' programs, with the project's strict settings.

    The cache is shared with the project's check, so all programs are checked in one run. Cached errors may name the
    folder of an earlier run.
    """
    command = ["-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--no-pretty", *programs]
    path = {"MYPYPATH": str(ROOT)}  # this package, even if another one is installed
    done = completed(*command, cwd=ROOT, timeout=600, **path)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    errors = re.findall(r"^(.+?):(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    return {
        path: [(int(line), code) for file, line, code in errors if Path(file).name == path.name] for path in programs
    }


@pytest.mark.slow
def test_a_users_program_is_typed_and_mistakes_are_found(tmp_path):
    mistakes = tmp_path / "mistakes.py"
    mistakes.write_text(MISTAKES)
    found = mypy(USER_PROGRAM, mistakes)
    assert found[USER_PROGRAM] == []
    assert found[mistakes] == [
        (2, "attr-defined"), (5, "attr-defined"), (6, "arg-type"), (7, "arg-type"), (8, "attr-defined"),
        (9, "assignment"), (13, "attr-defined"), (14, "call-overload"),
    ]  # fmt: skip


def test_the_users_program_runs():
    python(USER_PROGRAM)


def test_public_names_are_the_same_for_checkers_and_programs():
    """The imports under TYPE_CHECKING, those made while running, and `__all__`."""
    tree = ast.parse(Path(carnegie_env.__file__).read_text())
    (checked,) = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imported = {
        name.asname or name.name: node.module
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert {*imported, "__version__"} == set(carnegie_env.__all__)
    for name, module in imported.items():
        value = getattr(carnegie_env, name)  # imports the module
        assert value is (getattr(sys.modules[module], name) if name != "carnegie_v0" else sys.modules[value.__name__])
        assert name in dir(carnegie_env)
    with pytest.raises(AttributeError, match="no attribute 'Bacth'"):
        carnegie_env.Bacth  # noqa: B018


def test_fields_of_the_record_have_the_right_types():
    """Numbers, vectors or matrices; unsigned 64-bit words are not int."""
    hints = typing.get_type_hints(state.Record)
    assert list(hints) == list(state.GAME.names)
    for name, hint in hints.items():
        kind = state.GAME[name]
        element = np.uint64 if kind.base == np.uint64 else int
        wanted = {0: element, 1: arrays.Vector[element], 2: arrays.Matrix[element]}[kind.ndim]
        assert hint == wanted, name
