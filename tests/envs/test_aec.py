"""`carnegie_v0`: arguments, and illegal actions in the PettingZoo environment. More in tests/conformance."""

import numpy as np
import pytest

from carnegie_env import carnegie_v0
from carnegie_env.carnegie import actions
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import rewards


def play(env, steps=10**6):
    """Play random legal actions; returns the agents' last rewards."""
    generator, paid = np.random.default_rng(0), {}
    for agent in env.agent_iter(steps):
        observation, paid[agent], terminated, truncated, _ = env.last()
        assert not truncated
        env.step(None if terminated else generator.choice(np.flatnonzero(observation["action_mask"])))
    return paid


def test_unknown_agents():
    env = carnegie_v0.env(num_players=2)
    env.reset(seed=1)
    for look in (env.observe, env.observation_space, env.action_space):
        for agent in ("nobody", ["player_0"]):
            with pytest.raises(ValueError, match="there is no agent .*; there are player_0, player_1$"):
                look(agent)


NOT_ACTIONS = (None, 1.0, "pass", [0], np.array([0]), True)


@pytest.mark.parametrize("make", [carnegie_v0.env, carnegie_v0.raw_env])
@pytest.mark.parametrize("on_illegal", ["raise", "lose"])
def test_a_refused_action_changes_nothing(make, on_illegal):
    env = make(on_illegal=on_illegal)
    env.reset(seed=0)
    play(env, steps=40)
    before = env.unwrapped._batch.games.copy()
    illegal = (int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]), -1, actions.NUM_ACTIONS, 10**9)
    for action in (*NOT_ACTIONS, *(illegal if on_illegal == "raise" else ())):
        with pytest.raises(ValueError, match="legal|must"):
            env.step(action)
    assert env.unwrapped._batch.games == before and not any(env.terminations.values())


@pytest.mark.parametrize("reward", rewards.FINAL)
@pytest.mark.parametrize("wrong", [None, -1, 10**9], ids=["masked", "-1", "10**9"])
def test_an_illegal_action_can_lose(reward, wrong):
    env = carnegie_v0.env(num_players=3, reward=reward, on_illegal="lose")
    env.reset(seed=3)
    play(env, steps=40)
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
    assert play(env) == paid and not env.agents
    env.reset(seed=3)
    assert not any(env.infos.values()) and env.last()[0]["action_mask"].sum() > 1


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"reward": "dense_margin"}, ValueError, "win, rank, margin, score.*solo"),
        ({"on_illegal": "random"}, ValueError, "lose, raise"),
        ({"wait": "yes"}, ValueError, "wait must be True or False, not 'yes'"),
        ({"render_mode": "depth_array"}, TypeError, "ansi"),
        ({"num_threads": 2}, TypeError, "unexpected keyword argument 'num_threads'.*modules, reward, on_illegal"),
        ({"waits": True}, TypeError, "unexpected keyword argument 'waits'.*new_start.*secret_donation"),
    ],
)
def test_wrong_arguments(options, kind, message):
    for each in (ValueError, kind):  # clients try arguments and catch TypeError
        with pytest.raises(each, match=message):
            carnegie_v0.env(**options)
