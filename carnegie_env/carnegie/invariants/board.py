"""The timeline, department tiles, disks on the main board, and Andrew: what lies before all players."""

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
@invariant("timeline.spaces.{row}", "each of the first four spaces has one event, the fifth those of the End tile")
def events(game: Record, row: int) -> bool:
    for space in range(t.END_SPACE):
        if (game.event_region[row, space] != NONE) == (game.event_donation[row, space] != 0):
            return False
    return game.event_region[row, t.END_SPACE] == t.END_REGION[row] and game.event_donation[row, t.END_SPACE] != 0


@invariant("timeline.spaces", "rows (columns, by options.timeline_tiles) are sides of four different tiles")
def timeline_tiles(game: Record) -> bool:
    tiles, sides = t.TIMELINE_TILES.shape[0], t.TIMELINE_TILES.shape[1]
    reached = np.zeros(1 << tiles, np.bool_)  # sets of tiles that can be picked of the first few
    reached[0] = True
    for k in range(t.TIMELINE_TILES_DEALT):
        fitting = int64(0)
        for tile in range(tiles):
            for side in range(sides):
                if _fits(game, k, tile, side):
                    fitting |= bit(tile)
        for taken in range((1 << tiles) - 1, -1, -1):  # a larger set comes of a smaller one of the step before
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


@invariant("timeline.markers", "they have passed a space for each round that is over")
def markers(game: Record) -> bool:
    return game.marker.sum() == timeline.rounds_played(game)


@jit
def _is_chosen(game: Record) -> bool:
    """Whether the row of the round is."""
    return phases.in_round(game) and game.phase != state.TIMELINE and game.phase != state.OVER


@invariant("timeline.chosen", "it is a row from the choice on, until the game is over; else null")
def chosen(game: Record) -> bool:
    return (game.chosen_row != NONE) == _is_chosen(game)


@invariant("timeline.chosen", "in even rounds Andrew chooses: the row on the back of the round's card")
def andrews_row(game: Record) -> bool:
    if not _is_chosen(game) or not timeline.is_andrews(game):
        return True
    return game.chosen_row == t.CARD_BACK[game.deck[game.round_number - 1]]


@invariant("timeline.advancing", "it is the chosen row, or the next one below it that has not ended")
def advancing(game: Record) -> bool:
    return game.advancing_row == (event.moving_row(game, game.chosen_row) if _is_chosen(game) else NONE)


# ---------------------------------------------------------------- department tiles
@invariant("display", "here, reserved, built and with Andrew all tiles are there, no copy too many")
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
    """Whether a disk can be of an owner: a seat in play, Andrew in solo, neutral."""
    return owner < game.num_players or (owner == ANDREW and phases.is_solo(game)) or owner == NEUTRAL


@invariant("cities", "disks are of seats in play, Andrew's in a solo game, or neutral")
def city_owners(game: Record) -> bool:
    for space in range(t.NUM_SPACES):
        if not is_owner(game, game.owner[space]):
            return False
    return True


@invariant("donations.{cell}", "disks are of seats in play, Andrew's in a solo game, or neutral")
def cell_owners(game: Record, cell: int) -> bool:
    for owner in range(NEUTRAL + 1):
        if donations.has_disk(game, cell, owner) and not is_owner(game, owner):
            return False
    return True


@invariant("cities", "neutral disks, here and on donations, are as many as set-up places (ruling 3)")
def neutral_disks(game: Record) -> bool:
    neutral = cities.disks_of(game, NEUTRAL) + donations.disks_of(game, NEUTRAL)
    return neutral <= (0 if phases.before_housing(game.phase) else t.NEUTRAL_DISKS[game.num_players])


@invariant("donations.{cell}", "a second disk is a copy by Charitable Giving, of none that is neutral")
def shared_cells(game: Record, cell: int) -> bool:
    if donations.has_disk(game, cell, NEUTRAL):
        return game.donation[cell] == bit(NEUTRAL)
    first = 0
    for owner in range(ANDREW + 1):
        copied = owner != ANDREW and game.owned[owner] & bit(t.CHARITABLE_GIVING) != 0
        first += donations.has_disk(game, cell, owner) and not copied
    return first <= 1


@invariant("companies[{seat}].donations_made", "it is the number of the seat's disks on donations")
def donations_made(game: Record, seat: int) -> bool:
    return game.donations_made[seat] == donations.disks_of(game, seat)


# ---------------------------------------------------------------- between the companies, Andrew
@invariant("companies", "the last space of a track takes one marker, and those of the owners of Archives (ruling 46)")
def last_spaces(game: Record) -> bool:
    for region in range(t.NUM_REGIONS):
        first = 0
        for owner in range(ANDREW + 1):
            shares = owner != ANDREW and game.owned[owner] & bit(t.ARCHIVES) != 0
            first += is_owner(game, owner) and transport.is_at_end(game, owner, region) and not shares
        if first > 1:
            return False
    return True


@invariant("andrew.deck", "there is one of each card, and as many advanced ones as the difficulty says", phases.is_solo)
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


@invariant("phase", "in even rounds Andrew chooses the row of the timeline", _solo_timeline)
def chooser_of_row(game: Record) -> bool:
    return not timeline.is_andrews(game)


@invariant("andrew.places", "before the choice of the timeline the round's card lies at 0", _solo_timeline)
def card_place(game: Record) -> bool:
    return game.card_place[game.round_number - 1] == 0


@invariant("andrew.disks", "with those in cities and on donations they are all that Andrew has", phases.is_solo)
def andrews_disks(game: Record) -> bool:
    disks = int64(game.disks[ANDREW]) + cities.disks_of(game, ANDREW) + donations.disks_of(game, ANDREW)
    return disks == t.ANDREW_DISKS


@invariant("andrew", "Andrew has no tile, no advance and no disk on the board in set-up", phases.is_solo)
def andrew_in_set_up(game: Record) -> bool:
    still = game.andrew_tiles.sum() == 0 and game.track[ANDREW].sum() == 0 and game.disks[ANDREW] == t.ANDREW_DISKS
    return still or phases.in_round(game)
