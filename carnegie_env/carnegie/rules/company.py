"""Companies (rulebook part 1, chapter 4): employees, payments, departments and their uses, the order of seats.

Not a phase of its own: what the other chapters share.
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit, popcount, trailing_zeros

HUMAN_RESOURCES, MANAGEMENT, CONSTRUCTION, RESEARCH = range(t.NUM_ACTION_TYPES)  # the types of departments and turns


# ---- employees
@jit
def add_inactive(game: Record, seat: int, space: int, number: int) -> None:
    """Lay down employees on a company space."""
    game.inactive[seat, space] += number
    if game.inactive[seat, space] > 0:
        game.inactive_at[seat] |= bit(space)


@jit
def remove_inactive(game: Record, seat: int, space: int) -> None:
    """Take one inactive employee off a company space."""
    game.inactive[seat, space] -= 1
    if game.inactive[seat, space] == 0:
        game.inactive_at[seat] &= ~bit(space)


@jit
def add_active(game: Record, seat: int, space: int) -> None:
    """Stand up one employee on a company space."""
    game.active[seat, space] += 1
    game.active_at[seat] |= bit(space)


@jit
def remove_active(game: Record, seat: int, space: int) -> None:
    """Take one active employee off a company space; in a turn, preferably one who has acted (ruling 17)."""
    game.active[seat, space] -= 1
    game.ready[space] = min(game.ready[space], game.active[seat, space])
    if game.active[seat, space] == 0:
        game.active_at[seat] &= ~bit(space)


@jit
def lift(game: Record, seat: int, space: int, active: int) -> None:
    """Take one employee off a company space, active (1) or inactive (0)."""
    if active:
        remove_active(game, seat, space)
    else:
        remove_inactive(game, seat, space)


@jit
def legal_lift(game: Record, seat: int) -> None:
    """Any employee on the company board can be moved, active or not; the permanent one never moves."""
    masks.put_bits(game.legal, actions.LIFT_INACTIVE, game.inactive_at[seat])
    masks.put_bits(game.legal, actions.LIFT_ACTIVE, game.active_at[seat])


@jit
def active_employees(game: Record, seat: int) -> int:
    """Active employees of a company; the permanent one does not count (ruling 25)."""
    total = 0
    for space in range(t.COMPANY_SPACES):
        total += game.active[seat, space]
    return total


# ---- payments
@jit
def can_pay(game: Record, seat: int, money: int, goods: int) -> bool:
    """Whether $ and goods can be paid together, selling goods at $1 if money is short (ruling 14)."""
    left = game.goods[seat] - goods
    return left >= 0 and game.money[seat] + left >= money


@jit
def pay(game: Record, seat: int, money: int, goods: int) -> None:
    """Pay $ and goods, selling just enough goods if money is short (ruling 14)."""
    game.goods[seat] -= goods
    if money > game.money[seat]:
        game.goods[seat] -= money - game.money[seat]
        game.money[seat] = 0
    else:
        game.money[seat] -= money


# ---- departments
@jit
def is_tile(code: int) -> bool:
    """Whether a department is a tile, which is built during the game."""
    return 1 <= code <= t.NUM_TILES


@jit
def tiles_built(game: Record, seat: int) -> int:
    """Department tiles in a company."""
    return popcount(game.owned[seat] & (bit(t.NUM_TILES + 1) - 1))


@jit
def free_workstations(game: Record, seat: int, space: int) -> int:
    """Workstations without an employee on a company space."""
    return t.WORKSTATIONS[game.department[seat, space]] - game.active[seat, space]


@jit
def space_of(game: Record, seat: int, code: int) -> int:
    """The company space of a department, -1 if the company lacks it."""
    for space in range(t.COMPANY_SPACES):
        if game.department[seat, space] == code:
            return space
    return state.NONE


@jit
def works(game: Record, seat: int, code: int) -> bool:
    """Whether a permanent effect works: the company has the department, with an active employee (part 3, chapter 3)."""
    if game.owned[seat] & bit(code) == 0:
        return False
    return game.active[seat, space_of(game, seat, code)] > 0


@jit
def usable_spaces(game: Record, seat: int) -> int:
    """Bit set of the company spaces with an employee who can still act in this turn (ruling 17)."""
    usable = int64(game.spaces_of_type[seat, game.action] & game.active_at[seat])
    rest = usable
    while rest != 0:
        space = trailing_zeros(rest)
        rest &= rest - 1
        if game.ready[space] == 0:
            usable &= ~bit(space)
    return usable


@jit
def select(game: Record, space: int) -> None:
    """Use a department: employees of the one used before can't act any more in this turn (ruling 17)."""
    if game.department_in_use != space:
        if game.department_in_use != state.NONE:
            game.ready[game.department_in_use] = 0
        game.department_in_use = space


@jit
def use(game: Record, seat: int, code: int) -> int:
    """Use a department once, with one employee, who can't act again in this turn; returns its company space."""
    space = space_of(game, seat, code)
    select(game, space)
    game.ready[space] -= 1
    return space


@jit
def send_on_mission(game: Record, seat: int, space: int, region: int) -> None:
    """Move the employee just used from the workstation to a mission zone (part 1, chapter 4.3)."""
    remove_active(game, seat, space)
    game.missions[seat, region] += 1


@jit
def use_on_mission(game: Record, seat: int, code: int, region: int) -> None:
    """Use a department by sending the employee on a mission."""
    send_on_mission(game, seat, use(game, seat, code), region)


# ---- the order of seats
@jit
def place(game: Record, seat: int) -> int:
    """A seat's place in the turn order, 0 the first player."""
    return (seat - game.first_player) % game.num_players


@jit
def pass_clockwise(game: Record) -> bool:
    """Give the decision to the next seat clockwise; False after the last seat in turn order."""
    game.to_play = (game.to_play + 1) % game.num_players
    return game.to_play != game.first_player
