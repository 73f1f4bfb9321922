"""Refreshing a record recomputes its derived fields from the others: a stage of `make mutants`."""

import random

import numpy as np
import pytest

from carnegie_env import collection
from carnegie_env.core import kernels

OPTIONS = {"carnegie": {"num_players": 3, "new_departments": True}, "steel_driver": {"num_players": 4}}


@pytest.mark.parametrize("value", [0, 7, 127])
@pytest.mark.parametrize("name", OPTIONS)
def test_refresh_recomputes_derived_fields(name: str, value: int) -> None:
    game = collection.find(name)
    position, chance = game.position_class.new(OPTIONS[name], seed=4), random.Random(1)
    for _ in range(90):
        position.apply(chance.choice([a for a in position.legal_actions() if a != "pass"] or ["pass"]))
    games = position.games.copy()
    for field in game.derived:
        games[field][...] = value
    kernels.refresh(games)
    for field in games.dtype.names:
        assert np.array_equal(games[field], position.games[field]), field
