"""Ratings of all agents on one scale: the Plackett-Luce model, fitted by maximum likelihood to the rankings of games.

An agent of strength s comes first in a set with probability exp(s) / sum of exp(s) over the set; the second place is
drawn from the rest in the same way, and so on. Tied sides count as the mean of all their orders, more than eight by
Breslow's approximation. Ratings are in Elo's unit, and their mean, or an agent's rating, is 0. Each agent also has half
a won and half a lost game against an agent of average strength, so that an agent that wins everything has a finite
rating. Intervals come from the Bayesian bootstrap: deals and half games get weights from the exponential distribution.
docs/arena.md gives reasons and sources.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from carnegie_env.arena.statistics import Estimate

ELO = 400 / math.log(10)
DRAWS = 1000  # of the bootstrap
HALF = 0.5  # weight of the won and of the lost game against an agent of average strength
PART = 10_000  # rows of the counts that are weighted at once
MOST_ORDERED = 8  # tied sides of which all orders count: their number grows fast

Ranking = Sequence[Sequence[int]]  # the competitors that share each place, from the first place on


@dataclasses.dataclass(frozen=True)
class Evidence:
    """Counts from rankings, by deal. A *set* contains the competitors among which one came first.

    Args:
        sets: how often each competitor is in each set: float (sets, competitors).
        firsts: how often each competitor came first: float (deals, competitors).
        chosen: how often each set occurred: float (deals, sets).
        clusters: the numbers of what varies together, such as deals and trainings: int (rows, any), -1 for none. The
            bootstrap's weight of a row of the counts is the product of its clusters' weights. None: each row is a
            deal of its own.
    """

    sets: NDArray[np.float64]
    firsts: NDArray[np.float64]
    chosen: NDArray[np.float64]
    clusters: NDArray[np.int64] | None = None


def evidence(rankings: Iterable[tuple[int, Ranking]], deals: int, competitors: int) -> Evidence:
    """Count firsts and sets in pairs of a deal's number and a ranking. A competitor may occur more than once."""
    firsts = np.zeros((deals, competitors))
    sets: dict[tuple[int, ...], int] = {}
    chosen: dict[tuple[int, int], float] = defaultdict(float)
    for deal, ranking in rankings:
        behind: list[int] = []
        for level in reversed(ranking):
            sizes, times = range(1, len(level) + 1), 1.0
            if len(level) > MOST_ORDERED:  # Breslow's approximation: each comes first among all of them
                sizes, times = range(len(level), len(level) + 1), float(len(level))
            for size in sizes:
                subsets = list(itertools.combinations(level, size))
                for subset in subsets:  # each is equally often the rest, in the mean of all orders
                    members = tuple(sorted((*subset, *behind)))
                    if len(set(members)) > 1:
                        chosen[deal, sets.setdefault(members, len(sets))] += times / len(subsets)
                        for first in subset:
                            firsts[deal, first] += times / len(subsets) / size
            behind += level
    counts = np.zeros((len(sets), competitors))
    for members, number in sets.items():
        np.add.at(counts[number], list(members), 1)
    met = np.zeros((deals, len(sets)))
    for (deal, number), times in chosen.items():
        met[deal, number] = times
    return Evidence(counts, firsts, met)


def ratings(given: Evidence, draws: int = DRAWS, anchor: int | None = None) -> list[Estimate]:
    """The rating of each competitor, with its interval.

    Args:
        given: the counts.
        draws: of the bootstrap.
        anchor: the competitor with rating 0; None: the mean is 0.
    """
    rows, competitors = given.firsts.shape
    generator = np.random.default_rng(0)
    clusters = np.arange(rows)[:, None] if given.clusters is None else given.clusters
    drawn = np.ones((draws + 1, int(clusters.max(initial=-1)) + 2))  # the last one is for rows without a cluster
    drawn[1:, :-1] = generator.exponential(size=(draws, drawn.shape[1] - 1))
    firsts, chosen = np.zeros((draws + 1, competitors)), np.zeros((draws + 1, len(given.sets)))
    for part in np.array_split(np.arange(rows), -(-rows // PART)):  # all weights at once could take gigabytes
        weights = drawn[:, clusters[part]].prod(axis=2)
        firsts += weights @ given.firsts[part]
        chosen += weights @ given.chosen[part]
    half = np.concatenate([np.ones((1, 2, competitors)), generator.exponential(size=(draws, 2, competitors))])
    strengths = _fit(given.sets, firsts, chosen, HALF * half[:, 0], HALF * half[:, 1])
    zero = strengths.mean(axis=1) if anchor is None else strengths[:, anchor]
    points = ELO * (strengths - zero[:, None])
    low, high = np.quantile(points[1:], [0.025, 0.975], axis=0)
    return [Estimate(*map(float, each)) for each in zip(points[0], low, high, strict=True)]


def _fit(
    sets: NDArray[np.float64],
    firsts: NDArray[np.float64],
    chosen: NDArray[np.float64],
    won: NDArray[np.float64],
    lost: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The most likely strengths for several draws, float64 (draws, competitors), by Newton's method with step halving.

    ``won`` and ``lost`` are the weights of the games against an agent of strength 0.
    """
    theta = np.zeros_like(firsts)

    def likelihood(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        total = (firsts * theta).sum(axis=1) - (chosen * np.log(np.exp(theta) @ sets.T)).sum(axis=1)
        return np.asarray(total + (won * theta - (won + lost) * np.logaddexp(theta, 0)).sum(axis=1))

    now = likelihood(theta)
    for _ in range(100):
        share = np.exp(theta)[:, None, :] * sets
        share /= share.sum(axis=2, keepdims=True)
        beats = 1 / (1 + np.exp(-theta))
        weighted = chosen[:, :, None] * share
        gradient = firsts - weighted.sum(axis=1) + won - (won + lost) * beats
        curvature = -np.einsum("bka,bkc->bac", weighted, share)
        diagonal = weighted.sum(axis=1) + (won + lost) * beats * (1 - beats)
        curvature[:, range(theta.shape[1]), range(theta.shape[1])] += diagonal
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        scale = np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))
        for _ in range(30):
            tried = theta + scale[:, None] * step
            new = likelihood(tried)
            worse = new < now - 1e-9 * np.abs(now)
            if not worse.any():
                break
            scale = np.where(worse, scale / 2, scale)
        theta, now = tried, new
        if np.abs(scale[:, None] * step).max() < 1e-9:
            break
    return theta
