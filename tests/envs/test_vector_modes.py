"""`make_vec("Carnegie/Solo-v0", autoreset_mode=...)`: in each mode the same as Gymnasium's SyncVectorEnv."""

import functools

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

import carnegie_env  # noqa: F401
from tests.envs import vectors

ID = "Carnegie/Solo-v0"
N = 6
MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)
make_vec = functools.partial(vectors.make_vec, ID)


def same(a, b):
    """Equal, whatever the containers; arrays of objects entry by entry."""
    if isinstance(b, dict):
        return set(a) == set(b) and all(same(a[key], b[key]) for key in b)
    if isinstance(b, np.ndarray) and b.dtype == object:
        return a.shape == b.shape and all(same(x, y) for x, y in zip(a, b, strict=True))
    return data_equivalence(a, b)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("options", "illegal"),
    [
        ({}, 0.0),
        ({"reward": "dense_margin", "mask_in_observation": True, "difficulty": "expert"}, 0.02),
        ({"reward": "score", "modules": "all"}, 0.02),
        ({"mask_in_observation": True}, 0.0),
    ],
    ids=str,
)
def test_every_mode_equals_gymnasiums(mode, options, illegal):
    ours = make_vec(autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: gymnasium.make(ID, **options)] * N, autoreset_mode=mode)
    generator = np.random.default_rng(0)
    mine, reference = ours.reset(seed=11), theirs.reset(seed=11)
    ended = np.zeros(N, bool)
    finished = 0
    for _ in range(300):
        assert same(mine, reference)
        assert ours.observation_space.contains(mine[0])
        if mode is AutoresetMode.DISABLED and ended.any():
            with pytest.raises(ValueError, match="the episode has ended"):
                ours.step(np.zeros(N, np.int64))
            mine = ours.reset(options={"reset_mask": ended})
            reference = theirs.reset(options={"reset_mask": ended.copy()})
            assert same(mine, reference)
        masks = ours.unwrapped.action_masks()
        chosen = vectors.sample(masks, generator, illegal)
        if mode is AutoresetMode.NEXT_STEP:
            chosen[ended] = generator.integers(-5, 10**6)  # not looked at
        mine, reference = ours.step(chosen), theirs.step(chosen)
        ended = mine[2]
        finished += ended.sum()
        if mode is AutoresetMode.NEXT_STEP and ended.any():
            assert "final_obs" not in mine[4] and "final_info" not in mine[4]
    assert finished > N


@pytest.mark.parametrize("mode", MODES)
def test_the_mode_is_an_attribute_and_in_the_metadata_of_this_environment(mode):
    for given in (mode, mode.value):
        envs = make_vec(2, autoreset_mode=given)
        assert envs.unwrapped.autoreset_mode is mode and envs.metadata["autoreset_mode"] is mode
    assert type(envs.unwrapped).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert make_vec(2).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


@pytest.mark.parametrize("mode", ["next", None, 1, "NEXT_STEP"])
def test_a_mode_that_does_not_exist(mode):
    with pytest.raises(ValueError, match="autoreset_mode must be one of.*NextStep.*SameStep.*Disabled"):
        make_vec(2, autoreset_mode=mode)


def test_next_step_with_on_illegal_raise_restarts_nothing_when_it_raises():
    envs = make_vec(3, autoreset_mode="NextStep", on_illegal="raise")
    envs.reset(seed=0)
    generator = np.random.default_rng(0)
    ended = np.zeros(3, bool)
    while not ended.any():
        chosen = np.array([generator.choice(np.flatnonzero(mask)) for mask in envs.unwrapped.action_masks()])
        ended = envs.step(chosen)[2]
    masks = envs.unwrapped.action_masks()
    chosen = np.array([np.flatnonzero(mask)[0] for mask in masks])
    row = int(np.flatnonzero(~ended)[0])
    chosen[row] = np.flatnonzero(masks[row] == 0)[0]
    before = envs.unwrapped._games.batch.games.copy()
    with pytest.raises(ValueError, match=f"game {row}: illegal action"):
        envs.step(chosen)
    assert np.array_equal(before, envs.unwrapped._games.batch.games)
    chosen[row] = np.flatnonzero(masks[row])[0]
    assert not envs.step(chosen)[2][ended].any()


def test_wrong_actions_while_a_game_waits():
    envs = make_vec(2, autoreset_mode="NextStep")
    _, infos = envs.reset(seed=0)
    envs.step(infos["action_mask"].argmin(axis=1))  # illegal: both have ended
    for actions in ([0], [0.0, 1.0], None, ["a", "b"], [[0], [1]]):
        with pytest.raises(ValueError, match="actions must"):
            envs.step(actions)


WRAPPERS = {
    "NormalizeObservation": lambda envs: wrappers.NormalizeObservation(envs),
    "FlattenObservation": lambda envs: wrappers.FlattenObservation(envs),
    "DtypeObservation": lambda envs: wrappers.DtypeObservation(envs, np.float16),
    "RescaleObservation": lambda envs: wrappers.RescaleObservation(envs, -1, 1),
    "NormalizeReward": lambda envs: wrappers.NormalizeReward(envs),
    "RecordEpisodeStatistics": lambda envs: wrappers.RecordEpisodeStatistics(envs),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_gymnasiums_vector_wrappers(name):
    ours = WRAPPERS[name](make_vec(autoreset_mode="NextStep"))
    theirs = WRAPPERS[name](SyncVectorEnv([lambda: gymnasium.make(ID)] * N, autoreset_mode=AutoresetMode.NEXT_STEP))
    generator = np.random.default_rng(0)
    mine, reference = ours.reset(seed=1), theirs.reset(seed=1)
    for _ in range(150):
        assert data_equivalence(mine[0], reference[0])
        chosen = np.array([generator.choice(np.flatnonzero(mask)) for mask in mine[-1]["action_mask"]])
        mine, reference = ours.step(chosen), theirs.step(chosen)
        assert data_equivalence(mine[1:4], reference[1:4])
