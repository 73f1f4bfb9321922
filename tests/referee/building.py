"""Rulebook 2.3.3: projects, and the spaces of the cities."""

from .company import gain
from .components import CITIES, PROJECTS, TABS, TRACKS
from .position import Company, Game, player

# The texts of the builds: "build industry in chicago", and with the space's place in the city for further equal spaces.
# Expansion 1, tile 27: "build industry in chicago on housing" where the space is for something else.
_TEXT: dict[tuple[str, str, int], str] = {}
_SITES: dict[str, list[tuple[str, list[int]]]] = {project: [] for project in PROJECTS}
_MISMATCHES: dict[str, list[tuple[str, list[int]]]] = {project: [] for project in PROJECTS}
for _city in CITIES.values():
    for _project in PROJECTS:
        for _kind in dict.fromkeys(_city.spaces):
            _indices = [i for i, kind in enumerate(_city.spaces) if kind == _kind]
            _match = _kind in (_project, "any")
            for _i in _indices:
                _on = "" if _match else f" on {_kind}"
                _further = "" if _i == _indices[0] else f" space {_i + 1}"
                _TEXT[_project, _city.id, _i] = f"build {_project} in {_city.id}{_on}{_further}"
            (_SITES if _match else _MISMATCHES)[_project].append((_city.id, _indices))
_MEANING = {text: key for key, text in _TEXT.items()}


def meaning(text: str) -> tuple[str, str, int]:
    """Project, city and index of the space of a build."""
    return _MEANING[text]


def free_sites(g: Game, project: str, mismatches: bool = False) -> set[str]:
    """2.3.3: the free spaces that take the project, as texts; expansion 1, tile 27: also those of other types.

    Ruling 23: of a city's equal free spaces only the left-most; in solo, where it matters for Andrew, each."""
    texts = set()
    for city, indices in _SITES[project] + (_MISMATCHES[project] if mismatches else []):
        owners = g.cities[city]
        for i in indices:
            if owners[i] is None:
                texts.add(_TEXT[project, city, i])
                if not g.solo:
                    break
    return texts


def disks_on_tab(c: Company, project: str) -> int:
    """Projects developed and not yet built."""
    facts, tab = TABS[project], c.tabs[project]
    return min(tab.uncovered - facts.blank_sections, facts.project_sections) - tab.built


def place_project(g: Game, seat: int, text: str) -> None:
    """Ruling 22: the right-most disk of the tab goes to the space."""
    project, city, index = meaning(text)
    g.companies[seat].tabs[project].built += 1
    g.cities[city][index] = player(seat)


def suits(project: str, city: str, index: int) -> bool:
    """Whether the space fits the project: one of its type, or a small city's."""
    return CITIES[city].spaces[index] in (project, "any")


def transport_income(c: Company, region: str, times: int, space: int) -> tuple[int, int]:
    """2.2.1, 3.1: pay the income of a space of the track; return the research points and new employees."""
    return gain(c, TRACKS[region].income[space], times)


def chooses_level(c: Company, region: str) -> bool:
    """Expansion 1, tile 31: with Archives an income may be that of any space up to the marker."""
    return c.works("archives") and c.transport[region] > 0


def bonus_region(text: str) -> str | None:
    """2.3.3, ruling 22: some small cities pay one transport income of their region at once."""
    _project, city, _index = meaning(text)
    return CITIES[city].region if CITIES[city].transport_bonus else None
