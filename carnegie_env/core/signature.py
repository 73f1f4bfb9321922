"""A game's signature: a number that changes exactly when the behaviour of its rules changes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from carnegie_env.core import kernels
from carnegie_env.core.facts import FIRST_EDITION
from carnegie_env.core.game import Game

SIGNED_GAMES = 100  # of each variant


def dealt(game: Game, options: dict[str, Any], number: int) -> tuple[Any, Any]:
    """New games, dealt from the seeds 0, 1, ..., and these seeds."""
    template = game.template(game.options.from_dict(options))
    games = np.repeat(template, number)
    seeds = np.arange(number, dtype=np.uint64)
    kernels.start(games, template, seeds)
    return games, seeds


def signature(game: Game) -> int:
    """A hash of the final positions and scores of random games of all variants, which takes some seconds.

    It does not depend on the memory layout of the record. Editions of the component tables have different signatures.
    """
    digest = hashlib.sha256(b"" if game.edition == FIRST_EDITION else game.edition.encode())
    for options in game.variants:
        games, seeds = dealt(game, options, SIGNED_GAMES)
        kernels.play_out(games, seeds)
        scores = np.zeros((len(games), game.score_rows, len(game.score_columns)), np.int64)
        kernels.score(games, scores)
        for record, score in zip(games, scores.tolist(), strict=True):
            content = [game.codec.to_dict(record), score]
            digest.update(json.dumps(content, sort_keys=True).encode())
    return int.from_bytes(digest.digest()[:6], "big")
