"""Rewards: what the final scores are worth to each seat.

| name | reward at the end | sum over the seats |
|---|---|---|
| `win` | the winners share +1, the others share -1; 0 if all tie. One winner of two: +1 and -1 | 0 |
| `rank` | (opponents beaten - opponents not reached) / opponents: +1 for the first, -1 for the last | 0 |
| `margin` | own score - mean score of the opponents, in VP | 0 |
| `score` | own score, in VP | - |
| `dense_margin` | solo, at every step: change of margin / 100, as if the game ended now | - |

All but `dense_margin` are 0 until the end; its sum over an episode is the final margin / 100. In solo games the
automatic opponent is the other side. A tie for the most points shares the victory (ruling 31).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FINAL = ("win", "rank", "margin", "score")
DENSE_MARGIN = "dense_margin"
SOLO = (*FINAL, DENSE_MARGIN)
MARGIN_UNIT = 100.0  # VP per unit of dense_margin

# What a lost game is worth at least: the reward of an episode that ends with an illegal action (solo). A margin of
# -100 VP is as bad as any real game; no game ends with less than 0 VP in the base game.
LOSS = {"win": -1.0, "rank": -1.0, "margin": -MARGIN_UNIT, "score": 0.0, DENSE_MARGIN: -1.0}


def check_name(reward: str, *, solo: bool) -> str:
    """Return the name of a reward if there is one of that name for these games.

    Raises:
        ValueError: there is none; the message lists those there are.
    """
    known = SOLO if solo else FINAL
    if reward not in known:
        only = " (dense_margin is for solo games only)" if reward == DENSE_MARGIN else ""
        raise ValueError(f"reward must be one of {', '.join(known)}, not {reward!r}{only}")
    return reward


def returns(reward: str, totals: ArrayLike, num_players: int) -> NDArray[np.float32]:
    """Rewards of games that ended.

    Args:
        reward: "win", "rank", "margin" or "score" (for "dense_margin" see :func:`margin`).
        totals: final total scores, shape (N, rows): a column per seat; the last is the automatic opponent's, used if
            `num_players` is 1.
        num_players: seats in play.

    Returns:
        float32, shape (N, num_players).

    Raises:
        ValueError: an unknown reward, totals of another shape.
    """
    if reward not in FINAL:
        raise ValueError(f"reward must be one of {', '.join(FINAL)}, not {reward!r}")
    totals = np.asarray(totals, np.float64)
    if totals.ndim != 2 or totals.shape[1] < max(num_players, 2):
        raise ValueError(f"totals must have shape (games, at least {max(num_players, 2)}), got {totals.shape}")
    sides = totals[:, [0, -1]] if num_players == 1 else totals[:, :num_players]
    values = _RULES[reward](sides)
    return values[:, :num_players].astype(np.float32)


def margin(totals: ArrayLike) -> NDArray[np.float64]:
    """Solo: own score - the opponent's, in VP, from total scores of shape (N, rows): float64 (N,)."""
    totals = np.asarray(totals)
    return np.asarray(totals[:, 0] - totals[:, -1], np.float64)


def _win(sides: NDArray[np.float64]) -> NDArray[np.float64]:
    best = sides == sides.max(axis=1, keepdims=True)
    winners = best.sum(axis=1, keepdims=True)
    losers = sides.shape[1] - winners
    return np.where(losers == 0, 0.0, np.where(best, 1.0 / winners, -1.0 / np.maximum(losers, 1)))


def _rank(sides: NDArray[np.float64]) -> NDArray[np.float64]:
    better = np.sign(sides[:, :, None] - sides[:, None, :])
    return np.asarray(better.sum(axis=2) / (sides.shape[1] - 1))


def _margin(sides: NDArray[np.float64]) -> NDArray[np.float64]:
    others = (sides.sum(axis=1, keepdims=True) - sides) / (sides.shape[1] - 1)
    return np.asarray(sides - others)


def _score(sides: NDArray[np.float64]) -> NDArray[np.float64]:
    return sides


_RULES = {"win": _win, "rank": _rank, "margin": _margin, "score": _score}
