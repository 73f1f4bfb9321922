"""Positions as dictionaries: every position of every mode goes there and back, and what is wrong is refused with its path."""

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
from tests import walks

JSON_TYPES = {dict, list, str, int, bool, type(None)}


# ---------------------------------------------------------------- there and back
@pytest.mark.parametrize("rich", [False, True], ids=["plain", "rich"])
@pytest.mark.parametrize("mode", range(len(walks.MODES)), ids=lambda k: walks.mode_name(walks.MODES[k]))
def test_every_decision_goes_there_and_back(mode: int, rich: bool) -> None:
    options = walks.MODES[mode] | {
        "timeline_tiles": ["columns", "rows"][(mode + rich) % 2],
        "show_forced": mode % 3 == 1,
    }
    for position in walks.walk(options, seed=mode + 10, rich=rich):
        there = position.to_dict()
        back = Position.from_dict(there)
        assert back == position, position.phase
        assert back.to_dict() == there
        assert back.legal_actions() == position.legal_actions()
    assert position.is_over
    assert Position.from_json(position.to_json()) == position


def test_every_phase_goes_there_and_back() -> None:
    for phase in codec.OPEN_PHASES:
        there = walks.example(phase, players=3 if phase == "charity" else 2)
        assert there["phase"] == phase
        assert Position.from_dict(there).to_dict() == there


def test_only_json_types_and_always_all_keys() -> None:
    keys: dict[tuple[Any, ...], set[str]] = {}
    for mode in range(len(walks.MODES)):
        for position in walks.dictionaries(mode):
            assert json.loads(json.dumps(position)) == position
            for path in walks.paths(position):
                value = walks.at(position, path)
                assert type(value) in JSON_TYPES
                shape = tuple("#" if isinstance(key, int) else key for key in path)
                by_id = shape[-1:] in [("display",), ("donations",), ("employees",), ("departments",), ("active_at_start",)]
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
        "num_players": 1, "difficulty": "expert", "timeline_tiles": "columns", "show_forced": False,
    }  # fmt: skip
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
    assert sum(card.startswith("A") for card in position["andrew"]["deck"]) in (0, 15)
    assert position["timeline"]["spaces"]["research"][4] == [t.REGIONS[t.END_REGION[3]], "donation"]
    assert sum(position["display"].values()) == 16
    neutral = [o for owners in [*position["cities"].values(), *position["donations"].values()] for o in owners]
    assert neutral.count("neutral") == 18


def test_money_goods_and_points_are_free() -> None:
    there = walks.example("turn")
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
    (_set("cities", "bosten", to=[None] * 3), "cities: there is no city 'bosten'; did you mean boston?"),
    (_set("game", to="chess"), "game: must be one of carnegie, got 'chess'"),
    (_set("version", to=2), "version: must be one of 1, got 2"),
    (_set("version", to=True), "version: Expected `int`, got `bool`"),
    (_set("companies", 0, "money", to="12"), "companies[0].money: Expected `int`, got `str`, got '12'"),
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
    (_set("options", "difficulty", to="expert"), "options: difficulty='expert' is Andrew's"),
    (_set("options", "timeline_tiles", to="circle"), "options: timeline_tiles must be one of columns, rows"),
    (_set("phase", to="lunch"), "phase: there is no phase 'lunch'"),
    (_set("phase", to="next_income"), "phase: there is no phase 'next_income'"),
    (_set("rng", to=-1), "rng: -1 is not a number from 0"),
    (_set("rng", to=2**64), "rng: is a number of more than 64 bits"),
    (_set("andrew", to={}), "andrew.deck: is missing"),
    (_set("cities", "boston", to=[None]), "cities.boston: [None] is wrong; it is a list of 3"),
    (_set("cities", "boston", 0, to="player_2"), "cities.boston[0]: there is no player_2 in a game with"),
    (_set("cities", "boston", 0, to="andrew"), "cities.boston[0]: Andrew has disks in a solo game only"),
    (_set("cities", "boston", 0, to=0), "cities.boston[0]: 0 is not the id of a owner"),
    (_set("donations", "welfare_flat", to=["player_0"] * 2), "donations.welfare_flat[1]: player_0 stands there twice"),
    (_set("donations", "welfare", to=["player_0"]), "donations: there is no donation cell 'welfare'"),
    (_set("display", "branding", to=1), "display: there is no department tile 'branding'"),
    (_set("display", "sales", to=3), "display.sales: Expected `int` <= 2, got 3"),
    (_set("companies", 0, "employees", "r4c0", to={}), "companies[0].employees: there is no company space 'r4c0'"),
    (_set("companies", 0, "employees", "r0c0", to={"active": 0}), "employees.r0c0.inactive: is missing"),
    (_set("companies", 0, "departments", "r3c1", to="sales"), "r3c1: sales cannot stand there: r3c1 is the lobby"),
    (_set("companies", 0, "departments", "r0c0", to="lobby"), "departments.r0c0: there is no department 'lobby'"),
    (_set("turn", "finished", to=["r1c1", "r1c1"]), "turn.finished[1]: r1c1 stands there twice"),
    (_set("turn", "lifted", to={"space": "r0c0", "state": "tired"}), "turn.lifted.state: must be one of inactive, active"),
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


START = {"phase": "timeline", "players": 2}  # an early round: a board that is nearly as after set-up


def _start(players: int = 2) -> dict[str, Any]:
    """A position at the first choice of a timeline, with a few things where the changes below want them."""
    rng = random.Random(5)
    position = Position.new({"num_players": players}, seed=5)
    while position.phase != "timeline":
        walks.step(position, rng)
    return position.to_dict()


def _owned(position: dict[str, Any], city: str, k: int, owner: str | None) -> None:
    position["cities"][city][k] = owner


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
    (_set("timeline", "chosen", to="research"), "timeline.chosen: research, but in phase timeline of round 1 it is null"),
    (_set("timeline", "advancing", to="research"), "timeline.advancing: research, but in phase timeline"),
    (_set("timeline", "spaces", "research", 0, to=["west", "donation"]), "timeline.spaces.research[0]: two events"),
    (_set("timeline", "spaces", "research", 4, to=["west"]), "timeline.spaces.research[4]: is not the End tile's"),
    (_swap(("timeline", "spaces", "research", 0), ("timeline", "spaces", "research", 1)), "timeline.spaces: space"),
    (
        lambda p: [row.__setitem__(1, row[0]) for row in p["timeline"]["spaces"].values()],
        "timeline.spaces: a timeline tile lies there twice",
    ),
    # ---- tiles and pieces
    (_set("display", to={"sales": 2}), "display: 4 department tiles in the display, reserved, built and with Andrew"),
    (_set("companies", 0, "reserved", to=None), "display: 15 department tiles"),
    (lambda p: [p["companies"][0].update(reserved=None), _one_more(p)], "companies[0].reserved: null, but no department"),
    (lambda p: [c.update(reserved="sales") for c in p["companies"]] + [p["display"].update(sales=1)], "display: sales: 3"),
    (_add("companies", 0, "reserve"), "companies[0].employees: 16 employees (6 in reserve + 10 on the company board)"),
    (_add("companies", 1, "missions", "west"), "companies[1].employees: 16 employees (5 in reserve + 1 on missions"),
    (_add("companies", 0, "disks"), "companies[0].disks: 31 disks"),
    (_add("companies", 0, "donations_made"), "companies[0].donations_made: 1, but player_0 has 0 disks on donations"),
    (_add("companies", 0, "tabs", "housing", "uncovered"), "companies[0].disks: 31 disks"),
    (_add("companies", 0, "tabs", "public", "uncovered"), "companies[0].disks: 31 disks"),
    (_set("companies", 0, "tabs", "public", "uncovered", to=8), "companies[0].tabs.public.uncovered: "),
    (_set("companies", 0, "tabs", "commerce", "built", to=2), "tabs.commerce.built: 2 projects built, but 1 project"),
    (_set("companies", 0, "tabs", "commerce", "built", to=1), "companies[0].tabs: 2 projects built, but player_0 has 1"),
    (_set("companies", 0, "tabs", "industry", "side", to=None), "companies[0].tabs.industry.side: null, but in phase"),
    (_set("companies", 0, "action_choice", to=True), "companies[0].action_choice: true, but with 2 players nobody"),
    (
        _all(_set("companies", 0, "departments", "r1c1", to="sales")),
        "departments.r1c1: sales stands there, but strategic_planning is printed on it",
    ),
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
    (_set("turn", "arrivals", to=0) and _set("turn", "arrivals", to=1), "companies[0].employees: 16 employees"),
    (_set("turn", "action", to="research"), "turn.action: is in use"),
    (_set("turn", "started", to=True), "turn.started: is in use"),
    (_set("turn", "uses", to=1), "turn.uses: is in use, but in phase timeline of round 1 without a department in use"),
    (_set("turn", "tile", to="sales"), "turn.tile: is in use"),
    (_set("turn", "site", to="r0c0"), "turn.site: is in use"),
    (_set("turn", "lifted", to={"space": "r3c1", "state": "inactive"}), "turn.lifted: is in use"),
    (_set("turn", "income_choice", to={"project": "housing", "section": 1}), "turn.income_choice: is in use"),
    (_set("turn", "department", to="r1c1"), "turn.department: is in use"),
    (_set("turn", "finished", to=["r1c1"]), "turn.finished: is in use"),
    (_set("turn", "active_at_start", to={"r1c1": 1}), "turn.active_at_start: is in use"),
]  # fmt: skip


def _one_more(position: dict[str, Any]) -> None:
    """One more tile on display, of which there is one copy or none."""
    tile = next(tile for tile in t.DEPARTMENTS[1:] if position["display"].get(tile, 0) == 0)
    position["display"][tile] = 1


@pytest.mark.parametrize(("change", "message"), INCONSISTENT, ids=[message[:40] for _, message in INCONSISTENT])
def test_inconsistent(change: Callable[[dict[str, Any]], None], message: str) -> None:
    _refused(_start(), change, message)
