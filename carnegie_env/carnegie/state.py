"""The record of one game: every field with its meaning, shape and unit.

A game is one element of a NumPy array of dtype :data:`GAME`: fixed size, no pointers. Copying a game is copying a
record, saving is bytes. Seats are numbered 0-3; row :data:`ANDREW` of ``track`` and ``disks`` is Andrew's. Fields from
``active_at`` on are derived from the facts above them and kept only for speed; :func:`rebuild_derived` makes them anew.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated as Field
from typing import get_type_hints

import numpy as np

from carnegie_env.carnegie import actions
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import BRING_NEW_TILES, MODULES
from carnegie_env.core.arrays import Matrix, Vector, Words, int64
from carnegie_env.core.jit import jit

SEATS = 4
ANDREW = 4  # owner code and row of Andrew
NEUTRAL = 5  # owner code of a neutral disk
NONE = -1  # no seat, no space, no region, no row

# What is being decided (docs/design.md, sections 1 and 8). The phases from START_ROUND on are steps the engine takes by
# itself.
PHASES = (
    "sides", "housing", "reserve", "setup_moves", "destination", "activation", "timeline", "recover", "lobby_recover",
    "research", "tab_income", "lobby_tab", "donation", "turn", "lobby_turn", "site", "property", "charity", "over",
    "sheet", "panels", "secret", "relocation", "halves", "level",
    "start_round", "next_income", "pay_tabs", "next_choice", "next_donation", "begin_turn",
)  # fmt: skip
(
    SIDES, HOUSING, RESERVE, SETUP_MOVES, DESTINATION, ACTIVATION, TIMELINE, RECOVER, LOBBY_RECOVER,
    RESEARCH, TAB_INCOME, LOBBY_TAB, DONATION, TURN, LOBBY_TURN, SITE, PROPERTY, CHARITY, OVER,
    SHEET, PANELS, SECRET, RELOCATION, HALVES, LEVEL,
    START_ROUND, NEXT_INCOME, PAY_TABS, NEXT_CHOICE, NEXT_DONATION, BEGIN_TURN,
) = range(len(PHASES))  # fmt: skip


class Record:
    """One game, as the rules and type checkers see it: a ``numpy.record`` of dtype :data:`GAME`.

    The annotations are the fields: what the rules take it for; type, shape and meaning in the record.
    """

    # ---- the game
    rng: Field[
        np.uint64, "u8", (), "state of the random generator (used at set-up, for the next seed, and by play-outs)"
    ]
    decisions: Field[int, "i4", (), "decisions taken so far, forced ones not counted"]
    num_players: Field[int, "i1", (), "seats in play, 1-4; 1 = solo against Andrew"]
    difficulty: Field[int, "i1", (), "solo: position in tables.DIFFICULTIES; else -1"]
    tiles_in_rows: Field[int, "i1", (), "1 if the timeline tiles were dealt as rows (ruling 7)"]
    show_forced: Field[int, "i1", (), "1 if decisions with one legal action are handed out, too"]
    modules: Field[int, "i1", (), "bit set of options.MODULES: the modules of expansion 1 in play"]
    # ---- whose decision
    phase: Field[int, "i1", (), "position in PHASES"]
    to_play: Field[int, "i1", (), "seat that decides; -1 when the game is over"]
    round_number: Field[int, "i1", (), "0 in set-up, then 1-20"]
    first_player: Field[int, "i1", (), "seat of the first player"]
    chosen_row: Field[int, "i1", (), "timeline row chosen this round, -1 before the choice"]
    advancing_row: Field[
        int, "i1", (), "row whose marker advances at the end of the round (if the chosen has ended, another)"
    ]
    # ---- what is in hand
    action: Field[int, "i1", (), "action type of the turn going on, -1 outside turns"]
    started: Field[int, "i1", (), "1 once something was done in this turn"]
    moves: Field[int, "i2", (), "employee moves left"]
    research: Field[int, "i2", (), "research points left"]
    arrivals: Field[int, "i1", (), "employees about to enter a lobby"]
    lifted: Field[int, "i1", (), "company space of the employee being moved, -1 if none"]
    lifted_active: Field[int, "i1", (), "1 if that employee is active"]
    tile: Field[int, "i1", (), "department tile being built (phase site), 0 if none"]
    site: Field[int, "i1", (), "space just built on (phase property), -1 if none"]
    choice: Field[int, "i1", (), "tab income being chosen: tab * 4 + project section, -1 if none"]
    department_in_use: Field[int, "i1", (), "company space of the department in use, -1 if none"]
    ready: Field[
        Vector[int], "i1", (t.COMPANY_SPACES,), "employees that can still act in the turn, by space (ruling 17)"
    ]
    diagonal_moves: Field[
        int, "i1", (), "1 if moves of the turn may go diagonally (Corporate Communications, ruling 42)"
    ]
    waiting: Field[int, "i1", (), "1 while the first player waits for the others' turns (module wait)"]
    relocations: Field[int, "i1", (), "employees that HR Administration may still relocate"]
    projects: Field[int, "i1", (), "own projects in the region of the use whose halves are being chosen"]
    level_region: Field[
        int, "i1", (), "region of the transport income whose level is being chosen (Archives), -1 if none"
    ]
    payroll_activated: Field[
        int, "i1", (), "employees activated in Payroll Management in the seat's activation going on"
    ]
    # ---- companies, by seat
    money: Field[Vector[int], "i2", (SEATS,), "$"]
    goods: Field[Vector[int], "i2", (SEATS,), "goods cubes"]
    vp: Field[Vector[int], "i2", (SEATS,), "immediate victory points"]
    reserve: Field[Vector[int], "i1", (SEATS,), "employees that never entered the company"]
    missions: Field[Matrix[int], "i1", (SEATS, 4), "employees on a mission, by region"]
    active: Field[
        Matrix[int], "i1", (SEATS, t.COMPANY_SPACES), "active employees by space, the permanent one not counted"
    ]
    inactive: Field[Matrix[int], "i1", (SEATS, t.COMPANY_SPACES), "inactive employees by space"]
    department: Field[
        Matrix[int], "i1", (SEATS, t.COMPANY_SPACES), "department code by space (tables.DEPARTMENTS), 0 = empty space"
    ]
    reserved: Field[Vector[int], "i1", (SEATS,), "department tile chosen in set-up and not built yet, 0 if none"]
    tab_side: Field[Matrix[int], "i1", (SEATS, 4), "side of each project tab: 0 = a, 1 = b, -1 = not chosen yet"]
    tab_pulled: Field[Matrix[int], "i1", (SEATS, 4), "advances made on each tab; pulled + 1 sections are uncovered"]
    tab_built: Field[Matrix[int], "i1", (SEATS, 4), "projects built of each type"]
    track: Field[Matrix[int], "i1", (SEATS + 1, 4), "space of the transport marker by region, 0-4"]
    disks: Field[Vector[int], "i1", (SEATS + 1,), "disks in the reserve"]
    donations_made: Field[Vector[int], "i1", (SEATS,), "donations made, copies by Charitable Giving included"]
    action_tile: Field[Vector[int], "i1", (SEATS,), "1 if the seat holds an unused Action Choice tile"]
    sheet: Field[
        Matrix[int], "i1", (SEATS, len(t.NEW_START_LINES)), "choice on each line of the new start's sheet, -1 before it"
    ]
    bid: Field[Vector[int], "i1", (SEATS,), "bid on that sheet in $, -1 before it"]
    secret: Field[Vector[int], "i1", (SEATS,), "donation cell chosen secretly, -1 if none"]
    # ---- the board
    owner: Field[Vector[int], "i1", (t.NUM_SPACES,), "disk on each construction space: seat, ANDREW, NEUTRAL, or -1"]
    donation: Field[
        Vector[int], "i1", (len(t.DONATIONS),), "disks on each donation cell: bit set of seats, ANDREW, NEUTRAL"
    ]
    panel: Field[
        Vector[int], "i1", (len(t.DONATION_COLUMNS),),
        "new donation tile that covers each panel of the table, -1 if none"
    ]  # fmt: skip
    display: Field[Vector[int], "i1", (t.NUM_TILES + 1,), "copies of each department tile in the display, by number"]
    event_region: Field[Matrix[int], "i1", (4, 5), "mission region of each timeline space, -1 if none"]
    event_donation: Field[Matrix[int], "i1", (4, 5), "1 if the timeline space has a donation"]
    marker: Field[Vector[int], "i1", (4,), "timeline spaces passed by each action marker, 0-5"]
    # ---- Andrew
    deck: Field[Vector[int], "i1", (t.DECK_SIZE,), "card of each round, position in tables.CARDS"]
    card_place: Field[Vector[int], "i1", (t.DECK_SIZE,), "place in the VP row of each card drawn, 0-4"]
    andrew_tiles: Field[
        Vector[int], "i1", (t.NUM_TILES + 1,), "copies of each department tile that Andrew took, by number"
    ]
    # ---- derived, for speed
    active_at: Field[Vector[int], "i4", (SEATS,), "bit set of company spaces with an active employee"]
    inactive_at: Field[Vector[int], "i4", (SEATS,), "bit set of company spaces with an inactive employee"]
    spaces_of_type: Field[Matrix[int], "i4", (SEATS, 4), "bit set of company spaces with a department of each type"]
    empty_spaces: Field[Vector[int], "i4", (SEATS,), "bit set of company spaces without a department"]
    owned: Field[Vector[int], "i8", (SEATS,), "bit set of department codes in the company"]
    free_builds: Field[
        Vector[int], "i8", (4,), "by project type: bit j is set if build BUILD_START[type] + j has a free space"
    ]
    free_mismatches: Field[
        Vector[int], "i8", (4,), "by project type: bit j is set if MISMATCH_START[type] + j has a free space"
    ]
    free_cells: Field[int, "i4", (), "bit set of donation cells without a disk"]
    legal: Field[Words, "u8", (actions.WORDS,), "legal actions of the decision at hand, 64 to a word"]


# name, type, shape, meaning
FIELDS = tuple((name, *hint.__metadata__) for name, hint in get_type_hints(Record, include_extras=True).items())

# What is left to chance during play, by number (docs/design.md, section 2).
LOT_OF_EQUAL_BIDS, LOT_OF_NEUTRAL_DISKS = 1, 2

# Bits of the field `modules`.
NEW_START, NEW_DEPARTMENTS, NEW_DONATIONS, DIVERSE_SETUP, WAIT, SECRET_DONATION = (1 << k for k in range(len(MODULES)))

NEW_TILES = sum(1 << MODULES.index(name) for name in BRING_NEW_TILES)  # any of these brings new department tiles

GAME = np.dtype((np.record, np.dtype([(name, kind, shape) for name, kind, shape, _ in FIELDS], align=True)))
NAMES = tuple(name for name, *_ in FIELDS)
DERIVED = frozenset(NAMES[NAMES.index("active_at") :])


def fields(game: np.record) -> SimpleNamespace:
    """The fields of a record as plain attributes, ints and read-only views: reading them is several times faster."""
    return SimpleNamespace(**dict(zip(NAMES, game.item(), strict=True)))


@jit
def bit(index: int) -> int:
    """A 64-bit integer with the bit ``index`` set (the index may come from any small field)."""
    return int64(1) << int64(index)


@jit
def occupy(game: Record, space: int, owner: int) -> None:
    """Put a disk on a construction space."""
    game.owner[space] = owner
    for project in range(t.NUM_PROJECT_TYPES):
        build = t.SPACE_BUILD[space, project]
        if build >= 0:
            game.free_builds[project] &= ~bit(build - t.BUILD_START[project])
        mismatch = t.SPACE_MISMATCH[space, project]
        if mismatch >= 0:
            game.free_mismatches[project] &= ~bit(mismatch - t.MISMATCH_START[project])


@jit
def left_most_free_space(game: Record, city: int) -> int:
    """The first free space of a city's list, -1 if the city is full."""
    for space in range(t.CITY_FIRST_SPACE[city], t.CITY_FIRST_SPACE[city + 1]):
        if game.owner[space] == NONE:
            return space
    return NONE


@jit
def add_donation(game: Record, cell: int, owner: int) -> None:
    """Put a disk on a donation cell."""
    game.donation[cell] |= bit(owner)
    game.free_cells &= ~bit(cell)


@jit
def add_department(game: Record, seat: int, space: int, code: int) -> None:
    """Put a department on a company space."""
    game.department[seat, space] = code
    game.empty_spaces[seat] &= ~bit(space)
    game.owned[seat] |= bit(code)
    action = t.DEPARTMENT_TYPE[code]
    if action >= 0:
        game.spaces_of_type[seat, action] |= bit(space)


@jit
def rebuild_derived(game: Record) -> None:
    """Make all derived fields but ``legal`` anew from the facts."""
    for seat in range(SEATS):
        game.active_at[seat] = 0
        game.inactive_at[seat] = 0
        game.owned[seat] = 0
        game.empty_spaces[seat] = bit(t.COMPANY_SPACES) - 1
        for action in range(t.NUM_ACTION_TYPES):
            game.spaces_of_type[seat, action] = 0
        for space in range(t.COMPANY_SPACES):
            if game.active[seat, space] > 0:
                game.active_at[seat] |= bit(space)
            if game.inactive[seat, space] > 0:
                game.inactive_at[seat] |= bit(space)
            if game.department[seat, space] > 0:
                add_department(game, seat, space, game.department[seat, space])
    for project in range(t.NUM_PROJECT_TYPES):
        game.free_builds[project] = bit(t.BUILD_START[project + 1] - t.BUILD_START[project]) - 1
        game.free_mismatches[project] = bit(t.MISMATCH_START[project + 1] - t.MISMATCH_START[project]) - 1
    for space in range(t.NUM_SPACES):
        if game.owner[space] != NONE:
            occupy(game, space, game.owner[space])
    game.free_cells = 0
    for cell in range(len(t.DONATIONS)):
        if game.donation[cell] == 0:
            game.free_cells |= bit(cell)
