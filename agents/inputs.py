"""What the value network is told of a position: for any game, the observation of a seat and the score at that moment.

Behind the observation come the game's insights, if it has any, and the score columns as if the game ended now, of the
seat itself, then of the other sides in turn: what a position has brought so far, by category, need not be learned. The
margin now is what outputs start from.

A point is much in one game and next to nothing in another. What is a clear lead the game says (``Game.dense_unit``);
networks count scores in a tenth of that, and margins in a fifth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import rules
from carnegie_env.core.game import Game
from carnegie_env.core.jit import jit

from .network import BLOCK, Floats


def score_unit(game: Game) -> float:
    """The points that an input for a score column counts as 1."""
    return game.dense_unit / 10


def margin_unit(game: Game) -> float:
    """The points that an output for a margin counts as 1."""
    return game.dense_unit / 5


def labels(game: Game, options: Any) -> tuple[str, ...]:
    """A name for every input, without those that fill up the last block."""
    names = [f"{column} of {side}" for side in _owners(game, options) for column in game.score_columns]
    return (*game.layout(options).labels, *game.insights, *names)


def _owners(game: Game, options: Any) -> list[str]:
    """The sides by what they are to the seat."""
    seats = ["own", *(f"opponent{k}" for k in range(1, options.num_players))]
    return seats[: options.num_players] + ["automatic"] * (len(game.sides(options)) - options.num_players)


def size(game: Game, options: Any) -> int:
    """How many inputs F: a multiple of BLOCK."""
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
        seat: whose view.
        features, insights: numbers in an observation, and in ``Game.insights``.
        sides: int64 (sides,): the score rows of those who compete, the seats first.
        total: the score column that the margin is of.
        unit: see :func:`score_unit`.
        out: float32 (F,), of which the last ones, beyond the inputs, stay as they are.
        rows: room for the scores, int64 (score rows, score columns).

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
            out[at + column] = np.float32(rows[row, column]) * by
        at += columns
        if k > 0:
            best = max(best, rows[row, total])
    return float(rows[sides[seat], total] - best)
