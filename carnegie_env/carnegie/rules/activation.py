"""Activation of employees (rulebook part 1, chapter 4.2 and part 2, chapter 4; set-up step 12; ruling 28)."""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, timeline
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks
from carnegie_env.core.jit import jit, trailing_zeros


@jit
def activation_cost(game: Record, seat: int, space: int) -> int:
    """$ of the cheapest free workstation of a department; a huge number if none is free."""
    return t.ACTIVATION_COST[game.department[seat, space], game.active[seat, space]]


@jit
def _candidates(game: Record, seat: int) -> int:
    """Bit set of the spaces with a department and an inactive employee, without the lobby."""
    return game.inactive_at[seat] & ~game.empty_spaces[seat] & ~bit(t.LOBBY_SPACE)


@jit
def may_activate(game: Record) -> bool:
    """False if only passing is legal; if True, other actions may be legal."""
    return _candidates(game, game.to_play) != 0


@jit
def legal_activation(game: Record) -> None:
    """Activate an inactive employee on a free workstation of the department that can be paid."""
    seat = game.to_play
    masks.put(game.legal, actions.PASS)
    candidates = _candidates(game, seat)
    rest = candidates
    while rest != 0:
        space = trailing_zeros(rest)
        rest &= rest - 1
        if company.can_pay(game, seat, activation_cost(game, seat, space), 0):
            masks.put(game.legal, actions.ACTIVATE + space)
    if game.owned[seat] & bit(t.PAYROLL_MANAGEMENT) and payroll_works(game, seat):
        _legal_prices(game, seat, candidates)


@jit
def payroll_works(game: Record, seat: int) -> bool:
    """Whether Payroll Management has an employee who was active before this activation (ruling 42)."""
    return game.active[seat, company.space_of(game, seat, t.PAYROLL_MANAGEMENT)] > game.payroll_activated


@jit
def _legal_prices(game: Record, seat: int, candidates: int) -> None:
    """Payroll Management's other prices: more $ for VP, or fewer $ and a loss of VP, if there is a VP to lose."""
    for space in range(t.COMPANY_SPACES):
        cost = activation_cost(game, seat, space)
        if candidates & bit(space) and cost < t.NO_WORKSTATION:
            if company.can_pay(game, seat, cost + t.EFFECT[t.PAYROLL_MANAGEMENT, t.EFFECT_SURCHARGE], 0):
                masks.put(game.legal, actions.GAIN_VP + space)
            if game.vp[seat] > 0 and company.can_pay(game, seat, t.EFFECT[t.PAYROLL_MANAGEMENT, t.EFFECT_PRICE], 0):
                masks.put(game.legal, actions.LOSE_VP + space)


@jit
def apply_activation(game: Record, verb: int, space: int) -> None:
    """Pay for a workstation and stand up the employee."""
    seat = game.to_play
    cost = activation_cost(game, seat, space)
    if verb == actions.V_GAIN_VP:
        cost += t.EFFECT[t.PAYROLL_MANAGEMENT, t.EFFECT_SURCHARGE]
        game.vp[seat] += t.EFFECT[t.PAYROLL_MANAGEMENT, t.EFFECT_VP]
    elif verb == actions.V_LOSE_VP:
        cost = t.EFFECT[t.PAYROLL_MANAGEMENT, t.EFFECT_PRICE]
        game.vp[seat] -= t.EFFECT[t.PAYROLL_MANAGEMENT, t.EFFECT_VP_LOST]
    company.pay(game, seat, cost, 0)
    company.remove_inactive(game, seat, space)
    company.add_active(game, seat, space)
    if game.department[seat, space] == t.PAYROLL_MANAGEMENT:
        game.payroll_activated += 1


@jit
def end_activation(game: Record) -> None:
    """The next seat activates; after the last one the round (or set-up) is over."""
    game.payroll_activated = 0
    if not company.pass_clockwise(game):
        if game.round_number == 0:
            game.phase = state.SECRET if game.modules & state.SECRET_DONATION else state.START_ROUND
        else:
            timeline.end_round(game)
