"""The component tables: arrays, marks, the drawn map, refused files, and a game on another map."""

import re

import pytest

from carnegie_env.core.facts import unprinted
from carnegie_env.steel_driver import picture
from carnegie_env.steel_driver import tables as t
from tests.commands import python

FILE = t.SHIPPED / "steel_driver.toml"
TEXT = FILE.read_text(encoding="utf-8")


def test_names_on_the_map_do_not_overlap():
    """Neither each other, nor a city, nor the cost of a route."""
    drawn = picture.svg()
    texts = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" font-size="12"[^>]*paint-order[^>]*>(.*?)</text>', drawn)
    circles = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', drawn)
    names = [(float(x), float(y) - 4, len(name) * 3.3, 6) for x, y, name in texts]
    others = [(float(x), float(y), 0.8 * float(r), 0.8 * float(r)) for x, y, r in circles]  # they have no corners
    assert [name for _, _, name in texts] == [name.replace("_", " ").title() for name in t.CITIES]
    assert len(others) == t.NUM_ROUTES + t.NUM_CITIES - bin(t.START_CITIES).count("1")
    for k, (x, y, w, h) in enumerate(names):
        for x2, y2, w2, h2 in [*names[k + 1 :], *others]:
            assert abs(x - x2) >= w + w2 - 0.01 or abs(y - y2) >= h + h2 - 0.01, texts[k]


def test_values_that_are_not_printed_are_marked():
    found = unprinted(t.FACTS)
    forced = [(value.table, value.key, value.value) for value in found if value.mark == "forced"]
    assert forced == [("city baltimore", "start", True), ("city pittsburgh", "value", 40)]
    others = [value.table for value in found if value.mark == "reconstructed"]
    assert others == [*(f"city {name}" for name in t.CITIES), "network"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"red", "yellow"', '"yellow", "red"', "game companies: .* the rules can't vary it"),
        ('"grey", "brown"]', '"grey"]', "game companies: .* the rules can't vary it"),
        ("rounds = 5", "rounds = 10", "game rounds: 10 is wrong; it must be 1 to 9"),
        ("rounds = 5", "rounds = 4", "game shares_per_company: 5 is wrong; it must be 4, one for each round"),
        ("links_per_company = 17", "links_per_company = 21", "links_per_company: 21 is wrong; it must be 1 to 20"),
        ("investment_cubes = 60", "investment_cubes = 63", "investment_cubes: 63 is wrong; it must be 1 to 62"),
        ("three = 10", "three = 21", "cubes_per_player three: 21 is wrong; it must be at most 20"),
        ("six = 6", "six = 11", "cubes_per_player six: 11 is wrong; it must be at most 10"),
        ("white = 12", "white = 13", "goods_cubes white: 13 is wrong; it must be 12, one for each white city"),
        ("[10, 30, 60, 100, 150]", "[10, 30, 60, 80, 150]", "set_values: .* each further cube of a set adds as much"),
        ("[10, 30, 60, 100, 150]", "[10, 30, 60, 100]", "set_values"),
        ('from = "new_york"', 'from = "newyork"', "transcontinental from: 'newyork' is wrong; it must be the id of a"),
        ('to = "san_francisco"', 'to = "new_york"', "transcontinental to: 'new_york' is wrong; .* another city"),
        ('id = "albany"', 'id = "boston"', "city: 'boston' is wrong; it must be unique"),
        ('["boston", "albany", 2]', '["boston", "alban", 2]', "network routes: 'alban' is wrong; it must be the id of"),
        ('["boston", "albany", 2]', '["boston", "boston", 2]', "between two different cities"),
        ('["boston", "albany", 2]', '["boston", "albany", 61]', "at most 60 cubes"),
        ('["boston", "albany", 2]', '["boston", "albany", 0]', "network routes"),
        ('["boston", "albany", 2]', '["new_york", "boston", 2]', "unique"),
        ("start = true", "start = false", "city start: False is wrong; it must be true of one city or more"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, old, new, said):
    assert old in TEXT
    own = tmp_path / "steel_driver.toml"
    own.write_text(TEXT.replace(old, new))
    for given in (own, tmp_path):
        with pytest.raises(ValueError, match=said) as caught:
            t.load_facts(given)
        assert str(own) in str(caught.value)


# ---------------------------------------------------------------- another map
SMALL = """
[game]
companies = ["red", "yellow", "green", "blue", "grey", "brown"]
rounds = 3
shares_per_company = 3
links_per_company = 4
investment_cubes = 30
cubes_per_player = { three = 5, four = 4, five = 3, six = 3 }
goods_cubes = { white = 2, black = 1, green = 1, orange = 0, pink = 1 }
set_values = [5, 15, 40, 70, 100]
transcontinental = { from = "a", to = "e", builder = 7, others = 3 }
[network]
routes = [["a", "b", 1], ["b", "c", 2], ["c", "d", 1], ["d", "e", 2], ["a", "c", 3], ["c", "e", 4]]
"""
CITIES = (("a", True, 13, "white"), ("b", False, 4, "white"), ("c", False, 25, "black"), ("d", False, 6, "green"),
          ("e", True, 31, "pink"))  # fmt: skip
PROGRAM = """
import numpy as np
from carnegie_env.core import kernels
from carnegie_env.steel_driver import picture
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import Batch, Position
assert (t.NUM_CITIES, t.NUM_ROUTES, t.ROUTE_WORDS, t.ROUNDS, t.CUBES) == (5, 6, 1, 3, 30)
linked = 0
for seed in range(10):
    position, generator = Position.new({"num_players": 3 + seed % 4}, seed), np.random.default_rng(seed)
    while not position.is_over:
        assert Position.from_dict(position.to_dict()) == position
        seen = position.observe()
        assert (seen >= 0).all() and (seen <= position.observation_layout.high).all()
        legal = position.legal_actions()
        position.apply(legal[generator.integers(len(legal))])
    linked += int(position.record.transcontinental > 0)
    assert position.record.round_number == 3 and "player_0" in position.to_svg()
assert linked > 0
position = Position.new({"num_players": 3})
for action in ("open red 5", "open blue 5", "open grey 5"):
    position.apply(action)
for action in ("build a c", "build e c", "build a b"):  # the only companies; three and four of their five cubes
    position.apply(action)
companies = position.to_dict()["companies"]
print(companies["red"]["profit"], companies["blue"]["profit"], companies["grey"]["profit"])
"""


def test_games_on_another_map(tmp_path):
    """Games follow the rules with other cities, routes and numbers of rounds, cubes and links."""
    cities = "".join(
        f'[[city]]\nid = "{name}"\nstart = {str(start).lower()}\nvalue = {value}\ngoods = "{goods}"\nxy = [0.5, 0.5]\n'
        for name, start, value, goods in CITIES
    )
    (tmp_path / "steel_driver.toml").write_text(SMALL + cities)
    printed = python("-c", PROGRAM, CARNEGIE_ENV_FACTS=str(tmp_path), NUMBA_DISABLE_JIT="1")
    # red: a-c 25, and 3 for its part in the transcontinental link; blue: e-c 25, and 7 for completing it; grey: a-b 4
    assert printed.split() == ["28", "32", "4"]
