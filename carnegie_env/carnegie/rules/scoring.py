"""Final scoring (rulebook part 2, chapter 5 and part 3, chapter 2; solo: part 4, chapter 3; rulings 25, 29, 30, 37).

A position can be scored at any time, as if the game ended now. Scores are an int64 array of shape (5, NUM_SCORES): a
row per seat, row 4 is Andrew's; the columns are the constants below. Andrew's cards are in IMMEDIATE, transport is in
LINKS. FINAL_EFFECTS (departments that count at the end) and SECRET (the secret donation) are 0 without expansion 1.
"""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import cities, company, donations, payments, tabs, transport
from carnegie_env.carnegie.state import ANDREW, Record, bit
from carnegie_env.core.arrays import Matrix, Vector, int64
from carnegie_env.core.jit import jit, popcount, trailing_zeros

(
    IMMEDIATE, ACTION_CHOICE, ACTIVE_EMPLOYEES, DEPARTMENTS, TABS, LINKS, CITIES, FINAL_EFFECTS, SECRET, DONATIONS,
) = range(10)  # fmt: skip
TOTAL = DONATIONS + t.NUM_DONATIONS
NUM_SCORES = TOTAL + 1
ALL_TYPES = (1 << t.NUM_ACTION_TYPES) - 1


@jit
def score(game: Record, out: Matrix[int]) -> None:
    """Write the scores of all seats and of Andrew."""
    out[:] = 0
    for seat in range(game.num_players):
        _score_seat(game, seat, out[seat])
    if game.difficulty != state.NONE:
        _score_andrew(game, out[ANDREW])
    _score_payments(game, out)
    for row in range(out.shape[0]):
        for column in range(TOTAL):
            out[row, TOTAL] += out[row, column]


@jit
def _score_seat(game: Record, seat: int, out: Vector[int]) -> None:
    out[IMMEDIATE] = game.vp[seat]
    out[ACTION_CHOICE] = game.action_tile[seat] * t.ACTION_CHOICE_VP
    out[ACTIVE_EMPLOYEES] = company.active_employees(game, seat) * t.ACTIVE_EMPLOYEE_VP
    for space in range(t.COMPANY_SPACES):
        if company.is_tile(game.department[seat, space]):
            out[DEPARTMENTS] += t.SPACE_POINTS[space]
    for project in range(t.NUM_PROJECT_TYPES):
        sections = tabs.vp_sections(game, seat, project)
        out[TABS] += t.TAB_POINTS[project, game.tab_side[seat, project], sections]
    _score_links(game, seat, out)
    out[CITIES] = cities.points_of(game, seat)
    limit = donation_limit(game, seat)
    cells = donations.cells_of(game, seat)
    while cells != 0:
        cell = trailing_zeros(cells)
        cells &= cells - 1
        out[DONATIONS + cell] = donation_points(game, seat, cell, limit)
    if game.secret[seat] != state.NONE:
        out[SECRET] = donation_points(game, seat, game.secret[seat], limit)
    if game.modules:
        out[FINAL_EFFECTS] += _final_effects(game, seat)


@jit
def _score_andrew(game: Record, out: Vector[int]) -> None:
    points = tiles = 0
    for r in range(game.round_number):
        points += t.ANDREW_VP_ROW[game.card_place[r]]
    for number in range(1, t.NUM_TILES + 1):
        tiles += game.andrew_tiles[number]
    out[IMMEDIATE] = points
    out[DEPARTMENTS] = tiles * t.ANDREW_DEPARTMENT_VP
    for region in range(t.NUM_REGIONS):
        if transport.is_at_end(game, ANDREW, region):
            out[LINKS] += t.ANDREW_TRACK_VP
    out[CITIES] = cities.points_of(game, ANDREW)
    cells = donations.cells_of(game, ANDREW)
    while cells != 0:  # by what the player has achieved
        cell = trailing_zeros(cells)
        cells &= cells - 1
        out[DONATIONS + cell] = donation_points(game, 0, cell, t.ANDREW_DONATION_LIMIT)


@jit
def donation_limit(game: Record, seat: int) -> int:
    """The most VP that a donation scores: 12, and 3 more for each fully pulled "+3" tab (ruling 30)."""
    limit = t.DONATION_LIMIT
    for project in range(t.NUM_PROJECT_TYPES):
        if tabs.is_fully_pulled(game, seat, project):
            limit += t.TAB_LIMIT[project, game.tab_side[seat, project]]
    return limit


# ---- links
@jit
def _score_links(game: Record, seat: int, out: Vector[int]) -> None:
    """The best network of at least two large cities, at the lowest level of their regions (ruling 29).

    The Post Office adds a link point; the highest total earns its bonus, a final effect (ruling 45).
    """
    own = cities.cities_of(game, seat)
    best = 0
    more, most, bonus = 0, t.LINK_VP.shape[0] - 1, 0
    if company.works(game, seat, t.POST_OFFICE):
        more = t.EFFECT[t.POST_OFFICE, t.EFFECT_LINK_POINTS]
        most = t.EFFECT[t.POST_OFFICE, t.EFFECT_LINK_POINTS_MAX]
        bonus = t.EFFECT[t.POST_OFFICE, t.EFFECT_VP]
    starts = own & t.LARGE_CITIES
    while popcount(starts) >= 2:
        linked = cities.network(own, trailing_zeros(starts))
        starts &= ~linked
        points, number, level = _links_of(game, seat, linked)
        if number >= 2:
            points = min(points + more, most)
            extra = bonus if points == most else 0
            if t.LINK_VP[points, level] + extra > best:
                best = t.LINK_VP[points, level] + extra
                out[LINKS] = t.LINK_VP[points, level]
                out[FINAL_EFFECTS] = extra


@jit
def _links_of(game: Record, seat: int, linked: int) -> tuple[int, int, int]:
    """(link points, large cities, lowest level of their regions) of a network."""
    points, number, level = 0, 0, t.LEVEL_RAILROAD
    large = linked & t.LARGE_CITIES
    while large != 0:
        city = trailing_zeros(large)
        large &= large - 1
        points += t.CITY_LINK_POINTS[city]
        number += 1
        region = t.CITY_REGION[city]
        level = min(level, t.TRACK_LEVEL[region, game.track[seat, region]])
    return points, number, level


# ---- departments that count at the end, expansion 1
@jit
def _final_effects(game: Record, seat: int) -> int:
    """VP of Green Spaces, Public Relations and Network Libraries, with the best choices (ruling 45)."""
    points = 0
    if company.works(game, seat, t.GREEN_SPACES):
        points += popcount(game.empty_spaces[seat]) * t.EFFECT[t.GREEN_SPACES, t.EFFECT_VP]
    most, fewest = int64(0), int64(t.NUM_SPACES)
    for region in range(t.NUM_REGIONS):
        projects = cities.projects_in(game, seat, region)
        most, fewest = max(most, projects), min(fewest, projects)
    if company.works(game, seat, t.PUBLIC_RELATIONS):
        points += most * t.EFFECT[t.PUBLIC_RELATIONS, t.EFFECT_VP]
    if company.works(game, seat, t.NETWORK_LIBRARIES):
        points += fewest * t.EFFECT[t.NETWORK_LIBRARIES, t.EFFECT_VP]
    return points


# ---- donations
@jit
def donation_points(game: Record, seat: int, cell: int, limit: int) -> int:
    """VP of a donation cell by what a seat has achieved; 0 for those scored by payments."""
    return min(achieved(game, seat, donations.rule_of(game, cell)), limit)


@jit
def achieved(game: Record, seat: int, rule: int) -> int:
    """VP of a donation cell's rule by what a seat has achieved, before the limit; 0 for those scored by payments."""
    count = t.RULE_COUNT[rule]
    argument = t.RULE_ARG[rule]
    number = 0
    if count == t.COUNT_DEPARTMENT_TYPE:
        number = _departments_of(game, seat, argument)
    elif count == t.COUNT_DEPARTMENTS:
        number = _departments_of(game, seat, ALL_TYPES)
    elif count == t.COUNT_PROJECT:
        for project in range(t.NUM_PROJECT_TYPES):
            if argument & bit(project):
                number += game.tab_built[seat, project]
    elif count == t.COUNT_RAILROAD_REGIONS:
        for region in range(t.NUM_REGIONS):
            number += t.TRACK_LEVEL[region, game.track[seat, region]] >= t.LEVEL_RAILROAD
    elif count == t.COUNT_DONATIONS:
        number = game.donations_made[seat]
    elif count == t.COUNT_FLAT:
        number = 1
    elif count == t.COUNT_ACTIVE_EMPLOYEES:
        number = company.active_employees(game, seat)
    elif count == t.COUNT_REGION:
        number = cities.projects_in(game, seat, argument)
    elif count == t.COUNT_SMALL_CITIES:
        number = cities.projects_in_small_cities(game, seat)
    elif count > t.COUNT_SMALL_CITIES:
        number = _achieved_by_new_rule(game, seat, count, argument)
    return number * t.RULE_VP[rule]


@jit
def _achieved_by_new_rule(game: Record, seat: int, count: int, argument: int) -> int:
    """The count of a rule on expansion 1's donation tiles, with the best choice of a type (ruling 45)."""
    number = int64(0)
    if count == t.COUNT_BEST_DEPARTMENT_TYPE:
        for action in range(t.NUM_ACTION_TYPES):
            number = max(number, _departments_added(game, seat, action))
    elif count == t.COUNT_DEPARTMENT_TYPES:
        for action in range(t.NUM_ACTION_TYPES):
            number += _departments_added(game, seat, action) > 0
    elif count == t.COUNT_COMPANY_COLUMN:
        number = _tiles_along(game, seat, argument, t.COMPANY_COLUMNS, t.COMPANY_ROWS)
    elif count == t.COUNT_COMPANY_ROW:
        number = _tiles_along(game, seat, argument * t.COMPANY_COLUMNS, 1, t.COMPANY_COLUMNS)
    elif count == t.COUNT_DONATIONS_OF_COLUMN:
        for column in range(t.NUM_DONATION_COLUMNS):
            if donations.column_of(game, column) == argument:
                number += donations.number_on(game, seat, column)
    elif count == t.COUNT_BEST_PROJECT_TYPE:
        number = int64(game.tab_built[seat].max())
    elif count == t.COUNT_PROJECT_TYPES:
        for project in range(t.NUM_PROJECT_TYPES):
            number += game.tab_built[seat, project] > 0
    elif count == t.COUNT_DONATION_COLUMNS:
        number = _donation_types(game, seat)
    elif count == t.COUNT_EMPTY_SPACES:
        number = popcount(game.empty_spaces[seat])
    elif count == t.COUNT_INACTIVE_EMPLOYEES:  # lobbies, empty spaces and missions included (ruling 25)
        number = int64(game.inactive[seat].sum() + game.missions[seat].sum())
    elif count == t.COUNT_PAID_WORKSTATIONS:
        number = _paid_workstations(game, seat, argument)
    elif count == t.COUNT_MEDIUM_CITIES:
        linked = cities.network(cities.cities_of(game, seat), argument)
        for city in range(t.NUM_CITIES):
            number += linked & bit(city) != 0 and t.CITY_MEDIUM[city] == 1
    return number


@jit
def _departments_of(game: Record, seat: int, types: int) -> int:
    """Departments of some types, starting ones included."""
    number = int64(0)
    for action in range(t.NUM_ACTION_TYPES):
        if types & bit(action):
            number += popcount(game.spaces_of_type[seat, action])
    return number


@jit
def _tiles_along(game: Record, seat: int, first: int, step: int, length: int) -> int:
    """Department tiles on a row or column of the company board."""
    number = int64(0)
    for k in range(length):
        number += company.is_tile(game.department[seat, first + k * step])
    return number


@jit
def _donation_types(game: Record, seat: int) -> int:
    """Different types of donations that a seat has made."""
    types = int64(0)
    for column in range(t.NUM_DONATION_COLUMNS):
        if donations.number_on(game, seat, column) > 0:
            types |= bit(donations.column_of(game, column))
    return popcount(types)


@jit
def _paid_workstations(game: Record, seat: int, least: int) -> int:
    """Occupied workstations with at least this cost; the cheapest are occupied first (ruling 28)."""
    number = int64(0)
    for space in range(t.COMPANY_SPACES):
        for k in range(game.active[seat, space]):
            number += t.ACTIVATION_COST[game.department[seat, space], k] >= least
    return number


@jit
def _departments_added(game: Record, seat: int, action: int) -> int:
    """Departments of a type built during the game: all but the starting ones."""
    number = int64(0)
    for space in range(t.COMPANY_SPACES):
        code = game.department[seat, space]
        number += company.is_tile(code) and t.DEPARTMENT_TYPE[code] == action
    return number


# ---- payments
@jit
def _write_plan(game: Record, owner: int, plan: int, items: int, limit: int, out: Vector[int]) -> None:
    """Write the VP of each item into the column of its cell, or of the secret donation."""
    k = 0
    cells = donations.cells_of(game, owner)
    while cells != 0:
        cell = trailing_zeros(cells)
        cells &= cells - 1
        if payments.is_paid(game, cell):
            out[DONATIONS + cell] = payments.item_vp(plan, items, k, limit)
            k += 1
    if k < payments.number_of(items):
        out[SECRET] = payments.item_vp(plan, items, k, limit)


@jit
def _score_payments(game: Record, out: Matrix[int]) -> None:
    """Each seat pays for its best total over all cells (ruling 30), Andrew from the money and goods left (37, P2)."""
    others = payments.items_of(game, ANDREW)
    for seat in range(game.num_players):
        items = payments.items_of(game, seat)
        if items | others == 0:
            continue
        money, goods = int64(game.money[seat]), int64(game.goods[seat])
        limit = donation_limit(game, seat)
        plan = payments.best_plan(items, money, goods, limit)
        if others != 0:
            if items != 0:
                plan = payments.meanest_plan(items, others, money, goods, limit, plan)
            money, goods = payments.left_over(plan, items, money, goods)
            best = payments.best_plan(others, money, goods, t.ANDREW_DONATION_LIMIT)
            _write_plan(game, ANDREW, best, others, t.ANDREW_DONATION_LIMIT, out[ANDREW])
        _write_plan(game, seat, plan, items, limit, out[seat])
