"""Positions as dictionaries: the set-up, and wrong positions, which are refused with their path.

tests/core/test_reading.py and test_fields.py cover the reader of all games, tests/conformance round trips.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from carnegie_env import Position
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.invariants import INVARIANTS, board, companies, hand, modules, phases
from carnegie_env.carnegie.rules import new_departments
from tests import walks
from tests.referee import setup
from tests.spoiling import at


@pytest.mark.parametrize("modules", [False, True], ids=["base", "modules"])
@pytest.mark.parametrize("num_players", [1, 3])
def test_a_new_game_is_as_the_referee_sets_it_up(num_players: int, modules: bool) -> None:
    options = Position.new({"num_players": num_players, "modules": "all" if modules else None}, seed=3)
    written = options.to_dict()
    deck = written["andrew"] and written["andrew"]["deck"]
    start = setup.start_position(
        num_players=num_players, first_player=0, timeline=[(k, "front") for k in range(1, 5)], removed=[], deck=deck,
        difficulty=written["options"]["difficulty"], modules=options.options.modules, rng=written["rng"],
    )  # fmt: skip
    drawn = ("display", "timeline")
    assert {key: part for key, part in written.items() if key not in drawn} == {
        key: part for key, part in start.items() if key not in drawn
    }
    assert sum(written["display"].values()) == 32 - setup.TILES_REMOVED[num_players]


@pytest.mark.parametrize("modules", [(), ("all",)], ids=["base", "all"])
def test_money_goods_and_points_are_free(modules: tuple[str, ...]) -> None:
    there = walks.example("turn", 2, *modules)
    for company in there["companies"]:
        company |= {"money": 10_000, "goods": 10_000, "vp": 10_000}
    position = Position.from_dict(there)
    rng = random.Random(1)
    while not position.is_over:  # the record has room for further income
        position.apply(rng.choice(position.legal_actions()))
    assert min(int(position.record[name].min()) for name in ("money", "goods", "vp")) >= 0


# ---------------------------------------------------------------- positions that break an invariant
def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        at(position, path[:-1])[path[-1]] = to

    return change


def _add(*path: Any, by: int = 1) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        at(position, path[:-1])[path[-1]] += by

    return change


def _swap(path: tuple[Any, ...], other: tuple[Any, ...]) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        here, there = at(position, path), at(position, other)
        _set(*path, to=there)(position)
        _set(*other, to=here)(position)

    return change


def _start() -> dict[str, Any]:
    """A position of two players at the first choice of a timeline."""
    return next(p for p in walks.walk({"num_players": 2}, seed=5) if p.phase == "timeline").to_dict()


def _build(position: dict[str, Any], space: str) -> None:
    """Put the reserved tile on a company space."""
    company = position["companies"][0]
    company["departments"][space] = company["reserved"]
    company["reserved"] = None


def _one_more(position: dict[str, Any], tile: str | None = None) -> None:
    """Add a copy of a tile to the display; None: of a tile that is missing there."""
    display = position["display"]
    tile = tile or next(tile for tile in t.DEPARTMENTS[1 : t.BASE_TILES + 1] if tile not in display)
    display[tile] = display.get(tile, 0) + 1


def _house_in(position: dict[str, Any], city: str) -> None:
    """Move the disk that a seat placed in set-up to another city."""
    for owners in position["cities"].values():
        for k, owner in enumerate(owners):
            if owner == "player_2":
                owners[k] = None
    position["cities"][city][0] = "player_2"


def _mine(position: dict[str, Any]) -> dict[str, Any]:
    return position["companies"][position["to_play"]]


def _active(position: dict[str, Any], space: str) -> int:
    return _mine(position)["employees"].get(space, {"active": 0})["active"]


def _all_ready(position: dict[str, Any], action: str) -> dict[str, int]:
    """The employees that can act at the start of a turn of that type."""
    kind = t.ACTION_TYPES.index(action)
    departments = _mine(position)["departments"].items()
    ready = {space: _active(position, space) for space, name in departments
             if t.DEPARTMENT_TYPE[t.DEPARTMENTS.index(name)] == kind}  # fmt: skip
    return {space: number for space, number in ready.items() if number}


def _half_left(position: dict[str, Any]) -> None:
    """In a turn of Management, let one of two employees still act in a department that is not in use."""
    _another_turn(position)
    company, space = _mine(position), "r2c1"  # trade_and_finance
    here = company["employees"].setdefault(space, {"active": 0, "inactive": 0})
    here["inactive"] += company["reserve"] + sum(company["missions"].values())
    company["reserve"], company["missions"] = 0, dict.fromkeys(t.REGIONS, 0)
    here["inactive"] -= 2 - here["active"]
    here["active"] = 2
    position["turn"].update(started=True, department="r1c1", ready={space: 1})


def _other(action: str) -> str:
    return t.ACTION_TYPES[t.ACTION_TYPES.index(action) - 1]


def _event(position: dict[str, Any], kind: str) -> None:
    """Choose a row whose next event is only a donation, or only a region, and move the markers accordingly."""
    timeline = position["timeline"]
    markers = timeline["markers"]
    for row, spaces in timeline["spaces"].items():
        for passed in range(4):
            if (spaces[passed] == ["donation"]) == (kind == "donation"):
                rest = markers[row] - passed
                for other in markers:
                    if other != row:
                        moved = min(max(rest, -markers[other]), 5 - markers[other])
                        markers[other] += moved
                        rest -= moved
                assert rest == 0
                markers[row] = passed
                timeline["chosen"] = timeline["advancing"] = row
                return


def _home(position: dict[str, Any]) -> None:
    """Move all employees on missions to the lobby."""
    company = _mine(position)
    lobby = company["employees"].setdefault("r3c1", {"active": 0, "inactive": 0})
    lobby["inactive"] += sum(company["missions"].values())
    company["missions"] = dict.fromkeys(company["missions"], 0)


def _arrive(position: dict[str, Any]) -> None:
    lobby = _mine(position)["employees"].setdefault("r3c1", {"active": 0, "inactive": 0})
    lobby["inactive"] += position["turn"]["arrivals"]
    position["turn"]["arrivals"] = 0


def _forget(position: dict[str, Any], tile: str) -> None:
    """Exchange a tile of the company for another one of the display."""
    company = _mine(position)
    space = next(space for space, there in company["departments"].items() if there == tile)
    other = next(other for other in position["display"] if other not in company["departments"].values())
    company["departments"][space] = other
    position["display"][other] -= 1
    position["display"][tile] = position["display"].get(tile, 0) + 1


def _outbid(position: dict[str, Any]) -> None:
    """Let the seat that did not begin have the higher bid."""
    passed = position["round"] - 1
    first = (position["first_player"] - passed) % 2
    sheets = [company["sheet"] for company in position["companies"]]
    base = {"goods": 4, "employees": 5, "points": 0, "moves": 6}
    sheets[first].update(base, bid=1)
    sheets[1 - first].update(base, bid=2)


def _full(position: dict[str, Any], seat: int) -> None:
    position["companies"][seat]["sheet"].update(goods=4, employees=5, points=0, moves=6, bid=0)


def _starting(position: dict[str, Any]) -> None:
    """Use the starting department of the turn's type instead."""
    turn = position["turn"]
    kind = t.ACTION_TYPES.index(turn["action"])
    code = next(c for c in range(t.NUM_TILES + 1, t.LOBBY) if t.DEPARTMENT_TYPE[c] == kind)
    space = t.SPACE_IDS[t.START_SPACE[code - t.NUM_TILES - 1]]
    here = _mine(position)["employees"].get(space, {"active": 0})
    turn["department"] = space
    turn["ready"][space] = max(here["active"] - 1, 0)


def _idle(position: dict[str, Any], tile: str) -> None:
    """Make all employees of a department inactive."""
    company = _mine(position)
    space = next(space for space, there in company["departments"].items() if there == tile)
    here = company["employees"][space]
    here["inactive"], here["active"] = here["inactive"] + here["active"], 0


def _five_of_a_type(position: dict[str, Any]) -> None:
    """Put five different tiles of Human Resources on display, instead of tiles of other types."""
    display = position["display"]
    tiles = [t.DEPARTMENTS[c] for c in range(1, t.NUM_TILES + 1) if t.DEPARTMENT_TYPE[c] == 0]
    for tile in [tile for tile in tiles if tile not in display][: max(5 - len(display.keys() & set(tiles)), 0)]:
        other = next(other for other in display if other not in tiles)
        display[other] -= 1
        if not display[other]:
            del display[other]
        display[tile] = 1


def _another_turn(position: dict[str, Any]) -> None:
    """Make it a turn of Management."""
    position["timeline"].update(chosen="management", advancing="management")
    ready = _all_ready(position, "management")
    position["turn"].update(action="management", department=None, ready=ready, moves=0, research=0)
    position["turn"]["diagonal_moves"] = False


def _another_region(position: dict[str, Any]) -> None:
    turn = position["turn"]
    turn["level_region"] = t.REGIONS[t.REGIONS.index(turn["level_region"]) - 1]
    _mine(position)["transport"][turn["level_region"]] = 1


def _on_the_last(position: dict[str, Any]) -> None:
    for company in position["companies"]:
        company["transport"]["west"] = 4


def _even_round(position: dict[str, Any]) -> None:
    """Make it an even round."""
    if position["round"] % 2:
        markers = position["timeline"]["markers"]
        markers[min(markers, key=lambda row: markers[row])] += 1
        position["round"] += 1
        position["andrew"]["places"].append(0)


def _wrong_row(position: dict[str, Any]) -> None:
    """Let Andrew choose another row than the one on the back of the card."""
    _even_round(position)
    back = t.CARD_BACK[t.CARDS.index(position["andrew"]["deck"][position["round"] - 1])]
    position["timeline"]["chosen"] = _other(t.ACTION_TYPES[back])


def _reserve_early(position: dict[str, Any]) -> None:
    tile, copies = position["display"].popitem()
    position["companies"][0]["reserved"] = tile
    if copies > 1:
        position["display"][tile] = copies - 1


def _another_tile(position: dict[str, Any]) -> None:
    tiles = t.DEPARTMENTS[1 : t.BASE_TILES + 1]
    position["turn"]["tile"] = next(tile for tile in tiles if tile not in position["display"])


def _without_halves(position: dict[str, Any]) -> None:
    """Use a department that has no halves to choose."""
    departments, space = _mine(position)["departments"], position["turn"]["department"]
    kind = t.DEPARTMENT_TYPE[t.DEPARTMENTS.index(departments[space])]
    for number in range(1, t.NUM_TILES + 1):
        tile = t.DEPARTMENTS[number]
        if t.DEPARTMENT_TYPE[number] == kind and tile in position["display"] and tile not in departments.values():
            if not new_departments.has_halves(number):
                position["display"][departments[space]] = 1
                departments[space] = tile
                del position["display"][tile]
                return
    raise AssertionError("no such tile")


SHEET, LOBBY = ("companies", 0, "sheet"), ("companies", 0, "employees", "r3c1")
NEW, MANAGEMENT = ("new_departments", "diverse_setup"), ("timeline", "spaces", "management", 0)
CASES = [  # the invariant; the position's phase, players and modules; the change that breaks the invariant
    (phases.round_number, "start", 2, (), _set("round", to=0)),
    (phases.first_player, "start", 2, (), _set("round", to=2)),
    (phases.to_play, "over", 2, (), _set("to_play", to=0)),
    (board.events, "start", 2, (), _set("timeline", "spaces", "research", 4, to=["west"])),
    (board.timeline_tiles, "start", 2, (), _swap(("timeline", "spaces", "research", 0), MANAGEMENT)),
    (board.markers, "start", 2, (), _add("timeline", "markers", "research")),
    (board.chosen, "start", 2, (), _set("timeline", "chosen", to="research")),
    (board.advancing, "start", 2, (), _set("timeline", "advancing", to="research")),
    (board.tiles, "turn", 2, ('new_departments',), _five_of_a_type),
    (board.neutral_disks, "sides", 3, (), _set("cities", "boston", 0, to="neutral")),
    (board.donations_made, "start", 2, (), _add("companies", 0, "donations_made")),
    (board.last_spaces, "turn", 2, (), _on_the_last),
    (board.deck, "turn", 1, (), lambda p: p["options"].update(difficulty="beginner")),
    (board.card_place, "timeline", 1, (), lambda p: p["andrew"]["places"].__setitem__(-1, 2)),
    (board.andrews_disks, "turn", 1, (), lambda p: p["andrew"].update(disks=(p["andrew"]["disks"] + 1) % 27)),
    (companies.employees, "start", 2, (), _set("turn", "arrivals", to=1)),
    (companies.printed, "start", 2, (), lambda p: _build(p, "r1c1")),
    (companies.department_once, "start", 2, (), _set("companies", 0, "departments", "r0c0", to="construction")),
    (companies.reserved, "start", 2, (), lambda p: [p["companies"][0].update(reserved=None), _one_more(p)]),
    (companies.tab_built, "start", 2, (), _set("companies", 0, "tabs", "commerce", "built", to=2)),
    (companies.tab_side, "start", 2, (), _set("companies", 0, "tabs", "industry", "side", to=None)),
    (companies.projects, "start", 2, (), _set("companies", 0, "tabs", "commerce", "built", to=1)),
    (companies.disks, "start", 2, (), _add("companies", 0, "disks")),
    (companies.housed, "reserve", 3, (), lambda p: _house_in(p, "fargo")),
    (companies.still, "sides", 3, (), _add("companies", 1, "transport", "west")),
    (companies.start, "sides", 3, (), _add("companies", 1, "vp")),
    (companies.sides_order, "sides", 3, (), _set("companies", 2, "tabs", "housing", "side", to="a")),
    (companies.housing_order, "housing", 3, (), _set("to_play", to=1)),
    (companies.action_choice, "start", 2, (), _set("companies", 0, "action_choice", to=True)),
    (hand.in_hand, "lobby_recover", 2, (), lambda p: _arrive(p)),
    (hand.setup_moves, "setup_moves", 2, (), _set("turn", "moves", to=7)),
    (hand.action, "turn", 2, (), lambda p: p["turn"].update(action=_other(p["turn"]["action"]))),
    (hand.department_type, "turn", 2, (), lambda p: p["turn"].update(department="r0c0")),
    (hand.ready, "turn", 2, (), lambda p: _half_left(p)),
    (hand.spent, "halves", 2, NEW,
     lambda p: p["turn"]["ready"].update({p["turn"]["department"]: _active(p, p["turn"]["department"])})),
    (hand.diagonal_moves, "turn", 2, (), _set("turn", "diagonal_moves", to=True)),
    (hand.has_event, "donation", 2, (), lambda p: _event(p, "region")),
    (hand.somebody_back, "recover", 2, (), lambda p: _home(p)),
    (hand.chooser, "start", 2, (), _set("to_play", to=1)),
    (hand.two_lobbies, "lobby_recover", 2, (), lambda p: _forget(p, "new_lobby")),
    (hand.lifted, "destination", 2, (), _set("turn", "lifted", "space", to="r0c1")),
    (hand.income_choice, "tab_income", 2, (), _set("turn", "income_choice", "project", to="industry")),
    (hand.department_of_phase, "charity", 3, (), _set("turn", "department", to="r1c2")),
    (hand.site, "property", 2, (), _set("turn", "site", to="r1c1")),
    (hand.donation, "donation", 2, (), lambda p: _mine(p).update(money=0, goods=0)),
    (modules.module_phase, "sides", 2, (), _set("phase", to="sheet")),
    (modules.vp, "turn", 2, (), _set("companies", 1, "vp", to=-1)),
    (modules.sheet_order, "turn", 1, ('new_start',), _set(*SHEET, "bid", to=0)),
    (modules.still, "sheet", 2, ('new_start',), _set("companies", 0, "goods", to=3)),
    (modules.sheet_filled, "sheet", 2, ('new_start',), lambda p: _full(p, 0)),
    (modules.budget, "turn", 2, ('new_start',), _set(*SHEET, "bid", to=t.LARGEST_BID)),
    (modules.bids, "turn", 2, ('new_start',), _outbid),
    (modules.panels, "housing", 2, ('new_donations',), _set("panels", "health", to="health")),
    (modules.secret, "secret", 2, ('secret_donation',), _set("to_play", to=1)),
    (modules.waiting, "turn", 2, (), _set("waiting", to=True)),
    (modules.relocations, "relocation", 2, NEW, _starting),
    (modules.halves_projects, "halves", 2, NEW, _set("turn", "projects", to=15)),
    (modules.payroll, "activation", 2, ('diverse_setup',), _set("turn", "payroll_activated", to=15)),
    (modules.archives, "level", 2, NEW, lambda p: _idle(p, "archives")),
    (modules.level_moved, "level", 2, NEW, lambda p: _mine(p)["transport"].update({p["turn"]["level_region"]: 0})),
    (board.andrews_row, "turn", 1, (), _wrong_row),
    (board.city_owners, "turn", 2, (), _set("cities", "boston", 0, to="andrew")),
    (board.cell_owners, "turn", 2, (), _set("donations", "welfare_flat", to=["andrew"])),
    (board.shared_cells, "turn", 2, (), _set("donations", "welfare_flat", to=["player_0", "player_1"])),
    (board.chooser_of_row, "timeline", 1, (), lambda p: _even_round(p)),
    (board.andrew_in_set_up, "sides", 1, (), _set("andrew", "transport", "west", to=1)),
    (companies.workstations, "start", 2, (),
     lambda p: [_add(*LOBBY, "active")(p), _add(*LOBBY, "inactive", by=-1)(p)]),
    (companies.reserved_order, "reserve", 3, (), _reserve_early),
    (hand.moves, "turn", 2, (), lambda p: [_another_turn(p), p["turn"].update(moves=3)]),
    (hand.research, "turn", 2, (), lambda p: [_another_turn(p), p["turn"].update(research=3)]),
    (hand.started, "turn", 2, (), lambda p: [_another_turn(p), p["turn"].update(started=False, department="r1c1")]),
    (hand.tile, "site", 2, (), _another_tile),
    (modules.halves, "halves", 2, NEW, _without_halves),
    (modules.level_region, "level", 2, NEW, _another_region),
]  # fmt: skip


@pytest.mark.parametrize(("predicate", "phase", "players", "on", "change"), CASES)
def test_a_broken_invariant_is_refused_with_its_sentence(predicate, phase, players, on, change) -> None:
    position = _start() if phase == "start" else walks.example(phase, players, *on)
    Position.from_dict(position)
    change(position)
    with pytest.raises(ValueError) as caught:
        Position.from_dict(position)
    (broken,) = (each for each in INVARIANTS.listed if each.predicate is predicate)
    message = str(caught.value)
    assert message.startswith(broken.path.partition("{")[0]) and broken.sentence in message, message


def test_every_invariant_is_tried() -> None:
    """Three are exceptions: two have their own tests, and all shipped tabs are equally long."""
    own = {phases.difficulty, companies.project_types, companies.tab_length}
    assert {each.predicate for each in INVARIANTS.listed} == {predicate for predicate, *_ in CASES} | own


def test_only_solo_games_have_a_difficulty() -> None:
    games = Position.new({"num_players": 2}).games.copy()
    games["difficulty"] = 0
    assert INVARIANTS.verify(games[0]) == INVARIANTS.number(phases.difficulty)


def test_archives_may_share_a_last_space() -> None:
    position = walks.example("level", 2, "diverse_setup")
    for company in position["companies"]:
        company["transport"]["west"] = 4
    assert Position.from_dict(position).to_dict() == position


def test_political_lobbying_builds_on_spaces_of_other_types() -> None:
    """Only a company with that department may have a disk on a space of another type."""
    options = {"num_players": 2, "diverse_setup": True}
    for seed in range(1000):
        for position in walks.walk(options, seed, rich=True):
            there = position.to_dict()
            for seat, company in enumerate(there["companies"]):
                if "political_lobbying" in company["departments"].values() and _mismatched(there, seat):
                    assert Position.from_dict(there).to_dict() == there
                    there["to_play"] = seat
                    with pytest.raises(ValueError, match="Political Lobbying"):
                        _forget(there, "political_lobbying")
                        Position.from_dict(there)
                    return
    raise AssertionError("no game has a mismatch")


def _mismatched(position: dict[str, Any], seat: int) -> bool:
    owner = f"player_{seat}"
    typed = [
        t.PROJECTS[t.SPACE_TYPE[t.CITY_FIRST_SPACE[c] + k]]
        for c, city in enumerate(t.CITIES)
        for k, there in enumerate(position["cities"][city])
        if there == owner and t.SPACE_TYPE[t.CITY_FIRST_SPACE[c] + k] < len(t.PROJECTS)
    ]
    tabs = position["companies"][seat]["tabs"]
    return any(typed.count(project) > tabs[project]["built"] for project in t.PROJECTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p["cities"].pop("boston"), "cities.boston"),
        (lambda p: p["companies"].pop(), "companies"),
        (_set("companies", 0, "money", to=True), r"companies\[0\].money"),
        (_set("companies", 0, "tabs", "housing", "side", to="c"), r"companies\[0\].tabs.housing.side"),
        (_set("options", "difficulty", to="expert"), "options: difficulty is Andrew's"),
        (_set("cities", "boston", 0, to=0), r"cities.boston\[0\]"),
        (_set("donations", "welfare_flat", to=["player_0"] * 2), r"donations.welfare_flat\[1\]"),
        (_set("display", "salez", to=1), "display"),
        (_set("companies", 0, "departments", "r3c1", to="construction"), r"companies\[0\].departments.r3c1"),
        (_set("turn", "lifted", to={"space": None, "state": "active"}), "turn.lifted"),
        (_set("panels", to={}), "panels"),
        (_set("andrew", to={}), "andrew"),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(change: Callable[[dict[str, Any]], None], message: str) -> None:
    position = walks.example("turn")
    change(position)
    with pytest.raises(ValueError, match=f"^{message}"):
        Position.from_dict(position)
