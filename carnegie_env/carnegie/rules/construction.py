"""Construction (rulebook part 2, chapter 3.3; part 3, departments 9-12): building projects (rulings 22, 23)."""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import cities, company, new_departments, tabs, transport
from carnegie_env.carnegie.state import Record, bit, occupy
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit, popcount, trailing_zeros


@jit
def _offered(game: Record, bits: int, has_next: int) -> int:
    """Of a city's equal free spaces only the left-most, in solo all (ruling 23)."""
    if game.num_players > 1:
        behind = (bits & has_next) << 1
        behind |= (behind & has_next) << 1
        bits &= ~behind
    return bits


@jit
def put_build_bits(game: Record, project: int, bits: int) -> None:
    """Offer free spaces that take a project type."""
    masks.put_bits(game.legal, actions.BUILD + t.BUILD_START[project], _offered(game, bits, t.BUILD_HAS_NEXT[project]))


@jit
def _put_mismatches(game: Record, project: int) -> None:
    """Political Lobbying: also offer free spaces of the other types."""
    bits = _offered(game, game.free_mismatches[project], t.MISMATCH_HAS_NEXT[project])
    masks.put_bits(game.legal, actions.MISMATCH + t.MISMATCH_START[project], bits)


@jit
def _can_build(game: Record, seat: int, project: int, price: int) -> bool:
    """Whether a project of a type is ready, its goods and the price payable, and a space free."""
    return (
        tabs.ready(game, seat, project) > 0
        and company.can_pay(game, seat, price, t.TAB_GOODS[project])
        and (
            game.free_builds[project] != 0
            or (company.works(game, seat, t.POLITICAL_LOBBYING) and game.free_mismatches[project] != 0)
        )
    )


@jit
def _buildable_types(game: Record, seat: int, code: int) -> int:
    """Bit set of the project types that a building department can build now."""
    price = t.EFFECT[code, t.EFFECT_PRICE]
    projects = int64(0)
    for project in range(t.NUM_PROJECT_TYPES):
        if _can_build(game, seat, project, price):
            projects |= bit(project)
    return projects


@jit
def _candidates(game: Record, seat: int) -> int:
    """Bit set over ``actions.BUILDERS``: departments that can build something and have an employee who can act."""
    spaces = company.usable_spaces(game, seat)
    found = int64(0)
    for k in range(actions.BUILDERS.shape[0]):
        code = actions.BUILDERS[k]
        if game.owned[seat] & bit(code) and spaces & bit(company.space_of(game, seat, code)):
            if _buildable_types(game, seat, code) != 0:
                found |= bit(k)
    return found


@jit
def _builder(game: Record, seat: int, candidates: int) -> int:
    """The candidate for ``build``: the department in use, else the only one, else -1 (P5)."""
    if game.department_in_use != state.NONE:
        for k in range(actions.BUILDERS.shape[0]):
            if candidates & bit(k) and game.department[seat, game.department_in_use] == actions.BUILDERS[k]:
                return k
    if popcount(candidates) == 1:
        return trailing_zeros(candidates)
    return state.NONE


@jit
def legal_construction(game: Record, seat: int) -> None:
    """Builds, the choice of the building department, purchases of the Supply Chain."""
    candidates = _candidates(game, seat)
    builder = _builder(game, seat, candidates)
    if builder != state.NONE:
        projects = _buildable_types(game, seat, actions.BUILDERS[builder])
        for project in range(t.NUM_PROJECT_TYPES):
            if projects & bit(project):
                put_build_bits(game, project, game.free_builds[project])
                if company.works(game, seat, t.POLITICAL_LOBBYING):
                    _put_mismatches(game, project)
        candidates &= ~bit(builder)
    masks.put_bits(game.legal, actions.USE, candidates)
    if game.owned[seat] & bit(t.SUPPLY_CHAIN):
        if company.usable_spaces(game, seat) & bit(company.space_of(game, seat, t.SUPPLY_CHAIN)):
            for number in range(1, t.EFFECT[t.SUPPLY_CHAIN, t.EFFECT_UP_TO] + 1):
                if company.can_pay(game, seat, number * t.EFFECT[t.SUPPLY_CHAIN, t.EFFECT_PRICE], 0):
                    masks.put(game.legal, actions.SUPPLY_CHAIN + number - 1)
    if game.modules:
        new_departments.legal_uses(game, seat)


@jit
def apply_construction(game: Record, seat: int, verb: int, argument: int) -> None:
    """One use of one of these departments, or the choice of the building department."""
    if verb == actions.V_BUILD:
        _build(game, seat, actions.BUILDERS[_builder(game, seat, _candidates(game, seat))], argument)
    elif verb == actions.V_USE:
        company.select(game, company.space_of(game, seat, actions.BUILDERS[argument]))
    elif verb == actions.V_SUPPLY_CHAIN:
        company.use(game, seat, t.SUPPLY_CHAIN)
        company.pay(game, seat, (argument + 1) * t.EFFECT[t.SUPPLY_CHAIN, t.EFFECT_PRICE], 0)
        game.goods[seat] += argument + 1
    else:
        new_departments.apply_use(game, seat, verb, argument)


@jit
def _build(game: Record, seat: int, code: int, build: int) -> None:
    """Build a project; the employee goes to the city's region unless the work is outsourced (ruling 18)."""
    project = t.BUILD_TYPE[build]
    space = t.BUILD_SPACE[build]
    city = t.SPACE_CITY[space]
    region = cities.region_of(space)
    if code == t.CONSTRUCTION_OUTSOURCING:
        company.use(game, seat, code)
    else:
        company.use_on_mission(game, seat, code, region)
    company.pay(game, seat, t.EFFECT[code, t.EFFECT_PRICE], t.TAB_GOODS[project])
    game.tab_built[seat, project] += 1
    occupy(game, space, seat)
    if build < t.NUM_BUILDS and company.works(game, seat, t.POLITICAL_LOBBYING):  # not for a mismatch (ruling 46)
        game.vp[seat] += t.EFFECT[t.POLITICAL_LOBBYING, t.EFFECT_VP]
    if t.CITY_BONUS[city]:  # the builder's own transport income of the region, once, at once (ruling 22)
        transport.income(game, seat, region)
