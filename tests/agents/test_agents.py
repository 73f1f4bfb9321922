"""The greedy agent, and games between agents."""

import numpy as np
import pytest

from carnegie_env import Position
from carnegie_env.agents import registry
from carnegie_env.arena.play import OPENING, begin, main, play
from carnegie_env.arena.statistics import mean, share
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.agents.tables import STEEL, middle
from tests.arena.misfits import First
from tests.commands import refused
from tests.toy.game import SIXES

OPTIONS = ({"num_players": 1, "difficulty": "expert"}, {"num_players": 2}, {"num_players": 3}, {"num_players": 4})
NAMES = ("random", "greedy")


def test_greedy_does_not_depend_on_the_size_of_slices(monkeypatch):
    batch = middle(STEEL[1], 10)
    chosen = registry.make_agent("greedy").act_batch(batch)
    monkeypatch.setattr("carnegie_env.agents.greedy.AT_ONCE", 3)
    np.testing.assert_array_equal(registry.make_agent("greedy").act_batch(batch), chosen)


def test_greedy_expects_less_if_others_are_ahead():
    position = Position.new({"num_players": 2}, seed=1)
    ahead = position.to_dict()
    ahead["companies"][1]["money"] += 10
    one, other = (registry.make_agent("greedy").rate(p) for p in (position, Position.from_dict(ahead)))
    assert [action for action, _ in one] == [action for action, _ in other]
    assert [value - 5 for _, value in one] == pytest.approx([value for _, value in other])


def test_greedy_expects_margins_in_auctions():
    """Passing gains nothing, but does not lose what a player has. Most leads are a few hundred dollars."""
    batch = middle(STEEL[0], 64, 60)
    best = registry.make_agent("greedy").judge(batch).values.max(axis=1)
    assert (batch.games["phase"] <= 1).any() and np.abs(best).max() < 700


def test_agents_without_values_return_none():
    position = Position.new(seed=1)
    assert registry.make_agent("random").rate(position) is None and First().rate(position) is None


def test_greedy_rejects_games_without_an_evaluation():
    with pytest.raises(ValueError, match="greedy does not play sixes; it plays carnegie, steel_driver"):
        registry.make_agent("greedy").act(SIXES.position_class.new({}, seed=1))


@pytest.mark.parametrize("options", OPTIONS[:3], ids=lambda options: f"{options['num_players']} players")
def test_greedy_is_clearly_above_random(options):
    if options["num_players"] == 1:
        random, greedy = (play([registry.make_agent(name)], 60, **options).margins.mean() for name in NAMES)
        assert greedy > random + 30
    else:
        results = play([registry.make_agent(name) for name in NAMES], 60, **options)
        assert results.wins[results.agents == 1].sum() > 0.9 * 60


@pytest.mark.parametrize("players", range(3, 7))
def test_greedy_is_clearly_above_random_in_steel_driver(players):
    """Against random agents it wins most games, by far."""
    agents = [registry.make_agent("greedy"), *[registry.make_agent("random")] * (players - 1)]
    results = play(agents, 120, game=STEEL_DRIVER, num_players=players)
    own = results.agents == 0
    assert share(results.wins[own]).low > 0.6 and mean(results.margins[own]).low > 50


# ---- games between agents
@pytest.mark.parametrize("games", [0, 1.5])
def test_a_wrong_number_of_games(games):
    with pytest.raises(ValueError, match="games must be a whole number of 1 or more"):
        play([registry.make_agent("random")], games)


def test_seats_rotate():
    results = play([First(), registry.make_agent("random")], 4, num_players=2)
    assert results.agents.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert results.scores.shape == (4, 2) and results.opponent is None


def test_fewer_agents_than_seats():
    results = play([First(), registry.make_agent("random")], 2, num_players=3)
    assert results.agents.tolist() == [[0, 1, 0], [1, 0, 1]]
    assert results.by_game(0, results.scores).tolist() == [results.scores[0, [0, 2]].mean(), results.scores[1, 1]]
    alone = play([First()], 5, num_players=3)
    assert alone.by_game(0, alone.ranks).tolist() == [2.0] * 5  # all seats of a game: no variance


def test_games_without_chance_have_random_openings():
    """Otherwise deterministic agents would always play the same game."""
    results = play([First()], 40, game=STEEL_DRIVER, num_players=3)
    batch = STEEL_DRIVER.batch_class(40, num_players=3)
    begin(batch, 0)
    assert (batch.games["decisions"] == OPENING).all()
    assert len({game.tobytes() for game in batch.games[["auction", "bid", "bidder", "sold"]].copy()}) > 10
    np.testing.assert_array_equal(results.scores, play([First()], 40, game=STEEL_DRIVER).scores)
    begin(batch := CARNEGIE.batch_class(2, num_players=2), 3)
    assert not batch.games["decisions"].any()


def test_results_do_not_depend_on_the_size_of_batches(monkeypatch):
    whole = play([First(), First()], 7, seed=4)
    monkeypatch.setattr("carnegie_env.arena.play.AT_ONCE", 3)
    parts = play([First(), First()], 7, seed=4)
    np.testing.assert_array_equal(whole.scores, parts.scores)
    np.testing.assert_array_equal(whole.agents, parts.agents)


def test_intervals():
    none, all_, half = share(np.zeros(1000)), share(np.ones(1000)), share([0.0, 1.0] * 500)
    assert none.low == pytest.approx(0, abs=1e-9)
    assert 0.003 < none.high < 0.005  # Wilson's interval is wider than 0
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
    assert main(["--game", "steel_driver", "--agents", "random", "greedy", "--games", "4", "--players", "5"]) == 0
    everything = ["--num-players", "3", "--modules", "all", "--show-forced", "--timeline-tiles", "rows"]
    assert main(["--agents", "random", "--games", "2", *everything]) == 0
    assert main(["--agents", "random", "--games", "2", "--new-start"]) == 0
    assert "andrew" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agents", "clever"], "unknown agent 'clever'; the agents are random, greedy, value"),
        (["--agents", "random", "greedy", "--players", "1"], "2 agents do not fit 1 seats: at least one"),
        (["--agents", "random", "greedy", "--difficulty", "expert"], "difficulty"),
        (["--agents", "random", "--games", "0"], "--games"),
    ],
)
def test_bad_command_lines(arguments, message, capsys):
    error = refused(capsys, main, arguments)
    assert message in error and len(error.splitlines()) == 2
