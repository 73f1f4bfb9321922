"""Set-up. Nothing is drawn: the first player is seat 0 (ruling 55), and the seed changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import rng
from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.options import Options
from carnegie_env.steel_driver.rules import rounds
from carnegie_env.steel_driver.state import Record


def template(options: Options) -> NDArray[Any]:
    """The record before the first round: shape (1,), dtype ``state.GAME``."""
    games = state.FIELDS.blank(options)
    games["order"] = np.arange(t.NUM_COMPANIES)
    return games


@jit
def deal(game: Record, seed: np.uint64) -> None:
    """Begin the first round; the seed only matters for random play."""
    game.rng = rng.mix(seed)
    rounds.begin(game)
