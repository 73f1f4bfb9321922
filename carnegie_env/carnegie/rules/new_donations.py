"""Expansion 1, module 3, "New donations": tiles that cover panels of the donation table (rulings 46, P15).

What the covered cells score stands in scoring.py, with the printed ones.
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, setup
from carnegie_env.carnegie.state import Record
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit

PANELS = len(t.DONATION_COLUMNS)


@jit
def _is_placed(game: Record, tile: int) -> bool:
    for column in range(PANELS):
        if game.panel[column] == tile:
            return True
    return False


@jit
def legal_panels(game: Record) -> None:
    """After set-up step 10: any tile left over any panel not covered yet, or none."""
    masks.put(game.legal, actions.PASS)
    for tile in range(PANELS):
        if not _is_placed(game, tile):
            for column in range(PANELS):
                if game.panel[column] == state.NONE:
                    masks.put(game.legal, actions.PANEL + tile * PANELS + column)


@jit
def apply_panels(game: Record, verb: int, argument: int) -> None:
    """Disks on the panel keep their cells. Clockwise; then the moves."""
    if verb != actions.V_PASS:
        game.panel[argument % PANELS] = argument // PANELS
    if not company.pass_clockwise(game):
        setup.begin_setup_moves(game)


@jit
def rule_of(game: Record, cell: int) -> int:
    """The number of the rule (tables.RULE_COUNT, ...) by which a cell scores: the printed one or that of its tile."""
    tile = game.panel[cell // t.PANEL_ROWS]
    if tile == state.NONE:
        return cell
    return len(t.DONATIONS) + tile * t.PANEL_ROWS + cell % t.PANEL_ROWS


@jit
def column_of(game: Record, column: int) -> int:
    """The type of donation that a panel counts as: that of the tile on it."""
    return int64(column) if game.panel[column] == state.NONE else int64(game.panel[column])
