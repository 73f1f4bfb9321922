"""Stable-Baselines3 and its contributed MaskablePPO."""

import warnings

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv, VecFrameStack, VecMonitor, VecNormalize

from carnegie_env.carnegie.envs import SoloEnv
from carnegie_env.envs.sb3 import GameVecEnv
from tests.clients import ID

SMALL = {"policy_kwargs": {"net_arch": [16]}}


def _make(number: int = 2, **arguments):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*render_mode.*")  # make_vec_env tries "rgb_array" first
        return make_vec_env(ID, number, seed=0, **arguments)


def check_check_env() -> None:
    """check_env."""
    check_env(SoloEnv())
    check_env(SoloEnv(mask_in_observation=True))


def check_make_vec_env() -> None:
    """make_vec_env."""
    env = _make(env_kwargs={"reward": "margin", "modules": "all"})
    env.reset()
    env.step(np.zeros(2, np.int64))


def check_subproc() -> None:
    """make_vec_env, SubprocVecEnv with spawn."""
    env = _make(vec_env_cls=SubprocVecEnv, vec_env_kwargs={"start_method": "spawn"})
    env.reset()
    for _ in range(30):
        masks = np.stack(env.env_method("action_masks"))
        env.step(masks.argmax(axis=1))
    env.close()


def check_ppo() -> None:
    """PPO."""
    PPO("MlpPolicy", _make(), n_steps=32, batch_size=32, n_epochs=1, **SMALL).learn(128)


def check_a2c() -> None:
    """A2C."""
    A2C("MlpPolicy", _make(), **SMALL).learn(50)


def check_dqn() -> None:
    """DQN."""
    DQN("MlpPolicy", _make(1), learning_starts=50, buffer_size=500, **SMALL).learn(150)


def check_maskable() -> None:
    """MaskablePPO on make_vec_env and on GameVecEnv."""
    for env in (_make(), GameVecEnv(4, seed=0, reward="dense_margin")):
        model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, **SMALL)
        model.learn(128)
        assert len(model.rollout_buffer.action_masks)


def check_dictionary() -> None:
    """PPO with the mask in the observation (MultiInputPolicy)."""
    for env in (_make(env_kwargs={"mask_in_observation": True}), GameVecEnv(4, mask_in_observation=True)):
        PPO("MultiInputPolicy", env, n_steps=16, batch_size=16, n_epochs=1, **SMALL).learn(64)


def check_wrappers() -> None:
    """VecNormalize, VecFrameStack, VecMonitor of GameVecEnv."""
    for wrap in (VecNormalize, lambda env: VecFrameStack(env, 2), VecMonitor):
        env = wrap(GameVecEnv(4, seed=0))
        env.reset()
        for _ in range(100):
            env.step(env.env_method("action_masks").argmax(axis=1))
