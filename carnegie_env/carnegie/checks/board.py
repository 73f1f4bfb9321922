"""The timeline, department tiles, disks on the main board: what lies before all players."""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.checks import faults, phases
from carnegie_env.carnegie.checks.faults import say
from carnegie_env.carnegie.rules import (
    cities,
    donations,
    event,
    new_departments,
    timeline,
)
from carnegie_env.carnegie.state import ANDREW, NEUTRAL, NONE, Record, bit
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.jit import jit


# ---------------------------------------------------------------- timeline
@jit
def check_timeline_tiles(game: Record, found: Vector[int]) -> int:
    """The first four spaces of the rows are sides of four different tiles, the last is the End tile's."""
    for row in range(t.TIMELINE_ROWS):
        for space in range(t.END_SPACE):
            if (game.event_region[row, space] != NONE) == (game.event_donation[row, space] != 0):
                return say(found, faults.EVENT_SPACE, row, space, 0)
        if game.event_region[row, t.END_SPACE] != t.END_REGION[row] or not game.event_donation[row, t.END_SPACE]:
            return say(found, faults.END_TILE, row, 0, 0)
    fitting = np.zeros(t.TIMELINE_TILES_DEALT, np.int64)
    for k in range(t.TIMELINE_TILES_DEALT):
        for tile in range(t.TIMELINE_TILES.shape[0]):
            for side in range(t.TIMELINE_TILES.shape[1]):
                if _fits(game, k, tile, side):
                    fitting[k] |= bit(tile)
        if fitting[k] == 0:
            return say(found, faults.TIMELINE_TILE, k, 0, 0)
    return 0 if _can_differ(fitting) else faults.TIMELINE_TWICE


@jit
def _fits(game: Record, k: int, tile: int, side: int) -> bool:
    """Whether the k-th row (column, by option) reads like a tile's side."""
    for j in range(t.TILE_EVENTS):
        row, space = (k, j) if game.tiles_in_rows else (j, k)
        event = t.DONATION if game.event_donation[row, space] else game.event_region[row, space]
        if event != t.TIMELINE_TILES[tile, side, j]:
            return False
    return True


@jit
def _can_differ(fitting: Vector[int]) -> bool:
    """Whether a tile can be picked of every set of them, all different."""
    tiles = t.TIMELINE_TILES.shape[0]
    reached = np.zeros(1 << tiles, np.bool_)  # sets of tiles that can be picked of the first few
    reached[0] = True
    for k in range(fitting.shape[0]):
        for taken in range((1 << tiles) - 1, -1, -1):  # a larger set comes of a smaller one of the step before
            before = reached[taken]
            reached[taken] = False
            for tile in range(tiles):
                if before and fitting[k] & bit(tile) & ~taken:
                    reached[taken | bit(tile)] = True
    return bool(reached.any())


@jit
def check_timeline(game: Record, found: Vector[int]) -> int:
    passed, markers = timeline.rounds_played(game), int64(game.marker.sum())
    if markers != passed:
        return say(found, faults.MARKERS, markers, passed, 0)
    chosen = phases.in_round(game) and game.phase != state.TIMELINE and game.phase != state.OVER
    if (game.chosen_row != NONE) != chosen:
        return say(found, faults.CHOSEN, 0, chosen, 0)
    if (game.advancing_row != NONE) != chosen:
        return say(found, faults.CHOSEN, 1, chosen, 0)
    if not chosen:
        return 0
    if timeline.is_andrews(game) and game.chosen_row != t.CARD_BACK[game.deck[game.round_number - 1]]:
        return faults.ANDREW_ROW
    row = event.moving_row(game, game.chosen_row)
    return say(found, faults.ADVANCING, row, 0, 0) if game.advancing_row != row else 0


# ---------------------------------------------------------------- department tiles
@jit
def check_tiles(game: Record, found: Vector[int]) -> int:
    count = np.zeros(t.LOBBY + 1, np.int64)
    for number in range(1, t.NUM_TILES + 1):
        count[number] = game.display[number] + game.andrew_tiles[number]
    for seat in range(game.num_players):
        count[game.reserved[seat]] += 1
        for space in range(t.COMPANY_SPACES):
            count[game.department[seat, space]] += 1
    count[0] = 0
    if game.modules & state.NEW_TILES == state.NEW_DEPARTMENTS:
        for action in range(t.NUM_ACTION_TYPES):
            different = 0
            for number in range(1, t.NUM_TILES + 1):
                different += count[number] > 0 and t.DEPARTMENT_TYPE[number] == action
            if different > t.TILES_PER_TYPE:
                return say(found, faults.TILE_TYPES, action, different, 0)
    total, in_play = 0, new_departments.tiles_in_play(game)
    for number in range(1, t.NUM_TILES + 1):
        most = new_departments.copies(game) if number <= new_departments.last_tile(game) else 0
        if count[number] > most:
            return say(found, faults.TILE_COPIES, number, count[number], most)
        total += count[number]
    return say(found, faults.TILES, total, in_play, 0) if total != in_play else 0


# ---------------------------------------------------------------- the board
@jit
def is_owner(game: Record, owner: int) -> bool:
    """Whether a disk can be of an owner: a seat in play, Andrew in solo, neutral."""
    return owner < game.num_players or (owner == ANDREW and game.difficulty != NONE) or owner == NEUTRAL


@jit
def check_owners(game: Record, found: Vector[int]) -> int:
    for space in range(t.NUM_SPACES):
        if not is_owner(game, game.owner[space]):
            return say(found, faults.CITY_OWNER, space, game.owner[space], 0)
    for cell in range(t.NUM_DONATIONS):
        for owner in range(NEUTRAL + 1):
            if donations.has_disk(game, cell, owner) and not is_owner(game, owner):
                return say(found, faults.CELL_OWNER, cell, owner, 0)
    neutral = cities.disks_of(game, NEUTRAL) + donations.disks_of(game, NEUTRAL)
    if neutral > 0 and phases.before_housing(game.phase):  # ruling 3
        return say(found, faults.NEUTRAL_EARLY, neutral, 0, 0)
    most = t.NEUTRAL_DISKS[game.num_players]
    return say(found, faults.NEUTRAL_MOST, neutral, most, 0) if neutral > most else 0


@jit
def check_donations(game: Record, found: Vector[int]) -> int:
    """A cell is taken once; further disks there are copies by Charitable Giving (ruling 26)."""
    for cell in range(t.NUM_DONATIONS):
        if donations.has_disk(game, cell, NEUTRAL) and game.donation[cell] != bit(NEUTRAL):
            return say(found, faults.CELL_NEUTRAL, cell, 0, 0)
        first = int64(NONE)
        for owner in range(ANDREW + 1):
            copied = owner != ANDREW and game.owned[owner] & bit(t.CHARITABLE_GIVING) != 0
            if donations.has_disk(game, cell, owner) and not copied:
                if first != NONE:
                    return say(found, faults.CELL_SHARED, cell, first, owner)
                first = int64(owner)
    for seat in range(game.num_players):
        made = donations.disks_of(game, seat)
        if game.donations_made[seat] != made:
            return say(found, faults.DONATIONS, seat, made, 0)
    return 0
