"""RLlib learns with action masks in every environment that is registered for it. Run by `make test-ray`."""

import math

import numpy as np
import pytest

pytest.importorskip("ray.rllib")
from gymnasium.utils.env_checker import check_env
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from carnegie_env.envs import rllib
from carnegie_env.workers.cluster import connect

pytestmark = pytest.mark.ray
NATIVE = "vector_entry_point"
VERSUS = {"num_players": 3, "opponents": ["greedy", "random"], "reward": "dense_margin", "learner_seat": "random"}
STRICT = {"on_illegal": "raise"}  # an illegal action ends the test


@pytest.fixture(scope="module", autouse=True)
def _ray():
    with connect(cpus=2):
        yield


def ppo(name, config, *, mode="sync", envs=2, runners=0, table=False):
    """Run three iterations of PPO; returns the results, and how far the weights of each module have moved."""
    rllib.register()
    made = PPOConfig().environment(name, env_config=config, disable_env_checking=table)
    made.env_runners(num_env_runners=runners, num_envs_per_env_runner=envs, gym_env_vectorize_mode=mode)
    made.training(train_batch_size_per_learner=256, minibatch_size=128, num_epochs=1, lr=1e-3)
    made.rl_module(
        rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [32]})
    )
    if table:
        made.multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
    algorithm = made.debugging(seed=0).build_algo()
    try:
        before = weights(algorithm)
        results = [algorithm.train() for _ in range(3)]
        after = weights(algorithm)
    finally:
        algorithm.stop()
    moved = {name: sum(float(abs(after[name][k] - part).sum()) for k, part in before[name].items()) for name in before}
    return results, moved


def weights(algorithm):
    found = algorithm.learner_group.get_weights()
    return {name: {k: np.array(part) for k, part in parts.items()} for name, parts in found.items()}


@pytest.mark.parametrize(
    ("name", "config", "how"),
    [
        ("carnegie-solo", {"reward": "dense_margin", "difficulty": "beginner"}, {}),
        ("carnegie-solo", {"reward": "dense_margin"}, {"mode": NATIVE, "envs": 8}),
        ("carnegie-solo", {"modules": "all"}, {"mode": NATIVE, "runners": 1}),  # in another process
        ("carnegie-versus", VERSUS, {}),
        ("carnegie-versus", VERSUS, {"mode": NATIVE, "envs": 8}),
        ("carnegie-versus", {}, {}),
        ("steel_driver-versus", {"opponents": "greedy", "reward": "margin"}, {"mode": NATIVE, "envs": 8}),
        ("carnegie-table", {"num_players": 3}, {"table": True}),
        ("steel_driver-table", {"reward": "margin"}, {"table": True, "envs": 1}),
    ],
    ids=lambda given: given if isinstance(given, str) else "-".join(map(str, given.values())),
)
def test_ppo_learns(name, config, how):
    results, moved = ppo(name, config | STRICT, **how)
    module = "shared" if how.get("table") else "default_policy"
    for result in results:
        learner = result["learners"][module]
        losses = [learner[each] for each in ("total_loss", "policy_loss", "vf_loss", "entropy")]
        assert all(math.isfinite(loss) for loss in losses), losses
        assert learner["entropy"] > 0
    assert results[-1]["num_env_steps_sampled_lifetime"] >= 3 * 256
    assert set(moved) == {module} and moved[module] > 0
    returns = [result["env_runners"].get("episode_return_mean", math.nan) for result in results]
    assert math.isfinite(returns[-1])  # some games have ended


def test_the_environments_of_all_games_are_registered():
    assert rllib.register() == (
        "carnegie-solo", "carnegie-versus", "carnegie-table", "steel_driver-versus", "steel_driver-table",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "config"), [("carnegie-solo", {}), ("carnegie-versus", {"opponents": "greedy"})], ids=str
)
def test_gymnasiums_environment_checker(name, config):
    game, table = name.split("-")
    check_env(rllib.make(game, table, config), skip_render_check=True)


@pytest.mark.parametrize(("table", "config"), [("solo", {}), ("versus", {"opponents": "random"})])
def test_vectorized_games_equal_single_environments(table, config):
    """Game by game, beyond the end of episodes. RLlib resets a finished game with a step whose action it ignores."""
    single = rllib.make("carnegie", table, config)
    many = rllib.make("carnegie", table, config | {"num_envs": 2})
    seen, info = single.reset(seed=5)
    both, infos = many.reset(seed=[5, 6])
    generator, ended = np.random.default_rng(0), 0
    assert "action_mask" not in info and "action_mask" not in infos
    assert both["action_mask"].dtype == seen["observations"].dtype == np.float32
    assert many.single_observation_space.contains(seen) and many.observation_space.contains(both)
    while ended < 2:
        actions = [int(generator.choice(np.flatnonzero(mask))) for mask in both["action_mask"]]
        both, rewards, over, _, infos = many.step(actions)
        assert "action_mask" not in infos
        seen, reward, terminated, _, info = single.step(actions[0])
        assert (rewards[0], over[0]) == (reward, terminated)
        if terminated:
            np.testing.assert_array_equal(both["observations"][0], seen["observations"])
            actions = [0, int(np.flatnonzero(both["action_mask"][1])[0])]
            both, rewards, over, _, infos = many.step(actions)
            seen, info = single.reset()
            assert rewards[0] == 0 and not over[0]
            ended += 1
        for part in seen:
            np.testing.assert_array_equal(both[part][0], seen[part])


@pytest.mark.parametrize(
    ("table", "config", "message"),
    [
        ("solo", {"mask_in_observation": True}, "observations for RLlib always contain the mask"),
        ("solo", {"num_players": 2}, "num_players=1, not 2"),
        ("versus", {"opponents": "nobody"}, "nobody"),
        ("versus", {"colour": "red"}, "colour"),
    ],
)
def test_wrong_arguments_are_refused(table, config, message):
    for more in ({}, {"num_envs": 2}):
        with pytest.raises(ValueError, match=message):
            rllib.make("carnegie", table, config | more)


def test_wrong_arguments_of_a_table_are_refused():
    with pytest.raises(ValueError, match="observations for RLlib always contain the mask"):
        rllib.make_table("carnegie", {"mask_in_observation": False})
    with pytest.raises(ValueError, match="2 to 4"):
        rllib.make_table("carnegie", {"num_players": 1})
