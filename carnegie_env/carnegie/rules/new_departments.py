"""Expansion 1, module 2, "New departments" (tiles 17-32), and the diverse set-up: the draw and the uses (ruling 41).

The permanent effects stand with the rules they change: Corporate Communications below, Payroll Management in
activation.py, Political Lobbying in construction.py, Archives in company.py and research.py; the final ones in
scoring.py.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks, rng
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.jit import jit, popcount, trailing_zeros


# ---- set-up
@jit
def choose_tiles(game: Record) -> None:
    """Set-up after step 3: both copies of four different tiles of each type; diverse: one copy of every tile."""
    if game.modules & state.DIVERSE_SETUP:
        for number in range(1, t.NUM_TILES + 1):
            game.display[number] = 1
        return
    order: Vector[int] = np.arange(1, t.NUM_TILES + 1)
    rng.shuffle(game, order)
    drawn = np.zeros(4, np.int64)
    for number in order:
        kind = t.DEPARTMENT_TYPE[number]
        if drawn[kind] < t.TILES_PER_TYPE:
            drawn[kind] += 1
            game.display[number] = t.TILE_COPIES


# ---- uses
@jit
def projects_in(game: Record, seat: int, region: int) -> int:
    """Projects that a seat has built in a region."""
    number = 0
    for space in range(t.NUM_SPACES):
        number += game.owner[space] == seat and t.CITY_REGION[t.SPACE_CITY[space]] == region
    return number


@jit
def _regions_with_projects(game: Record, seat: int) -> int:
    """Bit set of the regions in which a seat has built (P10)."""
    regions = int64(0)
    for space in range(t.NUM_SPACES):
        if game.owner[space] == seat:
            regions |= bit(t.CITY_REGION[t.SPACE_CITY[space]])
    return regions


@jit
def legal_uses(game: Record, seat: int) -> None:
    """Uses of all these departments that are of the turn's type and have uses left."""
    spaces = company.usable_spaces(game, seat)
    while spaces != 0:
        legal_use(game, seat, game.department[seat, trailing_zeros(spaces)])
        spaces &= spaces - 1


@jit
def legal_use(game: Record, seat: int, code: int) -> None:
    """Uses of one department; nothing for those of the base game."""
    if code == t.HR_ADMINISTRATION:
        masks.put_bits(game.legal, actions.HR_ADMINISTRATION, actions.ALL_REGIONS)
    elif code == t.ACCOUNTING:
        masks.put_bits(game.legal, actions.ACCOUNTING, actions.ALL_REGIONS)
    elif code == t.PRODUCTION_LINES:
        masks.put_bits(game.legal, actions.PRODUCTION_LINES, actions.ALL_REGIONS)
    elif code == t.RD_COORDINATION:
        masks.put_bits(game.legal, actions.RD_COORDINATION, actions.ALL_REGIONS)
    elif code == t.LOCAL_PARTNERS:
        masks.put_bits(game.legal, actions.LOCAL_PARTNERS, _regions_with_projects(game, seat))
    elif code == t.BRANDING:
        masks.put_bits(game.legal, actions.BRANDING, _regions_with_projects(game, seat))
    elif code == t.RENOVATION:
        masks.put_bits(game.legal, actions.RENOVATION, _regions_with_projects(game, seat))
    elif code == t.KNOWLEDGE_SHARING:
        masks.put_bits(game.legal, actions.KNOWLEDGE_SHARING, _regions_with_projects(game, seat))


@jit
def apply_use(game: Record, seat: int, verb: int, region: int) -> None:
    """One use of one of these departments."""
    if verb == actions.V_HR_ADMINISTRATION:
        company.use_on_mission(game, seat, t.HR_ADMINISTRATION, region)
        game.relocations = _departments_like(game, seat, t.HR_ADMINISTRATION, t.EFFECT_RELOCATIONS)
        game.phase = state.RELOCATION
    elif verb == actions.V_ACCOUNTING:
        company.use_on_mission(game, seat, t.ACCOUNTING, region)
        game.money[seat] += _departments_like(game, seat, t.ACCOUNTING, t.EFFECT_MONEY)
    elif verb == actions.V_PRODUCTION_LINES:
        company.use_on_mission(game, seat, t.PRODUCTION_LINES, region)
        game.goods[seat] += _departments_like(game, seat, t.PRODUCTION_LINES, t.EFFECT_GOODS)
    elif verb == actions.V_RD_COORDINATION:
        company.use_on_mission(game, seat, t.RD_COORDINATION, region)
        game.research += _departments_like(game, seat, t.RD_COORDINATION, t.EFFECT_RESEARCH)
    elif verb == actions.V_LOCAL_PARTNERS:
        _begin_halves(game, seat, t.LOCAL_PARTNERS, region)
    elif verb == actions.V_BRANDING:
        _begin_halves(game, seat, t.BRANDING, region)
    elif verb == actions.V_RENOVATION:
        _begin_halves(game, seat, t.RENOVATION, region)
    elif verb == actions.V_KNOWLEDGE_SHARING:
        _begin_halves(game, seat, t.KNOWLEDGE_SHARING, region)


@jit
def _departments_like(game: Record, seat: int, code: int, effect: int) -> int:
    """A tile's effect once for each department of its type in the company, starting ones and itself included."""
    return popcount(game.spaces_of_type[seat, t.DEPARTMENT_TYPE[code]]) * t.EFFECT[code, effect]


# ---- the halves of the regional tiles: each project pays money or the other half
@jit
def _begin_halves(game: Record, seat: int, code: int, region: int) -> None:
    company.use(game, seat, code)
    game.projects = projects_in(game, seat, region)
    game.phase = state.HALVES


@jit
def legal_halves(game: Record) -> None:
    """How many of the projects pay money."""
    masks.put_bits(game.legal, actions.MONEY, bit(game.projects + 1) - 1)


@jit
def apply_halves(game: Record, number: int) -> None:
    """So many pay money, the others what else the tile offers."""
    seat = game.to_play
    code = game.department[seat, game.department_in_use]
    others = game.projects - number
    game.money[seat] += number * t.EFFECT[code, t.EFFECT_MONEY]
    game.moves += others * t.EFFECT[code, t.EFFECT_MOVES]
    game.goods[seat] += others * t.EFFECT[code, t.EFFECT_GOODS]
    game.vp[seat] += others * t.EFFECT[code, t.EFFECT_VP]
    game.research += others * t.EFFECT[code, t.EFFECT_RESEARCH]
    game.projects = 0
    game.phase = state.TURN


# ---- moves
@jit
def legal_relocation(game: Record) -> None:
    """HR Administration: any employee on the company board, or none more (P13)."""
    masks.put(game.legal, actions.PASS)
    masks.put_bits(game.legal, actions.LIFT_INACTIVE, game.inactive_at[game.to_play])
    masks.put_bits(game.legal, actions.LIFT_ACTIVE, game.active_at[game.to_play])


@jit
def end_relocation(game: Record) -> None:
    """The turn goes on."""
    game.relocations = 0
    game.phase = state.TURN


@jit
def moves_diagonally(game: Record, seat: int) -> bool:
    """Corporate Communications, for the whole turn if somebody was active there when it began (ruling 42)."""
    if game.owned[seat] & bit(t.CORPORATE_COMMUNICATIONS) == 0:
        return False
    return game.active_at_start[company.space_of(game, seat, t.CORPORATE_COMMUNICATIONS)] > 0
