"""`gymnasium.make_vec("Carnegie/Solo-v0")` over the batch: the same as N single environments."""

import functools
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import carnegie_env  # noqa: F401
from carnegie_env.carnegie import actions
from tests.envs import vectors
from tests.envs.vectors import sample

ID = "Carnegie/Solo-v0"
N = 6
make_vec = functools.partial(vectors.make_vec, ID)


def make_sync(num_envs=N, **options):
    return SyncVectorEnv([lambda: gymnasium.make(ID, **options)] * num_envs, autoreset_mode=AutoresetMode.SAME_STEP)


@pytest.mark.parametrize(
    ("options", "illegal"),
    [
        ({}, 0.0),
        ({"reward": "dense_margin", "difficulty": "expert"}, 0.0),
        ({"reward": "margin", "show_forced": True}, 0.0),
        ({"reward": "score"}, 0.01),
        ({"reward": "dense_margin"}, 0.01),
        ({"reward": "dense_margin", "new_start": True, "new_departments": True, "diverse_setup": True}, 0.01),
    ],
    ids=str,
)
def test_it_equals_single_environments(options, illegal):
    ours, theirs = make_vec(**options), make_sync(**options)
    generator = np.random.default_rng(0)
    mine, reference = ours.reset(seed=11), theirs.reset(seed=11)
    assert data_equivalence(mine, reference)
    ended = 0
    for _ in range(400):
        chosen = sample(mine[-1]["action_mask"], generator, illegal)
        mine, reference = ours.step(chosen), theirs.step(chosen)
        assert data_equivalence(mine[:4], reference[:4])
        assert set(mine[4]) == set(reference[4])
        for key, value in reference[4].items():
            if key == "final_obs":
                assert all(a is b or np.array_equal(a, b) for a, b in zip(mine[4][key], value, strict=True))
            elif key != "final_info":
                assert data_equivalence(mine[4][key], value), key
        if "final_info" in reference[4]:
            same_final_info(mine[4]["final_info"], reference[4]["final_info"])
        ended += mine[2].sum()
    assert ended >= N


def same_final_info(mine, reference):
    assert set(mine) == set(reference)
    for key, value in reference.items():
        assert mine[key].dtype == value.dtype and np.array_equal(mine[key], value), key


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


def test_the_thread_count_does_not_matter():
    results = []
    for threads in (1, 2):
        envs = make_vec(200, num_threads=threads)
        generator = np.random.default_rng(0)
        _, infos = envs.reset(seed=0)
        for _ in range(150):
            observations, *_, infos = envs.step(sample(infos["action_mask"], generator))
        results.append(observations)
    assert np.array_equal(*results)


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


@pytest.mark.parametrize("on_illegal", ["lose", "raise"])
@pytest.mark.parametrize("chosen", [[0, 1], [0.0, 1.0, 2.0], [[0], [1], [2]], None, ["a", "b", "c"]])
def test_actions_of_a_wrong_shape_or_dtype(on_illegal, chosen):
    envs = make_vec(3, on_illegal=on_illegal)
    envs.reset(seed=0)
    before = envs.unwrapped._games.batch.games.copy()
    with pytest.raises(ValueError, match="actions must"):
        envs.step(chosen)
    assert np.array_equal(before, envs.unwrapped._games.batch.games)


def test_nothing_handed_out_is_shared():
    envs = make_vec(2)
    first, infos = envs.reset(seed=0)
    kept = first.copy()
    second = envs.step(sample(infos["action_mask"], np.random.default_rng(0)))[0]
    assert np.array_equal(first, kept) and not np.shares_memory(first, second)


def test_gymnasium_wrappers():
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(make_vec(reward="score"))
    generator = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)
    for _ in range(400):
        _, values, ended, _, infos = envs.step(sample(infos["action_mask"], generator))
        if ended.any():
            break
    i = np.flatnonzero(ended)[0]
    assert infos["episode"]["r"][i] == values[i] == infos["final_info"]["score"][i]


def test_render():
    envs = make_vec(2, render_mode="ansi")
    envs.reset(seed=0)
    assert len(envs.render()) == 2 and all(isinstance(text, str) for text in envs.render())
    assert make_vec(2).unwrapped.render() is None
