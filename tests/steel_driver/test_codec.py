"""Positions as dictionaries: what is refused with which message.

The lock-step test compares the dictionaries with the referee's, tests/core/test_fields.py covers the general reader.
"""

import copy
import re

import pytest

from carnegie_env.steel_driver import state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import Position
from tests.spoiling import put
from tests.steel_driver.pieces import earnings_of
from tests.steel_driver.walks import at, first, walk


def of(phase):
    games = walk(4, "opener", 1)
    return at(games, first(games, phase)).to_dict()


def refused(written, *path_and_value):
    """The message for a position with one value changed."""
    *path, value = path_and_value
    written = copy.deepcopy(written)
    put(written, path, value)
    with pytest.raises(ValueError) as caught:
        Position.from_dict(written)
    return str(caught.value)


@pytest.mark.parametrize(
    ("phase", "change", "path"),
    [
        (state.OPEN, ("round", 6), "round"),
        (state.OPEN, ("to_play", 4), "to_play"),
        (state.OPEN, ("options", "num_players", 7), "options"),
        (state.OPEN, ("options", "num_players", 5), "players"),
        (state.OPEN, ("order", 0, "brown"), "order"),
        (state.OPEN, ("passed", ["red", "red"]), "passed"),
        (state.OPEN, ("supply", 3), "supply"),
        (state.OPEN, ("players", 0, "cubes", 9), "supply"),
        (state.OPEN, ("players", 0, "cash", -10), r"players\[0\].cash"),
        (state.OPEN, ("companies", "red", "controller", 4), "companies.red.controller"),
        (state.OPEN, ("companies", "green", "start", "boston"), "companies.green.start"),
        (state.OPEN, ("companies", "green", "profit", 10), "companies.green.profit"),
        (state.OPEN, ("companies", "blue", "controller", 1), "companies.blue"),
        (state.OPEN, ("companies", "red", "links", ["boston abany"]), r"companies.red.links\[0\]"),
        (state.OPEN, ("companies", "red", "links", ["albany boston"]), "companies.red.links"),
        (state.OPEN, ("companies", "red", "links", ["boston albany"] * 18), "companies.red.links"),
        (state.OPEN, ("goods", {"boston": "white"}), "goods"),
        (state.GOODS, ("goods", "boston", "black"), "goods.boston"),
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
def test_a_wrong_value_is_refused_with_its_path(phase, change, path):
    said = refused(of(phase), *change)
    assert re.match(path, said), said


def test_cubes_that_were_not_handed_out():
    """Two more than were handed out by this round."""
    written = of(state.OPEN)
    written["players"][0]["cubes"] += 2
    written["supply"] -= 2
    with pytest.raises(ValueError, match="^players.* than were handed out"):
        Position.from_dict(written)


def test_the_builder_takes_part():
    games = next(games for games in (walk(4, "opener", seed) for seed in range(9)) if games[-1]["transcontinental"])
    written = at(games, len(games) - 1).to_dict()
    other = next(name for name in t.COMPANIES if name not in written["transcontinental"]["companies"])
    assert "must be one of transcontinental.companies" in refused(written, "transcontinental", "builder", other)


LONG_RED = """albany new_york, albany buffalo, buffalo cleveland, boston new_york, new_york philadelphia,
    philadelphia baltimore, pittsburgh cleveland, cleveland detroit, baltimore richmond, cleveland cincinnati,
    cincinnati louisville, cincinnati indianapolis, nashville louisville, indianapolis louisville, memphis nashville,
    memphis little_rock, richmond atlanta"""


@pytest.mark.parametrize("number", [t.LINKS - 1, t.LINKS])
def test_a_company_with_all_its_links_is_not_active(number):
    """Ruling 49: with 17 links it must have passed, even with routes and cubes left."""
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
        with pytest.raises(ValueError, match="^to_play.* two legal actions"):
            Position.from_dict(written)
