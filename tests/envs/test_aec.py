"""`carnegie_v0`, the PettingZoo environment."""

import numpy as np
import pytest

from carnegie_env import Batch, Position, carnegie_v0
from carnegie_env.carnegie import actions
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import rewards
from tests.players import ALL_ON, mode_name


def play(env, generator=None, steps=10**6):
    """Random legal actions; yields (agent, observation, reward, terminated) before each step."""
    generator = generator or np.random.default_rng(0)
    for agent in env.agent_iter(steps):
        observation, reward, terminated, truncated, _ = env.last()
        assert not truncated
        yield agent, observation, reward, terminated
        env.step(None if terminated else generator.choice(np.flatnonzero(observation["action_mask"])))


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


def test_seeds_go_on():
    env, other = carnegie_v0.env(), carnegie_v0.env()
    env.reset(seed=4), other.reset(seed=4)
    for _ in play(other):
        pass
    env.reset(), other.reset()
    assert np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])


def test_an_agent_that_is_none_is_refused_with_those_there_are():
    env = carnegie_v0.env(num_players=2)
    env.reset(seed=1)
    for look in (env.observe, env.observation_space, env.action_space):
        for agent in ("nobody", ["player_0"]):
            with pytest.raises(ValueError, match="there is no agent .*; there are player_0, player_1$"):
                look(agent)


@pytest.mark.parametrize("options", [{"num_players": 3}, ALL_ON[2]], ids=mode_name)
def test_every_agent_sees_the_game_from_its_seat(options):
    env, batch = carnegie_v0.raw_env(**options), Batch(1, **options)
    env.reset(seed=3), batch.reset(3)
    generator = np.random.default_rng(0)
    for _ in range(60):
        for seat, agent in enumerate(env.possible_agents):
            assert np.array_equal(env.observe(agent)["observation"], batch.observe(seat=seat)[0])
        chosen = batch.sample_actions(generator)
        batch.step(chosen)
        env.step(chosen[0])


NO_ACTIONS = (None, 1.0, "pass", [0], np.array([0]), True)


@pytest.mark.parametrize("make", [carnegie_v0.env, carnegie_v0.raw_env])
@pytest.mark.parametrize("on_illegal", ["raise", "lose"])
def test_what_is_refused_changes_nothing(make, on_illegal):
    env = make(on_illegal=on_illegal)
    env.reset(seed=0)
    for _ in play(env, steps=40):
        pass
    before = env.unwrapped._batch.games.copy()
    illegal = (int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]), -1, actions.NUM_ACTIONS, 10**9)
    for action in (*NO_ACTIONS, *(illegal if on_illegal == "raise" else ())):
        with pytest.raises(ValueError, match="legal|must"):
            env.step(action)
    assert env.unwrapped._batch.games == before and not any(env.terminations.values())


@pytest.mark.parametrize("reward", rewards.FINAL)
@pytest.mark.parametrize("wrong", [None, -1, 10**9], ids=["masked", "-1", "10**9"])
def test_an_illegal_action_can_lose(reward, wrong):
    env = carnegie_v0.env(num_players=3, reward=reward, on_illegal="lose")
    env.reset(seed=3)
    for _ in play(env, steps=40):
        pass
    loser, totals = env.agent_selection, env.unwrapped._batch.scores()[0]
    action = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]) if wrong is None else wrong
    before = env.unwrapped._batch.games.copy()
    env.step(action)
    assert env.unwrapped._batch.games == before and all(env.terminations.values()) and len(env.agents) == 3
    paid = dict(env.rewards)
    others = [paid[agent] for agent in env.possible_agents if agent != loser]
    assert paid[loser] == rewards.loss(reward, CARNEGIE) and min(others) > paid[loser]
    if reward == "score":
        assert others == [totals[k] for k, agent in enumerate(env.possible_agents) if agent != loser]
    else:
        assert sum(paid.values()) == pytest.approx(0, abs=1e-4) and len(set(others)) == 1
    for agent in env.possible_agents:
        assert env.infos[agent]["illegal_action"].startswith(f"{loser}: illegal action {action} ")
        assert np.flatnonzero(env.unwrapped.observe(agent)["action_mask"]).tolist() == [actions.PASS]
    assert {agent: value for agent, _, value, _ in play(env)} == paid and not env.agents
    env.reset(seed=3)
    assert not any(env.infos.values()) and env.last()[0]["action_mask"].sum() > 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 5}, "1 .solo. to 4"),
        ({"num_players": 1}, "Carnegie/Solo-v0"),
        ({"num_players": "2"}, "num_players"),
        ({"difficulty": "normal"}, "difficulty.*num_players=1"),
        ({"reward": "dense_margin"}, "win, rank, margin, score.*solo"),
        ({"on_illegal": "random"}, "lose, raise"),
        ({"wait": "yes"}, "wait must be True or False, not 'yes'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        carnegie_v0.env(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"render_mode": "depth_array"}, "ansi"),
        ({"num_threads": 2}, "unexpected keyword argument 'num_threads'.*modules, reward, on_illegal"),
        ({"autoreset": True}, "unexpected keyword argument 'autoreset'"),
        ({"waits": True}, "unexpected keyword argument 'waits'.*new_start.*secret_donation"),
    ],
)
def test_names_and_render_modes_that_do_not_exist(options, message):
    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match=message):
            carnegie_v0.env(**options)
