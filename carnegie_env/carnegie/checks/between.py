"""Between the companies: transport tracks and Action Choice tiles; and Andrew."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.checks import board, faults, phases
from carnegie_env.carnegie.checks.faults import say
from carnegie_env.carnegie.rules import (
    cities,
    donations,
    timeline,
    transport,
)
from carnegie_env.carnegie.state import ANDREW, NONE, Record, bit
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.jit import jit


# ---------------------------------------------------------------- between the companies
@jit
def check_tracks(game: Record, found: Vector[int]) -> int:
    """A last space takes one marker, and those of the owners of Archives (ruling 46)."""
    for region in range(t.NUM_REGIONS):
        first = int64(NONE)
        for owner in range(ANDREW + 1):
            shares = owner != ANDREW and game.owned[owner] & bit(t.ARCHIVES) != 0
            if board.is_owner(game, owner) and transport.is_at_end(game, owner, region) and not shares:
                if first != NONE:
                    return say(found, faults.LAST_SPACE, region, first, owner)
                first = int64(owner)
    return 0


@jit
def _dealt_choices(game: Record) -> int:
    """Bit set of the seats that were dealt an Action Choice tile."""
    seats = int64(0)
    for seat in range(game.num_players):
        if was_dealt_choice(game, seat):
            seats |= bit(seat)
    return seats


@jit
def was_dealt_choice(game: Record, seat: int) -> bool:
    """Whether a seat's place in the turn order of round 1 gets an Action Choice tile."""
    return t.ACTION_CHOICE[game.num_players, timeline.first_place(game, seat)] != 0


@jit
def check_action_choice(game: Record, found: Vector[int]) -> int:
    for seat in range(game.num_players):
        if game.action_tile[seat] and not was_dealt_choice(game, seat):
            return say(found, faults.ACTION_CHOICE, seat, _dealt_choices(game), 0)
    return 0


@jit
def check_andrew(game: Record, found: Vector[int]) -> int:
    known, advanced = int64(0), 0
    for r in range(t.DECK_SIZE):
        if known & bit(game.deck[r]):
            return say(found, faults.CARD_TWICE, r, 0, 0)
        known |= bit(game.deck[r])
        advanced += t.CARD_ADVANCED[game.deck[r]]
    if advanced != t.DIFFICULTY_ADVANCED[game.difficulty]:
        return say(found, faults.ADVANCED_CARDS, advanced, 0, 0)
    if game.phase == state.TIMELINE:
        if timeline.is_andrews(game):
            return faults.ANDREW_CHOOSES
        if game.card_place[game.round_number - 1] != 0:
            return say(found, faults.CARD_PLACE, game.round_number - 1, 0, 0)
    disks = int64(game.disks[ANDREW]) + cities.disks_of(game, ANDREW) + donations.disks_of(game, ANDREW)
    if disks != t.ANDREW_DISKS:
        return say(found, faults.ANDREW_DISKS, disks, 0, 0)
    if not phases.in_round(game):
        if game.andrew_tiles.sum() > 0:
            return say(found, faults.ANDREW_EARLY, 0, 0, 0)
        if game.track[ANDREW].sum() > 0:
            return say(found, faults.ANDREW_EARLY, 1, 0, 0)
        if game.disks[ANDREW] != t.ANDREW_DISKS:
            return say(found, faults.ANDREW_EARLY, 2, 0, 0)
    return 0
