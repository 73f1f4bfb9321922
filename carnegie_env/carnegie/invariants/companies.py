"""Companies: employees, departments, tabs, disks; and their set-up."""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.invariants import phases
from carnegie_env.carnegie.rules import cities, company, donations, new_start, tabs, timeline
from carnegie_env.carnegie.state import NONE, Record, bit
from carnegie_env.core.arrays import int64
from carnegie_env.core.invariants import invariant
from carnegie_env.core.jit import jit


@invariant(
    "companies[{seat}].employees",
    "must make up all employees of a company, together with reserve, missions and arrivals",
)
def employees(game: Record, seat: int) -> bool:
    found = int64(game.reserve[seat]) + game.missions[seat].sum() + game.active[seat].sum() + game.inactive[seat].sum()
    return found + (game.arrivals if seat == game.to_play else 0) == t.EMPLOYEES


@invariant("companies[{seat}].employees.{space}.active", "must not exceed the workstations of the department")
def workstations(game: Record, seat: int, space: int) -> bool:
    return game.active[seat, space] == 0 or company.free_workstations(game, seat, space) >= 0


@invariant("companies[{seat}].departments.{space}", "must be the printed department on a space that has one")
def printed(game: Record, seat: int, space: int) -> bool:
    return t.START_DEPARTMENT[space] == 0 or game.department[seat, space] == t.START_DEPARTMENT[space]


@invariant("companies[{seat}].departments.{space}", "must not be a department that the company has on another space")
def department_once(game: Record, seat: int, space: int) -> bool:
    code = game.department[seat, space]
    return code == 0 or company.space_of(game, seat, code) == space


@invariant(
    "companies[{seat}].reserved",
    "must be set from round 1 until the company builds its first tile, and null afterwards (ruling 5)",
)
def reserved(game: Record, seat: int) -> bool:
    built = False
    for space in range(t.COMPANY_SPACES):
        built = built or company.is_tile(game.department[seat, space])
    if game.reserved[seat] > 0:
        return not built
    return built or not phases.in_round(game)


@invariant("companies[{seat}].tabs.{project}.uncovered", "must not exceed the length of the tab")
def tab_length(game: Record, seat: int, project: int) -> bool:
    return game.tab_pulled[seat, project] <= t.TAB_LENGTH[project]


@invariant("companies[{seat}].tabs.{project}.built", "must not exceed the number of uncovered projects")
def tab_built(game: Record, seat: int, project: int) -> bool:
    return tabs.ready(game, seat, project) >= 0


@invariant("companies[{seat}].tabs.{project}.side", "must be a or b after set-up step 6")
def tab_side(game: Record, seat: int, project: int) -> bool:
    return game.tab_side[seat, project] != NONE or phases.before_housing(game.phase)


@invariant("companies[{seat}].tabs", "must have as many built projects as the seat has disks in cities")
def projects(game: Record, seat: int) -> bool:
    return cities.disks_of(game, seat) == game.tab_built[seat].sum()


@invariant(
    "companies[{seat}].tabs.{project}.built",
    "must count all disks on spaces of its type, unless the company has Political Lobbying",
)
def project_types(game: Record, seat: int, project: int) -> bool:
    typed = cities.disks_on_type(game, seat, project)
    return typed <= game.tab_built[seat, project] or game.owned[seat] & bit(t.POLITICAL_LOBBYING) != 0


@invariant(
    "companies[{seat}].disks",
    "must make up all disks of a company, together with those on tabs, tracks, board and score track",
)
def disks(game: Record, seat: int) -> bool:
    found = 1 + t.NUM_REGIONS + int64(game.disks[seat])  # for the score, the transport markers
    for project in range(t.NUM_PROJECT_TYPES):
        found += tabs.ready(game, seat, project)
    return found + cities.disks_of(game, seat) + donations.disks_of(game, seat) == t.DISKS


@invariant(
    "companies[{seat}].tabs.housing.built",
    "must count a disk on a housing space of a medium or large city, from set-up",
)
def housed(game: Record, seat: int) -> bool:
    placed = game.tab_built[seat, tabs.HOUSING] > 0 or not phases.before_panels(game.phase)
    return not placed or cities.disks_on_type(game, seat, tabs.HOUSING) > 0


# ---------------------------------------------------------------- in set-up
@invariant("companies[{seat}]", "must have nothing chosen in set-up but sides, housing and reserved", phases.in_set_up)
def still(game: Record, seat: int) -> bool:
    for space in range(t.COMPANY_SPACES):
        if game.department[seat, space] != t.START_DEPARTMENT[space]:
            return False
    housing = min(game.tab_built[seat, tabs.HOUSING], 1)
    return (
        game.missions[seat].sum() + game.track[seat].sum() + game.donations_made[seat] == 0
        and game.tab_pulled[seat].sum() == 0 and game.tab_built[seat].sum() == housing
    )  # fmt: skip


@invariant("companies[{seat}]", "must have the starting reserve and vp until sheets are revealed", phases.in_set_up)
def start(game: Record, seat: int) -> bool:
    return new_start.revealed(game) or (game.reserve[seat] == t.START_RESERVE and game.vp[seat] == 0)


@invariant("companies[{seat}].tabs", "must have sides chosen in order, seat by seat (ruling 3)",
           phases.in_set_up)  # fmt: skip
def sides_order(game: Record, seat: int) -> bool:
    own, now = company.place(game, seat), company.place(game, game.to_play)
    chosen, in_order, most = 0, True, t.NUM_PROJECT_TYPES
    for project in range(most):
        if game.tab_side[seat, project] != NONE:
            in_order = in_order and chosen == project
            chosen += 1
    if game.phase == state.SHEET:
        return chosen == 0
    if game.phase != state.SIDES:
        return in_order
    return in_order and (chosen == most if own < now else chosen < most if own == now else chosen == 0)


@jit
def _has_reserved(game: Record, seat: int) -> bool:
    """Whether a seat has done steps 9 and 10, which go counter-clockwise, to the first player (ruling 3)."""
    choosing = game.phase == state.HOUSING or game.phase == state.RESERVE
    last = company.place(game, game.to_play) if choosing else NONE
    return company.place(game, seat) > last and not phases.before_housing(game.phase)


@invariant(
    "companies[{seat}].tabs.housing.built",
    "must follow the order of placing housing: the first player is last",
    phases.in_set_up,
)
def housing_order(game: Record, seat: int) -> bool:
    housed = _has_reserved(game, seat) or (seat == game.to_play and game.phase == state.RESERVE)
    return (game.tab_built[seat, tabs.HOUSING] > 0) == housed


@invariant(
    "companies[{seat}].reserved",
    "must follow the order of reserving tiles: the first player is last (ruling 3)",
    phases.in_set_up,
)
def reserved_order(game: Record, seat: int) -> bool:
    return (game.reserved[seat] > 0) == _has_reserved(game, seat)


# ---------------------------------------------------------------- Action Choice tiles
@jit
def was_dealt_choice(game: Record, seat: int) -> bool:
    """Whether a seat's place in the turn order of round 1 gets an Action Choice tile."""
    return t.ACTION_CHOICE[game.num_players, timeline.first_place(game, seat)] != 0


@invariant("companies[{seat}].action_choice", "must be false except for the last seats of the turn order of round 1")
def action_choice(game: Record, seat: int) -> bool:
    return not game.action_tile[seat] or was_dealt_choice(game, seat)
