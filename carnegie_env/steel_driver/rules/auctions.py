"""Phase 2: the auctions for control markers (rulings 48 and 53)."""

from __future__ import annotations

from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit, popcount
from carnegie_env.steel_driver import actions, events
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import building
from carnegie_env.steel_driver.state import BID, NONE, OPEN, Record, bit, left_of

ALL_COMPANIES = (1 << t.NUM_COMPANIES) - 1


# ---------------------------------------------------------------- the active-player marker
@jit
def legal_open(game: Record) -> int:
    """Hand the marker on, or open with any bid that the holder can pay for any company not sold yet."""
    masks.clear(game.legal)
    masks.put(game.legal, actions.PASS)
    cubes = int64(game.cubes[game.to_play])
    for company in range(t.NUM_COMPANIES):
        if not game.sold & bit(company):
            masks.put_bits(game.legal, actions.OPEN + company * t.CUBES, bit(cubes) - 1)
    return 1 + cubes * (t.NUM_COMPANIES - popcount(game.sold))


@jit
def apply_open(game: Record, action: int) -> None:
    """Hand the marker on or open an auction."""
    if action == actions.PASS:
        hand_on(game)
        game.marker_passes += 1
        return
    game.phase = BID
    game.auction = (action - actions.OPEN) // t.CUBES
    game.bid = (action - actions.OPEN) % t.CUBES + 1
    game.bidder = game.to_play
    game.marker_passes = 0
    game.to_play = left_of(game, game.to_play)


@jit
def hand_on(game: Record) -> None:
    """The active-player marker goes to the left."""
    game.marker = left_of(game, game.marker)
    game.to_play = game.marker


@jit
def proceed_open(game: Record) -> bool:
    """Hand the marker on from holders without cubes; begin building and return True after all passed or all sold."""
    while game.sold != ALL_COMPANIES and game.marker_passes < game.num_players:
        if game.cubes[game.marker] > 0:
            return False
        emit(events.NO_CUBES, game.marker)
        hand_on(game)
        game.marker_passes += 1
    game.marker_passes = 0
    building.begin(game)
    return True


# ---------------------------------------------------------------- bids
@jit
def legal_bid(game: Record) -> int:
    """Pass, or any number of cubes above the standing bid that the bidder has."""
    masks.clear(game.legal)
    masks.put(game.legal, actions.PASS)
    more = int64(game.cubes[game.to_play]) - game.bid
    masks.put_bits(game.legal, actions.BID + game.bid, bit(more) - 1)
    return 1 + more


@jit
def apply_bid(game: Record, action: int) -> None:
    """Raise the bid, or leave this auction."""
    if action == actions.PASS:
        game.passed_bidders |= bit(game.to_play)
    else:
        game.bid = action - actions.BID + 1
        game.bidder = game.to_play
    game.to_play = left_of(game, game.to_play)


@jit
def proceed_bid(game: Record) -> bool:
    """Pass for bidders that can't raise; sell and return True when the turn comes to the highest bidder."""
    while game.to_play != game.bidder:
        if not game.passed_bidders & bit(game.to_play):
            if game.cubes[game.to_play] > game.bid:
                return False
            emit(events.OUTBID, game.to_play, game.bid)
            game.passed_bidders |= bit(game.to_play)
        game.to_play = left_of(game, game.to_play)
    sell(game)
    return True


@jit
def sell(game: Record) -> None:
    """The highest bidder pays the company and gets its control marker and a share; the marker is handed on."""
    company, seat = game.auction, game.bidder
    emit(events.SOLD, seat, company, game.bid)
    game.cubes[seat] -= game.bid
    game.company_cubes[company] += game.bid
    game.shares[seat, company] += 1
    game.controller[company] = seat
    game.last_controller[company] = seat
    game.sold |= bit(company)
    game.auction = NONE
    game.bidder = NONE
    game.bid = 0
    game.passed_bidders = 0
    game.phase = OPEN
    hand_on(game)
