"""The checks that are compiled in with CARNEGIE_CHECK=1 find nothing in play and every fault put into a record."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.invariants import INVARIANTS as check
from carnegie_env.core import kernels
from tests import players
from tests.commands import python

ROOT = Path(__file__).resolve().parents[2]
SOLO, TWO, FOUR, ALL = players.MODES[1], players.MODES[4], players.MODES[6], players.ALL_ON[1]


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


RANGE, STALE = "a field is outside its range", "the derived fields are stale"


def sentence(record):
    """What is wrong with a record."""
    return check.words(check.verify(record), record)[1]


@pytest.mark.parametrize(
    ("mode", "field", "place", "change", "wrong"),
    [
        (TWO, "money", (1,), -10_000, RANGE),
        (TWO, "moves", (), -1000, RANGE),
        (TWO, "reserve", (0,), -100, RANGE),
        (TWO, "tab_built", (0, 0), 10, RANGE),
        (TWO, "display", (5,), 3, RANGE),
        (TWO, "display", (5,), -1, RANGE),
        (TWO, "marker", (2,), 5, RANGE),
        (TWO, "tab_side", (0, 2), 7, RANGE),
        (TWO, "owner", (3,), 90, RANGE),
        (TWO, "phase", (), 50, RANGE),
        (TWO, "to_play", (), 3, RANGE),
        (ALL, "relocations", (), -20, RANGE),
        (ALL, "payroll_activated", (), -20, RANGE),
        *((TWO, field, place, 1 << bit, STALE) for field, place, bit in (
            ("active_at", (0,), 9), ("inactive_at", (1,), 12), ("spaces_of_type", (0, 1), 15),
            ("empty_spaces", (1,), 20), ("free_builds", (3,), 40), ("free_cells", (), 25),
        )),
        (ALL, "free_mismatches", (2,), 1 << 40, STALE),
        (ALL, "owned", (1,), 1 << 40, STALE),
    ],
)  # fmt: skip
def test_a_range_and_a_stale_field_are_found(mode, field, place, change, wrong):
    games = late(mode)
    assert check.verify(games[0]) == 0
    assert sentence(spoil(games, field, place, change)[0]) == wrong


def test_a_last_space_may_be_shared_where_archives_are_in_the_game():
    games = late(players.ALL_ON[3])
    games["track"][0, :2, 3] = t.TRACK_SPACES - 1
    assert check.verify(games[0]) == 0


def test_points_below_zero_are_right():
    """The start may cost points, Payroll Management too: they are not counted pieces."""
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


def test_verify_changes_nothing():
    games = late(SOLO)
    before = players.mark(games)
    check.verify(games[0])
    assert players.mark(games) == before


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
    assert len(found) > 20 and found <= set(range(check.derived + 2))


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
    printed = python("-c", _CHECKED, CARNEGIE_CHECK="1", NUMBA_DISABLE_JIT="1")
    assert printed.startswith("found: a position breaks the rules")


def test_refresh_makes_derived_fields_right_again():
    games = late(FOUR)
    for field in ("active_at", "inactive_at", "spaces_of_type", "empty_spaces", "owned", "free_builds", "free_cells",
                  "free_mismatches"):  # fmt: skip
        broken = games.copy()
        broken[field] = ~broken[field]
        assert check.verify(broken[0]) != 0, field
        kernels.refresh(broken)
        assert check.verify(broken[0]) == 0 and players.mark(broken) == players.mark(games)
