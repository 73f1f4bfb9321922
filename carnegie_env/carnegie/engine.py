"""Phase -> the room that answers: the only dispatch of the rules.

Carnegie for 2-4 players and solo against Andrew, complete by the rulebook. Not modelled: physical limits of money and
goods (there are none by the rules, ruling 15), and selling goods when nothing has to be paid (ruling 14).
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, invariants, state
from carnegie_env.carnegie.rules import (
    activation,
    company,
    donations,
    human_resources,
    income,
    management,
    research,
    setup,
    timeline,
    turn,
)
from carnegie_env.carnegie.state import bit
from carnegie_env.core import masks
from carnegie_env.core.jit import jit


@jit
def legal(game):
    """Write the legal actions of the decision at hand into ``game.legal``; none when the game is over."""
    masks.clear(game.legal)
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
    elif phase == state.LOBBY_RECOVER or phase == state.LOBBY_TAB or phase == state.LOBBY_TURN:
        masks.put_bits(game.legal, actions.NEW_LOBBY, bit(game.arrivals + 1) - 1)
    elif phase == state.SETUP_MOVES:
        human_resources.legal_setup_moves(game)
    elif phase == state.SIDES:
        setup.legal_sides(game)
    elif phase == state.HOUSING:
        setup.legal_housing(game)
    elif phase == state.RESERVE:
        setup.legal_reserve(game)


@jit
def apply(game, action):
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
            activation.apply_activation(game, argument)
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
    elif phase == state.LOBBY_RECOVER:
        income.apply_lobby_recover(game, argument)
    elif phase == state.LOBBY_TAB:
        income.apply_lobby_tab(game, argument)
    elif phase == state.LOBBY_TURN:
        company.apply_new_lobby(game, argument)
        game.phase = state.TURN
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


@jit
def _proceed(game):
    """The engine's own steps, up to a player's decision or the end."""
    while game.phase > state.OVER:
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
def settle(game):
    """Go on to the next decision with a choice, playing the forced ones (all are shown with ``show_forced``)."""
    while True:
        _proceed(game)
        legal(game)
        if game.phase == state.OVER or masks.count(game.legal) > 1:
            return
        only = masks.first(game.legal)
        if game.show_forced and only != actions.PASS:  # that nothing is possible is never a decision
            return
        apply(game, only)


@jit
def start(game, seed):
    """Deal a new game from its template."""
    setup.deal(game, seed)
    settle(game)


@jit
def step(game, action):
    """Take one decision and go on to the next."""
    game.decisions += 1
    apply(game, action)
    settle(game)
    if invariants.CHECK and invariants.verify(game):
        raise AssertionError("a position breaks the rules; carnegie_env.carnegie.invariants.verify says how")
