"""A seat's turn: using departments (rulebook part 2, chapter 3; rulings 16-18; docs/design.md, section 3)."""

from __future__ import annotations

from carnegie_env.carnegie import actions, events, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, construction, human_resources, management, research
from carnegie_env.carnegie.rules.company import CONSTRUCTION, HUMAN_RESOURCES, MANAGEMENT, RESEARCH
from carnegie_env.carnegie.rules.timeline import ALL_ROWS
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit


@jit
def begin_turn(game: Record) -> None:
    """The next seat's turn, of the round's action type."""
    _start(game, game.chosen_row)
    game.started = 0


@jit
def _start(game: Record, action: int) -> None:
    """Set the turn's moves and research points, the employees that can act, and the kind of moves."""
    seat = game.to_play
    game.action = action
    game.moves = human_resources.starting_moves(game, seat) if action == HUMAN_RESOURCES else 0
    game.research = research.starting_research(game, seat) if action == RESEARCH else 0
    for space in range(t.COMPANY_SPACES):
        game.ready[space] = game.active[seat, space] if game.spaces_of_type[seat, action] & bit(space) else 0
    game.diagonal_moves = action == HUMAN_RESOURCES and company.works(game, seat, t.CORPORATE_COMMUNICATIONS)
    game.phase = state.TURN


@jit
def may_choose_action(game: Record, seat: int) -> bool:
    """Whether the seat can spend an Action Choice tile: at the start of its turn, not as first player (ruling 16)."""
    return game.started == 0 and game.action_tile[seat] > 0 and seat != game.first_player


@jit
def may_act(game: Record) -> bool:
    """False if only passing is legal; if True, other actions may be legal."""
    seat = game.to_play
    return (
        game.moves > 0 or game.research > 0 or company.usable_spaces(game, seat) != 0 or may_choose_action(game, seat)
    )


@jit
def legal_turn(game: Record) -> None:
    """All actions of a turn; passing is always legal."""
    seat = game.to_play
    masks.put(game.legal, actions.PASS)
    if may_choose_action(game, seat):
        masks.put_bits(game.legal, actions.TIMELINE, ALL_ROWS & ~bit(game.chosen_row))
    if game.action == HUMAN_RESOURCES:
        human_resources.legal_human_resources(game, seat)
        if game.moves > 0:
            company.legal_lift(game, seat)
    elif game.action == MANAGEMENT:
        management.legal_management(game, seat)
    elif game.action == CONSTRUCTION:
        construction.legal_construction(game, seat)
    else:
        research.legal_research_departments(game, seat)
    research.legal_advance(game)
    if game.modules & state.WAIT and game.started == 0 and seat == game.first_player and game.waiting == 0:
        if masks.count(game.legal) > 1:  # P11
            masks.put(game.legal, actions.WAIT)


@jit
def apply_turn(game: Record, verb: int, argument: int) -> None:
    """One decision of a turn."""
    seat = game.to_play
    if verb == actions.V_PASS:
        if game.started == 0 and masks.count(game.legal) == 1:
            emit(events.IDLE, seat, game.action)
        end(game)
        return
    if verb == actions.V_WAIT:  # the others take their turns first (ruling 43)
        _clear(game)
        game.waiting = 1
        game.to_play = (seat + 1) % game.num_players
        game.phase = state.BEGIN_TURN
        return
    game.started = 1
    if verb == actions.V_LIFT_INACTIVE:
        human_resources.apply_lift(game, argument, 0)
    elif verb == actions.V_LIFT_ACTIVE:
        human_resources.apply_lift(game, argument, 1)
    elif verb == actions.V_ADVANCE_TAB or verb == actions.V_ADVANCE_TRACK:
        research.apply_advance(game, verb, argument)
    elif verb == actions.V_TIMELINE:
        emit(events.SPENDS_TILE, seat)
        game.action_tile[seat] = 0
        _start(game, argument)
    elif game.action == HUMAN_RESOURCES:
        human_resources.apply_human_resources(game, seat, verb, argument)
    elif game.action == MANAGEMENT:
        management.apply_management(game, seat, verb, argument)
    elif game.action == CONSTRUCTION:
        construction.apply_construction(game, seat, verb, argument)
    else:
        research.apply_research_departments(game, seat, verb, argument)


@jit
def skip(game: Record) -> None:
    """A turn in which nothing can be done."""
    if game.started == 0:
        emit(events.IDLE, game.to_play, game.action)
    end(game)


@jit
def end(game: Record) -> None:
    """Moves and points left are lost; the next seat's turn follows, after the last seat activation."""
    _clear(game)
    if game.waiting and game.to_play == game.first_player:
        game.waiting = 0
        more = False
    else:
        more = company.pass_clockwise(game)
        if game.waiting:  # the first player's turn comes last
            more = True
    game.phase = state.BEGIN_TURN if more else state.ACTIVATION


@jit
def _clear(game: Record) -> None:
    """Clear all fields of a turn."""
    game.action = state.NONE
    game.started = 0
    game.moves = 0
    game.research = 0
    game.department_in_use = state.NONE
    game.diagonal_moves = 0
    for space in range(t.COMPANY_SPACES):
        game.ready[space] = 0
