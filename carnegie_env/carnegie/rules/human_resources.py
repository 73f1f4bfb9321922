"""Human Resources (rulebook part 2, chapter 3.1; part 3, departments 1-4; ruling 19): moves, and the set-up moves."""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, lobby, new_departments, setup
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks
from carnegie_env.core.jit import jit, trailing_zeros


@jit
def starting_moves(game: Record, seat: int) -> int:
    """The moves of a turn: some for each employee active in the starting department, including the permanent one."""
    employees = t.PERMANENT_EMPLOYEES[t.START_HUMAN_RESOURCES]
    employees += game.active[seat, company.space_of(game, seat, t.START_HUMAN_RESOURCES)]
    return employees * t.EFFECT[t.START_HUMAN_RESOURCES, t.EFFECT_MOVES]


# ---- departments of the type
@jit
def legal_human_resources(game: Record, seat: int) -> None:
    """Uses of Training and Partnerships, Recruiting, Safety and Quality."""
    spaces = company.usable_spaces(game, seat)
    while spaces != 0:
        code = game.department[seat, trailing_zeros(spaces)]
        spaces &= spaces - 1
        if code == t.TRAINING_AND_PARTNERSHIPS:
            masks.put_bits(game.legal, actions.TRAINING_MONEY, actions.ALL_REGIONS)
            masks.put_bits(game.legal, actions.TRAINING_MOVES, actions.ALL_REGIONS)
        elif code == t.RECRUITING:
            masks.put(game.legal, actions.RECRUITING_MOVES)
            if game.reserve[seat] > 0:
                masks.put_bits(game.legal, actions.RECRUITING_EMPLOYEE, actions.ALL_REGIONS)
        elif code == t.SAFETY_AND_QUALITY:
            masks.put_bits(game.legal, actions.SAFETY, actions.ALL_REGIONS)
        elif game.modules:
            new_departments.legal_use(game, seat, code)


@jit
def apply_human_resources(game: Record, seat: int, verb: int, argument: int) -> None:
    """One use of one of these departments."""
    if verb == actions.V_TRAINING_MONEY:
        company.use_on_mission(game, seat, t.TRAINING_AND_PARTNERSHIPS, argument)
        game.money[seat] += t.EFFECT[t.TRAINING_AND_PARTNERSHIPS, t.EFFECT_MONEY]
    elif verb == actions.V_TRAINING_MOVES:
        company.use_on_mission(game, seat, t.TRAINING_AND_PARTNERSHIPS, argument)
        game.moves += t.EFFECT[t.TRAINING_AND_PARTNERSHIPS, t.EFFECT_MOVES]
    elif verb == actions.V_RECRUITING_MOVES:
        company.use(game, seat, t.RECRUITING)
        game.moves += t.EFFECT[t.RECRUITING, t.EFFECT_MOVES]
    elif verb == actions.V_RECRUITING_EMPLOYEE:
        company.use_on_mission(game, seat, t.RECRUITING, argument)
        lobby.recruit(game, seat, t.EFFECT[t.RECRUITING, t.EFFECT_EMPLOYEES])
        lobby.arrive(game, seat, state.LOBBY_TURN)
    elif verb == actions.V_SAFETY:
        company.use_on_mission(game, seat, t.SAFETY_AND_QUALITY, argument)
        per = t.EFFECT[t.SAFETY_AND_QUALITY, t.EFFECT_PER]
        pairs = (company.active_employees(game, seat) + per - 1) // per  # without the employee used (ruling 25)
        game.vp[seat] += pairs * t.EFFECT[t.SAFETY_AND_QUALITY, t.EFFECT_VP]
    elif game.modules:
        new_departments.apply_use(game, seat, verb, argument)


# ---- moving employees
@jit
def apply_lift(game: Record, space: int, active: int) -> None:
    """Choose the employee to move, who stays in place until the destination is chosen."""
    game.lifted = space
    game.lifted_active = active
    game.phase = state.DESTINATION


@jit
def legal_destination(game: Record) -> None:
    """Every other space within the moves left, one orthogonal step each; relocations reach every space."""
    if game.relocations > 0:
        masks.put_bits(game.legal, actions.TO, (bit(t.COMPANY_SPACES) - 1) & ~bit(game.lifted))
    else:
        reach = t.REACH_DIAGONAL if game.diagonal_moves else t.REACH
        masks.put_bits(game.legal, actions.TO, reach[game.lifted, min(game.moves, t.REACH.shape[1] - 1)])


@jit
def apply_destination(game: Record, space: int) -> None:
    """Move the lifted employee, who is inactive afterwards."""
    seat = game.to_play
    company.lift(game, seat, game.lifted, game.lifted_active)
    company.add_inactive(game, seat, space, 1)
    lifted = game.lifted
    game.lifted = state.NONE
    game.lifted_active = 0
    if game.relocations > 0:
        game.relocations -= 1
        game.phase = state.RELOCATION if game.relocations > 0 else state.TURN
        return
    distance = t.DISTANCE_DIAGONAL if game.diagonal_moves else t.DISTANCE
    game.moves -= distance[lifted, space]
    if game.round_number > 0:
        game.phase = state.TURN
    elif game.moves > 0:
        game.phase = state.SETUP_MOVES
    else:
        setup.end_setup_moves(game)


@jit
def legal_setup_moves(game: Record) -> None:
    """Set-up step 11: at most six moves."""
    masks.put(game.legal, actions.PASS)
    company.legal_lift(game, game.to_play)
