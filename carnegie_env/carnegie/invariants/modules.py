"""The modules of expansion 1."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.invariants import hand, phases
from carnegie_env.carnegie.rules import cities, company, event, new_departments, new_start, timeline
from carnegie_env.carnegie.state import NONE, Record, bit
from carnegie_env.core.arrays import int64
from carnegie_env.core.invariants import invariant
from carnegie_env.core.jit import jit

_NEW_TILES, _NEW_START, _NEW_DONATIONS, _SECRET_DONATION = (
    state.NEW_TILES, state.NEW_START, state.NEW_DONATIONS, state.SECRET_DONATION,
)  # fmt: skip


@jit
def module_of(phase: int) -> int:
    """Bits of the modules that have a phase; 0 for a phase of the base game."""
    if phase == state.SHEET:
        return _NEW_START
    if phase == state.PANELS:
        return _NEW_DONATIONS
    if phase == state.SECRET:
        return _SECRET_DONATION
    return _NEW_TILES if phase == state.RELOCATION or phase == state.HALVES or phase == state.LEVEL else 0


@invariant("phase", "must not belong to a module that is off")
def module_phase(game: Record) -> bool:
    bits = module_of(game.phase)
    return bits == 0 or game.modules & bits != 0


# ---------------------------------------------------------------- a new start
@jit
def _with_sheets(game: Record) -> bool:
    return game.modules & state.NEW_START != 0


@jit
def least_vp(game: Record) -> int:
    """The lowest VP that a company can have: the cost of its sheet, since the rules take none below 0."""
    least = 0
    if new_start.revealed(game):
        for k in range(t.NEW_START_OFFERS.shape[1]):
            least = min(least, t.NEW_START_OFFERS[new_start.POINTS, k, t.OFFER_AMOUNT])
    return least


@invariant("companies[{seat}].vp", "must not be below 0, or below the points that a sheet of the new start may cost")
def vp(game: Record, seat: int) -> bool:
    return game.vp[seat] >= least_vp(game)


@invariant("companies[{seat}].sheet", "must be filled in order, the bid last; a solo game has no bid")
def sheet_order(game: Record, seat: int) -> bool:
    if not _with_sheets(game):
        return game.bid[seat] == NONE and game.sheet[seat].max() == NONE
    filled = new_start.lines_filled(game, seat)
    for line in range(filled, new_start.NUM_LINES):
        if game.sheet[seat, line] != NONE:
            return False
    return game.bid[seat] == NONE or (game.num_players > 1 and filled == new_start.NUM_LINES)


@jit
def _filling(game: Record) -> bool:
    return game.phase == state.SHEET


@invariant("companies[{seat}]", "must have the starting money, goods and employees until sheets are revealed", _filling)
def still(game: Record, seat: int) -> bool:
    for space in range(t.COMPANY_SPACES):
        code = t.START_DEPARTMENT[space]
        standing = 1 if code != 0 and code != t.LOBBY else 0
        lying = t.START_LOBBY if code == t.LOBBY else 0
        if game.active[seat, space] != standing or game.inactive[seat, space] != lying:
            return False
    return game.money[seat] == t.START_MONEY and game.goods[seat] == t.START_GOODS


@invariant("companies[{seat}].sheet", "must be filled in seat by seat, each sheet to the end", _with_sheets)
def sheet_filled(game: Record, seat: int) -> bool:
    filled = new_start.lines_filled(game, seat)
    full = filled == new_start.NUM_LINES and (game.bid[seat] != NONE or game.num_players == 1)
    if game.phase == state.SHEET and seat >= game.to_play:
        return not full and (seat == game.to_play or filled == 0)
    return full


@invariant(
    "companies[{seat}].sheet",
    "must keep to the budget, with the cheapest choices for the lines still empty",
    _with_sheets,
)
def budget(game: Record, seat: int) -> bool:
    cost = new_start.cost(game, seat) + max(int64(game.bid[seat]), 0)
    return cost + new_start.LEAST[new_start.lines_filled(game, seat)] <= t.NEW_START_BUDGET


@invariant(
    "first_player", "must be 0 until sheets are revealed; then the seat with the highest bid begins", _with_sheets
)
def bids(game: Record) -> bool:
    if game.phase == state.SHEET:
        return game.first_player == 0
    highest, of_first = int64(-1), int64(-1)
    for seat in range(game.num_players if new_start.revealed(game) else 0):
        value = new_start.rank(game, seat)
        highest = max(highest, value)
        if timeline.first_place(game, seat) == 0:
            of_first = value
    return game.num_players == 1 or highest == of_first


# ---------------------------------------------------------------- new donations, the secret donation, wait
@invariant("panels", "must have different tiles, at most one for each player, and none without the module")
def panels(game: Record) -> bool:
    placed, covered, most = int64(0), 0, int64(game.num_players)
    for column in range(t.NUM_DONATION_COLUMNS):
        if game.panel[column] != NONE:
            if placed & bit(game.panel[column]):
                return False
            placed |= bit(game.panel[column])
            covered += 1
    if phases.before_panels(game.phase) or not game.modules & state.NEW_DONATIONS:
        most = int64(0)
    elif game.phase == state.PANELS:
        most = int64(company.place(game, game.to_play))
    return covered <= most


@invariant("companies[{seat}].secret", "must be chosen in turn order before round 1, and null without the module")
def secret(game: Record, seat: int) -> bool:
    chosen = game.modules & state.SECRET_DONATION != 0 and phases.in_round(game)
    if game.phase == state.SECRET:
        chosen = company.place(game, seat) < company.place(game, game.to_play)
    return (game.secret[seat] != NONE) == chosen


@invariant("waiting", "must be false except during turns with the module wait")
def waiting(game: Record) -> bool:
    return not game.waiting or (game.modules & state.WAIT != 0 and phases.in_turn(game))


# ---------------------------------------------------------------- new departments
@invariant("turn.relocations", "must not exceed what hr_administration, if it is in use, grants")
def relocations(game: Record) -> bool:
    if not game.relocations:
        return True
    seat = game.to_play
    return hand.in_use(game, seat) == t.HR_ADMINISTRATION and game.relocations <= new_departments.relocations(
        game, seat
    )


@jit
def _halves(game: Record) -> bool:
    return game.phase == state.HALVES


@invariant(
    "turn.department",
    "must be the space of local_partners, branding, renovation or knowledge_sharing in phase halves",
    _halves,
)
def halves(game: Record) -> bool:
    return new_departments.has_halves(hand.in_use(game, game.to_play))


@invariant("turn.projects", "must be the company's projects in one region", _halves)
def halves_projects(game: Record) -> bool:
    for region in range(t.NUM_REGIONS):
        if game.projects == cities.projects_in(game, game.to_play, region):
            return True
    return False


@invariant("turn.payroll_activated", "must not exceed the active employees of payroll_management")
def payroll(game: Record) -> bool:
    if not game.payroll_activated:
        return True
    here = company.space_of(game, game.to_play, t.PAYROLL_MANAGEMENT)
    return here != NONE and game.payroll_activated <= game.active[game.to_play, here]


@jit
def _level(game: Record) -> bool:
    return game.phase == state.LEVEL


@invariant("phase", "must not be level unless Archives is at work", _level)
def archives(game: Record) -> bool:
    return company.works(game, game.to_play, t.ARCHIVES)


@invariant("turn.level_region", "must be a region where the company's marker has moved", _level)
def level_moved(game: Record) -> bool:
    return game.track[game.to_play, game.level_region] > 0


@invariant("turn.level_region", "must be the region of the event, or of a city with a bonus just built in", _level)
def level_region(game: Record) -> bool:
    if not phases.in_turn(game):
        return game.level_region == event.region(game)
    for space in range(t.NUM_SPACES):
        here = game.owner[space] == game.to_play and cities.region_of(space) == game.level_region
        if here and t.CITY_BONUS[t.SPACE_CITY[space]]:
            return game.action == company.CONSTRUCTION
    return False
