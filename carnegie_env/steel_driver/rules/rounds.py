"""Phases 1, 4 and 5: investment cubes, profits, and the end of a round."""

from __future__ import annotations

from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import events
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import goods
from carnegie_env.steel_driver.state import NONE, OPEN, Record


@jit
def supply(game: Record) -> int:
    """Investment cubes in the supply: those that neither players nor companies have."""
    left = t.CUBES
    for seat in range(t.SEATS):
        left -= game.cubes[seat]
    for company in range(t.NUM_COMPANIES):
        left -= game.company_cubes[company]
    return left


@jit
def begin(game: Record) -> None:
    """Begin the next round: all players get the same number of cubes, as far as the supply lasts (ruling 54)."""
    game.round_number += 1
    cubes = min(t.ROUND_CUBES[game.num_players], supply(game) // game.num_players)
    emit(events.ROUND, game.round_number, game.marker, cubes)
    for seat in range(game.num_players):
        game.cubes[seat] += cubes
    game.phase = OPEN
    game.to_play = game.marker


@jit
def end(game: Record) -> None:
    """End the round after all companies have passed: pay profits, and begin the next round or the final scoring."""
    pay(game)
    for k in range(t.NUM_COMPANIES):
        game.order[k] = game.passed[k]
        game.passed[k] = NONE
        game.profit[k] = 0
    game.num_passed = 0
    game.place = NONE
    if game.round_number == t.ROUNDS:
        goods.begin(game)
        return
    for company in range(t.NUM_COMPANIES):
        game.controller[company] = NONE
    game.sold = 0
    begin(game)


@jit
def pay(game: Record) -> None:
    """Phase 4: pay profits to controllers; without a controller the profit is lost (ruling 47)."""
    for company in range(t.NUM_COMPANIES):
        if game.controller[company] != NONE:
            emit(events.PAID, game.controller[company], company, game.profit[company])
            game.cash[game.controller[company]] += game.profit[company]
