"""Expansion 1, module 1, "A new start": sealed sheets before set-up step 6 (rulings 40, P12; docs/design.md 8)."""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import actions, events, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company
from carnegie_env.carnegie.state import Record
from carnegie_env.core import masks, rng
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit

GOODS, EMPLOYEES, POINTS, MOVES = range(len(t.NEW_START_LINES))
NUM_LINES = len(t.NEW_START_LINES)
# The least that the lines from each one on can cost.
LEAST: Vector[int] = np.array(
    [t.NEW_START_OFFERS[line:, :, t.OFFER_COST].min(axis=1).sum() for line in range(NUM_LINES + 1)]
)


@jit
def revealed(game: Record) -> bool:
    """Whether the sheets are revealed and give the starting resources."""
    return game.modules & state.NEW_START != 0 and game.phase != state.SHEET


@jit
def amount(game: Record, seat: int, line: int) -> int:
    """The amount that a seat has chosen on a line of its sheet."""
    return t.NEW_START_OFFERS[line, game.sheet[seat, line], t.OFFER_AMOUNT]


@jit
def lines_filled(game: Record, seat: int) -> int:
    """The number of lines that a seat has filled in, without the bid."""
    line = 0
    while line < NUM_LINES and game.sheet[seat, line] != state.NONE:
        line += 1
    return line


@jit
def cost(game: Record, seat: int) -> int:
    """$ of the lines filled in, without the bid."""
    total = 0
    for line in range(NUM_LINES):
        if game.sheet[seat, line] != state.NONE:
            total += t.NEW_START_OFFERS[line, game.sheet[seat, line], t.OFFER_COST]
    return total


@jit
def legal_sheet(game: Record) -> None:
    """The offers of the next line that leave enough of the budget for the following lines; then the bids."""
    seat = game.to_play
    left = t.NEW_START_BUDGET - cost(game, seat)
    line = lines_filled(game, seat)
    if line == NUM_LINES:
        for bid in range(left + 1):
            masks.put(game.legal, actions.BID + bid)
    else:
        for k in range(actions.OFFERS):
            if t.NEW_START_OFFERS[line, k, t.OFFER_COST] + LEAST[line + 1] <= left:
                masks.put(game.legal, actions.SHEET + line * actions.OFFERS + k)


@jit
def apply_sheet(game: Record, verb: int, argument: int) -> None:
    """Fill in a line; the next seat's sheet after the last line (no bid in solo), then the reveal."""
    seat = game.to_play
    if verb == actions.V_BID:
        game.bid[seat] = argument
    else:
        game.sheet[seat, argument // actions.OFFERS] = argument % actions.OFFERS
        if game.num_players > 1 or lines_filled(game, seat) < NUM_LINES:
            return
    game.to_play = seat + 1
    if game.to_play == game.num_players:
        _reveal(game)


@jit
def _reveal(game: Record) -> None:
    """Reveal all sheets: the first player and the starting resources."""
    if game.num_players > 1:
        game.first_player = _highest_bidder(game)
    for seat in range(game.num_players):
        game.money[seat] = t.NEW_START_BUDGET - cost(game, seat)
        game.goods[seat] = amount(game, seat, GOODS)
        game.vp[seat] = amount(game, seat, POINTS)
        employees = amount(game, seat, EMPLOYEES)
        game.inactive[seat, t.LOBBY_SPACE] = employees
        game.reserve[seat] = t.EMPLOYEES - t.START_ACTIVE - employees
        game.action_tile[seat] = t.ACTION_CHOICE[game.num_players, company.place(game, seat)]  # ruling 40
        emit(
            events.SHEET, seat, game.sheet[seat, 0], game.sheet[seat, 1], game.sheet[seat, 2], game.sheet[seat, 3],
            game.bid[seat],
        )  # fmt: skip
    if game.num_players > 1:
        emit(events.FIRST_PLAYER, game.first_player)
        game.money[game.first_player] -= game.bid[game.first_player]  # only the highest bidder pays
    game.phase = state.SIDES
    game.to_play = game.first_player


@jit
def _highest_bidder(game: Record) -> int:
    """The seat with the highest bid, then with the higher total of the other lines, then by chance."""
    best, tied = int64(-1), 0
    for seat in range(game.num_players):
        value = rank(game, seat)
        if value > best:
            best, tied = value, 1
        elif value == best:
            tied += 1
    kept = rng.set_apart(game, state.LOT_OF_EQUAL_BIDS)
    k = rng.draw(game, tied)
    game.rng = kept
    for seat in range(game.num_players):
        if rank(game, seat) == best:
            if k == 0:
                return seat
            k -= 1
    return state.NONE


@jit
def rank(game: Record, seat: int) -> int:
    """Bid first, then the total of the other lines, as one number."""
    return int64(game.bid[seat]) * 1000 + cost(game, seat) - LEAST[0]


@jit
def redraw_hidden(game: Record, seat: int) -> None:
    """Fill in again, with random legal choices, the sheets that a seat cannot see, as far as they are filled in."""
    mover = int64(game.to_play)
    filled = lines_filled(game, mover)
    for other in range(mover + 1):
        if other == seat:
            continue
        for line in range(NUM_LINES):
            game.sheet[other, line] = state.NONE
        game.to_play = other
        while game.to_play == other and (other < mover or lines_filled(game, other) < filled):
            masks.clear(game.legal)
            legal_sheet(game)
            action = masks.pick(game.legal, rng.draw(game, masks.count(game.legal)))
            apply_sheet(game, actions.VERB[action], actions.ARGUMENT[action])
    game.to_play = mover
    masks.clear(game.legal)
    legal_sheet(game)
