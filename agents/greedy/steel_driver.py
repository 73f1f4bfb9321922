"""The value of an action in Steel Driver, in $ for the player to move.

- An auction: a company earns money with its cubes this round, and its share pays at the end; a bid costs cubes, which
  could buy other companies. Passing, and passing the marker, have the value 0.
- A link or a goods cube: the value of the position after it, :func:`stand`: cash, the companies' profits so far and
  still to come this round, and the expected final payments for shares.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import kernels, masks
from carnegie_env.core.arrays import Matrix, Records, Vector, int64
from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import actions, outlook
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import BID, BUILD, OPEN, Record

# Tuned by playing an agent with other values against three with these.
CUBE = 30.0  # $ that a cube earns in later rounds
ALONE = 0.9  # share of the profit that a company would make if no other company built
GOODS = 20.0  # $ by which the value of a company's goods grows in a round,
GROWTH = 0.3  # plus this share of their present value


# ---------------------------------------------------------------- auctions
@jit
def worth_of_company(game: Record, company: int, cubes: int) -> float:
    """The value of controlling a company this round with ``cubes`` more cubes, and of a share of it."""
    return ALONE * outlook.prospect(game, company, cubes) + worth_of_share(game, company)


@jit
def worth_of_share(game: Record, company: int) -> float:
    """The expected final payment for a share."""
    rounds = t.ROUNDS - game.round_number + (game.phase <= BUILD)
    return outlook.expected_sets(game, company) * (1 + GROWTH * rounds) + GOODS * rounds


@jit
def _rate_bids(game: Record, company: int, first: int, out: Vector[float]) -> None:
    """Write the values of bids for a company, whose actions begin at ``first``, into ``out``.

    A bid can be raised later, so its value is the best value of itself and all higher bids.
    """
    price = CUBE if game.round_number < t.ROUNDS else 0.0  # left-over cubes are worth nothing at the end
    best = -np.inf
    for cubes in range(game.cubes[game.to_play], 0, -1):
        if masks.test(game.legal, first + cubes - 1):
            best = max(best, worth_of_company(game, company, cubes) - price * cubes)
            out[first + cubes - 1] = best


def are_gains(games: Records) -> NDArray[np.bool_]:
    """Whether :func:`rate` writes gains: in auctions."""
    return np.asarray(games["phase"] <= BID)


# ---------------------------------------------------------------- positions
@jit
def stand(game: Record, seat: int, scores: Matrix[int]) -> float:
    """The expected final money of a seat without later rounds, in $."""
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
    """See :class:`carnegie_env.agents.greedy.Evaluation`."""
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
            out[action] = stand(trials[0], game.to_play, scores)
