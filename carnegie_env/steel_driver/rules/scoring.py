"""The score: money, shares and goods cubes."""

from __future__ import annotations

from typing import Any

from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import GOODS, Record

COLUMNS = ("cash", "shares", "goods", "total")
CASH, SHARES, CUBES, TOTAL = range(len(COLUMNS))


@jit
def score(game: Record, out: Any) -> None:
    """Score rows by seat as if the game ended now, int64 (SEATS, columns).

    cash: money paid out in the rounds. shares: money for shares; a company's goods cubes are what it has taken, so
    shares are worth nothing before the final scoring phase. goods: cubes of the companies that the seat controls in
    that phase, which decide between equals (ruling 52). total: cash and shares.
    """
    final = game.phase >= GOODS
    for seat in range(t.SEATS):
        shares, cubes = 0, 0
        if final:
            for company in range(t.NUM_COMPANIES):
                shares += game.shares[seat, company] * game.profit[company]
                if game.controller[company] == seat:
                    cubes += game.goods[company].sum()
        out[seat, CASH] = game.cash[seat]
        out[seat, SHARES] = shares
        out[seat, CUBES] = cubes
        out[seat, TOTAL] = game.cash[seat] + shares
