"""Companies (rulebook part 1, chapter 4): employees, payments, turns round the table, uses of departments.

Not a phase of its own: what the other chapters share.
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit, trailing_zeros


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
    """Take one active employee off a company space."""
    game.active[seat, space] -= 1
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
def active_employees(game: Record, seat: int) -> int:
    """Active employees of a company; the permanent one does not count (ruling 25)."""
    total = 0
    for space in range(t.COMPANY_SPACES):
        total += game.active[seat, space]
    return total


@jit
def arrive(game: Record, seat: int, lobby_phase: int, next_phase: int) -> None:
    """Employees in ``arrivals`` enter a lobby; with a New Lobby the player says how many go there (ruling 11)."""
    game.phase = next_phase
    if game.arrivals > 0:
        if game.owned[seat] & bit(t.NEW_LOBBY):
            game.phase = lobby_phase
        else:
            add_inactive(game, seat, t.LOBBY_SPACE, game.arrivals)
            game.arrivals = 0


@jit
def apply_new_lobby(game: Record, number: int) -> None:
    """``new lobby``: that many of the arrivals go to the New Lobby, the rest to the printed one."""
    seat = game.to_play
    add_inactive(game, seat, space_of(game, seat, t.NEW_LOBBY), number)
    add_inactive(game, seat, t.LOBBY_SPACE, game.arrivals - number)
    game.arrivals = 0


# ---- payments
@jit
def can_pay(game: Record, seat: int, money: int, goods: int) -> bool:
    """Whether $ and goods can be paid together, goods sold at $1 where money is short (ruling 14)."""
    left = game.goods[seat] - goods
    return left >= 0 and game.money[seat] + left >= money


@jit
def pay(game: Record, seat: int, money: int, goods: int) -> None:
    """Pay $ and goods; just enough goods are sold for what money lacks (ruling 14)."""
    game.goods[seat] -= goods
    if money > game.money[seat]:
        game.goods[seat] -= money - game.money[seat]
        game.money[seat] = 0
    else:
        game.money[seat] -= money


@jit
def transport_income(game: Record, seat: int, region: int) -> None:
    """An income of a transport track is due (part 3, chapter 1): at the marker, with Archives at a level of choice."""
    if game.track[seat, region] > 0 and works(game, seat, t.ARCHIVES):
        game.level_region = region
        game.phase = state.LEVEL
    else:
        _pay_transport_income(game, seat, region, game.track[seat, region])


@jit
def _pay_transport_income(game: Record, seat: int, region: int, space: int) -> None:
    """The income of a space, in a turn once, in an event once for each arrival; new employees arrive with them."""
    in_turn = game.action != state.NONE
    times = int64(1) if in_turn else int64(game.arrivals)
    game.money[seat] += times * t.TRACK_INCOME[region, space, t.MONEY]
    game.goods[seat] += times * t.TRACK_INCOME[region, space, t.GOODS]
    game.vp[seat] += times * t.TRACK_INCOME[region, space, t.VP]
    game.research += times * t.TRACK_INCOME[region, space, t.RESEARCH]
    employees = min(times * t.TRACK_INCOME[region, space, t.EMPLOYEES_COLUMN], game.reserve[seat])
    game.reserve[seat] -= employees
    game.arrivals += employees
    if in_turn:
        arrive(game, seat, state.LOBBY_TURN, state.TURN)
    else:
        arrive(game, seat, state.LOBBY_RECOVER, state.RESEARCH)


@jit
def legal_level(game: Record) -> None:
    """Archives: the marker's space or a lower one (ruling 46, P14)."""
    space = game.track[game.to_play, game.level_region]
    lowest = max(0, space - t.EFFECT[t.ARCHIVES, t.EFFECT_LEVELS_BELOW])
    masks.put_bits(game.legal, actions.LEVEL, (bit(space + 1) - 1) & ~(bit(lowest) - 1))


@jit
def apply_level(game: Record, space: int) -> None:
    """One level for all of an income (ruling 46)."""
    region = game.level_region
    game.level_region = state.NONE
    _pay_transport_income(game, game.to_play, region, space)


# ---- departments
@jit
def space_of(game: Record, seat: int, code: int) -> int:
    """The company space of a department, -1 if the company lacks it."""
    for space in range(t.COMPANY_SPACES):
        if game.department[seat, space] == code:
            return space
    return state.NONE


@jit
def works(game: Record, seat: int, code: int) -> bool:
    """Whether a permanent effect works: the department is there and holds an active employee (part 3, chapter 3)."""
    if game.owned[seat] & bit(code) == 0:
        return False
    return game.active[seat, space_of(game, seat, code)] > 0


@jit
def uses_left(game: Record, seat: int, space: int) -> int:
    """Uses left this turn of a department that is not finished (ruling 17)."""
    left = game.active_at_start[space]
    if space == game.department_in_use:
        left -= game.uses
    return min(left, game.active[seat, space])


@jit
def usable_spaces(game: Record, seat: int) -> int:
    """Bit set of the company spaces whose departments are of the turn's type and have uses left."""
    usable = int64(game.spaces_of_type[seat, game.action] & game.active_at[seat] & ~game.finished)
    rest = usable
    while rest != 0:
        space = trailing_zeros(rest)
        rest &= rest - 1
        if uses_left(game, seat, space) <= 0:
            usable &= ~bit(space)
    return usable


@jit
def select(game: Record, space: int) -> None:
    """Go on to a department: the one in use, if another, is finished for the turn (ruling 17)."""
    if game.department_in_use != space:
        if game.department_in_use != state.NONE:
            game.finished |= bit(game.department_in_use)
        game.department_in_use = space
        game.uses = 0


@jit
def use(game: Record, seat: int, code: int) -> int:
    """Use a department once; returns its company space."""
    space = space_of(game, seat, code)
    select(game, space)
    game.uses += 1
    return space


@jit
def send_on_mission(game: Record, seat: int, space: int, region: int) -> None:
    """Move the employee just used from his workstation to a mission zone (part 1, chapter 4.3)."""
    remove_active(game, seat, space)
    game.missions[seat, region] += 1


@jit
def use_on_mission(game: Record, seat: int, code: int, region: int) -> None:
    """Use a department by sending the employee on a mission."""
    send_on_mission(game, seat, use(game, seat, code), region)


# ---- round the table
@jit
def pass_clockwise(game: Record) -> bool:
    """Give the decision to the next seat clockwise; False when everybody from the first player on has had it."""
    game.to_play = (game.to_play + 1) % game.num_players
    return game.to_play != game.first_player
