"""The schedule: all agents have all seats equally often on every deal, and meet all neighbours in the long run."""

import itertools
import math
from collections import Counter

import pytest

from carnegie_env.arena.schedule import rotations, seatings

SIZES = [(agents, players) for agents in range(1, 7) for players in range(1, 5)]


@pytest.mark.parametrize(("agents", "players"), SIZES)
def test_on_every_deal_all_agents_have_all_seats_equally_often(agents, players):
    number = len(seatings(agents, players, 0))
    for deal in range(8):
        games = seatings(agents, players, deal)
        assert len(games) == number and all(len(seating) == players for seating in games)
        held = Counter((agent, seat) for seating in games for seat, agent in enumerate(seating))
        assert set(held.values()) == {number * players // (agents * players)}
        assert len(held) == agents * players
        for seating in games:  # seats are distributed as evenly as possible
            counts = Counter(seating).values()
            assert max(counts) - (min(counts) if len(counts) == agents else 0) <= 1


@pytest.mark.parametrize(("agents", "players"), SIZES)
def test_a_table_plays_in_all_rotations_and_both_directions(agents, players):
    for deal in range(3):
        games = Counter(seatings(agents, players, deal))
        for seating, times in games.items():
            assert all(games[turned] == times for turned in rotations(seating))
            assert games[seating[::-1]] == times


@pytest.mark.parametrize("agents", [2, 3, 4, 5])
def test_every_order_around_the_table_is_played_equally_often(agents):
    orders = max(math.factorial(agents - 1) // 2, 1)  # both directions are played on the same deal
    for first in (0, orders, 5 * orders):
        games = [seating for deal in range(first, first + orders) for seating in seatings(agents, agents, deal)]
        assert sorted(games) == sorted(itertools.permutations(range(agents)))


@pytest.mark.parametrize(("agents", "players"), [(3, 2), (4, 2), (5, 2), (5, 3), (6, 4)])
def test_all_pairs_meet_equally_often(agents, players):
    orders = math.factorial(agents - 1) // 2
    met = Counter(
        pair
        for deal in range(orders)
        for seating in seatings(agents, players, deal)
        for pair in itertools.combinations(sorted(seating), 2)
    )
    assert len(met) == math.comb(agents, 2) and len(set(met.values())) == 1


def test_tables_of_one_and_fewer_agents_than_seats():
    assert seatings(3, 1, 1) == [(0,), (1,), (2,)]
    assert sorted(seatings(2, 3, 0)) == [(0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0)]
    assert seatings(1, 3, 5) == [(0, 0, 0)]
