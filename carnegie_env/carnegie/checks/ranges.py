"""The round, and the range of every field: what comes before a field is the index of anything."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.checks import faults, phases
from carnegie_env.carnegie.checks.faults import say
from carnegie_env.carnegie.options import MODULES
from carnegie_env.carnegie.rules import (
    timeline,
    transport,
)
from carnegie_env.carnegie.state import ANDREW, NEUTRAL, NONE, Record
from carnegie_env.core.arrays import Vector
from carnegie_env.core.jit import jit

LONGEST_TAB = int(t.TAB_LENGTH.max())
_ALL_MODULES = (1 << len(MODULES)) - 1


@jit
def check_round(game: Record, found: Vector[int]) -> int:
    """Looks at what all else hangs on; nothing here is an index before its range was tested."""
    phase, number, players = game.phase, game.round_number, game.num_players
    if not (1 <= players <= state.SEATS and 0 <= game.modules <= _ALL_MODULES):
        return faults.RANGE
    if not (0 <= phase < state.START_ROUND and 0 <= number <= t.ROUNDS and 0 <= game.first_player < state.SEATS):
        return faults.RANGE
    if (game.difficulty != NONE) != (players == 1) or not NONE <= game.difficulty < len(t.DIFFICULTIES):
        return faults.RANGE
    if phases.only_in_set_up(phase):
        right = number == 0
    elif phase == state.OVER:
        right = number == t.ROUNDS
    else:
        right = number >= 1 or phase == state.DESTINATION or phase == state.ACTIVATION
    if not right:
        return faults.ROUND
    passed = timeline.rounds_played(game)
    stays = game.first_player == passed % players or game.modules & state.NEW_START != 0
    if not stays or game.first_player >= players:
        return say(found, faults.FIRST_PLAYER, passed, 0, 0)
    if phase == state.OVER:
        return faults.TO_PLAY if game.to_play != NONE else 0
    return 0 if 0 <= game.to_play < players else faults.TO_PLAY


@jit
def _within(values: Vector[int], least: int, most: int) -> bool:
    for value in values:
        if not least <= value <= most:
            return False
    return True


@jit
def check_ranges(game: Record, found: Vector[int]) -> int:
    right = _turn_within(game) and _board_within(game)
    for seat in range(state.SEATS):
        right = right and _company_within(game, seat)
    right = right and _within(game.track[ANDREW], 0, transport.LAST_SPACE) and 0 <= game.disks[ANDREW] <= t.ANDREW_DISKS
    return 0 if right else faults.RANGE


@jit
def _turn_within(game: Record) -> bool:
    """The switches, and what is in hand."""
    return (
        0 <= game.tiles_in_rows <= 1 and 0 <= game.show_forced <= 1 and 0 <= game.waiting <= 1
        and NONE <= game.chosen_row < t.TIMELINE_ROWS and NONE <= game.advancing_row < t.TIMELINE_ROWS
        and NONE <= game.action < t.NUM_ACTION_TYPES and 0 <= game.started <= 1
        and game.moves >= 0 and game.research >= 0 and 0 <= game.arrivals <= t.EMPLOYEES
        and NONE <= game.lifted < t.COMPANY_SPACES and 0 <= game.lifted_active <= 1
        and 0 <= game.tile <= t.NUM_TILES and NONE <= game.site < t.COMPANY_SPACES
        and NONE <= game.choice < t.NUM_PROJECT_TYPES * t.TAB_SECTIONS
        and NONE <= game.department_in_use < t.COMPANY_SPACES and _within(game.ready, 0, t.EMPLOYEES)
        and 0 <= game.diagonal_moves <= 1 and game.relocations >= 0 and 0 <= game.projects <= t.NUM_SPACES
        and NONE <= game.level_region < t.NUM_REGIONS and 0 <= game.payroll_activated <= t.EMPLOYEES
    )  # fmt: skip


@jit
def _company_within(game: Record, seat: int) -> bool:
    return (
        game.money[seat] >= 0 and game.goods[seat] >= 0 and 0 <= game.reserve[seat] <= t.EMPLOYEES
        and _within(game.missions[seat], 0, t.EMPLOYEES) and _within(game.active[seat], 0, t.EMPLOYEES)
        and _within(game.inactive[seat], 0, t.EMPLOYEES) and _within(game.department[seat], 0, t.LOBBY)
        and 0 <= game.reserved[seat] <= t.NUM_TILES and _within(game.tab_side[seat], NONE, t.TAB_SIDES - 1)
        and _within(game.tab_pulled[seat], 0, LONGEST_TAB) and _within(game.tab_built[seat], 0, t.TAB_SECTIONS)
        and _within(game.track[seat], 0, transport.LAST_SPACE) and 0 <= game.disks[seat] <= t.DISKS
        and 0 <= game.donations_made[seat] <= t.NUM_DONATIONS and 0 <= game.action_tile[seat] <= 1
        and _within(game.sheet[seat], NONE, t.NEW_START_OFFERS.shape[1] - 1)
        and NONE <= game.bid[seat] <= t.LARGEST_BID and NONE <= game.secret[seat] < t.NUM_DONATIONS
    )  # fmt: skip


@jit
def _board_within(game: Record) -> bool:
    for row in range(t.TIMELINE_ROWS):
        if not _within(game.event_region[row], NONE, t.NUM_REGIONS - 1) or not _within(game.event_donation[row], 0, 1):
            return False
    return (
        _within(game.owner, NONE, NEUTRAL) and _within(game.donation, 0, (1 << (NEUTRAL + 1)) - 1)
        and _within(game.panel, NONE, t.NUM_DONATION_COLUMNS - 1)
        and _within(game.display, 0, t.TILE_COPIES) and _within(game.andrew_tiles, 0, t.TILE_COPIES)
        and game.display[0] == 0 and game.andrew_tiles[0] == 0
        and _within(game.marker, 0, t.TIMELINE_SPACES) and _within(game.deck, 0, t.NUM_CARDS - 1)
        and _within(game.card_place, 0, t.VP_ROW_PLACES - 1)
    )  # fmt: skip
