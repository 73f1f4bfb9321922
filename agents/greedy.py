"""The greedy agent: try every legal action, look at the position it leads to, take the best.

How good a position is for a seat, :func:`value`, is a sum of a few things that a player would name, in victory points:
the score as if the game ended now, and what money, goods, employees, tabs and tracks may still bring, which fades as the
rounds run out. Two decisions can't be judged by the next position, so they are looked at a little further:

- a decision whose second half is still open (who moves: where to; which department: where) counts as its best second half,
- the timeline's row is judged by playing the round to its end, everybody playing greedily.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from carnegie_env import Batch
from carnegie_env.carnegie import actions, engine, kernels, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import scoring
from carnegie_env.carnegie.state import bit
from carnegie_env.core import masks
from carnegie_env.core.batch import in_slices
from carnegie_env.core.jit import jit, popcount, trailing_zeros

# What things are worth in VP, early in the game.
MONEY = 0.25  # $1
GOODS = 0.6  # one goods cube
ACTIVE = 1.5  # an active employee, beside the 1 VP he scores
READY = 0.7  # an inactive one beside a free workstation, to be activated soon
AWAY = 0.8  # one on a mission
EVENT_SOON = 0.4  # more for him, for each row whose next event is his region
OPEN_PROJECT = 0.8  # an uncovered project that can be built
BUILT_PROJECT = 2.0  # a built one: its income to come
TILE = 1.0  # a department built
STEP = 0.5  # a step on a transport track
MOVE, POINT = 0.1, 0.25  # an employee move, a research point in hand

FADING_ROUNDS = 8  # before the end, over which all of this goes to nothing


@jit
def value(game, seat, scores):
    """How good a game is for a seat, in VP. ``scores`` is room to work in: int64 (5, NUM_SCORES)."""
    scoring.score(game, scores)
    points = 1.0 * scores[seat, scoring.TOTAL]
    if game.difficulty != state.NONE:
        points -= scores[state.ANDREW, scoring.TOTAL]
    fading = min(t.ROUNDS - game.round, FADING_ROUNDS) / FADING_ROUNDS
    return points + fading * (_wealth(game, seat) + _employees(game, seat) + _projects(game, seat))


@jit
def _wealth(game, seat):
    return MONEY * game.money[seat] + GOODS * game.goods[seat]


@jit
def _employees(game, seat):
    worth = 0.0
    for space in range(t.COMPANY_SPACES):
        active, inactive = game.active[seat, space], game.inactive[seat, space]
        free = t.WORKSTATIONS[game.department[seat, space]] - active
        worth += ACTIVE * active + READY * min(inactive, free)
    for region in range(4):
        if game.missions[seat, region] > 0:
            soon = 0
            for row in range(4):
                soon += game.marker[row] < 5 and game.event_region[row, game.marker[row]] == region
            worth += (AWAY + EVENT_SOON * soon) * game.missions[seat, region]
    return worth


@jit
def _projects(game, seat):
    worth = TILE * popcount(game.owned[seat] & (bit(t.NUM_TILES + 1) - 1))
    for tab in range(4):
        built = game.tab_built[seat, tab]
        uncovered = min(max(game.tab_pulled[seat, tab] + 1 - t.TAB_BLANK[tab], 0), t.TAB_PROJECTS[tab])
        worth += BUILT_PROJECT * built + OPEN_PROJECT * (uncovered - built)
    for region in range(4):
        worth += STEP * game.track[seat, region]
    return worth


@jit
def _value_of(game, action, seat, trial, depth, scores):
    """The value for ``seat`` of taking an action; what it spends of the moves and research points in hand is not free."""
    trial[depth] = game
    after = trial[depth]
    before = MOVE * game.moves + POINT * game.research
    engine.step(after, action)
    if _half_done(after) and after.to_play == seat and depth + 1 < trial.shape[0]:
        best = -np.inf
        for second in range(actions.NUM_ACTIONS):
            if masks.test(after.legal, second):
                best = max(best, _value_of_whole(after, second, seat, trial[depth + 1 :], scores, before))
        return best
    return _settle(after, action, seat, scores, before)
