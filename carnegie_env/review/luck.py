"""Luck: how chance changed what the seats could expect.

A chance event is a decision after which different samples of the unknown give different expectations: a card turned
over, a tie broken at random. Its luck is the expectation in the position that came, minus the mean over samples of the
positions that could have come. The luck of the deal is the expectation in the first position, minus the mean over
deals. So luck is 0 on average whoever plays, even if the expectations are wrong.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import kernels, rng
from carnegie_env.core.records import take_records
from carnegie_env.review.estimates import Estimator
from carnegie_env.review.line import Line

DEALS = 256  # whose mean expectation is par
PROBES = 4  # samples that show whether chance plays a part
SAME = 1e-6  # points; expectations that differ by less are equal


@dataclasses.dataclass(frozen=True)
class Luck:
    """The luck of a game, in points.

    Args:
        expected: the final margin that each seat could expect before each decision and at the end: float64 (T + 1,
            seats).
        wins: the same for win shares.
        par: the mean expectation over deals, float64 (seats,).
        events: the luck of each seat in each decision, float64 (T, seats).
    """

    expected: NDArray[np.float64]
    wins: NDArray[np.float64]
    par: NDArray[np.float64]
    events: NDArray[np.float64]

    @property
    def deal(self) -> NDArray[np.float64]:
        """The luck of the deal, float64 (seats,)."""
        return np.asarray(self.expected[0] - self.par)

    @property
    def total(self) -> NDArray[np.float64]:
        """The luck of the deal and of all events, float64 (seats,)."""
        return np.asarray(self.deal + self.events.sum(axis=0))

    @property
    def adjusted(self) -> NDArray[np.float64]:
        """The result without luck, float64 (seats,)."""
        return np.asarray(self.expected[-1] - self.total)


def luck(line: Line, estimator: Estimator, draws: int) -> Luck:
    """The luck of a game.

    Args:
        line: the game.
        estimator: for its options.
        draws: samples of each chance event.
    """
    expected, wins = estimator.expected(line.records, ahead=True)
    par = expected[0]
    if line.dealt and line.game.has_chance:
        deals = estimator.batch(take_records(line.records, np.zeros(DEALS, np.int64)))
        deals.reset(rng.stream(estimator.seed, 0, DEALS))
        par = estimator.expected(deals._games, ahead=True)[0].mean(axis=0)
    events = np.zeros((len(line.actions), estimator.seats))
    if line.game.has_chance and len(events):
        which = np.arange(len(events))
        probed = _after(line, estimator, which, PROBES)
        which = which[
            (np.ptp(probed, axis=1) > SAME).any(axis=1) | (abs(probed[:, 0] - expected[1:]) > SAME).any(axis=1)
        ]
        if len(which):
            events[which] = expected[which + 1] - _after(line, estimator, which, draws).mean(axis=1)
    return Luck(expected, wins, par, events)


def _after(line: Line, estimator: Estimator, which: NDArray[np.int64], draws: int) -> NDArray[np.float64]:
    """What the seats could expect after some decisions in other samples: float64 (decisions, draws, seats)."""
    rows = np.repeat(which, draws)
    games, seeds = take_records(line.records, rows), line.seeds(estimator.seed, 0, len(rows))
    if estimator.seats == 1:
        estimator.drawn(games, seeds)
    else:  # what is hidden now is another seat's secret: it was dealt or chosen before
        games["rng"] = rng.mixed(seeds)
    kernels.step(games, line.actions[rows])
    return estimator.expected(games, ahead=True)[0].reshape(len(which), draws, -1)
