"""What is in hand: it fits the phase, the use of departments in a turn, and the reason for the phase."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.invariants import companies, phases
from carnegie_env.carnegie.rules import company, donations, event, lobby, setup
from carnegie_env.carnegie.state import NONE, Record, bit
from carnegie_env.core.fields import Axis
from carnegie_env.core.invariants import invariant
from carnegie_env.core.jit import jit

ITEM = Axis("item", (
    "action", "started", "moves", "research", "arrivals", "lifted", "tile", "site", "income_choice", "department",
    "ready", "diagonal_moves", "relocations", "projects", "level_region", "payroll_activated",
))  # fmt: skip


@jit
def _moves_in_set_up(game: Record) -> bool:
    """Whether employees are moved in set-up."""
    return game.phase == state.SETUP_MOVES or (game.phase == state.DESTINATION and not phases.in_turn(game))


@jit
def _belongs(used: bool, may: bool, must: bool) -> bool:
    return may if used else not must


@invariant("turn.{item}", "must be set in the phases that use it, and empty in all others", axes=(ITEM,))
def in_hand(game: Record, item: int) -> bool:
    phase, turn, moving = game.phase, phases.in_turn(game), _moves_in_set_up(game)
    destination = phase == state.DESTINATION
    relocating = phase == state.RELOCATION or (destination and game.relocations > 0)
    if item == 0:
        return _belongs(game.action != NONE, turn, turn)
    if item == 1:
        return _belongs(game.started != 0, turn, turn and phase != state.TURN)
    if item == 2:
        return _belongs(game.moves != 0, turn or moving, moving or (destination and not relocating))
    if item == 3:
        earning = phase == state.LOBBY_RECOVER or phase == state.RESEARCH
        return _belongs(game.research != 0, turn or earning, phase == state.RESEARCH)
    if item == 4:
        arriving = lobby.is_choice(phase) or (phase == state.LEVEL and not turn)
        return _belongs(game.arrivals != 0, arriving, arriving)
    if item == 5:
        return _belongs(game.lifted != NONE, destination, destination)
    if item == 6:
        return (game.tile != 0) == (phase == state.SITE)
    if item == 7:
        return (game.site != NONE) == (phase == state.PROPERTY)
    if item == 8:
        return (game.choice != NONE) == (phase == state.TAB_INCOME or phase == state.LOBBY_TAB)
    if item == 9:
        using = phase == state.SITE or phase == state.PROPERTY or phase == state.CHARITY or phase == state.HALVES
        return _belongs(game.department_in_use != NONE, turn, using or relocating)
    if item == 10:
        return _belongs(game.ready.sum() != 0, turn, False)
    if item == 11:
        return _belongs(game.diagonal_moves != 0, turn, False)
    if item == 12:
        return _belongs(game.relocations != 0, relocating and turn, relocating)
    if item == 13:
        return (game.projects != 0) == (phase == state.HALVES)
    if item == 14:
        return (game.level_region != NONE) == (phase == state.LEVEL)
    return _belongs(game.payroll_activated != 0, phase == state.ACTIVATION and phases.in_round(game), False)


@invariant("turn.moves", "must not exceed the 6 moves of set-up, or those on the seat's sheet", _moves_in_set_up)
def setup_moves(game: Record) -> bool:
    return game.moves <= setup.setup_moves(game, game.to_play)


# ---------------------------------------------------------------- a turn
@invariant(
    "turn.action", "must be the action of the round, unless to_play has spent an Action Choice tile", phases.in_turn
)
def action(game: Record) -> bool:
    seat = game.to_play
    spent = companies.was_dealt_choice(game, seat) and not game.action_tile[seat] and seat != game.first_player
    return game.action == game.chosen_row or (spent and game.started != 0)


@invariant("turn.moves", "must be 0 except in turns of human_resources", phases.in_turn)
def moves(game: Record) -> bool:
    return game.moves == 0 or game.action == company.HUMAN_RESOURCES


@invariant("turn.research", "must be 0 except in turns of construction and research", phases.in_turn)
def research(game: Record) -> bool:
    return game.research == 0 or game.action == company.CONSTRUCTION or game.action == company.RESEARCH


@invariant("turn.department", "must be the space of a department of the turn's action", phases.in_turn)
def department_type(game: Record) -> bool:
    used = game.department_in_use
    return used == NONE or t.DEPARTMENT_TYPE[game.department[game.to_play, used]] == game.action


@invariant(
    "turn.ready.{space}",
    "must be the active employees of a department of the action, or 0 in one that was left (ruling 17)",
    phases.in_turn,
)
def ready(game: Record, space: int) -> bool:
    number, active = game.ready[space], game.active[game.to_play, space]
    if not game.spaces_of_type[game.to_play, game.action] & bit(space):
        return number == 0
    if game.department_in_use == space:
        return number <= active
    return number == active or (number == 0 and game.department_in_use != NONE)


@jit
def is_spent(game: Record) -> bool:
    """Whether the department in use was just used without a mission."""
    used = game.department_in_use
    return game.ready[used] != game.active[game.to_play, used]


@jit
def _spends(game: Record) -> bool:
    """Whether the phase belongs to a use without a mission."""
    return game.phase == state.SITE or game.phase == state.PROPERTY or game.phase == state.HALVES


@invariant("turn.ready", "must not have all active employees of the department in use in this phase", _spends)
def spent(game: Record) -> bool:
    return is_spent(game)


@invariant("turn.started", "must be true once a department is in use", phases.in_turn)
def started(game: Record) -> bool:
    return game.started != 0 or game.department_in_use == NONE


@invariant(
    "turn.diagonal_moves",
    "must say whether the turn began with Corporate Communications at work (ruling 42)",
    phases.in_turn,
)
def diagonal_moves(game: Record) -> bool:
    active = company.works(game, game.to_play, t.CORPORATE_COMMUNICATIONS)
    if game.action != company.HUMAN_RESOURCES or not game.owned[game.to_play] & bit(t.CORPORATE_COMMUNICATIONS):
        return not game.diagonal_moves
    return bool(game.diagonal_moves) == active or (game.diagonal_moves != 0 and game.started != 0)


# ---------------------------------------------------------------- the phase
@jit
def _event_region(game: Record) -> int:
    """The region of the round's event, -1 if it has none."""
    return event.region(game) if game.advancing_row != NONE else NONE


@invariant("phase", "must not be donation, or a phase of income, without such an event in the round")
def has_event(game: Record) -> bool:
    if game.phase == state.DONATION:
        return game.advancing_row != NONE and event.donation(game)
    return not phases.in_income(game) or _event_region(game) != NONE


@invariant("companies[{to_play}].missions", "must have an employee in the region of the event in phase recover")
def somebody_back(game: Record) -> bool:
    return game.phase != state.RECOVER or game.missions[game.to_play, _event_region(game)] > 0


@invariant("to_play", "must be the first player in phase timeline")
def chooser(game: Record) -> bool:
    return game.phase != state.TIMELINE or game.to_play == game.first_player


@invariant("companies[{to_play}].departments", "must include new_lobby in a phase that chooses between lobbies")
def two_lobbies(game: Record) -> bool:
    return not lobby.is_choice(game.phase) or game.owned[game.to_play] & bit(t.NEW_LOBBY) != 0


@invariant("turn.lifted", "must be the space and state of an employee of the company")
def lifted(game: Record) -> bool:
    if game.phase != state.DESTINATION:
        return True
    seat, space = game.to_play, game.lifted
    return (game.active[seat, space] if game.lifted_active else game.inactive[seat, space]) > 0


@invariant("turn.income_choice", "must be offered by a built project and, in phase lobby_tab, bring one employee")
def income_choice(game: Record) -> bool:
    if game.phase != state.TAB_INCOME and game.phase != state.LOBBY_TAB:
        return True
    project, section = game.choice // t.TAB_SECTIONS, game.choice % t.TAB_SECTIONS
    choice = t.TAB_CHOICE[project, section]
    if choice == t.CHOICE_NONE or section >= game.tab_built[game.to_play, project]:
        return False
    return game.phase == state.TAB_INCOME or (choice == t.CHOICE_EMPLOYEE_OR_MONEY and game.arrivals == 1)


@jit
def in_use(game: Record, seat: int) -> int:
    """The department in use, or 0."""
    return game.department[seat, game.department_in_use] if game.department_in_use != NONE else 0


@invariant(
    "turn.department", "must be strategic_planning's in phases site and property, charitable_giving's in phase charity"
)
def department_of_phase(game: Record) -> bool:
    if game.phase == state.SITE or game.phase == state.PROPERTY:
        return in_use(game, game.to_play) == t.START_STRATEGIC_PLANNING
    return game.phase != state.CHARITY or in_use(game, game.to_play) == t.CHARITABLE_GIVING


@invariant("turn.tile", "must be the reserved tile or, without one, a tile of the display that the company lacks")
def tile(game: Record) -> bool:
    if game.phase != state.SITE:
        return True
    here = game.tile == game.reserved[game.to_play] or (not game.reserved[game.to_play] and game.display[game.tile] > 0)
    return here and not game.owned[game.to_play] & bit(game.tile)


@invariant("turn.site", "must be the space of a department just built, with Property Management at work")
def site(game: Record) -> bool:
    if game.phase != state.PROPERTY:
        return True
    seat = game.to_play
    new = company.is_tile(game.department[seat, game.site]) and not game.active[seat, game.site]
    return new and company.works(game, seat, t.PROPERTY_MANAGEMENT)


@invariant("companies[{to_play}]", "must have the money, goods and disks for the donation that this phase offers")
def donation(game: Record) -> bool:
    if game.phase != state.DONATION and game.phase != state.CHARITY:
        return True
    seat = game.to_play
    return company.can_pay(game, seat, donations.donation_cost(game, seat), 0) and game.disks[seat] > 0
