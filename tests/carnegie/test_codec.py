"""Positions as dictionaries: the set-up, and wrong positions, which are refused with their path.

tests/core/test_reading.py and test_fields.py cover the reader of all games, tests/conformance round trips.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from carnegie_env import Position
from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.invariants import INVARIANTS, board, companies, hand, modules, phases
from carnegie_env.carnegie.rules import transport
from carnegie_env.core import lazy
from tests import walks
from tests.spoiling import at, put
from tests.test_scenarios import BASES, with_modules


@pytest.mark.parametrize("modules", [None, "all"], ids=["base", "modules"])
@pytest.mark.parametrize("players", ["one", "three"])
def test_a_new_game_is_written_as_a_base_of_the_scenarios(players: str, modules: str | None) -> None:
    base = BASES[f"setup_{players}"]
    options = {name: base["options"][name] for name in ("num_players", "difficulty", "timeline_tiles")}
    position = Position.new({**options, "modules": modules}, seed=3)
    written, base = position.to_dict(), with_modules(base, position.options.modules)
    for there in (written, base):  # what is drawn, except the number of tiles
        del there["rng"], there["timeline"]["spaces"]
        there["display"] = sum(there["display"].values())
        if there["andrew"]:
            del there["andrew"]["deck"]
    assert written == base


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
    return lambda position: put(position, path, to)


def _add(*path: Any, by: int = 1) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        at(position, path[:-1])[path[-1]] += by

    return change


def _start() -> dict[str, Any]:
    """A position of two players at the first choice of a timeline."""
    return next(p for p in walks.walk({"num_players": 2}, seed=5) if p.phase == "timeline").to_dict()


def _mine(position: dict[str, Any]) -> dict[str, Any]:
    return position["companies"][position["to_play"]]


def _active(position: dict[str, Any], space: str) -> int:
    return _mine(position)["employees"].get(space, {"active": 0})["active"]


def _other(action: str) -> str:
    return t.ACTION_TYPES[t.ACTION_TYPES.index(action) - 1]


def _forget(position: dict[str, Any], tile: str) -> None:
    """Exchange a tile of the company for another one of the display."""
    company = _mine(position)
    space = next(space for space, there in company["departments"].items() if there == tile)
    other = next(other for other in position["display"] if other not in company["departments"].values())
    company["departments"][space] = other
    position["display"][other] -= 1
    position["display"][tile] = position["display"].get(tile, 0) + 1


SHEET, LOBBY = ("companies", 0, "sheet"), ("companies", 0, "employees", "r3c1")
NEW = ("new_departments", "diverse_setup")
CASES = [  # the invariant; the position's phase, players and modules; the change that breaks the invariant
    (phases.round_number, "start", 2, (), _set("round", to=0)),
    (phases.first_player, "start", 2, (), _set("round", to=2)),
    (phases.to_play, "over", 2, (), _set("to_play", to=0)),
    (board.events, "start", 2, (), _set("timeline", "spaces", "research", 4, to=["west"])),
    (board.markers, "start", 2, (), _add("timeline", "markers", "research")),
    (board.chosen, "start", 2, (), _set("timeline", "chosen", to="research")),
    (board.advancing, "start", 2, (), _set("timeline", "advancing", to="research")),
    (board.neutral_disks, "sides", 3, (), _set("cities", "boston", 0, to="neutral")),
    (board.donations_made, "start", 2, (), _add("companies", 0, "donations_made")),
    (board.deck, "turn", 1, (), lambda p: p["options"].update(difficulty="beginner")),
    (board.card_place, "timeline", 1, (), lambda p: p["andrew"]["places"].__setitem__(-1, 2)),
    (board.andrews_disks, "turn", 1, (), lambda p: p["andrew"].update(disks=(p["andrew"]["disks"] + 1) % 27)),
    (companies.employees, "start", 2, (), _set("turn", "arrivals", to=1)),
    (companies.department_once, "start", 2, (), _set("companies", 0, "departments", "r0c0", to="construction")),
    (companies.tab_built, "start", 2, (), _set("companies", 0, "tabs", "commerce", "built", to=2)),
    (companies.tab_side, "start", 2, (), _set("companies", 0, "tabs", "industry", "side", to=None)),
    (companies.projects, "start", 2, (), _set("companies", 0, "tabs", "commerce", "built", to=1)),
    (companies.disks, "start", 2, (), _add("companies", 0, "disks")),
    (companies.still, "sides", 3, (), _add("companies", 1, "transport", "west")),
    (companies.start, "sides", 3, (), _add("companies", 1, "vp")),
    (companies.sides_order, "sides", 3, (), _set("companies", 2, "tabs", "housing", "side", to="a")),
    (companies.housing_order, "housing", 3, (), _set("to_play", to=1)),
    (companies.action_choice, "start", 2, (), _set("companies", 0, "action_choice", to=True)),
    (hand.setup_moves, "setup_moves", 2, (), _set("turn", "moves", to=7)),
    (hand.action, "turn", 2, (), lambda p: p["turn"].update(action=_other(p["turn"]["action"]))),
    (hand.department_type, "turn", 2, (), lambda p: p["turn"].update(department="r0c0")),
    (hand.spent, "halves", 2, NEW,
     lambda p: p["turn"]["ready"].update({p["turn"]["department"]: _active(p, p["turn"]["department"])})),
    (hand.diagonal_moves, "turn", 2, (), _set("turn", "diagonal_moves", to=True)),
    (hand.chooser, "start", 2, (), _set("to_play", to=1)),
    (hand.lifted, "destination", 2, (), _set("turn", "lifted", "space", to="r0c1")),
    (hand.income_choice, "tab_income", 2, (), _set("turn", "income_choice", "project", to="industry")),
    (hand.department_of_phase, "charity", 3, (), _set("turn", "department", to="r1c2")),
    (hand.site, "property", 2, (), _set("turn", "site", to="r1c1")),
    (hand.donation, "donation", 2, (), lambda p: _mine(p).update(money=0, goods=0)),
    (modules.module_phase, "sides", 2, (), _set("phase", to="sheet")),
    (modules.vp, "turn", 2, (), _set("companies", 1, "vp", to=-1)),
    (modules.sheet_order, "turn", 1, ('new_start',), _set(*SHEET, "bid", to=0)),
    (modules.still, "sheet", 2, ('new_start',), _set("companies", 0, "goods", to=3)),
    (modules.budget, "turn", 2, ('new_start',), _set(*SHEET, "bid", to=t.LARGEST_BID)),
    (modules.panels, "housing", 2, ('new_donations',), _set("panels", "health", to="health")),
    (modules.secret, "secret", 2, ('secret_donation',), _set("to_play", to=1)),
    (modules.waiting, "turn", 2, (), _set("waiting", to=True)),
    (modules.halves_projects, "halves", 2, NEW, _set("turn", "projects", to=15)),
    (modules.payroll, "activation", 2, ('diverse_setup',), _set("turn", "payroll_activated", to=15)),
    (modules.level_moved, "level", 2, NEW, lambda p: _mine(p)["transport"].update({p["turn"]["level_region"]: 0})),
    (board.city_owners, "turn", 2, (), _set("cities", "boston", 0, to="andrew")),
    (board.cell_owners, "turn", 2, (), _set("donations", "welfare_flat", to=["andrew"])),
    (board.shared_cells, "turn", 2, (), _set("donations", "welfare_flat", to=["player_0", "player_1"])),
    (board.andrew_in_set_up, "sides", 1, (), _set("andrew", "transport", "west", to=1)),
    (companies.workstations, "start", 2, (),
     lambda p: [_add(*LOBBY, "active")(p), _add(*LOBBY, "inactive", by=-1)(p)]),
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


FAULTS = [  # the same, with the fields of the record that change, to a number or by a function of the old numbers
    (board.timeline_tiles, "start", 2, (), {"event_region": lambda regions: (regions + 1) % t.NUM_REGIONS}),
    (board.tiles, "start", 2, (), {"display": lambda tiles: tiles + (tiles > 0)}),
    (board.tiles, "turn", 2, ('new_departments',), {"display": t.DEPARTMENT_TYPE[: t.NUM_TILES + 1] == 0}),
    (board.last_spaces, "turn", 2, (), {"track": transport.LAST_SPACE}),
    (board.andrews_row, "turn", 1, (), {"round_number": 2, "deck": 0, "chosen_row": (t.CARD_BACK[0] + 1) % 4}),
    (board.chooser_of_row, "timeline", 1, (), {"round_number": 2}),
    (companies.printed, "start", 2, (), {"department": 1}),
    (companies.reserved, "start", 2, (), {"reserved": 0}),
    (companies.housed, "reserve", 3, (), {"owner": state.NONE}),
    (companies.reserved_order, "reserve", 3, (), {"reserved": 1}),
    (hand.in_hand, "lobby_recover", 2, (), {"arrivals": 0}),
    (hand.ready, "turn", 2, (), {"ready": lambda ready: ready + 1}),
    (hand.has_event, "donation", 2, (), {"event_donation": 0}),
    (hand.somebody_back, "recover", 2, (), {"missions": 0}),
    (hand.two_lobbies, "lobby_recover", 2, (), {"owned": 0}),
    (hand.moves, "turn", 2, (), {"moves": 3, "action": t.ACTION_TYPES.index("management")}),
    (hand.research, "turn", 2, (), {"research": 3, "action": t.ACTION_TYPES.index("management")}),
    (hand.started, "turn", 2, (), {"started": 0, "department_in_use": 0}),
    (hand.tile, "site", 2, (), {"reserved": 0, "display": 0}),
    (modules.sheet_filled, "sheet", 2, ('new_start',), {"to_play": 1}),
    (modules.bids, "turn", 2, ('new_start',), {"first_player": lambda seat: 1 - seat}),
    (modules.relocations, "relocation", 2, NEW, {"relocations": 15}),
    (modules.halves, "halves", 2, NEW, {"department": t.START_HUMAN_RESOURCES}),
    (modules.archives, "level", 2, NEW, {"active": 0}),
    (modules.level_region, "level", 2, NEW, {"owner": state.NONE, "action": t.ACTION_TYPES.index("construction")}),
]  # fmt: skip


@pytest.mark.parametrize(("predicate", "phase", "players", "on", "changes"), FAULTS)
def test_a_fault_breaks_its_invariant(predicate, phase, players, on, changes) -> None:
    """Other invariants break as well, so the message may name an earlier one."""
    game = Position.from_dict(_start() if phase == "start" else walks.example(phase, players, *on)).games.copy()[0]
    (each,) = (each for each in INVARIANTS.listed if each.predicate is predicate)
    sizes = [players if axis == "seat" else len(INVARIANTS.axes[axis]) for axis in each.axes]
    holds = lazy.in_plain_python(predicate)
    assert all(holds(game, *places) for places in np.ndindex(*sizes))
    for field, change in changes.items():
        game[field] = change(game[field]) if callable(change) else change
    assert each.when is None or lazy.in_plain_python(each.when)(game)
    assert not all(holds(game, *places) for places in np.ndindex(*sizes)) and INVARIANTS.verify(game) > 0


def test_every_invariant_is_tried() -> None:
    """Three are exceptions: two have their own tests, and all shipped tabs are equally long."""
    own = {phases.difficulty, companies.project_types, companies.tab_length}
    assert {each.predicate for each in INVARIANTS.listed} == {predicate for predicate, *_ in (*CASES, *FAULTS)} | own


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
        (_set("options", "difficulty", to="expert"), "options: difficulty applies only to the solo game"),
        (_set("cities", "boston", 0, to=0), r"cities.boston\[0\]"),
        (_set("donations", "welfare_flat", to=["player_0"] * 2), r"donations.welfare_flat\[1\]"),
        (
            _set("donations", "welfare_flat", to=["player_1", "player_0"]),
            "donations.welfare_flat: must be in the order ",
        ),
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
