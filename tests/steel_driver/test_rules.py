"""Contracts between the rules: the number of legal actions, cleared fields, possible links."""

import random

import numpy as np
import pytest

from carnegie_env.core.jit import popcount
from carnegie_env.steel_driver import state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import STEEL_DRIVER, Position
from carnegie_env.steel_driver.rules import building
from carnegie_env.steel_driver.state import BID


def walk(num_players, seed):
    """The positions of a game with many auctions: most bids are low."""
    position, chance = Position.new({"num_players": num_players}, seed), random.Random(seed)
    while not position.is_over:
        yield position
        legal = position.legal_actions()
        if chance.random() < 0.2:  # bid all cubes: others can't raise, and the bidder has none left
            legal = legal[-1:]
        elif chance.random() < 0.8:
            legal = [text for text in legal if text != "pass"][: 2 + 4 * position.round] or legal
        position.apply(chance.choice(legal))


@pytest.mark.parametrize("num_players", (3, 6))
def test_legal_says_how_many_actions_there_are(num_players):
    phases = set()
    for position in walk(num_players, seed=num_players):
        record = position.games.copy()[0]
        marked = sum(popcount(int(word)) for word in record["legal"])
        for word in range(len(record["legal"])):
            record["legal"][word] = 0
        assert STEEL_DRIVER.rules.legal(record) == marked == len(position.legal_actions())
        phases.add(position.phase)
    assert phases == {"open", "bid", "build", "goods"}


def test_an_auction_leaves_nothing_behind():
    """After an auction its fields are cleared, so a position equals the one read from its dictionary."""
    for position in walk(5, seed=2):
        if position.record.phase != BID:
            assert position.record.bid == 0 and position.record.passed_bidders == 0
        assert (position.record.link_builder == state.NONE) == (position.record.transcontinental == 0)
        assert Position.from_dict(position.to_dict()) == position


@pytest.mark.parametrize("k", range(len(t.BACKWARD)), ids=lambda k: t.ROUTES[t.BACKWARD[k]])
def test_one_route_that_starts_in_its_second_city_is_enough_to_build(k):
    route = int(t.BACKWARD[k])
    games = Position.new({"num_players": 3}).games.copy()
    games["company_cubes"][0, 2] = t.ROUTE_COST[route]
    games["built"][0] = (1 << t.WORD_BITS) - 1
    assert not building.can_build(games[0], 2)
    games["built"][0, route // t.WORD_BITS] ^= np.int64(1 << (route % t.WORD_BITS))
    assert building.can_build(games[0], 2)
    games["company_cubes"][0, 2] -= 1
    assert not building.can_build(games[0], 2)
