"""SuperSuit's wrappers for PettingZoo environments, and for Gymnasium's."""

import gymnasium
import numpy as np
import supersuit

from carnegie_env import carnegie_v0
from tests.clients import ID


def _play(env) -> None:
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        seen = observation if isinstance(observation, dict) else env.unwrapped.observe(agent)
        mask = seen["action_mask"]
        env.step(None if termination or truncation else env.action_space(agent).sample(mask))


def check_rewards() -> None:
    """clip_reward, reward_lambda of the PettingZoo environment."""
    _play(supersuit.clip_reward_v0(carnegie_v0.env(reward="margin"), -1, 1))
    _play(supersuit.reward_lambda_v0(carnegie_v0.env(reward="margin"), lambda value: value / 100))


def check_observations() -> None:
    """observation_lambda, dtype, frame_stack of the PettingZoo environment."""
    vectors = supersuit.observation_lambda_v0(
        carnegie_v0.env(), lambda seen, space: seen["observation"], lambda space: space["observation"]
    )
    _play(vectors)
    _play(supersuit.dtype_v0(vectors, np.float16))
    _play(supersuit.frame_stack_v1(vectors, 2))


def check_agents() -> None:
    """agent_indicator, pad_observations, pad_action_space of the PettingZoo environment."""
    vectors = supersuit.observation_lambda_v0(
        carnegie_v0.env(num_players=3), lambda seen, space: seen["observation"], lambda space: space["observation"]
    )
    _play(supersuit.agent_indicator_v0(vectors))
    _play(supersuit.pad_observations_v0(vectors))
    _play(supersuit.pad_action_space_v0(vectors))


def check_gymnasium() -> None:
    """frame_stack, dtype, clip_reward of the Gymnasium environment."""
    for wrap in (
        lambda env: supersuit.frame_stack_v1(env, 2),
        lambda env: supersuit.dtype_v0(env, np.float16),
        lambda env: supersuit.clip_reward_v0(env, -1, 1),
    ):
        env = wrap(gymnasium.make(ID))
        _, info = env.reset(seed=1)
        terminated = False
        while not terminated:
            _, _, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))


def check_vector() -> None:
    """gym_vec_env: several Gymnasium environments."""
    envs = supersuit.gym_vec_env_v0(gymnasium.make(ID), 2)
    envs.reset(seed=1)
    for _ in range(30):
        envs.step(envs.action_space.sample())
