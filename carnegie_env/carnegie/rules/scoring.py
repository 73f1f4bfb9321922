"""Final scoring (rulebook part 2, chapter 5 and part 3, chapter 2; solo: part 4, chapter 3; rulings 25, 29, 30, 37).

A position can be scored at any time, as if the game ended now. Scores are an int64 array of shape (5, NUM_SCORES): a
row per seat, row 4 is Andrew's; the columns are the constants below. Andrew's cards are in IMMEDIATE, his transport in
LINKS. FINAL_EFFECTS (departments that count at the end) and SECRET (the secret donation) are 0 without expansion 1.
"""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, new_departments, new_donations
from carnegie_env.carnegie.state import ANDREW, Record, bit
from carnegie_env.core.arrays import Matrix, Vector, int64
from carnegie_env.core.jit import jit, popcount, trailing_zeros

(
    IMMEDIATE, ACTION_CHOICE, ACTIVE_EMPLOYEES, DEPARTMENTS, TABS, LINKS, CITIES, FINAL_EFFECTS, SECRET, DONATIONS,
) = range(10)  # fmt: skip
TOTAL = DONATIONS + len(t.DONATIONS)
NUM_SCORES = TOTAL + 1

ITEM_BITS = 6  # of a rule's number + 1, see the payments


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
        if 1 <= game.department[seat, space] <= t.NUM_TILES:  # built during the game
            out[DEPARTMENTS] += t.SPACE_POINTS[space]
    for tab in range(4):
        out[TABS] += t.TAB_POINTS[tab, game.tab_side[seat, tab], vp_sections(game, seat, tab)]
    _score_links(game, seat, out)
    out[CITIES] = _city_points(game, seat)
    limit = donation_limit(game, seat)
    for cell in range(len(t.DONATIONS)):
        if game.donation[cell] & bit(seat):
            out[DONATIONS + cell] = min(achieved(game, seat, new_donations.rule_of(game, cell)), limit)
    if game.secret[seat] != state.NONE:
        out[SECRET] = min(achieved(game, seat, new_donations.rule_of(game, game.secret[seat])), limit)
    if game.modules:
        out[FINAL_EFFECTS] += _final_effects(game, seat)


@jit
def _score_andrew(game: Record, out: Vector[int]) -> None:
    for r in range(game.round_number):
        out[IMMEDIATE] += t.ANDREW_VP_ROW[game.card_place[r]]
    for number in range(1, t.NUM_TILES + 1):
        out[DEPARTMENTS] += game.andrew_tiles[number] * t.ANDREW_DEPARTMENT_VP
    for region in range(4):
        if game.track[ANDREW, region] == t.TRACK_SPACES - 1:
            out[LINKS] += t.ANDREW_TRACK_VP
    out[CITIES] = _city_points(game, ANDREW)
    for cell in range(len(t.DONATIONS)):  # by what the player has achieved
        if game.donation[cell] & bit(ANDREW):
            out[DONATIONS + cell] = min(achieved(game, 0, new_donations.rule_of(game, cell)), t.ANDREW_DONATION_LIMIT)


@jit
def vp_sections(game: Record, seat: int, tab: int) -> int:
    """Uncovered VP sections of a tab."""
    return max(game.tab_pulled[seat, tab] + 1 - t.TAB_BLANK[tab] - t.TAB_PROJECTS[tab], 0)


@jit
def donation_limit(game: Record, seat: int) -> int:
    """VP that a donation scores at most: 12, and 3 more for each fully pulled "+3" tab (ruling 30)."""
    limit = t.DONATION_LIMIT
    for tab in range(4):
        if game.tab_pulled[seat, tab] == t.TAB_LENGTH[tab]:
            limit += t.TAB_LIMIT[tab, game.tab_side[seat, tab]]
    return limit


# ---- cities and links
@jit
def _city_points(game: Record, owner: int) -> int:
    points = 0
    for space in range(t.NUM_SPACES):
        if game.owner[space] == owner:
            points += t.CITY_POINTS[t.SPACE_CITY[space]]
    return points


@jit
def own_cities(game: Record, owner: int) -> int:
    """Bit set of the cities with a disk of the owner."""
    cities = int64(0)
    for space in range(t.NUM_SPACES):
        if game.owner[space] == owner:
            cities |= bit(t.SPACE_CITY[space])
    return cities


@jit
def network(cities: int, start: int) -> int:
    """Bit set of the cities of ``cities`` reached from ``start`` along printed lines."""
    reached = int64(0)
    border = cities & bit(start)
    while border != 0:
        city = trailing_zeros(border)
        reached |= bit(city)
        border = (border | (t.CITY_ADJACENT[city] & cities)) & ~reached
    return reached


@jit
def _score_links(game: Record, seat: int, out: Vector[int]) -> None:
    """The best network of at least two large cities, at the lowest level of their regions (ruling 29).

    The Post Office adds a link point; the highest total earns its bonus, a final effect (ruling 45).
    """
    cities = own_cities(game, seat)
    best = 0
    more, most, bonus = 0, t.LINK_VP.shape[0] - 1, 0
    if company.works(game, seat, t.POST_OFFICE):
        more = t.EFFECT[t.POST_OFFICE, t.EFFECT_LINK_POINTS]
        most = t.EFFECT[t.POST_OFFICE, t.EFFECT_LINK_POINTS_MAX]
        bonus = t.EFFECT[t.POST_OFFICE, t.EFFECT_VP]
    for start in range(t.NUM_CITIES):
        if t.CITY_LINK_POINTS[start] > 0 and cities & bit(start):
            linked = network(cities, start)
            points, number, level = 0, 0, t.LEVEL_RAILROAD
            for city in range(t.NUM_CITIES):
                if linked & bit(city) and t.CITY_LINK_POINTS[city] > 0:
                    points += t.CITY_LINK_POINTS[city]
                    number += 1
                    region = t.CITY_REGION[city]
                    level = min(level, t.TRACK_LEVEL[region, game.track[seat, region]])
            if number >= 2:
                points = min(points + more, most)
                extra = bonus if points == most else 0
                if t.LINK_VP[points, level] + extra > best:
                    best = t.LINK_VP[points, level] + extra
                    out[LINKS] = t.LINK_VP[points, level]
                    out[FINAL_EFFECTS] = extra


# ---- departments that count at the end, expansion 1
@jit
def _final_effects(game: Record, seat: int) -> int:
    """VP of Green Spaces, Public Relations and Network Libraries; the choices are the best ones (ruling 45)."""
    points = 0
    if company.works(game, seat, t.GREEN_SPACES):
        points += popcount(game.empty_spaces[seat]) * t.EFFECT[t.GREEN_SPACES, t.EFFECT_VP]
    most, fewest = int64(0), int64(t.NUM_SPACES)
    for region in range(4):
        projects = new_departments.projects_in(game, seat, region)
        most, fewest = max(most, projects), min(fewest, projects)
    if company.works(game, seat, t.PUBLIC_RELATIONS):
        points += most * t.EFFECT[t.PUBLIC_RELATIONS, t.EFFECT_VP]
    if company.works(game, seat, t.NETWORK_LIBRARIES):
        points += fewest * t.EFFECT[t.NETWORK_LIBRARIES, t.EFFECT_VP]
    return points


# ---- donations
@jit
def achieved(game: Record, seat: int, rule: int) -> int:
    """VP of a donation cell's rule by what a seat has achieved, before the limit; 0 for those scored by payments."""
    kind = t.RULE_COUNT[rule]
    argument = t.RULE_ARG[rule]
    number = 0
    if kind == t.COUNT_DEPARTMENT_TYPE:
        for action in range(4):
            if argument & bit(action):
                number += popcount(game.spaces_of_type[seat, action])
    elif kind == t.COUNT_DEPARTMENTS:
        for action in range(4):
            number += popcount(game.spaces_of_type[seat, action])
    elif kind == t.COUNT_PROJECT:
        for tab in range(4):
            if argument & bit(tab):
                number += game.tab_built[seat, tab]
    elif kind == t.COUNT_RAILROAD_REGIONS:
        for region in range(4):
            number += t.TRACK_LEVEL[region, game.track[seat, region]] >= t.LEVEL_RAILROAD
    elif kind == t.COUNT_DONATIONS:
        number = game.donations_made[seat]
    elif kind == t.COUNT_FLAT:
        number = 1
    elif kind == t.COUNT_ACTIVE_EMPLOYEES:
        number = company.active_employees(game, seat)
    elif kind == t.COUNT_REGION:
        for space in range(t.NUM_SPACES):
            number += game.owner[space] == seat and t.CITY_REGION[t.SPACE_CITY[space]] == argument
    elif kind == t.COUNT_SMALL_CITIES:
        for space in range(t.NUM_SPACES):
            number += game.owner[space] == seat and t.CITY_SMALL[t.SPACE_CITY[space]] == 1
    elif kind > t.COUNT_SMALL_CITIES:
        number = _achieved_by_new_rule(game, seat, kind, argument)
    return number * t.RULE_VP[rule]


@jit
def _achieved_by_new_rule(game: Record, seat: int, kind: int, argument: int) -> int:
    """What the rules of expansion 1's donation tiles count; choices of a type are the best ones (ruling 45)."""
    number = int64(0)
    if kind == t.COUNT_BEST_DEPARTMENT_TYPE:
        for action in range(4):
            number = max(number, _departments_added(game, seat, action))
    elif kind == t.COUNT_DEPARTMENT_TYPES:
        for action in range(4):
            number += _departments_added(game, seat, action) > 0
    elif kind == t.COUNT_COMPANY_COLUMN:
        for space in range(argument, t.COMPANY_SPACES, t.COMPANY_COLUMNS):
            number += 1 <= game.department[seat, space] <= t.NUM_TILES
    elif kind == t.COUNT_COMPANY_ROW:
        for space in range(argument * t.COMPANY_COLUMNS, (argument + 1) * t.COMPANY_COLUMNS):
            number += 1 <= game.department[seat, space] <= t.NUM_TILES
    elif kind == t.COUNT_DONATIONS_OF_COLUMN:
        for column in range(len(t.DONATION_COLUMNS)):
            if new_donations.column_of(game, column) == argument:
                number += _donations_on(game, seat, column)
    elif kind == t.COUNT_BEST_PROJECT_TYPE:
        number = int64(game.tab_built[seat].max())
    elif kind == t.COUNT_PROJECT_TYPES:
        for tab in range(4):
            number += game.tab_built[seat, tab] > 0
    elif kind == t.COUNT_DONATION_COLUMNS:
        types = int64(0)
        for column in range(len(t.DONATION_COLUMNS)):
            if _donations_on(game, seat, column) > 0:
                types |= bit(new_donations.column_of(game, column))
        number = popcount(types)
    elif kind == t.COUNT_EMPTY_SPACES:
        number = popcount(game.empty_spaces[seat])
    elif kind == t.COUNT_INACTIVE_EMPLOYEES:  # lobbies, empty spaces and missions included (ruling 25)
        number = int64(game.inactive[seat].sum() + game.missions[seat].sum())
    elif kind == t.COUNT_PAID_WORKSTATIONS:
        for space in range(t.COMPANY_SPACES):
            for k in range(game.active[seat, space]):  # the cheapest workstations are the ones taken (ruling 28)
                number += t.ACTIVATION_COST[game.department[seat, space], k] >= argument
    elif kind == t.COUNT_MEDIUM_CITIES:
        linked = network(own_cities(game, seat), argument)
        for city in range(t.NUM_CITIES):
            number += linked & bit(city) != 0 and t.CITY_MEDIUM[city] == 1
    return number


@jit
def _departments_added(game: Record, seat: int, action: int) -> int:
    """Departments of a type built during the game: all but the starting ones."""
    number = int64(0)
    for space in range(t.COMPANY_SPACES):
        code = game.department[seat, space]
        number += 1 <= code <= t.NUM_TILES and t.DEPARTMENT_TYPE[code] == action
    return number


@jit
def _donations_on(game: Record, seat: int, column: int) -> int:
    """A seat's own disks on a panel of the donation table."""
    number = int64(0)
    for cell in range(column * t.PANEL_ROWS, (column + 1) * t.PANEL_ROWS):
        number += game.donation[cell] & bit(seat) != 0
    return number


# ---- payments for welfare donations. What an owner is paid for are his items: the rules of his own cells, in table
# order, then that of his secret donation. They are packed into one number, ITEM_BITS each, the first lowest. A plan
# says how often each item is paid. It is written as one number with a digit per item, the first the most significant,
# so that "the most payments on the first cell" is "the largest plan" (P1).
@jit
def _pay_items(game: Record, owner: int) -> int:
    items, shift = int64(0), 0
    for cell in range(len(t.DONATIONS)):
        if game.donation[cell] & bit(owner):
            rule = new_donations.rule_of(game, cell)
            if t.RULE_COUNT[rule] == t.COUNT_PAY:
                items |= int64(rule + 1) << shift
                shift += ITEM_BITS
    if owner != ANDREW and game.secret[owner] != state.NONE:
        rule = new_donations.rule_of(game, game.secret[owner])
        if t.RULE_COUNT[rule] == t.COUNT_PAY:
            items |= int64(rule + 1) << shift
    return items


@jit
def _rule(items: int, k: int) -> int:
    """The rule of an item."""
    return ((items >> (k * ITEM_BITS)) & (bit(ITEM_BITS) - 1)) - 1


@jit
def _number_of(items: int) -> int:
    number = 0
    while items >> (number * ITEM_BITS):
        number += 1
    return number


@jit
def _choices(items: int, k: int) -> int:
    """How many values the digit of an item has: none to all of its payments."""
    return t.RULE_PAY[_rule(items, k), t.PAY_TIMES] + 1


@jit
def _digit(plan: int, items: int, k: int) -> int:
    for later in range(_number_of(items) - 1, k, -1):
        plan //= _choices(items, later)
    return plan % _choices(items, k)


@jit
def _plans(items: int) -> int:
    number = 1
    for k in range(_number_of(items)):
        number *= _choices(items, k)
    return number


@jit
def _plan_vp(plan: int, items: int, money: int, goods: int, limit: int) -> int:
    """VP of a plan, -1 if it pays more than there is (goods sold at $1)."""
    points = 0
    for k in range(_number_of(items) - 1, -1, -1):
        rule = _rule(items, k)
        times = plan % _choices(items, k)
        plan //= _choices(items, k)
        money -= times * t.RULE_PAY[rule, t.PAY_MONEY]
        goods -= times * t.RULE_PAY[rule, t.PAY_GOODS]
        points += min(times * t.RULE_VP[rule], limit)
    if goods < 0 or money + goods < 0:
        return -1
    return points


@jit
def _best_plan(items: int, money: int, goods: int, limit: int) -> int:
    """The plan of the most VP; of equal ones the largest."""
    best, plan = 0, 0
    for other in range(_plans(items) - 1, 0, -1):
        points = _plan_vp(other, items, money, goods, limit)
        if points > best:
            best, plan = points, other
    return plan


@jit
def _left_over(plan: int, items: int, money: int, goods: int) -> tuple[int, int]:
    """(money, goods) after a plan; what money lacks was sold."""
    for k in range(_number_of(items)):
        times = _digit(plan, items, k)
        money -= times * t.RULE_PAY[_rule(items, k), t.PAY_MONEY]
        goods -= times * t.RULE_PAY[_rule(items, k), t.PAY_GOODS]
    if money < 0:
        goods += money
        money = 0
    return money, goods


@jit
def _write_plan(game: Record, owner: int, plan: int, items: int, limit: int, out: Vector[int]) -> None:
    """The VP of each item where it shows: its cell, or the secret donation."""
    k = 0
    for cell in range(len(t.DONATIONS)):
        if game.donation[cell] & bit(owner):
            rule = new_donations.rule_of(game, cell)
            if t.RULE_COUNT[rule] == t.COUNT_PAY:
                out[DONATIONS + cell] = min(_digit(plan, items, k) * t.RULE_VP[rule], limit)
                k += 1
    if k < _number_of(items):
        out[SECRET] = min(_digit(plan, items, k) * t.RULE_VP[_rule(items, k)], limit)


@jit
def _score_payments(game: Record, out: Matrix[int]) -> None:
    """Each seat pays at its best total over all its cells (ruling 30); Andrew from what is left (ruling 37, P2)."""
    for seat in range(game.num_players):
        items = _pay_items(game, seat)
        others = _pay_items(game, ANDREW)
        if items | others == 0:
            continue
        money, goods = int64(game.money[seat]), int64(game.goods[seat])
        limit = donation_limit(game, seat)
        plan = _best_plan(items, money, goods, limit)
        if others != 0:
            plan = _meanest_plan(items, others, money, goods, limit, plan)
            money, goods = _left_over(plan, items, money, goods)
            best = _best_plan(others, money, goods, t.ANDREW_DONATION_LIMIT)
            _write_plan(game, ANDREW, best, others, t.ANDREW_DONATION_LIMIT, out[ANDREW])
        _write_plan(game, seat, plan, items, limit, out[seat])


@jit
def _meanest_plan(items: int, others: int, money: int, goods: int, limit: int, plan: int) -> int:
    """Among plans as good as ``plan`` the one that leaves Andrew least; of equal ones the largest (ruling 37, P1)."""
    points = _plan_vp(plan, items, money, goods, limit)
    least = -1
    for other in range(_plans(items) - 1, -1, -1):
        if _plan_vp(other, items, money, goods, limit) == points:
            left_money, left_goods = _left_over(other, items, money, goods)
            his = _best_plan(others, left_money, left_goods, t.ANDREW_DONATION_LIMIT)
            his_points = _plan_vp(his, others, left_money, left_goods, t.ANDREW_DONATION_LIMIT)
            if least < 0 or his_points < least:
                least, plan = his_points, other
    return plan
