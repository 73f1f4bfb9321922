"""`Carnegie/Versus-v0`: one learner among opponents, or one agent for every seat. More in tests/conformance."""

import copy

import gymnasium
import numpy as np
import pytest

from carnegie_env import Batch, make_agent
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import rewards
from carnegie_env.envs.opponents import OpponentError, Opponents

ID = "Carnegie/Versus-v0"


def make(**options):
    return gymnasium.make(ID, **options).unwrapped


def make_vec(num_envs, **options):
    return gymnasium.make_vec(ID, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)


class FirstLegal:
    """An agent that is not a subclass of anything; it records what it is asked."""

    name = "first"

    def __init__(self):
        self.asked = []

    def act_batch(self, batch, rows=None):
        self.asked.append((np.array(rows), batch.to_play[rows]))
        return batch.action_masks(rows=rows).argmax(axis=1)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_opponents_sit_clockwise_from_the_learners_left(players):
    """The game is that of a batch in which every seat's agent decides in turn."""
    agents = [FirstLegal(), make_agent("random"), make_agent("random")][: players - 1]
    env = make(num_players=players, opponents=copy.deepcopy(agents), reward="dense_margin")
    generator = np.random.default_rng(players)
    for seed in (5, 6):
        observation, info = env.reset(seed=seed)
        batch, seat, paid, terminated = Batch(1, num_players=players), seed % players, 0.0, False
        batch.reset(seed)

        def others(batch=batch, seat=seat):
            while not batch.done[0] and batch.to_play[0] != seat:
                batch.step(agents[(batch.to_play[0] - seat - 1) % players].act_batch(batch))

        others()
        while not terminated:
            assert info["to_play"] == seat == batch.to_play[0]
            assert np.array_equal(observation, batch.observe()[0])
            assert np.array_equal(info["action_mask"], batch.action_masks()[0])
            action = generator.choice(np.flatnonzero(info["action_mask"]))
            observation, value, terminated, truncated, info = env.step(action)
            batch.step([action])
            others()
            paid += value
            now = rewards.exact_returns("margin", batch.results(), players)[0, seat] / CARNEGIE.dense_unit
            assert paid == pytest.approx(now)  # everything since the learner's last decision
        assert batch.done[0] and info["scores"].tolist() == batch.scores()[0].tolist()
        assert info["to_play"] == info["learner_seat"] == seat
        assert np.array_equal(observation, batch.observe(seat=seat)[0])


def test_one_call_of_an_agent_decides_in_all_games():
    agent = FirstLegal()
    env = make_vec(200, num_players=3, opponents=agent)
    _, infos = env.reset(seed=0)
    generator = np.random.default_rng(0)
    for _ in range(60):
        agent.asked.clear()
        chosen = np.array([generator.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        _, _, ended, _, infos = env.step(chosen)
        decisions = sum(np.bincount(rows, minlength=200) for rows, _ in agent.asked) + np.zeros(200)
        # as often as in the game with the most decisions, and again for the openings of new games
        assert len(agent.asked) <= decisions.max() * (2 if ended.any() else 1)
        assert all(len(set(rows)) == len(rows) for rows, _ in agent.asked)


def seats_of(env, episodes, seed):
    found = []
    for _ in range(episodes):
        found.append(env.reset(seed=seed)[1]["to_play"])
        seed = None
    return found


def test_learner_seats():
    others = {"num_players": 3, "opponents": "random"}
    assert seats_of(make(**others), 5, seed=7) == [1, 2, 0, 1, 2]
    assert seats_of(make(**others, learner_seat=2), 3, seed=7) == [2, 2, 2]
    drawn = make(**others, learner_seat="random")
    first = seats_of(drawn, 60, seed=1)
    assert first == seats_of(drawn, 60, seed=1) and min(first.count(seat) for seat in range(3)) > 10
    assert len(set(seats_of(make(**others), 60, seed=None))) == 3
    env = make_vec(6, **others)
    assert env.reset(seed=4)[1]["to_play"].tolist() == [1, 2, 0, 1, 2, 0]
    env.reset(options={"reset_mask": np.arange(6) < 2})
    assert env._games.seats().tolist() == [2, 0, 0, 1, 2, 0]


def test_games_that_end_before_the_learners_first_decision_are_skipped(monkeypatch):
    """No real game does that; here all games do the first time."""
    env, other = make_vec(4, opponents="random"), make_vec(4, opponents="random")
    play, times = Opponents.play, []

    def ended(self, batch):
        times.append(1)
        if len(times) == 1:
            batch.play_to_end()
        play(self, batch)

    monkeypatch.setattr(Opponents, "play", ended)
    observations, infos = env.reset(seed=2)
    monkeypatch.undo()
    other.reset(seed=2)
    assert np.array_equal(observations, other.reset()[0]) and infos["to_play"].tolist() == [1, 0, 1, 0]
    monkeypatch.setattr(Opponents, "play", lambda self, batch: batch.play_to_end())
    with pytest.raises(ValueError, match="the learner had nothing to decide"):
        env.reset(seed=2)


# ---------------------------------------------------------------- invalid opponents
class Wrong:
    name = "dreamer"

    def __init__(self, answer):
        self.answer = answer

    def act_batch(self, batch, rows=None):
        return self.answer(len(rows))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.full(n, 332), "illegal action 332"),
        (lambda n: np.full(n, -1), "illegal action -1"),
        (lambda n: np.zeros(n), "actions must be integers, got dtype float64"),
        (lambda n: np.zeros(n + 1, int), r"actions must have shape \(\d,\)"),
        (lambda n: None, "actions must"),
        (lambda n: ["pass"] * n, "actions must be integers"),
        (lambda n: np.full(n, 2**40), "illegal action 1099511627776"),
    ],
)
def test_an_opponent_that_answers_nonsense_is_named(answer, message):
    env = make_vec(4, num_players=2, opponents=Wrong(answer), learner_seat=0)
    with pytest.raises(OpponentError, match=f"the opponent dreamer made an invalid move: .*{message}"):
        _, infos = env.reset(seed=1)
        for _ in range(5):
            _, _, _, _, infos = env.step(infos["action_mask"].argmax(axis=1))


def test_an_opponent_that_raises_is_named():
    def fall(n):
        raise KeyError("asleep")

    env = make(num_players=2, opponents=Wrong(fall), learner_seat=1)
    with pytest.raises(KeyError, match="asleep") as error:
        for seed in range(3):
            env.reset(seed=seed)
            env.step(env.action_masks().argmax())
    assert error.value.__notes__ == ["The opponent dreamer raised this."]


def test_after_an_opponents_error_all_games_must_be_reset():
    """Otherwise the learner's next action would be an opponent's."""

    class Falling(FirstLegal):
        falls = False

        def act_batch(self, batch, rows=None):
            if self.falls:
                raise KeyError("asleep")
            return super().act_batch(batch, rows)

    opponent = Falling()
    env = make_vec(3, num_players=2, opponents=opponent, learner_seat=1)
    env.reset(seed=1)

    def step():
        return env.step(env.action_masks().argmax(axis=1))

    for falls in (lambda: [step() for _ in range(50)], env.reset):
        opponent.falls = True
        with pytest.raises(KeyError, match="asleep"):
            falls()
        opponent.falls = False
        for started in ([True, False, False], [False, True, True]):
            with pytest.raises(ValueError, match=r"a game has not begun: call reset\(\)"):
                step()
            env.reset(options={"reset_mask": np.array(started)})
        assert step()[4]["to_play"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponents": "clever"}, "unknown agent 'clever'"),
        ({"opponents": ["random"], "num_players": 3}, "a list of 2, one for each other seat of num_players=3; got 1"),
        ({"opponents": []}, "got 0"),
        ({"opponents": 7}, "an object with act_batch.*not 7"),
        ({"opponents": FirstLegal}, "an object with act_batch"),
        ({"opponents": ["random", None], "num_players": 3}, "not None"),
        ({"opponents": "random", "learner_seat": 2}, 'a seat from 0 to 1, "rotate" or "random", not 2'),
        *(({"opponents": "random", "learner_seat": seat}, f"not {seat!r}") for seat in (-1, True, "left")),
        ({"learner_seat": 1}, "learner_seat=1 needs opponents"),
        ({"opponent": "random"}, "unexpected keyword argument 'opponent'; the options are .*opponents, learner_seat"),
        ({"num_players": 1}, "num_players must be 2 to 4 here, not 1; for one player use Carnegie/Solo-v0"),
    ],
)
def test_wrong_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)
    with pytest.raises(ValueError, match=message):
        make_vec(2, **options)


def test_an_agent_must_play_the_game():
    class Elsewhere(FirstLegal):
        def check_plays(self, game, options):
            raise ValueError(f"first does not play {game.name}")

    with pytest.raises(ValueError, match="first does not play carnegie"):
        make(opponents=Elsewhere())
