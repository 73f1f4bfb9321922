"""`gymnasium.make_vec("Carnegie/Solo-v0")`: seeds, masks, errors, autoreset modes. More in tests/conformance."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import carnegie_env  # noqa: F401
from carnegie_env.core.batch import sample

N = 6
SOLO = "Carnegie/Solo-v0"


def make_vec(num_envs=N, name=SOLO, **options):
    return gymnasium.make_vec(name, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)


def test_it_is_the_default_of_make_vec():
    assert type(gymnasium.make_vec(SOLO, num_envs=2).unwrapped).__name__ == "SoloVectorEnv"


def test_seeds():
    envs = make_vec(3)
    a, _ = envs.reset(seed=7)
    assert np.array_equal(a, envs.reset(seed=[7, 8, 9])[0])
    b, _ = envs.reset(seed=[9, None, 7])
    assert np.array_equal(b[[0, 2]], a[[2, 0]])
    single = gymnasium.make(SOLO)
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
def test_wrong_reset_options(options):
    for env in (make_vec(3), gymnasium.make(SOLO, disable_env_checker=True).unwrapped):
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


def refused(envs, chosen, message):
    """A step that is an error moves no game."""
    before = envs.unwrapped._games.batch.games.copy()
    with pytest.raises(ValueError, match=message):
        envs.step(chosen)
    assert np.array_equal(before, envs.unwrapped._games.batch.games)


@pytest.mark.parametrize("versus", [{}, {"name": "Carnegie/Versus-v0", "opponents": "random"}], ids=["solo", "versus"])
def test_on_illegal_raise_moves_no_game(versus):
    envs = make_vec(3, on_illegal="raise", **versus)
    observations, infos = envs.reset(seed=0)
    chosen = sample(infos["action_mask"], np.random.default_rng(0))
    chosen[1] = np.flatnonzero(infos["action_mask"][1] == 0)[0]
    refused(envs, chosen, "game 1: illegal action")


@pytest.mark.parametrize("chosen", [[0, 1], [0.0, 1.0, 2.0], [[0], [1], [2]], None, ["a", "b", "c"]])
def test_actions_of_a_wrong_shape_or_dtype(chosen):
    for on_illegal in ("lose", "raise"):
        envs = make_vec(3, on_illegal=on_illegal, autoreset_mode="NextStep")
        _, infos = envs.reset(seed=0)
        refused(envs, chosen, "actions must")
    lost = make_vec(3, autoreset_mode="NextStep")
    lost.reset(seed=0)
    lost.step(infos["action_mask"].argmin(axis=1))  # illegal: all have ended, and wait
    refused(lost, chosen, "actions must")


# ---------------------------------------------------------------- modes of autoreset
@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_mode_is_an_attribute_and_in_the_environments_metadata(mode):
    for given in (mode, mode.value):
        envs = make_vec(2, autoreset_mode=given)
        assert envs.unwrapped.autoreset_mode is mode and envs.metadata["autoreset_mode"] is mode
    assert type(envs.unwrapped).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert make_vec(2).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


@pytest.mark.parametrize("mode", ["next", None, 1, "NEXT_STEP"])
def test_unknown_modes(mode):
    with pytest.raises(ValueError, match="autoreset_mode must be one of.*NextStep.*SameStep.*Disabled"):
        make_vec(2, autoreset_mode=mode)


def test_next_step_restarts_no_game_when_an_illegal_action_raises():
    envs = make_vec(3, autoreset_mode="NextStep", on_illegal="raise")
    envs.reset(seed=0)
    generator = np.random.default_rng(0)
    ended = np.zeros(3, bool)
    while not ended.any():
        ended = envs.step(sample(envs.unwrapped.action_masks(), generator))[2]
    masks = envs.unwrapped.action_masks()
    chosen = masks.argmax(axis=1)
    row = int(np.flatnonzero(~ended)[0])
    chosen[row] = np.flatnonzero(masks[row] == 0)[0]
    refused(envs, chosen, f"game {row}: illegal action")
    chosen[row] = np.flatnonzero(masks[row])[0]
    assert not envs.step(chosen)[2][ended].any()
