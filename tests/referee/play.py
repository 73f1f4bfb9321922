"""Helpers for the tests: start positions by chance, players that reach every corner of the rules, richer positions."""

from __future__ import annotations

import random

from . import setup
from .components import (
    CARDS,
    DEPARTMENTS,
    DISTANCE,
    DONATION_CELLS,
    LOBBY,
    PROJECTS,
    REGIONS,
    SPACES,
    TABS,
    TILES,
    TIMELINE_TILES,
    TRACKS,
)
from .scoring import PAYMENT_CELLS

STYLES = ["any", "verbs", "manager"]


def random_start(
    rng: random.Random,
    num_players: int,
    difficulty: str | None = None,
    timeline_tiles: str = "columns",
    show_forced: bool = False,
) -> dict:
    """A start position drawn as the set-up says, without the engine."""
    deck = None
    if num_players == 1:
        advanced = setup.ADVANCED_CARDS[difficulty]
        deck = rng.sample([c.id for c in CARDS.values() if c.advanced], advanced)
        deck += rng.sample([c.id for c in CARDS.values() if not c.advanced], 20 - advanced)
        rng.shuffle(deck)
    return setup.start_position(
        num_players=num_players,
        first_player=rng.randrange(num_players),
        timeline=[(number, rng.choice(["front", "back"])) for number in rng.sample(sorted(TIMELINE_TILES), 4)],
        removed=rng.sample([tile for tile in TILES for _ in range(setup.COPIES)], setup.TILES_REMOVED[num_players]),
        neutral_cards=rng.sample(sorted(CARDS), len(CARDS)),
        deck=deck,
        difficulty=difficulty,
        timeline_tiles=timeline_tiles,
        show_forced=show_forced,
    )


# -------------------------------------------------------------------------------------------------------- players
def choose(rng: random.Random, position: dict, legal: set[str], style: str) -> str:
    """Pick an action. "any": each alike; "verbs": each verb alike; "manager": runs a company that works, roughly."""
    actions = sorted(legal)
    if style == "any":
        return rng.choice(actions)
    if style == "verbs":
        by_verb: dict[str, list[str]] = {}
        for action in actions:
            by_verb.setdefault(action.split()[0], []).append(action)
        return rng.choice(by_verb[rng.choice(sorted(by_verb))])
    return rng.choices(actions, [_wish(position, action) for action in actions])[0]


_WANTED = {"new_lobby": 6, "property_management": 4, "charitable_giving": 6, "communications": 3, "engineering": 3}


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
    """The same game with companies further on: wealth, departments, tabs, transport, donations, employees on missions.

    The pieces stay complete: what lies somewhere is missing elsewhere. To be used at the start of a round."""
    andrew = position["andrew"]
    markers = [c["transport"] for c in position["companies"]] + ([andrew["transport"]] if andrew else [])
    for seat, c in enumerate(position["companies"]):
        c["money"] += rng.randrange(40)
        c["goods"] += rng.randrange(12)
        _add_departments(rng, position, c)
        for space in [*c["departments"]]:
            if rng.random() < 0.7:
                _fill_workstations(c, space)
        for region in REGIONS:
            _send(rng, c, region)
            last = TRACKS[region].last
            taken = any(other[region] == last for other in markers)
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
    """A disk on a free donation, or with Charitable Giving on another's; often one with payments at the end."""
    disks = position["donations"]
    cells = [cell for cell in DONATION_CELLS if cell not in disks]
    if copies:
        cells += [cell for cell, owners in disks.items() if owner not in owners and owners != ["neutral"]]
    welfare = [cell for cell in cells if cell in PAYMENT_CELLS]
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
            tile, c["reserved"] = c["reserved"], None  # the first one built
        elif tiles:
            tile = rng.choice(sorted(tiles))
            position["display"][tile] -= 1
            if position["display"][tile] == 0:
                del position["display"][tile]
        else:
            return
        c["departments"][space] = tile


def _fill_workstations(c: dict, space: str) -> None:
    """Employees of the reserve start to work."""
    here = c["employees"].setdefault(space, {"active": 0, "inactive": 0})
    if c["reserve"] and _free_workstations(c, space) > 0:
        here["active"] += 1
        c["reserve"] -= 1
    elif not here["active"] and not here["inactive"]:
        del c["employees"][space]


def _send(rng: random.Random, c: dict, region: str) -> None:
    """An employee lying somewhere goes on a mission."""
    lying = [space for space, here in c["employees"].items() if here["inactive"]]
    if lying and rng.random() < 0.5:
        here = c["employees"][rng.choice(sorted(lying))]
        here["inactive"] -= 1
        c["missions"][region] += 1
        c["employees"] = {space: e for space, e in c["employees"].items() if e["active"] or e["inactive"]}


def _develop(rng: random.Random, position: dict, c: dict, seat: int, project: str) -> None:
    """The tab is pulled further; some of its projects stand in small cities."""
    facts, tab = TABS[project], c["tabs"][project]
    for _ in range(rng.randrange(facts.sections)):
        if tab["uncovered"] == facts.sections or c["disks"] == 0:
            return
        if tab["uncovered"] < facts.blank_sections + facts.project_sections:
            c["disks"] -= 1
            free = [city for city, owners in position["cities"].items() if owners == [None]]
            if free and rng.random() < 0.5:
                position["cities"][rng.choice(sorted(free))][0] = f"player_{seat}"
                tab["built"] += 1
        tab["uncovered"] += 1
