"""`GameVecEnv`, the Stable-Baselines3 environment. More in tests/conformance and tests/clients."""

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecNormalize

import carnegie_env  # noqa: F401
from carnegie_env.envs.sb3 import GameVecEnv

N = 5


def test_masks_attributes_and_wrappers():
    env = GameVecEnv(N, seed=0)
    env.reset()
    assert is_masking_supported(env) and get_action_masks(env).shape == (N, env.action_space.n)
    assert env.env_method("action_masks", indices=[1, 3]).shape[0] == 2
    assert env.env_method("action_masks", indices=2).shape[0] == 1
    assert not env.has_attr("something") and env.get_attr("render_mode") == [None] * N
    assert env.env_is_wrapped(Monitor) == [True] * N and not any(env.env_is_wrapped(gymnasium.Wrapper))
    with pytest.raises(AttributeError, match="action_masks"):
        env.env_method("something")
    with pytest.raises(AttributeError):
        env.set_attr("reward", "win")
    assert is_masking_supported(VecNormalize(env))
    rendered = GameVecEnv(2, render_mode="ansi", seed=0)
    rendered.reset()
    assert len(rendered.env_method("render")) == 2
    env.close()


def test_seeds():
    env = GameVecEnv(N, seed=0)
    first = env.reset()
    second = env.reset()
    assert not np.array_equal(first, second)
    env.seed(0)
    assert np.array_equal(env.reset(), first) and np.array_equal(env.reset(), second)
    assert not np.array_equal(GameVecEnv(N).reset(), GameVecEnv(N).reset())


WRONG = [{"reward": "x"}, {"num_players": 5}, {"foo": 1}, {"game": "x"}, {"on_illegal": "x"}]


@pytest.mark.parametrize("options", WRONG)
def test_wrong_options(options):
    with pytest.raises(ValueError):
        GameVecEnv(2, **options)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "x", [1, 2]])
def test_wrong_seeds_numbers_and_options_of_reset(seed):
    with pytest.raises(ValueError, match="a seed must be a whole number from 0"):
        GameVecEnv(2, seed=seed)
    with pytest.raises(ValueError, match="num_envs must be a whole number from 1"):
        GameVecEnv(0)
    env = GameVecEnv(2)
    env.set_options({"difficulty": "expert"})
    with pytest.raises(ValueError, match="no options"):
        env.reset()


def test_make_vec_env_of_stable_baselines3():
    """It asks for pictures if there are any."""
    env = make_vec_env("Carnegie/Solo-v0", 2, seed=0, env_kwargs={"modules": "all"})
    assert env.render_mode == "rgb_array"
    assert env.reset().shape == (2, env.observation_space.shape[0])


def test_maskable_ppo_learns_and_is_evaluated():
    env = GameVecEnv(8, seed=0, reward="dense_margin")
    small = {"n_steps": 64, "batch_size": 128, "n_epochs": 1, "policy_kwargs": {"net_arch": [16]}}
    model = MaskablePPO("MlpPolicy", env, seed=0, **small)
    model.learn(1024)
    assert len(model.ep_info_buffer) > 0
    returns, lengths = evaluate_policy(model, GameVecEnv(4, seed=1, reward="win"), 4, return_episode_rewards=True)
    assert set(returns) <= {-1.0, 0.0, 1.0} and min(lengths) >= 16  # 6 in set-up, 10 rows
