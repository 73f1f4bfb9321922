"""The checks that are compiled in with CARNEGIE_CHECK=1 find nothing in play and every fault put into a record."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carnegie_env.carnegie import checks as check
from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.checks import faults
from carnegie_env.carnegie.codec import words
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
        ("reserve", (0,), 1, faults.EMPLOYEES),
        ("missions", (1, 2), 1, faults.EMPLOYEES),
        ("inactive", (1, t.LOBBY_SPACE), 1, faults.EMPLOYEES),
        ("money", (1,), -10_000, faults.RANGE),
        ("goods", (0,), -10_000, faults.RANGE),
        ("moves", (), -1000, faults.RANGE),
        ("research", (), -1000, faults.RANGE),
        ("reserve", (0,), -100, faults.RANGE),
        ("disks", (0,), -100, faults.RANGE),
        ("disks", (1,), 1, faults.DISKS),
        ("disks", (0,), -1, faults.DISKS),
        ("tab_built", (0, 0), 10, faults.RANGE),
        ("display", (5,), 1, faults.TILE_COPIES),
        ("display", (5,), 3, faults.RANGE),
        ("display", (5,), -1, faults.RANGE),
        ("marker", (1,), 1, faults.MARKERS),
        ("marker", (2,), 1, faults.RANGE),
        ("tab_side", (0, 2), 7, faults.RANGE),
        ("owner", (3,), 90, faults.RANGE),
        ("phase", (), 50, faults.RANGE),
        ("to_play", (), 3, faults.TO_PLAY),
        ("first_player", (), 1, faults.FIRST_PLAYER),
        ("donations_made", (0,), 1, faults.DONATIONS),
        ("active_at", (0,), 1 << 9, faults.DERIVED),
        ("inactive_at", (1,), 1 << 12, faults.DERIVED),
        ("spaces_of_type", (0, 1), 1 << 15, faults.DERIVED),
        ("empty_spaces", (1,), 1 << 20, faults.DERIVED),
        ("free_builds", (3,), 1 << 40, faults.DERIVED),
        ("free_cells", (), 1 << 25, faults.DERIVED),
    ],
)
def test_a_fault_is_found(field, place, change, fault):
    games = late(TWO)
    assert check.verify(games[0]) == 0
    spoil(games, field, place, change)
    assert faults.FAULTS[check.verify(games[0])] == faults.FAULTS[fault]


@pytest.mark.parametrize(
    ("field", "place", "change", "fault"),
    [
        ("relocations", (), -20, faults.RANGE),
        ("projects", (), -20, faults.RANGE),
        ("payroll_activated", (), -20, faults.RANGE),
        ("display", (t.ARCHIVES,), 1, faults.TILES),
        ("reserve", (1,), 1, faults.EMPLOYEES),
        ("disks", (1,), 1, faults.DISKS),
        ("free_mismatches", (2,), 1 << 40, faults.DERIVED),
        ("owned", (1,), 1 << 40, faults.DERIVED),
    ],
)
def test_a_fault_is_found_with_modules(field, place, change, fault):
    games = late(players.ALL_ON[1])
    assert check.verify(games[0]) == 0
    spoil(games, field, place, change)
    assert faults.FAULTS[check.verify(games[0])] == faults.FAULTS[fault]


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
    full = (games["active"][0] > 0) & (games["active"][0] == t.WORKSTATIONS[games["department"][0]])
    seat, space = somewhere(full)
    games["active"][0, seat, space] += 1
    games["inactive"][(0, seat, *somewhere(games["inactive"][0, seat]))] -= 1
    assert check.verify(games[0]) == faults.WORKSTATIONS


def test_employees_that_are_counted_below_zero():
    games = late(TWO)
    games["inactive"][0, 0, 14] -= 3
    games["inactive"][0, 0, t.LOBBY_SPACE] += 3
    assert check.verify(games[0]) == faults.RANGE


def test_two_markers_on_a_last_space():
    games = late(FOUR)
    games["track"][0, :2, 3] = t.TRACK_SPACES - 1
    assert check.verify(games[0]) == faults.LAST_SPACE


def test_andrews_pieces():
    games = late(SOLO)
    assert check.verify(spoil(games, "disks", (state.ANDREW,))[0]) == faults.ANDREW_DISKS
    games = late(SOLO)
    assert check.verify(spoil(games, "andrew_tiles", (3,))[0]) == faults.TILES
    games = late(SOLO)
    assert check.verify(spoil(games, "andrew_tiles", somewhere(games["andrew_tiles"][0]), -1)[0]) == faults.TILES
    games = late(SOLO)
    games["track"][0, [0, state.ANDREW], 1] = t.TRACK_SPACES - 1
    assert check.verify(games[0]) == faults.LAST_SPACE


def test_a_disk_that_changes_hands():
    games = late(TWO)
    space = int(np.flatnonzero(games["owner"][0] == 0)[0])
    games["owner"][0, space] = 1
    assert check.verify(games[0]) in (faults.DISKS, faults.PROJECTS)
    games = late(TWO)
    cell = int(np.flatnonzero(games["donation"][0] & 1)[0])
    games["donation"][0, cell] ^= 1
    assert check.verify(games[0]) == faults.DONATIONS


def test_a_decision_without_an_action_and_an_action_without_a_decision():
    games = late(TWO)
    games["legal"] = 0
    assert check.verify(games[0]) == faults.NO_ACTION
    over = players.whole_game(TWO, 4, "busy", True).games[-1:].copy()
    assert check.verify(over[0]) == 0
    over["legal"][0, 0] = 1
    assert check.verify(over[0]) == faults.NO_ACTION


def test_verify_changes_nothing():
    games = late(SOLO)
    before = players.mark(games)
    check.verify(games[0])
    assert players.mark(games) == before


def test_every_invariant_is_said_in_words():
    """A position that is read shows nothing of the others: their fields are what the dictionary leaves no choice of."""
    only_of_records = {faults.RANGE, faults.MODULE_OFF, faults.DERIVED, faults.NO_ACTION}
    assert set(words._EXPLAIN) == set(range(1, len(faults.FAULTS))) - only_of_records
    assert len(set(faults.FAULTS)) == len(faults.FAULTS) and all(faults.FAULTS[1:])


def test_a_fault_is_explained_with_its_path():
    games = late(TWO)
    assert words.explain(games[0]) is None
    games["disks"][0, 1] += 1
    path, wrong = words.explain(games[0])
    assert path == "companies[1].disks" and wrong.startswith(f"{t.DISKS + 1} disks (1 for the score + 4 transport")
    games["disks"][0, 1] = -100
    assert words.explain(games[0]) == ("", "does not obey: every field is within its range")


def nonsense(seed):
    """A record of random bytes, or a right one with some fields of them: nothing that a field may hold is left out."""
    generator = np.random.default_rng(seed)
    mode = [SOLO, TWO, FOUR, *players.ALL_ON][seed % (3 + len(players.ALL_ON))]
    games = late(mode, 4, generator.random() * 0.99)
    if seed % 10 == 0:
        games.view(np.uint8)[:] = generator.integers(0, 256, games.nbytes, np.uint8)
    for _ in range(seed % 5):
        part = games[state.NAMES[generator.integers(len(state.NAMES))]]
        limits = np.iinfo(part.dtype)
        wide = generator.integers(limits.min, limits.max, part.shape, part.dtype, endpoint=True)
        near = generator.integers(-2, 45, part.shape).astype(part.dtype)
        where = generator.integers(part.size) if generator.random() < 0.7 else slice(None)
        part.reshape(-1)[where] = (wide if generator.random() < 0.3 else near).reshape(-1)[where]
    return games


def test_nonsense_is_refused_and_nothing_else_is_touched():
    """With NUMBA_BOUNDSCHECK=1 an index that leaves an array raises an IndexError; without, neighbours stay."""
    found = set()
    for seed in range(1000):
        games = np.repeat(nonsense(seed), 3)
        games.view(np.uint8).reshape(3, -1)[[0, 2]] = 0x5A
        before = games.tobytes()
        found.add(int(check.verify(games[1])))
        assert games.tobytes() == before
    assert len(found) > 20 and found <= set(range(len(faults.FAULTS)))


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
