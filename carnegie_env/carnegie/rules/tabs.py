"""Project tabs (rulebook part 2, chapter 3.4): what is uncovered, what can be built, what they are worth.

A tab has one index, its project type (position in ``tables.PROJECTS``). From the start of a game one section of it is
uncovered; each advance uncovers the next. First come blank sections, then those of projects, each of which holds a disk
until its project is built, then those of victory points.
"""

from __future__ import annotations

from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.state import Record
from carnegie_env.core.jit import jit

HOUSING = t.PROJECTS.index("housing")


@jit
def uncovered(game: Record, seat: int, project: int) -> int:
    """Sections of a tab that are uncovered."""
    return game.tab_pulled[seat, project] + 1


@jit
def uncovered_projects(game: Record, seat: int, project: int) -> int:
    """Project sections that are uncovered."""
    return min(max(uncovered(game, seat, project) - t.TAB_BLANK[project], 0), t.TAB_PROJECTS[project])


@jit
def ready(game: Record, seat: int, project: int) -> int:
    """Projects that can be built: uncovered ones without those built, equal to the disks on the tab."""
    return uncovered_projects(game, seat, project) - game.tab_built[seat, project]


@jit
def vp_sections(game: Record, seat: int, project: int) -> int:
    """Sections of victory points that are uncovered."""
    return max(uncovered(game, seat, project) - t.TAB_BLANK[project] - t.TAB_PROJECTS[project], 0)


@jit
def next_is_project(game: Record, seat: int, project: int) -> bool:
    """Whether the next advance uncovers a project section, which takes a disk from the reserve."""
    section = uncovered(game, seat, project) - t.TAB_BLANK[project]
    return 0 <= section < t.TAB_PROJECTS[project]


@jit
def is_fully_pulled(game: Record, seat: int, project: int) -> bool:
    """Whether all sections are uncovered."""
    return game.tab_pulled[seat, project] == t.TAB_LENGTH[project]
