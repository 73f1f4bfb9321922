"""PPO weights from untrusted sources contain only numbers, are checked, and nothing in them is executed."""

import base64
import json
import pickle
import zipfile

import numpy as np
import pytest
import torch
from gymnasium import spaces
from safetensors.torch import load_file, save

from carnegie_env import Batch
from carnegie_env.agents import evaluation, registry
from carnegie_env.agents.greedy import loops as greedy
from carnegie_env.agents.learned import PACKAGED, PPOAgent, interface
from carnegie_env.agents.policy import Policy, actor_of, weights
from carnegie_env.agents.value import FOLDER, WEIGHTS_FILE
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.carnegie.tables import DIFFICULTIES
from carnegie_env.core import lazy
from carnegie_env.steel_driver.game import STEEL_DRIVER
from training import rivals
from training.rivals import POLICY, Seated
from training.value import rival_of


@pytest.fixture(scope="module")
def trained_for():
    return interface(Batch(1, num_players=1))


@pytest.fixture
def policy(trained_for):
    """An untrained network."""
    torch.manual_seed(0)
    box = spaces.Box(-np.inf, np.inf, (trained_for["features"],), np.float32)
    return Policy(box, spaces.Discrete(trained_for["actions"]), lambda _: 0.0, width=8)


@pytest.fixture
def folder(tmp_path, policy, trained_for):
    """A run folder with this network."""
    (tmp_path / WEIGHTS_FILE).write_bytes(weights(policy, trained_for))
    return tmp_path


def metadata(trained_for):
    return {name: str(value) for name, value in trained_for.items()}


def test_the_agent_computes_what_the_trained_network_does(policy, trained_for):
    batch = Batch(20, num_players=1)
    batch.reset(1)
    found = actor_of(policy, trained_for).logits(batch.observe())
    np.testing.assert_allclose(found, policy.actor()(torch.from_numpy(batch.observe())), rtol=1e-4, atol=1e-5)


def test_compiled_loops_choose_as_the_agent_does(folder):
    """As a rival of value learning, up to rounding; here as plain Python, because compiling takes half a minute."""
    batch = Batch(10, num_players=1)
    generator, agent = np.random.default_rng(2), registry.make_agent(f"ppo:{folder}")
    kind, net = rival_of(agent.name, CARNEGIE, batch.options)
    assert kind == POLICY
    assert all(part.dtype == np.float32 and part.flags.c_contiguous for part in net)
    options = batch.options
    greedy_room, worths = greedy.room(CARNEGIE, batch.num_actions), np.empty(batch.num_actions)
    rival = Seated(kind, net, evaluation.room(CARNEGIE, options, net, 1), greedy_room, worths)
    choose = lazy.in_plain_python(rivals.choose)
    for _ in range(8):
        legal, logits = batch.action_masks(), agent.actor(batch).logits(batch.observe())
        logits = np.where(legal, logits, -np.inf)
        games = batch.games.copy()
        for i in np.flatnonzero(~batch.done):
            chosen = choose(rival, games[i], 1, np.uint64(i))
            assert legal[i, chosen] and logits[i, chosen] == pytest.approx(logits[i].max(), abs=1e-5)
        for _ in range(5):
            batch.step(batch.sample_actions(generator))
    with pytest.raises(ValueError, match="was trained for .* but this game of 2 player"):
        rival_of(agent.name, CARNEGIE, CARNEGIE.options(num_players=2))


class Bomb:
    """Creates a file when it is unpickled."""

    def __init__(self, mark):
        self.mark = str(mark)

    def __reduce__(self):
        return open, (self.mark, "w")


def test_no_pickle_is_ever_loaded(folder):
    mark = folder / "executed"
    bomb = pickle.dumps(Bomb(mark))
    with zipfile.ZipFile(folder / "model.zip", "w") as file:
        file.writestr("data", json.dumps({"policy_class": {":serialized:": base64.b64encode(bomb).decode()}}))
        for name in ("policy.pth", "pytorch_variables.pth", "policy.optimizer.pth"):
            file.writestr(name, bomb)
    registry.make_agent(f"ppo:{folder}").act_batch(Batch(2, num_players=1))  # model.zip is ignored
    with pytest.raises(ValueError, match="model.zip is not opened: .* can run any code"):
        registry.make_agent(f"ppo:{folder / 'model.zip'}")
    for content in (bomb, (folder / "model.zip").read_bytes()):
        (folder / WEIGHTS_FILE).write_bytes(content)
        with pytest.raises(ValueError, match=WEIGHTS_FILE):
            registry.make_agent(f"ppo:{folder}")
    (folder / "other.zip").write_bytes((folder / "model.zip").read_bytes())
    with pytest.raises(ValueError, match="other.zip"):
        registry.make_agent(f"ppo:{folder / 'other.zip'}")
    assert not mark.exists()
    pickle.loads(bomb).close()
    assert mark.exists()  # it works


def test_files_that_are_damaged_or_of_another_network_are_rejected(folder, trained_for):
    """test_tensors.py has the malformed headers."""
    file = folder / WEIGHTS_FILE
    content, tensors = file.read_bytes(), load_file(file)

    def saved(**changes):
        return save({**tensors, **changes}, metadata(trained_for))

    name, first = "action_net.weight", "features_extractor.layer.0.weight"
    weight = tensors[name]
    fewer = {key: tensor for key, tensor in tensors.items() if key != name}
    for wrong, message in (
        (b"", "0 bytes"), (content[:-1], "can't be read"), (content[: len(content) // 3], "can't be read"),
        (content + b"x", "can't be read"), (b"\xff" * len(content), "can't be read"),
        (save(fewer, metadata(trained_for)), "missing: action_net.weight"),
        (save({**fewer, "other.weight": weight}, metadata(trained_for)), "missing: action_net.weight"),
        (saved(more=torch.zeros(3)), "unexpected tensors: \\['more'\\]"),
        (saved(**{name: weight.to(torch.float64)}), "action_net.weight must be float32 .* not float64"),
        (saved(**{name: weight.to(torch.int32)}), "not int32"),
        *((saved(**{name: wrong}), "inconsistent shapes") for wrong in (weight.T.contiguous(), weight[0])),
        *((saved(**{each: torch.tensor(1.0)}), "inconsistent shapes") for each in (name, first)),
        *((saved(**{name: wrong}), "NaN or beyond 1e\\+06")  # with 1e38 sums are infinite, and no action is best
          for wrong in (weight * torch.nan, weight + torch.inf, weight.float() + 1e38)),
        (save(tensors, {}), "but its header says"),
        (save(tensors, metadata(trained_for) | {"actions": "9"}), "but its header says"),
        (save(tensors, {**metadata(trained_for), "layout": ""}), "but its header says"),
        ((FOLDER / "carnegie-1.safetensors").read_bytes(), "from value learning .*; use value:"),
    ):  # fmt: skip
        file.write_bytes(wrong)
        with pytest.raises(ValueError, match=message) as error:
            PPOAgent(str(folder))
        assert str(file) in str(error.value) and len(str(error.value)) < 1500
    file.unlink()
    with pytest.raises(ValueError, match=f"no trained model at {folder}.*: give a run folder"):
        PPOAgent(str(folder))
    file.mkdir()
    with pytest.raises(ValueError, match="no trained model at"):
        PPOAgent(str(folder))


def test_the_package_has_networks():
    """For Carnegie with 1 and 2 players, at every difficulty, smaller than a megabyte each."""
    agent = registry.make_agent("ppo")
    for options in (*({"num_players": 1, "difficulty": name} for name in DIFFICULTIES), {"num_players": 2}):
        batch = Batch(3, **options)
        assert batch.action_masks()[np.arange(3), agent.act_batch(batch)].all()
    with pytest.raises(ValueError, match="ppo has no network for carnegie with .* are carnegie-1, carnegie-2$"):
        agent.act_batch(Batch(3, num_players=3))
    with pytest.raises(ValueError, match="does not play steel_driver"):
        agent.check_plays(STEEL_DRIVER, STEEL_DRIVER.options())
    with pytest.raises(ValueError, match="ppo has no network for carnegie with"):
        agent.check_plays(CARNEGIE, CARNEGIE.options(num_players=3))
    assert all(file.stat().st_size < 2**20 for file in PACKAGED.iterdir()) and len(agent.version) == 12
