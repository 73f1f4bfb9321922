"""The sweep finds what no rule reads, in a game of two small files; and leaves the process as it was."""

from __future__ import annotations

import importlib
import os
import sys
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.every_value.sweep import VARIABLE, Ask, Game, Probe, changes, ignored, replaced, values

TABLES = '''
from __future__ import annotations
import os
from pathlib import Path
from carnegie_env.core import facts
from carnegie_env.core.facts import Edition, Number, Table, frozen, need

class Port(Table, frozen=True):
    id: str
    depth: Number
    goods: str
    berths: Number = 1

class Harbours(Table, frozen=True):
    port: list[Port]

class Start(Table, frozen=True):
    money: Number
    rounds: Number
    storms: bool

class Facts(Edition, frozen=True, kw_only=True):
    harbours: Harbours
    start: Start

def load_facts(path=None):
    found = facts.load(Facts, Path(__file__).parent, path)
    need(found.start.rounds == 5, found.sources["start"], "rounds", found.start.rounds, "5")
    for port in found.harbours.port:
        need(port.goods in GOODS, found.sources["harbours"], "goods", port.goods, "tea or tin")
    return found

GOODS = ("tea", "tin")
FACTS = load_facts(os.environ.get("CARNEGIE_ENV_FACTS") or None)
MONEY = FACTS.start.money
STORMS = FACTS.start.storms
DEPTH = frozen([port.depth for port in FACTS.harbours.port])
PORT_GOODS = frozen([GOODS.index(port.goods) for port in FACTS.harbours.port])
BERTHS = frozen([port.berths for port in FACTS.harbours.port])
'''
RULES = '''
from {package} import tables as t

def price(port):
    return t.MONEY * t.DEPTH[port] + t.PORT_GOODS[port] + {more}
'''
HARBOURS = '''
[[port]]
id = "avalon"
depth = 3
goods = "tea"
[[port]]
id = "brest"
depth = 4
goods = "tin"
berths = 2
'''
START = """
money = 5
rounds = 5
storms = false
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A game whose price is money * depth + goods + what the test says."""
    name = f"islands_{abs(hash(request.node.name))}"  # every game is another module
    folder = tmp_path / name
    folder.mkdir()
    rules = RULES.format(package=name, more=request.param)
    for file, text in (("__init__.py", ""), ("tables.py", TABLES), ("rules.py", rules),
                       ("harbours.toml", HARBOURS), ("start.toml", START)):  # fmt: skip
        (folder / file).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    return name


def price(port: int) -> Ask:
    return lambda rules: str(int(rules.rules.price(port))).encode()


def probes(rules: types.SimpleNamespace) -> Iterator[Probe]:
    yield price(0), False
    yield price(1), False


def game(package: str) -> Game:
    return Game(package, ("rules",), frozenset({"id"}), (("tea", "tin"),), probes)


@pytest.mark.parametrize(
    ("package", "unread"),
    [
        ("t.BERTHS[port] + t.STORMS", []),
        ("t.BERTHS[1] + t.STORMS", ["harbours.toml port.0.berths = 1"]),
        ("t.STORMS", ["harbours.toml port.0.berths = 1", "harbours.toml port.1.berths = 2"]),
        ("t.BERTHS[port]", ["start.toml storms = False"]),
        ("t.BERTHS[port] + 0 * t.STORMS", ["start.toml storms = False"]),  # read, but without a difference
    ],
    indirect=["package"],
)
def test_values_that_no_rule_reads_are_found(package: str, unread: list[str]) -> None:
    assert ignored(game(package)) == (9, unread)


@pytest.mark.parametrize("package", ["t.STORMS"], indirect=True)
def test_a_part_of_the_values(package: str) -> None:
    found = [ignored(game(package), every=4, first=first) for first in range(4)]
    assert [looked_at for looked_at, _ in found] == [3, 2, 2, 2]
    assert sorted(line for _, lines in found for line in lines) == [
        "harbours.toml port.0.berths = 1", "harbours.toml port.1.berths = 2",
    ]  # fmt: skip


@pytest.mark.parametrize("package", ["t.STORMS"], indirect=True)
def test_nothing_is_left_behind(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    tables = importlib.import_module(f"{package}.tables")
    loads = tomllib.loads
    ignored(game(package), every=3)
    assert sys.modules[f"{package}.tables"] is tables is sys.modules[package].tables
    assert f"{package}.rules" not in sys.modules
    assert type(tables.DEPTH).__name__ == "ndarray" and tables.DEPTH.tolist() == [3, 4]
    assert tomllib.loads is loads and os.environ[VARIABLE] == ""


def test_values_and_their_changes() -> None:
    data = {"id": "x", "mark": "printed", "marks": {"a": "forced"}, "a": [1, {"b": True}], "c": None, "d": "tea"}
    assert list(values(data, frozenset({"id"}))) == [(("a", 0), 1), (("a", 1, "b"), True), (("d",), "tea")]
    names = (("tea", "tin"), ("tin", "iron"))
    assert [changes(value, names) for value in (1, True, "tea", "tin", "x")] == [
        [2, 0], [False], ["tin"], ["tea", "iron"], [],
    ]  # fmt: skip
    assert replaced(data, ("a", 1, "b"), 7) == {**{k: data[k] for k in data if k != "c"}, "a": [1, {"b": 7}]}
    assert data["a"] == [1, {"b": True}]
