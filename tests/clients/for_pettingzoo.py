"""PettingZoo's own tests."""

from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import average_total_reward
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from carnegie_env import carnegie_v0


def check_api() -> None:
    """api_test."""
    for players in (2, 3, 4):
        api_test(carnegie_v0.env(num_players=players), num_cycles=500)


def check_api_illegal() -> None:
    """api_test, illegal actions lose."""
    api_test(carnegie_v0.env(num_players=3, on_illegal="lose", modules="all"), num_cycles=500)


def check_api_wrapper() -> None:
    """api_test under TerminateIllegalWrapper."""
    api_test(TerminateIllegalWrapper(carnegie_v0.env(), illegal_reward=-1), num_cycles=500)


def check_seed() -> None:
    """seed_test."""
    seed_test(carnegie_v0.env, num_cycles=300)


def check_render() -> None:
    """render_test."""
    render_test(carnegie_v0.env)


def check_average() -> None:
    """average_total_reward, which samples without masks."""
    average_total_reward(carnegie_v0.env(num_players=4, on_illegal="lose", reward="margin"), max_episodes=20)
