"""What holds in every position that play can reach, each invariant once: a number, and the test that gives it.

:func:`verify` looks at a record at a decision, derived fields and legal actions included; :func:`inspect` at all but
those, and says more of what it found: the reader of positions turns that into a message (codec/words.py). Money, goods
and points are free. With ``CARNEGIE_CHECK=1`` every step is verified.

A record may hold anything: each field's range is tested before the field is an index of something, so that nothing
outside the record and the tables is touched. From then on the rules' own functions are used, on a copy whose derived
fields are made anew. The order is that of the position's dictionary (docs/design.md, section 5).
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.checks import between, board, companies, faults, hand, modules, phases, ranges
from carnegie_env.carnegie.state import NONE, Record
from carnegie_env.core import masks
from carnegie_env.core.arrays import Records, Vector
from carnegie_env.core.jit import jit


@jit
def verify(game: Record) -> int:
    """Number of an invariant that does not hold in a record at a decision or over, 0 if all do.

    Args:
        game: of any content; it is not changed.
    """
    found = np.zeros(faults.DETAILS, np.int64)
    fault = inspect(game, found)
    if fault == 0 and _is_stale(game):
        return faults.DERIVED
    if fault == 0 and (game.phase != state.OVER) != (masks.count(game.legal) > 0):
        return faults.NO_ACTION
    return fault


@jit
def inspect(game: Record, found: Vector[int]) -> int:
    """The same without derived fields and legal actions, which need not be made yet.

    Args:
        game: of any content; it is not changed.
        found: int64 (DETAILS,), for what the invariant's name says in brackets.
    """
    fault = ranges.check_round(game, found)
    if fault == 0:
        fault = ranges.check_ranges(game, found)
    if fault == 0:
        fresh = np.zeros(1, state.GAME)
        fresh[0] = game
        state.rebuild_derived(fresh[0])
        fault = _check_facts(fresh, found)
    return fault


@jit
def _is_stale(game: Record) -> bool:
    fresh = np.zeros(1, state.GAME)
    fresh[0] = game
    state.rebuild_derived(fresh[0])
    same = fresh[0].free_cells == game.free_cells
    for project in range(t.NUM_PROJECT_TYPES):
        same = same and fresh[0].free_builds[project] == game.free_builds[project]
        same = same and fresh[0].free_mismatches[project] == game.free_mismatches[project]
    for seat in range(state.SEATS):
        for action in range(t.NUM_ACTION_TYPES):
            same = same and fresh[0].spaces_of_type[seat, action] == game.spaces_of_type[seat, action]
        same = same and fresh[0].active_at[seat] == game.active_at[seat]
        same = same and fresh[0].inactive_at[seat] == game.inactive_at[seat]
        same = same and fresh[0].empty_spaces[seat] == game.empty_spaces[seat]
        same = same and fresh[0].owned[seat] == game.owned[seat]
    return not same


@jit
def _check_facts(games: Records, found: Vector[int]) -> int:
    """Every field is within its range, derived fields are fresh[0].

    The array and not its record is passed: a record alone does not keep its memory from being freed.
    """
    game = games[0]
    fault = board.check_timeline_tiles(game, found)
    if fault == 0:
        fault = board.check_timeline(game, found)
    if fault == 0:
        fault = board.check_tiles(game, found)
    if fault == 0:
        fault = board.check_owners(game, found)
    if fault == 0:
        fault = board.check_donations(game, found)
    for seat in range(game.num_players):
        if fault == 0:
            fault = companies.check_company(game, seat, found)
    if fault == 0:
        fault = between.check_tracks(game, found)
    if fault == 0:
        fault = between.check_action_choice(game, found)
    if fault == 0 and game.difficulty != NONE:
        fault = between.check_andrew(game, found)
    if fault == 0:
        fault = hand.check_hand(game, found)
    if fault == 0 and phases.in_turn(game):
        fault = hand.check_turn(game, found)
    if fault == 0:
        fault = hand.check_phase(game, found)
    if fault == 0:
        fault = modules.check_modules(game, found)
    return fault
