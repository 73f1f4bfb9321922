"""The component tables as the rules read them: frozen arrays and constants, made from facts/*.toml.

The rules read every number here (`CITY_POINTS[city]`, never a literal 3), except numbers that :func:`load_facts` does
not allow to change. Arrays are read-only, int64, and compiled into the rules as constants, so a changed table takes
effect in the next process. They are indexed by the first words of their names (CITY_POINTS[city], TRACK_COST[region,
space]), or as a comment in brackets says.

Names are codes (`codes`); `schema` defines the files, and `facts_checks` checks them. Sets are bit masks in an int64,
with at most 62 members.

The environment variable CARNEGIE_ENV_FACTS names a folder (or one .toml file) whose files replace the shipped files of
the same name. It is read once, when this module is imported.
"""

# ruff: noqa: F403, F405  # which names come from codes is known to mypy
from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from carnegie_env.carnegie import facts_checks, schema
from carnegie_env.carnegie.codes import *  # the rules read all names here
from carnegie_env.core import facts
from carnegie_env.core.arrays import IntTable
from carnegie_env.core.facts import frozen, keys, mask, padded

SHIPPED = Path(__file__).parent / "facts"
FILES = tuple(facts.files(schema.Facts))
DIFFICULTIES = schema.DIFFICULTIES
NEW_START_LINES = schema.NEW_START_LINES


def load_facts(path: str | os.PathLike[str] | None = None) -> schema.Facts:
    """Load and check all tables.

    Args:
        path: a folder, or one .toml file, that replaces the shipped files of the same name; None for the shipped files.

    Raises:
        ValueError: naming the file, the table and the value, and what would be right.
    """
    found = facts.load(schema.Facts, SHIPPED, path)
    facts_checks.check(found, found if path is None else _shipped())
    return found


@functools.cache
def _shipped() -> schema.Facts:
    return facts.load(schema.Facts, SHIPPED)


FACTS = load_facts(os.environ.get("CARNEGIE_ENV_FACTS") or None)


def _codes(known: Sequence[str], names: Iterable[str]) -> list[int]:
    return [known.index(name) for name in names]


def _gains(gain: schema.Gain) -> list[int]:
    """A gain in the columns MONEY, GOODS, ..."""
    return [getattr(gain, key) for key in keys(schema.Gain)]


# ---------------------------------------------------------------- cities and construction spaces
_CITIES = FACTS.board.city
CITIES = tuple(city.id for city in _CITIES)
NUM_CITIES = len(CITIES)
CITY_REGION = frozen(_codes(REGIONS, (city.region for city in _CITIES)))
CITY_POINTS = frozen([city.points for city in _CITIES])
CITY_SMALL = frozen([len(city.spaces) == SMALL for city in _CITIES])
CITY_MEDIUM = frozen([len(city.spaces) == MEDIUM for city in _CITIES])
CITY_BONUS = frozen([city.transport_bonus for city in _CITIES])
CITY_LINK_POINTS = frozen([city.link_points for city in _CITIES])
LARGE_CITIES = mask(c for c, city in enumerate(_CITIES) if city.link_points > 0)  # bit set
CITY_FIRST_SPACE = frozen(np.cumsum([0] + [len(city.spaces) for city in _CITIES]))
CITY_ADJACENT = frozen(
    [mask(CITIES.index(b if a == c else a) for a, b in FACTS.board.network.edges if c in (a, b)) for c in CITIES]
)

NUM_SPACES = int(CITY_FIRST_SPACE[-1])
SPACE_CITY = frozen([c for c, city in enumerate(_CITIES) for _ in city.spaces])
# By space: the city's bit and points, for loops without conditions that can be vectorized.
SPACE_CITY_BIT = frozen([1 << int(city) for city in SPACE_CITY])
SPACE_POINTS_OF_CITY = frozen(CITY_POINTS[SPACE_CITY])
SPACE_TYPE = frozen(_codes(SPACE_TYPES, (space for city in _CITIES for space in city.spaces)))

# Builds: every project type with every space that takes it, by type, then by space; equal spaces of a type and city are
# consecutive. Mismatches (expansion 1, Political Lobbying): every project type with every space of another type; they
# are numbered after the builds.
_Pairs = list[tuple[int, int]]  # of a project type and a construction space


def _pairs(fits: Callable[[int, int], bool]) -> _Pairs:
    pairs = [(t, s) for t in range(NUM_PROJECT_TYPES) for s in range(NUM_SPACES) if fits(t, SPACE_TYPE[s])]
    return sorted(pairs, key=_kind_of_space)  # stable: equal spaces stay in their order, the left-most first


def _kind_of_space(pair: tuple[int, int]) -> tuple[int, int, int]:
    kind, space = pair
    return kind, SPACE_CITY[space], SPACE_TYPE[space]


def _starts(pairs: _Pairs) -> IntTable:
    """The first pair of each project type, and the number of all pairs."""
    return frozen([sum(t < kind for t, _ in pairs) for kind in range(NUM_PROJECT_TYPES + 1)])


def _numbers(pairs: _Pairs) -> IntTable:
    """[space, project type]: the number of the pair, -1 if there is none."""
    numbers = {pair: number for number, pair in enumerate(pairs)}
    return frozen([[numbers.get((t, s), -1) for t in range(NUM_PROJECT_TYPES)] for s in range(NUM_SPACES)])


def _has_next(pairs: _Pairs) -> list[bool]:
    """For each pair whether the next one has an equal space: same project type, city and space type."""
    kinds = [*(_kind_of_space(pair) for pair in pairs), None]
    return [kind == after for kind, after in itertools.pairwise(kinds)]


def _marked(pairs: _Pairs, marks: Sequence[bool]) -> IntTable:
    """By project type: the mask of marked pairs, bit j for the j-th of the type."""
    starts = _starts(pairs)
    of_type = [[j - int(starts[t]) for j, (kind, _) in enumerate(pairs) if kind == t and marks[j]]
               for t in range(NUM_PROJECT_TYPES)]  # fmt: skip
    return frozen([mask(members) for members in of_type])


_BUILDS = _pairs(lambda kind, space_type: space_type in (kind, ANY))
NUM_BUILDS = len(_BUILDS)
BUILD_START = _starts(_BUILDS)
SPACE_BUILD = _numbers(_BUILDS)
# Bit j of type t: build BUILD_START[t] + j has an equal space in its city, which is the build after it.
BUILD_HAS_NEXT = _marked(_BUILDS, _has_next(_BUILDS))
BUILD_SMALL_MASK = _marked(_BUILDS, [SPACE_TYPE[s] == ANY for _, s in _BUILDS])

_MISMATCHES = _pairs(lambda kind, space_type: space_type not in (kind, ANY))
NUM_MISMATCHES = len(_MISMATCHES)
MISMATCH_START = _starts(_MISMATCHES)
SPACE_MISMATCH = _numbers(_MISMATCHES)
MISMATCH_HAS_NEXT = _marked(_MISMATCHES, _has_next(_MISMATCHES))

BUILD_TYPE = frozen([t for t, _ in _BUILDS + _MISMATCHES])
BUILD_SPACE = frozen([s for _, s in _BUILDS + _MISMATCHES])
_EQUAL_TO_LAST = [False, *_has_next(_BUILDS + _MISMATCHES)]


def _build_text(build: int) -> str:
    kind, space = int(BUILD_TYPE[build]), int(BUILD_SPACE[build])
    city = int(SPACE_CITY[space])
    text = f"build {PROJECTS[kind]} in {CITIES[city]}"
    if build >= NUM_BUILDS:
        text += f" on {PROJECTS[SPACE_TYPE[space]]}"
    return f"{text} space {space - CITY_FIRST_SPACE[city] + 1}" if _EQUAL_TO_LAST[build] else text


BUILD_TEXT = tuple(_build_text(build) for build in range(NUM_BUILDS))
MISMATCH_TEXT = tuple(_build_text(NUM_BUILDS + j) for j in range(NUM_MISMATCHES))
PROJECT_GOODS = frozen([getattr(FACTS.board.project, f"{name}_goods") for name in PROJECTS])

# ---------------------------------------------------------------- transport tracks and links
_TRACKS = sorted(FACTS.board.track, key=lambda track: REGIONS.index(track.region))
TRACK_COST = frozen([track.cost for track in _TRACKS])  # [region, space]: research points to leave the space
TRACK_LEVEL = frozen([_codes(LEVELS, track.level) for track in _TRACKS])
TRACK_INCOME = frozen([[_gains(gain) for gain in track.income] for track in _TRACKS])
TRACK_REWARD = frozen([_gains(track.first_reward) for track in _TRACKS])
# [link points, lowest level]: 0 and 1 earn nothing, 6 (with the Post Office) as much as 5
_LINK_ROWS = [[getattr(getattr(FACTS.board.links, f"points_{n}"), level) for level in LEVELS] for n in (2, 3, 4, 5, 5)]
LINK_VP = frozen([[0] * len(LEVELS)] * 2 + _LINK_ROWS)

# ---------------------------------------------------------------- departments, by code
_TILES = FACTS.departments.department
_STARTING = FACTS.company.starting_department
_DEPARTMENTS: list[schema.Department | schema.StartingDepartment] = [*_TILES, *_STARTING]  # codes 1-37
NUM_TILES = len(_TILES)
BASE_TILES = FACTS.departments.tiles.base
TILE_COPIES = FACTS.departments.tiles.copies
TILES_PER_TYPE = FACTS.departments.tiles.per_type
DEPARTMENTS = ("", *(d.id for d in _DEPARTMENTS), "lobby")
NUM_DEPARTMENTS = len(DEPARTMENTS)
NO_WORKSTATION = 1_000_000  # activation cost where there is none
DEPARTMENT_TYPE = frozen([-1, *_codes(ACTION_TYPES, (d.type for d in _DEPARTMENTS)), -1])
WORKSTATIONS = frozen([0, *(len(d.workstations) for d in _DEPARTMENTS), 0])
# [code, active employees]: $ to activate one more; one column more than workstations, so there is always a next
_COSTS = [sorted(d.workstations) for d in _DEPARTMENTS]
ACTIVATION_COST = padded([[], *_COSTS, []], MOST_WORKSTATIONS + 1, NO_WORKSTATION)
EXTRA_GOODS = frozen([0, *(d.extra_goods for d in _TILES), *(0 for _ in _STARTING), 0])
PERMANENT_EMPLOYEES = frozen([0, *(0 for _ in _TILES), *(d.permanent_employees for d in _STARTING), 0])
_EFFECTS = [{}, *(d.effect for d in _DEPARTMENTS), {}]
EFFECT = frozen([[effect.get(name, 0) for name in EFFECTS] for effect in _EFFECTS])  # [code, EFFECT_...]

# ---------------------------------------------------------------- the company board
_BOARD = FACTS.company.board
COMPANY_ROWS = _BOARD.rows
COMPANY_COLUMNS = _BOARD.columns
COMPANY_SPACES = COMPANY_ROWS * COMPANY_COLUMNS


def _space(cell: schema.Cell) -> int:
    return cell[0] * COMPANY_COLUMNS + cell[1]


_CELLS = [(row, column) for row in range(COMPANY_ROWS) for column in range(COMPANY_COLUMNS)]
_HIGHEST_STEPS = COMPANY_ROWS + COMPANY_COLUMNS - 2
SPACE_IDS = tuple(f"r{row}c{column}" for row, column in _CELLS)
LOBBY_SPACE = _space(_BOARD.lobby)
START_SPACE = frozen([_space(d.space) for d in _STARTING])
_PRINTED = {LOBBY_SPACE: LOBBY} | {_space(d.space): START_HUMAN_RESOURCES + i for i, d in enumerate(_STARTING)}
START_DEPARTMENT = frozen([_PRINTED.get(space, 0) for space in range(COMPANY_SPACES)])
SPACE_POINTS = frozen([_BOARD.row_points[row] for row, _ in _CELLS])
# Steps between spaces, and the other spaces within k steps: orthogonal, and (Corporate Communications) also diagonal.
DISTANCE = frozen([[abs(r - s) + abs(c - d) for s, d in _CELLS] for r, c in _CELLS])
DISTANCE_DIAGONAL = frozen([[max(abs(r - s), abs(c - d)) for s, d in _CELLS] for r, c in _CELLS])


def _reach(distance: IntTable) -> IntTable:
    """[space, k]: the mask of the other spaces within k steps."""
    rows = [[mask(b for b, steps in enumerate(row) if 0 < steps <= k) for k in range(_HIGHEST_STEPS + 1)]
            for row in distance.tolist()]  # fmt: skip
    return frozen(rows)


REACH = _reach(DISTANCE)
REACH_DIAGONAL = _reach(DISTANCE_DIAGONAL)

# ---------------------------------------------------------------- project tabs; sides 0 and 1 are a and b
_TABS = sorted(FACTS.company.tab, key=lambda tab: PROJECTS.index(tab.project))
TAB_GOODS = frozen([tab.goods for tab in _TABS])
TAB_STEP_COST = frozen([tab.step_cost for tab in _TABS])
TAB_BLANK = frozen([tab.blank_sections for tab in _TABS])
TAB_PROJECTS = frozen([tab.project_sections for tab in _TABS])
TAB_VP_SECTIONS = frozen([len(tab.side_a_points) for tab in _TABS])
TAB_LENGTH = frozen(TAB_BLANK + TAB_PROJECTS + TAB_VP_SECTIONS - 1)  # advances from start to fully pulled
# [project type, side, VP sections uncovered], [project type, side]: what a fully pulled tab adds to a donation's limit
TAB_POINTS = frozen([[(0, *tab.side_a_points), (0, *tab.side_b_points)] for tab in _TABS])
TAB_LIMIT = frozen([(0, tab.side_b_donation_limit) for tab in _TABS])


def _choice(section: schema.Section) -> int:
    if any(gain.employees for gain in section.choice):
        return CHOICE_EMPLOYEE_OR_MONEY
    return CHOICE_GOODS_OR_MONEY if section.choice else CHOICE_NONE


# The incomes, by project section: 0 is the first that holds a disk (a blank section is not counted).
_SECTIONS = [[*tab.income, *[schema.Section()] * (TAB_SECTIONS - len(tab.income))] for tab in _TABS]
TAB_INCOME = frozen([[_gains(section) for section in row] for row in _SECTIONS])
TAB_CHOICE = frozen([[_choice(section) for section in row] for row in _SECTIONS])
TAB_CHOICE_MONEY = frozen([[sum(gain.money for gain in section.choice) for section in row] for row in _SECTIONS])
TAB_CHOICE_GOODS = frozen([[sum(gain.goods for gain in section.choice) for section in row] for row in _SECTIONS])

# ---------------------------------------------------------------- the start of the game
_START = FACTS.company.start
START_MONEY = _START.money
START_GOODS = _START.goods
START_ACTIVE = _START.employees_active
START_LOBBY = _START.employees_lobby
START_RESERVE = _START.employees_reserve
START_DISKS = _START.disks_reserve
DISKS = _START.disks
EMPLOYEES = START_ACTIVE + START_LOBBY + START_RESERVE
SETUP_MOVES = _START.setup_moves
ROUNDS = _START.rounds
NEUTRAL_DISKS = frozen([0, *(getattr(_START.neutral_disks, key) for key in keys(schema.ByPlayers))])  # [players]
DEPARTMENTS_REMOVED = frozen([0, *(getattr(_START.departments_removed, key) for key in keys(schema.ByPlayers))])
_SEATS = {3: FACTS.company.action_choice.three_players, 4: FACTS.company.action_choice.four_players}
ACTION_CHOICE = frozen([[seat in _SEATS.get(players, ()) for seat in range(SEATS)] for players in range(SEATS + 1)])

# ---------------------------------------------------------------- timeline
# [tile, side, space]
TIMELINE_TILES = frozen([[_codes(EVENTS, s) for s in (tile.front, tile.back)] for tile in FACTS.timeline_tiles.tile])
END_REGION = frozen(_codes(REGIONS, (getattr(_START.end_tile, kind) for kind in ACTION_TYPES)))


# ---------------------------------------------------------------- donations
def _donation_argument(d: schema.Donation) -> int:
    """The count's additional value as one number: a mask of types, or a code of a region, city, row, column or cost."""
    if d.types is not None:
        known = ACTION_TYPES if d.count == "department_type" else PROJECTS
        return mask(_codes(known, d.types))
    if d.region is not None:
        return REGIONS.index(d.region)
    if d.city is not None:
        return CITIES.index(d.city)
    if d.of_column is not None:
        return DONATION_COLUMNS.index(d.of_column)
    return next((v for v in (d.company_row, d.company_column, d.least_cost) if v is not None), 0)


DONATION_LIMIT = FACTS.donations.rules.limit
DONATION_STEP = FACTS.donations.rules.cost_step

_PRINTED_CELLS = FACTS.donations.donation
_NEW_CELLS = FACTS.donations.new_donation  # expansion 1: five cells for each column's tile
_ALL_CELLS = [*_PRINTED_CELLS, *_NEW_CELLS]
DONATIONS = tuple(d.id for d in _PRINTED_CELLS)
NUM_DONATIONS = len(DONATIONS)  # cells of the donation table
NEW_DONATIONS = tuple(d.id for d in _NEW_CELLS)
DONATION_COLUMN = frozen(_codes(DONATION_COLUMNS, (d.column for d in _PRINTED_CELLS)))
DONATION_ROW = frozen([d.row - 1 for d in _PRINTED_CELLS])
# Rules that cells score by: 0-19 are those of the printed cells, 20-39 those of the tiles that may cover them.
RULE_COUNT = frozen(_codes(COUNTS, (d.count for d in _ALL_CELLS)))
RULE_VP = frozen([d.vp for d in _ALL_CELLS])
RULE_ARG = frozen([_donation_argument(d) for d in _ALL_CELLS])
RULE_PAY = frozen([(d.pay.money, d.pay.goods, d.pay.times) if d.pay else (0, 0, 0) for d in _ALL_CELLS])

# ---------------------------------------------------------------- Andrew
_CARDS = FACTS.andrew_cards.card
_ANDREW = FACTS.andrew_cards.andrew
CARDS = tuple(card.id for card in _CARDS)
NUM_CARDS = len(CARDS)
CARD_ADVANCED = frozen([card.advanced for card in _CARDS])
CARD_BACK = frozen(_codes(ACTION_TYPES, (card.back for card in _CARDS)))
CARDS_LIKE = frozen(  # [back, advanced]: bit set of the cards with that back; the last row is for any type
    [[mask(k for k, card in enumerate(_CARDS) if card.advanced == new and back in (None, card.back)) for new in (0, 1)]
     for back in (*ACTION_TYPES, None)]
)  # fmt: skip
CARD_DONATION = frozen(_codes(DONATIONS, (card.donation for card in _CARDS)))
CARD_SHIFT = frozen([card.shift for card in _CARDS])
CARD_NUM_DEPARTMENTS = frozen([len(card.departments) for card in _CARDS])
CARD_DEPARTMENTS = padded([_codes(ACTION_TYPES, card.departments) for card in _CARDS], MOST_CARD_DEPARTMENTS, -1)
CARD_NUM_CITIES = frozen([len(card.cities) for card in _CARDS])
CARD_CITIES = padded([_codes(CITIES, card.cities) for card in _CARDS], MOST_CARD_CITIES, -1)
CARD_REGION = frozen(_codes(REGIONS, (card.transport.region for card in _CARDS)))
CARD_STEPS = frozen([card.transport.steps for card in _CARDS])
ANDREW_VP_ROW = frozen(_ANDREW.vp_row)
ANDREW_DISKS = _ANDREW.disks
ANDREW_DEPARTMENT_VP = _ANDREW.department_vp
ANDREW_TRACK_VP = _ANDREW.track_vp
ANDREW_DONATION_LIMIT = _ANDREW.donation_limit
DIFFICULTY_ADVANCED = frozen([getattr(_ANDREW.difficulty, name) for name in DIFFICULTIES])
DECK_SIZE = _ANDREW.deck

# ---------------------------------------------------------------- scoring, and expansion 1's switches
ACTION_CHOICE_VP = FACTS.company.scoring.unused_action_choice
ACTIVE_EMPLOYEE_VP = FACTS.company.scoring.active_employee

SOLO_MODULES: dict[str, bool] = {name: getattr(FACTS.expansion.solo, name) for name in keys(schema.SoloModules)}
NEW_START_BUDGET = FACTS.expansion.new_start.budget
# [line of NEW_START_LINES, choice, (amount, cost)]
NEW_START_OFFERS = frozen(
    [[(o.amount, o.cost) for o in getattr(FACTS.expansion.new_start, line)] for line in NEW_START_LINES]
)
LARGEST_BID = int(NEW_START_BUDGET - NEW_START_OFFERS[:, :, OFFER_COST].min(axis=1).sum())
