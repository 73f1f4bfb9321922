"""The loader of component tables, with small tables of an imaginary game."""

import importlib
import re
import shutil
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import pytest

from carnegie_env.core import facts
from carnegie_env.core.facts import Edition, Id, Mark, Number, Positive, Table, Value
from tests.paths import ROOT


class Port(Table, frozen=True, kw_only=True):
    """A table whose default mark is not "printed"."""

    mark: Mark | None = "reconstructed"
    id: Id
    depth: Positive
    goods: Literal["tea", "tin"] = "tea"
    xy: tuple[float, float] = (0.5, 0.5)


class Lane(Table, frozen=True):
    ends: tuple[str, str]
    tolls: list[Number] = []


class Sea(Table, frozen=True, rename={"from_": "from"}):
    """A table with a key, `from`, that is a keyword in Python."""

    name: str
    from_: str = "here"
    lane: list[Lane] = []


class Map(Table, frozen=True):
    port: list[Port]
    sea: Sea


class Rules(Table, frozen=True):
    rounds: Positive
    prizes: list[Number]
    effect: dict[str, Number] = {}


class Islands(Edition, frozen=True, kw_only=True):
    labels = ("id", "name")
    others = ("chess.toml",)

    map: Map
    rules: Rules


MAP = """
[[port]]
id = "avalon"
depth = 4
mark = "printed"
[[port]]
id = "brest"
depth = 7
goods = "tin"
marks = { depth = "forced" }

[sea]
name = "north"
[[sea.lane]]
ends = ["avalon", "brest"]
tolls = [1, 2, 3]
marks = { tolls = ["printed", "forced", "reconstructed"] }
"""
RULES = """
rounds = 5
prizes = [10, 30]
effect = { tea = 2, tin = 3 }
"""


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "shipped", map=MAP, rules=RULES)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "own")


def folder_of(folder: Path, **texts: str) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


# ---------------------------------------------------------------- loading
def test_the_shipped_files(shipped: Path) -> None:
    islands = facts.load(Islands, shipped)
    assert [port.id for port in islands.map.port] == ["avalon", "brest"]
    assert islands.map.port[0] == Port(id="avalon", depth=4, mark="printed")
    assert islands.map.sea.lane[0].tolls == [1, 2, 3]
    assert islands.rules.effect == {"tea": 2, "tin": 3}
    assert islands.sources == {"map": str(shipped / "map.toml"), "rules": str(shipped / "rules.toml")}
    assert facts.files(Islands) == {"map": Map, "rules": Rules}
    assert facts.keys(Port) == ("id", "depth", "goods", "xy") and facts.keys(Sea) == ("name", "from_", "lane")


def test_editions_are_frozen(shipped: Path) -> None:
    islands = facts.load(Islands, shipped)
    for table, key in ((islands, "map"), (islands.rules, "rounds"), (islands.map.port[0], "marks")):
        with pytest.raises(AttributeError):
            setattr(table, key, None)


def test_a_users_files_replace_those_of_the_same_name(shipped: Path, own: Path) -> None:
    (own / "rules.toml").write_text(RULES.replace("rounds = 5", "rounds = 6"))
    (own / "chess.toml").write_text("this is another game's")
    (own / "notes.txt").write_text("and this is no table")
    for given in (own, str(own), own / "rules.toml"):
        islands = facts.load(Islands, shipped, given)
        assert islands.rules.rounds == 6
        assert islands.map == facts.load(Islands, shipped).map
        assert islands.sources == {"map": str(shipped / "map.toml"), "rules": str(own / "rules.toml")}


def test_a_users_files_of_a_game_beside_it_are_left_to_that_game(tmp_path: Path, shipped: Path, own: Path) -> None:
    """Games of one package read the same environment variable: it may name files of several games."""
    here, beside = tmp_path / "games" / "islands" / "facts", tmp_path / "games" / "draughts" / "facts"
    shutil.copytree(shipped, here)
    beside.mkdir(parents=True)
    (beside / "draughts.toml").write_text("")
    (beside / "rules.toml").write_text("")  # if both have a name, it means this game's file
    (own / "draughts.toml").write_text("this is another game's")
    for given in (own, own / "draughts.toml"):
        assert facts.load(Islands, here, given) == facts.load(Islands, here)
    (own / "rules.toml").write_text(RULES.replace("rounds = 5", "rounds = 6"))
    assert facts.load(Islands, here, own).rules.rounds == 6
    (own / "drafts.toml").write_text("")
    with pytest.raises(ValueError, match=r"drafts\.toml: not a file of facts"):
        facts.load(Islands, here, own)


NAMES = "the names are map.toml, rules.toml"


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("mapp.toml", "", f"mapp.toml: not a file of facts; {NAMES}"),
        ("chess.toml", "", f"own: contains no file of facts; {NAMES}"),
        ("rules.txt", "", "own: contains no file of facts"),
        ("rules.txt", "rules.txt", "rules.txt: not a file of facts"),
        ("chess.toml", "chess.toml", "chess.toml: contains no file of facts"),
        ("rules.toml", "nowhere", "nowhere: no such folder or file of facts"),
    ],
)
def test_files_with_other_names(shipped: Path, own: Path, name: str, given: str, said: str) -> None:
    (own / name).write_text("")
    with pytest.raises(ValueError, match=re.escape(said)):
        facts.load(Islands, shipped, own / given)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("depth = 4", "depth = 0", "port avalon depth = 0: Expected `int` >= 1"),
        ("depth = 7", "depth = 'deep'", "port brest depth = 'deep': Expected `int`, got `str`"),
        ("depth = 7", "depth = 1001", "port brest depth = 1001: Expected `int` <= 1000"),
        ('goods = "tin"', 'goods = "rum"', "port brest goods = 'rum': Invalid enum value 'rum'"),
        ('goods = "tin"', 'cargo = "tin"', "port brest: Object contains unknown field `cargo`"),
        ("depth = 4\n", "", "port avalon: Object missing required field `depth`"),
        ('id = "brest"', 'id = "Brest!"', "port Brest! id = 'Brest!': Expected `str` matching regex"),
        ('name = "north"', 'name = "north"\nfrom = 3', "sea north from = 3: Expected `str`, got `int`"),
        ('name = "north"', 'name = "north"\nfrom_ = "x"', "sea north: Object contains unknown field `from_`"),
        ("tolls = [1, 2, 3]", "tolls = [1, -2, 3]", "sea north lane [0] tolls [1] = -2: Expected `int` >= 0"),
        ('name = "north"', "name = 3", "sea 3 name = 3: Expected `str`"),
        ('["avalon", "brest"]', '["avalon"]', "sea north lane [0] ends: Expected `array` of length 2"),
        ("[sea]", "[sea", "not valid TOML: "),
        ("depth = 7", f"depth = {'7' * 5000}", "not valid TOML: "),
        ("depth = 7", f"depth = {'[' * 5000}{']' * 5000}", "not valid TOML: lists are nested too deeply"),
        ('mark = "printed"', 'mark = "guessed"', "port avalon mark = 'guessed': Invalid enum value 'guessed'"),
        ('depth = "forced"', 'depth = "guessed"', "port brest marks"),
        ('depth = "forced"', 'dpth = "forced"', "port brest marks: 'dpth' is wrong; it must be a key of that table"),
        ('depth = "forced"', 'mark = "forced"', "port brest marks: 'mark' is wrong; it must be a key of that table"),
        ('["printed", "forced", "reconstructed"]', '["printed"]',
         "sea north lane marks.tolls: ['printed'] is wrong; it must be one mark for each entry of the list"),
        ('depth = "forced"', 'depth = ["forced"]',
         "port brest marks.depth: ['forced'] is wrong; it must be one mark for each entry of the list"),
    ],
)  # fmt: skip
def test_errors_name_file_table_and_value(shipped: Path, own: Path, old: str, new: str, said: str) -> None:
    assert MAP.count(old) == 1, "the test is out of date"
    file = own / "map.toml"
    file.write_text(MAP.replace(old, new))
    with pytest.raises(ValueError) as refusal:
        facts.load(Islands, shipped, file)
    assert str(refusal.value).startswith(f"{file}: {said}")


def test_unreadable_files(shipped: Path, own: Path) -> None:
    for make, said in (
        (lambda file: file.write_bytes(b"\xff\xfe"), "not valid TOML: .*utf-8"),
        (lambda file: file.unlink() or file.mkdir(), "cannot be read: Is a directory"),
    ):
        make(own / "rules.toml")
        with pytest.raises(ValueError, match=rf"rules\.toml: {said}"):
            facts.load(Islands, shipped, own)


def test_a_long_message_is_cut_in_the_middle(shipped: Path, own: Path) -> None:
    (own / "rules.toml").write_text(f"rounds = '{'x' * 5000}'\nprizes = []")
    with pytest.raises(ValueError) as refusal:
        facts.load(Islands, shipped, own)
    message = str(refusal.value).removeprefix(f"{own / 'rules.toml'}: ")
    assert message.startswith("rounds = 'xxx") and message.endswith("Expected `int`, got `str`")
    assert facts.LONGEST_MESSAGE <= len(message) <= facts.LONGEST_MESSAGE + 10


# ---------------------------------------------------------------- marks
def test_values_that_are_not_printed(shipped: Path) -> None:
    assert facts.unprinted(facts.load(Islands, shipped)) == [
        Value("map.toml", "port brest", "depth", 7, "forced"),
        Value("map.toml", "port brest", "", {"id": "brest", "goods": "tin"}, "reconstructed"),
        Value("map.toml", "sea north lane", "tolls[1]", 2, "forced"),
        Value("map.toml", "sea north lane", "tolls[2]", 3, "reconstructed"),
    ]


def test_the_mark_of_a_file_applies_to_its_tables(shipped: Path, own: Path) -> None:
    """Except to tables with their own mark, or whose key has a mark."""
    (own / "map.toml").write_text('mark = "forced"\n' + MAP)
    (own / "rules.toml").write_text(RULES + 'mark = "reconstructed"\nmarks = { rounds = "printed" }')
    rows = facts.unprinted(facts.load(Islands, shipped, own))
    assert [row for row in rows if row.table.startswith("port")] == [
        Value("map.toml", "port brest", "depth", 7, "forced"),
        Value("map.toml", "port brest", "", {"id": "brest", "goods": "tin"}, "reconstructed"),
    ]
    assert Value("map.toml", "sea north", "", {"name": "north"}, "forced") in rows
    assert Value("map.toml", "sea north lane", "", {"ends": ["avalon", "brest"]}, "forced") in rows
    effect = {"tea": 2, "tin": 3}
    assert rows[-1] == Value("rules.toml", "", "", {"prizes": [10, 30], "effect": effect}, "reconstructed")

    (own / "map.toml").write_text('marks = { sea = "forced" }\n' + MAP)
    rows = facts.unprinted(facts.load(Islands, shipped, own / "map.toml"))
    lane = {"ends": ["avalon", "brest"], "tolls": [1, 2, 3]}
    assert rows[0] == Value("map.toml", "", "sea", {"name": "north", "lane": [lane]}, "forced")
    assert not any(row.key == "" and row.table.startswith("sea") for row in rows)


def test_a_key_with_another_name_in_python(shipped: Path, own: Path) -> None:
    (own / "map.toml").write_text(MAP.replace('"north"', '"north"\nfrom = "there"\nmarks = { from = "forced" }'))
    islands = facts.load(Islands, shipped, own)
    assert islands.map.sea.from_ == "there"
    assert Value("map.toml", "sea north", "from", "there", "forced") in facts.unprinted(islands)
    (own / "map.toml").write_text(MAP.replace('"north"', '"north"\nfrom = "there"\nmark = "forced"'))
    rows = facts.unprinted(facts.load(Islands, shipped, own))
    assert Value("map.toml", "sea north", "", {"name": "north", "from": "there"}, "forced") in rows


def test_tables_with_printed_values_only(shipped: Path, own: Path) -> None:
    text = re.sub(r"marks? = .*", "", MAP)
    (own / "map.toml").write_text(text.replace("depth", 'mark = "printed"\ndepth'))
    assert facts.unprinted(facts.load(Islands, shipped, own)) == []


# ---------------------------------------------------------------- checks of values against each other
def refused(call: Any, *arguments: Any) -> str:
    with pytest.raises(ValueError) as refusal:
        call(*arguments)
    return str(refusal.value)


def test_need_unique_and_each() -> None:
    facts.need(True, "rules.toml", "rounds", 5, "4 or 5")
    assert refused(facts.need, False, "rules.toml", "rounds", 6, "4 or 5") == (
        "rules.toml: rounds: 6 is wrong; it must be 4 or 5"
    )
    facts.need_unique("map.toml", "port", ["a", "b"])
    assert "port: 'a' is wrong; it must be unique" in refused(facts.need_unique, "x", "port", ["a", "b", "a"])
    facts.need_each("map.toml", "port", ["b", "a"], ("a", "b"))
    for wrong in (["a"], ["a", "a"], ["a", "b", "b"], ["a", "c"]):
        assert "must be each of a, b once" in refused(facts.need_each, "map.toml", "port", wrong, ("a", "b"))


def test_values_that_the_rules_cannot_vary() -> None:
    known = [Port(id="avalon", depth=4), Port(id="brest", depth=7)]
    facts.need_same("map.toml", "port", [msgspec.structs.replace(port, depth=9) for port in known], known, ["id"])
    other = [known[0], msgspec.structs.replace(known[1], goods="tin")]
    facts.need_same("map.toml", "port", other, known, ["id", "depth"])
    said = refused(facts.need_same, "map.toml", "port", other, known, ["id", "goods"])
    assert said == "map.toml: port brest goods: 'tin' is wrong; it must be 'tea', the rules can't vary it"
    assert "port: 1 is wrong; it must be 2 of them" in refused(
        facts.need_same, "map.toml", "port", known[:1], known, ["id"]
    )


def test_dictionaries_whose_keys_the_rules_cannot_vary() -> None:
    known = [Rules(rounds=5, prizes=[], effect={"tea": 2}), Rules(rounds=5, prizes=[])]
    facts.need_same("rules.toml", "rules", [msgspec.structs.replace(known[0], effect={"tea": 9}), known[1]], known,
                    ["effect"])  # fmt: skip
    for place, effect, said in (
        (0, {"tin": 2}, "rules 1 effect: ['tin'] is wrong; it must be given with tea"),
        (0, {}, "rules 1 effect: [] is wrong; it must be given with tea"),
        (1, {"tea": 2}, "rules 2 effect: ['tea'] is wrong; it must be given with no number"),
    ):
        found = list(known)
        found[place] = msgspec.structs.replace(known[place], effect=effect)
        assert said in refused(facts.need_same, "rules.toml", "rules", found, known, ["effect"])


# ---------------------------------------------------------------- freezing
def test_frozen_arrays() -> None:
    for array, values in (
        (facts.frozen([1, True, 3]), [1, 1, 3]),
        (facts.padded([[1], [2, 3], []], 3, -1), [[1, -1, -1], [2, 3, -1], [-1, -1, -1]]),
    ):
        assert array.tolist() == values and array.dtype == np.int64
        assert not array.flags.writeable and array.flags.c_contiguous
    assert facts.mask([0, 3, 3, 61]) == 1 | 8 | 1 << 61 and facts.mask([]) == 0


# ---------------------------------------------------------------- the guide
def test_the_example_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The modules and files of docs/adding-a-game.md work unchanged; each begins with its name in a comment."""
    guide = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"```\w+\n# (harbours/\S+)\n(.*?)```", guide, re.DOTALL):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("CARNEGIE_ENV_FACTS", raising=False)
    t = importlib.import_module("harbours.tables")
    assert t.PORTS == ("avalon", "brest") and (t.START_MONEY, t.ROUNDS) == (12, 5)
    assert (t.DEPTH.tolist(), t.BERTHS.tolist(), t.PORT_GOODS.tolist()) == ([3, 4], [2, 1], [0, 1])
    assert t.NEIGHBOURS.tolist() == [0b10, 0b01]
    assert facts.unprinted(t.FACTS) == [Value("board.toml", "port brest", "depth", 4, "reconstructed")]

    board = tmp_path / "harbours" / "facts" / "board.toml"
    for old, new, said in (
        ("depth = 4", "depth = 9", ""),
        ("depth = 4", "depth = 0", "port brest depth = 0: Expected `int` >= 1"),
        ('goods = "tin"', 'goods = "tea"', "port brest goods: 'tea' is wrong; it must be 'tin', the rules"),
        ('"brest"]]', '"berst"]]', "network lanes: 'berst' is wrong; it must be the id of a port of this file"),
    ):
        own = tmp_path / "board.toml"
        own.write_text(board.read_text().replace(old, new))
        if said:
            assert refused(t.load_facts, own).startswith(f"{own}: {said}")
        else:
            assert t.load_facts(own).board.port[1].depth == 9


# ---------------------------------------------------------------- editions
def islands(folder: Path, given: Any = None) -> Islands:
    return facts.load(Islands, folder, given)


def test_the_name_of_an_edition(tmp_path, monkeypatch):
    """It names the values, and changes with nothing else."""
    shipped, own = tmp_path / "games" / "islands" / "facts", tmp_path / "own"
    for folder in (shipped, shipped / "2031", own, tmp_path / "games" / "other" / "facts" / "2040"):
        folder.mkdir(parents=True)
    (shipped / "map.toml").write_text(MAP)
    (shipped / "rules.toml").write_text(RULES)
    (shipped / "2031" / "rules.toml").write_text(RULES.replace("rounds = 5", "rounds = 6"))
    assert islands(shipped).name == islands(shipped, facts.FIRST_EDITION).name == facts.FIRST_EDITION
    later = islands(shipped, "2031")
    assert (later.name, later.rules.rounds, later.map) == ("2031", 6, islands(shipped).map)
    other = islands(shipped, "2040")  # an edition of another game: this one has its first
    assert (other.name, other.rules.rounds) == (facts.FIRST_EDITION, 5)
    with pytest.raises(ValueError, match="2050: no such folder or file of facts"):
        islands(shipped, "2050")

    (own / "rules.toml").write_text(RULES + "# a comment\nmarks = { rounds = 'forced' }\n")
    assert islands(shipped, own).name == facts.FIRST_EDITION
    (own / "rules.toml").write_text(RULES.replace("[10, 30]", "[10, 31]"))
    name = islands(shipped, own).name
    assert re.fullmatch("own-[0-9a-f]{8}", name)
    (own / "rules.toml").write_text(RULES.replace("[10, 30]", "[10, 31]") + "mark = 'forced'\n")
    assert islands(shipped, own).name == name
    (own / "rules.toml").write_text(RULES.replace("[10, 30]", "[10, 32]"))
    assert islands(shipped, own).name not in (name, facts.FIRST_EDITION)
    monkeypatch.chdir(tmp_path)
    own.rename("2031")  # a folder of that name comes before an edition
    assert islands(shipped, "2031").name.startswith("own-")
