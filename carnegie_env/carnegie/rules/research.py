"""Research and development (rulebook part 2, chapter 3.4; part 3, chapters 1 and 3; rulings 20, 27)."""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, donations, new_departments, tabs, transport
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks
from carnegie_env.core.jit import jit, trailing_zeros


@jit
def starting_research(game: Record, seat: int) -> int:
    """The pool of a turn: the starting department and Advanced Design, each used once (ruling 20)."""
    points = _points_of(game, seat, t.START_RESEARCH_AND_DEVELOPMENT)
    if game.owned[seat] & bit(t.ADVANCED_DESIGN):
        points += _points_of(game, seat, t.ADVANCED_DESIGN)
    return points


@jit
def _points_of(game: Record, seat: int, code: int) -> int:
    return game.active[seat, company.space_of(game, seat, code)] * t.EFFECT[code, t.EFFECT_RESEARCH]


@jit
def legal_research_departments(game: Record, seat: int) -> None:
    """Uses of Advanced Research and Charitable Giving."""
    spaces = company.usable_spaces(game, seat)
    while spaces != 0:
        code = game.department[seat, trailing_zeros(spaces)]
        spaces &= spaces - 1
        if code == t.ADVANCED_RESEARCH:
            masks.put_bits(game.legal, actions.ADVANCED_RESEARCH, actions.ALL_REGIONS)
        elif code == t.CHARITABLE_GIVING:  # needs money, a disk and a target (ruling 26)
            if donations.can_donate(game, seat) and donations.cells_to_copy(game, seat) != 0:
                masks.put_bits(game.legal, actions.CHARITABLE_GIVING, actions.ALL_REGIONS)
        elif game.modules:
            new_departments.legal_use(game, seat, code)


@jit
def apply_research_departments(game: Record, seat: int, verb: int, argument: int) -> None:
    """One use of one of these departments."""
    if verb == actions.V_ADVANCED_RESEARCH:
        company.use_on_mission(game, seat, t.ADVANCED_RESEARCH, argument)
        game.research += t.EFFECT[t.ADVANCED_RESEARCH, t.EFFECT_RESEARCH]
    elif verb == actions.V_CHARITABLE_GIVING:
        company.use_on_mission(game, seat, t.CHARITABLE_GIVING, argument)
        game.phase = state.CHARITY
    elif game.modules:
        new_departments.apply_use(game, seat, verb, argument)


# ---- spending points
@jit
def legal_advance(game: Record) -> None:
    """The tabs and tracks that the points can advance (ruling 27)."""
    if game.research <= 0:
        return
    seat = game.to_play
    for project in range(t.NUM_PROJECT_TYPES):
        if not tabs.is_fully_pulled(game, seat, project) and game.research >= t.TAB_STEP_COST[project]:
            if game.disks[seat] > 0 or not tabs.next_is_project(game, seat, project):
                masks.put(game.legal, actions.ADVANCE_TAB + project)
    for region in range(t.NUM_REGIONS):
        if transport.can_step(game, seat, region) and game.research >= transport.step_cost(game, seat, region):
            masks.put(game.legal, actions.ADVANCE_TRACK + region)


@jit
def apply_advance(game: Record, verb: int, argument: int) -> None:
    """Spend points on a tab or a track."""
    seat = game.to_play
    if verb == actions.V_ADVANCE_TAB:
        game.research -= t.TAB_STEP_COST[argument]
        if tabs.next_is_project(game, seat, argument):
            game.disks[seat] -= 1
        game.tab_pulled[seat, argument] += 1
    else:
        game.research -= transport.step_cost(game, seat, argument)
        transport.advance(game, seat, argument)
