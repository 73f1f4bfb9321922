"""TorchRL: GymEnv, GymWrapper over one environment and over the native vector environment, PettingZooWrapper."""

import gymnasium
import torch
from torchrl.envs import ActionMask, Compose, DTypeCastTransform, GymEnv, GymWrapper, PettingZooWrapper, TransformedEnv
from torchrl.envs.utils import check_env_specs

from carnegie_env import carnegie_v0
from tests.clients import ID

SOLO = ID.split(":")[1]


def check_gym_env() -> None:
    """GymEnv with the plain id, check_env_specs."""
    for options in ({}, {"reward": "dense_margin", "modules": "all"}, {"mask_in_observation": True}):
        env = GymEnv(SOLO, **options)
        check_env_specs(env)
        env.rollout(100)


def check_masks() -> None:
    """GymEnv with ActionMask, no illegal action."""
    base = GymEnv(SOLO, mask_in_observation=True, on_illegal="raise", categorical_action_encoding=True)
    cast = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    env = TransformedEnv(base, Compose(cast, ActionMask()))
    for _ in range(5):
        game = env.rollout(1000)
        assert len(game) > 15 and game["next", "terminated"][-1]


def check_gym_wrapper() -> None:
    """GymWrapper of one environment."""
    env = GymWrapper(gymnasium.make(ID))
    check_env_specs(env)
    assert env.rollout(100)["next", "reward"].shape[-1] == 1


def check_vector() -> None:
    """GymWrapper of the native vector environment, in the modes that TorchRL supports."""
    for mode in ("Disabled", "SameStep"):
        env = GymWrapper(gymnasium.make_vec(ID, num_envs=3, autoreset_mode=mode))
        game = env.rollout(100, break_when_any_done=False)
        assert game.shape == (3, 100) and game["next", "done"].sum() > 0


def check_pettingzoo() -> None:
    """PettingZooWrapper with masks, 2 to 4 players, check_env_specs."""
    for players in (2, 3, 4):
        env = PettingZooWrapper(carnegie_v0.env(num_players=players), use_mask=True)
        check_env_specs(env)
        game = env.rollout(3000)
        assert game["next", "done"][-1]
