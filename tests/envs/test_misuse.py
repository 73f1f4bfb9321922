"""Calls in the wrong order and arguments of a wrong type: the message says what would be right."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import carnegie_env  # noqa: F401  (registers the environments)
from carnegie_env import Batch, Position, carnegie_v0, collection, make_agent, steel_driver_v0

SOLO = "Carnegie/Solo-v0"
WHOLE = "an action must be a whole number, such as 3, not "


def vector(num_envs: int = 2) -> Any:
    return gymnasium.make_vec(SOLO, num_envs=num_envs, vectorization_mode="vector_entry_point")


def closed() -> Any:
    env = vector()
    env.reset(seed=0)
    env.close()
    return env


def pair() -> Any:
    env = carnegie_v0.raw_env(2)
    env.reset(seed=0)
    return env


def lost() -> Any:
    env = carnegie_v0.raw_env(2, on_illegal="lose")
    env.reset(seed=0)
    env.step(int(np.argmin(env.last()[0]["action_mask"])))
    while env.agents:
        env.step(None)
    return env


MISUSES: list[tuple[Callable[[], object], str]] = [
    (lambda: gymnasium.make(SOLO).unwrapped.step(0), r"call reset\(\) before step\(\)"),
    (lambda: vector().step([0, 0]), r"call reset\(\) before step\(\)"),
    (lambda: closed().step([0, 0]), "the environment is closed"),
    (lambda: closed().reset(), "the environment is closed"),
    (lambda: vector(0), "num_envs must be a whole number from 1"),
    (lambda: carnegie_v0.raw_env(2).step(0), r"call reset\(\)"),
    (lambda: carnegie_v0.raw_env(2).last(), r"call reset\(\)"),
    (lambda: lost().last(), r"call reset\(\)"),
    (lambda: lost().step(None), r"call reset\(\)"),
    (lambda: carnegie_v0.raw_env(2).reset(options=3), "options of reset must be a dictionary or None, not 3"),
    (lambda: carnegie_v0.raw_env(2).reset(seed=[5]), "a seed must be a whole number"),  # type: ignore[arg-type]
    (lambda: carnegie_v0.env(7), "num_players must be 2 to 4 here, not 7$"),
    (lambda: carnegie_v0.env(1), "num_players must be 2 to 4 here, not 1; for one player use .*Solo-v0"),
    (lambda: steel_driver_v0.env(1), "num_players must be 3 to 6 here, not 1$"),
    (lambda: gymnasium.make("Carnegie/Versus-v0", num_players=5), "num_players must be 2 to 4 here, not 5$"),
    (lambda: make_agent(3), "the name of an agent must be a text"),  # type: ignore[arg-type]
    (lambda: make_agent("greedy").act(gymnasium.make(SOLO)), "an agent decides in a position, .* in a OrderEnforcing"),
    (lambda: make_agent("greedy").rate({}), "an agent decides in a position"),
]


@pytest.mark.parametrize(("do", "message"), MISUSES, ids=[message for _, message in MISUSES])
def test_misuse(do: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        do()


@pytest.mark.parametrize("action", [np.array([1]), None, 1.5, "x", float("nan"), [1, 2], True])
def test_an_action_of_a_wrong_type(action: Any) -> None:
    env = gymnasium.make(SOLO)
    env.reset(seed=0)
    for step in (env.step, pair().step):
        with pytest.raises(ValueError, match=WHOLE):
            step(action)


def test_a_position_of_another_game_says_where_its_class_is() -> None:
    other = collection.find("steel_driver").position_class.new({"num_players": 3}, 0)
    with pytest.raises(ValueError, match=r"steel_driver, not of carnegie; .*\(\)\['steel_driver'\]\.position_class"):
        Position.from_dict(other.to_dict())


def test_a_batch_shows_what_it_is() -> None:
    batch = Batch(3, num_players=2)
    assert len(batch) == 3 and repr(batch).startswith("<Batch of 3 games of carnegie, 0 over, Options(num_players=2")
