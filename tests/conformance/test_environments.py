"""Every environment of every game: its framework's checker, and the same games in all of them."""

from __future__ import annotations

import copy
import importlib
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, seed_test

import carnegie_env
from carnegie_env import make_agent
from carnegie_env.core import rewards
from carnegie_env.core.batch import sample
from carnegie_env.core.kernels import NOTHING
from carnegie_env.envs.aec import GameAECEnv, checked
from carnegie_env.envs.single import GameEnv
from carnegie_env.envs.vector import GameVectorEnv
from tests.amounts import some
from tests.conformance.tables import AMOUNT, GAMES, same, tables

METADATA = {"name": "game_v0", "render_modes": ["ansi", "human"], "is_parallelizable": False, "render_fps": 4}
PICTURED = {**METADATA, "render_modes": ["ansi", "rgb_array", "human"]}
N = 3


def some_tables(*, several):
    """For each game and number of seats one table, of one variant or another; or of two or more."""
    found = []
    for game in GAMES.values():
        for players in range(max(game.seats[0], 2 if several else 1), game.seats[1] + 1):
            fitting = [table for table in tables(game) if table.options.num_players == players]
            found.append(fitting[players % len(fitting)])
    return pytest.mark.parametrize("table", found, ids=str)


def known(table):
    """The options as a caller gives them."""
    return {name: value for name, value in table.values.items() if value is not None}


def single(table, **arguments):
    """A single environment of a game: its class, as a game writes it, and made."""
    solo = table.options.num_players == 1
    return type("SingleEnv", (GameEnv,), {"game": table.game, "solo": solo})(**known(table), **arguments)


def vector(table, **arguments):
    """The same as a vector environment."""
    solo = table.options.num_players == 1
    made = type("VectorEnv", (GameVectorEnv,), {"game": table.game, "solo": solo})
    return made(N, num_threads=1, **known(table), **arguments)


def aec(table, reward="win", on_illegal="raise", render_mode=None):
    """The PettingZoo environment."""
    metadata = METADATA if table.game.presentation.draw is None else PICTURED
    return GameAECEnv(
        table.game, metadata, reward=reward, on_illegal=on_illegal, render_mode=render_mode, options=known(table)
    )


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # api_test expects a Box of all but the games it knows by name; with masks PettingZoo itself uses a dict
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        yield


# ---------------------------------------------------------------- Gymnasium
@pytest.mark.parametrize("game", carnegie_env.games().values(), ids=repr)
def test_every_game_of_the_collection_has_its_names(game):
    """`import carnegie_env` registers its Gymnasium ids, single and vector; PettingZoo's module is beside it."""
    kinds = {"Versus": game.seats[1] > 1, "Solo": game.opponent is not None}
    for kind, there in kinds.items():
        name, solo = f"{game.namespace}/{kind}-v0", kind == "Solo"
        assert (name in gymnasium.registry) == there
        if there:
            env = gymnasium.make(name)
            vector = gymnasium.make_vec(name, num_envs=2, vectorization_mode="vector_entry_point")
            for made in (env.unwrapped, vector.unwrapped):
                assert made.game is game and made.solo == solo
            assert (env.unwrapped.position.num_players == 1) == solo
    module = importlib.import_module(f"carnegie_env.{game.name}_v0")
    assert getattr(carnegie_env, f"{game.name}_v0") is module
    for make in (module.env, module.raw_env):
        made = make()
        made.reset(seed=1)
        assert made.metadata["name"] == f"{game.name}_v0" and type(made.unwrapped.position) is game.position_class


def among_opponents(table):
    """Arguments of an environment where the others play at random, one of them perhaps by another agent."""
    others = [make_agent("random", seed=1), *["random"] * (table.options.num_players - 2)]
    return {"opponents": others, "learner_seat": ("rotate", "random", 1)[table.options.num_players % 3]}


CHECKED = [
    pytest.param(mask, alone, id=f"{'dict' if mask else 'box'}-{'all seats' if alone else 'opponents'}")
    for mask, alone in ((False, True), (True, True), (True, False), (False, False))
]


@some_tables(several=False)
@pytest.mark.parametrize(("mask", "alone"), some(CHECKED, 2))
def test_gymnasiums_checker(table, mask, alone):
    if not alone and table.options.num_players == 1:
        with pytest.raises(ValueError, match="opponents play at tables of two or more"):
            single(table, opponents="random")
        return
    name, others = "Conformance/Single-v0", {} if alone else among_opponents(table)
    gymnasium.register(name, entry_point=lambda **arguments: single(table, **others, **arguments))
    try:
        check_env(gymnasium.make(name, mask_in_observation=mask, render_mode="ansi").unwrapped)
    finally:
        del gymnasium.registry[name]


def play(env, seed, generator, illegal=0.0):
    """An episode of a single environment: observations, rewards, infos, and the position at its end."""
    observation, info = env.reset(seed=seed)
    steps, terminated = [(observation, 0.0, info)], False
    while not terminated:
        wrong = generator.random() < illegal and not env.action_masks().all()
        masks = 1 - env.action_masks() if wrong else env.action_masks()
        observation, value, terminated, truncated, info = env.step(sample(masks[None], generator)[0])
        assert not truncated and env.observation_space.contains(observation)
        steps.append((observation, value, info))
    with pytest.raises(ValueError, match="call reset"):
        env.step(NOTHING)
    return steps


@some_tables(several=False)
@pytest.mark.parametrize("reward", rewards.ALL)
def test_episodes_are_games(table, reward):
    """The rewards of an episode are those of its result, for the players who have decided."""
    seats, generator = table.options.num_players, np.random.default_rng(1)
    if reward == rewards.DENSE_MARGIN and seats > 1:
        with pytest.raises(ValueError, match="dense_margin is for solo games"):
            single(table, reward=reward)
        return
    env = single(table, reward=reward)
    for seed in range(2 * AMOUNT):
        steps = play(env, seed, generator)
        position, last = env.position, steps[-1]
        assert position.is_over and "illegal_action" not in last[2]
        results = position.breakdown()[None, :, table.game.rank_columns]
        total = sum(value for _, value, _ in steps)
        if reward == rewards.DENSE_MARGIN:
            assert total == pytest.approx(rewards.margin(results)[0] / table.game.dense_unit)
        else:
            wanted = rewards.returns(reward, results, seats)[0]
            assert all(value == 0 for _, value, _ in steps[:-1])
            mover = steps[-2][2]["to_play"] if seats > 1 else 0
            assert last[1] == pytest.approx(wanted[mover])
            assert seats == 1 or np.allclose(last[2]["returns"], wanted)
        if seats == 1:
            score, opponent = last[2]["score"], last[2][f"{table.game.opponent}_score"]
            assert [score, opponent] == position.scores()
        else:
            assert last[2]["scores"].tolist() == position.scores()
        assert env.action_masks().nonzero()[0].tolist() == [NOTHING]


@some_tables(several=False)
def test_an_illegal_action_loses_or_is_refused(table):
    env, strict = single(table, reward="margin"), single(table, reward="margin", on_illegal="raise")
    env.reset(seed=1)
    strict.reset(seed=1)
    before = env.position
    wrong = int(np.flatnonzero(env.action_masks() == 0)[-1])
    with pytest.raises(ValueError, match=f"illegal action {wrong}"):
        strict.step(wrong)
    assert strict.position == before
    strict.step(int(np.flatnonzero(strict.action_masks())[0]))
    _, value, terminated, _, info = env.step(wrong)
    assert terminated and value == table.game.losses.margin and f"illegal action {wrong}" in info["illegal_action"]
    assert env.position == before


@some_tables(several=True)
@pytest.mark.parametrize("reward", rewards.ALL)
def test_episodes_among_opponents(table, reward):
    """A player among opponents plays whole games, decides at his seat alone, and is paid what they are worth to him."""
    env, generator = single(table, reward=reward, **among_opponents(table)), np.random.default_rng(2)
    for seed in range(3 * AMOUNT):
        steps = play(env, seed, generator)
        position, last = env.position, steps[-1]
        (seat,) = {info["to_play"] for _, _, info in steps}
        assert position.is_over and last[2]["learner_seat"] == seat
        assert last[2]["scores"].tolist() == position.scores()
        results = position.breakdown()[None, :, table.game.rank_columns]
        total = sum(value for _, value, _ in steps)
        if reward == rewards.DENSE_MARGIN:
            worth = rewards.exact_returns("margin", results, table.options.num_players)[0, seat]
            assert total == pytest.approx(worth / table.game.dense_unit)
        else:
            wanted = rewards.returns(reward, results, table.options.num_players)[0]
            assert all(value == 0 for _, value, _ in steps[:-1])
            assert last[1] == pytest.approx(wanted[seat]) and np.allclose(last[2]["returns"], wanted)


@some_tables(several=False)
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize("alone", [True, False], ids=["all seats", "opponents"])
def test_a_vector_environment_is_single_ones(table, mode, alone):
    """Seed by seed, over several episodes, with an illegal action now and then."""
    if not alone and table.options.num_players == 1:
        pytest.skip("there are no opponents at a table of one")
    arguments = {} if alone else among_opponents(table)
    arguments["reward"] = "margin" if alone and table.options.num_players > 1 else "dense_margin"
    ours, singles = vector(table, autoreset_mode=mode, **arguments), [single(table, **arguments) for _ in range(N)]
    seen, infos = ours.reset(seed=5)
    for i, env in enumerate(singles):
        observation, info = env.reset(seed=5 + i)
        assert np.array_equal(seen[i], observation) and np.array_equal(infos["action_mask"][i], info["action_mask"])
    generator, waiting, episodes = np.random.default_rng(7), np.zeros(N, bool), 0
    while episodes < 5:
        masks = ours.action_masks()
        if generator.random() < 0.02:
            masks[0] = 1 - masks[0]
        chosen = sample(masks, generator)
        seen, values, terminated, truncated, infos = ours.step(chosen)
        assert not truncated.any()
        for i, env in enumerate(singles):
            if waiting[i]:  # its step was a reset
                observation, value, ended, info = env.reset()[0], 0.0, False, {}
            else:
                observation, value, ended, _, info = env.step(chosen[i])
            assert values[i] == pytest.approx(value) and terminated[i] == ended
            if ended:
                final = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
                for name in set(info) - {"action_mask", "to_play"}:
                    assert np.array_equal(final[name][i], info[name]) and final[f"_{name}"][i]
                if mode is AutoresetMode.SAME_STEP:
                    assert np.array_equal(infos["final_obs"][i], observation)
                    observation, info = env.reset()
            assert np.array_equal(seen[i], observation)
            assert np.array_equal(ours.action_masks()[i], env.action_masks())
            assert same(ours.position(i).games, env.position.games)
        waiting = terminated if mode is AutoresetMode.NEXT_STEP else waiting
        episodes += int(terminated.sum())


# ---------------------------------------------------------------- PettingZoo
@some_tables(several=True)
def test_pettingzoos_tests(table):
    api_test(checked(aec(table)), num_cycles=100)
    api_test(aec(table, on_illegal="lose", reward="rank"), num_cycles=100)
    seed_test(lambda: checked(aec(table)), num_cycles=100)


@some_tables(several=True)
@pytest.mark.parametrize("reward", rewards.FINAL)
def test_an_aec_game(table, reward):
    """It is the same game as a position, and pays what its result is worth; a copy plays on alike."""
    env, position = aec(table, reward=reward), table.position(3)
    env.reset(seed=3)
    generator, paid = np.random.default_rng(3), dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        agent = env.agent_selection
        observation, value, terminated, _, info = env.last()
        paid[agent] += value
        if terminated:
            env.step(None)
            assert info["score"] == position.scores()[env.possible_agents.index(agent)]
            continue
        assert agent == f"player_{position.to_play}"
        assert np.array_equal(observation["observation"], position.observe())
        assert np.array_equal(observation["action_mask"], position.action_mask())
        for other in set(env.agents) - {agent}:
            assert env.observe(other)["action_mask"].nonzero()[0].tolist() == [NOTHING]
        action = int(sample(observation["action_mask"][None], generator)[0])
        if generator.random() < 0.05:
            env = generator.choice([copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])(env)
        env.step(action)
        position.apply(action)
    results = position.breakdown()[None, :, table.game.rank_columns]
    wanted = rewards.returns(reward, results, table.options.num_players)[0]
    assert np.allclose([paid[agent] for agent in env.possible_agents], wanted)
    assert reward == "score" or sum(paid.values()) == pytest.approx(0, abs=1e-3)


# ---------------------------------------------------------------- Stable-Baselines3
@some_tables(several=False)
def test_stable_baselines3(table):
    """Its checker for single environments; its vector environment is ours."""
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env as check_for_sb3

    from carnegie_env.envs.sb3 import GameVecEnv

    alone = table.options.num_players == 1
    arguments = {"reward": "margin"} if alone else {"reward": "dense_margin", **among_opponents(table)}
    check_for_sb3(single(table))
    check_for_sb3(single(table, **arguments))
    theirs = GameVecEnv(N, game=table.game, seed=4, num_threads=1, **arguments, **known(table))
    ours = vector(table, **arguments)
    assert np.array_equal(theirs.reset(), ours.reset(seed=4)[0])
    generator, episodes = np.random.default_rng(4), 0
    while episodes < 4:
        masks = ours.action_masks()
        assert np.array_equal(theirs.env_method("action_masks"), masks)
        chosen = sample(masks, generator)
        seen, values, dones, infos = theirs.step(chosen)
        expected, paid, terminated, _, found = ours.step(chosen)
        assert np.array_equal(seen, expected) and np.allclose(values, paid) and np.array_equal(dones, terminated)
        for i in np.flatnonzero(dones):
            assert np.array_equal(infos[i]["terminal_observation"], found["final_obs"][i])
            assert infos[i]["episode"]["l"] > 0
            for name in ("score",) if alone else ("scores", "learner_seat"):
                assert np.array_equal(infos[i][name], found["final_info"][name][i])
        episodes += int(dones.sum())
    assert theirs.env_is_wrapped(object) == [False] * N
