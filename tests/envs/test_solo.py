"""`gymnasium.make("Carnegie/Solo-v0")`: seeds, arguments, copies. More in tests/conformance."""

import contextlib
import copy
import functools
import pickle

import gymnasium
import numpy as np
import pytest

import carnegie_env
from tests.commands import python

ID = "Carnegie/Solo-v0"


def make(**options):
    return gymnasium.make(ID, **options)


def test_the_id_can_name_the_package_to_import():
    code = "import gymnasium; print(gymnasium.make('carnegie_env:Carnegie/Solo-v0').spec.id)"
    assert python("-c", code).strip() == ID


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, carnegie_env; assert 'numba' not in sys.modules and 'pettingzoo' not in sys.modules;"
        "from carnegie_env import Batch, Position, Options, carnegie_v0; assert 'torch' not in sys.modules"
    )
    python("-c", code)
    assert {"Batch", "Position", "Options", "carnegie_v0"} <= set(dir(carnegie_env))


@pytest.mark.parametrize("make_one", [make, lambda: gymnasium.make_vec(ID, num_envs=2)], ids=["one", "two"])
def test_returned_arrays_are_not_shared(make_one):
    env = make_one()
    first, info = env.reset(seed=0)
    kept, kept_mask = first.copy(), info["action_mask"].copy()
    second, _, _, _, info2 = env.step(info["action_mask"].argmax(axis=-1))
    assert np.array_equal(first, kept) and np.array_equal(info["action_mask"], kept_mask)
    assert not np.shares_memory(first, second) and not np.shares_memory(info["action_mask"], info2["action_mask"])
    second[:] = -1
    info2["action_mask"][:] = 0
    assert env.unwrapped.action_masks().any()


def test_gymnasiums_generator_decides_the_first_unseeded_game():
    a, b = make().unwrapped, make().unwrapped
    a.np_random, b.np_random = np.random.default_rng(1), np.random.default_rng(1)
    a.reset(), b.reset()
    assert a.position == b.position


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": "money"}, "win, rank, margin, score, dense_margin"),
        ({"reward": np.zeros(2)}, "reward must be one of"),
        ({"on_illegal": np.zeros(2)}, "on_illegal must be one of"),
        ({"on_illegal": "random"}, "lose, raise"),
        ({"num_players": 3}, "num_players=1.*Versus-v0.*carnegie_v0"),
        ({"wait": True}, "wait is not available in the solo game.*new_start, new_departments, diverse_setup"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)
    with pytest.raises(ValueError, match=message):
        gymnasium.make_vec(ID, num_envs=2, **options)


def test_wrong_seeds():
    env = make().unwrapped
    env.reset(seed=3)
    before = str(env.np_random.bit_generator.state)
    for seed in (-1, 2**64, True, 1.0, "x"):
        with pytest.raises(ValueError, match="a seed must be a whole number from 0 to"):
            env.reset(seed=seed)
    assert str(env.np_random.bit_generator.state) == before


@pytest.mark.parametrize("make_one", [make, functools.partial(gymnasium.make_vec, ID, num_envs=2)], ids=["one", "two"])
def test_unknown_arguments_and_render_modes_are_type_errors(make_one):
    """Clients try arguments and catch TypeError."""
    for name in ("frameskip", "num_threads" if make_one is make else "num_thread", "autoreset", "players"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'.*show_forced.*modules.*on_illegal"):
            make_one(**{name: 2})
    with pytest.warns(UserWarning) if make_one is make else contextlib.nullcontext():
        with pytest.raises(TypeError, match=r"render_mode must be None or one of \['ansi', .*, not 'depth_array'"):
            make_one(render_mode="depth_array")
    with pytest.raises(ValueError, match="mask_in_observation must be True or False, not 1"):
        make_one(mask_in_observation=1)


def test_render():
    env, envs = make(render_mode="ansi"), gymnasium.make_vec(ID, num_envs=2, render_mode="ansi")
    env.reset(seed=0), envs.reset(seed=0)
    assert all(isinstance(text, str) and text for text in (env.render(), *envs.render())) and len(envs.render()) == 2
    assert make().unwrapped.render() is gymnasium.make_vec(ID, num_envs=2).unwrapped.render() is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(
    ("name", "options"), [(ID, {}), ("Carnegie/Versus-v0", {"num_players": 3, "opponents": ["random", "random"]})]
)
def test_copies_play_on_identically(name, options, copied):
    env, generator, terminated = gymnasium.make(name, **options).unwrapped, np.random.default_rng(0), False
    env.reset(seed=4)
    for _ in range(5):
        env.step(env.action_masks().argmax())
    other = copied(env)
    while not terminated:
        action = generator.choice(np.flatnonzero(env.action_masks()))
        (observation, reward, terminated, *_), theirs = env.step(action), other.step(action)
        assert np.array_equal(observation, theirs[0]) and (reward, terminated) == theirs[1:3]
    assert np.array_equal(env.reset()[0], other.reset()[0]) and env.position == other.position
