"""The checks that are compiled in with CARNEGIE_CHECK=1 find nothing in play and every fault put into a record."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carnegie_env.carnegie import invariants as check
from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.core import kernels
from tests import players

ROOT = Path(__file__).resolve().parents[2]
SOLO, TWO, FOUR = players.MODES[1], players.MODES[4], players.MODES[6]


def late(mode, seed=4, share=0.7):
    """A record well into a rich game, to be spoilt."""
    game = players.whole_game(mode, seed, "busy", rich=True)
    k = int(len(game) * share)
    return game.games[k : k + 1].copy()


def spoil(games, field, place=(), change=1):
    games[field][(0, *place)] += change
    return games


def somewhere(values):
    """The first place where there is something."""
    return tuple(int(index[0]) for index in np.nonzero(values))


@pytest.mark.parametrize("style", players.STYLES)
@pytest.mark.parametrize("mode", [*players.MODES, *players.ALL_ON], ids=players.mode_name)
def test_nothing_is_found_in_play(mode, style):
    for rich in (False, True):
        assert players.faults(players.whole_game(mode, 8, style, rich).games) == []


@pytest.mark.parametrize(
    ("field", "place", "change", "fault"),
    [
        ("reserve", (0,), 1, check.EMPLOYEES),
        ("missions", (1, 2), 1, check.EMPLOYEES),
        ("inactive", (1, t.LOBBY_SPACE), 1, check.EMPLOYEES),
        ("money", (1,), -10_000, check.NEGATIVE),
        ("goods", (0,), -10_000, check.NEGATIVE),
        ("moves", (), -1000, check.NEGATIVE),
        ("research", (), -1000, check.NEGATIVE),
        ("reserve", (0,), -100, check.NEGATIVE),
        ("disks", (0,), -100, check.NEGATIVE),
        ("disks", (1,), 1, check.DISKS),
        ("disks", (0,), -1, check.DISKS),
        ("tab_built", (0, 0), 10, check.PROJECTS),
        ("display", (5,), 1, check.TILES),
        ("display", (5,), -1, check.TILES),
        ("marker", (2,), 1, check.MARKERS),
        ("donations_made", (0,), 1, check.DONATIONS),
        ("active_at", (0,), 1 << 9, check.DERIVED),
        ("inactive_at", (1,), 1 << 12, check.DERIVED),
        ("spaces_of_type", (0, 1), 1 << 15, check.DERIVED),
        ("empty_spaces", (1,), 1 << 20, check.DERIVED),
        ("free_builds", (3,), 1 << 40, check.DERIVED),
        ("free_cells", (), 1 << 25, check.DERIVED),
    ],
)
def test_a_fault_is_found(field, place, change, fault):
    games = late(TWO)
    assert check.verify(games[0]) == 0
    spoil(games, field, place, change)
    assert check.FAULTS[check.verify(games[0])] == check.FAULTS[fault]


@pytest.mark.parametrize(
    ("field", "place", "change", "fault"),
    [
        ("relocations", (), -20, check.NEGATIVE),
        ("projects", (), -20, check.NEGATIVE),
        ("payroll_activated", (), -20, check.NEGATIVE),
        ("display", (t.ARCHIVES,), 1, check.TILES),
        ("reserve", (1,), 1, check.EMPLOYEES),
        ("disks", (1,), 1, check.DISKS),
        ("free_mismatches", (2,), 1 << 40, check.DERIVED),
        ("owned", (1,), 1 << 40, check.DERIVED),
    ],
)
def test_a_fault_is_found_with_modules(field, place, change, fault):
    games = late(players.ALL_ON[1])
    assert check.verify(games[0]) == 0
    spoil(games, field, place, change)
    assert check.FAULTS[check.verify(games[0])] == check.FAULTS[fault]


def test_a_last_space_may_be_shared_where_archives_are_in_the_game():
    games = late(players.ALL_ON[3])
    games["track"][0, :2, 3] = t.TRACK_SPACES - 1
    assert check.verify(games[0]) == 0


def test_points_below_zero_are_right():
    """The start may cost points, Payroll Management too: they are not counted pieces."""
    games = late(players.ALL_ON[1])
    games["vp"][0, 0] = -3
    assert check.verify(games[0]) == 0


def test_an_employee_too_many_in_a_department():
    games = late(TWO)
    space = somewhere(games["active"][0])
    games["active"][(0, *space)] += 5
    assert check.verify(games[0]) == check.WORKSTATIONS


def test_employees_that_are_counted_below_zero():
    games = late(TWO)
    games["inactive"][0, 0, 14] -= 3
    games["inactive"][0, 0, t.LOBBY_SPACE] += 3
    assert check.verify(games[0]) == check.NEGATIVE


def test_two_markers_on_a_last_space():
    games = late(FOUR)
    games["track"][0, :2, 3] = t.TRACK_SPACES - 1
    assert check.verify(games[0]) == check.LAST_SPACE


def test_andrews_pieces():
    games = late(SOLO)
    assert check.verify(spoil(games, "disks", (state.ANDREW,))[0]) == check.ANDREW_DISKS
    games = late(SOLO)
    assert check.verify(spoil(games, "andrew_tiles", (3,))[0]) == check.TILES
    games = late(SOLO)
    games["track"][0, [0, state.ANDREW], 1] = t.TRACK_SPACES - 1
    assert check.verify(games[0]) == check.LAST_SPACE


def test_a_disk_that_changes_hands():
    games = late(TWO)
    space = int(np.flatnonzero(games["owner"][0] == 0)[0])
    games["owner"][0, space] = 1
    assert check.verify(games[0]) in (check.DISKS, check.PROJECTS)
    games = late(TWO)
    cell = int(np.flatnonzero(games["donation"][0] & 1)[0])
    games["donation"][0, cell] ^= 1
    assert check.verify(games[0]) == check.DONATIONS


def test_a_decision_without_an_action_and_an_action_without_a_decision():
    games = late(TWO)
    games["legal"] = 0
    assert check.verify(games[0]) == check.NO_ACTION
    over = players.whole_game(TWO, 4, "busy", True).games[-1:].copy()
    assert check.verify(over[0]) == 0
    over["legal"][0, 0] = 1
    assert check.verify(over[0]) == check.NO_ACTION


def test_verify_changes_nothing():
    games = late(SOLO)
    before = players.mark(games)
    check.verify(games[0])
    assert players.mark(games) == before


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
    """As plain Python here, which needs no compilation; `make soak` runs it compiled."""
    assert not kernels.CHECK or os.environ.get("CARNEGIE_CHECK")
    environment = os.environ | {"CARNEGIE_CHECK": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", _CHECKED], env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.startswith("found: a position breaks the rules")


def test_refresh_makes_derived_fields_right_again():
    games = late(FOUR)
    for field in ("active_at", "inactive_at", "spaces_of_type", "empty_spaces", "owned", "free_builds", "free_cells",
                  "free_mismatches"):  # fmt: skip
        broken = games.copy()
        broken[field] = ~broken[field]
        assert check.verify(broken[0]) != 0, field
        kernels.refresh(broken)
        assert check.verify(broken[0]) == 0 and players.mark(broken) == players.mark(games)
