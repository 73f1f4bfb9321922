"""What actions of Steel Driver are worth, in $ for who takes them.

- An auction: a company earns with its cubes this round, and its share pays at the end; a bid costs cubes, with which
  other companies could be bought. Handing the marker on, and passing, are worth nothing.
- A link, a goods cube: the position that it leads to is worth something, :func:`value`: the cash, what the companies
  controlled have earned and may still earn this round, what the shares may pay at the end.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.core import kernels, masks
from carnegie_env.core.arrays import Matrix, Records, Vector, int64
from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import actions, outlook
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import BID, BUILD, OPEN, Record

# Found by trying, one who plays by other numbers among three who play by these.
CUBE = 30.0  # $ that a cube brings in the rounds to come
ALONE = 0.9  # of what a company would earn if no other built, with so many others about
GOODS = 20.0  # $ by which a company's goods grow in a round,
GROWTH = 0.3  # and by so much of what they are already


# ---------------------------------------------------------------- auctions
@jit
def worth_of_company(game: Record, company: int, cubes: int) -> float:
    """What the control of a company with so many cubes more, and a share of it, may bring by the end."""
    return ALONE * outlook.prospect(game, company, cubes) + worth_of_share(game, company)


@jit
def worth_of_share(game: Record, company: int) -> float:
    """What a share may pay at the end."""
    rounds = t.ROUNDS - game.round_number + (game.phase <= BUILD)
    return outlook.expected_sets(game, company) * (1 + GROWTH * rounds) + GOODS * rounds


@jit
def _rate_bids(game: Record, company: int, first: int, out: Vector[float]) -> None:
    """What bids for a company are worth, whose actions are those behind ``first``, into ``out``.

    One can raise a bid later on: it is worth what the best of it and those above it would be, if it were the last.
    """
    price = CUBE if game.round_number < t.ROUNDS else 0.0  # cubes that are left at the end are worth nothing
    best = -np.inf
    for cubes in range(game.cubes[game.to_play], 0, -1):
        if masks.test(game.legal, first + cubes - 1):
            best = max(best, worth_of_company(game, company, cubes) - price * cubes)
            out[first + cubes - 1] = best


# ---------------------------------------------------------------- positions
@jit
def value(game: Record, seat: int) -> float:
    """What a seat may have at the end, without the rounds to come, in $."""
    worth = float(game.cash[seat])
    for company in range(t.NUM_COMPANIES):
        if game.phase <= BUILD and game.controller[company] == seat:
            worth += game.profit[company] + ALONE * outlook.prospect(game, company, 0)
        if game.shares[seat, company] > 0:
            worth += game.shares[seat, company] * worth_of_share(game, company)
    return worth


# ---------------------------------------------------------------- all actions
@jit
def rate(game: Record, trials: Records, scores: Matrix[int], out: Vector[float]) -> None:
    """See :class:`agents.greedy.Evaluation`."""
    out[:] = -np.inf
    if game.phase == OPEN or game.phase == BID:
        out[actions.PASS] = 0
        if game.phase == BID:
            _rate_bids(game, int64(game.auction), actions.BID, out)
        else:
            for company in range(t.NUM_COMPANIES):
                _rate_bids(game, company, actions.OPEN + company * t.CUBES, out)
        return
    for action in range(actions.BUILD, actions.NUM_ACTIONS):
        if masks.test(game.legal, action):
            trials[0] = game
            kernels.advance(trials[0], action)
            out[action] = value(trials[0], game.to_play)


@jit
def stand(game: Record, seat: int, scores: Matrix[int]) -> float:
    """See :class:`agents.greedy.Evaluation`."""
    return value(game, seat)
