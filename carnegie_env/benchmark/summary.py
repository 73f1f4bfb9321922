"""Interquartile means of several trainings with stratified bootstrap intervals, as in rliable (Agarwal et al. 2021)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carnegie_env.arena.statistics import Estimate

DRAWS = 10_000


def interquartile_mean(scores: ArrayLike) -> NDArray[np.float64]:
    """The mean of the middle half of the scores: (..., n) -> (...). A quarter, rounded down, is cut on each side."""
    ordered = np.sort(np.asarray(scores, np.float64), axis=-1)
    cut = ordered.shape[-1] // 4
    return np.asarray(ordered[..., cut : ordered.shape[-1] - cut].mean(axis=-1))


def interquartile(
    scores: ArrayLike,
    errors: ArrayLike = 0.0,
    within: tuple[float, float] = (-np.inf, np.inf),
    seed: int = 0,
    draws: int = DRAWS,
) -> Estimate:
    """The interquartile mean over trainings and tasks, with its 95 % bootstrap interval.

    Args:
        scores: (trainings, tasks); in each draw the trainings are drawn again, in each task separately.
        errors: standard errors of the scores, (trainings, tasks) or one for all, because games are finite: a drawn
            score gets normal noise. So equal scores have no interval of width 0.
        within: bounds of a drawn score.
        seed, draws: of the bootstrap.
    """
    table = np.asarray(scores, np.float64)
    number, tasks = table.shape
    generator = np.random.default_rng(seed)
    chosen = generator.integers(number, size=(draws, number, tasks))
    drawn = np.take_along_axis(table[None], chosen, axis=1)
    spread = np.take_along_axis(np.broadcast_to(errors, table.shape)[None], chosen, axis=1)
    drawn = np.clip(drawn + spread * generator.standard_normal(drawn.shape), *within).reshape(draws, -1)
    low, high = np.quantile(interquartile_mean(drawn), [0.025, 0.975])
    mean = float(interquartile_mean(table.ravel()))
    return Estimate(mean, min(float(low), mean), max(float(high), mean))  # bounds can move all draws to one side
