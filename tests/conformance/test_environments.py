"""Every environment of every game passes its framework's checker, and all environments play the same games."""

import copy
import importlib
import itertools
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pettingzoo.test import api_test, seed_test

import carnegie_env
from carnegie_env import make_agent
from carnegie_env.core import rewards
from carnegie_env.core.batch import sample
from carnegie_env.core.kernels import NOTHING
from carnegie_env.envs.aec import functions_of
from carnegie_env.envs.single import GameEnv
from carnegie_env.envs.vector import GameVectorEnv
from tests.amounts import some
from tests.conformance.tables import AMOUNT, GAMES, same, tables

N = 3


def some_tables(*, several):
    """One table for each game and number of seats, or only for two or more seats (`several`)."""
    found = []
    for game in GAMES.values():
        for players in range(max(game.seats[0], 2 if several else 1), game.seats[1] + 1):
            fitting = [table for table in tables(game) if table.options.num_players == players]
            found.append(fitting[players % len(fitting)])
    return pytest.mark.parametrize("table", found, ids=str)


def known(table):
    """The options as a caller passes them."""
    return {name: value for name, value in table.values.items() if value is not None}


def single(table, **arguments):
    """A single environment, of a class like those of the games."""
    solo = table.options.num_players == 1
    return type("SingleEnv", (GameEnv,), {"game": table.game, "solo": solo})(**known(table), **arguments)


def vector(table, **arguments):
    """A vector environment."""
    solo = table.options.num_players == 1
    made = type("VectorEnv", (GameVectorEnv,), {"game": table.game, "solo": solo})
    return made(N, num_threads=1, **known(table), **arguments)


def aec(table, wrapped=False, **arguments):
    """The PettingZoo environment."""
    _, env, raw_env = functions_of(table.game)
    return (env if wrapped else raw_env)(**known(table), **arguments)


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
def test_environment_names(game):
    """`import carnegie_env` registers the Gymnasium ids, single and vector; the PettingZoo module is an attribute."""
    kinds = {"Versus": game.seats[1] > 1, "Solo": game.opponent is not None}
    for kind, there in kinds.items():
        name, solo = f"{game.namespace}/{kind}-v0", kind == "Solo"
        assert (name in gymnasium.registry) == there
        if there:
            env = gymnasium.make(name)
            vector = gymnasium.make_vec(name, num_envs=2, vectorization_mode="vector_entry_point")
            for made in (env.unwrapped, vector.unwrapped):
                assert made.game is game and made.solo == solo
            assert env.unwrapped.position.num_players == (1 if solo else game.options().num_players)
    module = importlib.import_module(f"carnegie_env.{game.name}_v0")
    assert getattr(carnegie_env, f"{game.name}_v0") is module
    for make in (module.env, module.raw_env):
        made = make()
        made.reset(seed=1)
        assert made.metadata["name"] == f"{game.name}_v0" and type(made.unwrapped.position) is game.position_class


def among_opponents(table):
    """Arguments for a learner among random opponents."""
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
        with pytest.raises(ValueError, match="opponents need two or more players"):
            single(table, opponents="random")
        return
    name, others = "Conformance/Single-v0", {} if alone else among_opponents(table)
    gymnasium.register(name, entry_point=lambda **arguments: single(table, **others, **arguments))
    try:
        check_env(gymnasium.make(name, mask_in_observation=mask, render_mode="ansi").unwrapped)
    finally:
        del gymnasium.registry[name]


def play(env, seed, generator):
    """A random episode of a single environment: its observations, rewards and infos."""
    observation, info = env.reset(seed=seed)
    steps, terminated = [(observation, 0.0, info)], False
    while not terminated:
        observation, value, terminated, truncated, info = env.step(sample(env.action_masks()[None], generator)[0])
        assert not truncated and env.observation_space.contains(observation)
        steps.append((observation, value, info))
    with pytest.raises(ValueError, match="call reset"):
        env.step(NOTHING)
    return steps


@some_tables(several=False)
@pytest.mark.parametrize("reward", rewards.ALL)
@pytest.mark.parametrize("alone", [True, False], ids=["all seats", "opponents"])
def test_episode_rewards(table, reward, alone):
    """An episode pays what its result is worth to the learner, or to the player that moved last."""
    seats, generator = table.options.num_players, np.random.default_rng(1)
    if seats == 1 and not alone:
        pytest.skip("solo games have no other seats")
    if reward == rewards.DENSE_MARGIN and seats > 1 and alone:
        with pytest.raises(ValueError, match="dense_margin is for environments"):
            single(table, reward=reward)
        return
    env = single(table, reward=reward, **({} if alone else among_opponents(table)))
    for seed in range(2 * AMOUNT):
        steps = play(env, seed, generator)
        position, last = env.position, steps[-1]
        assert position.is_over and "illegal_action" not in last[2]
        seat = steps[-2][2]["to_play"] if seats > 1 else 0
        assert alone or {info["to_play"] for _, _, info in steps} == {seat} == {last[2]["learner_seat"]}
        results = position.breakdown()[None, :, table.game.rank_columns]
        total = sum(value for _, value, _ in steps)
        if reward == rewards.DENSE_MARGIN:
            margins = rewards.exact_returns("margin", results, max(seats, 2))
            assert total == pytest.approx(margins[0, seat] / table.game.dense_unit)
        else:
            wanted = rewards.returns(reward, results, seats)[0]
            assert all(value == 0 for _, value, _ in steps[:-1])
            assert last[1] == pytest.approx(wanted[seat])
            assert seats == 1 or np.allclose(last[2]["returns"], wanted)
        if seats == 1:
            score, opponent = last[2]["score"], last[2][f"{table.game.opponent}_score"]
            assert [score, opponent] == position.scores()
        else:
            assert last[2]["scores"].tolist() == position.scores()
        assert env.action_masks().nonzero()[0].tolist() == [NOTHING]


@some_tables(several=False)
@pytest.mark.parametrize("reward", rewards.ALL)
@pytest.mark.parametrize("alone", [True, False], ids=["all seats", "opponents"])
def test_an_illegal_action_loses_or_is_an_error(table, reward, alone):
    """It ends the episode with the reward of a loss, or it is refused; it never changes the game."""
    solo = table.options.num_players == 1
    if (solo and not alone) or (reward == rewards.DENSE_MARGIN and alone and not solo):
        pytest.skip("there is no such environment")
    arguments = {"reward": reward} | ({} if alone else among_opponents(table))
    env, strict = single(table, **arguments), single(table, **arguments, on_illegal="raise")
    env.reset(seed=1)
    strict.reset(seed=1)
    generator, paid = np.random.default_rng(0), 0.0
    for _ in range(3):
        action = sample(env.action_masks()[None], generator)[0]
        observation, value, *_ = env.step(action)
        strict.step(action)
        paid += value
    before, wrong = env.position, int(np.flatnonzero(env.action_masks() == 0)[-1])
    seat = before.to_play
    with pytest.raises(ValueError, match=f"illegal action {wrong}"):
        strict.step(wrong)
    assert strict.position == before
    strict.step(sample(strict.action_masks()[None], generator)[0])
    last, value, terminated, _, info = env.step(wrong)
    assert terminated and paid + value == pytest.approx(rewards.loss(reward, table.game))
    assert info["illegal_action"].startswith(f"illegal action {wrong} ") and "legal" in info["illegal_action"]
    assert "scores" not in info and "score" not in info and info.get("learner_seat", seat) == seat
    if not solo and reward != rewards.DENSE_MARGIN:
        assert info["returns"][seat] == pytest.approx(value)
        assert reward == "score" or info["returns"].sum() == pytest.approx(0, abs=1e-3)
    assert env.position == before and np.array_equal(last, observation)
    assert info["action_mask"].nonzero()[0].tolist() == [NOTHING]
    with pytest.raises(ValueError, match="call reset"):
        env.step(NOTHING)


def equal(one, other):
    """Equal in whatever containers; arrays of objects are compared entry by entry."""
    if isinstance(other, dict):
        return set(one) == set(other) and all(equal(one[key], other[key]) for key in other)
    if isinstance(other, tuple) or (isinstance(other, np.ndarray) and other.dtype == object):
        return len(one) == len(other) and all(equal(x, y) for x, y in zip(one, other, strict=True))
    return data_equivalence(one, other)


@some_tables(several=False)
@pytest.mark.parametrize(("alone", "mode"), some([*itertools.product((True, False), AutoresetMode)], 2))
def test_vector_environments_equal_gymnasiums(table, alone, mode):
    """`SyncVectorEnv` over single environments, seed by seed, over several episodes, with a few illegal actions."""
    if not alone and table.options.num_players == 1:
        pytest.skip("solo games have no other seats")
    arguments = {"mask_in_observation": alone} | ({} if alone else among_opponents(table))
    arguments["reward"] = "margin" if alone and table.options.num_players > 1 else "dense_margin"
    ours = vector(table, autoreset_mode=mode, **arguments)
    theirs = SyncVectorEnv([lambda: single(table, **arguments)] * N, autoreset_mode=mode)
    assert (ours.single_observation_space, ours.single_action_space) == (
        theirs.single_observation_space,
        theirs.single_action_space,
    )
    mine, reference = ours.reset(seed=5), theirs.reset(seed=5)
    generator, ended, episodes = np.random.default_rng(7), np.zeros(N, bool), 0
    while episodes < 3:
        assert equal(mine, reference) and ours.observation_space.contains(mine[0])
        if mode is AutoresetMode.DISABLED and ended.any():
            with pytest.raises(ValueError, match="the episode has ended"):
                ours.step(np.zeros(N, np.int64))
            mine, reference = (env.reset(options={"reset_mask": ended.copy()}) for env in (ours, theirs))
            assert equal(mine, reference)
        masks = ours.action_masks()
        if generator.random() < 0.02:
            masks[0] = 1 - masks[0]
        chosen = sample(masks, generator)
        if mode is AutoresetMode.NEXT_STEP:
            chosen[ended] = generator.integers(-5, 10**6)  # ignored
        mine, reference = ours.step(chosen), theirs.step(chosen)
        ended = mine[2]
        episodes += int(ended.sum())
        assert all(same(ours.position(i).games, env.position.games) for i, env in enumerate(theirs.envs))
    assert equal(mine, reference)


# ---------------------------------------------------------------- PettingZoo
@some_tables(several=True)
def test_pettingzoos_tests(table):
    api_test(aec(table, wrapped=True), num_cycles=100)
    api_test(aec(table, on_illegal="lose", reward="rank"), num_cycles=100)
    seed_test(lambda: aec(table, wrapped=True), num_cycles=100)


@some_tables(several=True)
@pytest.mark.parametrize("reward", rewards.FINAL)
def test_an_aec_game(table, reward):
    """It is the same game as a position and pays for its result; copies play on identically."""
    env, position = aec(table, reward=reward), table.position(3)
    env.reset(seed=3)
    kind = type(position)
    generator, paid = np.random.default_rng(3), dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        agent = env.agent_selection
        observation, value, terminated, _, info = env.last()
        paid[agent] += value
        if terminated:
            env.step(None)
            breakdown, seat = position.score_breakdown(), env.possible_agents.index(agent)
            scores = dict(zip(env.possible_agents, position.scores(), strict=False))
            assert info == {"score": scores[agent], "score_breakdown": breakdown[seat], "scores": scores}
            continue
        assert agent == f"player_{position.to_play}" and info == {}
        assert np.array_equal(observation["action_mask"], position.action_mask())
        for seat, other in enumerate(env.agents):
            assert np.array_equal(env.observe(other)["observation"], position.observe(seat))
            assert other == agent or env.observe(other)["action_mask"].nonzero()[0].tolist() == [NOTHING]
        action = int(sample(observation["action_mask"][None], generator)[0])
        if generator.random() < 0.05:
            env = generator.choice([copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])(env)
        env.step(action)
        position.apply(action)
    results = position.breakdown()[None, :, table.game.rank_columns]
    wanted = rewards.returns(reward, results, table.options.num_players)[0]
    assert np.allclose([paid[agent] for agent in env.possible_agents], wanted)
    assert reward == "score" or sum(paid.values()) == pytest.approx(0, abs=1e-3)
    env.reset()  # continues the seed's sequence of games
    batch = table.batch(1, 3)
    batch.reset()
    assert env.position == kind(batch.games)
