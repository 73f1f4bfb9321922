"""Every game as environments of RLlib, with masks: names for `PPOConfig().environment(...)`. Needs `ray[rllib]`.

::

    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from carnegie_env.envs import rllib

    rllib.register()
    table = {"num_players": 3, "opponents": ["greedy", "random"], "reward": "dense_margin"}
    config = PPOConfig().environment("carnegie-versus", env_config=table)
    config.env_runners(num_envs_per_env_runner=64, gym_env_vectorize_mode="vector_entry_point")
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    algorithm = config.build_algo()

| name | environment |
|---|---|
| `carnegie-solo` | `Carnegie/Solo-v0`: one learner against Andrew |
| `carnegie-versus`, `steel_driver-versus` | `.../Versus-v0`: one learner among `opponents`, named agents ("random") |
| `carnegie-table`, `steel_driver-table` | PettingZoo's environment: an agent for every seat, for `multi_agent(...)` |

`env_config` takes the arguments of these environments (rewards, options, opponents), except `mask_in_observation`.
Observations are dictionaries as RLlib's masking modules require them: `observations`, float32 (F,), and `action_mask`,
float32 (A,), 0 or 1. Infos contain no masks.

With `gym_env_vectorize_mode="vector_entry_point"` the `-solo` and `-versus` games of an environment runner are played
together in compiled loops; with "sync", the default, one by one. `-table` games are always played one by one.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import BaseWrapper
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from carnegie_env.collection import games
from carnegie_env.envs.aec import functions_of

SOLO, VERSUS, TABLE = "solo", "versus", "table"
OPPONENTS = "random"  # the default of versus environments
Masked = dict[str, NDArray[np.float32]]


def register() -> tuple[str, ...]:
    """Register the environments of all games with Ray, for all processes of the current or next Ray cluster.

    Returns:
        Their names.
    """
    names = []
    for name, game in games().items():
        tables = (SOLO, VERSUS, TABLE) if game.opponent is not None else (VERSUS, TABLE)
        for table in tables:
            names.append(f"{name}-{table}")
            made = functools.partial(make_table, name) if table == TABLE else functools.partial(make, name, table)
            register_env(names[-1], made)
    return tuple(names)


def make(name: str, table: str, config: Mapping[str, Any]) -> Any:
    """An environment for one learner.

    Args:
        name: the game's name.
        table: "solo" or "versus".
        config: arguments by name, see above; with `num_envs`, the result is a vector environment of that many games.

    Raises:
        ValueError: an unknown argument or value.
    """
    arguments = _arguments(config)
    if table == VERSUS and arguments.get("opponents") is None:
        arguments["opponents"] = OPPONENTS
    game = games()[name]
    number = arguments.pop("num_envs", None)
    environment = f"{game.namespace}/{'Solo' if table == SOLO else 'Versus'}-v0"
    if number is None:
        return MaskedEnv(gymnasium.make(environment, disable_env_checker=True, mask_in_observation=True, **arguments))
    many = gymnasium.make_vec(
        environment, num_envs=number, vectorization_mode="vector_entry_point", mask_in_observation=True,
        autoreset_mode=AutoresetMode.NEXT_STEP, **arguments,
    )  # fmt: skip
    return MaskedVectorEnv(many)


def make_table(name: str, config: Mapping[str, Any]) -> PettingZooEnv:
    """An environment with an agent for every seat, `player_0`, `player_1`, ...

    Args:
        name: the game's name.
        config: arguments of the game's PettingZoo environment. `on_illegal` is "lose" by default because RLlib's check
            of environments plays random actions without masks.

    Raises:
        ValueError: an unknown argument or value.
    """
    env = functions_of(games()[name])[1]
    return PettingZooEnv(MaskedAgents(env(**{"on_illegal": "lose"} | _arguments(config))))


def _arguments(config: Mapping[str, Any]) -> dict[str, Any]:
    arguments = dict(config)
    if "mask_in_observation" in arguments:
        raise ValueError("omit mask_in_observation: observations for RLlib always contain the mask")
    return arguments


# ---------------------------------------------------------------- observations under RLlib's names
def _masked(given: Mapping[str, NDArray[Any]]) -> Masked:
    return {"observations": given["observation"], "action_mask": given["action_mask"].astype(np.float32)}


def _space(given: spaces.Space[Any]) -> spaces.Dict:
    assert isinstance(given, spaces.Dict)
    mask = spaces.Box(0, 1, given["action_mask"].shape, np.float32)
    return spaces.Dict(observations=given["observation"], action_mask=mask)


class _Masked:
    """A mix-in for Gymnasium's wrappers: observations in RLlib's form, infos without masks."""

    env: Any

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Masked, dict[str, Any]]:
        """Reset the environment."""
        observation, info = self.env.reset(seed=seed, options=options)
        return _masked(observation), _without_mask(info)

    def step(self, action: Any) -> tuple[Masked, Any, Any, Any, dict[str, Any]]:
        """Step the environment."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return _masked(observation), reward, terminated, truncated, _without_mask(info)


class MaskedEnv(_Masked, gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """One game with observations in the form that RLlib's masking modules require."""

    def __init__(self, env: gymnasium.Env[Any, np.int64]) -> None:
        RecordConstructorArgs.__init__(self)
        gymnasium.Wrapper.__init__(self, env)
        self.observation_space = _space(env.observation_space)


class MaskedVectorEnv(_Masked, gymnasium.vector.VectorWrapper):
    """N games with such observations."""

    def __init__(self, env: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self.single_observation_space = _space(env.single_observation_space)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)


def _without_mask(info: dict[str, Any]) -> dict[str, Any]:
    """RLlib keeps every info of an episode, and masks would be the largest part."""
    return {name: each for name, each in info.items() if name not in ("action_mask", "_action_mask")}


class MaskedAgents(BaseWrapper[str, Masked, Any]):
    """A PettingZoo environment with such observations."""

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's space, under RLlib's names."""
        return _space(super().observation_space(agent))

    def observe(self, agent: str) -> Masked:
        """The agent's observation, under RLlib's names."""
        observation: Any = super().observe(agent)
        return _masked(observation)
