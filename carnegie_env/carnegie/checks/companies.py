"""A company: employees, departments, tabs, disks; and what set-up has brought so far."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.checks import faults, phases
from carnegie_env.carnegie.checks.faults import say
from carnegie_env.carnegie.rules import (
    cities,
    company,
    donations,
    new_start,
    tabs,
)
from carnegie_env.carnegie.state import NONE, Record, bit
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.jit import jit


@jit
def check_company(game: Record, seat: int, found: Vector[int]) -> int:
    fault = _check_employees(game, seat, found)
    if fault == 0:
        fault = _check_departments(game, seat, found)
    if fault == 0:
        fault = _check_tabs(game, seat, found)
    if fault == 0:
        fault = _check_disks(game, seat, found)
    if fault == 0:
        fault = _check_set_up(game, seat, found)
    return fault


@jit
def _check_employees(game: Record, seat: int, found: Vector[int]) -> int:
    employees = int64(game.reserve[seat]) + game.missions[seat].sum()
    employees += game.active[seat].sum() + game.inactive[seat].sum()
    if seat == game.to_play:
        employees += game.arrivals
    if employees != t.EMPLOYEES:
        return say(found, faults.EMPLOYEES, seat, employees, 0)
    for space in range(t.COMPANY_SPACES):
        if game.active[seat, space] > 0 and company.free_workstations(game, seat, space) < 0:
            return say(found, faults.WORKSTATIONS, seat, space, 0)
    return 0


@jit
def _check_departments(game: Record, seat: int, found: Vector[int]) -> int:
    built, owned = 0, int64(0)
    for space in range(t.COMPANY_SPACES):
        if t.START_DEPARTMENT[space] != 0 and game.department[seat, space] != t.START_DEPARTMENT[space]:
            return say(found, faults.PRINTED, seat, space, 0)
    for space in range(t.COMPANY_SPACES):
        code = game.department[seat, space]
        if code == 0:
            continue
        if owned & bit(code):
            return say(found, faults.DEPARTMENT_TWICE, seat, space, company.space_of(game, seat, code))
        owned |= bit(code)
        if built == 0 and company.is_tile(code):
            built = code
    if game.reserved[seat] > 0 and built > 0:  # ruling 5
        return say(found, faults.RESERVED_BUILT, seat, built, 0)
    if phases.in_round(game) and game.reserved[seat] == 0 and built == 0:
        return say(found, faults.RESERVED_LOST, seat, 0, 0)
    return 0


@jit
def _check_tabs(game: Record, seat: int, found: Vector[int]) -> int:
    """Every project built was uncovered, and is a disk in a city: on a space of its type, or in a small city."""
    for project in range(t.NUM_PROJECT_TYPES):
        if game.tab_pulled[seat, project] > t.TAB_LENGTH[project]:
            return say(found, faults.TAB_LENGTH, seat, project, 0)
        if tabs.ready(game, seat, project) < 0:
            return say(found, faults.TAB_BUILT, seat, project, tabs.uncovered_projects(game, seat, project))
        if game.tab_side[seat, project] == NONE and not phases.before_housing(game.phase):
            return say(found, faults.TAB_SIDE, seat, project, 0)
    disks = cities.disks_of(game, seat)
    if disks != game.tab_built[seat].sum():
        return say(found, faults.PROJECTS, seat, disks, 0)
    for project in range(t.NUM_PROJECT_TYPES):  # but for Political Lobbying
        typed = cities.disks_on_type(game, seat, project)
        if typed > game.tab_built[seat, project] and not game.owned[seat] & bit(t.POLITICAL_LOBBYING):
            return say(found, faults.PROJECT_TYPES, seat, project, typed)
    return 0


@jit
def _check_disks(game: Record, seat: int, found: Vector[int]) -> int:
    disks = 1 + t.NUM_REGIONS + int64(game.disks[seat])  # for the score, the transport markers
    for project in range(t.NUM_PROJECT_TYPES):
        disks += tabs.ready(game, seat, project)
    disks += cities.disks_of(game, seat) + donations.disks_of(game, seat)
    return say(found, faults.DISKS, seat, disks, 0) if disks != t.DISKS else 0


@jit
def _check_set_up(game: Record, seat: int, found: Vector[int]) -> int:
    """Set-up's decisions go round the table in order (ruling 3), and nothing else happens before round 1."""
    placed = game.tab_built[seat, tabs.HOUSING] > 0 or not phases.before_panels(game.phase)  # the first disk of set-up
    if placed and cities.disks_on_type(game, seat, tabs.HOUSING) == 0:
        return say(found, faults.HOUSED, seat, 0, 0)
    if phases.in_round(game):
        return 0
    for k in range(len(faults.KEPT)):
        if not _is_kept(game, seat, k):
            return say(found, faults.STILL, seat, k, 0)
    return _check_order(game, seat, found)


@jit
def _check_order(game: Record, seat: int, found: Vector[int]) -> int:
    """Tabs are chosen clockwise, housing and reserved departments counter-clockwise, to the first player (ruling 3)."""
    own, now, phase = company.place(game, seat), company.place(game, game.to_play), game.phase
    chosen, in_order = 0, True
    for project in range(t.NUM_PROJECT_TYPES):
        if game.tab_side[seat, project] != NONE:
            in_order = in_order and chosen == project
            chosen += 1
    most = t.NUM_PROJECT_TYPES
    if phase == state.SHEET:
        in_order = chosen == 0
    elif phase == state.SIDES:
        in_order = in_order and (chosen == most if own < now else chosen < most if own == now else chosen == 0)
    if not in_order:
        return say(found, faults.SIDES_ORDER, seat, chosen, 0)
    last = now if phase == state.HOUSING or phase == state.RESERVE else NONE
    done = own > last and not phases.before_housing(phase)
    housed = done or (own == last and phase == state.RESERVE)
    if (game.tab_built[seat, tabs.HOUSING] > 0) != housed:
        return say(found, faults.HOUSING_ORDER, seat, housed, 0)
    return say(found, faults.RESERVED_ORDER, seat, done, 0) if (game.reserved[seat] > 0) != done else 0


@jit
def _is_kept(game: Record, seat: int, k: int) -> bool:
    """Whether the k-th of faults.KEPT is as at the start."""
    if k == 0:
        return game.missions[seat].sum() == 0
    if k == 1:
        return game.track[seat].sum() == 0
    if k == 2:
        return game.tab_pulled[seat].sum() == 0 and game.tab_built[seat].sum() == min(
            game.tab_built[seat, tabs.HOUSING], 1
        )
    if k == 3:
        return game.donations_made[seat] == 0
    if k == 4:
        for space in range(t.COMPANY_SPACES):
            if game.department[seat, space] != t.START_DEPARTMENT[space]:
                return False
        return True
    if new_start.revealed(game):  # the sheet says the rest
        return True
    return game.reserve[seat] == t.START_RESERVE if k == 5 else game.vp[seat] == 0
