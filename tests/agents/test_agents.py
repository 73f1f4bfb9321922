"""Agents: legal, repeatable, blind to what is hidden, and in the right order of strength."""

import numpy as np
import pytest

from agents import registry
from agents.base import Agent
from agents.play import Results, main, play, table
from agents.statistics import mean, share
from carnegie_env import Batch, Position
from tests.players import ALL_ON, mode_name

OPTIONS = ({"num_players": 1, "difficulty": "expert"}, {"num_players": 2}, {"num_players": 3}, {"num_players": 4})
EXPANDED = (ALL_ON[0], ALL_ON[1], ALL_ON[3])
NAMES = ("random", "greedy")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [*OPTIONS, *EXPANDED], ids=mode_name)
def test_plays_whole_games(name, options):
    batch = Batch(6, **options)
    batch.reset(seed=3)
    agent = registry.make(name)
    while not batch.done.all():
        batch.step(agent.act_batch(batch))  # refuses what is not legal
    assert (batch.games["round_number"] == 20).all()


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_games(name):
    first, second = (play([registry.make(name, seed=5)], 8, seed=1).scores for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_random_obeys_its_seed():
    first, second = (play([registry.make("random", seed=seed)], 8, seed=1).scores for seed in (0, 1))
    assert (first != second).any()


def middle_of_games(num_games: int, **options) -> Batch:
    batch = Batch(num_games, **options)
    batch.reset(seed=0)
    generator = np.random.default_rng(0)
    for _ in range(30):
        batch.step(batch.sample_actions(generator))
    return batch


def test_one_position_and_a_batch_agree():
    batch = middle_of_games(10, num_players=1)
    actions = registry.make("greedy").act_batch(batch)
    positions = [Position(batch.games[i : i + 1].copy()) for i in range(10)]
    assert [registry.make("greedy").act(position) for position in positions] == actions.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_rows(name):
    batch = middle_of_games(10, num_players=2)
    before = batch.games.copy()
    rows = np.array([7, 2, 4])
    actions = registry.make(name).act_batch(batch, rows)
    assert actions.shape == (3,) and actions.dtype == np.int64
    masks = batch.action_masks()
    assert all(masks[row, action] for row, action in zip(rows, actions, strict=True))
    assert (batch.games == before).all()
    if name == "greedy":
        np.testing.assert_array_equal(actions, registry.make(name).act_batch(batch)[rows])


def test_games_that_are_over_get_no_action():
    batch = middle_of_games(4, num_players=1)
    over = Batch(4, num_players=1)
    over.reset(seed=9)
    over.play_to_end(seed=1)
    batch.load(over.select([1]), rows=[1])
    actions = registry.make("greedy").act_batch(batch)
    assert actions[1] == -1 and (actions[[0, 2, 3]] >= 0).all()
    with pytest.raises(ValueError, match="over"):
        registry.make("greedy").act(Position(over.games[1:2]))


def test_greedy_does_not_look_at_secret_donations():
    batch = middle_of_games(40, **ALL_ON[1])
    other = batch.copy()
    other.redraw_hidden(seed=0)
    assert (other.games["secret"] != batch.games["secret"]).any()
    greedy = registry.make("greedy")
    np.testing.assert_array_equal(greedy.act_batch(batch), greedy.act_batch(other))


def test_greedy_does_not_look_at_andrews_deck():
    batch = middle_of_games(40, num_players=1)
    other = batch.copy()
    seeds = np.arange(40, dtype=np.uint64)
    other.redraw_hidden(seed=seeds)
    assert (other.games["deck"] != batch.games["deck"]).any()
    greedy = registry.make("greedy")
    np.testing.assert_array_equal(greedy.act_batch(batch), greedy.act_batch(other))


@pytest.mark.parametrize("options", [*OPTIONS, EXPANDED[1]], ids=mode_name)
def test_greedy_rates_every_legal_action_and_takes_the_best(options):
    batch = middle_of_games(12, **options)
    chosen = registry.make("greedy").act_batch(batch)
    for i in range(12):
        position = Position(batch.games[i : i + 1].copy())
        before = position.copy()
        ratings = registry.make("greedy").rate(position)
        assert sorted(action for action, _ in ratings) == position.legal_numbers().tolist()
        values = [value for _, value in ratings]
        assert values == sorted(values, reverse=True) and np.isfinite(values).all()
        assert ratings[0][0] == chosen[i] and position == before


def test_greedy_expects_less_where_others_are_ahead():
    position = Position.new({"num_players": 2}, seed=1)
    ahead = position.to_dict()
    ahead["companies"][1]["money"] += 10
    one, other = (registry.make("greedy").rate(p) for p in (position, Position.from_dict(ahead)))
    assert [action for action, _ in one] == [action for action, _ in other]
    assert [value - 5 for _, value in one] == pytest.approx([value for _, value in other])


def test_ratings_do_not_hang_on_what_is_hidden():
    batch = middle_of_games(12, **ALL_ON[1])
    other = batch.copy()
    other.redraw_hidden(seed=0)
    greedy = registry.make("greedy")
    for i in range(12):
        one, two = (greedy.rate(Position(games[i : i + 1].copy())) for games in (batch.games, other.games))
        assert one == two


def test_who_does_not_rate_says_so():
    position = Position.new(seed=1)
    assert registry.make("random").rate(position) is None and FirstLegal().rate(position) is None
    over = Batch(1, num_players=2)
    over.play_to_end(seed=1)
    with pytest.raises(ValueError, match="the game is over"):
        registry.make("greedy").rate(Position(over.games.copy()))


@pytest.mark.parametrize("options", OPTIONS[:3], ids=lambda options: f"{options['num_players']} players")
def test_greedy_is_clearly_above_random(options):
    if options["num_players"] == 1:
        random, greedy = (play([registry.make(name)], 60, **options).margins.mean() for name in NAMES)
        assert greedy > random + 30
    else:
        results = play([registry.make(name) for name in NAMES], 60, **options)
        assert results.wins[results.agents == 1].sum() > 0.9 * 60


# ---- playing and counting
class FirstLegal(Agent):
    """Takes the lowest legal action."""

    name = "first"

    def choose(self, batch):
        return batch.action_masks().argmax(axis=1)


def test_seats_rotate():
    results = play([FirstLegal(), registry.make("random")], 4, num_players=2)
    assert results.agents.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert results.scores.shape == (4, 2) and results.opponent is None


def test_fewer_agents_than_seats():
    results = play([FirstLegal(), registry.make("random")], 2, num_players=3)
    assert results.agents.tolist() == [[0, 1, 0], [1, 0, 1]]


def test_games_in_several_batches_are_the_same(monkeypatch):
    whole = play([FirstLegal(), FirstLegal()], 7, seed=4)
    monkeypatch.setattr("agents.play.AT_ONCE", 3)
    parts = play([FirstLegal(), FirstLegal()], 7, seed=4)
    np.testing.assert_array_equal(whole.scores, parts.scores)
    np.testing.assert_array_equal(whole.agents, parts.agents)


def made_up(scores, andrew=None):
    scores = np.array(scores)
    agents = np.tile(np.arange(scores.shape[1]), (len(scores), 1))
    sides = scores if andrew is None else np.column_stack([scores, andrew])
    return Results(agents, sides[:, :, None], None if andrew is None else "andrew", 100, 1.0)


def test_wins_ranks_and_margins():
    results = made_up([[10, 30, 20], [30, 30, 5]])
    np.testing.assert_allclose(results.wins, [[0, 1, 0], [0.5, 0.5, 0]])
    np.testing.assert_allclose(results.ranks, [[3, 1, 2], [1.5, 1.5, 3]])
    np.testing.assert_allclose(results.margins, [[-20, 10, -10], [0, 0, -25]])
    solo = made_up([[50], [60], [70]], andrew=[60, 60, 60])
    np.testing.assert_allclose(solo.wins[:, 0], [0, 0.5, 1])
    np.testing.assert_allclose(solo.margins[:, 0], [-10, 0, 10])
    assert "andrew" in table(["someone"], solo)


def test_intervals():
    estimate = mean([1.0, 2.0, 3.0, 4.0])
    assert estimate.mean == 2.5
    assert estimate.half_width == pytest.approx(1.96 * np.std([1, 2, 3, 4], ddof=1) / 2, rel=1e-4)
    none, all_, half = share(np.zeros(1000)), share(np.ones(1000)), share([0.0, 1.0] * 500)
    assert none.low == pytest.approx(0, abs=1e-9)
    assert 0.003 < none.high < 0.005  # Wilson's interval has a width there, too
    assert all_.high == pytest.approx(1) and 0.995 < all_.low < 0.997
    assert half.half_width == pytest.approx(1.96 * 0.5 / 1000**0.5, rel=0.01)
    gap = mean([4.0, 6.0]).minus(mean([1.0, 3.0]))
    assert gap.mean == 3 and gap.half_width == pytest.approx(2**0.5 * mean([1.0, 3.0]).half_width)


# ---- the command line
def test_command_line(capsys):
    assert main(["--agents", "random", "greedy", "--games", "4", "--players", "2"]) == 0
    out = capsys.readouterr().out
    assert "random" in out and "greedy" in out and "4 games" in out and "win rate" in out
    assert main(["--agents", "random", "--difficulty", "expert", "--games", "3"]) == 0
    everything = ["--num-players", "3", "--modules", "all", "--show-forced", "--timeline-tiles", "rows"]
    assert main(["--agents", "random", "--games", "2", *everything]) == 0
    assert main(["--agents", "random", "--games", "2", "--new-start"]) == 0
    assert "andrew" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agents", "clever"], "unknown agent 'clever'; the agents are random, greedy, value"),
        (["--agents", "ppo:"], "unknown agent"),
        (["--agents", "ppo:/nowhere"], "no trained model"),
        (["--agents", "random", "greedy", "--players", "1"], "2 agents for 1 players"),
        (["--agents", "random", "greedy", "--difficulty", "expert"], "difficulty"),
        (["--agents", "random", "--games", "0"], "--games"),
    ],
)
def test_bad_command_lines(arguments, message, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err
