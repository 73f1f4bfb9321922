"""A game as one seat sees it: hidden information redrawn, and bounds of the scores.

The results reveal nothing hidden: positions that a seat can't distinguish give the same results.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from carnegie_env.core import kernels
from carnegie_env.core.position import BasePosition
from carnegie_env.core.records import as_bytes

PositionT = TypeVar("PositionT", bound=BasePosition[Any])
WATCHER = -1  # instead of a seat: an onlooker, who sees only public information
DRAWS = 50  # redraws of hidden information, for scores that depend on it


def as_seen(position: PositionT, seat: int, draw: int = 0) -> PositionT:
    """A copy with everything that a seat can't see, and all future chance, redrawn.

    Args:
        position: the game; it is not changed.
        seat: the observing seat, or WATCHER.
        draw: the number of the draw; each gives a different copy.
    """
    return position._of(_drawn(position, seat, draw, 1))


def scores(position: BasePosition[Any], seat: int, draws: int = DRAWS) -> list[tuple[int, int, dict[str, int]]]:
    """The scores as if the game ended now, as far as a seat can know them.

    Args:
        position: the game.
        seat: the observing seat, or WATCHER.
        draws: redraws of hidden information; more make the bounds more reliable.

    Returns:
        For each side: the lowest and the highest score found, and the lowest value of each category (the sum of its
        subdivisions).
    """
    game, options = position.game, position.options
    known = position.is_over or not game.hides(options)
    games = position.games.copy() if known else _drawn(position, seat, 0, draws)
    rows = np.zeros((len(games), game.score_rows, len(game.score_columns)), np.int64)
    kernels.score(games, rows)
    rows = rows[:, list(game.sides(options))]
    totals = rows[:, :, game.rank_columns[0]]
    named = game.summed_scores(games[0], rows.min(axis=0).tolist())
    least, most = totals.min(axis=0).tolist(), totals.max(axis=0).tolist()
    return list(zip(least, most, named, strict=True))


def _drawn(position: BasePosition[Any], seat: int, first: int, number: int) -> Any:
    """Copies of the record with their hidden information redrawn: shape (number,)."""
    games = np.repeat(as_bytes(position.games), number).view(position.game.record)
    seeds = np.arange(first, first + number, dtype=np.uint64) + np.uint64(position.record.decisions)
    kernels.redraw_hidden(games, np.full(number, seat, np.int64), seeds)
    return games
