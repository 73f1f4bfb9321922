"""Positions as dictionaries: what stands where, and what is refused with which words."""

from __future__ import annotations

import copy
import re

import pytest

from carnegie_env.steel_driver import state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import Position
from tests.steel_driver.pieces import earnings_of
from tests.steel_driver.walks import STYLES, at, first, walk


def played(*actions, **options):
    position = Position.new(options)
    for action in actions:
        position.apply(action)
    return position


def test_a_new_game():
    position = Position.new({"num_players": 5}, seed=3).to_dict()
    nothing = {
        "controller": None, "last_controller": None, "sold": False, "cubes": 0, "profit": 0, "start": None, "links": [],
        "goods": dict.fromkeys(t.GOODS, 0),
    }  # fmt: skip
    assert position == {
        "game": "steel_driver", "version": 1, "options": {"num_players": 5, "show_forced": False},
        "rng": position["rng"], "decisions": 0, "round": 1, "phase": "open", "to_play": 0, "marker": 0,
        "marker_passes": 0, "auction": None, "order": list(t.COMPANIES), "passed": [], "active": None, "supply": 25,
        "players": [{"cash": 0, "cubes": 7, "shares": dict.fromkeys(t.COMPANIES, 0)}] * 5,
        "companies": dict.fromkeys(t.COMPANIES, nothing), "goods": {}, "transcontinental": None,
    }  # fmt: skip


def test_an_auction():
    position = played("pass", "open green 3", "bid 4", "pass", num_players=4)
    written = position.to_dict()
    assert written["auction"] == {"company": "green", "bid": 4, "bidder": 2, "passed": [3]}
    assert (written["phase"], written["to_play"], written["marker"]) == ("bid", 0, 1)
    assert position.legal_actions() == ["pass", *(f"bid {n}" for n in range(5, 9))]
    position.apply("pass")
    position.apply("pass")
    written = position.to_dict()
    assert written["auction"] is None and written["marker"] == written["to_play"] == 2
    assert written["companies"]["green"] | {"goods": 0} == {
        "controller": 2, "last_controller": 2, "sold": True, "cubes": 4, "profit": 0, "start": None, "links": [],
        "goods": 0,
    }  # fmt: skip
    assert written["players"][2]["cubes"] == 4 and written["players"][2]["shares"]["green"] == 1


def test_building():
    """The rulebook's example: red builds from Baltimore to Pittsburgh for three cubes and earns $40."""
    position = played("open red 8", "pass", "pass", "open yellow 8", "pass", "open green 8", num_players=3)
    assert [player["cubes"] for player in position.to_dict()["players"]] == [2, 2, 2]
    for _ in range(3):  # all hand the marker on
        position.apply("pass")
    position.apply("build baltimore pittsburgh")
    written = position.to_dict()
    red = written["companies"]["red"]
    assert (red["start"], red["links"], red["profit"], red["cubes"]) == ("baltimore", ["baltimore pittsburgh"], 40, 5)
    assert written["active"] == "yellow" and written["supply"] == 60 - 30 + 3
    assert "build baltimore pittsburgh" not in position.legal_actions()
    position.apply("build new_york boston")  # the route's cities the other way round
    yellow = position.to_dict()["companies"]["yellow"]
    assert (yellow["start"], yellow["links"], yellow["profit"]) == ("new_york", ["boston new_york"], 30)


@pytest.mark.parametrize("style", STYLES)
def test_every_position_is_read_again(style):
    games = walk(4, style, 2)
    for k in range(0, len(games), 7):
        position = at(games, k)
        assert Position.from_dict(position.to_dict()) == position


# ---------------------------------------------------------------- what is refused
def of(phase, skip=0):
    games = walk(4, "opener", 1)
    return at(games, first(games, phase, skip)).to_dict()


def refused(written, *steps_and_value):
    """The message that comes of a value put somewhere."""
    *steps, last, value = steps_and_value
    written = copy.deepcopy(written)
    part = written
    for step in steps:
        part = part[step]
    part[last] = value(part[last]) if callable(value) else value
    with pytest.raises(ValueError) as caught:
        Position.from_dict(written)
    return str(caught.value)


@pytest.mark.parametrize(
    ("phase", "change", "path"),
    [
        (state.OPEN, ("game", "carnegie"), "game"),
        (state.OPEN, ("version", 2), "version"),
        (state.OPEN, ("round", 6), "round"),
        (state.OPEN, ("round", 0), "round"),
        (state.OPEN, ("rng", -1), "rng"),
        (state.OPEN, ("phase", "opening"), "phase"),
        (state.OPEN, ("to_play", 4), "to_play"),
        (state.OPEN, ("marker", 5), "marker"),
        (state.OPEN, ("options", {"num_players": 4}), "options.show_forced"),
        (state.OPEN, ("options", "num_players", 7), "options"),
        (state.OPEN, ("options", "num_players", 5), "players"),
        (state.OPEN, ("order", lambda order: order[:5]), "order"),
        (state.OPEN, ("order", 0, "brown"), "order"),
        (state.OPEN, ("order", 0, "purple"), r"order\[0\]"),
        (state.OPEN, ("passed", ["red", "red"]), "passed"),
        (state.OPEN, ("supply", 3), "supply"),
        (state.OPEN, ("players", 0, "cubes", 9), "supply"),
        (state.OPEN, ("players", 0, "cash", -10), r"players\[0\].cash"),
        (state.OPEN, ("players", 0, "shares", "red", 6), r"players\[0\].shares.red"),
        (state.OPEN, ("companies", "red", "controller", 4), "companies.red.controller"),
        (state.OPEN, ("companies", "green", "start", "boston"), "companies.green.start"),
        (state.OPEN, ("companies", "green", "profit", 10), "companies.green.profit"),
        (state.OPEN, ("companies", "blue", "controller", 1), "companies.blue"),
        (state.OPEN, ("companies", "red", "start", "atlantis"), "companies.red.start"),
        (state.OPEN, ("companies", "red", "links", ["boston abany"]), r"companies.red.links\[0\]"),
        (state.OPEN, ("companies", "red", "links", ["albany boston"]), "companies.red.links"),
        (state.OPEN, ("companies", "red", "links", ["boston albany"] * 18), "companies.red.links"),
        (state.OPEN, ("goods", {"boston": "white"}), "goods"),
        (state.GOODS, ("goods", "boston", "black"), "goods.boston"),
        (state.GOODS, ("goods", "atlantis", "black"), "goods"),
        (state.BID, ("auction", None), "phase"),
        (state.BID, ("auction", "bid", 9), "auction"),
        (state.BID, ("auction", "passed", [2, 1]), "auction.passed"),
        (state.BID, ("auction", "passed", [5]), r"auction.passed\[0\]"),
        (state.BUILD, ("active", None), "phase"),
        (state.BUILD, ("passed", ["red"]), "passed"),
        (state.GOODS, ("transcontinental", {"builder": "red", "companies": []}), "transcontinental"),
        (state.GOODS, ("transcontinental", {"builder": "red", "companies": ["yellow", "red"]}), "transcontinental"),
    ],
)  # fmt: skip
def test_what_is_refused(phase, change, path):
    """A message begins with the path of the value."""
    said = refused(of(phase), *change)
    assert re.match(path, said), said


def test_cubes_that_were_not_handed_out():
    """Two more than all have got: the supply is right, the round is not."""
    written = of(state.OPEN)
    written["players"][0]["cubes"] += 2
    written["supply"] -= 2
    with pytest.raises(ValueError, match="players: cubes held and spent on links are not more"):
        Position.from_dict(written)


def test_the_builder_takes_part():
    games = next(games for games in (walk(4, "opener", seed) for seed in range(9)) if games[-1]["transcontinental"])
    written = at(games, len(games) - 1).to_dict()
    other = next(name for name in t.COMPANIES if name not in written["transcontinental"]["companies"])
    message = refused(written, "transcontinental", "builder", other)
    assert message.endswith("it is one of transcontinental.companies")


LONG_RED = """albany new_york, albany buffalo, buffalo cleveland, boston new_york, new_york philadelphia,
    philadelphia baltimore, pittsburgh cleveland, cleveland detroit, baltimore richmond, cleveland cincinnati,
    cincinnati louisville, cincinnati indianapolis, nashville louisville, indianapolis louisville, memphis nashville,
    memphis little_rock, richmond atlanta"""


@pytest.mark.parametrize("number", [t.LINKS - 1, t.LINKS])
def test_a_company_with_all_its_links_is_not_active(number):
    """Ruling 49: 17 links are its limit; with routes and cubes left it has passed all the same."""
    links = [" ".join(link.split()) for link in LONG_RED.split(",")][:number]
    written = Position.new({"num_players": 4}).to_dict()
    written["companies"]["red"] |= {
        "controller": 1, "last_controller": 1, "sold": True, "cubes": 10, "start": "new_york", "links": links,
    }  # fmt: skip
    written["players"][1]["shares"]["red"] = 1
    written |= {
        "round": 3, "phase": "build", "to_play": 1, "active": "red", "supply": 50,
        "order": [*t.COMPANIES[1:], "red"], "passed": list(t.COMPANIES[1:]),
    }  # fmt: skip
    for player in written["players"]:
        player["cubes"] = 0
    written["players"][0]["cash"] = sum(earnings_of(written["companies"]["red"]))
    if number < t.LINKS:
        position = Position.from_dict(written)
        position.apply("build richmond atlanta")
        assert position.to_dict()["round"] == 4  # red was the last to pass
    else:
        with pytest.raises(ValueError, match="to_play: 1; two actions are legal"):
            Position.from_dict(written)


@pytest.mark.parametrize("key", ["marker", "auction", "companies", "transcontinental"])
def test_every_key_must_be_there(key):
    written = of(state.OPEN)
    del written[key]
    with pytest.raises(ValueError, match=f"{key}: is missing"):
        Position.from_dict(written)
    with pytest.raises(ValueError, match="luck: is an unknown key"):
        Position.from_dict(of(state.OPEN) | {"luck": 1})
