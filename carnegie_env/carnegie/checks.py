"""What holds in every position that play can reach, each invariant once: a number, and the test that gives it.

:func:`verify` looks at a record at a decision, derived fields and legal actions included; :func:`inspect` at all but
those, and says more of what it found: the reader of positions turns that into a message (codec/faults.py). Money, goods
and points are free. With ``CARNEGIE_CHECK=1`` every step is verified.

A record may hold anything: each field's range is tested before the field is an index of something, so that nothing
outside the record and the tables is touched. From then on the rules' own functions are used, on a copy whose derived
fields are made anew. The order is that of the position's dictionary (docs/design.md, section 5).
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import MODULES
from carnegie_env.carnegie.rules import (
    cities,
    company,
    donations,
    event,
    lobby,
    new_departments,
    new_start,
    setup,
    tabs,
    timeline,
    transport,
)
from carnegie_env.carnegie.state import ANDREW, NEUTRAL, NONE, Record, bit
from carnegie_env.core import masks
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.jit import jit

LONGEST_TAB = int(t.TAB_LENGTH.max())

FAULTS = [""]  # the name of every invariant, by number
DETAILS = 3  # numbers that inspect() finds beside the invariant's: seats, places, counts


def _new(name: str) -> int:
    FAULTS.append(name)
    return len(FAULTS) - 1


# ---------------------------------------------------------------- the invariants; in brackets what the details are
RANGE = _new("every field is within its range")
ROUND = _new("the round fits the phase")
FIRST_PLAYER = _new("the first player's marker goes round (rounds played)")
TO_PLAY = _new("a seat decides until the game is over")
EVENT_SPACE = _new("a timeline space has one event (row, space)")
END_TILE = _new("the last spaces are the End tile's (row)")
TIMELINE_TILE = _new("the timeline is made of tiles (tile's place)")
TIMELINE_TWICE = _new("a timeline tile is there once")
MARKERS = _new("the action markers have passed a space each round (spaces, rounds)")
CHOSEN = _new("a row is chosen, and one advances, from the choice on (0 chosen or 1 advancing, whether it is wanted)")
ANDREW_ROW = _new("in even rounds Andrew's card chooses the row")
ADVANCING = _new("the chosen row advances, or the next that has not ended (the right one)")
TILE_TYPES = _new("of each type so many different tiles are drawn (type, how many)")
TILE_COPIES = _new("department tiles are not multiplied (tile, copies, most)")
TILES = _new("department tiles are not lost or made (how many, in play)")
NEUTRAL_EARLY = _new("neutral disks come after the tab sides (how many)")
NEUTRAL_MOST = _new("there are so many neutral disks (how many, most)")
CELL_OWNER = _new("a donation has disks of who is in the game (cell, owner)")
CITY_OWNER = _new("a city has disks of who is in the game (space, owner)")
CELL_NEUTRAL = _new("a cell with a neutral disk takes no other (cell)")
CELL_SHARED = _new("a cell is shared by Charitable Giving only (cell, two owners)")
DONATIONS = _new("donations made are disks on cells (seat, disks)")
EMPLOYEES = _new("a company's employees are not lost or made (seat, how many)")
WORKSTATIONS = _new("active employees stand on workstations (seat, space)")
PRINTED = _new("printed departments stand where they are printed (seat, space)")
DEPARTMENT_TWICE = _new("a company has a department once (seat, two spaces)")
RESERVED_BUILT = _new("the reserved department is the first one built (seat, tile built)")
RESERVED_LOST = _new("a department is reserved until one is built (seat)")
TAB_LENGTH = _new("a tab is not pulled beyond its end (seat, project)")
TAB_BUILT = _new("projects built were uncovered (seat, project, uncovered)")
TAB_SIDE = _new("tab sides are chosen after set-up step 6 (seat, project)")
PROJECTS = _new("projects built are disks in the cities (seat, disks)")
PROJECT_TYPES = _new("projects are built on spaces of their type (seat, project, disks)")
DISKS = _new("a player's disks are not lost or made (seat, how many)")
HOUSED = _new("each player has a disk on a housing space from set-up on (seat)")
STILL = _new("set-up leaves all else as at the start (seat, what)")
SIDES_ORDER = _new("tab sides are chosen in order (seat, sides)")
HOUSING_ORDER = _new("housing is placed in order (seat, projects wanted)")
RESERVED_ORDER = _new("departments are reserved in order (seat, whether it is wanted)")
LAST_SPACE = _new("the last space of a track is not shared (region, two owners)")
ACTION_CHOICE = _new("Action Choice tiles go to some places of the turn order (seat, bit set of those that got one)")
CARD_TWICE = _new("a card is in the deck once (place)")
ADVANCED_CARDS = _new("the deck has so many advanced cards (how many)")
ANDREW_CHOOSES = _new("in even rounds the player does not choose the row")
CARD_PLACE = _new("the round's card begins at 0 VP (round)")
ANDREW_DISKS = _new("Andrew's disks are not lost or made (how many)")
ANDREW_EARLY = _new("Andrew does nothing in set-up (what)")
NOT_IN_HAND = _new("what does not belong to the phase is not in hand (what)")
IN_HAND = _new("what belongs to the phase is in hand (what)")
SETUP_MOVES = _new("set-up has so many moves (moves)")
ACTION = _new("a turn is of the round's type, or of that chosen by an Action Choice tile")
MOVES_OF = _new("Human Resources has moves")
RESEARCH_OF = _new("Construction and R&D have research points")
IN_USE_TYPE = _new("the department in use is of the turn's type")
READY_TYPE = _new("who can act is in a department of the turn's type (space)")
READY_ACTIVE = _new("who can act is active (space)")
READY_ALL = _new("before a department is used all who are active can act (space)")
READY_SPLIT = _new("in other departments than the one in use all can act, or none (space)")
SPENT = _new("somebody in the department in use is spent")
STARTED = _new("a turn in which a department is used has started")
DIAGONAL = _new("diagonal moves need Human Resources and Corporate Communications")
DIAGONAL_AT_START = _new("diagonal moves need an active employee when the turn begins")
DIAGONAL_MISSING = _new("Corporate Communications works")
NO_DONATION = _new("donations come with a donation event")
NO_REGION = _new("an income comes with a mission region")
NOBODY_BACK = _new("somebody can be recovered (region)")
CHOOSER = _new("the first player chooses the timeline")
NO_NEW_LOBBY = _new("a choice of lobbies needs two")
LIFTED = _new("the employee in hand is there")
INCOME_CHOICE = _new("a tab income of a built section is a choice (project, section)")
LOBBY_CHOICE = _new("an employee of a tab income is chosen (project, section)")
LOBBY_ARRIVALS = _new("a tab income brings one employee")
IN_USE = _new("a phase of a use belongs to a department (department in use, the right one)")
TILE_RESERVED = _new("the reserved tile is built first (reserved)")
TILE_DISPLAY = _new("the tile in hand is from the display")
TILE_OWNED = _new("the tile in hand is a new one")
SITE = _new("Property Management follows a department just built")
NO_PROPERTY = _new("Property Management works")
DONATION_MONEY = _new("the donation can be paid (cost)")
DONATION_DISK = _new("a donation takes a disk from the reserve")
MODULE_PHASE = _new("the phase is the game's (module's bits)")
MODULE_OFF = _new("what belongs to a module that is off is empty (what, seat)")
LEAST_VP = _new("points are not lost but by the rules (seat, least)")
SHEET_START = _new("sheets change nothing until they are revealed (seat, what)")
SHEET_LINES = _new("a sheet's lines are filled in order (seat)")
SHEET_BID = _new("the bid comes last, and not in solo (seat)")
SHEET_EARLY = _new("sheets are filled in one after the other (seat)")
SHEET_EMPTY = _new("sheets are filled in to the end (seat)")
SHEET_BUDGET = _new("a sheet's choices keep to the budget (seat, cost, least of the lines left)")
SHEET_FIRST = _new("until the reveal seat 0 is first player")
BIDS = _new("the highest bid is the first player's (who began, bit set of who should have)")
PANEL_TWICE = _new("a donation tile is there once (tile)")
PANELS = _new("each player covers one panel at most (panels, most)")
SECRET = _new("secret donations are chosen in order (seat, whether it is wanted)")
WAITING_OFF = _new("nobody waits without the module")
WAITING = _new("the first player waits during turns")
RELOCATIONS_OF = _new("relocations are HR Administration's")
RELOCATIONS_MOST = _new("departments give so many relocations (most)")
HALVES_OF = _new("halves are those of the tiles that have them (department in use)")
HALVES_PROJECTS = _new("halves are those of a region's projects")
PAYROLL = _new("who was just activated in Payroll Management is active there (active)")
NO_ARCHIVES = _new("Archives works")
LEVEL_START = _new("a level is chosen where the marker has moved")
LEVEL_CITY = _new("a level in a turn is of a city's bonus")
LEVEL_TURN = _new("a city's bonus comes in a turn of construction")
LEVEL_EVENT = _new("a level in an event is of its region (the region)")
DERIVED = _new("derived fields agree with the facts")
NO_ACTION = _new("there is a legal action until the game is over")

# What the details of STILL, ANDREW_EARLY, SHEET_START and NOT_IN_HAND or IN_HAND mean: keys of the dictionary.
KEPT = ("missions", "transport", "tabs", "donations_made", "departments", "reserve", "vp")
ANDREW_KEPT = ("departments", "transport", "disks")
START_KEPT = ("money", "goods", "employees")
HAND = (
    "action", "started", "moves", "research", "arrivals", "lifted", "tile", "site", "income_choice", "department",
    "ready", "diagonal_moves", "relocations", "projects", "level_region", "payroll_activated",
)  # fmt: skip


@jit
def verify(game: Record) -> int:
    """Number of an invariant that does not hold in a record at a decision or over, 0 if all do.

    Args:
        game: of any content; it is not changed.
    """
    found = np.zeros(DETAILS, np.int64)
    fault = inspect(game, found)
    if fault == 0 and _is_stale(game):
        return DERIVED
    if fault == 0 and (game.phase != state.OVER) != (masks.count(game.legal) > 0):
        return NO_ACTION
    return fault


@jit
def inspect(game: Record, found: Vector[int]) -> int:
    """The same without derived fields and legal actions, which need not be made yet.

    Args:
        game: of any content; it is not changed.
        found: int64 (DETAILS,), for what the invariant's name says in brackets.
    """
    fault = _check_round(game, found)
    if fault == 0:
        fault = _check_ranges(game, found)
    if fault == 0:
        fresh = np.zeros(1, state.GAME)
        fresh[0] = game
        state.rebuild_derived(fresh[0])
        fault = _check_facts(fresh[0], found)
    return fault


@jit
def _is_stale(game: Record) -> bool:
    fresh = np.zeros(1, state.GAME)
    fresh[0] = game
    right = fresh[0]
    state.rebuild_derived(right)
    same = right.free_cells == game.free_cells
    for project in range(t.NUM_PROJECT_TYPES):
        same = same and right.free_builds[project] == game.free_builds[project]
        same = same and right.free_mismatches[project] == game.free_mismatches[project]
    for seat in range(state.SEATS):
        for action in range(t.NUM_ACTION_TYPES):
            same = same and right.spaces_of_type[seat, action] == game.spaces_of_type[seat, action]
        same = same and right.active_at[seat] == game.active_at[seat]
        same = same and right.inactive_at[seat] == game.inactive_at[seat]
        same = same and right.empty_spaces[seat] == game.empty_spaces[seat] and right.owned[seat] == game.owned[seat]
    return not same


@jit
def _say(found: Vector[int], fault: int, first: int, second: int, third: int) -> int:
    """Note the details of a fault."""
    found[0] = first
    found[1] = second
    found[2] = third
    return fault


# ---------------------------------------------------------------- phases
@jit
def in_round(game: Record) -> bool:
    """Whether set-up is over."""
    return game.round_number > 0


@jit
def _only_in_set_up(phase: int) -> bool:
    return _before_panels(phase) or phase == state.PANELS or phase == state.SETUP_MOVES or phase == state.SECRET


@jit
def _before_panels(phase: int) -> bool:
    return _before_housing(phase) or phase == state.HOUSING or phase == state.RESERVE


@jit
def _before_housing(phase: int) -> bool:
    return phase == state.SHEET or phase == state.SIDES


@jit
def in_turn(game: Record) -> bool:
    """Whether a seat's turn is going on; destinations are also of set-up, levels of income of events."""
    phase = game.phase
    if phase == state.LEVEL:
        return game.action != NONE
    return in_round(game) and (
        phase == state.TURN or phase == state.DESTINATION or phase == state.LOBBY_TURN or phase == state.SITE
        or phase == state.PROPERTY or phase == state.CHARITY or phase == state.RELOCATION or phase == state.HALVES
    )  # fmt: skip


@jit
def in_income(game: Record) -> bool:
    """Whether an income event is going on."""
    phase = game.phase
    if phase == state.LEVEL:
        return game.action == NONE
    return (
        phase == state.RECOVER or phase == state.LOBBY_RECOVER or phase == state.RESEARCH
        or phase == state.TAB_INCOME or phase == state.LOBBY_TAB
    )  # fmt: skip


# ---------------------------------------------------------------- round, phase, whose decision
_ALL_MODULES = (1 << len(MODULES)) - 1


@jit
def _check_round(game: Record, found: Vector[int]) -> int:
    """Looks at what all else hangs on; nothing here is an index before its range was tested."""
    phase, number, players = game.phase, game.round_number, game.num_players
    if not (1 <= players <= state.SEATS and 0 <= game.modules <= _ALL_MODULES):
        return RANGE
    if not (0 <= phase < state.START_ROUND and 0 <= number <= t.ROUNDS and 0 <= game.first_player < state.SEATS):
        return RANGE
    if (game.difficulty != NONE) != (players == 1) or not NONE <= game.difficulty < len(t.DIFFICULTIES):
        return RANGE
    if _only_in_set_up(phase):
        right = number == 0
    elif phase == state.OVER:
        right = number == t.ROUNDS
    else:
        right = number >= 1 or phase == state.DESTINATION or phase == state.ACTIVATION
    if not right:
        return ROUND
    passed = timeline.rounds_played(game)
    stays = game.first_player == passed % players or game.modules & state.NEW_START != 0
    if not stays or game.first_player >= players:
        return _say(found, FIRST_PLAYER, passed, 0, 0)
    if phase == state.OVER:
        return TO_PLAY if game.to_play != NONE else 0
    return 0 if 0 <= game.to_play < players else TO_PLAY


@jit
def _within(values: Vector[int], least: int, most: int) -> bool:
    for value in values:
        if not least <= value <= most:
            return False
    return True


@jit
def _check_ranges(game: Record, found: Vector[int]) -> int:
    right = _turn_within(game) and _board_within(game)
    for seat in range(state.SEATS):
        right = right and _company_within(game, seat)
    right = right and _within(game.track[ANDREW], 0, transport.LAST_SPACE) and 0 <= game.disks[ANDREW] <= t.ANDREW_DISKS
    return 0 if right else RANGE


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


# ---------------------------------------------------------------- all the rest
@jit
def _check_facts(game: Record, found: Vector[int]) -> int:
    """Every field is within its range, derived fields are right."""
    fault = _check_timeline_tiles(game, found)
    if fault == 0:
        fault = _check_timeline(game, found)
    if fault == 0:
        fault = _check_tiles(game, found)
    if fault == 0:
        fault = _check_owners(game, found)
    if fault == 0:
        fault = _check_donations(game, found)
    for seat in range(game.num_players):
        if fault == 0:
            fault = _check_company(game, seat, found)
    if fault == 0:
        fault = _check_tracks(game, found)
    if fault == 0:
        fault = _check_action_choice(game, found)
    if fault == 0 and game.difficulty != NONE:
        fault = _check_andrew(game, found)
    if fault == 0:
        fault = _check_hand(game, found)
    if fault == 0 and in_turn(game):
        fault = _check_turn(game, found)
    if fault == 0:
        fault = _check_phase(game, found)
    if fault == 0:
        fault = _check_modules(game, found)
    return fault


# ---------------------------------------------------------------- timeline
@jit
def _check_timeline_tiles(game: Record, found: Vector[int]) -> int:
    """The first four spaces of the rows are sides of four different tiles, the last is the End tile's."""
    for row in range(t.TIMELINE_ROWS):
        for space in range(t.END_SPACE):
            if (game.event_region[row, space] != NONE) == (game.event_donation[row, space] != 0):
                return _say(found, EVENT_SPACE, row, space, 0)
        if game.event_region[row, t.END_SPACE] != t.END_REGION[row] or not game.event_donation[row, t.END_SPACE]:
            return _say(found, END_TILE, row, 0, 0)
    fitting = np.zeros(t.TIMELINE_TILES_DEALT, np.int64)
    for k in range(t.TIMELINE_TILES_DEALT):
        for tile in range(t.TIMELINE_TILES.shape[0]):
            for side in range(t.TIMELINE_TILES.shape[1]):
                if _fits(game, k, tile, side):
                    fitting[k] |= bit(tile)
        if fitting[k] == 0:
            return _say(found, TIMELINE_TILE, k, 0, 0)
    return 0 if _can_differ(fitting) else TIMELINE_TWICE


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
def _check_timeline(game: Record, found: Vector[int]) -> int:
    passed, markers = timeline.rounds_played(game), int64(game.marker.sum())
    if markers != passed:
        return _say(found, MARKERS, markers, passed, 0)
    chosen = in_round(game) and game.phase != state.TIMELINE and game.phase != state.OVER
    if (game.chosen_row != NONE) != chosen:
        return _say(found, CHOSEN, 0, chosen, 0)
    if (game.advancing_row != NONE) != chosen:
        return _say(found, CHOSEN, 1, chosen, 0)
    if not chosen:
        return 0
    if timeline.is_andrews(game) and game.chosen_row != t.CARD_BACK[game.deck[game.round_number - 1]]:
        return ANDREW_ROW
    row = event.moving_row(game, game.chosen_row)
    return _say(found, ADVANCING, row, 0, 0) if game.advancing_row != row else 0


# ---------------------------------------------------------------- department tiles
@jit
def _check_tiles(game: Record, found: Vector[int]) -> int:
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
                return _say(found, TILE_TYPES, action, different, 0)
    total, in_play = 0, new_departments.tiles_in_play(game)
    for number in range(1, t.NUM_TILES + 1):
        most = new_departments.copies(game) if number <= new_departments.last_tile(game) else 0
        if count[number] > most:
            return _say(found, TILE_COPIES, number, count[number], most)
        total += count[number]
    return _say(found, TILES, total, in_play, 0) if total != in_play else 0


# ---------------------------------------------------------------- the board
@jit
def is_owner(game: Record, owner: int) -> bool:
    """Whether a disk can be of an owner: a seat in play, Andrew in solo, neutral."""
    return owner < game.num_players or (owner == ANDREW and game.difficulty != NONE) or owner == NEUTRAL


@jit
def _check_owners(game: Record, found: Vector[int]) -> int:
    for space in range(t.NUM_SPACES):
        if not is_owner(game, game.owner[space]):
            return _say(found, CITY_OWNER, space, game.owner[space], 0)
    for cell in range(t.NUM_DONATIONS):
        for owner in range(NEUTRAL + 1):
            if donations.has_disk(game, cell, owner) and not is_owner(game, owner):
                return _say(found, CELL_OWNER, cell, owner, 0)
    neutral = cities.disks_of(game, NEUTRAL) + donations.disks_of(game, NEUTRAL)
    if neutral > 0 and _before_housing(game.phase):  # ruling 3
        return _say(found, NEUTRAL_EARLY, neutral, 0, 0)
    most = t.NEUTRAL_DISKS[game.num_players]
    return _say(found, NEUTRAL_MOST, neutral, most, 0) if neutral > most else 0


@jit
def _check_donations(game: Record, found: Vector[int]) -> int:
    """A cell is taken once; further disks there are copies by Charitable Giving (ruling 26)."""
    for cell in range(t.NUM_DONATIONS):
        if donations.has_disk(game, cell, NEUTRAL) and game.donation[cell] != bit(NEUTRAL):
            return _say(found, CELL_NEUTRAL, cell, 0, 0)
        first = int64(NONE)
        for owner in range(ANDREW + 1):
            copied = owner != ANDREW and game.owned[owner] & bit(t.CHARITABLE_GIVING) != 0
            if donations.has_disk(game, cell, owner) and not copied:
                if first != NONE:
                    return _say(found, CELL_SHARED, cell, first, owner)
                first = int64(owner)
    for seat in range(game.num_players):
        made = donations.disks_of(game, seat)
        if game.donations_made[seat] != made:
            return _say(found, DONATIONS, seat, made, 0)
    return 0


# ---------------------------------------------------------------- a company
@jit
def _check_company(game: Record, seat: int, found: Vector[int]) -> int:
    fault = _check_employees(game, seat, found)
    if fault == 0:
        fault = _check_departments(game, seat, found)
    if fault == 0:
        fault = _check_tabs(game, seat, found)
    if fault == 0:
        fault = _check_disks(game, seat, found)
    if fault == 0:
        fault = _check_set_up(game, seat, found)
    return fault


@jit
def _check_employees(game: Record, seat: int, found: Vector[int]) -> int:
    employees = int64(game.reserve[seat]) + game.missions[seat].sum()
    employees += game.active[seat].sum() + game.inactive[seat].sum()
    if seat == game.to_play:
        employees += game.arrivals
    if employees != t.EMPLOYEES:
        return _say(found, EMPLOYEES, seat, employees, 0)
    for space in range(t.COMPANY_SPACES):
        if game.active[seat, space] > 0 and company.free_workstations(game, seat, space) < 0:
            return _say(found, WORKSTATIONS, seat, space, 0)
    return 0


@jit
def _check_departments(game: Record, seat: int, found: Vector[int]) -> int:
    built, owned = 0, int64(0)
    for space in range(t.COMPANY_SPACES):
        if t.START_DEPARTMENT[space] != 0 and game.department[seat, space] != t.START_DEPARTMENT[space]:
            return _say(found, PRINTED, seat, space, 0)
    for space in range(t.COMPANY_SPACES):
        code = game.department[seat, space]
        if code == 0:
            continue
        if owned & bit(code):
            return _say(found, DEPARTMENT_TWICE, seat, space, company.space_of(game, seat, code))
        owned |= bit(code)
        if built == 0 and company.is_tile(code):
            built = code
    if game.reserved[seat] > 0 and built > 0:  # ruling 5
        return _say(found, RESERVED_BUILT, seat, built, 0)
    if in_round(game) and game.reserved[seat] == 0 and built == 0:
        return _say(found, RESERVED_LOST, seat, 0, 0)
    return 0


@jit
def _check_tabs(game: Record, seat: int, found: Vector[int]) -> int:
    """Every project built was uncovered, and is a disk in a city: on a space of its type, or in a small city."""
    for project in range(t.NUM_PROJECT_TYPES):
        if game.tab_pulled[seat, project] > t.TAB_LENGTH[project]:
            return _say(found, TAB_LENGTH, seat, project, 0)
        if tabs.ready(game, seat, project) < 0:
            return _say(found, TAB_BUILT, seat, project, tabs.uncovered_projects(game, seat, project))
        if game.tab_side[seat, project] == NONE and not _before_housing(game.phase):
            return _say(found, TAB_SIDE, seat, project, 0)
    disks = cities.disks_of(game, seat)
    if disks != game.tab_built[seat].sum():
        return _say(found, PROJECTS, seat, disks, 0)
    for project in range(t.NUM_PROJECT_TYPES):  # but for Political Lobbying
        typed = cities.disks_on_type(game, seat, project)
        if typed > game.tab_built[seat, project] and not game.owned[seat] & bit(t.POLITICAL_LOBBYING):
            return _say(found, PROJECT_TYPES, seat, project, typed)
    return 0


@jit
def _check_disks(game: Record, seat: int, found: Vector[int]) -> int:
    disks = 1 + t.NUM_REGIONS + int64(game.disks[seat])  # for the score, the transport markers
    for project in range(t.NUM_PROJECT_TYPES):
        disks += tabs.ready(game, seat, project)
    disks += cities.disks_of(game, seat) + donations.disks_of(game, seat)
    return _say(found, DISKS, seat, disks, 0) if disks != t.DISKS else 0


@jit
def _check_set_up(game: Record, seat: int, found: Vector[int]) -> int:
    """Set-up's decisions go round the table in order (ruling 3), and nothing else happens before round 1."""
    if not _before_panels(game.phase) and cities.disks_on_type(game, seat, tabs.HOUSING) == 0:
        return _say(found, HOUSED, seat, 0, 0)
    if in_round(game):
        return 0
    for k in range(len(KEPT)):
        if not _is_kept(game, seat, k):
            return _say(found, STILL, seat, k, 0)
    own, now = company.place(game, seat), company.place(game, game.to_play)
    chosen, in_order = 0, True
    for project in range(t.NUM_PROJECT_TYPES):
        if game.tab_side[seat, project] != NONE:
            in_order = in_order and chosen == project
            chosen += 1
    most = t.NUM_PROJECT_TYPES
    if game.phase == state.SHEET:
        in_order = chosen == 0
    elif game.phase == state.SIDES:  # clockwise from the first player, tab by tab
        in_order = in_order and (chosen == most if own < now else chosen < most if own == now else chosen == 0)
    if not in_order:
        return _say(found, SIDES_ORDER, seat, chosen, 0)
    last = now if game.phase == state.HOUSING or game.phase == state.RESERVE else NONE  # counter-clockwise
    done = own > last and not _before_housing(game.phase)
    housed = done or (own == last and game.phase == state.RESERVE)
    if (game.tab_built[seat, tabs.HOUSING] > 0) != housed:
        return _say(found, HOUSING_ORDER, seat, housed, 0)
    return _say(found, RESERVED_ORDER, seat, done, 0) if (game.reserved[seat] > 0) != done else 0


@jit
def _is_kept(game: Record, seat: int, k: int) -> bool:
    """Whether the k-th of KEPT is as at the start."""
    if k == 0:
        return game.missions[seat].sum() == 0
    if k == 1:
        return game.track[seat].sum() == 0
    if k == 2:
        return game.tab_pulled[seat].sum() == 0 and game.tab_built[seat].sum() == min(
            game.tab_built[seat, tabs.HOUSING], 1
        )
    if k == 3:
        return game.donations_made[seat] == 0
    if k == 4:
        for space in range(t.COMPANY_SPACES):
            if game.department[seat, space] != t.START_DEPARTMENT[space]:
                return False
        return True
    if new_start.revealed(game):  # the sheet says the rest
        return True
    return game.reserve[seat] == t.START_RESERVE if k == 5 else game.vp[seat] == 0


# ---------------------------------------------------------------- between the companies
@jit
def _check_tracks(game: Record, found: Vector[int]) -> int:
    """A last space takes one marker, and those of the owners of Archives (ruling 46)."""
    for region in range(t.NUM_REGIONS):
        first = int64(NONE)
        for owner in range(ANDREW + 1):
            shares = owner != ANDREW and game.owned[owner] & bit(t.ARCHIVES) != 0
            if is_owner(game, owner) and transport.is_at_end(game, owner, region) and not shares:
                if first != NONE:
                    return _say(found, LAST_SPACE, region, first, owner)
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
def _check_action_choice(game: Record, found: Vector[int]) -> int:
    for seat in range(game.num_players):
        if game.action_tile[seat] and not was_dealt_choice(game, seat):
            return _say(found, ACTION_CHOICE, seat, _dealt_choices(game), 0)
    return 0


@jit
def _check_andrew(game: Record, found: Vector[int]) -> int:
    known, advanced = int64(0), 0
    for r in range(t.DECK_SIZE):
        if known & bit(game.deck[r]):
            return _say(found, CARD_TWICE, r, 0, 0)
        known |= bit(game.deck[r])
        advanced += t.CARD_ADVANCED[game.deck[r]]
    if advanced != t.DIFFICULTY_ADVANCED[game.difficulty]:
        return _say(found, ADVANCED_CARDS, advanced, 0, 0)
    if game.phase == state.TIMELINE:
        if timeline.is_andrews(game):
            return ANDREW_CHOOSES
        if game.card_place[game.round_number - 1] != 0:
            return _say(found, CARD_PLACE, game.round_number - 1, 0, 0)
    disks = int64(game.disks[ANDREW]) + cities.disks_of(game, ANDREW) + donations.disks_of(game, ANDREW)
    if disks != t.ANDREW_DISKS:
        return _say(found, ANDREW_DISKS, disks, 0, 0)
    if not in_round(game):
        if game.andrew_tiles.sum() > 0:
            return _say(found, ANDREW_EARLY, 0, 0, 0)
        if game.track[ANDREW].sum() > 0:
            return _say(found, ANDREW_EARLY, 1, 0, 0)
        if game.disks[ANDREW] != t.ANDREW_DISKS:
            return _say(found, ANDREW_EARLY, 2, 0, 0)
    return 0


# ---------------------------------------------------------------- what is in hand
@jit
def _held(found: Vector[int], fault: int, k: int, used: bool, may: bool, must: bool) -> int:
    """The fault so far, or what is wrong with the k-th of HAND: it is used and may not be, or must be and is not."""
    if fault == 0 and used and not may:
        return _say(found, NOT_IN_HAND, k, 0, 0)
    if fault == 0 and must and not used:
        return _say(found, IN_HAND, k, 0, 0)
    return fault


@jit
def _check_hand(game: Record, found: Vector[int]) -> int:
    """What belongs to a phase is there, the rest is empty."""
    phase, turn = game.phase, in_turn(game)
    destination = phase == state.DESTINATION
    set_up_moves = phase == state.SETUP_MOVES or (destination and not turn)
    relocating = phase == state.RELOCATION or (destination and game.relocations > 0)
    moving = set_up_moves or (destination and not relocating)
    using = (
        relocating or phase == state.SITE or phase == state.PROPERTY or phase == state.CHARITY or phase == state.HALVES
    )
    arriving = lobby.is_choice(phase) or (phase == state.LEVEL and not turn)
    earning = phase == state.LOBBY_RECOVER or phase == state.RESEARCH
    choosing = phase == state.TAB_INCOME or phase == state.LOBBY_TAB
    activating = phase == state.ACTIVATION and in_round(game)
    fault = _held(found, 0, 0, game.action != NONE, turn, turn)
    fault = _held(found, fault, 1, game.started != 0, turn, turn and phase != state.TURN)
    fault = _held(found, fault, 2, game.moves != 0, turn or set_up_moves, moving)
    fault = _held(found, fault, 3, game.research != 0, turn or earning, phase == state.RESEARCH)
    fault = _held(found, fault, 4, game.arrivals != 0, arriving, arriving)
    fault = _held(found, fault, 5, game.lifted != NONE, destination, destination)
    fault = _held(found, fault, 6, game.tile != 0, phase == state.SITE, phase == state.SITE)
    fault = _held(found, fault, 7, game.site != NONE, phase == state.PROPERTY, phase == state.PROPERTY)
    fault = _held(found, fault, 8, game.choice != NONE, choosing, choosing)
    fault = _held(found, fault, 9, game.department_in_use != NONE, turn, using)
    fault = _held(found, fault, 10, game.ready.sum() != 0, turn, False)
    fault = _held(found, fault, 11, game.diagonal_moves != 0, turn, False)
    fault = _held(found, fault, 12, game.relocations != 0, relocating and turn, relocating)
    fault = _held(found, fault, 13, game.projects != 0, phase == state.HALVES, phase == state.HALVES)
    fault = _held(found, fault, 14, game.level_region != NONE, phase == state.LEVEL, phase == state.LEVEL)
    fault = _held(found, fault, 15, game.payroll_activated != 0, activating, False)
    if fault == 0 and set_up_moves and game.moves > setup.setup_moves(game, game.to_play):
        return _say(found, SETUP_MOVES, setup.setup_moves(game, game.to_play), 0, 0)
    return fault


@jit
def _check_turn(game: Record, found: Vector[int]) -> int:
    """The turn's action type, the department in use, and who can still act."""
    seat, action, used = game.to_play, game.action, game.department_in_use
    if action != game.chosen_row:  # ruling 16
        spent = was_dealt_choice(game, seat) and not game.action_tile[seat] and seat != game.first_player
        if not spent or not game.started:
            return ACTION
    if game.moves and action != company.HUMAN_RESOURCES:
        return MOVES_OF
    if game.research and action != company.CONSTRUCTION and action != company.RESEARCH:
        return RESEARCH_OF
    if used != NONE and t.DEPARTMENT_TYPE[game.department[seat, used]] != action:
        return IN_USE_TYPE
    for space in range(t.COMPANY_SPACES):
        fault = _check_ready(game, space)
        if fault:
            return _say(found, fault, space, 0, 0)
    if (game.phase == state.SITE or game.phase == state.PROPERTY or game.phase == state.HALVES) and not _is_spent(game):
        return SPENT
    if not game.started and used != NONE:
        return STARTED
    return _check_diagonal(game, seat)


@jit
def _check_ready(game: Record, space: int) -> int:
    """Who can still act on a space (ruling 17): in a department not used yet all who are active, in one left nobody."""
    seat, ready, used = game.to_play, game.ready[space], game.department_in_use
    active = game.active[seat, space]
    if not game.spaces_of_type[seat, game.action] & bit(space):
        return READY_TYPE if ready else 0
    if ready > active:
        return READY_ACTIVE
    if ready != active and used == NONE:
        return READY_ALL
    return READY_SPLIT if 0 < ready < active and space != used else 0


@jit
def _is_spent(game: Record) -> bool:
    """Whether somebody in the department in use is: he has just used it without going on a mission."""
    used = game.department_in_use
    return game.ready[used] != game.active[game.to_play, used]


@jit
def _check_diagonal(game: Record, seat: int) -> int:
    """Corporate Communications works for the whole turn if somebody was active there when it began (ruling 42)."""
    moves = game.action == company.HUMAN_RESOURCES
    here = game.owned[seat] & bit(t.CORPORATE_COMMUNICATIONS) != 0
    active = company.works(game, seat, t.CORPORATE_COMMUNICATIONS)
    if game.diagonal_moves and not (moves and here):
        return DIAGONAL
    if game.diagonal_moves and not active and not game.started:
        return DIAGONAL_AT_START
    return DIAGONAL_MISSING if moves and active and not game.diagonal_moves else 0


@jit
def _check_phase(game: Record, found: Vector[int]) -> int:
    """What the phase itself says: there is an event for it, a piece in hand, somebody to take it."""
    phase, seat, region = game.phase, game.to_play, event.region(game) if game.advancing_row != NONE else NONE
    if phase == state.DONATION and not event.donation(game):
        return NO_DONATION
    if in_income(game) and region == NONE:
        return NO_REGION
    if phase == state.RECOVER and game.missions[seat, region] == 0:
        return _say(found, NOBODY_BACK, region, 0, 0)
    if phase == state.TIMELINE and seat != game.first_player:
        return CHOOSER
    if lobby.is_choice(phase) and not game.owned[seat] & bit(t.NEW_LOBBY):
        return NO_NEW_LOBBY
    if phase == state.DESTINATION:
        here = game.active[seat, game.lifted] if game.lifted_active else game.inactive[seat, game.lifted]
        if here == 0:
            return LIFTED
    if phase == state.TAB_INCOME or phase == state.LOBBY_TAB:
        return _check_income_choice(game, seat, found)
    in_use = int64(game.department[seat, game.department_in_use]) if game.department_in_use != NONE else int64(0)
    needed = 0
    if phase == state.SITE or phase == state.PROPERTY:
        needed = t.START_STRATEGIC_PLANNING
    elif phase == state.CHARITY:
        needed = t.CHARITABLE_GIVING
    if needed and in_use != needed:
        return _say(found, IN_USE, in_use, needed, 0)
    if phase == state.SITE:
        return _check_tile(game, seat, found)
    if phase == state.PROPERTY:
        if not company.is_tile(game.department[seat, game.site]) or game.active[seat, game.site]:
            return SITE
        if not company.works(game, seat, t.PROPERTY_MANAGEMENT):
            return NO_PROPERTY
    if phase == state.CHARITY or phase == state.DONATION:
        cost = donations.donation_cost(game, seat)
        if not company.can_pay(game, seat, cost, 0):
            return _say(found, DONATION_MONEY, cost, 0, 0)
        if game.disks[seat] == 0:
            return DONATION_DISK
    return 0


@jit
def _check_income_choice(game: Record, seat: int, found: Vector[int]) -> int:
    project, section = game.choice // t.TAB_SECTIONS, game.choice % t.TAB_SECTIONS
    choice = t.TAB_CHOICE[project, section]
    if choice == t.CHOICE_NONE or section >= game.tab_built[seat, project]:
        return _say(found, INCOME_CHOICE, project, section, 0)
    if game.phase == state.LOBBY_TAB and choice != t.CHOICE_EMPLOYEE_OR_MONEY:
        return _say(found, LOBBY_CHOICE, project, section, 0)
    return LOBBY_ARRIVALS if game.phase == state.LOBBY_TAB and game.arrivals != 1 else 0


@jit
def _check_tile(game: Record, seat: int, found: Vector[int]) -> int:
    """The tile in hand can be built."""
    if game.reserved[seat] and game.tile != game.reserved[seat]:
        return _say(found, TILE_RESERVED, game.reserved[seat], 0, 0)
    if not game.reserved[seat] and game.display[game.tile] == 0:
        return TILE_DISPLAY
    return TILE_OWNED if game.owned[seat] & bit(game.tile) else 0


# ---------------------------------------------------------------- modules of expansion 1
_NEW_TILES, _NEW_START, _NEW_DONATIONS, _SECRET_DONATION = (
    state.NEW_TILES, state.NEW_START, state.NEW_DONATIONS, state.SECRET_DONATION,
)  # fmt: skip


@jit
def module_of(phase: int) -> int:
    """Bits of the modules any of which brings a phase; 0 for a phase of the base game."""
    if phase == state.SHEET:
        return _NEW_START
    if phase == state.PANELS:
        return _NEW_DONATIONS
    if phase == state.SECRET:
        return _SECRET_DONATION
    return _NEW_TILES if phase == state.RELOCATION or phase == state.HALVES or phase == state.LEVEL else 0


@jit
def _check_modules(game: Record, found: Vector[int]) -> int:
    bits = module_of(game.phase)
    if bits and not game.modules & bits:
        return _say(found, MODULE_PHASE, bits, 0, 0)
    fault = _check_sheets(game, found)
    if fault == 0:
        fault = _check_panels(game, found)
    if fault == 0:
        fault = _check_secrets(game, found)
    if fault == 0 and game.waiting:
        if not game.modules & state.WAIT:
            return WAITING_OFF
        if not in_turn(game):
            return WAITING
    if fault == 0:
        fault = _check_new_departments(game, found)
    return fault


# ---- a new start
@jit
def least_vp(game: Record) -> int:
    """The least victory points that a company can have: what a sheet may cost; the rules take none from who has 0."""
    least = 0
    if new_start.revealed(game):
        for k in range(t.NEW_START_OFFERS.shape[1]):
            least = min(least, t.NEW_START_OFFERS[new_start.POINTS, k, t.OFFER_AMOUNT])
    return least


@jit
def _check_sheets(game: Record, found: Vector[int]) -> int:
    for seat in range(game.num_players):
        if game.vp[seat] < least_vp(game):
            return _say(found, LEAST_VP, seat, least_vp(game), 0)
        if not game.modules & state.NEW_START:
            if game.bid[seat] != NONE or game.sheet[seat].max() != NONE:
                return _say(found, MODULE_OFF, state.NEW_START, seat, 0)
    if not game.modules & state.NEW_START:
        return 0
    for seat in range(game.num_players):
        fault = _check_sheet(game, seat, found)
        if fault:
            return fault
    if game.phase == state.SHEET and game.first_player != 0:
        return SHEET_FIRST
    return _check_bids(game, found) if new_start.revealed(game) and game.num_players > 1 else 0


@jit
def _check_sheet(game: Record, seat: int, found: Vector[int]) -> int:
    if game.phase == state.SHEET:
        for k in range(len(START_KEPT)):
            if not _is_start(game, seat, k):
                return _say(found, SHEET_START, seat, k, 0)
    filled, bid = new_start.lines_filled(game, seat), int64(game.bid[seat])
    for line in range(filled, new_start.NUM_LINES):
        if game.sheet[seat, line] != NONE:
            return _say(found, SHEET_LINES, seat, 0, 0)
    if bid != NONE and (game.num_players == 1 or filled < new_start.NUM_LINES):
        return _say(found, SHEET_BID, seat, 0, 0)
    full = filled == new_start.NUM_LINES and (bid != NONE or game.num_players == 1)
    if game.phase == state.SHEET and seat >= game.to_play:
        if full or (seat > game.to_play and filled > 0):
            return _say(found, SHEET_EARLY, seat, 0, 0)
    elif not full:
        return _say(found, SHEET_EMPTY, seat, 0, 0)
    cost = new_start.cost(game, seat) + max(bid, 0)
    if cost + new_start.LEAST[filled] > t.NEW_START_BUDGET:
        return _say(found, SHEET_BUDGET, seat, cost, new_start.LEAST[filled])
    return 0


@jit
def _is_start(game: Record, seat: int, k: int) -> bool:
    """Whether the k-th of START_KEPT is the base game's start, which the reveal of the sheets replaces."""
    if k == 0:
        return game.money[seat] == t.START_MONEY
    if k == 1:
        return game.goods[seat] == t.START_GOODS
    for space in range(t.COMPANY_SPACES):
        code = t.START_DEPARTMENT[space]
        standing = 1 if code != 0 and code != t.LOBBY else 0
        lying = t.START_LOBBY if code == t.LOBBY else 0
        if game.active[seat, space] != standing or game.inactive[seat, space] != lying:
            return False
    return True


@jit
def _check_bids(game: Record, found: Vector[int]) -> int:
    """The first player of round 1 bid most; of equal bids his other lines cost most."""
    highest, first, best = int64(-1), 0, int64(0)
    for seat in range(game.num_players):
        value = new_start.rank(game, seat)
        if value > highest:
            highest, best = value, int64(0)
        if value == highest:
            best |= bit(seat)
        if timeline.first_place(game, seat) == 0:
            first = seat
    return _say(found, BIDS, first, best, 0) if not best & bit(first) else 0


# ---- new donations, the secret donation
@jit
def _check_panels(game: Record, found: Vector[int]) -> int:
    placed, covered = int64(0), 0
    for column in range(t.NUM_DONATION_COLUMNS):
        if game.panel[column] != NONE:
            if placed & bit(game.panel[column]):
                return _say(found, PANEL_TWICE, game.panel[column], 0, 0)
            placed |= bit(game.panel[column])
            covered += 1
    if covered and not game.modules & state.NEW_DONATIONS:
        return _say(found, MODULE_OFF, state.NEW_DONATIONS, 0, 0)
    most = int64(game.num_players)
    if _before_panels(game.phase):
        most = int64(0)
    elif game.phase == state.PANELS:
        most = int64(company.place(game, game.to_play))
    return _say(found, PANELS, covered, most, 0) if covered > most else 0


@jit
def _check_secrets(game: Record, found: Vector[int]) -> int:
    for seat in range(game.num_players):
        chosen = game.modules & state.SECRET_DONATION != 0 and in_round(game)
        if game.phase == state.SECRET:
            chosen = company.place(game, seat) < company.place(game, game.to_play)
        if (game.secret[seat] != NONE) != chosen:
            return _say(found, SECRET, seat, chosen, 0)
    return 0


# ---- new departments
@jit
def _check_new_departments(game: Record, found: Vector[int]) -> int:
    if game.phase == state.OVER:
        return 0
    seat = game.to_play
    in_use = int64(game.department[seat, game.department_in_use]) if game.department_in_use != NONE else int64(0)
    if game.relocations:
        most = new_departments.relocations(game, seat)
        if in_use != t.HR_ADMINISTRATION:
            return RELOCATIONS_OF
        if game.relocations > most:
            return _say(found, RELOCATIONS_MOST, most, 0, 0)
    if game.phase == state.HALVES:
        if not new_departments.has_halves(in_use):
            return _say(found, HALVES_OF, in_use, 0, 0)
        right = False
        for region in range(t.NUM_REGIONS):
            right = right or game.projects == cities.projects_in(game, seat, region)
        if not right:
            return HALVES_PROJECTS
    if game.phase == state.LEVEL:
        return _check_level(game, seat, found)
    if game.payroll_activated:
        here = company.space_of(game, seat, t.PAYROLL_MANAGEMENT)
        active = int64(game.active[seat, here]) if here != NONE else int64(0)
        if game.payroll_activated > active:
            return _say(found, PAYROLL, active, 0, 0)
    return 0


@jit
def _check_level(game: Record, seat: int, found: Vector[int]) -> int:
    region = game.level_region
    if not company.works(game, seat, t.ARCHIVES):
        return NO_ARCHIVES
    if game.track[seat, region] == 0:
        return LEVEL_START
    if not in_turn(game):
        return _say(found, LEVEL_EVENT, event.region(game), 0, 0) if region != event.region(game) else 0
    for space in range(t.NUM_SPACES):
        if game.owner[space] == seat and cities.region_of(space) == region and t.CITY_BONUS[t.SPACE_CITY[space]]:
            return LEVEL_TURN if game.action != company.CONSTRUCTION else 0
    return LEVEL_CITY
