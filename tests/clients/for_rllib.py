"""RLlib: the Gymnasium version that it pins, and its check of multi-agent environments. Training: tests/ray."""

import gymnasium
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from carnegie_env.envs import rllib
from tests.clients import ID, child, for_gymnasium


def check_version() -> None:
    """Its Gymnasium is 1.2.2, and check_env runs there."""
    from gymnasium.utils.env_checker import check_env

    assert gymnasium.__version__ == "1.2.2"
    check_env(gymnasium.make(ID).unwrapped, skip_render_check=True)
    check_env(gymnasium.make(ID, mask_in_observation=True).unwrapped, skip_render_check=True)


def check_wrappers() -> None:
    """Every wrapper of that Gymnasium."""
    failed = [name for name, check in for_gymnasium.more() if child.error_of(check)]
    assert not failed, failed


def check_multi() -> None:
    """PettingZooEnv, check_multiagent_environments."""
    for players in (2, 3, 4):
        check_multiagent_environments(rllib.make_table("carnegie", {"num_players": players}))
