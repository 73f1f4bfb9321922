"""`gymnasium.make_vec("Carnegie/Solo-v0", autoreset_mode=...)` over the batch: in each mode the same as Gymnasium's."""

import functools
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

import carnegie_env  # noqa: F401
from carnegie_env.carnegie import actions
from tests.envs import vectors
from tests.envs.vectors import sample

ID = "Carnegie/Solo-v0"
N = 6
make_vec = functools.partial(vectors.make_vec, ID)


@pytest.mark.parametrize("options", [{}, {"new_start": True}, {"new_start": True, "diverse_setup": True}], ids=str)
def test_spaces_and_metadata(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs, single = make_vec(**options), gymnasium.make(ID, **options)
    assert envs.num_envs == N and envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.single_observation_space == single.observation_space
    assert envs.single_action_space == single.action_space
    assert envs.spec.id == ID
    observations, infos = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)
    number = actions.NUM_ACTIONS if options else actions.NUM_BASE_ACTIONS
    assert infos["action_mask"].shape == (N, number) and infos["action_mask"].dtype == np.int8
    assert np.array_equal(envs.unwrapped.action_masks(), infos["action_mask"])
    assert envs.unwrapped.observation_layout.size == observations.shape[1]
    assert envs.action_space.contains(sample(infos["action_mask"], np.random.default_rng(0)))
    envs.close()


def test_it_is_the_default_of_make_vec():
    assert type(gymnasium.make_vec(ID, num_envs=2).unwrapped).__name__ == "SoloVectorEnv"
    sync = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="sync")
    a, b = sync.reset(seed=3), make_vec(2).reset(seed=3)
    assert np.array_equal(a[0], b[0])


def test_seeds():
    envs = make_vec(3)
    a, _ = envs.reset(seed=7)
    assert np.array_equal(a, envs.reset(seed=[7, 8, 9])[0])
    b, _ = envs.reset(seed=[9, None, 7])
    assert np.array_equal(b[[0, 2]], a[[2, 0]])
    single = gymnasium.make(ID)
    single.reset(seed=8)
    assert np.array_equal(b[1], single.reset()[0])
    c, _ = envs.reset()
    single.reset(seed=9)
    assert np.array_equal(c[0], single.reset()[0])
    assert not np.array_equal(make_vec(3).reset()[0], make_vec(3).reset()[0])


@pytest.mark.parametrize("seed", [[1, 2], [1, 2, -3], [1, 2, 2**64], [1, 2, "x"], 1.0, True, np.array(3), {1, 2, 3},
                                  {1: 1, 2: 2, 3: 3}, "abc", -1, 2**64 - 1])  # fmt: skip
def test_wrong_seeds(seed):
    envs = make_vec(3)
    before = envs.reset(seed=3)[0], str(envs.np_random.bit_generator.state)
    with pytest.raises(ValueError, match="seed"):
        envs.reset(seed=seed)
    assert (before[0] == envs._games.observe()).all() and str(envs.np_random.bit_generator.state) == before[1]


@pytest.mark.parametrize("options", [5, "a", [("reset_mask", 1)], {1: 2, "a": 3}])
def test_wrong_options_of_reset(options):
    for env in (make_vec(3), gymnasium.make(ID, disable_env_checker=True).unwrapped):
        with pytest.raises(ValueError, match="options of reset must be a dictionary|reset has no options.*'1', 'a'"):
            env.reset(options=options)


def test_reset_mask():
    envs = make_vec(3)
    a, _ = envs.reset(seed=0)
    b, infos = envs.reset(seed=[5, 6, 7], options={"reset_mask": np.array([False, True, False])})
    assert np.array_equal(b[[0, 2]], a[[0, 2]])
    assert np.array_equal(b[1], make_vec(1).reset(seed=6)[0][0])
    assert infos["action_mask"].shape[0] == 3
    for mask in (np.zeros(3, bool), np.ones(2, bool), np.ones(3), [1, 0, 1]):
        with pytest.raises(ValueError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="reset has no options"):
        envs.reset(options={"other": 1})


def test_on_illegal_raise_moves_no_game():
    envs = make_vec(3, on_illegal="raise")
    observations, infos = envs.reset(seed=0)
    chosen = sample(infos["action_mask"], np.random.default_rng(0))
    chosen[1] = np.flatnonzero(infos["action_mask"][1] == 0)[0]
    before = envs.unwrapped._games.batch.games.copy()
    with pytest.raises(ValueError, match="game 1: illegal action"):
        envs.step(chosen)
    assert np.array_equal(before, envs.unwrapped._games.batch.games)


@pytest.mark.parametrize("chosen", [[0, 1], [0.0, 1.0, 2.0], [[0], [1], [2]], None, ["a", "b", "c"]])
def test_actions_of_a_wrong_shape_or_dtype(chosen):
    for on_illegal in ("lose", "raise"):
        envs = make_vec(3, on_illegal=on_illegal, autoreset_mode="NextStep")
        _, infos = envs.reset(seed=0)
        before = envs.unwrapped._games.batch.games.copy()
        with pytest.raises(ValueError, match="actions must"):
            envs.step(chosen)
        assert np.array_equal(before, envs.unwrapped._games.batch.games)
    lost = make_vec(3, autoreset_mode="NextStep")
    lost.reset(seed=0)
    lost.step(infos["action_mask"].argmin(axis=1))  # illegal: all have ended, and wait
    with pytest.raises(ValueError, match="actions must"):
        lost.step(chosen)


# ---------------------------------------------------------------- modes of autoreset
MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)


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
        chosen = sample(masks, generator, illegal)
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


WRAPPERS = (wrappers.NormalizeObservation, wrappers.NormalizeReward, wrappers.RecordEpisodeStatistics)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_gymnasiums_vector_wrappers(wrapper):
    ours = wrapper(make_vec(autoreset_mode="NextStep"))
    theirs = wrapper(SyncVectorEnv([lambda: gymnasium.make(ID)] * N, autoreset_mode=AutoresetMode.NEXT_STEP))
    generator = np.random.default_rng(0)
    mine, reference = ours.reset(seed=1), theirs.reset(seed=1)
    for _ in range(150):
        assert data_equivalence(mine[0], reference[0])
        chosen = np.array([generator.choice(np.flatnonzero(mask)) for mask in mine[-1]["action_mask"]])
        mine, reference = ours.step(chosen), theirs.step(chosen)
        assert data_equivalence(mine[1:4], reference[1:4])
