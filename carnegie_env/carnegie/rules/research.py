"""Research and development (rulebook part 2, chapter 3.4; part 3, chapters 1 and 3; rulings 20, 24, 27)."""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, donations, new_departments
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
        elif code == t.CHARITABLE_GIVING:  # not without money, disk and target (ruling 26)
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
def uncovers_project(game: Record, seat: int, tab: int) -> bool:
    """Whether the next advance of a tab uncovers a project section."""
    section = game.tab_pulled[seat, tab] + 1 - t.TAB_BLANK[tab]
    return 0 <= section < t.TAB_PROJECTS[tab]


@jit
def track_cost(game: Record, seat: int, region: int) -> int:
    """Points to the next space of a track; 1 less, at least 1, while Telegraph Operators works (ruling 24)."""
    cost = t.TRACK_COST[region, game.track[seat, region]]
    if company.works(game, seat, t.TELEGRAPH_OPERATORS):
        cost = max(
            cost - t.EFFECT[t.TELEGRAPH_OPERATORS, t.EFFECT_DISCOUNT], t.EFFECT[t.TELEGRAPH_OPERATORS, t.EFFECT_LEAST]
        )
    return cost


@jit
def last_space_taken(game: Record, region: int) -> bool:
    """Whether somebody's marker holds the last space of a track, which takes one (ruling 24)."""
    for owner in range(state.ANDREW + 1):
        if game.track[owner, region] == t.TRACK_SPACES - 1:
            return True
    return False


@jit
def can_step(game: Record, owner: int, region: int) -> bool:
    """Whether the marker of a seat or of Andrew can go on, costs aside; Archives enters a taken last space, too."""
    space = game.track[owner, region]
    if space == t.TRACK_SPACES - 2:
        return not last_space_taken(game, region) or (owner != state.ANDREW and company.works(game, owner, t.ARCHIVES))
    return space < t.TRACK_SPACES - 2


@jit
def legal_advance(game: Record) -> None:
    """Tabs and tracks that the points pay for (ruling 27)."""
    if game.research <= 0:
        return
    seat = game.to_play
    for tab in range(4):
        if game.tab_pulled[seat, tab] < t.TAB_LENGTH[tab] and game.research >= t.TAB_STEP_COST[tab]:
            if game.disks[seat] > 0 or not uncovers_project(game, seat, tab):
                masks.put(game.legal, actions.ADVANCE_TAB + tab)
    for region in range(4):
        if can_step(game, seat, region) and game.research >= track_cost(game, seat, region):
            masks.put(game.legal, actions.ADVANCE_TRACK + region)


@jit
def apply_advance(game: Record, verb: int, argument: int) -> None:
    """Spend points on a tab or a track."""
    if verb == actions.V_ADVANCE_TAB:
        _advance_tab(game, argument)
    else:
        _advance_track(game, argument)


@jit
def _advance_tab(game: Record, tab: int) -> None:
    """Pull a tab by one section; a disk from the reserve goes on a project section."""
    seat = game.to_play
    game.research -= t.TAB_STEP_COST[tab]
    if uncovers_project(game, seat, tab):
        game.disks[seat] -= 1
    game.tab_pulled[seat, tab] += 1


@jit
def _advance_track(game: Record, region: int) -> None:
    """Move a transport marker by one space; entering the last one is rewarded at once."""
    seat = game.to_play
    game.research -= track_cost(game, seat, region)
    game.track[seat, region] += 1
    if game.track[seat, region] == t.TRACK_SPACES - 1:
        game.money[seat] += t.TRACK_REWARD[region, t.MONEY]
        game.goods[seat] += t.TRACK_REWARD[region, t.GOODS]
        game.vp[seat] += t.TRACK_REWARD[region, t.VP]
