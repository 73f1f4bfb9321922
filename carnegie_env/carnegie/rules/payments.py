"""Payments for welfare donations at final scoring (rulebook part 3, chapter 2; rulings 30, 37, P1, P2).

An owner's items are the rules of the owner's cells with payments, in table order, then the rule of the secret donation.
They are packed into one number, ITEM_BITS each, the first lowest. A plan is the number of payments for each item: one
number with a digit per item, the first the most significant, so that "the most payments on the first cell" is "the
largest plan" (P1).
"""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import donations
from carnegie_env.carnegie.state import ANDREW, Record, bit
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit, trailing_zeros

ITEM_BITS = 6  # of a rule's number + 1


@jit
def is_paid(game: Record, cell: int) -> bool:
    """Whether a cell scores by payments."""
    return t.RULE_COUNT[donations.rule_of(game, cell)] == t.COUNT_PAY


@jit
def items_of(game: Record, owner: int) -> int:
    """The items of an owner."""
    items, shift = int64(0), 0
    cells = donations.cells_of(game, owner)
    while cells != 0:
        cell = trailing_zeros(cells)
        cells &= cells - 1
        if is_paid(game, cell):
            items |= int64(donations.rule_of(game, cell) + 1) << shift
            shift += ITEM_BITS
    if owner != ANDREW and game.secret[owner] != state.NONE and is_paid(game, game.secret[owner]):
        items |= int64(donations.rule_of(game, game.secret[owner]) + 1) << shift
    return items


@jit
def _rule(items: int, k: int) -> int:
    """The rule of an item."""
    return ((items >> (k * ITEM_BITS)) & (bit(ITEM_BITS) - 1)) - 1


@jit
def number_of(items: int) -> int:
    """The number of items."""
    number = 0
    while items >> (number * ITEM_BITS):
        number += 1
    return number


@jit
def _choices(items: int, k: int) -> int:
    """The base of an item's digit: the number of payments allowed, and one more."""
    return t.RULE_PAY[_rule(items, k), t.PAY_TIMES] + 1


@jit
def _times(plan: int, items: int, k: int) -> int:
    """The number of payments for an item in a plan."""
    for later in range(number_of(items) - 1, k, -1):
        plan //= _choices(items, later)
    return plan % _choices(items, k)


@jit
def item_vp(plan: int, items: int, k: int, limit: int) -> int:
    """VP that a plan brings for an item."""
    return min(_times(plan, items, k) * t.RULE_VP[_rule(items, k)], limit)


@jit
def _plans(items: int) -> int:
    number = 1
    for k in range(number_of(items)):
        number *= _choices(items, k)
    return number


@jit
def _plan_vp(plan: int, items: int, money: int, goods: int, limit: int) -> int:
    """VP of a plan, -1 if it can't be paid (goods sell at $1)."""
    points = 0
    for k in range(number_of(items) - 1, -1, -1):
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
def best_plan(items: int, money: int, goods: int, limit: int) -> int:
    """The plan with the most VP, among ties the largest."""
    best, plan = 0, 0
    for other in range(_plans(items) - 1, 0, -1):
        points = _plan_vp(other, items, money, goods, limit)
        if points > best:
            best, plan = points, other
    return plan


@jit
def left_over(plan: int, items: int, money: int, goods: int) -> tuple[int, int]:
    """(money, goods) after a plan; goods are sold if money is short."""
    for k in range(number_of(items)):
        times = _times(plan, items, k)
        money -= times * t.RULE_PAY[_rule(items, k), t.PAY_MONEY]
        goods -= times * t.RULE_PAY[_rule(items, k), t.PAY_GOODS]
    if money < 0:
        goods += money
        money = 0
    return money, goods


@jit
def meanest_plan(items: int, others: int, money: int, goods: int, limit: int, plan: int) -> int:
    """Among plans as good as ``plan`` the one that leaves Andrew least, among ties the largest (ruling 37, P1)."""
    points = _plan_vp(plan, items, money, goods, limit)
    least = -1
    for other in range(_plans(items) - 1, -1, -1):
        if _plan_vp(other, items, money, goods, limit) == points:
            left_money, left_goods = left_over(other, items, money, goods)
            his = best_plan(others, left_money, left_goods, t.ANDREW_DONATION_LIMIT)
            his_points = _plan_vp(his, others, left_money, left_goods, t.ANDREW_DONATION_LIMIT)
            if least < 0 or his_points < least:
                least, plan = his_points, other
    return plan
