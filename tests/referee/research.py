"""Rulebook 2.3.4 and 3.1: spending research points on project tabs and transport tracks."""

from .company import gain
from .components import PROJECTS, REGIONS, TABS, TRACKS
from .position import Company, Game


def tab_cost(c: Company, project: str) -> int | None:
    """Research points to uncover the tab's next section; None if that is not possible (ruling 27)."""
    facts, tab = TABS[project], c.tabs[project]
    if tab.uncovered == facts.sections:
        return None  # fully pulled
    if uncovers_project(c, project) and c.disks == 0:
        return None  # no disk for the new section
    return facts.step_cost


def uncovers_project(c: Company, project: str) -> bool:
    """Whether the next section is a project section (not one with final VP)."""
    facts = TABS[project]
    return c.tabs[project].uncovered < facts.blank_sections + facts.project_sections


def track_cost(g: Game, c: Company, region: str) -> int | None:
    """Research points for the marker's next step; None if that is not possible (rulings 24, 27)."""
    track, place = TRACKS[region], c.transport[region]
    if place == track.last:
        return None
    if place + 1 == track.last and last_space_taken(g, region) and not c.works("archives"):
        return None  # expansion 1, tile 31: Archives allow it
    cost = track.cost[place]
    if c.works("telegraph_operators"):
        cost = max(1, cost - 1)  # 3.3.16
    return cost


def last_space_taken(g: Game, region: str) -> bool:
    """3.1: the last space of a track takes one marker only, Andrew's included."""
    last = TRACKS[region].last
    return any(c.transport[region] == last for c in g.companies) or (
        g.andrew is not None and g.andrew.transport[region] == last
    )


def legal_advances(g: Game) -> set[str]:
    c, points = g.company, g.turn.research
    legal = set()
    for project in PROJECTS:
        cost = tab_cost(c, project)
        if cost is not None and cost <= points:
            legal.add(f"advance {project}")
    for region in REGIONS:
        cost = track_cost(g, c, region)
        if cost is not None and cost <= points:
            legal.add(f"advance {region}")
    return legal


def advance(g: Game, what: str) -> None:
    c = g.company
    if what in TABS:
        g.turn.research -= tab_cost(c, what)
        if uncovers_project(c, what):
            c.disks -= 1  # it is on the section now
        c.tabs[what].uncovered += 1
    else:
        g.turn.research -= track_cost(g, c, what)
        c.transport[what] += 1
        if c.transport[what] == TRACKS[what].last:
            gain(c, TRACKS[what].first_reward)  # 3.1: at once
