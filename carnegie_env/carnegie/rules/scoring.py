"""Final scoring (rulebook part 2, chapter 5 and part 3, chapter 2; solo: part 4, chapter 3; rulings 25, 29, 30, 37).

A position can be scored at any time, as if the game ended now. Scores are an int64 array of shape (5, NUM_SCORES): a
row per seat, row 4 is Andrew's; the columns are the constants below. Andrew's cards are in IMMEDIATE, his transport in
LINKS.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company
from carnegie_env.carnegie.state import ANDREW, bit
from carnegie_env.core.jit import jit, popcount, trailing_zeros

IMMEDIATE, ACTION_CHOICE, ACTIVE_EMPLOYEES, DEPARTMENTS, TABS, LINKS, CITIES, DONATIONS = range(8)
TOTAL = DONATIONS + len(t.DONATIONS)
NUM_SCORES = TOTAL + 1

PAY_CELLS = np.flatnonzero(t.DONATION_COUNT == t.COUNT_PAY)  # the cells scored by payments, in table order


@jit
def score(game, out):
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
def _score_seat(game, seat, out):
    out[IMMEDIATE] = game.vp[seat]
    out[ACTION_CHOICE] = game.action_tile[seat] * t.ACTION_CHOICE_VP
    out[ACTIVE_EMPLOYEES] = company.active_employees(game, seat) * t.ACTIVE_EMPLOYEE_VP
    for space in range(t.COMPANY_SPACES):
        if 1 <= game.department[seat, space] <= t.NUM_TILES:  # built during the game
            out[DEPARTMENTS] += t.SPACE_POINTS[space]
    for tab in range(4):
        out[TABS] += t.TAB_POINTS[tab, game.tab_side[seat, tab], vp_sections(game, seat, tab)]
    out[LINKS] = link_points(game, seat)
    out[CITIES] = _city_points(game, seat)
    limit = donation_limit(game, seat)
    for cell in range(len(t.DONATIONS)):
        if game.donation[cell] & bit(seat):
            out[DONATIONS + cell] = min(achieved(game, seat, cell), limit)


@jit
def _score_andrew(game, out):
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
            out[DONATIONS + cell] = min(achieved(game, 0, cell), t.ANDREW_DONATION_LIMIT)


@jit
def vp_sections(game, seat, tab):
    """Uncovered VP sections of a tab."""
    return max(game.tab_pulled[seat, tab] + 1 - t.TAB_BLANK[tab] - t.TAB_PROJECTS[tab], 0)


@jit
def donation_limit(game, seat):
    """VP that a donation scores at most: 12, and 3 more for each fully pulled "+3" tab (ruling 30)."""
    limit = t.DONATION_LIMIT
    for tab in range(4):
        if game.tab_pulled[seat, tab] == t.TAB_LENGTH[tab]:
            limit += t.TAB_LIMIT[tab, game.tab_side[seat, tab]]
    return limit


# ---- cities and links
@jit
def _city_points(game, owner):
    points = 0
    for space in range(t.NUM_SPACES):
        if game.owner[space] == owner:
            points += t.CITY_POINTS[t.SPACE_CITY[space]]
    return points


@jit
def own_cities(game, owner):
    """Bit set of the cities with a disk of the owner."""
    cities = np.int64(0)
    for space in range(t.NUM_SPACES):
        if game.owner[space] == owner:
            cities |= bit(t.SPACE_CITY[space])
    return cities


@jit
def network(cities, start):
    """Bit set of the cities of ``cities`` reached from ``start`` along printed lines."""
    reached = np.int64(0)
    border = cities & bit(start)
    while border != 0:
        city = trailing_zeros(border)
        reached |= bit(city)
        border = (border | (t.CITY_ADJACENT[city] & cities)) & ~reached
    return reached


@jit
def link_points(game, seat):
    """VP of the best network of at least two large cities, at the lowest level of their regions (ruling 29)."""
    cities = own_cities(game, seat)
    best = 0
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
                best = max(best, t.LINK_VP[points, level])
    return best


# ---- donations
@jit
def achieved(game, seat, cell):
    """VP of a donation cell by what a seat has achieved, before the limit; 0 for the cells scored by payments."""
    kind = t.DONATION_COUNT[cell]
    argument = t.DONATION_ARG[cell]
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
    return number * t.DONATION_VP[cell]


# ---- payments for welfare donations. A plan says how often each of an owner's cells among PAY_CELLS (the bit set
# ``cells``) is paid. It is written as one number with a digit per cell, the first cell the most significant, so that
# "the most payments on the first cell" is "the largest plan" (P1).
@jit
def _choices(cells, k):
    """How many values the digit of a cell has: none to all of its payments, one value if it is not the owner's."""
    if cells & bit(PAY_CELLS[k]):
        return t.DONATION_PAY[PAY_CELLS[k], t.PAY_TIMES] + 1
    return 1


@jit
def _digit(plan, cells, k):
    for later in range(PAY_CELLS.shape[0] - 1, k, -1):
        plan //= _choices(cells, later)
    return plan % _choices(cells, k)


@jit
def _plans(cells):
    number = 1
    for k in range(PAY_CELLS.shape[0]):
        number *= _choices(cells, k)
    return number


@jit
def _plan_vp(plan, cells, money, goods, limit):
    """VP of a plan, -1 if it pays more than there is (goods sold at $1)."""
    points = 0
    for k in range(PAY_CELLS.shape[0]):
        times = _digit(plan, cells, k)
        money -= times * t.DONATION_PAY[PAY_CELLS[k], t.PAY_MONEY]
        goods -= times * t.DONATION_PAY[PAY_CELLS[k], t.PAY_GOODS]
        points += min(times * t.DONATION_VP[PAY_CELLS[k]], limit)
    if goods < 0 or money + goods < 0:
        return -1
    return points


@jit
def _best_plan(cells, money, goods, limit):
    """The plan of the most VP; of equal ones the largest."""
    best, plan = 0, 0
    for other in range(_plans(cells) - 1, 0, -1):
        points = _plan_vp(other, cells, money, goods, limit)
        if points > best:
            best, plan = points, other
    return plan


@jit
def _left_over(plan, cells, money, goods):
    """(money, goods) after a plan; what money lacks was sold."""
    for k in range(PAY_CELLS.shape[0]):
        times = _digit(plan, cells, k)
        money -= times * t.DONATION_PAY[PAY_CELLS[k], t.PAY_MONEY]
        goods -= times * t.DONATION_PAY[PAY_CELLS[k], t.PAY_GOODS]
    if money < 0:
        goods += money
        money = 0
    return money, goods


@jit
def _pay_cells(game, owner):
    cells = np.int64(0)
    for cell in PAY_CELLS:
        if game.donation[cell] & bit(owner):
            cells |= bit(cell)
    return cells


@jit
def _write_plan(plan, cells, limit, out):
    for k in range(PAY_CELLS.shape[0]):
        cell = PAY_CELLS[k]
        out[DONATIONS + cell] = min(_digit(plan, cells, k) * t.DONATION_VP[cell], limit)


@jit
def _score_payments(game, out):
    """Each seat pays at its best total over all its cells (ruling 30); Andrew from what is left (ruling 37, P2)."""
    for seat in range(game.num_players):
        cells = _pay_cells(game, seat)
        others = _pay_cells(game, ANDREW)
        if cells | others == 0:
            continue
        money, goods = np.int64(game.money[seat]), np.int64(game.goods[seat])
        limit = donation_limit(game, seat)
        plan = _best_plan(cells, money, goods, limit)
        if others != 0:
            plan = _meanest_plan(cells, others, money, goods, limit, plan)
            money, goods = _left_over(plan, cells, money, goods)
            best = _best_plan(others, money, goods, t.ANDREW_DONATION_LIMIT)
            _write_plan(best, others, t.ANDREW_DONATION_LIMIT, out[ANDREW])
        _write_plan(plan, cells, limit, out[seat])


@jit
def _meanest_plan(cells, others, money, goods, limit, plan):
    """Among plans as good as ``plan`` the one that leaves Andrew least; of equal ones the largest (ruling 37, P1)."""
    points = _plan_vp(plan, cells, money, goods, limit)
    least = -1
    for other in range(_plans(cells) - 1, -1, -1):
        if _plan_vp(other, cells, money, goods, limit) == points:
            left_money, left_goods = _left_over(other, cells, money, goods)
            his = _best_plan(others, left_money, left_goods, t.ANDREW_DONATION_LIMIT)
            his_points = _plan_vp(his, others, left_money, left_goods, t.ANDREW_DONATION_LIMIT)
            if least < 0 or his_points < least:
                least, plan = his_points, other
    return plan
