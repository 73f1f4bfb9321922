"""Helpers of the tests: players that reach every corner of the rules, rich positions."""

import functools
import random

from tests import play_styles

from .components import (
    ALL_TILES,
    CITIES,
    DEPARTMENTS,
    DISTANCE,
    DONATION_CELLS,
    EDGES,
    LOBBY,
    PANELS,
    PROJECTS,
    REGIONS,
    SPACES,
    TABS,
    TILES,
    TRACKS,
)
from .donations import payment_in

MODULES = ["new_start", "new_departments", "new_donations", "diverse_setup", "wait", "secret_donation"]


# -------------------------------------------------------------------------------------------------------- players
def choose(rng: random.Random, position: dict, legal: set[str], style: str) -> str:
    """Choose an action in the style "any", "verbs" or "manager", who runs a reasonable company."""
    return play_styles.choose(rng, legal, style, functools.partial(_wish, position))


_WANTED = {"new_lobby": 6, "property_management": 4, "charitable_giving": 6, "communications": 3, "engineering": 3}
_WANTED |= {tile: 4 for tile in ALL_TILES if tile not in TILES}
_BASE_START = {"goods": 4, "employees": 5, "points": 0, "moves": 6}


def _wish(d: dict, action: str) -> float:
    verb, *words = action.split()
    company = d["companies"][d["to_play"]]
    match verb:
        case "pass":
            return 0.02
        case "lift":
            if words[0] == "active":
                return 0.03
            crowded = _free_workstations(company, words[1]) == 0
            return 1.0 if crowded else 0.05
        case "to" if d["phase"] == "destination":
            useful = _free_workstations(company, words[0]) > _inactive(company, words[0])
            return (5.0 if useful else 0.2) / (1 + DISTANCE[d["turn"]["lifted"]["space"], words[0]])
        case "recover":
            return 0.2 + int(words[0])
        case "timeline":
            return 0.5 if d["phase"] == "turn" else 1.0 + 0.1 * d["timeline"]["markers"][words[0]]
        case "department":
            return float(_WANTED.get(words[0], 1))
        case "take" if words[0] == "employee":
            return 2.0
        case "build":
            return 2.0
        case "sheet":  # often the base game's start, and low bids, so that some are equal
            return 8.0 if int(words[1]) == _BASE_START[words[0]] else 1.0
        case "bid":
            return 1.0 / (1 + int(words[0])) ** 2
        case "wait":
            return 0.4
        case "local_partners" | "branding" | "renovation" | "knowledge_sharing" | "hr_administration":
            return 2.0
    return 1.0


def _inactive(company: dict, space: str) -> int:
    return company["employees"].get(space, {"inactive": 0})["inactive"]


def _free_workstations(company: dict, space: str) -> int:
    department = company["departments"].get(space)
    if department is None:
        return 0
    active = company["employees"].get(space, {"active": 0})["active"]
    return len(DEPARTMENTS[department].workstations) - active


# --------------------------------------------------------------------------------------------- richer positions
def enrich(rng: random.Random, position: dict) -> dict:
    """The game with richer companies: wealth, departments, tabs, transport, donations, employees on missions.

    The numbers of pieces stay right. Use it at the start of a round."""
    andrew = position["andrew"]
    expansion = any(position["options"][module] for module in MODULES)
    if expansion:
        _cover_panels(rng, position)
    markers = [c["transport"] for c in position["companies"]] + ([andrew["transport"]] if andrew else [])
    for seat, c in enumerate(position["companies"]):
        c["money"] += rng.randrange(40)
        c["goods"] += rng.randrange(12)
        _add_departments(rng, position, c)
        if expansion:
            _enrich_for_the_expansion(rng, position, c)
            if "post_office" in c["departments"].values() or rng.random() < 0.1:
                _link_the_large_cities(rng, position, c, seat)
        for space in [*c["departments"]]:
            if rng.random() < 0.7:
                _fill_workstations(c, space)
        for region in REGIONS:
            _send(rng, c, region)
            last = TRACKS[region].last
            taken = any(other[region] == last for other in markers) and "archives" not in c["departments"].values()
            c["transport"][region] = rng.randrange(last if taken else last + 1)
        for project in PROJECTS:
            _develop(rng, position, c, seat, project)
    for _ in range(rng.randrange(5) if andrew else 0):
        andrew["disks"] -= _give(rng, position, "andrew")
    for seat, c in enumerate(position["companies"]):
        for _ in range(min(rng.randrange(5), c["disks"])):
            given = _give(rng, position, f"player_{seat}", "charitable_giving" in c["departments"].values())
            c["disks"] -= given
            c["donations_made"] += given
    return position


def _give(rng: random.Random, position: dict, owner: str, copies: bool = False) -> bool:
    """Put a disk on a free donation, or with Charitable Giving on another's; often on one with payments at the end."""
    disks = position["donations"]
    cells = [cell for cell in DONATION_CELLS if cell not in disks]
    if copies:
        cells += [cell for cell, owners in disks.items() if owner not in owners and owners != ["neutral"]]
    welfare = [cell for cell in cells if payment_in(position["panels"], cell) is not None]
    if not cells:
        return False
    owners = disks.setdefault(rng.choice(welfare if welfare and rng.random() < 0.5 else cells), [])
    owners.append(owner)
    owners.sort(key=lambda other: (not other.startswith("player_"), other))
    return True


def _add_departments(rng: random.Random, position: dict, c: dict) -> None:
    lobby_and_built = {*c["departments"], LOBBY}
    empty = [space for space in SPACES if space not in lobby_and_built]
    rng.shuffle(empty)
    for space in empty[: rng.randrange(7)]:
        tiles = [tile for tile in position["display"] if tile not in c["departments"].values()]
        if c["reserved"] is not None:
            tile, c["reserved"] = c["reserved"], None  # it is built first
        elif tiles:
            tile = rng.choice(sorted(tiles))
            position["display"][tile] -= 1
            if position["display"][tile] == 0:
                del position["display"][tile]
        else:
            return
        c["departments"][space] = tile


def _fill_workstations(c: dict, space: str) -> None:
    """Move an employee from the reserve to a workstation."""
    here = c["employees"].setdefault(space, {"active": 0, "inactive": 0})
    if c["reserve"] and _free_workstations(c, space) > 0:
        here["active"] += 1
        c["reserve"] -= 1
    elif not here["active"] and not here["inactive"]:
        del c["employees"][space]


def _send(rng: random.Random, c: dict, region: str) -> None:
    """Send an inactive employee on a mission."""
    lying = [space for space, here in c["employees"].items() if here["inactive"]]
    if lying and rng.random() < 0.5:
        here = c["employees"][rng.choice(sorted(lying))]
        here["inactive"] -= 1
        c["missions"][region] += 1
        c["employees"] = {space: e for space, e in c["employees"].items() if e["active"] or e["inactive"]}


def _develop(rng: random.Random, position: dict, c: dict, seat: int, project: str) -> None:
    """Pull a tab further and build some of its projects in small cities."""
    facts, tab = TABS[project], c["tabs"][project]
    for _ in range(rng.randrange(facts.sections)):
        if tab["uncovered"] == facts.sections or c["disks"] == 0:
            return
        if tab["uncovered"] < facts.blank_sections + facts.project_sections:
            c["disks"] -= 1
            if any(position["options"][module] for module in MODULES):
                tab["built"] += _build_anywhere(rng, position, c, seat, project)
            else:
                free = [city for city, owners in position["cities"].items() if owners == [None]]
                if free and rng.random() < 0.5:
                    position["cities"][rng.choice(sorted(free))][0] = f"player_{seat}"
                    tab["built"] += 1
        tab["uncovered"] += 1


# ------------------------------------------------------------------------------------- richer, with expansion 1
def _cover_panels(rng: random.Random, position: dict) -> None:
    """Put more new donation tiles on panels, at most one for each player."""
    panels = position["panels"]
    if panels is None:
        return
    placed = [tile for tile in panels.values() if tile is not None]
    for _ in range(len(position["companies"]) - len(placed)):
        if rng.random() < 0.7:
            column = rng.choice([column for column in PANELS if panels[column] is None])
            panels[column] = rng.choice([tile for tile in PANELS if tile not in panels.values()])


def _enrich_for_the_expansion(rng: random.Random, position: dict, c: dict) -> None:
    """Activate employees in expansion 1's tiles, and change the secret donation and the VP."""
    for space in sorted(c["departments"]):
        lying = [other for other, here in c["employees"].items() if here["inactive"]]
        new = c["departments"][space] in ALL_TILES and c["departments"][space] not in TILES
        if new and lying and _free_workstations(c, space) > 0 and rng.random() < 0.8:
            c["employees"][rng.choice(sorted(lying))]["inactive"] -= 1
            c["employees"].setdefault(space, {"active": 0, "inactive": 0})["active"] += 1
    c["employees"] = {space: e for space, e in c["employees"].items() if e["active"] or e["inactive"]}
    if position["options"]["secret_donation"]:
        paying = [cell for cell in DONATION_CELLS if payment_in(position["panels"], cell) is not None]
        given = [cell for cell, owners in position["donations"].items() if owners != ["neutral"]]
        c["secret"] = rng.choice(rng.choice([cells for cells in (DONATION_CELLS, paying, given) if cells]))
    if position["options"]["new_start"] and c["sheet"]["points"] < 0:
        c["vp"] = rng.randrange(c["sheet"]["points"], 4)
    else:
        c["vp"] += rng.choice([0, 0, 1, 2, 10])


NETWORKS = [
    "san_francisco reno salt_lake_city denver kansas_city chicago pittsburgh new_york dallas memphis new_orleans",
    "san_francisco los_angeles phoenix el_paso dallas houston new_orleans memphis st_louis chicago pittsburgh new_york",
    "san_francisco portland boise denver omaha chicago st_louis memphis new_orleans atlanta washington new_york",
]


def _link_the_large_cities(rng: random.Random, position: dict, c: dict, seat: int) -> None:
    """Develop all projects and try to link all four large cities in one network."""
    stock = {}
    for project in PROJECTS:
        facts, tab = TABS[project], c["tabs"][project]
        while c["disks"] and tab["uncovered"] < facts.blank_sections + facts.project_sections:
            c["disks"] -= 1
            tab["uncovered"] += 1
        stock[project] = max(0, min(tab["uncovered"] - facts.blank_sections, facts.project_sections) - tab["built"])
    cities = [city for city in rng.choice(NETWORKS).split() if f"player_{seat}" not in position["cities"][city]]
    cities.sort(key=lambda city: CITIES[city].small)
    for city, i, project in _sites_for(position, cities, stock) or []:
        position["cities"][city][i] = f"player_{seat}"
        c["tabs"][project]["built"] += 1


def _sites_for(position: dict, cities: list[str], stock: dict[str, int]) -> list[tuple[str, int, str]] | None:
    """A free space and a project in stock for each of the cities; None if that is impossible."""
    if not cities:
        return []
    city = cities[0]
    for i, owner in enumerate(position["cities"][city]):
        for project in PROJECTS:
            if owner is None and stock[project] and CITIES[city].spaces[i] in (project, "any"):
                rest = _sites_for(position, cities[1:], stock | {project: stock[project] - 1})
                if rest is not None:
                    return [(city, i, project), *rest]
    return None


def _build_anywhere(rng: random.Random, position: dict, c: dict, seat: int, project: str) -> bool:
    """Build a project, preferably beside another one; with Political Lobbying on a space of any type."""
    lobbying = "political_lobbying" in c["departments"].values()
    name, cities = f"player_{seat}", position["cities"]
    free = [
        (city, i)
        for city, owners in cities.items()
        for i, owner in enumerate(owners)
        if owner is None and (lobbying or CITIES[city].spaces[i] in (project, "any"))
    ]
    own = {city for city, owners in cities.items() if name in owners}
    beside = {b for a, b in EDGES if a in own} | {a for a, b in EDGES if b in own}
    near = [(city, i) for city, i in free if city in beside and city not in own]
    if not free or rng.random() < 0.2:
        return False
    city, i = rng.choice(near if near and rng.random() < 0.8 else free)
    cities[city][i] = name
    return True
