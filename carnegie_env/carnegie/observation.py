"""The observation of a seat: a table of named features, and the writer; see :mod:`carnegie_env.core.layout`.

The observation is a flat float32 vector from the seat of one player, usually the one to move: first what all share
(phase, timeline, display), then what is in hand, the seat's own company, the others clockwise, Andrew (solo), and the
neutral disks (1-3 players). Every company has the same features in the same order, so a network can share weights. In
games with any module of expansion 1 the expansion's features follow, whichever modules are on.

The observation contains all public information except the history: the order in which Andrew's past cards were drawn,
and the number of decisions. It contains nothing hidden: of Andrew's deck the backs of the round's card and the next one
(ruling 32; during set-up of the first card), and the faces of past cards; of the sheets of a new start only the seat's
own until all are revealed; of secret donations only the seat's own until the end.
"""

from __future__ import annotations

import functools

import numpy as np

from carnegie_env.carnegie import state as s
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import MODULES
from carnegie_env.carnegie.rules import activation, andrew, company, donations, event, new_start, scoring, tabs
from carnegie_env.carnegie.state import Record
from carnegie_env.core.arrays import Vector, float32, int64
from carnegie_env.core.jit import jit
from carnegie_env.core.layout import Feature, Layout, factors, mark, mark_bits, mark_equal, numbers, put, size, starts

# ---------------------------------------------------------------- the table of features
_MOST = int(np.iinfo(np.int16).max)  # money, goods and victory points have no limit but the record's
_MOST_BYTE = int(np.iinfo(np.int8).max)
_PHASES = s.PHASES[: s.OVER + 1]  # those of the base game
_TILES = t.DEPARTMENTS[1 : t.BASE_TILES + 1]
_SITES = np.flatnonzero(t.START_DEPARTMENT == 0)  # the company spaces that may get a tile
_SITE_IDS = tuple(t.SPACE_IDS[space] for space in _SITES)
_TILE_TYPE = t.DEPARTMENT_TYPE[1 : t.NUM_TILES + 1]
# A tile's number among the tiles of its type, from 0 again for expansion 1's; with the type it identifies the tile.
_TILE_NUMBER = np.array(
    [0] + [int((_TILE_TYPE[i // t.BASE_TILES * t.BASE_TILES : i] == _TILE_TYPE[i]).sum()) for i in range(t.NUM_TILES)]
)
_TILE_NUMBERS = int(_TILE_NUMBER[: t.BASE_TILES + 1].max()) + 1
_NEW_TILE_NUMBERS = int(_TILE_NUMBER[t.BASE_TILES + 1 :].max()) + 1
_CITY_SPACES = tuple(
    f"{t.CITIES[c]} {space - t.CITY_FIRST_SPACE[c] + 1}" for space, c in enumerate(t.SPACE_CITY.tolist())
)
_PLACES = numbers(len(t.ANDREW_VP_ROW))
_COSTS = np.extract(t.ACTIVATION_COST < t.NO_WORKSTATION, t.ACTIVATION_COST)
_LONGEST_TAB = int(t.TAB_LENGTH.max())
_EVENTS = (*t.REGIONS, "donation")

GAME = (
    Feature("phase", "what is being decided", (_PHASES,)),
    Feature("round", "the round, 0 in set-up", most=t.ROUNDS, scale=t.ROUNDS),
    Feature("odd_round", "the round is odd (solo: the player chooses the timeline)"),
    Feature("timeline", "the events of every timeline space", (t.ACTION_TYPES, numbers(t.TIMELINE_SPACES, 1), _EVENTS)),
    Feature("marker", "spaces passed by the action marker of each row",
            (t.ACTION_TYPES, numbers(t.TIMELINE_SPACES + 1))),
    Feature("next_event", "the events if that row is chosen now (of the flipped row if it has ended)",
            (t.ACTION_TYPES, _EVENTS)),
    Feature("chosen_row", "the row chosen this round", (t.ACTION_TYPES,)),
    Feature("advancing_row", "the row that advances at the end of this round", (t.ACTION_TYPES,)),
    Feature("event", "the events of this round", (_EVENTS,)),
    Feature("display", "copies of each department tile in the display", (_TILES,), t.TILE_COPIES, t.TILE_COPIES),
)  # fmt: skip

TURN = (
    Feature("action", "the action type of the turn", (t.ACTION_TYPES,)),
    Feature("started", "something was done in this turn, so an Action Choice tile can't be spent"),
    Feature("moves", "employee moves left", most=_MOST, scale=8),
    Feature("research", "research points left", most=_MOST, scale=8),
    Feature("arrivals", "employees about to enter a lobby", most=t.EMPLOYEES, scale=5),
    Feature("lifted", "the space of the employee being moved", (t.SPACE_IDS,)),
    Feature("lifted_active", "that employee is active"),
    Feature("tile", "the department tile being built", (_TILES,)),
    Feature("site", "the space just built on, while Property Management may act", (t.SPACE_IDS,)),
    Feature(
        "income_choice", "the project section whose income is being chosen", (t.PROJECTS, numbers(t.TAB_SECTIONS, 1))
    ),
    Feature("department_in_use", "the space of the department in use", (t.SPACE_IDS,)),
    Feature("ready", "employees who can still act in this turn", (t.SPACE_IDS,), t.EMPLOYEES, 3),
)

OWN = (
    Feature("free_workstations", "workstations without an employee", (t.SPACE_IDS,), t.WORKSTATIONS.max(), 3),
    Feature("activation_cost", "$ for the cheapest of them, 0 if there is none", (t.SPACE_IDS,),
            max(1, _COSTS.max()), 5),
    Feature("donation_cost", "$ for the next donation", most=_MOST, scale=50),
    Feature("can_donate", "it can be paid, goods sold at $1 (ruling 14), and a disk is in the reserve"),
    Feature("donation_value", "while a cell is being chosen: VP it would score now (0: by payments at the end)",
            (t.DONATIONS,), t.DONATION_LIMIT + t.TAB_LIMIT.max(axis=1).sum(), t.DONATION_LIMIT),
)  # fmt: skip

COMPANY = (
    Feature("to_play", "is to decide"),
    Feature("first_player", "is the first player"),
    Feature("action_choice", "holds an unused Action Choice tile"),
    Feature("money", "$", most=_MOST, scale=50),
    Feature("goods", "goods cubes", most=_MOST, scale=10),
    Feature("vp", "immediate victory points", most=_MOST, scale=50),
    Feature("reserve", "employees that never entered the company", most=t.EMPLOYEES, scale=5),
    Feature("disks", "disks in the reserve", most=t.DISKS, scale=t.DISKS),
    Feature("donations_made", "donations made", most=_MOST_BYTE, scale=10),
    Feature("missions", "employees on a mission", (t.REGIONS,), t.EMPLOYEES, 5),
    Feature("active", "active employees", (t.SPACE_IDS,), t.EMPLOYEES, 3),
    Feature("inactive", "inactive employees", (t.SPACE_IDS,), t.EMPLOYEES, 5),
    Feature("site_type", "the type of the department built there", (_SITE_IDS, t.ACTION_TYPES)),
    Feature("site_number", "its number among the tiles of its type", (_SITE_IDS, numbers(_TILE_NUMBERS, 1))),
    Feature("tiles", "department tiles built", (_TILES,)),
    Feature("tile_active", "active employees in them", (_TILES,), t.EMPLOYEES, 3),
    Feature("reserved", "the tile chosen in set-up, not built yet", (_TILES,)),
    Feature("tab_side", "the side of each project tab", (t.PROJECTS, ("a", "b"))),
    Feature("tab_pulled", "advances of each tab", (t.PROJECTS,), _LONGEST_TAB, _LONGEST_TAB),
    Feature("tab_built", "projects built", (t.PROJECTS,), t.TAB_PROJECTS.max(), t.TAB_PROJECTS.max()),
    Feature("tab_open", "uncovered projects not built yet", (t.PROJECTS,), t.TAB_PROJECTS.max(), t.TAB_PROJECTS.max()),
    Feature("track", "the space of each transport marker", (t.REGIONS, numbers(t.TRACK_SPACES))),
    Feature("donations", "disks on the donation cells", (t.DONATIONS,)),
    Feature("cities", "disks on the construction spaces", (_CITY_SPACES,)),
)

ANDREW = (
    Feature("difficulty", "the game's difficulty", (t.DIFFICULTIES,)),
    Feature("card", "the back of this round's card", (t.ACTION_TYPES,)),
    Feature("card_advanced", "it is an advanced card"),
    Feature("next_card", "the back of the next card", (t.ACTION_TYPES,)),
    Feature("next_card_advanced", "it is an advanced card"),
    Feature("cards", "cards seen: place in the VP row + 1; 0 = not seen", (t.CARDS,), len(_PLACES), len(_PLACES)),
    Feature("places", "number of them on each place of the VP row", (_PLACES,), t.DECK_SIZE, 5),
    Feature("disks", "disks in Andrew's reserve", most=t.ANDREW_DISKS, scale=t.ANDREW_DISKS),
    Feature("tiles", "copies of each department tile that Andrew took", (_TILES,), t.TILE_COPIES, t.TILE_COPIES),
    Feature("track", "the space of each transport marker", (t.REGIONS, numbers(t.TRACK_SPACES))),
    Feature("donations", "disks on the donation cells", (t.DONATIONS,)),
    Feature("cities", "disks on the construction spaces", (_CITY_SPACES,)),
)

NEUTRAL = (
    Feature("donations", "neutral disks on the donation cells", (t.DONATIONS,)),
    Feature("cities", "neutral disks on the construction spaces", (_CITY_SPACES,)),
)

# ---- expansion 1, behind all of the above
_NEW_PHASES = s.PHASES[s.OVER + 1 : s.START_ROUND]
_NEW_TILES = t.DEPARTMENTS[t.BASE_TILES + 1 : t.NUM_TILES + 1]
_LINES = t.NEW_START_LINES

EXPANSION = (
    Feature("modules", "the modules in play", (MODULES,)),
    Feature("new_phase", "what is being decided, if a module brings it", (_NEW_PHASES,)),
    Feature("panels", "the tile on each panel of the donation table", (t.DONATION_COLUMNS, t.DONATION_COLUMNS)),
    Feature("new_display", "copies of each new department tile in the display", (_NEW_TILES,), t.TILE_COPIES,
            t.TILE_COPIES),
    Feature("new_tile", "the new department tile being built", (_NEW_TILES,)),
    Feature("waiting", "the first player waits for the others' turns, or plays after them"),
    Feature("diagonal_moves", "moves of this turn may go diagonally (Corporate Communications)"),
    Feature("relocations", "employees that HR Administration may still relocate", most=t.COMPANY_SPACES, scale=5),
    Feature("projects", "projects whose halves are being chosen", most=t.TAB_PROJECTS.sum(), scale=5),
    Feature("level_region", "the region of the income whose level is being chosen", (t.REGIONS,)),
    Feature("payroll_activated", "employees just activated in Payroll Management", most=t.EMPLOYEES, scale=3),
    Feature("secret", "the seat's own secret donation", (t.DONATIONS,)),
)  # fmt: skip

NEW_COMPANY = (
    Feature("sheet", "the choice on each line of the new start's sheet",
            (_LINES, numbers(t.NEW_START_OFFERS.shape[1], 1))),
    Feature("bid", "$ bid to be first player", most=t.LARGEST_BID, scale=t.LARGEST_BID),
    Feature("vp_below_zero", "victory points below 0", most=_MOST, scale=50),
    Feature("site_new_number", "the number of a new tile built there among the new tiles of its type",
            (_SITE_IDS, numbers(_NEW_TILE_NUMBERS, 1))),
    Feature("new_tiles", "new department tiles built", (_NEW_TILES,)),
    Feature("new_tile_active", "active employees in them", (_NEW_TILES,), t.EMPLOYEES, 3),
    Feature("new_reserved", "the new tile chosen in set-up, not built yet", (_NEW_TILES,)),
)  # fmt: skip

NEW_ANDREW = (
    Feature(
        "new_tiles", "copies of each new department tile that Andrew took", (_NEW_TILES,), t.TILE_COPIES, t.TILE_COPIES
    ),
)


# Where a section's features start: relative to the vector for the first three, to the block for the others.
_GAME, _GAME_BY = starts(GAME), factors(GAME)
_TURN, _TURN_BY = starts(TURN, size(GAME)), factors(TURN)
_OWN, _OWN_BY = starts(OWN, size(GAME + TURN)), factors(OWN)
_COMPANY, _COMPANY_BY = starts(COMPANY), factors(COMPANY)
_ANDREW, _ANDREW_BY = starts(ANDREW), factors(ANDREW)
_NEUTRAL = starts(NEUTRAL)
_EXPANSION, _EXPANSION_BY = starts(EXPANSION), factors(EXPANSION)
_NEW_COMPANY, _NEW_COMPANY_BY = starts(NEW_COMPANY), factors(NEW_COMPANY)
_NEW_ANDREW, _NEW_ANDREW_BY = starts(NEW_ANDREW), factors(NEW_ANDREW)
_EXPANSION_SIZE, _NEW_COMPANY_SIZE = size(EXPANSION), size(NEW_COMPANY)
_COMPANIES = size(GAME + TURN + OWN)
_COMPANY_SIZE, _ANDREW_SIZE, _NEUTRAL_SIZE = size(COMPANY), size(ANDREW), size(NEUTRAL)

SEAT_NAMES = ("own", "opponent1", "opponent2", "opponent3")


@functools.cache
def layout(num_players: int, expansion: bool = False) -> Layout:
    """The layout of the observation.

    Args:
        num_players: 1 (solo) to 4.
        expansion: whether a module of expansion 1 is on.
    """
    seats = SEAT_NAMES[:num_players]
    sections = [("", GAME), ("", TURN), ("", OWN)]
    sections += [(name, COMPANY) for name in seats]
    sections += [("andrew", ANDREW)] if num_players == 1 else []
    sections += [("neutral", NEUTRAL)] if t.NEUTRAL_DISKS[num_players] > 0 else []
    title = f"Carnegie, num_players={num_players}"
    if expansion:
        title += ", expansion"
        sections += [("", EXPANSION)]
        sections += [(name, NEW_COMPANY) for name in seats]
        sections += [("andrew", NEW_ANDREW)] if num_players == 1 else []
    return Layout(title, sections)


# ---------------------------------------------------------------- the writer
@jit
def _mark_event(game: Record, out: Vector[float], start: int, row: int) -> None:
    """Set the events of a row's next space; none if the row has ended."""
    mark(out, start, event.next_region(game, row))
    out[start + t.DONATION] = event.next_donation(game, row)


@jit
def _write_game(game: Record, out: Vector[float]) -> None:
    if game.phase <= s.OVER:
        mark(out, _GAME.phase, game.phase)
    out[_GAME.round] = float32(game.round_number) * _GAME_BY.round
    out[_GAME.odd_round] = game.round_number & 1
    for row in range(t.TIMELINE_ROWS):
        for space in range(t.TIMELINE_SPACES):
            start = _GAME.timeline + (row * t.TIMELINE_SPACES + space) * t.NUM_EVENTS
            mark(out, start, game.event_region[row, space])
            out[start + t.DONATION] = game.event_donation[row, space]
        mark(out, _GAME.marker + row * (t.TIMELINE_SPACES + 1), game.marker[row])
        _mark_event(game, out, _GAME.next_event + row * t.NUM_EVENTS, event.moving_row(game, row))
    mark(out, _GAME.chosen_row, game.chosen_row)
    mark(out, _GAME.advancing_row, game.advancing_row)
    if game.advancing_row >= 0:
        _mark_event(game, out, _GAME.event, game.advancing_row)
    put(out, _GAME.display, game.display[1 : t.BASE_TILES + 1], _GAME_BY.display)


@jit
def _write_turn(game: Record, out: Vector[float]) -> None:
    mark(out, _TURN.action, game.action)
    out[_TURN.started] = game.started
    out[_TURN.moves] = float32(game.moves) * _TURN_BY.moves
    out[_TURN.research] = float32(game.research) * _TURN_BY.research
    out[_TURN.arrivals] = float32(game.arrivals) * _TURN_BY.arrivals
    mark(out, _TURN.lifted, game.lifted)
    out[_TURN.lifted_active] = game.lifted_active
    if game.tile <= t.BASE_TILES:
        mark(out, _TURN.tile, game.tile - 1)
    mark(out, _TURN.site, game.site)
    mark(out, _TURN.income_choice, game.choice)
    mark(out, _TURN.department_in_use, game.department_in_use)
    put(out, _TURN.ready, game.ready, _TURN_BY.ready)


@jit
def _write_own(game: Record, seat: int, out: Vector[float]) -> None:
    for space in range(t.COMPANY_SPACES):
        free = company.free_workstations(game, seat, space)
        if free > 0:
            cost = activation.activation_cost(game, seat, space)
            out[_OWN.free_workstations + space] = float32(free) * _OWN_BY.free_workstations
            out[_OWN.activation_cost + space] = float32(cost) * _OWN_BY.activation_cost
    out[_OWN.donation_cost] = float32(donations.donation_cost(game, seat)) * _OWN_BY.donation_cost
    out[_OWN.can_donate] = donations.can_donate(game, seat)
    if game.to_play == seat and (game.phase == s.DONATION or game.phase == s.CHARITY or game.phase == s.SECRET):
        # too slow for every observation
        limit = scoring.donation_limit(game, seat)
        for cell in range(game.donation.shape[0]):
            points = scoring.donation_points(game, seat, cell, limit)
            out[_OWN.donation_value + cell] = float32(points) * _OWN_BY.donation_value


@jit
def _write_company(game: Record, seat: int, out: Vector[float], at: int) -> None:
    out[at + _COMPANY.to_play] = game.to_play == seat
    out[at + _COMPANY.first_player] = game.first_player == seat
    out[at + _COMPANY.action_choice] = game.action_tile[seat]
    out[at + _COMPANY.money] = float32(game.money[seat]) * _COMPANY_BY.money
    out[at + _COMPANY.goods] = float32(game.goods[seat]) * _COMPANY_BY.goods
    out[at + _COMPANY.vp] = float32(max(game.vp[seat], 0)) * _COMPANY_BY.vp
    out[at + _COMPANY.reserve] = float32(game.reserve[seat]) * _COMPANY_BY.reserve
    out[at + _COMPANY.disks] = float32(game.disks[seat]) * _COMPANY_BY.disks
    out[at + _COMPANY.donations_made] = float32(game.donations_made[seat]) * _COMPANY_BY.donations_made
    put(out, at + _COMPANY.missions, game.missions[seat], _COMPANY_BY.missions)
    put(out, at + _COMPANY.active, game.active[seat], _COMPANY_BY.active)
    put(out, at + _COMPANY.inactive, game.inactive[seat], _COMPANY_BY.inactive)
    _write_departments(game, seat, out, at)
    if game.reserved[seat] <= t.BASE_TILES:
        mark(out, at + _COMPANY.reserved, game.reserved[seat] - 1)
    for project in range(t.NUM_PROJECT_TYPES):
        mark(out, at + _COMPANY.tab_side + t.TAB_SIDES * project, game.tab_side[seat, project])
        out[at + _COMPANY.tab_open + project] = float32(tabs.ready(game, seat, project)) * _COMPANY_BY.tab_open
    for region in range(t.NUM_REGIONS):
        mark(out, at + _COMPANY.track + t.TRACK_SPACES * region, game.track[seat, region])
    put(out, at + _COMPANY.tab_pulled, game.tab_pulled[seat], _COMPANY_BY.tab_pulled)
    put(out, at + _COMPANY.tab_built, game.tab_built[seat], _COMPANY_BY.tab_built)
    _write_disks(game, seat, out, at + _COMPANY.donations, at + _COMPANY.cities)


@jit
def _write_departments(game: Record, seat: int, out: Vector[float], at: int) -> None:
    for i in range(_SITES.shape[0]):
        space = _SITES[i]
        tile = int64(game.department[seat, space])
        if tile > 0:
            out[at + _COMPANY.site_type + t.NUM_ACTION_TYPES * i + t.DEPARTMENT_TYPE[tile]] = 1
            if tile > t.BASE_TILES:
                continue
            out[at + _COMPANY.site_number + _TILE_NUMBERS * i + _TILE_NUMBER[tile]] = 1
            out[at + _COMPANY.tiles + tile - 1] = 1
            out[at + _COMPANY.tile_active + tile - 1] = float32(game.active[seat, space]) * _COMPANY_BY.tile_active


@jit
def _write_disks(game: Record, owner: int, out: Vector[float], at_donations: int, at_cities: int) -> None:
    part = out[at_donations : at_donations + game.donation.shape[0]]
    for cell in range(game.donation.shape[0]):
        part[cell] = donations.has_disk(game, cell, owner)
    mark_equal(out, at_cities, game.owner, owner)


@jit
def _write_andrew(game: Record, out: Vector[float], at: int) -> None:
    mark(out, at + _ANDREW.difficulty, game.difficulty)
    if game.round_number > 0:
        card = game.deck[game.round_number - 1]
        out[at + _ANDREW.card + t.CARD_BACK[card]] = 1
        out[at + _ANDREW.card_advanced] = t.CARD_ADVANCED[card]
    if game.round_number < t.DECK_SIZE:
        card = game.deck[game.round_number]
        out[at + _ANDREW.next_card + t.CARD_BACK[card]] = 1
        out[at + _ANDREW.next_card_advanced] = t.CARD_ADVANCED[card]
    for drawn in range(andrew.cards_turned_up(game)):
        place = int64(game.card_place[drawn])
        out[at + _ANDREW.cards + int64(game.deck[drawn])] = float32(place + 1) * _ANDREW_BY.cards
        out[at + _ANDREW.places + place] += _ANDREW_BY.places
    out[at + _ANDREW.disks] = float32(game.disks[s.ANDREW]) * _ANDREW_BY.disks
    put(out, at + _ANDREW.tiles, game.andrew_tiles[1 : t.BASE_TILES + 1], _ANDREW_BY.tiles)
    for region in range(t.NUM_REGIONS):
        mark(out, at + _ANDREW.track + t.TRACK_SPACES * region, game.track[s.ANDREW, region])
    _write_disks(game, s.ANDREW, out, at + _ANDREW.donations, at + _ANDREW.cities)


@jit
def _write_expansion(game: Record, seat: int, out: Vector[float], at: int) -> None:
    mark_bits(out, at + _EXPANSION.modules, int64(game.modules))
    if s.OVER < game.phase < s.START_ROUND:
        mark(out, at + _EXPANSION.new_phase, game.phase - s.SHEET)
    for column in range(t.NUM_DONATION_COLUMNS):
        mark(out, at + _EXPANSION.panels + t.NUM_DONATION_COLUMNS * column, game.panel[column])
    put(out, at + _EXPANSION.new_display, game.display[t.BASE_TILES + 1 :], _EXPANSION_BY.new_display)
    mark(out, at + _EXPANSION.new_tile, game.tile - 1 - t.BASE_TILES)
    out[at + _EXPANSION.waiting] = game.waiting
    out[at + _EXPANSION.diagonal_moves] = game.diagonal_moves
    out[at + _EXPANSION.relocations] = float32(game.relocations) * _EXPANSION_BY.relocations
    out[at + _EXPANSION.projects] = float32(game.projects) * _EXPANSION_BY.projects
    mark(out, at + _EXPANSION.level_region, game.level_region)
    out[at + _EXPANSION.payroll_activated] = float32(game.payroll_activated) * _EXPANSION_BY.payroll_activated
    mark(out, at + _EXPANSION.secret, game.secret[seat])
    at += _EXPANSION_SIZE
    players = int64(game.num_players)
    for i in range(players):
        _write_new_company(game, (seat + i) % players, i == 0 or new_start.revealed(game), out, at)
        at += _NEW_COMPANY_SIZE
    if players == 1:
        put(out, at + _NEW_ANDREW.new_tiles, game.andrew_tiles[t.BASE_TILES + 1 :], _NEW_ANDREW_BY.new_tiles)


@jit
def _write_new_company(game: Record, seat: int, sheet_is_open: bool, out: Vector[float], at: int) -> None:
    if sheet_is_open:
        for line in range(len(_LINES)):
            mark(out, at + _NEW_COMPANY.sheet + t.NEW_START_OFFERS.shape[1] * line, game.sheet[seat, line])
        out[at + _NEW_COMPANY.bid] = float32(max(game.bid[seat], 0)) * _NEW_COMPANY_BY.bid
    out[at + _NEW_COMPANY.vp_below_zero] = float32(max(-game.vp[seat], 0)) * _NEW_COMPANY_BY.vp_below_zero
    for i in range(_SITES.shape[0]):
        space = _SITES[i]
        tile = int64(game.department[seat, space])
        if tile > t.BASE_TILES:
            new = tile - 1 - t.BASE_TILES
            active = float32(game.active[seat, space]) * _NEW_COMPANY_BY.new_tile_active
            out[at + _NEW_COMPANY.site_new_number + _NEW_TILE_NUMBERS * i + _TILE_NUMBER[tile]] = 1
            out[at + _NEW_COMPANY.new_tiles + new] = 1
            out[at + _NEW_COMPANY.new_tile_active + new] = active
    mark(out, at + _NEW_COMPANY.new_reserved, game.reserved[seat] - 1 - t.BASE_TILES)


@jit
def write_observation(game: Record, seat: int, out: Vector[float]) -> None:
    """Write a seat's observation into `out`, float32 of the size of its layout; every number is set."""
    out[:] = 0
    _write_game(game, out)
    _write_turn(game, out)
    _write_own(game, seat, out)
    players = int64(game.num_players)
    at = _COMPANIES
    for i in range(players):
        _write_company(game, (seat + i) % players, out, at)
        at += _COMPANY_SIZE
    if players == 1:
        _write_andrew(game, out, at)
        at += _ANDREW_SIZE
    if t.NEUTRAL_DISKS[players] > 0:
        _write_disks(game, s.NEUTRAL, out, at + _NEUTRAL.donations, at + _NEUTRAL.cities)
        at += _NEUTRAL_SIZE
    if game.modules:
        _write_expansion(game, seat, out, at)
