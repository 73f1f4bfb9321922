"""The inputs of the value network, for any game: an observation, the game's insights, and scores.

The scores are all score columns as if the game ended now, first of the seat, then of the other sides in turn. The
network's outputs are relative to the present margin.

A point is worth more in some games than in others, so the unit of scores is a tenth of a clear lead
(``Game.dense_unit``), and the unit of margins a fifth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents.network import BLOCK, Floats
from carnegie_env.core import rules
from carnegie_env.core.game import Game
from carnegie_env.core.jit import jit


def score_unit(game: Game) -> float:
    """Points in one unit of a score input."""
    return game.dense_unit / 10


def margin_unit(game: Game) -> float:
    """Points in one unit of a margin output."""
    return game.dense_unit / 5


def labels(game: Game, options: Any) -> tuple[str, ...]:
    """The names of all inputs, without the padding of the last block."""
    names = [f"{column} of {side}" for side in _owners(game, options) for column in game.score_columns]
    return (*game.layout(options).labels, *game.insights, *names)


def _owners(game: Game, options: Any) -> list[str]:
    """The sides as seen from a seat: own, opponents, automatic opponent."""
    seats = ["own", *(f"opponent{k}" for k in range(1, options.num_players))]
    return seats[: options.num_players] + ["automatic"] * (len(game.sides(options)) - options.num_players)


def size(game: Game, options: Any) -> int:
    """The number of inputs F: a multiple of BLOCK."""
    return -(-len(labels(game, options)) // BLOCK) * BLOCK


@jit
def write(
    game: Any,
    seat: int,
    features: int,
    insights: int,
    sides: NDArray[np.int64],
    total: int,
    unit: float,
    out: Floats,
    rows: NDArray[np.int64],
) -> float:
    """Write the inputs of a seat.

    Args:
        game: the record.
        seat: the point of view.
        features, insights: the sizes of an observation and of ``Game.insights``.
        sides: the score rows of the sides, seats first: int64 (sides,).
        total: the score column of the margin.
        unit: see :func:`score_unit`.
        out: the inputs, float32 (F,); the padding at the end is not written.
        rows: working memory for the scores, int64 (score rows, score columns).

    Returns:
        The margin of the seat over the best other side, as if the game ended now, in points.
    """
    rules.observe(game, seat, out[:features])
    rules.insight(game, seat, out[features : features + insights])
    rules.score(game, rows)
    columns, by = rows.shape[1], np.float32(1 / unit)
    players = np.int64(game.num_players)
    at = features + insights
    best = -(1 << 40)
    for k in range(sides.shape[0]):
        row = sides[(seat + k) % players] if k < players else sides[k]
        for column in range(columns):
            out[at + column] = np.float32(np.int32(rows[row, column])) * by  # 32 bits, to be vectorized
        at += columns
        if k > 0:
            best = max(best, rows[row, total])
    return float(rows[sides[seat], total] - best)
