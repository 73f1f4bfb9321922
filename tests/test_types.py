"""Type checkers see the public names as they are; `make test` runs mypy over the code itself (pyproject.toml)."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pytest

import carnegie_env
from carnegie_env.carnegie import state
from carnegie_env.core import arrays
from tests.commands import python

ROOT = Path(__file__).resolve().parents[1]
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
    """What mypy says of users' programs, by the project's own strict settings: line and code of each error.

    Its cache is that of the project's check, so the package itself is not read again. All programs in one run: two at a
    time would write the same cache. An error that comes from there may name the folder of an earlier run.
    """
    settings = {**os.environ, "MYPYPATH": str(ROOT)}  # the package of this tree, wherever it is installed
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--no-pretty"]
    command = [sys.executable, "-m", "mypy", *config, *map(str, programs)]
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, encoding="utf-8", timeout=600)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    errors = re.findall(r"^(.+?):(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    return {
        path: [(int(line), code) for file, line, code in errors if Path(file).name == path.name] for path in programs
    }


@pytest.mark.slow
def test_a_users_program_is_typed_in_all_its_parts_and_mistakes_in_it_are_found(tmp_path):
    mistakes = tmp_path / "mistakes.py"
    mistakes.write_text(MISTAKES)
    found = mypy(USER_PROGRAM, mistakes)
    assert found[USER_PROGRAM] == []
    assert found[mistakes] == [
        (2, "attr-defined"),
        (5, "attr-defined"),
        (6, "arg-type"),
        (7, "arg-type"),
        (8, "attr-defined"),
        (9, "assignment"),
        (13, "attr-defined"),
        (14, "call-overload"),
    ]


def test_the_users_program_runs():
    python(USER_PROGRAM)


def test_checkers_and_programs_find_the_same_public_names():
    """The imports under TYPE_CHECKING, those made while running, and `__all__`."""
    tree = ast.parse(Path(carnegie_env.__file__).read_text())
    (checked,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        name.asname or name.name: node.module
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert {*imported, "__version__"} == set(carnegie_env.__all__)
    for name, module in imported.items():
        value = getattr(carnegie_env, name)  # imports the module, too
        assert value is (getattr(sys.modules[module], name) if name != "carnegie_v0" else sys.modules[value.__name__])
        assert name in dir(carnegie_env)
    with pytest.raises(AttributeError, match="no attribute 'Bacth'"):
        carnegie_env.Bacth  # noqa: B018  (the look-up is what is tried)


def test_a_field_is_to_the_rules_what_it_is_in_the_record():
    """An array with one index, with two, or a number; unsigned 64-bit words are not taken for int."""
    hints = typing.get_type_hints(state.Record)
    assert list(hints) == list(state.GAME.names)
    for name, hint in hints.items():
        kind = state.GAME[name]
        element = np.uint64 if kind.base == np.uint64 else int
        wanted = {0: element, 1: arrays.Vector[element], 2: arrays.Matrix[element]}[kind.ndim]
        assert hint == wanted, name


def test_the_package_says_that_it_is_typed():
    assert (Path(carnegie_env.__file__).parent / "py.typed").is_file()
