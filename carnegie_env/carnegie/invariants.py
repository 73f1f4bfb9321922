"""Checks of a record against what every position obeys; compiled into each step with ``CARNEGIE_CHECK=1``."""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import tabs
from carnegie_env.carnegie.state import ANDREW, Record, bit
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit

# What verify() finds wrong, by number.
FAULTS = (
    "", "employees of a company are not 15", "disks of a company are not 30", "money, goods or a count is negative",
    "department tiles lost or multiplied", "more active employees than workstations", "last space of a track shared",
    "disks of Andrew are not 26", "no legal action", "action markers do not fit the round", "derived fields are stale",
    "donations made do not fit the cells", "projects built do not fit the board",
)  # fmt: skip
(
    _, EMPLOYEES, DISKS, NEGATIVE, TILES, WORKSTATIONS, LAST_SPACE, ANDREW_DISKS, NO_ACTION, MARKERS, DERIVED,
    DONATIONS, PROJECTS,
) = range(len(FAULTS))  # fmt: skip


@jit
def verify(game: Record) -> int:
    """Number of the first fault of a settled record (see FAULTS), 0 if there is none."""
    for seat in range(game.num_players):
        fault = _verify_company(game, seat)
        if fault:
            return fault
    if game.difficulty != state.NONE and game.disks[ANDREW] + _disks_out(game, ANDREW) != t.ANDREW_DISKS:
        return ANDREW_DISKS
    if _tiles(game) != t.BASE_TILES * t.TILE_COPIES - t.DEPARTMENTS_REMOVED[game.num_players]:
        return TILES
    for region in range(4):
        last = 0
        for owner in range(ANDREW + 1):
            last += game.track[owner, region] == t.TRACK_SPACES - 1
        if last > 1 and not game.modules & state.NEW_TILES:  # but for Archives
            return LAST_SPACE
    if game.marker.sum() != (game.round_number if game.phase == state.OVER else max(game.round_number - 1, 0)):
        return MARKERS
    if (game.phase != state.OVER) != (masks.count(game.legal) > 0):
        return NO_ACTION
    return _verify_derived(game)


@jit
def _verify_company(game: Record, seat: int) -> int:
    if min(game.money[seat], game.goods[seat], game.reserve[seat], game.disks[seat], game.moves, game.research) < 0:
        return NEGATIVE
    if min(game.relocations, game.projects, game.payroll_activated) < 0:
        return NEGATIVE
    employees = int64(game.reserve[seat])
    if seat == game.to_play:
        employees += game.arrivals
    for region in range(4):
        employees += game.missions[seat, region]
    for space in range(t.COMPANY_SPACES):
        employees += game.active[seat, space] + game.inactive[seat, space]
        if game.active[seat, space] > t.WORKSTATIONS[game.department[seat, space]]:
            return WORKSTATIONS
        if game.active[seat, space] < 0 or game.inactive[seat, space] < 0:
            return NEGATIVE
    if employees != t.EMPLOYEES:
        return EMPLOYEES
    cells = 0
    for cell in range(game.donation.shape[0]):
        cells += game.donation[cell] & bit(seat) != 0
    if cells != game.donations_made[seat]:
        return DONATIONS
    on_tabs = 0
    for tab in range(4):
        ready = tabs.ready(game, seat, tab)
        if ready < 0:
            return PROJECTS
        on_tabs += ready
    elsewhere = 1 + 4  # the score track and the transport tracks
    if game.disks[seat] + on_tabs + _disks_out(game, seat) + elsewhere != t.DISKS:
        return DISKS
    if _disks_out(game, seat) - cells != game.tab_built[seat].sum():
        return PROJECTS
    return 0


@jit
def _disks_out(game: Record, owner: int) -> int:
    number = 0
    for space in range(t.NUM_SPACES):
        number += game.owner[space] == owner
    for cell in range(game.donation.shape[0]):
        number += game.donation[cell] & bit(owner) != 0
    return number


@jit
def _tiles(game: Record) -> int:
    number = 0
    for tile in range(1, t.NUM_TILES + 1):
        number += game.display[tile] + game.andrew_tiles[tile]
        for seat in range(game.num_players):
            number += game.reserved[seat] == tile
            if game.owned[seat] & bit(tile):
                number += 1
    return number


@jit
def _verify_derived(game: Record) -> int:
    other = np.zeros(1, state.GAME)
    other[0] = game
    state.rebuild_derived(other[0])
    same = other[0].free_cells == game.free_cells
    for k in range(4):
        same = same and other[0].free_builds[k] == game.free_builds[k]
        same = same and other[0].free_mismatches[k] == game.free_mismatches[k]
        for kind in range(4):
            same = same and other[0].spaces_of_type[k, kind] == game.spaces_of_type[k, kind]
        same = same and other[0].active_at[k] == game.active_at[k] and other[0].inactive_at[k] == game.inactive_at[k]
        same = same and other[0].empty_spaces[k] == game.empty_spaces[k] and other[0].owned[k] == game.owned[k]
    return 0 if same else DERIVED
