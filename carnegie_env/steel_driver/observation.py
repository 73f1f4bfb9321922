"""What a seat sees."""

from __future__ import annotations

import functools

from carnegie_env.core.arrays import Vector
from carnegie_env.core.jit import jit
from carnegie_env.core.layout import Feature, Layout
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import Record


@functools.cache
def layout(num_players: int) -> Layout:
    return Layout("x", [("", (Feature("round", "the round", most=t.ROUNDS),))])


@jit
def observe(game: Record, seat: int, out: Vector[float]) -> None:
    out[0] = game.round_number
