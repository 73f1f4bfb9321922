"""Transport tracks (rulebook part 3, chapter 1; rulings 22, 24, 46): steps of a marker, and the income of its space.

Tracks are of an owner: a seat, or Andrew, who has no income of them.
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, lobby
from carnegie_env.carnegie.state import ANDREW, Record, bit
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit

LAST_SPACE = t.TRACK_SPACES - 1


# ---- steps
@jit
def step_cost(game: Record, seat: int, region: int) -> int:
    """Points to the next space of a track; 1 less, at least 1, while Telegraph Operators works (ruling 24)."""
    cost = t.TRACK_COST[region, game.track[seat, region]]
    if company.works(game, seat, t.TELEGRAPH_OPERATORS):
        cost = max(
            cost - t.EFFECT[t.TELEGRAPH_OPERATORS, t.EFFECT_DISCOUNT], t.EFFECT[t.TELEGRAPH_OPERATORS, t.EFFECT_LEAST]
        )
    return cost


@jit
def is_at_end(game: Record, owner: int, region: int) -> bool:
    """Whether a marker is on the last space of its track."""
    return game.track[owner, region] == LAST_SPACE


@jit
def last_space_taken(game: Record, region: int) -> bool:
    """Whether a marker is on the last space of a track, which has room for one (ruling 24)."""
    for owner in range(ANDREW + 1):
        if is_at_end(game, owner, region):
            return True
    return False


@jit
def may_share_last_space(game: Record, owner: int) -> bool:
    """Whether an owner's markers may enter a last space that is taken: while Archives works (ruling 46)."""
    return owner != ANDREW and company.works(game, owner, t.ARCHIVES)


@jit
def can_step(game: Record, owner: int, region: int) -> bool:
    """Whether a marker can advance, apart from the cost."""
    space = game.track[owner, region]
    if space == LAST_SPACE - 1:
        return not last_space_taken(game, region) or may_share_last_space(game, owner)
    return space < LAST_SPACE - 1


@jit
def advance(game: Record, seat: int, region: int) -> None:
    """Move a seat's marker by one space; entering the last space pays a reward at once."""
    game.track[seat, region] += 1
    if is_at_end(game, seat, region):
        game.money[seat] += t.TRACK_REWARD[region, t.MONEY]
        game.goods[seat] += t.TRACK_REWARD[region, t.GOODS]
        game.vp[seat] += t.TRACK_REWARD[region, t.VP]


# ---- income
@jit
def income(game: Record, seat: int, region: int) -> None:
    """Pay an income of a transport track: at the marker, or with Archives at a level of the player's choice."""
    if game.track[seat, region] > 0 and company.works(game, seat, t.ARCHIVES):
        game.level_region = region
        game.phase = state.LEVEL
    else:
        _pay(game, seat, region, game.track[seat, region])


@jit
def _pay(game: Record, seat: int, region: int, space: int) -> None:
    """Pay the income of a space: once in a turn, once per arrival in an event; new employees arrive as well."""
    in_turn = game.action != state.NONE
    times = int64(1) if in_turn else int64(game.arrivals)
    game.money[seat] += times * t.TRACK_INCOME[region, space, t.MONEY]
    game.goods[seat] += times * t.TRACK_INCOME[region, space, t.GOODS]
    game.vp[seat] += times * t.TRACK_INCOME[region, space, t.VP]
    game.research += times * t.TRACK_INCOME[region, space, t.RESEARCH]
    lobby.recruit(game, seat, times * t.TRACK_INCOME[region, space, t.EMPLOYEES_COLUMN])
    lobby.arrive(game, seat, state.LOBBY_TURN if in_turn else state.LOBBY_RECOVER)


@jit
def legal_level(game: Record) -> None:
    """Archives: the marker's space or a lower one (ruling 46, P14)."""
    space = game.track[game.to_play, game.level_region]
    lowest = max(0, space - t.EFFECT[t.ARCHIVES, t.EFFECT_LEVELS_BELOW])
    masks.put_bits(game.legal, actions.LEVEL, (bit(space + 1) - 1) & ~(bit(lowest) - 1))


@jit
def apply_level(game: Record, space: int) -> None:
    """Pay all of an income at one level (ruling 46)."""
    region = game.level_region
    game.level_region = state.NONE
    _pay(game, game.to_play, region, space)
