"""The dispatch from phases to rules.

Carnegie for 2-4 players and solo against Andrew, with all modules of expansion 1, complete by the rulebooks. Not
modelled: physical limits of money and goods (there are none by the rules, ruling 15), and selling goods when nothing
has to be paid (ruling 14).
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie.rules import (
    activation,
    andrew,
    donations,
    human_resources,
    income,
    lobby,
    management,
    new_departments,
    new_donations,
    new_start,
    research,
    secret_donation,
    setup,
    timeline,
    transport,
    turn,
)
from carnegie_env.carnegie.state import Record
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit


@jit
def legal(game: Record) -> int:
    """Write the legal actions of the decision at hand into ``game.legal``; return their number."""
    if game.modules:
        masks.clear(game.legal)
    else:
        masks.clear_first(game.legal, actions.BASE_WORDS)
    phase = game.phase
    if phase == state.TURN:
        turn.legal_turn(game)
    elif phase == state.DESTINATION:
        human_resources.legal_destination(game)
    elif phase == state.ACTIVATION:
        activation.legal_activation(game)
    elif phase == state.TIMELINE:
        timeline.legal_timeline(game)
    elif phase == state.RECOVER:
        income.legal_recover(game)
    elif phase == state.RESEARCH:
        income.legal_research(game)
    elif phase == state.TAB_INCOME:
        income.legal_tab_income(game)
    elif phase == state.DONATION:
        donations.legal_donation(game)
    elif phase == state.SITE:
        management.legal_site(game)
    elif phase == state.PROPERTY:
        management.legal_property(game)
    elif phase == state.CHARITY:
        donations.legal_charity(game)
    elif lobby.is_choice(phase):
        lobby.legal_lobby(game)
    elif phase == state.SETUP_MOVES:
        human_resources.legal_setup_moves(game)
    elif phase == state.SIDES:
        setup.legal_sides(game)
    elif phase == state.HOUSING:
        setup.legal_housing(game)
    elif phase == state.RESERVE:
        setup.legal_reserve(game)
    elif phase == state.SHEET:
        new_start.legal_sheet(game)
    elif phase == state.PANELS:
        new_donations.legal_panels(game)
    elif phase == state.SECRET:
        secret_donation.legal_secret(game)
    elif phase == state.RELOCATION:
        new_departments.legal_relocation(game)
    elif phase == state.HALVES:
        new_departments.legal_halves(game)
    elif phase == state.LEVEL:
        transport.legal_level(game)
    if game.modules:
        return masks.count(game.legal)
    return masks.count_first(game.legal, actions.BASE_WORDS)


@jit
def apply(game: Record, action: int) -> None:
    """Apply one legal action. The phase left behind may be one of the engine's own steps."""
    verb = actions.VERB[action]
    argument = actions.ARGUMENT[action]
    phase = game.phase
    if phase == state.TURN:
        turn.apply_turn(game, verb, argument)
    elif phase == state.DESTINATION:
        human_resources.apply_destination(game, argument)
    elif phase == state.ACTIVATION:
        if verb == actions.V_PASS:
            activation.end_activation(game)
        else:
            activation.apply_activation(game, verb, argument)
    elif phase == state.TIMELINE:
        timeline.choose_row(game, argument)
    elif phase == state.RECOVER:
        income.apply_recover(game, argument)
    elif phase == state.RESEARCH:
        if verb == actions.V_PASS:
            income.end_research(game)
        else:
            research.apply_advance(game, verb, argument)
    elif phase == state.TAB_INCOME:
        income.apply_tab_income(game, argument)
    elif phase == state.DONATION:
        if verb != actions.V_PASS:
            donations.donate(game, argument)
        donations.end_donation(game)
    elif phase == state.SITE:
        management.apply_site(game, argument)
    elif phase == state.PROPERTY:
        if verb == actions.V_PASS:
            management.end_property(game)
        else:
            management.apply_property(game, argument, verb == actions.V_LIFT_ACTIVE)
    elif phase == state.CHARITY:
        donations.apply_charity(game, argument)
    elif lobby.is_choice(phase):
        lobby.apply_lobby(game, argument)
    elif phase == state.SETUP_MOVES:
        if verb == actions.V_PASS:
            setup.end_setup_moves(game)
        else:
            human_resources.apply_lift(game, argument, verb == actions.V_LIFT_ACTIVE)
    elif phase == state.SIDES:
        setup.apply_sides(game, argument)
    elif phase == state.HOUSING:
        setup.apply_housing(game, argument)
    elif phase == state.RESERVE:
        setup.apply_reserve(game, argument + 1)
    elif phase == state.SHEET:
        new_start.apply_sheet(game, verb, argument)
    elif phase == state.PANELS:
        new_donations.apply_panels(game, verb, argument)
    elif phase == state.SECRET:
        secret_donation.apply_secret(game, argument)
    elif phase == state.RELOCATION:
        if verb == actions.V_PASS:
            new_departments.end_relocation(game)
        else:
            human_resources.apply_lift(game, argument, verb == actions.V_LIFT_ACTIVE)
    elif phase == state.HALVES:
        new_departments.apply_halves(game, argument)
    elif phase == state.LEVEL:
        transport.apply_level(game, argument)


@jit
def proceed(game: Record) -> None:
    """The engine's own steps, up to a player's decision or the end.

    An activation or a turn in which only passing would be legal ends here: to know that is cheaper than to list it.
    """
    while True:
        if game.phase >= state.START_ROUND:
            _take_step(game)
        elif game.phase == state.ACTIVATION and not activation.may_activate(game):
            activation.end_activation(game)
        elif game.phase == state.TURN and not turn.may_act(game):
            turn.skip(game)
        else:
            return


@jit
def _take_step(game: Record) -> None:
    if game.phase == state.BEGIN_TURN:
        turn.begin_turn(game)
    elif game.phase == state.NEXT_INCOME:
        income.next_income(game)
    elif game.phase == state.NEXT_DONATION:
        donations.next_donation(game)
    elif game.phase == state.PAY_TABS:
        income.pay_tabs(game)
    elif game.phase == state.NEXT_CHOICE:
        income.next_choice(game)
    else:
        timeline.start_round(game)


@jit
def redraw_hidden(game: Record, seat: int) -> None:
    """Draw everything hidden from a seat again: Andrew's deck, sealed sheets, secret donations."""
    if game.difficulty != state.NONE:
        andrew.redraw_hidden(game)
    if game.phase == state.SHEET:
        new_start.redraw_hidden(game, seat)
    if game.modules & state.SECRET_DONATION:
        secret_donation.redraw_hidden(game, seat)


@jit
def revealed(game: Record) -> int:
    """A number that changes whenever a card of Andrew's shows its back or its face (ruling 32).

    It is -1 if other hidden information may be revealed: in set-up (neutral disks), with sealed sheets or secret
    donations.
    """
    if game.modules & (state.NEW_START | state.SECRET_DONATION) or game.round_number == 0:
        return -1
    return 2 * int64(game.round_number) + (game.phase == state.TIMELINE)
