"""Activation of employees (rulebook part 1, chapter 4.2 and part 2, chapter 4; set-up step 12; ruling 28)."""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, timeline
from carnegie_env.carnegie.state import bit
from carnegie_env.core import masks
from carnegie_env.core.jit import jit


@jit
def activation_cost(game, seat, space):
    """$ of the cheapest free workstation of a department; a huge number if none is free."""
    return t.ACTIVATION_COST[game.department[seat, space], game.active[seat, space]]


@jit
def legal_activation(game):
    """Inactive employees on a free workstation of their department that can be paid."""
    seat = game.to_play
    masks.put(game.legal, actions.PASS)
    candidates = game.inactive_at[seat] & ~game.empty_spaces[seat]
    for space in range(t.COMPANY_SPACES):
        if candidates & bit(space) and company.can_pay(game, seat, activation_cost(game, seat, space), 0):
            masks.put(game.legal, actions.ACTIVATE + space)


@jit
def apply_activation(game, space):
    """Pay, and he stands up."""
    seat = game.to_play
    company.pay(game, seat, activation_cost(game, seat, space), 0)
    company.remove_inactive(game, seat, space)
    company.add_active(game, seat, space)


@jit
def end_activation(game):
    """The next seat activates; after the last one the round (or set-up) is over."""
    if not company.pass_clockwise(game):
        if game.round_number == 0:
            game.phase = state.START_ROUND
        else:
            timeline.end_round(game)
