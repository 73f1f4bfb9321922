"""Expansion 1, module 3, "New donations": tiles that cover panels of the donation table (rulings 46, P15).

What covered cells score by stands in donations.py, with the printed ones.
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, setup
from carnegie_env.carnegie.state import Record
from carnegie_env.core import masks
from carnegie_env.core.jit import jit


@jit
def _is_placed(game: Record, tile: int) -> bool:
    for column in range(t.NUM_DONATION_COLUMNS):
        if game.panel[column] == tile:
            return True
    return False


@jit
def legal_panels(game: Record) -> None:
    """After set-up step 10: any remaining tile over any panel not covered yet, or pass."""
    masks.put(game.legal, actions.PASS)
    for tile in range(t.NUM_DONATION_COLUMNS):
        if not _is_placed(game, tile):
            for column in range(t.NUM_DONATION_COLUMNS):
                if game.panel[column] == state.NONE:
                    masks.put(game.legal, actions.PANEL + tile * t.NUM_DONATION_COLUMNS + column)


@jit
def apply_panels(game: Record, verb: int, argument: int) -> None:
    """Cover a panel; disks keep their cells. Seats decide clockwise; then come the moves."""
    if verb != actions.V_PASS:
        game.panel[argument % t.NUM_DONATION_COLUMNS] = argument // t.NUM_DONATION_COLUMNS
    if not company.pass_clockwise(game):
        setup.begin_setup_moves(game)
