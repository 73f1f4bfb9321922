"""The registry: shipped agents by name, and one's own as module:Class, with messages that say what would be right."""

import sys
import textwrap

import numpy as np
import pytest

from carnegie_env import Batch
from carnegie_env.agents import registry
from carnegie_env.agents.base import Agent

OWN = """
    from carnegie_env.agents.base import Agent
    import numpy as np

    class First(Agent):
        name = "first"
        def choose(self, batch):
            return batch.action_masks().argmax(axis=1)

    class Seeded(First):
        def __init__(self, seed=0):
            self.seed = seed

    class Raises(First):
        def __init__(self):
            raise RuntimeError("no licence")

    class Needs(First):
        def __init__(self, path):
            pass

    class NoAgent:
        pass

    number = 3
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module `own_agents` in the current folder, which Python has not on its path."""
    (tmp_path / "own_agents.py").write_text(textwrap.dedent(OWN))
    (tmp_path / "own_broken.py").write_text("import no_such_library\n")
    (tmp_path / "own_wrong.py").write_text("def f(:\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != ""])
    for name in ("own_agents", "own_broken", "own_wrong"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield
    sys.modules.pop("own_agents", None)


def test_own_agents(own):
    agent = registry.make_agent("own_agents:First", seed=3)
    assert isinstance(agent, Agent) and agent.name == "first"
    batch = Batch(3, num_players=2)
    np.testing.assert_array_equal(agent.act_batch(batch), batch.action_masks().argmax(axis=1))
    assert registry.make_agent("own_agents:Seeded", seed=3).seed == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clever", "unknown agent 'clever'; the agents are random, greedy, value"),
        ("", "unknown agent ''"),
        ("random:7", "'random:7': it is asked for as random"),
        ("ppo", "'ppo': it is asked for as ppo:PATH"),
        ("ppo:", "'ppo:': it is asked for as ppo:PATH"),
        ("no such:First", "unknown agent 'no such:First'"),
        ("own_nothing:First", "there is no agent 'own_nothing', and no module 'own_nothing'"),
        ("own_agents.sub:First", "no module 'own_agents.sub'|can't be loaded"),
        ("own_broken:First", "own_broken can't be loaded: ModuleNotFoundError: No module named 'no_such_library'"),
        ("own_wrong:First", "module own_wrong can't be loaded: SyntaxError"),
        ("own_agents:Last", "has no Last; its agents are First, Seeded, Raises, Needs"),
        ("own_agents:", "has no class of an empty name; its agents are First"),
        ("own_agents:NoAgent", "NoAgent is not an agent; it must be a subclass of carnegie_env.Agent"),
        ("own_agents:Agent", "Agent is not an agent"),
        ("own_agents:number", "number is not an agent"),
        ("own_agents:Raises", "own_agents:Raises can't be made: RuntimeError: no licence .*own_agents.py, line"),
        ("own_agents:Needs", "own_agents:Needs can't be made: TypeError: .*path"),
    ],
)
def test_what_cannot_be_made(own, name, message):
    with pytest.raises(ValueError, match=message):
        registry.make_agent(name)


def test_every_agent_is_named_in_help_texts():
    for name in registry.AGENTS:
        assert name in registry.names()
