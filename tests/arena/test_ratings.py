"""Ratings: known strengths are recovered, within their intervals."""

import math

import numpy as np
import pytest

from carnegie_env.arena.ratings import ELO, evidence, ratings

STRENGTHS = np.array([0.0, 0.5, 1.2, -1.0])


def games(number, seed, players=None):
    """Rankings drawn from the model, one for each deal: STRENGTHS plus Gumbel noise, sorted."""
    generator = np.random.default_rng(seed)
    found = []
    for deal in range(number):
        there = generator.permutation(len(STRENGTHS))[:players]
        drawn = STRENGTHS[there] + generator.gumbel(size=len(there))
        found.append((deal, [[int(there[k])] for k in np.argsort(-drawn)]))
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_known_strengths_are_recovered(players):
    true = ELO * (STRENGTHS - STRENGTHS.mean())
    inside = 0
    for seed in range(10):
        found = ratings(evidence(games(300, seed, players), 300, 4), draws=200)
        inside += sum(each.low <= value <= each.high for each, value in zip(found, true, strict=True))
        assert np.abs([each.mean - value for each, value in zip(found, true, strict=True)]).max() < 120
    assert 32 <= inside <= 40  # 38 of 40


def test_two_agents_follow_elos_formula():
    wins, losses = 640, 360
    rankings = [(deal, [[0], [1]] if deal < wins else [[1], [0]]) for deal in range(wins + losses)]
    first, second = ratings(evidence(rankings, wins + losses, 2))
    assert first.mean - second.mean == pytest.approx(400 * math.log10(wins / losses), abs=1)
    width = 1.96 * ELO / math.sqrt(1000 * 0.64 * 0.36)  # of the difference, twice a rating's difference from the mean
    assert first.high - first.low == pytest.approx(width, rel=0.15)


def test_ties_are_the_mean_of_their_orders():
    """Two agents tied ahead of a third count as half a game of each order."""
    tied = evidence([(0, [[0, 1], [2]])], 1, 3)
    orders = evidence([(0, [[0], [1], [2]]), (0, [[1], [0], [2]])], 1, 3)
    one, two = ratings(tied, draws=1), ratings(orders, draws=1)
    np.testing.assert_allclose(tied.firsts, orders.firsts / 2)
    assert one[0].mean == pytest.approx(one[1].mean) and one[0].mean > one[2].mean
    assert two[0].mean - two[2].mean > one[0].mean - one[2].mean  # twice the evidence
    level = ratings(evidence([(deal, [[0, 1, 2]]) for deal in range(50)], 50, 3), draws=10)
    assert [each.mean for each in level] == pytest.approx([0, 0, 0], abs=1e-6)


def test_an_agent_that_wins_everything_has_a_finite_rating_and_a_wide_interval():
    rankings = [(deal, [[0], [1], [2]] if deal % 2 else [[0], [2], [1]]) for deal in range(200)]
    first, second, third = ratings(evidence(rankings, 200, 3))
    assert 500 < first.mean < 1500 and first.low > second.high
    assert first.high - first.low > 200  # the games do not bound the rating from above
    assert abs(second.mean - third.mean) < 50


def test_an_agent_on_two_seats():
    """One seat of three that is first in half of the games and second in a quarter is better than the other two."""
    places = [[[0], [1], [1]], [[0], [1], [1]], [[1], [0], [1]], [[1], [1], [0]]]
    first, second = ratings(evidence(list(enumerate(places * 15)), 60, 2), draws=10)
    assert first.mean > second.mean + 40
    even = [[[0], [1], [1]], [[1], [0], [1]], [[1], [1], [0]]]
    first, second = ratings(evidence(list(enumerate(even * 20)), 60, 2), draws=10)
    assert first.mean == pytest.approx(second.mean, abs=1e-6)


def test_a_deal_is_one_observation():
    """Copies of games add no information."""
    played = games(100, 7)
    once = ratings(evidence(played, 100, 4), draws=300)
    thrice = ratings(evidence([game for game in played for _ in range(3)], 100, 4), draws=300)
    for each, more in zip(once, thrice, strict=True):
        assert more.high - more.low == pytest.approx(each.high - each.low, rel=0.25)


def test_many_tied_sides_have_the_same_rating():
    found = [each.mean for each in ratings(evidence([(0, [list(range(13)), [13]])], 1, 14), draws=50)]
    assert np.ptp(found[:13]) < 1e-6 and found[13] < found[0] - 100
