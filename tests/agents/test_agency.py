"""Where the agents are found: beside the package, inside it, or under another name's shadow; one copy in a process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import carnegie_env
from agents import registry
from agents.greedy import GreedyAgent
from carnegie_env import agency

ROOT = Path(__file__).resolve().parents[2]


def test_the_checkout_has_one_copy_of_its_agents():
    agent = carnegie_env.make_agent("greedy", seed=3)
    assert type(agent) is GreedyAgent and agency.registry() is registry
    assert agency.agent_names() == registry.names()
    with pytest.raises(ValueError, match="unknown agent 'clever'"):
        carnegie_env.make_agent("clever")


def copied(folder: Path, agents_at: str | None) -> Path:
    """The package in another folder, its agents where they are asked for."""
    without_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "carnegie_env", folder / "carnegie_env", ignore=without_caches)
    if agents_at is not None:
        shutil.copytree(ROOT / "agents", folder / agents_at, ignore=without_caches)
    return folder


PROGRAM = """
import sys
import carnegie_env
assert not any(name.startswith(("numba", "agents", "carnegie_env.agents")) for name in sys.modules)
agent = carnegie_env.make_agent("random")
print(type(agent).__module__, "agents.base" in sys.modules, "carnegie_env.agents.base" in sys.modules)
assert type(carnegie_env.make_agent("random")) is type(agent)
"""


def said(program: str, *path: Path) -> tuple[int, str]:
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path)), "NUMBA_DISABLE_JIT": "1"}
    env.pop("PYTHONSAFEPATH", None)
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=path[0], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8",
    )  # fmt: skip
    return run.returncode, run.stdout


def test_beside_the_package_inside_it_or_nowhere(tmp_path):
    beside = copied(tmp_path / "beside", "agents")
    assert said(PROGRAM, beside) == (0, "agents.random_agent True False\n")
    inside = copied(tmp_path / "inside", "carnegie_env/agents")
    assert said(PROGRAM, inside) == (0, "carnegie_env.agents.random_agent False True\n")
    stranger = tmp_path / "stranger"
    (stranger / "agents").mkdir(parents=True)
    (stranger / "agents" / "__init__.py").write_text("raise SystemExit('the package of someone else was run')\n")
    assert said(PROGRAM, stranger, inside) == (0, "carnegie_env.agents.random_agent False True\n")
    assert said(PROGRAM, stranger, beside) == (0, "carnegie_env.agents.random_agent False True\n")
    shutil.rmtree(beside / "agents")
    code, text = said(PROGRAM, beside)
    assert code == 1 and "there are no agents: neither" in text and str(beside / "agents") in text
