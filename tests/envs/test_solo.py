"""`gymnasium.make("Carnegie/Solo-v0")`."""

import contextlib
import copy
import functools
import pickle
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import carnegie_env
from carnegie_env import Batch
from carnegie_env.carnegie import actions
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import rewards

ID = "Carnegie/Solo-v0"
MODULES = dict.fromkeys(("new_start", "new_departments", "diverse_setup"), True)  # those that go with the solo game


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


@pytest.mark.parametrize(
    "options",
    [{}, {"reward": "dense_margin", "render_mode": "ansi"}, {"difficulty": "expert", "show_forced": True},
     {"reward": "dense_margin", "difficulty": "expert", **MODULES}, {"new_start": True}],
    ids=str,
)
def test_check_env_without_a_warning(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**options).unwrapped, skip_render_check="render_mode" not in options)
        env = make(**options)  # the passive checker watches while it is played
        play(env, seed=1)


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


@pytest.mark.parametrize("options", [{}, MODULES, {"diverse_setup": True}], ids=str)
def test_spaces_and_the_mask(options):
    env = make(**options)
    layout = env.unwrapped.observation_layout
    assert env.observation_space.shape == (layout.size,) and env.observation_space.dtype == np.float32
    assert env.action_space.n == (673 if options else 333) and layout.size == (1141 if options else 926)
    for observation, _, terminated, info in play(env, seed=3):
        mask = info["action_mask"]
        assert mask.dtype == np.int8 and mask.shape == (env.action_space.n,) and set(np.unique(mask)) == {0, 1}
        assert env.observation_space.contains(observation)
        if terminated:
            assert np.flatnonzero(mask).tolist() == [actions.PASS]
        else:
            assert mask.sum() >= 2  # forced decisions are played by the engine
    assert np.array_equal(env.unwrapped.action_masks(), mask)
    assert env.action_space.sample(mask) == actions.PASS


def test_nothing_handed_out_is_shared():
    env = make()
    first, info = env.reset(seed=0)
    kept, kept_mask = first.copy(), info["action_mask"].copy()
    second, _, _, _, info2 = env.step(env.action_space.sample(info["action_mask"]))
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
@pytest.mark.parametrize("choose", [illegal_action, lambda info: -1, lambda info: 10**6], ids=["masked", "-1", "10**6"])
def test_an_illegal_action_loses(reward, worth, choose):
    env = make(reward=reward)
    history = play(env, seed=2, steps=20)
    action = choose(history[-1][3])
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


def test_an_illegal_first_action():
    env = make(reward="dense_margin")
    _, info = env.reset(seed=0)
    _, value, terminated, _, info = env.step(illegal_action(info))
    assert terminated and value == -3 and "illegal_action" in info


def test_on_illegal_raise():
    env = make(on_illegal="raise")
    history = play(env, seed=2, steps=30)
    for action in (illegal_action(history[-1][3]), -1, 10**6, np.int64(330)):
        with pytest.raises(ValueError, match="illegal action.*legal ones"):
            env.step(action)
    assert np.array_equal(env.unwrapped.action_masks(), history[-1][3]["action_mask"])
    env.step(np.flatnonzero(history[-1][3]["action_mask"])[0])


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
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)
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


@pytest.mark.parametrize("difficulty", ["beginner", "normal", "difficult", "expert"])
def test_difficulty_is_seen(difficulty):
    env = make(difficulty=difficulty)
    observation, _ = env.reset(seed=0)
    layout = env.unwrapped.observation_layout
    names = layout["andrew.difficulty"].axes[0]
    assert names[int(layout.read(observation, "andrew.difficulty").argmax())] == difficulty


def test_options_change_the_game():
    forced = make(show_forced=True)
    games = (play(forced, seed=seed, generator=np.random.default_rng(seed)) for seed in range(100))
    assert any(info["action_mask"].sum() == 1 for game in games for _, _, terminated, info in game if not terminated)
    assert not same(play(make(timeline_tiles="columns"), seed=0), play(make(), seed=0))


def test_render():
    env = make(render_mode="ansi")
    env.reset(seed=0)
    assert isinstance(env.render(), str) and env.render()
    assert make().unwrapped.render() is None


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
