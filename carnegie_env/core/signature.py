"""A game's signature: a number that changes when the behaviour of its rules does, and when nothing else changes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from carnegie_env.core import kernels
from carnegie_env.core.game import Game

SIGNED_GAMES = 100  # of each of the game's variants


def dealt(game: Game, options: dict[str, Any], number: int) -> tuple[Any, Any]:
    """New games, dealt from the seeds 0, 1, ..., and these seeds."""
    template = game.template(game.options.from_dict(options))
    games = np.repeat(template, number)
    seeds = np.arange(number, dtype=np.uint64)
    kernels.start(games, template, seeds)
    return games, seeds


def signature(game: Game) -> int:
    """A number made of all that the final positions of random games of all variants say, and of their scores.

    How a record is laid out in memory does not enter. It takes some seconds.
    """
    digest = hashlib.sha256()
    for options in game.variants:
        games, seeds = dealt(game, options, SIGNED_GAMES)
        kernels.play_out(games, seeds)
        scores = np.zeros((len(games), game.score_rows, len(game.score_columns)), np.int64)
        kernels.score(games, scores)
        for record, score in zip(games, scores.tolist(), strict=True):
            said = [game.codec.to_dict(record), score]
            digest.update(json.dumps(said, sort_keys=True).encode())
    return int.from_bytes(digest.digest()[:6], "big")
