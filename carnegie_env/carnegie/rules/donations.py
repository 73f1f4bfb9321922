"""The donation table and the donation event (rulebook part 2, chapter 2.2; part 3, chapter 2; ruling 13).

What cells score stands in scoring.py.
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, event
from carnegie_env.carnegie.state import ANDREW, Record, add_donation, bit
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit, popcount


# ---- the table
@jit
def has_disk(game: Record, cell: int, owner: int) -> int:
    """1 if an owner's disk lies on a cell, else 0; a number, so that loops over cells can be vectorized."""
    return (game.donation[cell] >> owner) & 1


@jit
def cells_of(game: Record, owner: int) -> int:
    """Bit set of the cells with a disk of an owner."""
    cells = int64(0)
    for cell in range(t.NUM_DONATIONS):
        cells |= int64(has_disk(game, cell, owner)) << cell
    return cells


@jit
def disks_of(game: Record, owner: int) -> int:
    """The number of cells with a disk of an owner."""
    return popcount(cells_of(game, owner))


@jit
def number_on(game: Record, seat: int, column: int) -> int:
    """A seat's disks on a panel of the donation table."""
    number = int64(0)
    for cell in range(column * t.PANEL_ROWS, (column + 1) * t.PANEL_ROWS):
        number += has_disk(game, cell, seat)
    return number


@jit
def rule_of(game: Record, cell: int) -> int:
    """The rule (tables.RULE_COUNT, ...) by which a cell scores: the printed one, or the one on the tile over it."""
    tile = game.panel[cell // t.PANEL_ROWS]
    if tile == state.NONE:
        return cell
    return t.NUM_DONATIONS + tile * t.PANEL_ROWS + cell % t.PANEL_ROWS


@jit
def column_of(game: Record, column: int) -> int:
    """The type of a panel's donations: its own, or that of the tile over it."""
    return int64(column) if game.panel[column] == state.NONE else int64(game.panel[column])


# ---- the event
@jit
def donation_cost(game: Record, seat: int) -> int:
    """$ of the next donation: 5n for the n-th, 3n while Communications works (ruling 13)."""
    step = t.DONATION_STEP
    if company.works(game, seat, t.COMMUNICATIONS):
        step = t.EFFECT[t.COMMUNICATIONS, t.EFFECT_DONATION_STEP]
    return step * (game.donations_made[seat] + 1)


@jit
def can_donate(game: Record, seat: int) -> bool:
    """Whether a disk is in the reserve and the next donation can be paid."""
    return game.disks[seat] > 0 and company.can_pay(game, seat, donation_cost(game, seat), 0)


@jit
def next_donation(game: Record) -> None:
    """Find the next seat that can donate; after the last, the turns begin."""
    if event.donation(game) and game.free_cells != 0:
        while True:
            if can_donate(game, game.to_play):
                game.phase = state.DONATION
                return
            if not company.pass_clockwise(game):
                break
    game.phase = state.BEGIN_TURN
    game.to_play = game.first_player


@jit
def legal_donation(game: Record) -> None:
    """Any free cell, or pass."""
    masks.put(game.legal, actions.PASS)
    masks.put_bits(game.legal, actions.DONATE, game.free_cells)


@jit
def donate(game: Record, cell: int) -> None:
    """Pay and put a disk on the cell."""
    seat = game.to_play
    company.pay(game, seat, donation_cost(game, seat), 0)
    game.donations_made[seat] += 1
    game.disks[seat] -= 1
    add_donation(game, cell, seat)


@jit
def end_donation(game: Record) -> None:
    """One donation per seat; the next seat follows."""
    more = company.pass_clockwise(game)
    game.phase = state.NEXT_DONATION if more else state.BEGIN_TURN


# ---- copies by Charitable Giving
@jit
def cells_to_copy(game: Record, seat: int) -> int:
    """Bit set of cells with another player's (solo: Andrew's) disk and none of the seat's own (ruling 26)."""
    others = (bit(ANDREW + 1) - 1) & ~bit(seat)
    cells = 0
    for cell in range(t.NUM_DONATIONS):
        if game.donation[cell] & others != 0 and not has_disk(game, cell, seat):
            cells |= bit(cell)
    return cells


@jit
def legal_charity(game: Record) -> None:
    """Charitable Giving: the cell to copy."""
    masks.put_bits(game.legal, actions.DONATE, cells_to_copy(game, game.to_play))


@jit
def apply_charity(game: Record, cell: int) -> None:
    """The copy counts as a donation in every way (ruling 13)."""
    donate(game, cell)
    game.phase = state.TURN
