"""Conformance with Stable-Baselines3, in a file of its own because PyTorch takes long to load."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from stable_baselines3.common.env_checker import check_env as check_for_sb3

from carnegie_env.core.batch import sample
from carnegie_env.envs.sb3 import GameVecEnv
from tests.conformance.test_environments import N, among_opponents, equal, known, single, some_tables, vector


@some_tables(several=False)
def test_stable_baselines3(table):
    """Single environments pass its checker, and its vector environment plays the same games as Gymnasium's."""
    alone = table.options.num_players == 1
    arguments = {"reward": "margin", "mask_in_observation": True}
    if not alone:
        arguments = {"reward": "dense_margin", **among_opponents(table)}
    check_for_sb3(single(table))
    check_for_sb3(single(table, **arguments))
    theirs = GameVecEnv(N, game=table.game, seed=4, num_threads=1, **arguments, **known(table))
    ours = vector(table, **arguments)
    assert equal(theirs.reset(), ours.reset(seed=4)[0])
    generator, episodes = np.random.default_rng(4), 0
    while episodes < 4:
        masks = ours.action_masks()
        assert np.array_equal(theirs.env_method("action_masks"), masks)
        chosen = sample(masks, generator)
        seen, values, dones, infos = theirs.step(chosen)
        expected, paid, terminated, _, found = ours.step(chosen)
        assert equal(seen, expected) and np.allclose(values, paid) and np.array_equal(dones, terminated)
        for i in np.flatnonzero(dones):
            assert equal(infos[i]["terminal_observation"], found["final_obs"][i])
            assert infos[i]["episode"]["l"] > 0
            for name in ("score",) if alone else ("scores", "learner_seat"):
                assert np.array_equal(infos[i][name], found["final_info"][name][i])
        episodes += int(dones.sum())
    assert theirs.env_is_wrapped(object) == [False] * N
