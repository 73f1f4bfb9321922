"""`gymnasium.make("Carnegie/Versus-v0")` and its vector form: one agent decides for every seat in turn."""

import functools

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from carnegie_env import Batch, Position
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import rewards
from carnegie_env.envs.sb3 import GameVecEnv
from tests.envs import vectors

ID = "Carnegie/Versus-v0"
make_vec = functools.partial(vectors.make_vec, ID)


def make(**options):
    return gymnasium.make(ID, **options)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("reward", rewards.FINAL)
def test_a_game_is_that_of_a_batch(reward, players):
    env, batch = make(num_players=players, reward=reward), Batch(1, num_players=players)
    observation, info = env.reset(seed=5)
    batch.reset(5)
    draws, terminated = np.random.default_rng(0), False
    while not terminated:
        mover = int(batch.to_play[0])
        assert info["to_play"] == mover
        assert np.array_equal(observation, batch.observe()[0])
        assert np.array_equal(info["action_mask"], batch.action_masks()[0])
        action = draws.choice(np.flatnonzero(info["action_mask"]))
        observation, value, terminated, _, info = env.step(action)
        batch.step([action])
        assert terminated or value == 0
    expected = rewards.returns(reward, batch.results(), players)[0]
    assert np.array_equal(info["returns"], expected) and value == expected[mover]
    assert info["scores"].tolist() == batch.scores()[0].tolist()
    assert info["to_play"] == mover and np.array_equal(observation, batch.observe(seat=mover)[0])
    assert env.unwrapped.position.scores() == batch.scores()[0].tolist()


def test_gymnasiums_checker():
    check_env(make(num_players=3).unwrapped, skip_render_check=True)


def test_an_illegal_action_is_lost_by_the_player_to_move():
    env = make(num_players=3, reward="margin")
    _, info = env.reset(seed=1)
    for _ in range(10):
        _, _, _, _, info = env.step(np.flatnonzero(info["action_mask"])[0])
    mover, before = info["to_play"], env.unwrapped.position
    _, value, terminated, _, info = env.step(np.flatnonzero(info["action_mask"] == 0)[0])
    assert terminated and value == rewards.loss("margin", CARNEGIE)
    assert info["returns"][mover] == value and info["returns"].sum() == 0 and "legal" in info["illegal_action"]
    assert "scores" not in info and env.unwrapped.position == before


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_a_row_is_the_decision_of_the_player_to_move(mode):
    envs, batch = make_vec(6, num_players=2, autoreset_mode=mode), Batch(6, num_players=2)
    _, info = envs.reset(seed=3)
    batch.reset(3)
    draws, waiting, ended = np.random.default_rng(0), np.zeros(6, bool), 0
    for _ in range(300):
        actions = np.array([draws.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        movers = batch.to_play.astype(int)
        if waiting.any():
            batch.reset(mask=waiting)
        batch.step(actions[~waiting], np.flatnonzero(~waiting))
        observations, values, over, _, info = envs.step(actions)
        assert np.array_equal(over, batch.done)
        final = info.get("final_info", info)
        for i in np.flatnonzero(over):
            expected = rewards.returns("win", batch.results([i]), 2)[0]
            assert np.array_equal(final["returns"][i], expected) and values[i] == expected[movers[i]]
            assert final["scores"][i].tolist() == batch.scores([i])[0].tolist()
        ended += int(over.sum())
        waiting = over if mode == "NextStep" else np.zeros(6, bool)
        if mode == "SameStep" and over.any():
            batch.reset(mask=over)
        running = ~batch.done
        assert np.array_equal(info["to_play"][running], batch.to_play[running])
        assert np.array_equal(observations[running], batch.observe()[running])
    assert ended > 6


def test_stable_baselines_has_it_too():
    env = GameVecEnv(3, num_players=4, seed=0)
    observations = env.reset()
    assert observations.shape == (3, Batch(1, num_players=4).observation_size)
    draws, infos = np.random.default_rng(0), []
    while not any("returns" in info for info in infos):
        masks = env.env_method("action_masks")
        _, values, _, infos = env.step(np.array([draws.choice(np.flatnonzero(mask)) for mask in masks]))
    found = next(info for info in infos if "returns" in info)
    assert found["returns"].shape == (4,) and found["scores"].shape == (4,)
    assert isinstance(env.position(0), Position)


def test_tables_of_one_have_their_own_environment():
    for wrong in ({"num_players": 1}, {"difficulty": "normal", "num_players": 1}):
        with pytest.raises(ValueError, match="num_players must be 2 to 4 here; for one player use Carnegie/Solo-v0"):
            make(**wrong)
    with pytest.raises(ValueError, match="dense_margin is for solo games"):
        make(reward="dense_margin")
