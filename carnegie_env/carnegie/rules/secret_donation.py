"""Expansion 1, module 4, "The secret donation": chosen after set-up, hidden, scored at the end (ruling 44)."""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks, rng
from carnegie_env.core.jit import jit


@jit
def legal_secret(game: Record) -> None:
    """Any cell, taken or not."""
    masks.put_bits(game.legal, actions.DONATE, bit(t.NUM_DONATIONS) - 1)


@jit
def apply_secret(game: Record, cell: int) -> None:
    """Choose a cell, without disk or cost. Seats decide clockwise; then comes the first round."""
    game.secret[game.to_play] = cell
    if not company.pass_clockwise(game):
        game.phase = state.START_ROUND


@jit
def redraw_hidden(game: Record, seat: int) -> None:
    """Draw the other seats' choices again, which are hidden until the end."""
    if game.phase == state.OVER:
        return
    for other in range(game.num_players):
        if other != seat and game.secret[other] != state.NONE:
            game.secret[other] = rng.draw(game, t.NUM_DONATIONS)
