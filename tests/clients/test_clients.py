"""Gymnasium's wrappers, and the examples that work in the project's own environment; `make clients` checks all clients.

PettingZoo's and Stable-Baselines3's own tests also run in tests/conformance.
"""

import ast
import functools
import runpy
import warnings

import gymnasium
import pytest

from tests.clients import EXAMPLES, catalogue, child
from tests.clients.__main__ import main
from tests.commands import refused

LINES = 20  # the most lines of an example, without its docstring and empty lines
CHECKS = {what: check for what, check in child.checks("gymnasium") if not what.startswith("docs/")}


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile once what several processes of the checks need."""
    for name in ("Carnegie/Solo-v0", "SteelDriver/Versus-v0"):
        env = gymnasium.make(f"carnegie_env:{name}")
        _, info = env.reset(seed=0)
        env.step(int(info["action_mask"].argmax()))


@pytest.mark.parametrize("what", CHECKS)
def test_gymnasium(what, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        CHECKS[what]()


@pytest.mark.parametrize(
    "name", [name for client in catalogue.CLIENTS.values() if client.in_tests for name in client.examples]
)
def test_example_runs(name, monkeypatch, tmp_path):
    for module in ("torch", "sb3_contrib"):
        if f"import {module}" in (EXAMPLES / f"{name}.py").read_text():
            pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")


def test_every_example_is_run_by_a_client_and_short():
    used = [name for client in catalogue.CLIENTS.values() for name in client.examples]
    assert sorted(used) == sorted(path.stem for path in EXAMPLES.glob("*.py"))
    for name in used:
        text = (EXAMPLES / f"{name}.py").read_text()
        lines = [line for line in text.splitlines()[1:] if line.strip()]
        assert len(lines) <= LINES, name
        assert "pip install" in (ast.get_docstring(ast.parse(text)) or ""), name


def test_failing_examples_are_errors(monkeypatch, tmp_path):
    (tmp_path / "wrong.py").write_text('"""Wrong."""\n\nraise SystemExit(3)\n')
    monkeypatch.setattr(child, "EXAMPLES", tmp_path)
    assert "ended with 3" in child.error_of(functools.partial(child.run_example, "wrong"))


def test_unknown_clients(capsys):
    assert "there is no client 'openai'; there are gymnasium," in refused(capsys, main, ["openai"])
