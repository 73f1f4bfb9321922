"""Derived numbers for value networks, and an initial guess of the result. Nothing here is a rule.

A network could learn these numbers by itself from far more games: possible earnings of a company with its cubes and
some more, the expected value of its goods, and the value of both for a seat.
"""

from __future__ import annotations

from carnegie_env.core.arrays import Vector
from carnegie_env.core.jit import jit
from carnegie_env.core.layout import Feature, size, starts
from carnegie_env.steel_driver import outlook
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import BUILD, GOODS, OVER, Record, bit

HUNDREDS = 0.01  # money in $100
MORE = (0, 2, 4, 6, 8, 10)  # additional cubes that a company may get in an auction

INSIGHTS = (
    Feature("earns", "possible earnings of a company this round with additional cubes, in $100",
            (t.COMPANIES, tuple(map(str, MORE)))),
    Feature("sets", "expected final value of its goods, in $100", (t.COMPANIES,)),
    Feature("prospects", "earnings and possible earnings this round of the companies controlled, in $100"),
    Feature("shares", "expected final value of the shares, in $100"),
)  # fmt: skip
SIZE = size(INSIGHTS)
_AT = starts(INSIGHTS)

# Estimated from games between agents that bid by earnings.
CUBE = 9.0  # $ of a cube in hand, while there are further auctions
ROUND_CUBE = 0.8  # share of that for a cube of a future round, which all players get
GROWTH = 0.25  # relative growth of a company's goods in each future round


@jit
def insight(game: Record, seat: int, out: Vector[float]) -> None:
    """Write the numbers of :data:`INSIGHTS` for a seat into ``out`` (float32, (SIZE,))."""
    out[:] = 0
    if game.phase == OVER:
        return
    for company in range(t.NUM_COMPANIES):
        sets = outlook.expected_sets(game, company) * HUNDREDS
        out[_AT.sets + company] = sets
        out[_AT.shares] += game.shares[seat, company] * sets
        if game.phase <= BUILD:
            earns = _AT.earns + company * len(MORE)
            for k in range(len(MORE) if game.phase < BUILD and not game.sold & bit(company) else 1):
                out[earns + k] = outlook.prospect(game, company, MORE[k]) * HUNDREDS
            if game.controller[company] == seat:
                out[_AT.prospects] += out[earns] + game.profit[company] * HUNDREDS


@jit
def guess(game: Record, seat: int) -> float:
    """The expected further gain of a seat in $, beyond the score as if the game ended now: the start of learning."""
    if game.phase == OVER:
        return 0.0
    worth, rounds = 0.0, t.ROUNDS - game.round_number
    for company in range(t.NUM_COMPANIES):
        sets = outlook.expected_sets(game, company) * (1 + GROWTH * rounds)
        if game.phase >= GOODS:
            sets -= game.profit[company]  # already in the score
        elif game.controller[company] == seat:
            worth += game.profit[company] + CUBE * game.company_cubes[company]
        worth += game.shares[seat, company] * sets
    if game.phase < BUILD or rounds > 0:
        worth += CUBE * game.cubes[seat]
    return worth + CUBE * ROUND_CUBE * rounds * t.ROUND_CUBES[game.num_players]
