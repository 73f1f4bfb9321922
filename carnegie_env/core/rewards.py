"""Rewards: the value of a result to each seat.

| name | reward at the end | sum over the seats |
|---|---|---|
| `win` | the winners share +1, the others share -1; 0 if all tie. One winner of two: +1 and -1 | 0 |
| `rank` | (opponents behind - opponents ahead) / opponents: +1 for the first, -1 for the last | 0 |
| `margin` | own score - mean score of the opponents, in points | 0 |
| `score` | own score, in points | - |
| `dense_margin` | at every step of one player: change of margin / the game's unit, as if the game ended now | - |

All except `dense_margin` are 0 until the end. The sum of `dense_margin` over an episode is the final margin / the unit;
it exists at a table of one, and for one player among opponents. At a table of one the automatic opponent is the other
side. The game's ``rank_by`` (points, then tie-breaks) determines places; sides that are equal in all columns share one.

A result is an int64 array of shape (N, sides, keys): the columns of ``rank_by`` of each side, in order of precedence.
:func:`loss` and :func:`lost` give the rewards for an illegal action that loses the game.
"""

from __future__ import annotations

from reprlib import repr as shown  # short for any value

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carnegie_env.core.game import Game

FINAL = ("win", "rank", "margin", "score")
DENSE_MARGIN = "dense_margin"
ALL = (*FINAL, DENSE_MARGIN)
ON_ILLEGAL = ("lose", "raise")  # treatments of an illegal action


def check_name(reward: str, *, dense: bool) -> str:
    """Return the name of a reward if it exists.

    Args:
        reward: the name.
        dense: whether one player makes all decisions, which `dense_margin` requires.

    Raises:
        ValueError: it does not exist; the message lists the rewards.
    """
    known = ALL if dense else FINAL
    if not isinstance(reward, str) or reward not in known:
        only = "" if dense else " (dense_margin is for environments of solo games, and of one player among opponents)"
        raise ValueError(f"reward must be one of {', '.join(known)}, not {shown(reward)}{only}")
    return reward


def check_on_illegal(on_illegal: str) -> str:
    """Return the treatment of illegal actions if it exists; a ValueError lists the possible ones."""
    if not isinstance(on_illegal, str) or on_illegal not in ON_ILLEGAL:
        raise ValueError(f"on_illegal must be one of {', '.join(ON_ILLEGAL)}, not {shown(on_illegal)}")
    return on_illegal


def places(results: ArrayLike) -> NDArray[np.int64]:
    """The number of sides ahead of each: int64 (N, sides) from results (N, sides, keys); 0 is the first place."""
    results = np.asarray(results)
    ahead = np.zeros(results.shape[:2] + results.shape[1:2], bool)  # [game, side, other]: the other is ahead
    level = np.ones_like(ahead)
    for key in range(results.shape[2]):
        own, other = results[:, :, None, key], results[:, None, :, key]
        ahead |= level & (other > own)
        level &= other == own
    return np.asarray(ahead.sum(axis=2), np.int64)


def win_shares(results: ArrayLike) -> NDArray[np.float64]:
    """Each side's share of the victory: float64 (N, sides); the sides in the first place share 1."""
    first = places(results) == 0
    return np.asarray(first / first.sum(axis=1, keepdims=True), np.float64)


def returns(reward: str, results: ArrayLike, num_players: int) -> NDArray[np.float32]:
    """Rewards of finished games.

    Args:
        reward: "win", "rank", "margin" or "score" (for "dense_margin" see :func:`margin`).
        results: results of 2 sides or more, shape (N, sides, keys); the seats come first.
        num_players: seats in play.

    Returns:
        float32, shape (N, num_players).

    Raises:
        ValueError: an unknown reward, or results of another shape.
    """
    return np.asarray(exact_returns(reward, results, num_players), np.float32)


def exact_returns(reward: str, results: ArrayLike, num_players: int) -> NDArray[np.float64]:
    """The same in float64: thirds sum to 0 exactly enough for checks, in float32 only within 3e-8."""
    if reward not in FINAL:
        raise ValueError(f"reward must be one of {', '.join(FINAL)}, not {reward!r}")
    results = np.asarray(results)
    if results.ndim != 3 or results.shape[1] < max(num_players, 2) or results.shape[2] == 0:
        raise ValueError(f"results must have shape (games, at least {max(num_players, 2)}, keys), not {results.shape}")
    values = _RULES[reward](places(results), results[:, :, 0].astype(np.float64))
    return np.asarray(values[:, :num_players])


def loss(reward: str, game: Game) -> float:
    """The value of an episode to the player who ends it with an illegal action; for `win` and `rank` the minimum."""
    losses = {"win": -1.0, "rank": -1.0, "margin": game.losses.margin, "score": game.losses.score}
    return game.losses.margin / game.dense_unit if reward == DENSE_MARGIN else losses[reward]


def lost(reward: str, loser: int, scores: ArrayLike, game: Game) -> NDArray[np.float32]:
    """Rewards of a game that one of its sides lost by an illegal action.

    The loser gets the reward's :func:`loss`. By "score" each other side gets its current score; else the others share
    the opposite amount equally, whatever the position, so that the rewards sum to 0.

    Args:
        reward: "win", "rank", "margin" or "score".
        loser: the side that played the illegal action.
        scores: the current scores of all sides, shape (sides,), 2 or more.
        game: the game.

    Returns:
        float32, shape (sides,).
    """
    values = np.array(scores, np.float32)
    if reward == "score":
        values[loser] = game.losses.score
        return values
    result = np.zeros((1, len(values), 1))
    result[0, loser] = game.losses.margin
    shared: NDArray[np.float32] = returns(reward, result, len(values))[0]
    return shared


def margin(results: ArrayLike, seats: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """The score of one side of each game - the mean of the others', in points.

    Args:
        results: (N, sides, keys), 2 sides or more.
        seats: the side, int64 (N,); None: the first side, as at a table of one.

    Returns:
        float64 (N,).
    """
    scores = np.asarray(results)[:, :, 0]
    own = scores[:, 0] if seats is None else scores[np.arange(len(scores)), seats]
    return np.asarray(own - (scores.sum(axis=1) - own) / (scores.shape[1] - 1), np.float64)


Numbers = NDArray[np.float64]


def _win(places: NDArray[np.int64], scores: Numbers) -> Numbers:
    best = places == 0
    winners = best.sum(axis=1, keepdims=True)
    losers = places.shape[1] - winners
    return np.where(losers == 0, 0.0, np.where(best, 1.0 / winners, -1.0 / np.maximum(losers, 1)))


def _rank(places: NDArray[np.int64], scores: Numbers) -> Numbers:
    better = np.sign(places[:, None, :] - places[:, :, None])
    return np.asarray(better.sum(axis=2) / (places.shape[1] - 1))


def _margin(places: NDArray[np.int64], scores: Numbers) -> Numbers:
    others = (scores.sum(axis=1, keepdims=True) - scores) / (scores.shape[1] - 1)
    return np.asarray(scores - others)


def _score(places: NDArray[np.int64], scores: Numbers) -> Numbers:
    return scores


_RULES = {"win": _win, "rank": _rank, "margin": _margin, "score": _score}
