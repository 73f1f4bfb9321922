"""Derived fields of a record are made anew from the others, whatever stood there: a stage of the seeded mistakes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from carnegie_env import Position
from carnegie_env.carnegie import state
from carnegie_env.core import kernels

DERIVED = ("active_at", "inactive_at", "owned", "empty_spaces", "spaces_of_type", "free_builds", "free_mismatches",
           "free_cells", "legal")  # fmt: skip


@pytest.mark.parametrize("value", [0, 7, 255])
def test_derived_fields_are_made_anew(value: int) -> None:
    position, chance = Position.new({"num_players": 3, "new_departments": True}, seed=4), random.Random(1)
    for _ in range(150):
        position.apply(chance.choice([a for a in position.legal_actions() if a != "pass"] or ["pass"]))
    games = position.games.copy()
    for name in DERIVED:
        games[name][...] = value
    kernels.refresh(games)
    for name in state.GAME.names:
        assert np.array_equal(games[name], position.games[name]), name
