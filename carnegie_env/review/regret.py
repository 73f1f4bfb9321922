"""Regret: what the action taken lost against the best one.

The action taken and the best other ones by their ratings are tried in the same futures (common random numbers). The
best of noisy estimates looks better than it is, so half of the futures, with the ratings, choose the best action, and
the other half says how much better it is; then the halves change places. The mean of both is an unbiased estimate of
the loss against the actions chosen, so where nothing was lost it is 0 on average, and may be negative.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import level
from carnegie_env.core import kernels
from carnegie_env.core.records import take_records
from carnegie_env.review.budget import Budget
from carnegie_env.review.estimates import Estimator
from carnegie_env.review.line import Line

WINDOW = 6.0  # points (of level.UNIT) below the best rating, within which actions are tried
EQUAL = 0.05  # points; a decision counts if its ratings differ by more
PRIOR = 2.0  # weight of a rating when an action is chosen, in futures


class Regret(NamedTuple):
    """One decision: see :class:`~carnegie_env.review.results.Decision`; ``best`` is a number, arrays are by seat."""

    choices: int
    counts: bool
    difficulty: NDArray[np.float64]  # the expected loss of each level
    best: int
    loss: float = 0.0
    error: float = 0.0
    gains: NDArray[np.float64] | None = None
    margin: float | None = None  # None: no action was tried, because none but the action taken was near the best
    win: float | None = None
    best_win: float | None = None


def regrets(line: Line, estimator: Estimator, budget: Budget) -> list[Regret]:
    """The regret of each decision of a game."""
    if not len(line.actions):
        return []
    points = line.game.dense_unit / level.UNIT
    ratings = estimator.ratings(take_records(line.records, np.arange(len(line.actions))))
    found, tried = [], []
    for taken, rated in zip(line.actions.tolist(), ratings, strict=True):
        legal = np.flatnonzero(rated > -np.inf)
        losses = rated.max() - rated[legal]
        counts = bool(losses.max() > EQUAL * points)
        near = legal[np.argsort(losses, kind="stable")]
        near = near[(near != taken) & (rated[near] >= rated.max() - WINDOW * points)] if counts else near[:0]
        tried.append([taken, *near[: budget.candidates - 1].tolist()])
        found.append(Regret(len(legal), counts, expected_losses(losses / points) * points, taken))
    compared = [k for k, each in enumerate(tried) if len(each) > 1]
    for k, outcome in zip(compared, _outcomes(line, estimator, budget, compared, tried), strict=True):
        mover, prior = int(line.movers[k]), ratings[k, tried[k]]
        found[k] = found[k]._replace(**_compare(*outcome, prior, mover, tried[k]))
    return found


def expected_losses(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The expected loss of each level in a decision, from the losses of all actions in points of level.UNIT."""
    temperatures = np.array([each.temperature for each in level.levels()])[:, None]
    chances = np.exp(-losses / temperatures)
    return np.asarray((chances * losses).sum(axis=1) / chances.sum(axis=1))


def _outcomes(
    line: Line, estimator: Estimator, budget: Budget, which: list[int], tried: list[list[int]]
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The margins and win shares after the futures of each decision: float64 (actions, futures, seats)."""
    if not which:
        return []
    number = budget.futures
    rows = np.concatenate([np.full(number * len(tried[k]), k) for k in which])
    actions = np.concatenate([np.repeat(tried[k], number) for k in which])
    seeds = np.concatenate([np.tile(line.seeds(estimator.seed, k * number, number), len(tried[k])) for k in which])
    games = estimator.drawn(take_records(line.records, rows), seeds)
    kernels.step(games, actions)
    margins, wins = estimator.expected(estimator.play(games, budget.depth if estimator.has_network else None))
    ends = np.cumsum([number * len(tried[k]) for k in which])[:-1]
    shape = number, estimator.seats
    return [(margin.reshape(-1, *shape), win.reshape(-1, *shape))
            for margin, win in zip(np.split(margins, ends), np.split(wins, ends), strict=True)]  # fmt: skip


def _compare(
    margins: NDArray[np.float64], wins: NDArray[np.float64], prior: NDArray[np.float64], mover: int, actions: list[int]
) -> dict[str, Any]:
    """Compare actions, the one taken first, by their outcomes in the same futures."""
    half = margins.shape[1] // 2
    parts = slice(None, half), slice(half, None)

    def chosen(part: slice) -> int:
        number = margins[:, part].shape[1]
        return int(np.argmax(PRIOR * prior + number * margins[:, part, mover].mean(axis=1)))

    bests = [chosen(part) for part in parts]
    gains = [margins[0, other] - margins[best, other] for best, other in zip(bests, reversed(parts), strict=True)]
    wins_lost = [wins[best, other] - wins[0, other] for best, other in zip(bests, reversed(parts), strict=True)]
    gain = np.mean([each.mean(axis=0) for each in gains], axis=0)
    errors = [each[:, mover].std(ddof=1) / np.sqrt(len(each)) for each in gains]
    best = chosen(slice(None))
    win = float(wins[0, :, mover].mean())
    return {
        "best": actions[best], "loss": -float(gain[mover]), "error": float(np.hypot(*errors) / 2), "gains": gain,
        "margin": float(margins[0, :, mover].mean()), "win": win,
        "best_win": win + float(np.mean([each[:, mover].mean() for each in wins_lost])),
    }  # fmt: skip


def explain(line: Line, estimator: Estimator, k: int, best: int, playouts: int) -> dict[str, float]:
    """How the final score of the player to move changes by category with another action; see ``Decision.why``."""
    mover, game = int(line.movers[k]), line.game
    seeds = np.tile(line.seeds(estimator.seed, k * playouts, playouts), 2)
    games = estimator.drawn(take_records(line.records, np.full(2 * playouts, k)), seeds)
    kernels.step(games, np.repeat([line.actions[k], best], playouts))
    ends = estimator.play(games, None)
    rows, total = estimator.batch(ends).breakdown(), game.rank_columns[0]
    changes: dict[str, float] = {}
    for number, (end, scores) in enumerate(zip(ends, rows, strict=True)):
        sign = (-1 if number < playouts else 1) / playouts
        named = game.summed_scores(end, scores.tolist())[mover]
        named["others"] = -int(np.delete(scores[:, total], mover).max())
        for name, points in named.items():
            if name != "total" and name not in game.rank_by[1:]:  # neither the sum nor a tie-breaker
                changes[name] = changes.get(name, 0.0) + sign * points
    return {name: round(change, 2) for name, change in changes.items() if abs(change) >= 0.05}
