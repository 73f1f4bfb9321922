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

What an illegal action is worth, where it loses the game, is in :data:`LOSS` and :func:`lost`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FINAL = ("win", "rank", "margin", "score")
DENSE_MARGIN = "dense_margin"
SOLO = (*FINAL, DENSE_MARGIN)
MARGIN_UNIT = 100.0  # VP per unit of dense_margin

# What an episode is worth to the player who ends it with an illegal action: less than any game that is played by the
# rules, or breaking them would be a way out of a bad game. In 1,400,000 random games of all numbers of players,
# difficulties and with all modules the least margin was -180 VP and the least score -4 VP (-178 and 2 without
# modules); the bounds leave room for opponents far stronger than Andrew. Of `win` and `rank` a loss is the least.
LOST_MARGIN = -300.0  # VP
LOST_SCORE = -100.0  # VP
LOSS = {"win": -1.0, "rank": -1.0, "margin": LOST_MARGIN, "score": LOST_SCORE, DENSE_MARGIN: LOST_MARGIN / MARGIN_UNIT}
ON_ILLEGAL = ("lose", "raise")  # what an environment can do with an illegal action


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


def check_on_illegal(on_illegal: str) -> str:
    """Return what an environment is to do with an illegal action, if there is that; else a ValueError says what is."""
    if on_illegal not in ON_ILLEGAL:
        raise ValueError(f"on_illegal must be one of {', '.join(ON_ILLEGAL)}, not {on_illegal!r}")
    return on_illegal


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


def lost(reward: str, loser: int, totals: ArrayLike, num_players: int) -> NDArray[np.float32]:
    """Rewards of a game of 2 or more players that one of them lost by an illegal action.

    He gets his reward's :data:`LOSS`. By "score" each of the others gets the score he has; else they share the
    counterpart alike, whatever the position, so that the sum stays 0: as if he were so far behind, and they level.

    Args:
        reward: "win", "rank", "margin" or "score".
        loser: his seat.
        totals: total scores of the position, one per row of scores.
        num_players: seats in play, 2 or more.

    Returns:
        float32, shape (num_players,).
    """
    if reward == "score":
        values = np.array(totals, np.float32)[:num_players]
        values[loser] = LOST_SCORE
        return values
    sides = np.zeros((1, num_players))
    sides[0, loser] = LOST_MARGIN
    return returns(reward, sides, num_players).reshape(-1)


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
