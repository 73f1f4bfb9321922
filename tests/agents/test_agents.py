"""Agents: legal, repeatable, blind to what is hidden, and in the right order of strength."""

import numpy as np
import pytest

from agents import registry
from agents.base import Agent
from agents.play import OPENING, Results, begin, main, play, play_out, table
from agents.statistics import mean, share
from carnegie_env import Batch, Position
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.agents.tables import LAST_ROUND, STEEL, Table, at, carnegie
from tests.players import ALL_ON
from tests.toy.game import SIXES

OPTIONS = ({"num_players": 1, "difficulty": "expert"}, {"num_players": 2}, {"num_players": 3}, {"num_players": 4})
EXPANDED = (ALL_ON[0], ALL_ON[1], ALL_ON[3])
NAMES = ("random", "greedy")
EACH_GAME = at(Table(CARNEGIE, {"num_players": 2}), STEEL[0])


@pytest.mark.parametrize("name", NAMES)
@at(*carnegie(*OPTIONS, *EXPANDED), *STEEL)
def test_plays_whole_games(name, table):
    batch = table.batch(6)
    batch.reset(seed=3)
    agent = registry.make(name)
    while not batch.done.all():
        batch.step(agent.act_batch(batch))  # refuses what is not legal
    assert (batch.games["round_number"] == LAST_ROUND[table.game]).all()


@pytest.mark.parametrize("name", NAMES)
@EACH_GAME
def test_same_seed_same_games(name, table):
    first, second = (
        play([registry.make(name, seed=5)], 8, game=table.game, seed=1, **table.options).scores for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


@EACH_GAME
def test_random_obeys_its_seed(table):
    agents = [registry.make("random", seed=seed) for seed in (0, 1)]
    first, second = (play([agent], 8, game=table.game, seed=1, **table.options).scores for agent in agents)
    assert (first != second).any()


def middle_of_games(num_games: int, game=CARNEGIE, **options) -> Batch:
    batch = game.batch_class(num_games, **options)
    batch.reset(seed=0)
    generator = np.random.default_rng(0)
    for _ in range(30):
        batch.step(batch.sample_actions(generator))
    return batch


@at(*carnegie({"num_players": 1}), STEEL[0])
def test_one_position_and_a_batch_agree(table):
    batch = middle_of_games(10, table.game, **table.options)
    actions = registry.make("greedy").act_batch(batch)
    positions = [table.game.position_class(batch.games[i : i + 1].copy()) for i in range(10)]
    assert [registry.make("greedy").act(position) for position in positions] == actions.tolist()


@pytest.mark.parametrize("name", NAMES)
@EACH_GAME
def test_rows(name, table):
    batch = middle_of_games(10, table.game, **table.options)
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


def test_greedy_decides_the_same_in_few_and_many_games(monkeypatch):
    batch = middle_of_games(10, STEEL_DRIVER, num_players=4, num_threads=1)
    chosen = registry.make("greedy").act_batch(batch)
    monkeypatch.setattr("agents.greedy.AT_ONCE", 3)
    np.testing.assert_array_equal(registry.make("greedy").act_batch(batch), chosen)


@at(*carnegie(*OPTIONS, EXPANDED[1]), *STEEL)
def test_greedy_rates_every_legal_action_and_takes_the_best(table):
    batch = middle_of_games(12, table.game, **table.options)
    chosen = registry.make("greedy").act_batch(batch)
    for i in range(12):
        position = table.game.position_class(batch.games[i : i + 1].copy())
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


@pytest.mark.parametrize("players", [1, 3])
def test_greedy_says_what_it_thinks_of_all_actions_of_many_games(players):
    batch = CARNEGIE.batch_class(20, num_players=players)
    begin(batch, 5)
    generator = np.random.default_rng(3)
    for _ in range(25):
        batch.step(batch.sample_actions(generator))
    greedy = registry.make("greedy")
    judged = greedy.judge(batch)
    np.testing.assert_array_equal(judged.actions, greedy.choose(batch))
    for row in range(0, 20, 4):
        rated = dict(greedy.rate(Position(batch.games[row : row + 1].copy())))
        assert rated == {a: w for a, w in enumerate(judged.values[row].tolist()) if np.isfinite(w)}


def test_who_does_not_rate_says_so():
    position = Position.new(seed=1)
    assert registry.make("random").rate(position) is None and FirstLegal().rate(position) is None
    over = Batch(1, num_players=2)
    over.play_to_end(seed=1)
    with pytest.raises(ValueError, match="the game is over"):
        registry.make("greedy").rate(Position(over.games.copy()))


def test_greedy_refuses_games_it_has_no_evaluation_of():
    with pytest.raises(ValueError, match="greedy does not play sixes; it plays carnegie, steel_driver"):
        registry.make("greedy").act(SIXES.position_class.new({}, seed=1))


@pytest.mark.parametrize("options", OPTIONS[:3], ids=lambda options: f"{options['num_players']} players")
def test_greedy_is_clearly_above_random(options):
    if options["num_players"] == 1:
        random, greedy = (play([registry.make(name)], 60, **options).margins.mean() for name in NAMES)
        assert greedy > random + 30
    else:
        results = play([registry.make(name) for name in NAMES], 60, **options)
        assert results.wins[results.agents == 1].sum() > 0.9 * 60


@pytest.mark.parametrize("players", range(3, 7))
def test_greedy_is_clearly_above_random_in_steel_driver(players):
    """One among random: he wins most games, and is ahead of the best of them by far."""
    agents = [registry.make("greedy"), *[registry.make("random")] * (players - 1)]
    results = play(agents, 120, game=STEEL_DRIVER, num_players=players)
    his = results.agents == 0
    assert share(results.wins[his]).low > 0.6 and mean(results.margins[his]).low > 50


# ---- what greedy thinks of Steel Driver
def steel(*actions, players=3):
    """A position of Steel Driver after some decisions."""
    position = STEEL_DRIVER.position_class.new({"num_players": players, "show_forced": True})
    for action in actions:
        position.apply(action)
    return position


def rated(position):
    """What greedy thinks of each action, by its text."""
    return {position.game.texts[action]: worth for action, worth in registry.make("greedy").rate(position)}


def test_greedy_bids_step_by_step_and_no_more_than_it_is_worth():
    """A bid can be raised: those that are level fall to the lowest; passing is worth what the others are ahead."""
    worth = rated(steel("open red 1"))
    bids = [worth[f"bid {n}"] for n in range(2, 11)]
    assert bids == sorted(bids, reverse=True)
    dear = rated(steel("open red 9"))
    assert dear["bid 10"] < dear["pass"] and worth["bid 2"] > worth["pass"]


def test_greedy_spends_what_is_left_in_the_last_round():
    found = STEEL_DRIVER.batch_class(40, num_players=4)
    begin(found, 0)
    greedy = registry.make("greedy")
    while not found.done.all():
        before = found.games.copy()
        actions = greedy.act_batch(found)
        opening = (before["phase"] == 0) & (before["round_number"] == 5) & (actions >= 0)
        assert (actions[opening] != 0).all()  # there is something to buy, and cubes are worth nothing afterwards
        found.step(actions)


def test_greedy_builds_where_a_cube_earns_most():
    """Baltimore - Pittsburgh earns $40 for 3 cubes; nothing that red can pay earns more a cube from there on."""
    before = steel("open red 3", "pass", "pass", "pass", "pass", "pass")
    assert before.to_dict()["phase"] == "build"
    best = before.copy()
    best.apply(registry.make("greedy").act(before))
    earned = []
    for text in before.legal_actions():
        after = before.copy()
        after.apply(text)
        while after.to_dict()["phase"] == "build":
            after.apply(after.legal_actions()[0])
        earned.append(after.to_dict()["players"][0]["cash"])
    while best.to_dict()["phase"] == "build":
        best.apply(registry.make("greedy").act(best))
    assert best.to_dict()["players"][0]["cash"] >= max(earned) - 10 > 0


def asking(batch, *agents):
    """Whom `play_out` asks."""
    return lambda index, rows: agents[index].act_batch(batch, rows)


def test_greedy_takes_goods_that_bring_more_than_others():
    """From the same ends of games: what seat 0 has with its own choices, and with goods taken at random."""
    batch = STEEL_DRIVER.batch_class(60, num_players=3)
    begin(batch, 5)
    greedy, random = registry.make("greedy"), registry.make("random")
    while len(rows := np.flatnonzero(batch.games["phase"] < 3)):
        batch.step(greedy.act_batch(batch, rows), rows)
    totals = []
    for taker in (greedy, random):
        end = batch.copy()
        play_out(end, np.tile([0, 1, 1], (60, 1)), asking(end, taker, random))
        totals.append(end.scores()[:, 0])
    assert mean(totals[0] - totals[1]).low > 0


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


def test_games_without_chance_begin_differently():
    """Or they would all be the same: after the drawn decisions agents that draw nothing play games of many kinds."""
    results = play([FirstLegal()], 40, game=STEEL_DRIVER, num_players=3)
    batch = STEEL_DRIVER.batch_class(40, num_players=3)
    begin(batch, 0)
    assert (batch.games["decisions"] == OPENING).all()
    assert len({game.tobytes() for game in batch.games[["auction", "bid", "bidder", "sold"]].copy()}) > 10
    again = play([FirstLegal()], 40, game=STEEL_DRIVER, num_players=3)
    np.testing.assert_array_equal(results.scores, again.scores)
    begin(batch := CARNEGIE.batch_class(2, num_players=2), 3)
    assert not batch.games["decisions"].any()


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
    assert main(["--game", "steel_driver", "--agents", "random", "greedy", "--games", "4", "--players", "5"]) == 0
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
