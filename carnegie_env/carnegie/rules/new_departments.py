"""Expansion 1, module 2, "New departments" (tiles 17-32), and the diverse set-up: the draw and the uses (ruling 41).

The permanent effects stand with the rules they change: Corporate Communications in turn.py, Payroll Management in
activation.py, Political Lobbying in construction.py, Archives in transport.py; the final ones in scoring.py.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import cities, company
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks, rng
from carnegie_env.core.arrays import Vector
from carnegie_env.core.jit import jit, popcount, trailing_zeros


# ---- which tiles there are
@jit
def in_play(game: Record) -> bool:
    """Whether the new tiles are in the game: with either of two modules."""
    return game.modules & state.NEW_TILES != 0


@jit
def last_tile(game: Record) -> int:
    """The highest number of a department tile that may be in the game."""
    return t.NUM_TILES if in_play(game) else t.BASE_TILES


@jit
def copies(game: Record) -> int:
    """Copies of each department tile in the game: one in the diverse set-up."""
    return 1 if game.modules & state.DIVERSE_SETUP else t.TILE_COPIES


@jit
def tiles_in_play(game: Record) -> int:
    """The number of department tiles in the game, after set-up step 3."""
    different = t.BASE_TILES
    if game.modules & state.DIVERSE_SETUP:
        different = t.NUM_TILES
    elif game.modules & state.NEW_DEPARTMENTS:
        different = t.TILES_PER_TYPE * t.NUM_ACTION_TYPES
    return different * copies(game) - t.DEPARTMENTS_REMOVED[game.num_players]


@jit
def choose_tiles(game: Record) -> None:
    """Set-up before step 3: the tiles of the base game; four different ones of each type; diverse: all."""
    if game.modules & state.NEW_TILES != state.NEW_DEPARTMENTS:
        for number in range(1, last_tile(game) + 1):
            game.display[number] = copies(game)
        return
    order: Vector[int] = np.arange(1, t.NUM_TILES + 1)
    rng.shuffle(game, order)
    drawn = np.zeros(t.NUM_ACTION_TYPES, np.int64)
    for number in order:
        action = t.DEPARTMENT_TYPE[number]
        if drawn[action] < t.TILES_PER_TYPE:
            drawn[action] += 1
            game.display[number] = copies(game)


# ---- uses
@jit
def legal_uses(game: Record, seat: int) -> None:
    """Uses of these departments, if they have the turn's type and an employee who can act."""
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
        masks.put_bits(game.legal, actions.LOCAL_PARTNERS, cities.regions_of(game, seat))
    elif code == t.BRANDING:
        masks.put_bits(game.legal, actions.BRANDING, cities.regions_of(game, seat))
    elif code == t.RENOVATION:
        masks.put_bits(game.legal, actions.RENOVATION, cities.regions_of(game, seat))
    elif code == t.KNOWLEDGE_SHARING:
        masks.put_bits(game.legal, actions.KNOWLEDGE_SHARING, cities.regions_of(game, seat))


@jit
def apply_use(game: Record, seat: int, verb: int, region: int) -> None:
    """One use of one of these departments."""
    if verb == actions.V_HR_ADMINISTRATION:
        company.use_on_mission(game, seat, t.HR_ADMINISTRATION, region)
        game.relocations = relocations(game, seat)
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
    """A tile's effect, once for each department of its type in the company, including starting ones and itself."""
    return popcount(game.spaces_of_type[seat, t.DEPARTMENT_TYPE[code]]) * t.EFFECT[code, effect]


@jit
def relocations(game: Record, seat: int) -> int:
    """Employees that a use of HR Administration may relocate."""
    return _departments_like(game, seat, t.HR_ADMINISTRATION, t.EFFECT_RELOCATIONS)


# ---- the halves of the regional tiles: each project pays money or the other half
@jit
def _begin_halves(game: Record, seat: int, code: int, region: int) -> None:
    company.use(game, seat, code)
    game.projects = cities.projects_in(game, seat, region)
    game.phase = state.HALVES


@jit
def has_halves(code: int) -> bool:
    """Whether a department is one of these tiles."""
    return code == t.LOCAL_PARTNERS or code == t.BRANDING or code == t.RENOVATION or code == t.KNOWLEDGE_SHARING


@jit
def legal_halves(game: Record) -> None:
    """The number of projects that pay money."""
    masks.put_bits(game.legal, actions.MONEY, bit(game.projects + 1) - 1)


@jit
def apply_halves(game: Record, number: int) -> None:
    """Some projects pay money, the others the tile's other half."""
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
    """HR Administration: any employee on the company board, or pass (P13)."""
    masks.put(game.legal, actions.PASS)
    company.legal_lift(game, game.to_play)


@jit
def end_relocation(game: Record) -> None:
    """Continue the turn."""
    game.relocations = 0
    game.phase = state.TURN
