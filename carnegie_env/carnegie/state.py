"""The record of one game: every field with its meaning, shape and unit.

A game is one element of a NumPy array of dtype :data:`GAME`: fixed size, no pointers. Seats are numbered 0-3; row
:data:`ANDREW` of ``track`` and ``disks`` is Andrew's. Derived fields exist only for speed; :func:`rebuild_derived`
makes them from the others.
"""

from __future__ import annotations

from typing import Annotated as Field

import numpy as np

from carnegie_env.carnegie import actions
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import BRING_NEW_TILES, MODULES, TIMELINE_TILES, Options
from carnegie_env.core.arrays import Matrix, Vector, Words, int64
from carnegie_env.core.fields import FLAG, Axis, Fields, Kind
from carnegie_env.core.jit import jit

SEATS = 4
ANDREW = 4  # owner code and row of Andrew
NEUTRAL = 5  # owner code of a neutral disk
NONE = -1  # no seat, no space, no region, no row

# The decision at hand (docs/design.md, sections 1 and 8). Phases from START_ROUND on are steps of the engine.
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


# ---- names in positions
OWNERS = (*(f"player_{seat}" for seat in range(SEATS)), "andrew", "neutral")  # by owner code
SIDE_NAMES = ("a", "b")  # of project tabs
STATES = ("inactive", "active")

# ---- the axes of fields
SEAT = Axis("seat", SEATS, length="num_players")
SIDE = Axis("seat", SEATS + 1, length="num_players")  # the last: Andrew
SPACE, REGION, PROJECT = Axis("space", t.SPACE_IDS), Axis("region", t.REGIONS), Axis("project", t.PROJECTS)
ROW, EVENT_SPACE = Axis("row", t.ACTION_TYPES), Axis("event_space", t.TIMELINE_SPACES)
CITY, CELL, COLUMN = Axis("city", t.CITIES), Axis("cell", t.DONATIONS), Axis("column", t.DONATION_COLUMNS)
CITY_SPACE = Axis("city_space", t.NUM_SPACES, inside=(CITY, t.CITY_FIRST_SPACE.tolist()))
TILE, LINE = Axis("tile", t.DEPARTMENTS[: t.NUM_TILES + 1]), Axis("line", t.NEW_START_LINES)
CARD, DRAWN = Axis("card", t.DECK_SIZE), Axis("drawn", t.DECK_SIZE, length="round_number")
OWNER, MODULE, DONATION_EVENT = Axis("owner", OWNERS), Axis("module", MODULES), Axis("event", ("donation",))

LARGEST = 10_000  # $, goods and VP in a position that is read: far more than in any game, but within int16
LARGEST_POOL = 1000  # moves and research points
_MOST_RELOCATIONS = t.COMPANY_SPACES * int(t.EFFECT[t.HR_ADMINISTRATION, t.EFFECT_RELOCATIONS])
_NO_TILE = tuple(t.LOBBY if space == t.LOBBY_SPACE else 0 for space in range(t.COMPANY_SPACES))
_AMOUNTS = tuple(map(tuple, t.NEW_START_OFFERS[:, :, t.OFFER_AMOUNT].tolist()))  # by line of the sheet
_PANELS = tuple(t.FACTS.expansion.new_donations.panels)


class Record:
    """One game, as the rules and type checkers see it: a ``numpy.record`` of dtype :data:`GAME`."""

    # ---- the game
    rng: Field[
        np.uint64, Kind("u8", most=2**64 - 1, visible_to="none"),
        "state of the random generator (used at set-up, for the next seed, and by play-outs)",
    ]  # fmt: skip
    decisions: Field[int, Kind("i4", most=2**30), "decisions taken so far, forced ones not counted"]
    num_players: Field[int, Kind("i1", least=1, most=SEATS), "seats in play; 1 = solo against Andrew"]
    difficulty: Field[int, Kind("i1", names=t.DIFFICULTIES, null=NONE, at="options.difficulty"), "solo: of Andrew"]
    tiles_in_rows: Field[
        int, Kind("i1", names=TIMELINE_TILES, at="options.timeline_tiles"), "how timeline tiles were dealt (ruling 7)"
    ]
    show_forced: Field[int, Kind("i1", most=1), "1 if forced decisions are presented to the player"]
    modules: Field[int, Kind("i1", bits=MODULE, at="options.{module}"), "modules of expansion 1 in play"]
    # ---- whose decision
    phase: Field[int, Kind("i1", names=PHASES[:START_ROUND]), "what is being decided"]
    to_play: Field[int, Kind("i1", seat=True, null=NONE), "seat that decides; -1 when the game is over"]
    round_number: Field[int, Kind("i1", most=t.ROUNDS, at="round"), "0 in set-up, then 1-20"]
    first_player: Field[int, Kind("i1", seat=True), "seat of the first player"]
    chosen_row: Field[
        int, Kind("i1", names=t.ACTION_TYPES, null=NONE, at="timeline.chosen"), "timeline row chosen this round"
    ]
    advancing_row: Field[
        int, Kind("i1", names=t.ACTION_TYPES, null=NONE, at="timeline.advancing"),
        "row whose marker advances at the end of the round (if the chosen has ended, another)",
    ]  # fmt: skip
    # ---- what is in hand
    action: Field[
        int, Kind("i1", names=t.ACTION_TYPES, null=NONE, at="turn.action"), "action type of the turn, -1 outside turns"
    ]
    started: Field[int, Kind("i1", names=FLAG, at="turn.started"), "1 once something was done in this turn"]
    moves: Field[int, Kind("i2", most=LARGEST_POOL, open_ended=True, at="turn.moves"), "employee moves left"]
    research: Field[int, Kind("i2", most=LARGEST_POOL, open_ended=True, at="turn.research"), "research points left"]
    arrivals: Field[int, Kind("i1", most=t.EMPLOYEES, at="turn.arrivals"), "employees about to enter a lobby"]
    lifted: Field[
        int, Kind("i1", names=t.SPACE_IDS, null=NONE, at="turn.lifted.space"), "space of the employee being moved"
    ]
    lifted_active: Field[int, Kind("i1", names=STATES, at="turn.lifted.state"), "1 if that employee is active"]
    tile: Field[int, Kind("i1", names=TILE.places, null=0, at="turn.tile"), "department tile being built (phase site)"]
    site: Field[int, Kind("i1", names=t.SPACE_IDS, null=NONE, at="turn.site"), "space just built on (phase property)"]
    choice: Field[
        int, Kind("i1", digits=(("project", t.PROJECTS), ("section", range(t.TAB_SECTIONS))), null=NONE,
                  at="turn.income_choice"),
        "tab income being chosen: tab * 4 + project section",
    ]  # fmt: skip
    department_in_use: Field[
        int, Kind("i1", names=t.SPACE_IDS, null=NONE, at="turn.department"), "company space of the department in use"
    ]
    ready: Field[
        Vector[int], Kind("i1", most=t.EMPLOYEES, shape=(SPACE,), at="turn.ready.{space?}"),
        "employees that can still act in the turn (ruling 17)",
    ]  # fmt: skip
    diagonal_moves: Field[
        int, Kind("i1", names=FLAG, at="turn.diagonal_moves"),
        "1 if moves of the turn may go diagonally (Corporate Communications, ruling 42)",
    ]  # fmt: skip
    waiting: Field[int, Kind("i1", names=FLAG), "1 while the first player waits for the others' turns (module wait)"]
    relocations: Field[
        int, Kind("i1", most=_MOST_RELOCATIONS, at="turn.relocations"),
        "employees that HR Administration may still relocate",
    ]  # fmt: skip
    projects: Field[
        int, Kind("i1", most=int(t.TAB_PROJECTS.sum()), at="turn.projects"),
        "own projects in the region of the use whose halves are being chosen",
    ]  # fmt: skip
    level_region: Field[
        int, Kind("i1", names=t.REGIONS, null=NONE, at="turn.level_region"),
        "region of the transport income whose level is being chosen (Archives)",
    ]  # fmt: skip
    payroll_activated: Field[
        int, Kind("i1", most=t.EMPLOYEES, at="turn.payroll_activated"),
        "employees activated in Payroll Management in the seat's activation going on",
    ]  # fmt: skip
    # ---- companies, by seat
    money: Field[Vector[int], Kind("i2", most=LARGEST, open_ended=True, shape=(SEAT,), at="companies[seat].money"), "$"]
    goods: Field[
        Vector[int], Kind("i2", most=LARGEST, open_ended=True, shape=(SEAT,), at="companies[seat].goods"), "goods cubes"
    ]
    vp: Field[
        Vector[int], Kind("i2", least=-LARGEST, most=LARGEST, open_ended=True, shape=(SEAT,), at="companies[seat].vp"),
        "immediate victory points",
    ]  # fmt: skip
    reserve: Field[
        Vector[int], Kind("i1", most=t.EMPLOYEES, shape=(SEAT,), at="companies[seat].reserve"),
        "employees that never entered the company",
    ]  # fmt: skip
    missions: Field[
        Matrix[int], Kind("i1", most=t.EMPLOYEES, shape=(SEAT, REGION), at="companies[seat].missions.{region}"),
        "employees on a mission",
    ]  # fmt: skip
    active: Field[
        Matrix[int], Kind("i1", most=t.EMPLOYEES, shape=(SEAT, SPACE), at="companies[seat].employees.{space?}.active"),
        "active employees, the permanent one not counted",
    ]  # fmt: skip
    inactive: Field[
        Matrix[int],
        Kind("i1", most=t.EMPLOYEES, shape=(SEAT, SPACE), at="companies[seat].employees.{space?}.inactive"),
        "inactive employees",
    ]  # fmt: skip
    department: Field[
        Matrix[int], Kind("i1", names=t.DEPARTMENTS[: t.LOBBY], most=t.LOBBY, shape=(SEAT, SPACE), default=_NO_TILE,
                          at="companies[seat].departments.{space?}"),
        "department (tables.DEPARTMENTS), 0 = empty space; the lobby is not written",
    ]  # fmt: skip
    reserved: Field[
        Vector[int], Kind("i1", names=TILE.places, null=0, shape=(SEAT,), at="companies[seat].reserved"),
        "department tile chosen in set-up and not built yet",
    ]  # fmt: skip
    tab_side: Field[
        Matrix[int], Kind("i1", names=SIDE_NAMES, null=NONE, shape=(SEAT, PROJECT),
                          at="companies[seat].tabs.{project}.side"),
        "side of each project tab, -1 = not chosen yet",
    ]  # fmt: skip
    tab_pulled: Field[
        Matrix[int], Kind("i1", most=int(t.TAB_LENGTH.max()), offset=1, shape=(SEAT, PROJECT),
                          at="companies[seat].tabs.{project}.uncovered"),
        "advances made on each tab; pulled + 1 sections are uncovered, and written",
    ]  # fmt: skip
    tab_built: Field[
        Matrix[int], Kind("i1", most=int(t.TAB_PROJECTS.max()), shape=(SEAT, PROJECT),
                          at="companies[seat].tabs.{project}.built"),
        "projects built of each type",
    ]  # fmt: skip
    track: Field[
        Matrix[int], Kind("i1", most=t.TRACK_SPACES - 1, shape=(SIDE, REGION),
                          at=("companies[seat].transport.{region}", "andrew.transport.{region}")),
        "space of the transport marker",
    ]  # fmt: skip
    disks: Field[
        Vector[int], Kind("i1", most=t.DISKS, shape=(SIDE,), at=("companies[seat].disks", "andrew.disks")),
        "disks in the reserve",
    ]  # fmt: skip
    donations_made: Field[
        Vector[int], Kind("i1", most=len(t.DONATIONS), shape=(SEAT,), at="companies[seat].donations_made"),
        "donations made, copies by Charitable Giving included",
    ]  # fmt: skip
    action_tile: Field[
        Vector[int], Kind("i1", names=FLAG, shape=(SEAT,), at="companies[seat].action_choice"),
        "1 if the seat holds an unused Action Choice tile",
    ]  # fmt: skip
    sheet: Field[
        Matrix[int], Kind("i1", names=_AMOUNTS, null=NONE, shape=(SEAT, LINE), at="companies[seat].sheet.{line}",
                          visible_to="owner"),
        "choice on each line of the new start's sheet, -1 before it",
    ]  # fmt: skip
    bid: Field[
        Vector[int], Kind("i1", most=t.LARGEST_BID, null=NONE, shape=(SEAT,), at="companies[seat].sheet.bid",
                          visible_to="owner"),
        "bid on that sheet in $, -1 before it",
    ]  # fmt: skip
    secret: Field[
        Vector[int], Kind("i1", names=t.DONATIONS, null=NONE, shape=(SEAT,), at="companies[seat].secret",
                          visible_to="owner"),
        "donation cell chosen secretly",
    ]  # fmt: skip
    # ---- the board
    owner: Field[
        Vector[int], Kind("i1", names=OWNERS, null=NONE, shape=(CITY_SPACE,), at="cities.{city}[city_space]"),
        "disk on each construction space: seat, ANDREW, NEUTRAL, or -1",
    ]  # fmt: skip
    donation: Field[
        Vector[int], Kind("i1", bits=OWNER, shape=(CELL,), at="donations.{cell?}[]"), "disks on each donation cell"
    ]
    panel: Field[
        Vector[int], Kind("i1", names=_PANELS, null=NONE, shape=(COLUMN,), at="panels.{column}"),
        "new donation tile that covers each panel of the table",
    ]  # fmt: skip
    display: Field[
        Vector[int], Kind("i1", most=t.TILE_COPIES, shape=(TILE,), at="display.{tile?}"),
        "copies of each department tile in the display",
    ]  # fmt: skip
    event_region: Field[
        Matrix[int], Kind("i1", names=t.REGIONS, null=NONE, shape=(ROW, EVENT_SPACE),
                          at="timeline.spaces.{row}[event_space][]"),
        "mission region of each timeline space",
    ]  # fmt: skip
    event_donation: Field[
        Matrix[int], Kind("i1", bits=DONATION_EVENT, shape=(ROW, EVENT_SPACE),
                          at="timeline.spaces.{row}[event_space][]"),
        "1 if the timeline space has a donation",
    ]  # fmt: skip
    marker: Field[
        Vector[int], Kind("i1", most=t.TIMELINE_SPACES, shape=(ROW,), at="timeline.markers.{row}"),
        "timeline spaces passed by each action marker",
    ]  # fmt: skip
    # ---- Andrew
    deck: Field[
        Vector[int], Kind("i1", names=t.CARDS, shape=(CARD,), at="andrew.deck[card]", visible_to="none"),
        "card of each round; the backs of two can be seen",
    ]  # fmt: skip
    card_place: Field[
        Vector[int], Kind("i1", most=len(t.ANDREW_VP_ROW) - 1, shape=(DRAWN,), at="andrew.places[drawn]"),
        "place in the VP row of each card drawn",
    ]  # fmt: skip
    andrew_tiles: Field[
        Vector[int], Kind("i1", most=t.TILE_COPIES, shape=(TILE,), at="andrew.departments.{tile?}"),
        "copies of each department tile that Andrew took",
    ]  # fmt: skip
    # ---- derived, for speed
    active_at: Field[Vector[int], Kind("i4", shape=(SEAT,), derived=True), "set of spaces with an active employee"]
    inactive_at: Field[Vector[int], Kind("i4", shape=(SEAT,), derived=True), "set of those with an inactive employee"]
    spaces_of_type: Field[
        Matrix[int], Kind("i4", shape=(SEAT, ROW), derived=True), "set of spaces with a department of each type"
    ]
    empty_spaces: Field[Vector[int], Kind("i4", shape=(SEAT,), derived=True), "set of spaces without a department"]
    owned: Field[Vector[int], Kind("i8", shape=(SEAT,), derived=True), "set of department codes in the company"]
    free_builds: Field[
        Vector[int], Kind("i8", shape=(PROJECT,), derived=True), "bit j: build BUILD_START[type] + j has a free space"
    ]
    free_mismatches: Field[
        Vector[int], Kind("i8", shape=(PROJECT,), derived=True),
        "bit j: build MISMATCH_START[type] + j has a free space",
    ]  # fmt: skip
    free_cells: Field[int, Kind("i4", derived=True), "set of donation cells without a disk"]
    legal: Words  # legal actions of the decision at hand, 64 to a word


# Chance during play: numbers of draws (docs/design.md, section 2).
LOT_OF_EQUAL_BIDS, LOT_OF_NEUTRAL_DISKS = 1, 2

# Bits of the field `modules`.
NEW_START, NEW_DEPARTMENTS, NEW_DONATIONS, DIVERSE_SETUP, WAIT, SECRET_DONATION = (1 << k for k in range(len(MODULES)))

NEW_TILES = sum(1 << MODULES.index(name) for name in BRING_NEW_TILES)  # modules that bring new department tiles

FIELDS = Fields(
    "carnegie", Record, Options, actions.TEXTS, version=2,
    order=(
        "rng", "decisions", "phase", "to_play", "round", "first_player", "timeline.spaces", "timeline.markers",
        "display", "cities", "donations", "companies[seat].money", "companies[seat].goods", "companies[seat].vp",
        "companies[seat].reserve", "companies[seat].disks", "companies[seat].donations_made", "panels", "waiting",
        "andrew.deck", "andrew.places", "andrew.departments",
    ),
    blocks={
        "andrew": "difficulty", "panels": "new_donations", "companies[seat].sheet": "new_start",
        "turn.lifted": "lifted",
    },
)  # fmt: skip
GAME = FIELDS.dtype
DERIVED = FIELDS.derived


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
    """Make all derived fields except ``legal``."""
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
