"""What the modules of expansion 1 bring: a function for each module, or for each phase that a module brings."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.checks import faults, hand, phases
from carnegie_env.carnegie.checks.faults import say
from carnegie_env.carnegie.rules import (
    cities,
    company,
    event,
    new_departments,
    new_start,
    timeline,
)
from carnegie_env.carnegie.state import NONE, Record, bit
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.jit import jit

_NEW_TILES, _NEW_START, _NEW_DONATIONS, _SECRET_DONATION = (
    state.NEW_TILES, state.NEW_START, state.NEW_DONATIONS, state.SECRET_DONATION,
)  # fmt: skip


@jit
def module_of(phase: int) -> int:
    """Bits of the modules any of which brings a phase; 0 for a phase of the base game."""
    if phase == state.SHEET:
        return _NEW_START
    if phase == state.PANELS:
        return _NEW_DONATIONS
    if phase == state.SECRET:
        return _SECRET_DONATION
    return _NEW_TILES if phase == state.RELOCATION or phase == state.HALVES or phase == state.LEVEL else 0


@jit
def check_modules(game: Record, found: Vector[int]) -> int:
    bits = module_of(game.phase)
    if bits and not game.modules & bits:
        return say(found, faults.MODULE_PHASE, bits, 0, 0)
    fault = _check_sheets(game, found)
    if fault == 0:
        fault = _check_panels(game, found)
    if fault == 0:
        fault = _check_secrets(game, found)
    if fault == 0 and game.waiting:
        if not game.modules & state.WAIT:
            return faults.WAITING_OFF
        if not phases.in_turn(game):
            return faults.WAITING
    if fault == 0:
        fault = _check_new_departments(game, found)
    return fault


# ---- a new start
@jit
def least_vp(game: Record) -> int:
    """The least victory points that a company can have: what a sheet may cost; the rules take none from who has 0."""
    least = 0
    if new_start.revealed(game):
        for k in range(t.NEW_START_OFFERS.shape[1]):
            least = min(least, t.NEW_START_OFFERS[new_start.POINTS, k, t.OFFER_AMOUNT])
    return least


@jit
def _check_sheets(game: Record, found: Vector[int]) -> int:
    for seat in range(game.num_players):
        if game.vp[seat] < least_vp(game):
            return say(found, faults.LEAST_VP, seat, least_vp(game), 0)
        if not game.modules & state.NEW_START:
            if game.bid[seat] != NONE or game.sheet[seat].max() != NONE:
                return say(found, faults.MODULE_OFF, state.NEW_START, seat, 0)
    if not game.modules & state.NEW_START:
        return 0
    for seat in range(game.num_players):
        fault = _check_sheet(game, seat, found)
        if fault:
            return fault
    if game.phase == state.SHEET and game.first_player != 0:
        return faults.SHEET_FIRST
    return _check_bids(game, found) if new_start.revealed(game) and game.num_players > 1 else 0


@jit
def _check_sheet(game: Record, seat: int, found: Vector[int]) -> int:
    if game.phase == state.SHEET:
        for k in range(len(faults.START_KEPT)):
            if not _is_start(game, seat, k):
                return say(found, faults.SHEET_START, seat, k, 0)
    filled, bid = new_start.lines_filled(game, seat), int64(game.bid[seat])
    for line in range(filled, new_start.NUM_LINES):
        if game.sheet[seat, line] != NONE:
            return say(found, faults.SHEET_LINES, seat, 0, 0)
    if bid != NONE and (game.num_players == 1 or filled < new_start.NUM_LINES):
        return say(found, faults.SHEET_BID, seat, 0, 0)
    full = filled == new_start.NUM_LINES and (bid != NONE or game.num_players == 1)
    if game.phase == state.SHEET and seat >= game.to_play:
        if full or (seat > game.to_play and filled > 0):
            return say(found, faults.SHEET_EARLY, seat, 0, 0)
    elif not full:
        return say(found, faults.SHEET_EMPTY, seat, 0, 0)
    cost = new_start.cost(game, seat) + max(bid, 0)
    if cost + new_start.LEAST[filled] > t.NEW_START_BUDGET:
        return say(found, faults.SHEET_BUDGET, seat, cost, new_start.LEAST[filled])
    return 0


@jit
def _is_start(game: Record, seat: int, k: int) -> bool:
    """Whether the k-th of faults.START_KEPT is the base game's start, which the reveal of the sheets replaces."""
    if k == 0:
        return game.money[seat] == t.START_MONEY
    if k == 1:
        return game.goods[seat] == t.START_GOODS
    for space in range(t.COMPANY_SPACES):
        code = t.START_DEPARTMENT[space]
        standing = 1 if code != 0 and code != t.LOBBY else 0
        lying = t.START_LOBBY if code == t.LOBBY else 0
        if game.active[seat, space] != standing or game.inactive[seat, space] != lying:
            return False
    return True


@jit
def _check_bids(game: Record, found: Vector[int]) -> int:
    """The first player of round 1 bid most; of equal bids his other lines cost most."""
    highest, first, best = int64(-1), 0, int64(0)
    for seat in range(game.num_players):
        value = new_start.rank(game, seat)
        if value > highest:
            highest, best = value, int64(0)
        if value == highest:
            best |= bit(seat)
        if timeline.first_place(game, seat) == 0:
            first = seat
    return say(found, faults.BIDS, first, best, 0) if not best & bit(first) else 0


# ---- new donations, the secret donation
@jit
def _check_panels(game: Record, found: Vector[int]) -> int:
    placed, covered = int64(0), 0
    for column in range(t.NUM_DONATION_COLUMNS):
        if game.panel[column] != NONE:
            if placed & bit(game.panel[column]):
                return say(found, faults.PANEL_TWICE, game.panel[column], 0, 0)
            placed |= bit(game.panel[column])
            covered += 1
    if covered and not game.modules & state.NEW_DONATIONS:
        return say(found, faults.MODULE_OFF, state.NEW_DONATIONS, 0, 0)
    most = int64(game.num_players)
    if phases.before_panels(game.phase):
        most = int64(0)
    elif game.phase == state.PANELS:
        most = int64(company.place(game, game.to_play))
    return say(found, faults.PANELS, covered, most, 0) if covered > most else 0


@jit
def _check_secrets(game: Record, found: Vector[int]) -> int:
    for seat in range(game.num_players):
        chosen = game.modules & state.SECRET_DONATION != 0 and phases.in_round(game)
        if game.phase == state.SECRET:
            chosen = company.place(game, seat) < company.place(game, game.to_play)
        if (game.secret[seat] != NONE) != chosen:
            return say(found, faults.SECRET, seat, chosen, 0)
    return 0


# ---- new departments
@jit
def _check_new_departments(game: Record, found: Vector[int]) -> int:
    if game.phase == state.OVER:
        return 0
    seat, in_use = game.to_play, hand.in_use(game, game.to_play)
    if game.relocations:
        most = new_departments.relocations(game, seat)
        if in_use != t.HR_ADMINISTRATION:
            return faults.RELOCATIONS_OF
        if game.relocations > most:
            return say(found, faults.RELOCATIONS_MOST, most, 0, 0)
    if game.phase == state.HALVES:
        if not new_departments.has_halves(in_use):
            return say(found, faults.HALVES_OF, in_use, 0, 0)
        right = False
        for region in range(t.NUM_REGIONS):
            right = right or game.projects == cities.projects_in(game, seat, region)
        if not right:
            return faults.HALVES_PROJECTS
        if not hand.is_spent(game):
            return faults.SPENT
    if game.phase == state.LEVEL:
        return _check_level(game, seat, found)
    if game.payroll_activated:
        here = company.space_of(game, seat, t.PAYROLL_MANAGEMENT)
        active = int64(game.active[seat, here]) if here != NONE else int64(0)
        if game.payroll_activated > active:
            return say(found, faults.PAYROLL, active, 0, 0)
    return 0


@jit
def _check_level(game: Record, seat: int, found: Vector[int]) -> int:
    region = game.level_region
    if not company.works(game, seat, t.ARCHIVES):
        return faults.NO_ARCHIVES
    if game.track[seat, region] == 0:
        return faults.LEVEL_START
    if not phases.in_turn(game):
        return say(found, faults.LEVEL_EVENT, event.region(game), 0, 0) if region != event.region(game) else 0
    for space in range(t.NUM_SPACES):
        if game.owner[space] == seat and cities.region_of(space) == region and t.CITY_BONUS[t.SPACE_CITY[space]]:
            return faults.LEVEL_TURN if game.action != company.CONSTRUCTION else 0
    return faults.LEVEL_CITY
