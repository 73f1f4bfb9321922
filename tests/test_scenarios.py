"""Carnegie's rule scenarios: a position, the actions played in it, and the result by the rules.

The files are ``tests/scenarios/<chapter>.toml``; ``tests/scenario.py`` describes their general form. Carnegie's keys:

============  =====================================================================================================
source        "part 2, chapter 3.1" of the rulebook, "ruling 19", "design 3" (docs/design.md)
base          the start position: a file of ``tests/scenarios/bases`` (default ``two``)
modules       modules of expansion 1 to switch on in the base, see below
position      patch of the base, see below
new, seeds    instead of base and position: options and seeds of new games
refuses       instead of base and position: options that are refused with an error that names the last one
at            the decision, the timeline, the turn (phase, to_play, round, timeline, turn, ...)
expect        patch of the companies, cities, donations, display and Andrew
scores        by p0-p3 and andrew
count         by the names in ``COUNTS``
============  =====================================================================================================

The bases ``one`` to ``four`` (players) are at the first choice of a timeline: an empty board except for the housing
disks of set-up, standard companies, no employees on missions, one copy of each tile (three and four players: more); the
events of the first spaces of the rows are west, south, east, midwest. The bases ``setup_one`` to ``setup_four`` are at
the first decision of set-up, with the same timeline and display; ``housing_one`` to ``housing_four`` are after the
choice of tab sides (all a), on an empty board without neutral disks.

Patches are merged into the dictionary of docs/design.md, section 5, with these short forms:

- ``p0`` to ``p3`` are the companies, and the owners in cities and donations; "" is a free space; trailing free spaces
  of a city may be left out. A disk in a small city names its project: "p0 industry". "null" is null.
- employees of a company space: ``[active, inactive]``; ``andrew.cards = { 3 = "N07" }`` puts cards into rounds of the
  deck; a list may be compared by index: ``at.timeline.spaces.research = { 4 = ["west", "donation"] }``.
- Everything that a patch of the base does not name is derived: the round, the first player and the player to move
  (from the markers), projects built and uncovered (from the cities), donations made, disks and employees left in the
  reserve, no reserved tile once a tile is built, the display (all other copies; if the number is wrong for the players,
  copies of tiles that the patch does not name are added or removed, from the last tile on), Andrew's disks and other
  cards, and 0 as the place of each card drawn.

``modules`` adds their keys to the base: no panel is covered; in a round the sheets equal the base game's start, with
bids of $0 (in set-up they are empty, and the first line is next), and every secret donation is ``human_rights_public``.
With ``new_departments`` the four tiles of a type are those in the patch or in a company, then the base game's in order.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from carnegie_env import Position
from carnegie_env.carnegie import actions
from carnegie_env.carnegie import tables as t
from tests.referee import Referee
from tests.referees import copied
from tests.scenario import Form, check, merged, plain, read, rulings_held, stages

FOLDER = Path(__file__).parent / "scenarios"
PIECES = ("companies", "cities", "donations", "display", "andrew")
SEATS = ("p0", "p1", "p2", "p3")
KEYS = frozenset({"base", "modules", "position", "new", "seeds", "refuses"})
TILES = t.DEPARTMENTS[1 : t.NUM_TILES + 1]
BASE_TILES = TILES[: t.BASE_TILES]
TILE_TYPE = dict(zip(TILES, t.DEPARTMENT_TYPE[1:].tolist(), strict=False))
BASE_SHEET = {"goods": 4, "employees": 5, "points": 0, "moves": 6, "bid": 0}
BASE_SECRET = "human_rights_public"
SPACE_TYPES = {
    city: t.SPACE_TYPE[first:last].tolist()
    for city, first, last in zip(t.CITIES, t.CITY_FIRST_SPACE, t.CITY_FIRST_SPACE[1:], strict=False)
}
PLAYERS_DISKS = t.DISKS - 1 - len(t.REGIONS)  # without those on the score track and the transport tracks


# ------------------------------------------------------------------------------------------------- reading the files
SCENARIOS = read(FOLDER)
BASES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((FOLDER / "bases").glob("*.json"))}


def sides_chosen(base: dict) -> dict:
    """A base of set-up after the last tab side is chosen, without neutral disks."""
    position = copied(base)
    for company in position["companies"]:
        for tab in company["tabs"].values():
            tab["side"] = "a"
    return position | {"phase": "housing", "to_play": len(position["companies"]) - 1}


BASES |= {name.replace("setup", "housing"): sides_chosen(BASES[name]) for name in BASES if name.startswith("setup")}


# ------------------------------------------------------------------------------------------------- patches
def owner(text: str) -> str | None:
    """The owner in a short form, which may also name the project after a blank."""
    name = text.split()[0] if text else None
    return f"player_{name[1:]}" if name in SEATS else name


def patched(position: dict, patch: dict) -> dict:
    """The position with a patch merged in and short forms expanded."""
    position = copied(position)
    for key, value in patch.items():
        if key in SEATS:
            patch_company(position["companies"][int(key[1])], value)
        elif key == "cities":
            for city, owners in value.items():
                free = [""] * (len(SPACE_TYPES[city]) - len(owners))
                position["cities"][city] = [owner(text) for text in [*owners, *free]]
        elif key == "donations":
            position[key] |= {cell: [owner(text) for text in owners] for cell, owners in value.items()}
        elif key == "andrew":
            cards = value.get("cards", {})
            place_cards(position["andrew"]["deck"], {int(number) - 1: card for number, card in cards.items()})
            position[key] = merged(position[key], {k: part for k, part in value.items() if k != "cards"})
        elif isinstance(value, dict):
            position[key] = merged(position[key], plain(value))
        else:
            position[key] = plain(value)
    tidy(position["donations"])
    tidy(position["display"])
    tidy(position["andrew"]["departments"] if position["andrew"] else {})
    return position


def patch_company(company: dict, patch: dict) -> None:
    for key, value in patch.items():
        if key == "employees":
            here = {space: {"active": active, "inactive": inactive} for space, (active, inactive) in value.items()}
            company[key] = {space: e for space, e in (company[key] | here).items() if any(e.values())}
        elif isinstance(value, dict):
            company[key] = merged(company[key], plain(value))
        else:
            company[key] = plain(value)


def place_cards(deck: list[str], cards: dict[int, str]) -> None:
    """Put cards into places of the deck by swapping; a card that is not in it replaces one of its kind (N or A)."""
    for place, card in cards.items():
        kind = [k for k, other in enumerate(deck) if other[0] == card[0] and k not in cards]
        at = deck.index(card) if card in deck else kind[-1] if kind else place
        deck[at] = card
        deck[at], deck[place] = deck[place], deck[at]


def tidy(amounts: dict) -> None:
    """Remove keys with an amount of zero."""
    for key in [key for key, amount in amounts.items() if not amount]:
        del amounts[key]


# ------------------------------------------------------------------------------------------------- a start position
def start(scenario: dict) -> dict:
    """The patched base, with derived values filled in."""
    base = with_modules(BASES[scenario.get("base", "two")], scenario.get("modules", []))
    patch = scenario.get("position", {})
    position = patched(base, patch)
    players = position["options"]["num_players"]
    if position["round"] > 0:
        position["round"] = patch.get("round", sum(position["timeline"]["markers"].values()) + 1)
        position["first_player"] = patch.get("first_player", (position["round"] - 1) % players)
        if position["phase"] == "timeline":
            position["to_play"] = position["first_player"]
    for seat, company in enumerate(position["companies"]):
        fill_company(position, seat, company, patch)
    if position["andrew"]:
        fill_andrew(position, patch.get("andrew", {}))
    fill_display(position, base, patch.get("display", {}))
    return position


def with_modules(base: dict, modules: list[str]) -> dict:
    """The base with modules of expansion 1 on, and their values."""
    position, set_up = copied(base), base["round"] == 0
    position["options"] |= dict.fromkeys(modules, True)
    if "new_donations" in modules:
        position["panels"] = dict.fromkeys(t.DONATION_COLUMNS)
    if "new_start" in modules and set_up:
        position["phase"] = "sheet"
    for company in position["companies"]:
        if "new_start" in modules:
            company["sheet"] = dict.fromkeys(BASE_SHEET) if set_up else dict(BASE_SHEET)
            if position["andrew"]:
                company["sheet"]["bid"] = None
        if "secret_donation" in modules and not set_up:
            company["secret"] = BASE_SECRET
    return position


def projects_built(position: dict, patch: dict, seat: int) -> list[int]:
    """Projects by type: as the patch names them after an owner, else by the type of the space."""
    built = [0] * len(t.PROJECTS)
    for city, owners in position["cities"].items():
        texts = [*patch.get("cities", {}).get(city, []), *owners][: len(owners)]
        for who, text, kind in zip(owners, texts, SPACE_TYPES[city], strict=True):
            if who == f"player_{seat}":
                said = text.split()[1:]
                built[t.PROJECTS.index(said[0]) if said else kind] += 1
    return built


def fill_company(position: dict, seat: int, company: dict, patch: dict) -> None:
    given, tabs = patch.get(f"p{seat}", {}), company["tabs"]
    on_tabs = 0
    for tab, built in enumerate(projects_built(position, patch, seat)):
        project = tabs[t.PROJECTS[tab]]
        said = given.get("tabs", {}).get(t.PROJECTS[tab], {})
        project["built"] = said.get("built", built)
        least = built + int(t.TAB_BLANK[tab]) if built else 1
        project["uncovered"] = said.get("uncovered", max(project["uncovered"], least))
        sections = min(project["uncovered"] - int(t.TAB_BLANK[tab]), int(t.TAB_PROJECTS[tab]))
        on_tabs += sections - project["built"]
    made = sum(f"player_{seat}" in owners for owners in position["donations"].values())
    in_cities = sum(project["built"] for project in tabs.values())
    on_board = sum(here["active"] + here["inactive"] for here in company["employees"].values())
    if any(department in TILES for department in company["departments"].values()):
        company["reserved"] = None
    company["donations_made"] = made
    company["disks"] = PLAYERS_DISKS - on_tabs - in_cities - made
    company["reserve"] = t.EMPLOYEES - on_board - sum(company["missions"].values())
    company |= {key: plain(given[key]) for key in ("donations_made", "disks", "reserve", "reserved") if key in given}
    if company["disks"] < 0 or company["reserve"] < 0:
        raise ValueError(f"player_{seat} has {company['disks']} disks and {company['reserve']} employees in reserve")


def fill_andrew(position: dict, given: dict) -> None:
    andrew, drawn = position["andrew"], position["round"]
    andrew["places"] = (andrew["places"] + [0] * drawn)[:drawn]
    everything = [*position["cities"].values(), *position["donations"].values()]
    andrew["disks"] = given.get("disks", t.ANDREW_DISKS - sum(owners.count("andrew") for owners in everything))
    advanced = int(t.DIFFICULTY_ADVANCED[t.DIFFICULTIES.index(position["options"]["difficulty"])])
    kept = {int(number) - 1 for number in given.get("cards", {})}
    for kind, wanted in (("A", advanced), ("N", t.DECK_SIZE - advanced)):
        for k in range(t.DECK_SIZE - 1, -1, -1):  # from the back: cards that the scenario does not name
            if k not in kept and andrew["deck"][k][0] == kind and sum(c[0] == kind for c in andrew["deck"]) > wanted:
                other = "N" if kind == "A" else "A"
                unused = (card for card in t.CARDS if card[0] == other and card not in andrew["deck"])
                andrew["deck"][k] = next(unused)


def fill_display(position: dict, base: dict, named: dict) -> None:
    def held(game: dict) -> list[str]:
        built = [d for c in game["companies"] for d in (*c["departments"].values(), c["reserved"]) if d in TILES]
        taken = game["andrew"]["departments"] if game["andrew"] else {}
        return [*built, *(tile for tile, copies in taken.items() for _ in range(copies))]

    display, mine, before = position["display"], held(position), held(base)
    tiles, copies = tiles_in_game(position["options"], [*(tile for tile, n in named.items() if n), *mine])
    for tile in TILES:
        if tile not in named:
            there = base["display"].get(tile, 0) + before.count(tile) if tile in tiles else 0
            display[tile] = max(min(there, copies) - mine.count(tile), 0)
    in_play = t.BASE_TILES * t.TILE_COPIES - int(t.DEPARTMENTS_REMOVED[position["options"]["num_players"]])
    fillers = [tile for tile in reversed(tiles) if tile not in named]
    while (wrong := len(mine) + sum(display.values()) - in_play) != 0:
        step = -1 if wrong > 0 else 1
        fits = (f for f in fillers if 0 <= display[f] + step <= copies - mine.count(f))
        display[next(fits)] += step
    tidy(display)


def tiles_in_game(options: dict, needed: list[str]) -> tuple[list[str], int]:
    """The tiles of a game that must contain some tiles, by type and number, and the copies of each."""
    if options["diverse_setup"]:
        return list(TILES), 1
    if not options["new_departments"]:
        return list(BASE_TILES), t.TILE_COPIES
    kinds: dict[int, list[str]] = {}
    for tile in dict.fromkeys([*needed, *BASE_TILES]):
        of_kind = kinds.setdefault(TILE_TYPE[tile], [])
        if len(of_kind) < t.TILES_PER_TYPE:
            of_kind.append(tile)
        elif tile in needed:
            raise ValueError(f"{tile} would be the fifth tile of its type, beside {', '.join(of_kind)}")
    return sorted(itertools.chain.from_iterable(kinds.values()), key=TILES.index), t.TILE_COPIES


def neutral_gaps(position: dict) -> int:
    """Cities with a free space to the left of a neutral disk."""
    return sum(None in owners and "neutral" in owners[owners.index(None) :] for owners in position["cities"].values())


def one_donation(position: dict, lines: str) -> int:
    """Rows, or columns, of the first four spaces with exactly one donation, as on every timeline tile."""
    rows = [[space == ["donation"] for space in row[:4]] for row in position["timeline"]["spaces"].values()]
    return sum(sum(line) == 1 for line in (rows if lines == "rows" else zip(*rows, strict=True)))


def crowded_types(position: dict) -> int:
    """The number of types with more different tiles in the display than a game has."""
    types = [TILE_TYPE[tile] for tile in position["display"]]
    return sum(types.count(kind) > t.TILES_PER_TYPE for kind in set(types))


COUNTS: dict[str, Callable[[dict], int]] = {
    "neutral_disks": lambda p: sum(o.count("neutral") for o in [*p["cities"].values(), *p["donations"].values()]),
    "neutral_gaps": neutral_gaps,
    "tiles_in_display": lambda p: sum(p["display"].values()),
    "different_tiles": lambda p: len(p["display"]),
    "crowded_types": crowded_types,
    "base_tiles": lambda p: bool(p["display"].keys() & set(BASE_TILES)),
    "expansion_tiles": lambda p: bool(p["display"].keys() - set(BASE_TILES)),
    "normal_cards": lambda p: len({card for card in p["andrew"]["deck"] if card[0] == "N"}),
    "advanced_cards": lambda p: len({card for card in p["andrew"]["deck"] if card[0] == "A"}),
    "rows_with_one_donation": lambda p: one_donation(p, "rows"),
    "columns_with_one_donation": lambda p: one_donation(p, "columns"),
}


# ------------------------------------------------------------------------------------------------- playing
def part(position: dict, key: str) -> Any:
    return position["companies"][int(key[1])] if key in SEATS else position[key]


FORM = Form(
    texts=actions.TEXTS,
    keys=KEYS,
    pieces=PIECES,
    patched=patched,
    part=part,
    seats=lambda position: len(position["companies"]),
    opponent="andrew",
    counts=COUNTS,
)


def games(scenario: dict, rules: type) -> Iterator[Position | Referee]:
    if "refuses" in scenario:
        with pytest.raises(ValueError, match=[*scenario["refuses"]][-1]):
            Position.new(scenario["refuses"], seed=1)
    elif "new" in scenario:
        for seed in scenario["seeds"]:
            position = Position.new(scenario["new"], seed)
            yield position if rules is Position else rules.from_dict(position.to_dict())
    else:
        yield rules.from_dict(start(scenario))


@pytest.mark.parametrize("rules", [Position, Referee], ids=["engine", "referee"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str, rules: type) -> None:
    check(FORM, SCENARIOS[name], games(SCENARIOS[name], rules))


# ------------------------------------------------------------------------------------------------- what is covered
def test_scenarios_are_well_formed() -> None:
    assert all(set(stage.get("expect", {})) <= {*PIECES, *SEATS} - {"companies"} for stage in stages(SCENARIOS))
    assert not any(set(stage.get("at", {})) & {*PIECES, *SEATS} for stage in stages(SCENARIOS))


def test_every_ruling_is_held() -> None:
    held = rulings_held(SCENARIOS)
    wanted = {str(number) for number in range(3, 47)} | {f"P{number}" for number in range(10, 18)}
    assert held >= wanted, sorted(wanted - held)


def test_every_verb_is_played() -> None:
    played = {text for stage in stages(SCENARIOS) for text in stage.get("actions", [])}
    verbs = {actions.VERBS[verb] for text, verb in zip(actions.TEXTS, actions.VERB, strict=True) if text in played}
    assert verbs == set(actions.VERBS)


def test_every_donation_cell_is_scored_for_players_and_for_andrew() -> None:
    for who in ("p0", "andrew"):
        scored = {
            cell for stage in stages(SCENARIOS) for cell in stage.get("scores", {}).get(who, {}).get("donations", {})
        }
        assert scored == set(t.DONATIONS)


def test_every_new_donation_cell_is_scored() -> None:
    scored = set()
    for scenario in SCENARIOS.values():
        panels = scenario.get("position", {}).get("panels", {})
        for stage in (scenario, *scenario.get("then", [])):
            for cell in stage.get("scores", {}).get("p0", {}).get("donations", {}):
                printed = t.DONATIONS.index(cell)
                if tile := panels.get(t.DONATION_COLUMNS[t.DONATION_COLUMN[printed]]):
                    scored.add((tile, t.DONATION_ROW[printed]))
    assert scored == {(tile, row) for tile in t.DONATION_COLUMNS for row in range(5)}


def test_every_tile_is_in_a_company() -> None:
    positions = [scenario.get("position", {}) for scenario in SCENARIOS.values()]
    assert {d for p in positions for s in SEATS for d in p.get(s, {}).get("departments", {}).values()} == set(TILES)


def test_every_tile_can_be_drawn_into_a_game_with_new_departments() -> None:
    deals = [Position.new({"num_players": 4, "new_departments": True}, seed).to_dict() for seed in range(20)]
    assert {tile for deal in deals for tile in deal["display"]} == set(TILES)
