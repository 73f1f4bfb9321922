"""`carnegie_v0`, the PettingZoo environment."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test
from pettingzoo.utils import average_total_reward

from carnegie_env import Batch, Position, carnegie_v0
from carnegie_env.carnegie import actions
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.carnegie.observation import layout as layout_for
from carnegie_env.core import records, rewards
from tests.players import ALL_ON, ALONE, mode_name

PLAYERS = (2, 3, 4)


def play(env, generator=None, steps=10**6):
    """Random legal actions; yields (agent, observation, reward, terminated) before each step."""
    generator = generator or np.random.default_rng(0)
    for agent in env.agent_iter(steps):
        observation, reward, terminated, truncated, _ = env.last()
        assert not truncated
        yield agent, observation, reward, terminated
        env.step(None if terminated else generator.choice(np.flatnonzero(observation["action_mask"])))


@pytest.mark.parametrize("options", [{"num_players": n} for n in PLAYERS] + [*ALL_ON[1:]], ids=mode_name)
@pytest.mark.parametrize("make", [carnegie_v0.env, carnegie_v0.raw_env])
def test_api(options, make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # api_test expects a Box of all but the games it knows by name; with masks PettingZoo itself uses a dict
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        api_test(make(**options), num_cycles=1000)


def test_render():
    """Pictures: test_pictures.py."""
    env = carnegie_v0.env()
    env.reset(seed=0)
    assert env.render() is None


@pytest.mark.parametrize("options", [{"num_players": 3}, ALL_ON[2]], ids=mode_name)
def test_every_agent_sees_the_game_from_his_seat(options):
    env = carnegie_v0.raw_env(**options)
    batch = Batch(1, **options)
    layout = env.observation_layout
    env.reset(seed=3)
    batch.reset(3)
    generator = np.random.default_rng(0)
    for _ in range(150):
        seat = batch.to_play[0]
        assert env.agent_selection == f"player_{seat}"
        for k, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert np.array_equal(seen["observation"], batch.observe(seat=k)[0])
            assert layout.read(seen["observation"], "own.to_play") == (k == seat)
            if k == seat:
                assert np.array_equal(seen["action_mask"], batch.action_masks()[0])
            else:
                assert np.flatnonzero(seen["action_mask"]).tolist() == [actions.PASS]
        chosen = batch.sample_actions(generator)
        batch.step(chosen)
        env.step(chosen[0])


@pytest.mark.parametrize("make", [carnegie_v0.env, carnegie_v0.raw_env])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_of_a_running_game_play_on_identically(make, duplicate):
    env = make(num_players=3)
    env.reset(seed=9)
    for _ in play(env, steps=60):
        pass
    other = duplicate(env)
    a = list(play(env, np.random.default_rng(1)))
    b = list(play(other, np.random.default_rng(1)))
    assert len(a) == len(b) > 30
    for x, y in zip(a, b, strict=True):
        assert x[0] == y[0] and x[2:] == y[2:]
        assert all(np.array_equal(x[1][key], y[1][key]) for key in x[1])
    env.reset(), other.reset()
    assert np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])


@pytest.mark.parametrize("make", [carnegie_v0.env, carnegie_v0.raw_env])
def test_an_illegal_action_raises_and_changes_nothing(make):
    env = make()
    env.reset(seed=0)
    for _ in play(env, steps=40):
        pass
    observation = env.last()[0]
    before = env.unwrapped._batch.games.copy()
    masked = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    for action in (masked, -1, actions.NUM_ACTIONS, 10**9, None, 1.0, "pass", [0], np.array([0]), True):
        with pytest.raises(ValueError, match="legal|must"):
            env.step(action)
    assert env.unwrapped._batch.games == before
    assert all(np.array_equal(env.last()[0][key], observation[key]) for key in observation)


@pytest.mark.parametrize("make", [carnegie_v0.env, carnegie_v0.raw_env])
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("reward", rewards.FINAL)
@pytest.mark.parametrize("wrong", [None, -1, 10**9], ids=["masked", "-1", "10**9"])
def test_an_illegal_action_can_lose(make, players, reward, wrong):
    env = make(num_players=players, reward=reward, on_illegal="lose")
    env.reset(seed=3)
    for _ in play(env, steps=40):
        pass
    loser, totals = env.agent_selection, env.unwrapped._batch.scores()[0]
    action = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]) if wrong is None else wrong
    before = env.unwrapped._batch.games.copy()
    env.step(action)
    assert env.unwrapped._batch.games == before and all(env.terminations.values()) and len(env.agents) == players
    paid = dict(env.rewards)
    others = [paid[agent] for agent in env.possible_agents if agent != loser]
    assert paid[loser] == rewards.loss(reward, CARNEGIE) and min(others) > paid[loser]
    if reward == "score":
        assert others == [totals[k] for k, agent in enumerate(env.possible_agents) if agent != loser]
    else:
        assert sum(paid.values()) == pytest.approx(0, abs=1e-4) and len(set(others)) == 1
    for agent in env.possible_agents:
        said = env.infos[agent]["illegal_action"]
        assert said.startswith(f"{loser}: illegal action {action} ") and "legal ones" in said
        assert np.flatnonzero(env.unwrapped.observe(agent)["action_mask"]).tolist() == [actions.PASS]
    assert {agent: value for agent, _, value, _ in play(env)} == paid and not env.agents
    env.reset(seed=3)
    assert not any(env.infos.values()) and env.last()[0]["action_mask"].sum() > 1


@pytest.mark.parametrize("action", [None, 1.0, "pass", [0], True])
def test_an_action_of_a_wrong_type_raises_also_when_illegal_ones_lose(action):
    env = carnegie_v0.env(on_illegal="lose")
    env.reset(seed=0)
    before = env.unwrapped._batch.games.copy()
    with pytest.raises(ValueError, match="must"):
        env.step(action)
    assert env.unwrapped._batch.games == before and not any(env.terminations.values())


def test_samplers_that_do_not_look_at_masks():
    env = carnegie_v0.env(num_players=3, on_illegal="lose", reward="margin")
    average_total_reward(env, max_episodes=20)
    api_test(env, num_cycles=300)


@pytest.mark.parametrize("options", [{"num_players": 2}, ALL_ON[3]], ids=mode_name)
def test_infos_at_the_end_have_the_scores(options):
    env = carnegie_v0.env(**options, reward="score")
    env.reset(seed=1)
    last = {}
    for agent in env.agent_iter():
        observation, value, terminated, _, info = env.last()
        if terminated:
            last[agent] = (value, info)
        else:
            assert info == {}
        env.step(None if terminated else int(observation["action_mask"].argmax()))
    batch = env.unwrapped._batch
    expected = Position(batch.games).score_breakdown()
    assert list(last) == env.possible_agents or set(last) == set(env.possible_agents)
    for seat, agent in enumerate(env.possible_agents):
        value, info = last[agent]
        assert set(info) == {"score", "score_breakdown", "scores"}
        assert info["score"] == value == batch.scores()[0, seat] == info["scores"][agent]
        assert info["score_breakdown"] == expected[seat] and "departments" in expected[seat]


def test_its_own_game_is_not_read_like_a_strangers(monkeypatch):
    """Checking a record takes some milliseconds, as much as a hundred steps."""

    def read(*_):
        raise AssertionError("a record of the environment's own was checked")

    monkeypatch.setattr(records, "read_record", read)
    env = carnegie_v0.env(num_players=2, render_mode="ansi")
    env.reset(seed=3)
    assert "player_0 decides" in env.render()
    assert any(over for _, _, _, over in play(env)) and env.render()
    with pytest.raises(AssertionError, match="own was checked"):
        Position(env.unwrapped._batch.games)  # what everybody else's records go through


def test_what_is_hidden_is_not_observed():
    """Other sheets and secrets of an agent change nothing that the others are given."""
    for actions_taken in ("sheet goods 3", "sheet goods 5"):
        env, other = (carnegie_v0.raw_env(num_players=3, new_start=True) for _ in range(2))
        env.reset(seed=2), other.reset(seed=2)
        env.step(actions.NUMBERS["sheet goods 4"])
        other.step(actions.NUMBERS[actions_taken])
        for agent in env.possible_agents:
            same = np.array_equal(env.observe(agent)["observation"], other.observe(agent)["observation"])
            assert same == (agent != "player_0")


def test_seeds_go_on():
    env, other = carnegie_v0.env(), carnegie_v0.env()
    env.reset(seed=4), other.reset(seed=4)
    for _ in play(other):
        pass
    env.reset(), other.reset()
    assert np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 5}, "1 .solo. to 4"),
        ({"num_players": 1}, "Carnegie/Solo-v0"),
        ({"num_players": "2"}, "num_players"),
        ({"difficulty": "normal"}, "difficulty.*num_players=1"),
        ({"reward": "dense_margin"}, "win, rank, margin, score.*solo"),
        ({"render_mode": "depth_array"}, "ansi"),
        ({"colour": "red"}, "unexpected keyword argument 'colour'"),
        ({"num_threads": 2}, "unexpected keyword argument 'num_threads'.*modules, reward, on_illegal"),
        ({"autoreset": True}, "unexpected keyword argument 'autoreset'"),
        ({"on_illegal": "random"}, "lose, raise"),
        ({"wait": "yes"}, "wait must be True or False, not 'yes'"),
        ({"waits": True}, "unexpected keyword argument 'waits'.*new_start.*secret_donation"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        carnegie_v0.env(**options)


@pytest.mark.parametrize("options", [{"render_mode": "depth_array"}, {"colour": 1}, {"num_threads": 1}])
def test_names_and_render_modes_that_do_not_exist_are_type_errors_too(options):
    with pytest.raises(TypeError):
        carnegie_v0.env(**options)


@pytest.mark.parametrize("options", [{"num_players": 4}, ALL_ON[3], *(m for m in ALONE if m["num_players"] == 4)],
                         ids=mode_name)  # fmt: skip
def test_spaces(options):
    env = carnegie_v0.env(**options)
    assert env.possible_agents == [f"player_{i}" for i in range(4)]
    expanded = len(options) > 1
    assert env.unwrapped.observation_layout is layout_for(4, expanded)
    for agent in env.possible_agents:
        assert env.action_space(agent).n == (actions.NUM_ACTIONS if expanded else actions.NUM_BASE_ACTIONS)
        assert env.observation_space(agent)["observation"].shape == (env.unwrapped.observation_layout.size,)
        assert env.observation_space(agent)["action_mask"].dtype == np.int8


def test_an_agent_that_is_none_is_refused_with_those_there_are():
    env = carnegie_v0.env(num_players=2)
    env.reset(seed=1)
    for look in (env.observe, env.observation_space, env.action_space):
        for agent in ("nobody", ["player_0"]):
            with pytest.raises(ValueError, match="there is no agent .*; there are player_0, player_1$"):
                look(agent)
