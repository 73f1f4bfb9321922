"""The timeline, department tiles, disks on the main board, and Andrew."""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.invariants import phases
from carnegie_env.carnegie.rules import cities, donations, event, new_departments, timeline, transport
from carnegie_env.carnegie.state import ANDREW, NEUTRAL, NONE, Record, bit
from carnegie_env.core.arrays import int64
from carnegie_env.core.invariants import invariant
from carnegie_env.core.jit import jit


# ---------------------------------------------------------------- timeline
@invariant(
    "timeline.spaces.{row}",
    "must have one event in each of its first four spaces and those of the End tile in the fifth",
)
def events(game: Record, row: int) -> bool:
    for space in range(t.END_SPACE):
        if (game.event_region[row, space] != NONE) == (game.event_donation[row, space] != 0):
            return False
    return game.event_region[row, t.END_SPACE] == t.END_REGION[row] and game.event_donation[row, t.END_SPACE] != 0


@invariant(
    "timeline.spaces", "must have sides of four different tiles as its rows (or columns, see options.timeline_tiles)"
)
def timeline_tiles(game: Record) -> bool:
    tiles, sides = t.TIMELINE_TILES.shape[0], t.TIMELINE_TILES.shape[1]
    reached = np.zeros(1 << tiles, np.bool_)  # possible sets of tiles for the first rows
    reached[0] = True
    for k in range(t.TIMELINE_TILES_DEALT):
        fitting = int64(0)
        for tile in range(tiles):
            for side in range(sides):
                if _fits(game, k, tile, side):
                    fitting |= bit(tile)
        for taken in range((1 << tiles) - 1, -1, -1):  # a larger set extends a smaller one of the step before
            before = reached[taken]
            reached[taken] = False
            for tile in range(tiles):
                if before and fitting & bit(tile) & ~taken:
                    reached[taken | bit(tile)] = True
    return bool(reached.any())


@jit
def _fits(game: Record, k: int, tile: int, side: int) -> bool:
    """Whether the k-th row (column, by option) reads like a tile's side."""
    for j in range(t.TILE_EVENTS):
        row, space = (k, j) if game.tiles_in_rows else (j, k)
        event = t.DONATION if game.event_donation[row, space] else game.event_region[row, space]
        if event != t.TIMELINE_TILES[tile, side, j]:
            return False
    return True


@invariant("timeline.markers", "must have passed one space for each completed round")
def markers(game: Record) -> bool:
    return game.marker.sum() == timeline.rounds_played(game)


@jit
def _is_chosen(game: Record) -> bool:
    """Whether the row of the round is chosen."""
    return phases.in_round(game) and game.phase != state.TIMELINE and game.phase != state.OVER


@invariant("timeline.chosen", "must be a row from the choice of the round on, and null before it and after the game")
def chosen(game: Record) -> bool:
    return (game.chosen_row != NONE) == _is_chosen(game)


@invariant("timeline.chosen", "must be the row on the back of the round's card in even rounds, in which Andrew chooses")
def andrews_row(game: Record) -> bool:
    if not _is_chosen(game) or not timeline.is_andrews(game):
        return True
    return game.chosen_row == t.CARD_BACK[game.deck[game.round_number - 1]]


@invariant("timeline.advancing", "must be the chosen row or, if that has ended, the next one below it that has not")
def advancing(game: Record) -> bool:
    return game.advancing_row == (event.moving_row(game, game.chosen_row) if _is_chosen(game) else NONE)


# ---------------------------------------------------------------- department tiles
@invariant("display", "must make up all tiles of the game, together with those that are reserved, built or Andrew's")
def tiles(game: Record) -> bool:
    count = np.zeros(t.LOBBY + 1, np.int64)
    for number in range(1, t.NUM_TILES + 1):
        count[number] = game.display[number] + game.andrew_tiles[number]
    for seat in range(game.num_players):
        count[game.reserved[seat]] += 1
        for space in range(t.COMPANY_SPACES):
            count[game.department[seat, space]] += 1
    if game.modules & state.NEW_TILES == state.NEW_DEPARTMENTS:
        for action in range(t.NUM_ACTION_TYPES):
            different = 0
            for number in range(1, t.NUM_TILES + 1):
                different += count[number] > 0 and t.DEPARTMENT_TYPE[number] == action
            if different > t.TILES_PER_TYPE:
                return False
    total = 0
    for number in range(1, t.NUM_TILES + 1):
        most = new_departments.copies(game) if number <= new_departments.last_tile(game) else 0
        if count[number] > most:
            return False
        total += count[number]
    return total == new_departments.tiles_in_play(game) and game.display[0] == 0 and game.andrew_tiles[0] == 0


# ---------------------------------------------------------------- disks
@jit
def is_owner(game: Record, owner: int) -> bool:
    """Whether an owner has disks in the game: a seat in play, Andrew in solo, neutral."""
    return owner < game.num_players or (owner == ANDREW and phases.is_solo(game)) or owner == NEUTRAL


@invariant("cities", "must have disks only of seats in play, neutral ones and, in a solo game, Andrew's")
def city_owners(game: Record) -> bool:
    for space in range(t.NUM_SPACES):
        if not is_owner(game, game.owner[space]):
            return False
    return True


@invariant("donations.{cell}", "must have disks only of seats in play, neutral ones and, in a solo game, Andrew's")
def cell_owners(game: Record, cell: int) -> bool:
    for owner in range(NEUTRAL + 1):
        if donations.has_disk(game, cell, owner) and not is_owner(game, owner):
            return False
    return True


@invariant("cities", "must not have more neutral disks, with those on donations, than set-up places (ruling 3)")
def neutral_disks(game: Record) -> bool:
    neutral = cities.disks_of(game, NEUTRAL) + donations.disks_of(game, NEUTRAL)
    return neutral <= (0 if phases.before_housing(game.phase) else t.NEUTRAL_DISKS[game.num_players])


@invariant(
    "donations.{cell}",
    "must have at most one disk, apart from copies by Charitable Giving; neutral ones are not copied",
)
def shared_cells(game: Record, cell: int) -> bool:
    if donations.has_disk(game, cell, NEUTRAL):
        return game.donation[cell] == bit(NEUTRAL)
    first = 0
    for owner in range(ANDREW + 1):
        copied = owner != ANDREW and game.owned[owner] & bit(t.CHARITABLE_GIVING) != 0
        first += donations.has_disk(game, cell, owner) and not copied
    return first <= 1


@invariant("companies[{seat}].donations_made", "must be the number of the seat's disks on donations")
def donations_made(game: Record, seat: int) -> bool:
    return game.donations_made[seat] == donations.disks_of(game, seat)


# ---------------------------------------------------------------- tracks, Andrew
@invariant(
    "companies", "must have at most one marker on the last space of a track, apart from owners of Archives (ruling 46)"
)
def last_spaces(game: Record) -> bool:
    for region in range(t.NUM_REGIONS):
        first = 0
        for owner in range(ANDREW + 1):
            shares = owner != ANDREW and game.owned[owner] & bit(t.ARCHIVES) != 0
            first += is_owner(game, owner) and transport.is_at_end(game, owner, region) and not shares
        if first > 1:
            return False
    return True


@invariant(
    "andrew.deck", "must have different cards, and as many advanced ones as the difficulty requires", phases.is_solo
)
def deck(game: Record) -> bool:
    known, advanced = int64(0), 0
    for k in range(t.DECK_SIZE):
        if known & bit(game.deck[k]):
            return False
        known |= bit(game.deck[k])
        advanced += t.CARD_ADVANCED[game.deck[k]]
    return advanced == t.DIFFICULTY_ADVANCED[game.difficulty]


@jit
def _solo_timeline(game: Record) -> bool:
    return phases.is_solo(game) and game.phase == state.TIMELINE


@invariant("phase", "must not be timeline in even rounds, in which Andrew chooses the row", _solo_timeline)
def chooser_of_row(game: Record) -> bool:
    return not timeline.is_andrews(game)


@invariant("andrew.places", "must be 0 for the round's card until the timeline row is chosen", _solo_timeline)
def card_place(game: Record) -> bool:
    return game.card_place[game.round_number - 1] == 0


@invariant(
    "andrew.disks", "must make up all of Andrew's disks, together with those in cities and on donations", phases.is_solo
)
def andrews_disks(game: Record) -> bool:
    disks = int64(game.disks[ANDREW]) + cities.disks_of(game, ANDREW) + donations.disks_of(game, ANDREW)
    return disks == t.ANDREW_DISKS


@invariant("andrew", "must have no tiles, no transport advances and no disks on the board in set-up", phases.is_solo)
def andrew_in_set_up(game: Record) -> bool:
    still = game.andrew_tiles.sum() == 0 and game.track[ANDREW].sum() == 0 and game.disks[ANDREW] == t.ANDREW_DISKS
    return still or phases.in_round(game)
