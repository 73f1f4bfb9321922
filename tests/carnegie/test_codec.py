"""Positions as dictionaries: every position of every mode goes there and back, a wrong one is refused with its path."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carnegie_env import Position
from carnegie_env.carnegie import codec, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import MODULES
from tests import walks
from tests.amounts import LONG

EVERY = 1 if LONG else 5  # decision of a game is written and read
JSON_TYPES = {dict, list, str, int, bool, type(None)}


# ---------------------------------------------------------------- there and back
@pytest.mark.parametrize("rich", [False, True], ids=["plain", "rich"])
@pytest.mark.parametrize("mode", range(len(walks.ALL_MODES)), ids=lambda k: walks.mode_name(walks.ALL_MODES[k]))
def test_every_decision_goes_there_and_back(mode: int, rich: bool) -> None:
    options = walks.ALL_MODES[mode] | {
        "timeline_tiles": ["columns", "rows"][(mode + rich) % 2],
        "show_forced": mode % 3 == 1,
    }
    for k, position in enumerate(walks.walk(options, seed=mode + 10, rich=rich)):
        if k % EVERY and not position.is_over:
            continue
        there = position.to_dict()
        back = Position.from_dict(there)
        assert back == position, position.phase
        assert back.to_dict() == there
        assert back.legal_actions() == position.legal_actions()
    assert position.is_over
    assert Position.from_json(position.to_json()) == position


def test_every_phase_goes_there_and_back() -> None:
    for phase in codec.OPEN_PHASES:
        new = codec.OPEN_PHASES.index(phase) > state.OVER
        there = walks.example(phase, 3 if phase == "charity" else 2, *(["all"] if new else []))
        assert there["phase"] == phase
        assert Position.from_dict(there).to_dict() == there


def test_only_json_types_and_always_all_keys() -> None:
    keys: dict[tuple[Any, ...], set[str]] = {}
    for mode in range(len(walks.ALL_MODES)):
        for position in walks.dictionaries(mode):
            assert json.loads(json.dumps(position)) == position
            for path in walks.paths(position):
                value = walks.at(position, path)
                assert type(value) in JSON_TYPES
                shape = tuple("#" if isinstance(key, int) else key for key in path)
                by_id = shape[-1:] in [
                    ("display",),
                    ("donations",),
                    ("employees",),
                    ("departments",),
                    ("ready",),
                ]
                if isinstance(value, dict) and not by_id:
                    assert keys.setdefault(shape, set(value)) == set(value), shape


def test_reading_leaves_the_dictionary_alone_and_the_position_apart() -> None:
    there = walks.example("turn")
    before = copy.deepcopy(there)
    position = Position.from_dict(there)
    assert there == before
    there["companies"][0]["money"] += 1
    assert position.to_dict() == before


def test_to_dict_of_a_new_game_is_the_documented_one() -> None:
    position = Position.new({"num_players": 1, "difficulty": "expert"}, seed=3).to_dict()
    assert position["options"] == {
        "num_players": 1, "difficulty": "expert", "timeline_tiles": "rows", "show_forced": False,
        "new_start": False, "new_departments": False, "new_donations": False, "diverse_setup": False, "wait": False,
        "secret_donation": False,
    }  # fmt: skip
    assert (position["panels"], position["waiting"]) == (None, False)
    assert (position["companies"][0]["sheet"], position["companies"][0]["secret"]) == (None, None)
    in_hand = {key: position["turn"][key] for key in ("relocations", "projects", "level_region", "payroll_activated")}
    assert in_hand == {"relocations": 0, "projects": 0, "level_region": None, "payroll_activated": 0}
    assert (position["phase"], position["round"], position["to_play"], position["first_player"]) == ("sides", 0, 0, 0)
    company = position["companies"][0]
    assert (company["money"], company["goods"], company["reserve"], company["disks"]) == (12, 4, 5, 22)
    assert company["departments"] == {
        "r1c1": "strategic_planning", "r1c2": "research_and_development", "r2c1": "trade_and_finance",
        "r2c2": "construction", "r3c2": "human_resources",
    }  # fmt: skip
    assert company["employees"]["r3c1"] == {"active": 0, "inactive": 5}
    assert company["tabs"]["public"] == {"side": None, "uncovered": 1, "built": 0}
    assert len(position["andrew"]["deck"]) == 20 and position["andrew"]["places"] == []
    assert sum(card.startswith("A") for card in position["andrew"]["deck"]) == 15
    assert position["timeline"]["spaces"]["research"][4] == [t.REGIONS[t.END_REGION[3]], "donation"]
    assert sum(position["display"].values()) == 16
    assert set(sum(position["cities"].values(), [])) == {None} and position["donations"] == {}  # ruling 3
    assert (position["turn"]["ready"], position["turn"]["diagonal_moves"]) == ({}, False)


def test_to_dict_of_a_new_game_with_all_modules() -> None:
    position = Position.new({"num_players": 3} | dict.fromkeys(MODULES, True), seed=3).to_dict()
    assert all(position["options"][module] is True for module in MODULES)
    assert (position["phase"], position["round"], position["to_play"], position["first_player"]) == ("sheet", 0, 0, 0)
    assert position["panels"] == {"education": None, "human_rights": None, "welfare": None, "health": None}
    for company in position["companies"]:
        assert company["sheet"] == {"goods": None, "employees": None, "points": None, "moves": None, "bid": None}
        assert (company["money"], company["goods"], company["reserve"], company["vp"]) == (12, 4, 5, 0)
        assert company["secret"] is None
    assert set(position["display"].values()) == {1} and len(position["display"]) == 24  # one copy of 32, less 8


@pytest.mark.parametrize("modules", [(), ("all",)], ids=["base", "all"])
def test_money_goods_and_points_are_free(modules: tuple[str, ...]) -> None:
    there = walks.example("turn", 2, *modules)
    for company in there["companies"]:
        company |= {"money": 10_000, "goods": 10_000, "vp": 10_000}
    position = Position.from_dict(there)
    rng = random.Random(1)
    while not position.is_over:  # and the record can hold what comes on top
        walks.step(position, rng)
    assert min(int(position.record[name].min()) for name in ("money", "goods", "vp")) >= 0


# ---------------------------------------------------------------- what is wrong is refused with its path
def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        walks.at(position, path[:-1])[path[-1]] = to

    return change


def _add(*path: Any, by: int = 1) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        walks.at(position, path[:-1])[path[-1]] += by

    return change


def _drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        del walks.at(position, path[:-1])[path[-1]]

    return change


def _swap(path: tuple[Any, ...], other: tuple[Any, ...]) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        here, there = walks.at(position, path), walks.at(position, other)
        _set(*path, to=there)(position)
        _set(*other, to=here)(position)

    return change


def _all(*changes: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        for one in changes:
            one(position)

    return change


SHAPE = [
    (_drop("rng"), "rng: is missing; the keys there are game, version"),
    (_drop("timeline", "markers"), "timeline.markers: is missing"),
    (_drop("timeline", "markers", "research"), "timeline.markers.research: is missing"),
    (_drop("companies", 1, "tabs", "industry", "built"), "companies[1].tabs.industry.built: is missing"),
    (_drop("cities", "boston"), "cities.boston: is missing; it is a list of 3"),
    (_drop("options", "show_forced"), "options.show_forced: is missing"),
    (_drop("companies", 1), "companies: 1 companies, but options.num_players is 2"),
    (_set("colour", to=1), "colour: is an unknown key"),
    (_set("companies", 0, "goodz", to=1), "companies[0].goodz: is an unknown key; the keys there are money, goods"),
    (_set("options", "player", to=1), "options: there is no option 'player'"),
    (_set("cities", "bosten", to=[None] * 3), "cities: there is no city 'bosten'; did you mean boston or"),
    (_set("game", to="chess"), "game: must be one of carnegie, got 'chess'"),
    (_set("version", to=1), "version: must be one of 2, got 1"),
    (_set("version", to=True), "version: Expected `int`, got `bool`"),
    (_set("companies", 0, "money", to="12"), "companies[0].money: Expected `int`, got `str` '12'"),
    (_set("companies", 0, "money", to=True), "companies[0].money: Expected `int`, got `bool`"),
    (_set("companies", 0, "money", to=12.0), "companies[0].money: Expected `int`, got `float`"),
    (_set("companies", 0, "money", to=-1), "companies[0].money: Expected `int` >= 0, got -1"),
    (_set("companies", 0, "money", to=10_001), "companies[0].money: Expected `int` <= 10000, got 10001"),
    (_set("companies", 0, "action_choice", to=0), "companies[0].action_choice: Expected `bool`"),
    (_set("companies", 0, "tabs", "housing", "side", to="c"), "side: must be one of a, b, null, got 'c'"),
    (_set("timeline", "chosen", to="sales"), "timeline.chosen: must be one of human_resources, management"),
    (_set("timeline", "spaces", "research", 0, to=["north"]), "timeline.spaces.research[0][0]: must be one of west"),
    (_set("timeline", "spaces", "research", 0, to=[]), "timeline.spaces.research[0]: [] is not one event"),
    (_set("timeline", "spaces", "research", to=[["west"]]), "timeline.spaces.research: Expected `array` of length"),
    (_set("options", "num_players", to=5), "options: num_players must be 1 (solo) to 4, not 5"),
    (_set("options", "difficulty", to="expert"), "options: difficulty is Andrew's"),
    (_set("options", "timeline_tiles", to="circle"), "options: timeline_tiles must be one of columns, rows"),
    (_set("phase", to="lunch"), "phase: there is no phase 'lunch'"),
    (_set("phase", to="next_income"), "phase: there is no phase 'next_income'"),
    (_set("rng", to=-1), "rng: -1 is not a number from 0"),
    (_set("rng", to=2**64), "rng: is a number of more than 64 bits"),
    (_set("andrew", to={}), "andrew.deck: is missing"),
    (_set("cities", "boston", to=[None]), "cities.boston: [None] is wrong; it is a list of 3"),
    (_set("cities", "boston", 0, to="player_2"), "cities.boston[0]: there is no player_2 in a game with"),
    (_set("cities", "boston", 0, to="andrew"), "cities.boston[0]: Andrew has disks in a solo game only"),
    (_set("cities", "boston", 0, to=0), "cities.boston[0]: 0 is not a string, the id of one owner"),
    (_set("donations", "welfare_flat", to=["player_0"] * 2), "donations.welfare_flat[1]: player_0 stands there twice"),
    (_set("donations", "welfare", to=["player_0"]), "donations: there is no donation cell 'welfare'"),
    (_set("display", "branding", to=1), "display: there is no department tile 'branding'"),
    (_set("display", "sales", to=3), "display.sales: Expected `int` <= 2, got 3"),
    (_set("companies", 0, "employees", "r4c0", to={}), "companies[0].employees: there is no company space 'r4c0'"),
    (_set("companies", 0, "employees", "r0c0", to={"active": 0}), "employees.r0c0.inactive: is missing"),
    (_set("companies", 0, "departments", "r3c1", to="sales"), "r3c1: sales cannot stand there: r3c1 is the lobby"),
    (_set("companies", 0, "departments", "r0c0", to="lobby"), "departments.r0c0: there is no department 'lobby'"),
    (_set("turn", "ready", to={"r4c0": 1}), "turn.ready: there is no company space 'r4c0'"),
    (_set("turn", "ready", to={"r1c1": -1}), "turn.ready.r1c1: Expected `int` >= 0, got -1"),
    (_set("turn", "diagonal_moves", to=1), "turn.diagonal_moves: Expected `bool`, got `int` 1"),
    (_set("turn", "lifted", to={"space": "r0c0", "state": "tired"}), "turn.lifted.state: must be one of inactive"),
    (_set("display", to={1: 1}), "display: 1 is no key of a position"),
    (_set("display", to=(1,)), "display: is a tuple; only JSON types are read"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), SHAPE, ids=[message[:40] for _, message in SHAPE])
def test_wrong_shape(change: Callable[[dict[str, Any]], None], message: str) -> None:
    _refused(walks.example("turn"), change, message)


def _refused(position: dict[str, Any], change: Callable[[dict[str, Any]], None], message: str) -> None:
    Position.from_dict(position)
    change(position)
    with pytest.raises(ValueError, match=re.escape(message)):
        Position.from_dict(position)


def _start() -> dict[str, Any]:
    """A position of two players at the first choice of a timeline."""
    return next(p for p in walks.walk({"num_players": 2}, seed=5) if p.phase == "timeline").to_dict()


INCONSISTENT = [
    # ---- round, phase, whose decision
    (_set("round", to=2), "first_player: 0; seat 0 begins"),
    (_set("round", to=0), "round: 0, but in phase timeline it is 1 to 20"),
    (_set("phase", to="over"), "round: 1, but in phase over it is 20"),
    (_set("phase", to="sides"), "round: 1, but in phase sides it is 0"),
    (_set("first_player", to=1), "first_player: 1; seat 0 begins"),
    (_set("to_play", to=None), "to_play: null; in phase timeline it is a seat from 0 to 1"),
    (_set("to_play", to=2), "to_play: 2; in phase timeline it is a seat from 0 to 1"),
    (_set("to_play", to=1), "to_play: 1, but the first player chooses the timeline, seat 0"),
    # ---- timeline
    (_add("timeline", "markers", "research"), "timeline.markers: they have passed 1 spaces in all, but 0 rounds"),
    (_set("timeline", "chosen", to="research"), "timeline.chosen: research, but in phase timeline of round"),
    (_set("timeline", "advancing", to="research"), "timeline.advancing: research, but in phase timeline"),
    (_set("timeline", "spaces", "research", 0, to=["west", "donation"]), "timeline.spaces.research[0]: two events"),
    (_set("timeline", "spaces", "research", 4, to=["west"]), "timeline.spaces.research[4]: is not the End tile's"),
    (_swap(("timeline", "spaces", "research", 0), ("timeline", "spaces", "management", 0)), "timeline.spaces: row"),
    (
        lambda p: p["timeline"]["spaces"]["research"].__setitem__(
            slice(4), p["timeline"]["spaces"]["management"][:4]
        ),
        "timeline.spaces: a timeline tile lies there twice",
    ),
    # ---- tiles and pieces
    (_set("display", to={"sales": 2}), "display: 4 department tiles in the display, reserved, built and with Andrew"),
    (_set("companies", 0, "reserved", to=None), "display: 15 department tiles"),
    (lambda p: [p["companies"][0].update(reserved=None), _one_more(p)], "[0].reserved: null, but no department"),
    (lambda p: [_one_more(p, "sales") for _ in range(3)], "display.sales: Expected `int` <= 2, got"),
    (_add("companies", 0, "reserve"), "companies[0].employees: 16 employees (6 in reserve + 10 on the company board)"),
    (_add("companies", 1, "missions", "west"), "companies[1].employees: 16 employees (5 in reserve + 1 on missions"),
    (_add("companies", 0, "disks"), "companies[0].disks: 31 disks"),
    (_add("companies", 0, "donations_made"), "companies[0].donations_made: 1, but player_0 has 0 disks on donations"),
    (_add("companies", 0, "tabs", "housing", "uncovered"), "companies[0].disks: 31 disks"),
    (_add("companies", 0, "tabs", "public", "uncovered"), "companies[0].disks: 31 disks"),
    (_set("companies", 0, "tabs", "public", "uncovered", to=8), "companies[0].tabs.public.uncovered: "),
    (_set("companies", 0, "tabs", "commerce", "built", to=2), "tabs.commerce.built: 2 projects built, but 1 project"),
    (_set("companies", 0, "tabs", "commerce", "built", to=1), "[0].tabs: 2 projects built, but player_0 has 1"),
    (_set("companies", 0, "tabs", "industry", "side", to=None), "companies[0].tabs.industry.side: null, but in phase"),
    (_set("companies", 0, "action_choice", to=True), "companies[0].action_choice: true, but with 2 players nobody"),
    (lambda p: _build(p, "r1c1"), "stands there, but strategic_planning is printed on it"),
    (_drop("companies", 0, "departments", "r1c1"), "departments.r1c1: an empty space stands there"),
    (_set("companies", 0, "departments", "r0c0", to="construction"), "a second construction, as on r0c0"),
    (_set("companies", 0, "transport", "west", to=5), "companies[0].transport.west: Expected `int` <= 4"),
    (
        _all(_set("companies", 0, "transport", "west", to=4), _set("companies", 1, "transport", "west", to=4)),
        "companies[1].transport.west: 4, the last space, where companies[0] is; it takes one marker",
    ),
    # ---- what is in hand
    (_set("turn", "moves", to=3), "turn.moves: is in use, but in phase timeline of round 1 it is empty"),
    (_set("turn", "research", to=3), "turn.research: is in use"),
    (_set("turn", "arrivals", to=1), "companies[0].employees: 16 employees"),
    (_set("turn", "action", to="research"), "turn.action: is in use"),
    (_set("turn", "started", to=True), "turn.started: is in use"),
    (_set("turn", "ready", to={"r1c1": 1}), "turn.ready: is in use, but in phase timeline of round 1 it is empty"),
    (_set("turn", "diagonal_moves", to=True), "turn.diagonal_moves: is in use"),
    (_set("turn", "tile", to="sales"), "turn.tile: is in use"),
    (_set("turn", "site", to="r0c0"), "turn.site: is in use"),
    (_set("turn", "lifted", to={"space": "r3c1", "state": "inactive"}), "turn.lifted: is in use"),
    (_set("turn", "income_choice", to={"project": "housing", "section": 1}), "turn.income_choice: is in use"),
    (_set("turn", "department", to="r1c1"), "turn.department: is in use"),
]  # fmt: skip


def _build(position: dict[str, Any], space: str) -> None:
    """Put the reserved tile on a company space."""
    company = position["companies"][0]
    company["departments"][space] = company["reserved"]
    company["reserved"] = None


def _one_more(position: dict[str, Any], tile: str | None = None) -> None:
    """One more copy of a tile on display; None: of one that is not there."""
    display = position["display"]
    tile = tile or next(tile for tile in t.DEPARTMENTS[1 : t.BASE_TILES + 1] if tile not in display)
    display[tile] = display.get(tile, 0) + 1


def _house_in(position: dict[str, Any], city: str) -> None:
    """The one disk that a seat has placed in set-up goes to another city."""
    for owners in position["cities"].values():
        for k, owner in enumerate(owners):
            if owner == "player_2":
                owners[k] = None
    position["cities"][city][0] = "player_2"


@pytest.mark.parametrize(("change", "message"), INCONSISTENT, ids=[message[:40] for _, message in INCONSISTENT])
def test_inconsistent(change: Callable[[dict[str, Any]], None], message: str) -> None:
    _refused(_start(), change, message)


IN_A_PHASE = [
    # ---- set-up
    ("sides", 3, _set("companies", 0, "tabs", "industry", "side", to="a"), "companies[0].tabs: 1 sides chosen"),
    ("sides", 3, _set("companies", 2, "tabs", "housing", "side", to="a"), "companies[2].tabs: 1 sides chosen"),
    ("sides", 3, _add("companies", 1, "transport", "west"), "companies[1].transport: is not as at the start"),
    ("sides", 3, _set("cities", "boston", 0, to="neutral"), "cities: 1 neutral disks in the cities and on don"),
    ("sides", 1, _set("donations", "welfare_flat", to=["neutral"]), "cities: 1 neutral disks in the cities and on don"),
    ("sides", 3, _add("companies", 1, "vp"), "companies[1].vp: is not as at the start"),
    ("housing", 3, _set("to_play", to=1), "companies[2].tabs.housing.built: 0; in phase housing with seat 1 to play"),
    ("reserve", 3, _set("to_play", to=1), "companies[1].tabs.housing.built: 0; in phase reserve"),
    ("reserve", 3, _set("phase", to="housing"), "companies[2].tabs.housing.built: 1; in phase housing"),
    ("reserve", 3, lambda p: _house_in(p, "fargo"), "companies[2].tabs.housing.built: player_2 has no disk on a hou"),
    ("setup_moves", 2, _set("turn", "moves", to=0), "turn.moves: is empty, but it belongs to phase setup_moves"),
    ("setup_moves", 2, _set("turn", "moves", to=7), "turn.moves: 7; set-up has 6 moves"),
    ("setup_moves", 2, _set("phase", to="housing"), "companies[0].tabs.housing.built: 1; in phase housing"),
    # ---- income
    ("recover", 2, lambda p: _event(p, "donation"), "phase: recover, but the round's event is no mission region"),
    ("recover", 2, lambda p: _home(p), "so in phase recover nobody could come back"),
    ("lobby_recover", 2, lambda p: _forget(p, "new_lobby"), "no new_lobby, so there is nothing to decide"),
    ("lobby_recover", 2, lambda p: _arrive(p), "turn.arrivals: is empty, but it belongs to phase lobby_recover"),
    ("research", 2, _set("turn", "research", to=0), "turn.research: is empty, but it belongs to phase research"),
    ("tab_income", 2, _set("turn", "income_choice", to=None), "turn.income_choice: is empty"),
    ("tab_income", 2, _set("turn", "income_choice", "project", to="industry"), "turn.income_choice: section"),
    ("lobby_tab", 2, _set("turn", "income_choice", "project", to="commerce"), "turn.income_choice: section"),
    # ---- donation
    ("donation", 2, lambda p: _event(p, "region"), "phase: donation, but the round's event is none"),
    ("donation", 2, lambda p: _mine(p).update(money=0, goods=0), "cannot pay the donation of $"),
    # ---- a turn
    ("turn", 2, _set("turn", "action", to=None), "turn.action: is empty, but it belongs to phase turn"),
    ("turn", 2, lambda p: p["turn"].update(action=_other(p["turn"]["action"])), "turn.action: "),
    ("turn", 2, lambda p: p["turn"]["ready"].clear(), "employees are active there and no department has been used"),
    ("turn", 2, lambda p: p["turn"]["ready"].update(r0c0=1), "turn.ready.r0c0: 1, but no "),
    ("turn", 2, lambda p: p["turn"]["ready"].update({_ready(p): 9}), "; nobody gets active during a turn"),
    ("turn", 2, lambda p: _half_left(p), "turn.ready.r2c1: 1 of 2, but it is not the department in use"),
    ("turn", 2, _set("turn", "diagonal_moves", to=True), "turn.diagonal_moves: true, but that takes a turn of"),
    ("site", 2, lambda p: _nobody_spent(p), "in phase site at least one of them is spent"),
    ("turn", 2, lambda p: p["turn"].update(department="r0c0"), "turn.department: r0c0 holds no"),
    ("turn", 2, lambda p: p["timeline"].update(advancing=_other(p["timeline"]["advancing"])), "timeline.advancing: "),
    ("turn", 2, lambda p: p["timeline"].update(chosen=None), "timeline.chosen: null, but in phase turn of round"),
    ("destination", 2, _set("turn", "lifted", to=None), "turn.lifted: is empty, but it belongs to phase destination"),
    ("destination", 2, _set("turn", "lifted", "space", to="r0c1"), "turn.lifted: there is no"),
    ("destination", 2, _set("turn", "moves", to=0), "turn.moves: is empty, but it belongs to phase destination"),
    ("lobby_turn", 3, lambda p: _forget(p, "new_lobby"), "no new_lobby, so there is nothing to decide"),
    ("site", 2, _set("turn", "tile", to=None), "turn.tile: is empty, but it belongs to phase site"),
    ("site", 2, lambda p: _mine(p).update(goods=0), "phase: nothing is legal in this phase of this position"),
    ("site", 2, _set("turn", "department", to=None), "turn.department: is empty, but it belongs to phase site"),
    ("site", 2, _set("turn", "started", to=False), "turn.started: is empty, but it belongs to phase site"),
    ("property", 2, _set("turn", "site", to="r1c1"), "turn.site: r1c1 holds strategic_planning"),
    ("charity", 3, _set("turn", "department", to="r1c2"), "turn.department: research_and_development, but phase"),
    ("charity", 3, lambda p: _mine(p).update(money=0, goods=0), "cannot pay the donation of $"),
    # ---- the end
    ("over", 2, _set("to_play", to=0), "to_play: 0, but the game is over"),
    ("over", 2, _set("round", to=19), "round: 19, but in phase over it is 20"),
    ("over", 2, _set("timeline", "chosen", to="research"), "timeline.chosen: research, but in phase over"),
    # ---- solo
    ("turn", 1, _set("andrew", to=None), "andrew: missing in a solo game"),
    ("turn", 2, _set("andrew", to=walks.example("turn", 1)["andrew"]), "andrew: there, but the game is not solo"),
    ("turn", 1, lambda p: p["andrew"]["deck"].__setitem__(1, p["andrew"]["deck"][0]), "andrew.deck[1]: "),
    ("turn", 1, _set("andrew", "deck", 0, to="X1"), "andrew.deck[0]: there is no card 'X1'"),
    ("turn", 1, lambda p: p["andrew"]["deck"].pop(), "andrew.deck: Expected `array` of length >= 20, got 19"),
    ("turn", 1, lambda p: p["andrew"]["places"].pop(), "andrew.places: "),
    ("turn", 1, _set("andrew", "places", 0, to=5), "andrew.places[0]: Expected `int` <= 4"),
    ("timeline", 1, lambda p: p["andrew"]["places"].__setitem__(-1, 2), "the round's card lies at 0"),
    ("turn", 1, lambda p: p["options"].update(difficulty=None), "options.difficulty: null, but a solo game has one of"),
    ("turn", 1, lambda p: p["options"].update(difficulty="beginner"), "andrew.deck: 5 advanced cards; difficulty"),
    ("turn", 1, lambda p: p["andrew"].update(disks=(p["andrew"]["disks"] + 1) % 27), "andrew.disks: "),
    ("turn", 1, lambda p: p["andrew"]["departments"].update(sales=3), "andrew.departments.sales: Expected `int` <= 2"),
]  # fmt: skip


def _mine(position: dict[str, Any]) -> dict[str, Any]:
    return position["companies"][position["to_play"]]


def _active(position: dict[str, Any], space: str) -> int:
    return _mine(position)["employees"].get(space, {"active": 0})["active"]


def _all_ready(position: dict[str, Any], action: str) -> dict[str, int]:
    """Who can act at the start of a turn of that type."""
    kind = t.ACTION_TYPES.index(action)
    departments = _mine(position)["departments"].items()
    ready = {space: _active(position, space) for space, name in departments
             if t.DEPARTMENT_TYPE[t.DEPARTMENTS.index(name)] == kind}  # fmt: skip
    return {space: number for space, number in ready.items() if number}


def _ready(position: dict[str, Any]) -> str:
    """A space with a department of the turn's type."""
    kind = t.ACTION_TYPES.index(position["turn"]["action"])
    departments = _mine(position)["departments"].items()
    return next(space for space, name in departments if t.DEPARTMENT_TYPE[t.DEPARTMENTS.index(name)] == kind)


def _half_left(position: dict[str, Any]) -> None:
    """In a turn of Management one of two can still act in a department that is not the one in use."""
    _another_turn(position)
    company, space = _mine(position), "r2c1"  # trade_and_finance
    here = company["employees"].setdefault(space, {"active": 0, "inactive": 0})
    here["inactive"] += company["reserve"] + sum(company["missions"].values())
    company["reserve"], company["missions"] = 0, dict.fromkeys(t.REGIONS, 0)
    here["inactive"] -= 2 - here["active"]
    here["active"] = 2
    position["turn"].update(started=True, department="r1c1", ready={space: 1})


def _nobody_spent(position: dict[str, Any]) -> None:
    turn = position["turn"]
    turn["ready"][turn["department"]] = _active(position, turn["department"])


def _other(action: str) -> str:
    return t.ACTION_TYPES[t.ACTION_TYPES.index(action) - 1]


def _event(position: dict[str, Any], kind: str) -> None:
    """Have the round choose a row whose next event is a donation alone, or a region alone; the markers are moved."""
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
    """Lay all employees on missions into the lobby."""
    company = _mine(position)
    lobby = company["employees"].setdefault("r3c1", {"active": 0, "inactive": 0})
    lobby["inactive"] += sum(company["missions"].values())
    company["missions"] = dict.fromkeys(company["missions"], 0)


def _arrive(position: dict[str, Any]) -> None:
    lobby = _mine(position)["employees"].setdefault("r3c1", {"active": 0, "inactive": 0})
    lobby["inactive"] += position["turn"]["arrivals"]
    position["turn"]["arrivals"] = 0


def _forget(position: dict[str, Any], tile: str) -> None:
    """Put another tile of the display in the place of one in the company."""
    company = _mine(position)
    space = next(space for space, there in company["departments"].items() if there == tile)
    other = next(other for other in position["display"] if other not in company["departments"].values())
    company["departments"][space] = other
    position["display"][other] -= 1
    position["display"][tile] = position["display"].get(tile, 0) + 1


@pytest.mark.parametrize(
    ("phase", "players", "change", "message"), IN_A_PHASE, ids=[f"{row[0]}-{row[3][:30]}" for row in IN_A_PHASE]
)
def test_inconsistent_in_a_phase(
    phase: str, players: int, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    _refused(walks.example(phase, players), change, message)


# ---------------------------------------------------------------- expansion 1
SHEET = ("companies", 0, "sheet")
SHAPE_WITH_MODULES = [
    (_drop("panels"), "panels: is missing; the keys there are game, version"),
    (_drop("panels", "health"), "panels.health: is missing; the keys there are education, human_rights"),
    (_drop("waiting"), "waiting: is missing"),
    (_drop(*SHEET), "companies[0].sheet: is missing"),
    (_drop(*SHEET, "bid"), "companies[0].sheet.bid: is missing; the keys there are goods, employees, points, moves"),
    (_drop("companies", 1, "secret"), "companies[1].secret: is missing"),
    (_drop("turn", "level_region"), "turn.level_region: is missing"),
    (_drop("options", "wait"), "options.wait: is missing; every option must be there"),
    (_set("panels", to=None), "panels: null, but options.new_donations is true"),
    (_set("panels", "welfare", to="roads"), "panels.welfare: must be one of education, human_rights, welfare, health"),
    (_set("panels", "roads", to=None), "panels.roads: is an unknown key; the keys there are education"),
    (_set("panels", to=["welfare"]), "panels: Expected `object | null`, got `array`"),
    (_set("waiting", to=0), "waiting: Expected `bool`, got `int` 0"),
    (_set(*SHEET, to=None), "companies[0].sheet: null, but options.new_start is true"),
    (_set(*SHEET, "goods", to=7), "companies[0].sheet.goods: 7; the sheet offers 2, 3, 4, 5, 6"),
    (_set(*SHEET, "points", to=1), "companies[0].sheet.points: 1; the sheet offers -6, -3, 0, 3, 6"),
    (_set(*SHEET, "moves", to="6"), "companies[0].sheet.moves: Expected `int | null`, got `str` '6'"),
    (_set(*SHEET, "bid", to=-1), "companies[0].sheet.bid: Expected `int` >= 0, got -1"),
    (_set(*SHEET, "bid", to=t.LARGEST_BID + 1), "companies[0].sheet.bid: Expected `int` <= "),
    (_set(*SHEET, "vp", to=0), "companies[0].sheet.vp: is an unknown key"),
    (_set("companies", 0, "secret", to="welfare"), "companies[0].secret: there is no donation cell 'welfare'"),
    (_set("companies", 0, "secret", to=3), "companies[0].secret: Expected `str | null`, got `int` 3"),
    (_set("companies", 0, "vp", to=-10_001), "companies[0].vp: Expected `int` >= -10000, got -10001"),
    (_set("turn", "relocations", to=17), "turn.relocations: Expected `int` <= 16, got 17"),
    (_set("turn", "projects", to=-1), "turn.projects: Expected `int` >= 0, got -1"),
    (_set("turn", "projects", to=16), "turn.projects: Expected `int` <= 15, got 16"),
    (_set("turn", "level_region", to="north"), "turn.level_region: must be one of west, midwest, east, south, null"),
    (_set("turn", "payroll_activated", to=16), "turn.payroll_activated: Expected `int` <= 15, got 16"),
    (_set("options", "wait", to=1), "options: wait must be True or False, not 1"),
    (_set("options", "waits", to=True), "options: there is no option 'waits'; did you mean wait?"),
    (_set("display", "sales", to=3), "display.sales: Expected `int` <= 2, got 3"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"), SHAPE_WITH_MODULES, ids=[message[:40] for _, message in SHAPE_WITH_MODULES]
)
def test_wrong_shape_with_modules(change: Callable[[dict[str, Any]], None], message: str) -> None:
    _refused(walks.example("turn", 2, "all"), change, message)


def _phase(phase: str, **turn: Any) -> Callable[[dict[str, Any]], None]:
    """Another phase, and what is in hand then."""
    return lambda p: [p.update(phase=phase), p["turn"].update(turn)]


def _outbid(position: dict[str, Any]) -> None:
    """The seat that did not begin has bid a little more."""
    passed = position["round"] - 1
    first = (position["first_player"] - passed) % 2
    sheets = [company["sheet"] for company in position["companies"]]
    base = {"goods": 4, "employees": 5, "points": 0, "moves": 6}
    sheets[first].update(base, bid=1)
    sheets[1 - first].update(base, bid=2)


def _rank_by_lines(position: dict[str, Any]) -> None:
    """Equal bids, but the seat that did not begin has spent more on the other lines."""
    _outbid(position)
    first = (position["first_player"] - position["round"] + 1) % 2
    position["companies"][first]["sheet"]["bid"] = 2
    position["companies"][1 - first]["sheet"]["goods"] = 5


def _full(position: dict[str, Any], seat: int) -> None:
    position["companies"][seat]["sheet"].update(goods=4, employees=5, points=0, moves=6, bid=0)


def _starting(position: dict[str, Any]) -> None:
    """Have the starting department of the turn's type in use instead."""
    turn = position["turn"]
    kind = t.ACTION_TYPES.index(turn["action"])
    code = next(c for c in range(t.NUM_TILES + 1, t.LOBBY) if t.DEPARTMENT_TYPE[c] == kind)
    space = t.SPACE_IDS[t.START_SPACE[code - t.NUM_TILES - 1]]
    here = _mine(position)["employees"].get(space, {"active": 0})
    turn["department"] = space
    turn["ready"][space] = max(here["active"] - 1, 0)


def _idle(position: dict[str, Any], tile: str) -> None:
    """Nobody works in a department any more."""
    company = _mine(position)
    space = next(space for space, there in company["departments"].items() if there == tile)
    here = company["employees"][space]
    here["inactive"], here["active"] = here["inactive"] + here["active"], 0


def _five_of_a_type(position: dict[str, Any]) -> None:
    """Five different tiles of Human Resources on display, in place of tiles of other types."""
    display = position["display"]
    tiles = [t.DEPARTMENTS[c] for c in range(1, t.NUM_TILES + 1) if t.DEPARTMENT_TYPE[c] == 0]
    for tile in [tile for tile in tiles if tile not in display][: max(5 - len(display.keys() & set(tiles)), 0)]:
        other = next(other for other in display if other not in tiles)
        display[other] -= 1
        if not display[other]:
            del display[other]
        display[tile] = 1


def _another_turn(position: dict[str, Any]) -> None:
    """The same in a turn of Management."""
    position["timeline"].update(chosen="management", advancing="management")
    ready = _all_ready(position, "management")
    position["turn"].update(action="management", department=None, ready=ready, moves=0, research=0)
    position["turn"]["diagonal_moves"] = False


def _level_in_turn() -> dict[str, Any]:
    options = {"num_players": 2, "new_departments": True, "diverse_setup": True}
    for seed in range(1000):
        for position in walks.walk(options, seed, rich=True):
            d = position.to_dict()
            if position.phase == "level" and d["turn"]["action"] and d["timeline"]["markers"]["management"] < 5:
                return d
    raise AssertionError("no game reached phase level in a turn")


def _elsewhere(position: dict[str, Any]) -> None:
    """The level of a region without a disk in a city with a bonus, if there is one; else of none of the own cities."""
    seat = position["to_play"]
    for r, region in enumerate(t.REGIONS):
        cities = [c for c, city in enumerate(t.CITIES) if t.CITY_REGION[c] == r and t.CITY_BONUS[c]]
        if not any(f"player_{seat}" in position["cities"][t.CITIES[c]] for c in cities):
            position["turn"]["level_region"] = region
            _mine(position)["transport"][region] = 1
            return
    raise AssertionError("disks in every region")


def _another_region(position: dict[str, Any]) -> None:
    turn = position["turn"]
    turn["level_region"] = t.REGIONS[t.REGIONS.index(turn["level_region"]) - 1]
    _mine(position)["transport"][turn["level_region"]] = 1


def _on_the_last(position: dict[str, Any]) -> None:
    for company in position["companies"]:
        company["transport"]["west"] = 4


NEW = ("new_departments", "diverse_setup")
WITH_MODULES = [
    # ---- a module is off
    ("turn", 2, (), _set("panels", to=dict.fromkeys(t.DONATION_COLUMNS)),
     "panels: there, but options.new_donations is"),
    ("turn", 2, (), _set(*SHEET, to=dict.fromkeys(("goods", "employees", "points", "moves", "bid"))),
     "companies[0].sheet: there, but options.new_start is false"),
    ("turn", 2, (), _set("companies", 0, "secret", to="welfare_flat"), "companies[0].secret: welfare_flat; with"),
    ("turn", 2, (), _set("waiting", to=True), "waiting: true, but options.wait is false"),
    ("turn", 2, (), _set("companies", 1, "vp", to=-1),
     "companies[1].vp: -1; the start and the rules lead to 0 at least"),
    ("turn", 1, (), _set("options", "wait", to=True), "options: wait does not go with the solo game"),
    ("sides", 2, (), _phase("sheet"), "phase: sheet belongs to the module new_start, which is off"),
    ("setup_moves", 2, (), _phase("panels", moves=0),
     "phase: panels belongs to the module new_donations, which is off"),
    ("setup_moves", 2, (), _phase("secret", moves=0), "phase: secret belongs to the module secret_donation, which is"),
    ("charity", 3, (), _phase("halves", projects=1), "phase: halves belongs to the module new_departments or diverse"),
    ("charity", 3, (), _phase("relocation", relocations=1), "phase: relocation belongs to the module new_departments"),
    ("lobby_recover", 2, (), _phase("level", level_region="west", research=0), "phase: level belongs to the module"),
    # ---- a new start
    ("turn", 2, ("new_start",), _set("companies", 1, "vp", to=-7),
     "companies[1].vp: -7; the start and the rules lead to"),
    ("turn", 2, ("new_start",), _set(*SHEET, "goods", to=None),
     "companies[0].sheet: its lines are filled in order: goods"),
    ("turn", 2, ("new_start",), _set(*SHEET, "bid", to=None), "companies[0].sheet: is not filled in to the end"),
    ("turn", 2, ("new_start",), _set(*SHEET, "bid", to=t.LARGEST_BID), "companies[0].sheet: its choices cost $"),
    ("turn", 2, ("new_start",), _outbid, "by the sheets it was seat"),
    ("turn", 2, ("new_start",), _rank_by_lines, "by the sheets it was seat"),
    ("turn", 1, ("new_start",), _set(*SHEET, "bid", to=0), "companies[0].sheet.bid: 0, but in a solo game nobody bids"),
    ("turn", 1, ("new_start",), _set(*SHEET, "moves", to=None), "companies[0].sheet: is not filled in to the end"),
    ("turn", 3, ("new_start",), lambda p: [c.update(action_choice=True) for c in p["companies"]],
     "action_choice: true"),
    ("sheet", 2, ("new_start",), _set("first_player", to=1), "first_player: 1; until the sheets are revealed it is 0"),
    ("timeline", 1, ("new_start",), _set("first_player", to=1), "first_player: 1; it is a seat from 0 to 0"),
    ("sheet", 2, ("new_start",), _set("companies", 1, "money", to=13), "companies[1].money: is not as at the start"),
    ("sheet", 2, ("new_start",), _set("companies", 0, "goods", to=3), "companies[0].goods: is not as at the start"),
    ("timeline", 2, ("new_start",), _set("first_player", to=2), "first_player: 2; it is a seat from 0 to 1"),
    ("sheet", 2, ("new_start",), _set(*SHEET, "bid", to=2),
     "companies[0].sheet.bid: 2, but the other lines come first"),
    ("sheet", 2, ("new_start",), lambda p: _full(p, 0), "companies[0].sheet: is filled in, but seat 0 fills in his"),
    ("sheet", 2, ("new_start",), _set("companies", 1, "sheet", "goods", to=4),
     "companies[1].sheet: is filled in, but seat"),
    ("sheet", 2, ("new_start",), _set("to_play", to=1), "companies[0].sheet: is not filled in to the end"),
    ("sheet", 2, ("new_start",), _all(_set("to_play", to=1), lambda p: _full(p, 0), lambda p: _full(p, 1)),
     "companies[1].sheet: is filled in, but seat 1 fills in his, then those after him theirs"),
    ("sheet", 2, ("new_start",), lambda p: p["companies"][0]["sheet"].update(goods=6, employees=7, points=6),
     "companies[0].sheet: its choices cost $62; the budget is $50, of which the lines left take 5 at least"),
    ("sheet", 2, ("new_start",), _add("companies", 0, "vp"), "companies[0].vp: is not as at the start"),
    ("sheet", 2, ("new_start",), _set("companies", 0, "tabs", "housing", "side", to="a"), "companies[0].tabs: 1 sides"),
    ("sheet", 2, ("new_start",), _set("round", to=1), "round: 1, but in phase sheet it is 0"),
    ("setup_moves", 2, ("new_start",), _set("turn", "moves", to=11), "turn.moves: 11; set-up has "),
    # ---- department tiles
    ("turn", 2, ("new_departments",), _five_of_a_type, " different human_resources tiles in the game ("),
    ("turn", 2, ("diverse_setup",), lambda p: p["display"].update(dict.fromkeys(p["display"], 2)), "there are 1"),
    ("turn", 2, ("diverse_setup",), lambda p: p["display"].popitem(), "display: 15 department tiles in the display"),
    ("turn", 2, (), _on_the_last,
     "companies[1].transport.west: 4, the last space, where companies[0] is; it takes one"),
    # ---- new donations, the secret donation, wait
    ("turn", 3, ("new_donations",), lambda p: p["panels"].update(education="health", welfare="health"),
     "panels: the health tile lies on two panels; there is one"),

        ("turn", 2, ("new_donations",),
     lambda p: p["panels"].update(education="health", welfare="welfare", health="education", human_rights=None),
     "panels: 3 are covered, but so far 2 players could do that, one panel each"),
    ("housing", 2, ("new_donations",), _set("panels", "health", to="health"), "panels: 1 are covered, but so far 0"),
    ("panels", 2, ("new_donations",), _set("panels", "health", to="health"), "panels: 1 are covered, but so far 0"),
    ("turn", 2, ("secret_donation",), _set("companies", 0, "secret", to=None),
     "companies[0].secret: null; with options."),
    ("sides", 2, ("secret_donation",), _set("companies", 0, "secret", to="welfare_flat"),
     "companies[0].secret: welfare"),
    ("secret", 2, ("secret_donation",), _set("companies", 0, "secret", to="welfare_flat"),
     "companies[0].secret: welfare"),
    ("secret", 2, ("secret_donation",), _set("to_play", to=1),
     "companies[0].secret: null; with options.secret_donation"),
    ("timeline", 2, ("wait",), _set("waiting", to=True), "waiting: true, but in phase timeline nobody takes a turn"),
    # ---- what is in hand
    ("turn", 2, NEW, _set("turn", "relocations", to=1), "turn.relocations: is in use, but in phase turn of round"),
    ("turn", 2, NEW, _set("turn", "projects", to=1), "turn.projects: is in use, but in phase turn of round"),
    ("turn", 2, NEW, _set("turn", "level_region", to="west"),
     "turn.level_region: is in use, but in phase turn of round"),
    ("turn", 2, NEW, _set("turn", "payroll_activated", to=1),
     "turn.payroll_activated: is in use, but in phase turn of"),
    ("setup_moves", 2, NEW, _phase("activation", moves=0, payroll_activated=1),
     "turn.payroll_activated: is in use, but"),
    ("relocation", 2, NEW, _set("turn", "relocations", to=0), "turn.relocations: is empty, but it belongs to phase"),
    ("relocation", 2, NEW, _set("turn", "department", to=None), "turn.department: is empty, but it belongs to phase"),
    ("relocation", 2, NEW, _starting, "but the department in use is not hr_administration"),
    ("relocation", 2, NEW, _set("turn", "relocations", to=16), "turn.relocations: 16; the company's departments give "),
    ("halves", 2, NEW, _set("turn", "projects", to=0), "turn.projects: is empty, but it belongs to phase halves"),
    ("halves", 2, NEW, _set("turn", "projects", to=15), "turn.projects: 15; the company has built ["),
    ("halves", 2, NEW, _starting, "phase halves belongs to local_partners, branding, renovation, knowledge_sharing"),
    ("level", 2, NEW, _set("turn", "level_region", to=None),
     "turn.level_region: is empty, but it belongs to phase level"),
    ("level", 2, NEW, lambda p: _idle(p, "archives"), "phase: level, but the company has no Archives with an active"),
    ("level", 2, NEW, lambda p: _mine(p)["transport"].update({p["turn"]["level_region"]: 0}),
     "0, so there is no level to"),
    ("activation", 2, ("diverse_setup",), _set("turn", "payroll_activated", to=15), "15, but "),
]  # fmt: skip


@pytest.mark.parametrize(
    ("phase", "players", "modules", "change", "message"),
    WITH_MODULES,
    ids=[f"{row[0]}-{row[4][:40]}" for row in WITH_MODULES],
)
def test_inconsistent_with_modules(
    phase: str, players: int, modules: tuple[str, ...], change: Callable[[dict[str, Any]], None], message: str
) -> None:
    _refused(walks.example(phase, players, *modules), change, message)


def test_a_level_of_income_that_cannot_be() -> None:
    income = next(
        position.to_dict()
        for seed in range(1000)
        for position in walks.walk({"num_players": 2, "diverse_setup": True}, seed, rich=True)
        if position.phase == "level" and position.to_dict()["turn"]["action"] is None
    )
    _refused(copy.deepcopy(income), _another_region, "but the round's income is that of")
    _refused(income, lambda p: _arrive(p), "turn.arrivals: is empty, but it belongs to phase level")
    in_turn = _level_in_turn()
    _refused(copy.deepcopy(in_turn), _elsewhere, "where the company has no disk in a city with a bonus")
    _refused(in_turn, _another_turn, "turn.action: management, but a city's bonus comes with a build")


def test_archives_may_share_a_last_space() -> None:
    position = walks.example("level", 2, "diverse_setup")
    for company in position["companies"]:
        company["transport"]["west"] = 4
    assert Position.from_dict(position).to_dict() == position


def test_political_lobbying_builds_on_spaces_of_other_types() -> None:
    """A disk on a space of another type is right for its owner, and for nobody else."""
    options = {"num_players": 2, "diverse_setup": True}
    for seed in range(1000):
        for position in walks.walk(options, seed, rich=True):
            there = position.to_dict()
            for seat, company in enumerate(there["companies"]):
                if "political_lobbying" in company["departments"].values() and _mismatched(there, seat):
                    assert Position.from_dict(there).to_dict() == there
                    there["to_play"] = seat
                    with pytest.raises(ValueError, match=r"built: \d, but player_\d has disks on \d"):
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


# ---------------------------------------------------------------- anything else is refused, too, always as a ValueError
@pytest.mark.parametrize("mode", range(len(walks.ALL_MODES)), ids=lambda k: walks.mode_name(walks.ALL_MODES[k]))
def test_spoiled_positions_are_refused_or_play_on(mode: int) -> None:
    rng = random.Random(mode)
    known = walks.dictionaries(mode)
    for _ in range(300):
        spoiled = walks.spoil(rng.choice(known), rng)
        try:
            position = Position.from_dict(spoiled)
        except ValueError as error:
            assert str(error) and len(str(error)) < 2000
            continue
        for _ in range(20):
            if position.is_over:
                break
            position.apply(rng.choice(position.legal_actions()))
        assert Position.from_dict(position.to_dict()) == position


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_any_json_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        Position.from_dict(value)


def test_nested_without_end() -> None:
    position = walks.example("turn")
    position["display"] = position
    with pytest.raises(ValueError, match="levels deep"):
        Position.from_dict(position)


def test_the_same_list_over_and_over() -> None:
    wide: list[Any] = []
    for _ in range(5):
        wide = [wide] * 10_000
    with pytest.raises(ValueError, match="more than 20000 values"):
        Position.from_dict({"display": wide})


def test_a_number_too_long_to_print() -> None:
    position = walks.example("turn")
    position["companies"][0]["money"] = 10**5000
    with pytest.raises(ValueError, match="companies\\[0\\].money: is a number of more than 64 bits"):
        Position.from_dict(position)


def test_names_of_phases_are_those_of_the_record() -> None:
    assert codec.OPEN_PHASES[-1] == "level" and len(codec.OPEN_PHASES) == state.START_ROUND
    assert codec.OPEN_PHASES[state.OVER] == "over" and state.PHASES[state.START_ROUND] == "start_round"
