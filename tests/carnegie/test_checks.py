"""The checks of CARNEGIE_CHECK=1 find every fault put into a record; tests/conformance covers positions of games."""

import os

import pytest

from carnegie_env.carnegie import state
from carnegie_env.carnegie.invariants import INVARIANTS as check
from carnegie_env.core import kernels
from tests import players
from tests.commands import python

TWO, FOUR = players.MODES[4], players.MODES[6]


def late(mode):
    """A record from late in a rich game."""
    game = players.whole_game(mode, 4, "busy", rich=True)
    k = int(len(game) * 0.7)
    return game.games[k : k + 1].copy()


@pytest.mark.parametrize(
    ("field", "place", "change"),
    [
        ("money", (1,), -10_000), ("moves", (), -1000), ("reserve", (0,), -100), ("tab_built", (0, 0), 10),
        ("display", (5,), 3), ("display", (5,), -1), ("marker", (2,), 5), ("tab_side", (0, 2), 7), ("owner", (3,), 90),
        ("phase", (), 50), ("to_play", (), 3), ("relocations", (), -20), ("payroll_activated", (), -20),
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_found(field, place, change):
    games = late(TWO)
    assert check.verify(games[0]) == 0
    games[field][(0, *place)] += change
    assert check.verify(games[0]) == 1  # a field is outside its range


def test_points_below_zero_are_accepted():
    """The start and Payroll Management may cost points, and points are not counted pieces."""
    games = late(players.ALL_ON[1])
    games["vp"][0, 0] = -3
    assert check.verify(games[0]) == 0


def test_a_decision_without_an_action_and_an_action_without_a_decision():
    games = late(TWO)
    games["legal"] = 0
    assert check.verify(games[0]) == check.derived + 1
    over = players.whole_game(TWO, 4, "busy", True).games[-1:].copy()
    assert check.verify(over[0]) == 0
    over["legal"][0, 0] = 1
    assert check.verify(over[0]) == check.derived + 1


_CHECKED = """
import numpy as np
from carnegie_env import Batch
from carnegie_env.core import kernels
assert kernels.CHECK
batch = Batch(1, num_threads=1, num_players=2)
batch.reset(3)
generator = np.random.default_rng(0)
for _ in range(40):
    batch.step(batch.sample_actions(generator))
batch._games["goods"][0, 0] = batch._games["disks"][0, 0] = 3
try:
    batch.step(batch.sample_actions(generator))
except AssertionError as error:
    print("found:", error)
"""


def test_the_switch_compiles_the_checks_into_every_step():
    """Here as plain Python, which needs no compilation; `make soak` runs it compiled."""
    assert not kernels.CHECK or os.environ.get("CARNEGIE_CHECK")
    printed = python("-c", _CHECKED, CARNEGIE_CHECK="1", NUMBA_DISABLE_JIT="1")
    assert printed.startswith("found: a position breaks the rules")


@pytest.mark.parametrize("field", sorted(state.DERIVED - {"legal"}))
def test_a_stale_derived_field_is_found_and_refreshed(field):
    games = late(FOUR)
    stale = games.copy()
    stale[field] = ~stale[field]
    assert check.verify(stale[0]) == check.derived
    kernels.refresh(stale)
    assert check.verify(stale[0]) == 0 and players.mark(stale) == players.mark(games)
