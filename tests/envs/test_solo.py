"""`gymnasium.make("Carnegie/Solo-v0")`."""

import contextlib
import copy
import functools
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

import carnegie_env
from carnegie_env import Batch
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import rewards

ID = "Carnegie/Solo-v0"


def make(**options):
    return gymnasium.make(ID, **options)


def play(env, seed=None, generator=None, steps=10_000):
    """One episode of random legal actions: everything that came back, step by step."""
    generator = generator or np.random.default_rng(0)
    observation, info = env.reset(seed=seed)
    history = [(observation, 0.0, False, info)]
    for _ in range(steps):
        legal = np.flatnonzero(history[-1][3]["action_mask"])
        observation, reward, terminated, truncated, info = env.step(generator.choice(legal))
        assert not truncated
        history.append((observation, reward, terminated, info))
        if terminated:
            break
    return history


def same(a, b):
    return len(a) == len(b) and all(
        np.array_equal(x[0], y[0]) and x[1:3] == y[1:3] and np.array_equal(x[3]["action_mask"], y[3]["action_mask"])
        for x, y in zip(a, b, strict=True)
    )


def illegal_action(info):
    return int(np.flatnonzero(info["action_mask"] == 0)[0])


def test_the_id_can_name_the_module():
    code = "import gymnasium; print(gymnasium.make('carnegie_env:Carnegie/Solo-v0').spec.id)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ID


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, carnegie_env; assert 'numba' not in sys.modules and 'pettingzoo' not in sys.modules;"
        "from carnegie_env import Batch, Position, Options, carnegie_v0; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"Batch", "Position", "Options", "carnegie_v0"} <= set(dir(carnegie_env))


@pytest.mark.parametrize("make_one", [make, lambda: gymnasium.make_vec(ID, num_envs=2)], ids=["one", "two"])
def test_nothing_handed_out_is_shared(make_one):
    env = make_one()
    first, info = env.reset(seed=0)
    kept, kept_mask = first.copy(), info["action_mask"].copy()
    second, _, _, _, info2 = env.step(info["action_mask"].argmax(axis=-1))
    assert np.array_equal(first, kept) and np.array_equal(info["action_mask"], kept_mask)
    assert not np.shares_memory(first, second) and not np.shares_memory(info["action_mask"], info2["action_mask"])
    second[:] = -1
    info2["action_mask"][:] = 0
    assert env.unwrapped.action_masks().any()


def test_seeds():
    env, other = make(), make()
    a = play(env, seed=5)
    assert same(a, play(other, seed=5))
    assert same(a, play(env, seed=5))
    assert not same(a, play(env, seed=6))
    # without a seed the sequence goes on, whatever was played before
    env.reset(seed=5), other.reset(seed=5)
    play(other, generator=np.random.default_rng(1), seed=5)
    assert same(play(env), play(other))
    assert same(play(env), play(other))
    # without any seed every environment plays a game of its own
    assert not same(play(make()), play(make()))


def test_the_generator_of_gymnasium_decides_the_first_unseeded_game():
    a, b = make().unwrapped, make().unwrapped
    a.np_random, b.np_random = np.random.default_rng(1), np.random.default_rng(1)
    assert same(play(a), play(b))


@pytest.mark.parametrize(("reward", "worth"), [(name, rewards.loss(name, CARNEGIE)) for name in rewards.ALL])
def test_an_illegal_action_loses(reward, worth):
    env = make(reward=reward)
    history = play(env, seed=2, steps=20)
    action = illegal_action(history[-1][3])
    before = env.unwrapped._games.batch.games.copy()
    observation, value, terminated, truncated, info = env.step(action)
    assert terminated and not truncated
    assert value + (sum(h[1] for h in history) if reward == "dense_margin" else 0) == pytest.approx(worth)
    assert str(action) in info["illegal_action"] and "legal" in info["illegal_action"]
    assert "game 0" not in info["illegal_action"]
    assert env.unwrapped._games.batch.games == before  # the game is as it was
    assert np.array_equal(observation, history[-1][0])
    assert info["action_mask"].sum() == 1
    with pytest.raises(ValueError, match="reset"):
        env.step(0)
    assert same(play(env, seed=2), play(make(reward=reward), seed=2))


@pytest.mark.parametrize("action", [None, "pass", 1.0, np.array([1, 2]), [0], True])
def test_actions_of_a_wrong_type(action):
    env = make().unwrapped
    _, info = env.reset(seed=0)
    with pytest.raises(ValueError, match="actions must"):
        env.step(action)
    assert np.array_equal(env.action_masks(), info["action_mask"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difficulty": "hard"}, "beginner, normal, difficult, expert"),
        ({"reward": "money"}, "win, rank, margin, score, dense_margin"),
        ({"on_illegal": "random"}, "lose, raise"),
        ({"num_players": 3}, "num_players=1.*Versus-v0.*carnegie_v0"),
        ({"players": 1}, "unexpected keyword argument 'players'.*difficulty.*reward"),
        ({"timeline_tiles": "diagonal"}, "columns, rows"),
        ({"show_forced": 1}, "True or False"),
        ({"new_start": 1}, "new_start must be True or False"),
        ({"wait": True}, "wait does not go with the solo game.*new_start, new_departments, diverse_setup"),
        ({"new_donations": True}, "new_donations does not go with the solo game"),
        ({"secret_donation": True}, "secret_donation does not go with the solo game"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)
    with pytest.raises(ValueError, match=message):
        gymnasium.make_vec(ID, num_envs=2, **options)


def test_wrong_render_modes_and_reset_options():
    from carnegie_env.carnegie.envs import SoloEnv

    with pytest.raises(ValueError, match="render_mode"):
        SoloEnv(render_mode="depth_array")
    with pytest.raises(ValueError, match="reset has no options"):
        make().reset(options={"difficulty": "expert"})
    env = make().unwrapped
    env.reset(seed=3)
    before = str(env.np_random.bit_generator.state)
    for seed in (-1, 2**64, True, 1.0, "x"):
        with pytest.raises(ValueError, match="a seed must be a whole number from 0 to"):
            env.reset(seed=seed)
    assert str(env.np_random.bit_generator.state) == before


@pytest.mark.parametrize("make_one", [make, functools.partial(gymnasium.make_vec, ID, num_envs=2)], ids=["one", "two"])
def test_names_and_render_modes_that_do_not_exist_are_type_errors_too(make_one):
    """Clients probe with them and catch TypeError."""
    for name in ("frameskip", "num_threads" if make_one is make else "num_thread", "autoreset", "players"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'.*show_forced.*modules.*on_illegal"):
            make_one(**{name: 2})
    with pytest.warns(UserWarning) if make_one is make else contextlib.nullcontext():
        with pytest.raises(TypeError, match=r"render_mode must be None or one of \['ansi', .*, not 'depth_array'"):
            make_one(render_mode="depth_array")


def test_the_mask_can_be_in_the_observation():
    env, plain = make(mask_in_observation=True, modules="all"), make(modules="all")
    assert set(env.observation_space) == {"observation", "action_mask"}
    assert env.observation_space["observation"] == plain.observation_space
    mine, reference = play(env, seed=1), play(plain, seed=1)
    assert len(mine) == len(reference)
    for (seen, *_, info), (expected, *_, expected_info) in zip(mine, reference, strict=True):
        assert env.observation_space.contains(seen)
        assert np.array_equal(seen["observation"], expected)
        assert np.array_equal(seen["action_mask"], expected_info["action_mask"])
        assert np.array_equal(info["action_mask"], expected_info["action_mask"])
        assert not np.shares_memory(seen["action_mask"], info["action_mask"])
    with pytest.raises(ValueError, match="mask_in_observation must be True or False, not 1"):
        make(mask_in_observation=1)


def test_an_illegal_action_is_worse_than_random_play():
    """Else breaking the rules would be a way out of a bad game."""
    batch = Batch(20_000, num_players=1, difficulty="expert", modules="all")
    batch.reset(0)
    batch.play_to_end(0)
    totals = batch.results()
    for reward in ("margin", "score"):
        assert rewards.loss(reward, CARNEGIE) < rewards.returns(reward, totals, 1).min() - 50
    assert rewards.loss("dense_margin", CARNEGIE) == rewards.loss("margin", CARNEGIE) / 100
    assert rewards.loss("win", CARNEGIE) == rewards.loss("rank", CARNEGIE) == -1


def test_render():
    env, envs = make(render_mode="ansi"), gymnasium.make_vec(ID, num_envs=2, render_mode="ansi")
    env.reset(seed=0), envs.reset(seed=0)
    assert all(isinstance(text, str) and text for text in (env.render(), *envs.render())) and len(envs.render()) == 2
    assert make().unwrapped.render() is gymnasium.make_vec(ID, num_envs=2).unwrapped.render() is None


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_play_on_identically(duplicate):
    env = make().unwrapped
    info = play(env, seed=4, steps=20)[-1][3]
    other = duplicate(env)
    generator = np.random.default_rng(0)
    while True:
        action = generator.choice(np.flatnonzero(info["action_mask"]))
        a, b = env.step(action), other.step(action)
        assert np.array_equal(a[0], b[0]) and a[1:4] == b[1:4]
        info = a[4]
        if a[2]:
            break
    assert np.array_equal(env.reset()[0], other.reset()[0])
