"""Numbers for value networks, and a guess to begin learning from. Nothing here is a rule.

A network could find these numbers by itself, in far more games: what a company may earn with the cubes it has and gets,
what its goods may be worth, and what both are worth to a seat.
"""

from __future__ import annotations

from carnegie_env.core.arrays import Vector
from carnegie_env.core.jit import jit
from carnegie_env.core.layout import Feature, size, starts
from carnegie_env.steel_driver import outlook
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import BUILD, GOODS, OVER, Record, bit

HUNDREDS = 0.01  # money in $100
MORE = (0, 2, 4, 6, 8, 10)  # cubes that a company may get in an auction

INSIGHTS = (
    Feature("earns", "what a company may earn this round with so many cubes more, in $100",
            (t.COMPANIES, tuple(map(str, MORE)))),
    Feature("sets", "what its goods may be worth at last, in $100", (t.COMPANIES,)),
    Feature("prospects", "what the companies controlled have earned and may still earn this round, in $100"),
    Feature("shares", "what the shares may be worth at last, in $100"),
)  # fmt: skip
SIZE = size(INSIGHTS)
_AT = starts(INSIGHTS)

# Found by a look at games between players who bid for what companies earn.
CUBE = 9.0  # $ that a cube in hand brings, while there are auctions to come
ROUND_CUBE = 0.8  # of that, for a cube of a round to come: all players get those
GROWTH = 0.25  # by so much of itself a company's goods grow with each round to come


@jit
def insight(game: Record, seat: int, out: Vector[float]) -> None:
    """Write the numbers of :data:`INSIGHTS`, as a seat reckons them, into ``out`` (float32, (SIZE,))."""
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
    """What is still to come for a seat beside the score as if the game ended now, in $: where learning starts."""
    if game.phase == OVER:
        return 0.0
    worth, rounds = 0.0, t.ROUNDS - game.round_number
    for company in range(t.NUM_COMPANIES):
        sets = outlook.expected_sets(game, company) * (1 + GROWTH * rounds)
        if game.phase >= GOODS:
            sets -= game.profit[company]  # which the score has
        elif game.controller[company] == seat:
            worth += game.profit[company] + CUBE * game.company_cubes[company]
        worth += game.shares[seat, company] * sets
    if game.phase < BUILD or rounds > 0:
        worth += CUBE * game.cubes[seat]
    return worth + CUBE * ROUND_CUBE * rounds * t.ROUND_CUBES[game.num_players]
