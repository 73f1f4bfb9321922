"""Results and reports of invented games: win shares, ranks, margins, comparisons, the variance saved by pairing."""

import dataclasses

import numpy as np
import pytest
from msgspec.structs import replace

from carnegie_env.arena.lines import Clock, Clocks, Entrant, Fault, GameLine, class_of, quantile
from carnegie_env.arena.match import Outcome, outcome
from carnegie_env.arena.report import report
from carnegie_env.arena.schedule import seatings
from carnegie_env.arena.sequential import H1, Question
from carnegie_env.arena.standings import Standings
from tests.arena.headers import header
from tests.toy.game import SIXES


def entrants(number):
    return tuple(Entrant(f"agent{k}", "random") for k in range(number))


def settings(agents, players, question=None):
    options = {"num_players": players, "rounds": 3, "open_hands": False}
    return header(entrants(agents), options=options, question=question)


def line(deal, number, seats, points, fault=None):
    """A game of Sixes with these points of the sides and no tokens left."""
    if fault is not None:
        return GameLine(deal, number, tuple(seats), 3, (), (), {}, Fault(fault, 0, "crash", 3, "Traceback\nboom"))
    results = tuple((point, 0) for point in points)
    named = tuple({"points": point, "tokens": 0, "total": point} for point in points)
    return GameLine(deal, number, tuple(seats), 9, results, named, {seats[0]: Clock(2, 0.5, 0.4, {70: 2})})


def invented(agents, players, deals, points):
    """The games of a whole schedule; ``points`` gets a generator, the luck of the seat on the deal, and the agent."""
    generator = np.random.default_rng(0)
    lines = []
    for deal in range(deals):
        luck = generator.normal(size=players)
        for number, seats in enumerate(seatings(agents, players, deal)):
            drawn = [round(points(generator, luck[seat], agent)) for seat, agent in enumerate(seats)]
            lines.append(line(deal, number, seats, drawn if players > 1 else [*drawn, 50]))
    return Standings(SIXES, entrants(agents), lines)


def test_shares_ranks_margins():
    scores = ((10, 4), (8, 8), (1, 5), (9, 3))
    lines = [line(k // 2, k % 2, (k % 2, 1 - k % 2), each) for k, each in enumerate(scores)]
    standings = Standings(SIXES, entrants(2), lines)
    np.testing.assert_allclose(standings.wins, [[0.75, 0.25], [0, 1]])
    np.testing.assert_allclose(standings.margins, [[3, -3], [-5, 5]])
    assert standings.win_share(0).mean == pytest.approx(0.375)
    assert standings.rank(0).mean == pytest.approx((1 + 1.5 + 2 + 2) / 4)
    assert standings.score(1).mean == pytest.approx((4 + 8 + 5 + 9) / 4)
    np.testing.assert_allclose(standings.differences(0, 1, "wins"), [0.5, -1])
    np.testing.assert_allclose(standings.differences(1, 0, "margin"), [-6, 10])
    assert standings.ahead(0, 1).mean == pytest.approx(0.375)
    assert standings.categories(0) == {"points": 5.5, "tokens": 0, "total": 5.5}
    assert standings.opponent is None


def test_the_automatic_opponent():
    lines = [line(0, 0, (0,), (7, 5)), line(0, 1, (1,), (4, 5)), line(1, 0, (0,), (5, 5)), line(1, 1, (1,), (3, 1))]
    standings = Standings(SIXES, entrants(2), lines)
    np.testing.assert_allclose(standings.wins, [[1, 0], [0.5, 1]])
    np.testing.assert_allclose(standings.margins, [[2, -1], [0, 2]])
    assert standings.ahead(0, 1).mean == 0.5  # on the first deal by margin, on the second not
    assert standings.categories(None)["total"] == 4
    assert len(standings.ratings()) == 3
    assert standings.opponent in report(Outcome(settings(2, 1), standings, None))


def test_an_agent_that_fails_is_last_and_the_others_are_level():
    lines = [line(0, 0, (0, 1, 2), (), fault=1), line(0, 1, (1, 2, 0), (5, 9, 7)), line(0, 2, (2, 0, 1), (), fault=1)]
    standings = Standings(SIXES, entrants(3), lines)
    np.testing.assert_allclose(standings.results.wins[0], [0.5, 0, 0.5])
    np.testing.assert_allclose(standings.results.ranks[0], [1.5, 3, 1.5])
    np.testing.assert_allclose(standings.margins, [[-2, -4, 2]])  # of the finished game
    assert standings.differences(0, 1, "margin")[0] > 2 / 3 * 40  # a test by margin also includes lost games
    assert len(standings.faults(1)) == 2 and not standings.faults(0)
    never = Standings(SIXES, entrants(1), [line(0, 0, (0,), (), fault=0)])
    assert never.margin(0) is None and never.score(0) is None and never.categories(0) == {}
    assert never.win_share(0).mean == 0  # in a solo game the bank wins


@pytest.mark.parametrize("players", [2, 3])
def test_pairing_saves_variance(players):
    """Rotated seats save most of the variance if the luck of the seats decides, and nothing without such luck."""
    lucky = invented(players, players, 300, lambda generator, luck, agent: 20 * luck + agent * 3 + generator.normal())
    noisy = invented(players, players, 300, lambda generator, luck, agent: generator.normal() * 20 + agent * 3)
    assert lucky.saving(0, 1) > 2.5
    assert noisy.saving(0, 1) == pytest.approx(1, abs=0.25)


def test_pairing_saves_variance_in_solo_games():
    lucky = invented(2, 1, 300, lambda generator, luck, agent: 50 + 20 * luck + agent * 3 + generator.normal())
    assert lucky.saving(0, 1) > 5
    assert invented(2, 1, 40, lambda generator, luck, agent: 10).saving(0, 1) is None


def test_ratings_follow_strength():
    standings = invented(4, 3, 60, lambda generator, luck, agent: 10 * luck + 8 * agent + generator.normal() * 5)
    found = [each.mean for each in standings.ratings()]
    assert found == sorted(found) and found[0] < -50 and found[3] > 50


def test_times():
    clocks = Clocks(2, 3)
    for _ in range(99):
        clocks.add(1, np.array([0, 1]), 0.002)
    clocks.add(1, np.array([1]), 0.5)
    game = clocks.of(1)[1]
    assert (game.decisions, game.worst) == (100, 0.5) and game.seconds == pytest.approx(0.099 + 0.5)
    assert clocks.of(0).keys() == {1}
    assert quantile(game.classes, 0.5) == pytest.approx(0.001, rel=0.1)
    assert quantile(game.classes, 1.0) == pytest.approx(0.5, rel=0.1)
    assert quantile({}, 0.5) == 0
    for seconds in (1e-9, 1e-6, 0.003, 50, 1e9):
        assert 0 <= class_of(seconds) < 128
    standings = Standings(SIXES, entrants(2), [line(0, 0, (0, 1), (1, 2))])
    assert standings.times(0).mean == 0.25 and standings.times(0).worst == 0.4 and standings.times(0).p99 <= 0.4
    assert standings.times(1).decisions == 0


def test_a_report():
    lines = [
        line(deal, number, seats, () if deal == 3 and number == 0 else [20 + 5 * agent for agent in seats], fault)
        for deal in range(30)
        for number, seats in enumerate(seatings(3, 3, deal))
        for fault in [0 if deal == 3 and number == 0 else None]
    ]
    question = dataclasses.asdict(Question("agent2", "agent0", high=0.2))
    found = outcome(SIXES, settings(3, 3, question), lines)
    assert found.test.verdict == H1
    text = report(found)
    for part in (
        "sixes: num_players 3, rounds 3; engine 77",
        "180 games on 30 deals from seed 5, 6 on each deal, played one by one",
        "is agent2 better than agent0? yes (H1 accepted: the difference is 20 % rather than 0 %)",
        "bounds -2.94 and 2.94 (alpha 0.05, beta 0.05)",
        "agent0 lost 1 game by faults (crash 1)",
        "the first: deal 3, game 0, after 3 decisions\n    Traceback\n    boom",
        "mean score, points",
    ):
        assert part in text
    agents = [row.split()[0] for row in text.split("\n\n")[1].splitlines()]
    assert agents == ["agent", "agent2", "agent1", "agent0"]


def test_incomplete_deals_are_left_out():
    lines = [line(deal, number, seats, (5, 5)) for deal in range(3) for number, seats in enumerate(((0, 1), (1, 0)))]
    assert len(outcome(SIXES, settings(2, 2), lines).standings.lines) == 6
    assert len(outcome(SIXES, settings(2, 2), lines[:5]).standings.lines) == 4
    with pytest.raises(ValueError, match="the file: no deal has been completed yet"):
        outcome(SIXES, settings(2, 2), lines[:1])


RIGHT = [line(deal, number, seats, (5, 5)) for deal in range(3) for number, seats in enumerate(((0, 1), (1, 0)))]
HEADER = settings(2, 2)


@pytest.mark.parametrize(
    ("change", "lines", "message"),
    [
        ({"agents": ()}, RIGHT, "line 1: at least one agent is needed"),
        ({"agents": HEADER.agents[:1] * 2}, RIGHT, "line 1: two agents are called agent0"),
        ({"options": {"rounds": 3}}, RIGHT, "line 1: the options need num_players"),
        ({"options": {"num_players": "2"}}, RIGHT, "line 1: num_players must be a whole number"),
        ({"options": {"num_players": 3}}, RIGHT, "line 2 is not game 0 of deal 0 in the schedule"),
        ({"tables": ()}, RIGHT, "line 1: tables must be None, or at least one table"),
        ({"tables": ((0, 7),)}, RIGHT, "line 1: an agent at a table must be a whole number from 0 to 1, not 7"),
        ({"question": {"x": 1}}, RIGHT, "line 1: .* unexpected keyword argument 'x'"),
        ({"question": {"better": "zz", "than": "agent0"}}, RIGHT, "line 1: the test compares zz"),
        ({}, RIGHT[1:], "line 2 is not game 0 of deal 0"),
        ({}, RIGHT[:2] + RIGHT[4:], "line 4 is not game 0 of deal 1"),
        ({}, RIGHT + RIGHT[:1], "line 8 is not game 0 of deal 3"),
        ({}, [replace(RIGHT[0], seats=(0, 9)), *RIGHT[1:]], "line 2 is not game 0 of deal 0"),
        ({}, [RIGHT[0], replace(RIGHT[1], results=((1,), (2,)))], "line 3 must have .* 2 sides, and 2 numbers"),
        ({}, [RIGHT[0], replace(RIGHT[1], results=((1, 1),))], "line 3 must have results and categories of 2 sides"),
        ({}, [replace(RIGHT[0], categories=()), RIGHT[1]], "line 2 must have results and categories of 2 sides"),
        ({}, [line(0, 0, (0, 1), (), fault=9), RIGHT[1]], r"line 2 must blame one of its agents \(0, 1\), not 9"),
    ],
)
def test_damaged_games_are_refused(change, lines, message):
    with pytest.raises(ValueError, match=f"^games.jsonl is damaged: {message}"):
        outcome(SIXES, replace(HEADER, **change), lines, "games.jsonl")
