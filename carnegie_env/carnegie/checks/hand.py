"""What is in hand: it belongs to the phase, a turn's departments are used by the rules, the phase has its reason."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.checks import between, faults, phases
from carnegie_env.carnegie.checks.faults import say
from carnegie_env.carnegie.rules import (
    company,
    donations,
    event,
    lobby,
    setup,
)
from carnegie_env.carnegie.state import NONE, Record, bit
from carnegie_env.core.arrays import Vector
from carnegie_env.core.jit import jit


@jit
def _held(found: Vector[int], fault: int, k: int, used: bool, may: bool, must: bool) -> int:
    """The fault so far, or what is wrong with the k-th of HAND: in use but may not be, or the reverse."""
    if fault == 0 and used and not may:
        return say(found, faults.NOT_IN_HAND, k, 0, 0)
    if fault == 0 and must and not used:
        return say(found, faults.IN_HAND, k, 0, 0)
    return fault


@jit
def check_hand(game: Record, found: Vector[int]) -> int:
    """What belongs to a phase is there, the rest is empty."""
    phase, turn = game.phase, phases.in_turn(game)
    destination = phase == state.DESTINATION
    set_up_moves = phase == state.SETUP_MOVES or (destination and not turn)
    relocating = phase == state.RELOCATION or (destination and game.relocations > 0)
    moving = set_up_moves or (destination and not relocating)
    using = (
        relocating or phase == state.SITE or phase == state.PROPERTY or phase == state.CHARITY or phase == state.HALVES
    )
    arriving = lobby.is_choice(phase) or (phase == state.LEVEL and not turn)
    earning = phase == state.LOBBY_RECOVER or phase == state.RESEARCH
    choosing = phase == state.TAB_INCOME or phase == state.LOBBY_TAB
    activating = phase == state.ACTIVATION and phases.in_round(game)
    fault = _held(found, 0, 0, game.action != NONE, turn, turn)
    fault = _held(found, fault, 1, game.started != 0, turn, turn and phase != state.TURN)
    fault = _held(found, fault, 2, game.moves != 0, turn or set_up_moves, moving)
    fault = _held(found, fault, 3, game.research != 0, turn or earning, phase == state.RESEARCH)
    fault = _held(found, fault, 4, game.arrivals != 0, arriving, arriving)
    fault = _held(found, fault, 5, game.lifted != NONE, destination, destination)
    fault = _held(found, fault, 6, game.tile != 0, phase == state.SITE, phase == state.SITE)
    fault = _held(found, fault, 7, game.site != NONE, phase == state.PROPERTY, phase == state.PROPERTY)
    fault = _held(found, fault, 8, game.choice != NONE, choosing, choosing)
    fault = _held(found, fault, 9, game.department_in_use != NONE, turn, using)
    fault = _held(found, fault, 10, game.ready.sum() != 0, turn, False)
    fault = _held(found, fault, 11, game.diagonal_moves != 0, turn, False)
    fault = _held(found, fault, 12, game.relocations != 0, relocating and turn, relocating)
    fault = _held(found, fault, 13, game.projects != 0, phase == state.HALVES, phase == state.HALVES)
    fault = _held(found, fault, 14, game.level_region != NONE, phase == state.LEVEL, phase == state.LEVEL)
    fault = _held(found, fault, 15, game.payroll_activated != 0, activating, False)
    if fault == 0 and set_up_moves and game.moves > setup.setup_moves(game, game.to_play):
        return say(found, faults.SETUP_MOVES, setup.setup_moves(game, game.to_play), 0, 0)
    return fault


@jit
def check_turn(game: Record, found: Vector[int]) -> int:
    """The turn's action type, the department in use, and who can still act."""
    seat, action, used = game.to_play, game.action, game.department_in_use
    if action != game.chosen_row:  # ruling 16
        spent = between.was_dealt_choice(game, seat) and not game.action_tile[seat] and seat != game.first_player
        if not spent or not game.started:
            return faults.ACTION
    if game.moves and action != company.HUMAN_RESOURCES:
        return faults.MOVES_OF
    if game.research and action != company.CONSTRUCTION and action != company.RESEARCH:
        return faults.RESEARCH_OF
    if used != NONE and t.DEPARTMENT_TYPE[game.department[seat, used]] != action:
        return faults.IN_USE_TYPE
    for space in range(t.COMPANY_SPACES):
        fault = _check_ready(game, space)
        if fault:
            return say(found, fault, space, 0, 0)
    if (game.phase == state.SITE or game.phase == state.PROPERTY) and not is_spent(game):
        return faults.SPENT
    if not game.started and used != NONE:
        return faults.STARTED
    return _check_diagonal(game, seat)


@jit
def _check_ready(game: Record, space: int) -> int:
    """Who can still act on a space (ruling 17): in a department not used yet all who are active, in one left nobody."""
    seat, ready, used = game.to_play, game.ready[space], game.department_in_use
    active = game.active[seat, space]
    if not game.spaces_of_type[seat, game.action] & bit(space):
        return faults.READY_TYPE if ready else 0
    if ready > active:
        return faults.READY_ACTIVE
    if ready != active and used == NONE:
        return faults.READY_ALL
    return faults.READY_SPLIT if 0 < ready < active and space != used else 0


@jit
def is_spent(game: Record) -> bool:
    """Whether somebody in the department in use is: he has just used it without going on a mission."""
    used = game.department_in_use
    return game.ready[used] != game.active[game.to_play, used]


@jit
def _check_diagonal(game: Record, seat: int) -> int:
    """Corporate Communications works for the whole turn if somebody was active there when it began (ruling 42)."""
    moves = game.action == company.HUMAN_RESOURCES
    here = game.owned[seat] & bit(t.CORPORATE_COMMUNICATIONS) != 0
    active = company.works(game, seat, t.CORPORATE_COMMUNICATIONS)
    if game.diagonal_moves and not (moves and here):
        return faults.DIAGONAL
    if game.diagonal_moves and not active and not game.started:
        return faults.DIAGONAL_AT_START
    return faults.DIAGONAL_MISSING if moves and active and not game.diagonal_moves else 0


@jit
def check_phase(game: Record, found: Vector[int]) -> int:
    """What the phase itself says: there is an event for it, a piece in hand, somebody to take it."""
    phase, seat, region = game.phase, game.to_play, event.region(game) if game.advancing_row != NONE else NONE
    if phase == state.DONATION and not event.donation(game):
        return faults.NO_DONATION
    if phases.in_income(game) and region == NONE:
        return faults.NO_REGION
    if phase == state.RECOVER and game.missions[seat, region] == 0:
        return say(found, faults.NOBODY_BACK, region, 0, 0)
    if phase == state.TIMELINE and seat != game.first_player:
        return faults.CHOOSER
    if lobby.is_choice(phase) and not game.owned[seat] & bit(t.NEW_LOBBY):
        return faults.NO_NEW_LOBBY
    if phase == state.DESTINATION:
        here = game.active[seat, game.lifted] if game.lifted_active else game.inactive[seat, game.lifted]
        if here == 0:
            return faults.LIFTED
    if phase == state.TAB_INCOME or phase == state.LOBBY_TAB:
        return _check_income_choice(game, seat, found)
    if phase == state.DONATION:
        return _check_payment(game, seat, found)
    return _check_use(game, seat, found) if phases.in_turn(game) else 0


@jit
def in_use(game: Record, seat: int) -> int:
    """The department in use, 0 if none is."""
    return game.department[seat, game.department_in_use] if game.department_in_use != NONE else 0


@jit
def _check_use(game: Record, seat: int, found: Vector[int]) -> int:
    """A department's use goes on."""
    phase, used, needed = game.phase, in_use(game, seat), 0
    if phase == state.SITE or phase == state.PROPERTY:
        needed = t.START_STRATEGIC_PLANNING
    elif phase == state.CHARITY:
        needed = t.CHARITABLE_GIVING
    if needed and used != needed:
        return say(found, faults.IN_USE, used, needed, 0)
    if phase == state.SITE:
        return _check_tile(game, seat, found)
    if phase == state.PROPERTY:
        if not company.is_tile(game.department[seat, game.site]) or game.active[seat, game.site]:
            return faults.SITE
        if not company.works(game, seat, t.PROPERTY_MANAGEMENT):
            return faults.NO_PROPERTY
    return _check_payment(game, seat, found) if phase == state.CHARITY else 0


@jit
def _check_payment(game: Record, seat: int, found: Vector[int]) -> int:
    """A donation can be made."""
    cost = donations.donation_cost(game, seat)
    if not company.can_pay(game, seat, cost, 0):
        return say(found, faults.DONATION_MONEY, cost, 0, 0)
    return faults.DONATION_DISK if game.disks[seat] == 0 else 0


@jit
def _check_income_choice(game: Record, seat: int, found: Vector[int]) -> int:
    project, section = game.choice // t.TAB_SECTIONS, game.choice % t.TAB_SECTIONS
    choice = t.TAB_CHOICE[project, section]
    if choice == t.CHOICE_NONE or section >= game.tab_built[seat, project]:
        return say(found, faults.INCOME_CHOICE, project, section, 0)
    if game.phase == state.LOBBY_TAB and choice != t.CHOICE_EMPLOYEE_OR_MONEY:
        return say(found, faults.LOBBY_CHOICE, project, section, 0)
    return faults.LOBBY_ARRIVALS if game.phase == state.LOBBY_TAB and game.arrivals != 1 else 0


@jit
def _check_tile(game: Record, seat: int, found: Vector[int]) -> int:
    """The tile in hand can be built."""
    if game.reserved[seat] and game.tile != game.reserved[seat]:
        return say(found, faults.TILE_RESERVED, game.reserved[seat], 0, 0)
    if not game.reserved[seat] and game.display[game.tile] == 0:
        return faults.TILE_DISPLAY
    return faults.TILE_OWNED if game.owned[seat] & bit(game.tile) else 0
