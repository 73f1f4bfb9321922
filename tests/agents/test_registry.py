"""The registry: shipped agents by name, your own as module:Class, and the messages for wrong names."""

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
    """Modules in the current folder, which is not on Python's path."""
    (tmp_path / "own_agents.py").write_text(textwrap.dedent(OWN))
    (tmp_path / "own_broken.py").write_text("import no_such_library\n")
    (tmp_path / "own_wrong.py").write_text("def f(:\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != ""])
    for name in ("own_agents", "own_broken", "own_wrong"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield
    sys.modules.pop("own_agents", None)


def test_agents_from_a_module(own):
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
        ("random:7", "'random:7': write random"),
        ("bot", "'bot': write bot:FILE"),
        ("no such:First", "unknown agent 'no such:First'"),
        ("own_nothing:First", "there is no agent 'own_nothing', and no module 'own_nothing'"),
        ("own_agents.sub:First", "no module 'own_agents.sub'|can't be loaded"),
        ("own_broken:First", "own_broken can't be loaded: ModuleNotFoundError: No module named 'no_such_library'"),
        ("own_wrong:First", "module own_wrong can't be loaded: SyntaxError"),
        ("own_agents:Last", "has no Last; its agents are First, Seeded, Raises, Needs"),
        ("own_agents:", "has no class with an empty name; its agents are First"),
        ("own_agents:NoAgent", "NoAgent is not an agent; it must be a subclass of carnegie_env.Agent"),
        ("own_agents:Agent", "Agent is not an agent"),
        ("own_agents:number", "number is not an agent"),
        ("own_agents:Raises", "own_agents:Raises can't be made: RuntimeError: no licence .*own_agents.py, line"),
        ("own_agents:Needs", "own_agents:Needs can't be made: TypeError: .*path"),
        *((f"value:draws={n}", f"draws must be a whole number from 1 to 1000, not '{n}'") for n in ("x", 0, 1001)),
        ("value:draws=2,draws=3", "'draws' is given twice"),
        ("value:draws=", "'draws' needs a value"),
        ("value:depth=3", "value has no argument 'depth'; its arguments are network, draws"),
        ("value:/no/such/file", "there is no network at /no/such/file"),
        ("value:network=/", "there is no network at /weights.safetensors"),
        *((f"search:ms={n}", "search: ms must be a number of 0.001 or more") for n in (0, "nan", "inf", -5)),
        *((f"search:evals={n}", f"evals must be a whole number of 1 or more, not '{n}'") for n in (0, 1.5, "٣")),
        ("search:threads=1025", "threads must be a whole number from 1 to 1024"),
        ("search:depth=x", "depth must be a whole number"),
        ("search:noise=-1", "noise must be a number of 0 or more, not '-1'"),
        ("search:deviations=-1", "deviations must be a whole number of 0 or more, not '-1'"),
        ("search:draws=4", "search has no argument 'draws'; its arguments are network, ms, evals"),
        ("search:/no/such/file", "there is no network at /no/such/file"),
    ],
)
def test_wrong_names_are_rejected(own, name, message):
    with pytest.raises(ValueError, match=message):
        registry.make_agent(name)
