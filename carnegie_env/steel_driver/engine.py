"""The dispatch from phases to rules.

Steel Driver for 3-6 players, complete by the rulebook: five rounds of investment cubes, auctions, building, profits and
a new order, then the final scoring phase. Not modelled: the bank's money and the links in the supply, which have no
limit but that of 17 links for each company.

Nothing is hidden, and there is no chance.
"""

from __future__ import annotations

from carnegie_env.core.jit import jit
from carnegie_env.steel_driver.rules import auctions, building, goods
from carnegie_env.steel_driver.state import BID, BUILD, GOODS, OPEN, Record


@jit
def proceed(game: Record) -> None:
    """Take all forced steps, up to a decision or the end."""
    going_on = True
    while going_on:
        if game.phase == OPEN:
            going_on = auctions.proceed_open(game)
        elif game.phase == BID:
            going_on = auctions.proceed_bid(game)
        elif game.phase == BUILD:
            going_on = building.proceed_build(game)
        else:
            if game.phase == GOODS:
                goods.proceed_goods(game)
            going_on = False


@jit
def legal(game: Record) -> int:
    """Write the legal actions of the decision at hand into ``game.legal``; return their number."""
    if game.phase == OPEN:
        return auctions.legal_open(game)
    if game.phase == BID:
        return auctions.legal_bid(game)
    if game.phase == BUILD:
        return building.legal_build(game)
    return goods.legal_goods(game)


@jit
def apply(game: Record, action: int) -> None:
    """Take one legal action."""
    if game.phase == OPEN:
        auctions.apply_open(game, action)
    elif game.phase == BID:
        auctions.apply_bid(game, action)
    elif game.phase == BUILD:
        building.apply_build(game, action)
    else:
        goods.apply_goods(game, action)


@jit
def revealed(game: Record) -> int:
    """Nothing is ever revealed."""
    return 0
