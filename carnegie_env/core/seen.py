"""A game as one seat sees it: what is hidden drawn anew, scores as far as they can be known.

What comes of it says nothing of what the seat can't see: positions that look the same to him give the same.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from carnegie_env.core import kernels
from carnegie_env.core.position import BasePosition
from carnegie_env.core.records import as_bytes

PositionT = TypeVar("PositionT", bound=BasePosition[Any])
WATCHER = -1  # the seat of somebody who has none: he sees what lies open to all
DRAWS = 50  # of what is hidden, for scores that hang on it


def as_seen(position: PositionT, seat: int, draw: int = 0) -> PositionT:
    """A copy in which all that a seat can't see, and all chance to come, is drawn anew.

    Args:
        position: it is left as it is.
        seat: whose view; WATCHER: what lies open to all.
        draw: another number is another draw.
    """
    games = _drawn(position, seat, draw, 1)
    return position._of(games)


def scores(position: BasePosition[Any], seat: int, draws: int = DRAWS) -> list[tuple[int, int, dict[str, int]]]:
    """What a seat can know of the scores as if the game ended now.

    Args:
        position: the game.
        seat: whose view, or WATCHER.
        draws: of what he can't see: with more, least and most are surer.

    Returns:
        For each side: the least and the most that its score may be, by what the seat can't see, and the score by
        category: of each the least that it may be. What a category is further divided into is summed up.
    """
    game, options = position.game, position.options
    known = position.is_over or not game.hides(options)
    games = position.games.copy() if known else _drawn(position, seat, 0, draws)
    rows = np.zeros((len(games), game.score_rows, len(game.score_columns)), np.int64)
    kernels.score(games, rows)
    rows = rows[:, list(game.sides(options))]
    totals = rows[:, :, game.rank_columns[0]]
    named = game.named_scores(games[0], rows.min(axis=0).tolist())
    least, most = totals.min(axis=0).tolist(), totals.max(axis=0).tolist()
    return [(low, high, _flat(each)) for low, high, each in zip(least, most, named, strict=True)]


def _drawn(position: BasePosition[Any], seat: int, first: int, number: int) -> Any:
    """So many copies of the record, each with what is hidden drawn anew: shape (number,)."""
    games = np.repeat(as_bytes(position.games), number).view(position.game.record)
    seeds = np.arange(first, first + number, dtype=np.uint64) + np.uint64(position.record.decisions)
    kernels.redraw_hidden(games, np.full(number, seat, np.int64), seeds)
    return games


def _flat(categories: dict[str, Any]) -> dict[str, int]:
    return {name: int(sum(each.values()) if isinstance(each, dict) else each) for name, each in categories.items()}
