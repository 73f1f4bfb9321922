"""Management (rulebook part 2, chapter 3.2; part 3, departments 5-8): resources and new departments (ruling 21)."""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, new_departments
from carnegie_env.carnegie.state import Record, add_department, bit
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit, trailing_zeros


@jit
def legal_management(game: Record, seat: int) -> None:
    """Uses of Trade and Finance, Strategic Planning, Purchasing, Sales, Logistics."""
    spaces = company.usable_spaces(game, seat)
    while spaces != 0:
        code = game.department[seat, trailing_zeros(spaces)]
        spaces &= spaces - 1
        if code == t.START_TRADE_AND_FINANCE:
            masks.put(game.legal, actions.TRADE_MONEY)
            masks.put(game.legal, actions.TRADE_GOODS)
            masks.put_bits(game.legal, actions.TRADE_MONEY_MISSION, actions.ALL_REGIONS)
            masks.put_bits(game.legal, actions.TRADE_GOODS_MISSION, actions.ALL_REGIONS)
        elif code == t.START_STRATEGIC_PLANNING:
            put_tiles(game, _buildable_tiles(game, seat))
        elif code == t.PURCHASING:
            masks.put_bits(game.legal, actions.PURCHASING_MONEY, actions.ALL_REGIONS)
            masks.put_bits(game.legal, actions.PURCHASING_GOODS, actions.ALL_REGIONS)
        elif code == t.SALES:
            _put_up_to(game, actions.SALES, t.SALES, game.goods[seat])
        elif code == t.LOGISTICS:
            _put_up_to(game, actions.LOGISTICS, t.LOGISTICS, game.goods[seat])
        elif game.modules:
            new_departments.legal_use(game, seat, code)


@jit
def put_tiles(game: Record, tiles: int) -> None:
    """Offer department tiles, bit 0 = tile 1; the actions of expansion 1's tiles follow those of the base game."""
    masks.put_bits(game.legal, actions.DEPARTMENT, tiles & (bit(t.BASE_TILES) - 1))
    if tiles >> t.BASE_TILES:
        masks.put_bits(game.legal, actions.NEW_DEPARTMENT, tiles >> t.BASE_TILES)


@jit
def _put_up_to(game: Record, first: int, code: int, available: int) -> None:
    """Numbers from 1 to the department's limit, as far as the amount allows."""
    masks.put_bits(game.legal, first, bit(min(t.EFFECT[code, t.EFFECT_UP_TO], available)) - 1)


@jit
def apply_management(game: Record, seat: int, verb: int, argument: int) -> None:
    """One use of one of these departments."""
    if verb == actions.V_TRADE_MONEY:
        company.use(game, seat, t.START_TRADE_AND_FINANCE)
        game.money[seat] += t.EFFECT[t.START_TRADE_AND_FINANCE, t.EFFECT_MONEY]
    elif verb == actions.V_TRADE_GOODS:
        company.use(game, seat, t.START_TRADE_AND_FINANCE)
        game.goods[seat] += t.EFFECT[t.START_TRADE_AND_FINANCE, t.EFFECT_GOODS]
    elif verb == actions.V_TRADE_MONEY_MISSION:
        company.use_on_mission(game, seat, t.START_TRADE_AND_FINANCE, argument)
        game.money[seat] += t.EFFECT[t.START_TRADE_AND_FINANCE, t.EFFECT_MISSION_MONEY]
    elif verb == actions.V_TRADE_GOODS_MISSION:
        company.use_on_mission(game, seat, t.START_TRADE_AND_FINANCE, argument)
        game.goods[seat] += t.EFFECT[t.START_TRADE_AND_FINANCE, t.EFFECT_MISSION_GOODS]
    elif verb == actions.V_DEPARTMENT:
        company.use(game, seat, t.START_STRATEGIC_PLANNING)
        game.tile = argument + 1
        game.phase = state.SITE
    elif verb == actions.V_PURCHASING_MONEY:
        company.use_on_mission(game, seat, t.PURCHASING, argument)
        game.money[seat] += t.EFFECT[t.PURCHASING, t.EFFECT_MONEY]
    elif verb == actions.V_PURCHASING_GOODS:
        company.use_on_mission(game, seat, t.PURCHASING, argument)
        game.goods[seat] += t.EFFECT[t.PURCHASING, t.EFFECT_GOODS]
    elif verb == actions.V_SALES:
        company.use(game, seat, t.SALES)
        game.goods[seat] -= argument + 1
        game.money[seat] += (argument + 1) * t.EFFECT[t.SALES, t.EFFECT_MONEY]
    elif verb == actions.V_LOGISTICS:
        company.use(game, seat, t.LOGISTICS)
        game.goods[seat] -= argument + 1
        game.money[seat] += (argument + 1) * t.EFFECT[t.LOGISTICS, t.EFFECT_MONEY]
        game.vp[seat] += (argument + 1) * t.EFFECT[t.LOGISTICS, t.EFFECT_VP]
    elif game.modules:
        new_departments.apply_use(game, seat, verb, argument)


# ---- building a department
@jit
def _sites(game: Record, seat: int, number: int) -> int:
    """Bit set of the empty spaces on which a tile can be paid (ruling 21)."""
    goods = game.goods[seat] - t.EXTRA_GOODS[number]
    empty = int64(game.empty_spaces[seat])
    if goods >= t.EFFECT[t.START_STRATEGIC_PLANNING, t.EFFECT_GOODS_EMPTY]:
        return empty
    if goods >= t.EFFECT[t.START_STRATEGIC_PLANNING, t.EFFECT_GOODS_OCCUPIED]:
        return empty & game.inactive_at[seat]  # all active employees are in departments
    return int64(0)


@jit
def _buildable_tiles(game: Record, seat: int) -> int:
    """Bit set of tiles (bit 0 = tile 1): the reserved one first (ruling 5), then any that the company lacks."""
    if game.reserved[seat] > 0:
        reserved = game.reserved[seat]
        return bit(reserved - 1) if _sites(game, seat, reserved) != 0 else int64(0)
    tiles = int64(0)
    for number in range(1, new_departments.last_tile(game) + 1):
        if game.display[number] > 0 and game.owned[seat] & bit(number) == 0 and _sites(game, seat, number) != 0:
            tiles |= bit(number - 1)
    return tiles


@jit
def legal_site(game: Record) -> None:
    """The spaces where the tile in hand can be built."""
    masks.put_bits(game.legal, actions.TO, _sites(game, game.to_play, game.tile))


@jit
def apply_site(game: Record, space: int) -> None:
    """Pay and build: 1 good on a space with an employee, else 2, plus the tile's extra goods."""
    seat = game.to_play
    number = game.tile
    column = t.EFFECT_GOODS_OCCUPIED if game.inactive_at[seat] & bit(space) else t.EFFECT_GOODS_EMPTY
    game.goods[seat] -= t.EFFECT[t.START_STRATEGIC_PLANNING, column] + t.EXTRA_GOODS[number]
    if game.reserved[seat] > 0:
        game.reserved[seat] = 0
    else:
        game.display[number] -= 1
    add_department(game, seat, space, number)
    game.tile = 0
    game.phase = state.TURN
    if company.works(game, seat, t.PROPERTY_MANAGEMENT):
        game.site = space
        game.phase = state.PROPERTY


@jit
def legal_property(game: Record) -> None:
    """Property Management: move any employee on the company board to the new department, or pass."""
    seat = game.to_play
    masks.put(game.legal, actions.PASS)
    masks.put_bits(game.legal, actions.LIFT_INACTIVE, game.inactive_at[seat] & ~bit(game.site))
    masks.put_bits(game.legal, actions.LIFT_ACTIVE, game.active_at[seat])


@jit
def apply_property(game: Record, space: int, active: int) -> None:
    """The employee lies down in the new department."""
    company.lift(game, game.to_play, space, active)
    company.add_inactive(game, game.to_play, game.site, 1)
    end_property(game)


@jit
def end_property(game: Record) -> None:
    """Continue the turn."""
    game.site = state.NONE
    game.phase = state.TURN
