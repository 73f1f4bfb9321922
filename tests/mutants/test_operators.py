"""The mutants themselves: every operator makes valid code that differs, a seed always draws the same ones, and the
lists (by_hand.py, explained.py) fit the code as it stands."""

from __future__ import annotations

import ast
import functools
import json
import random
import tomllib
from pathlib import Path

import pytest

from tests.mutants import by_hand, explained, operators, run, tables
from tests.mutants.games import GAMES, PROJECT, Game, Stage
from tests.mutants.operators import Mutant
from tests.mutants.worker import instrumented

FUNCTION = "def f(game, seat, number):\n    {}\n"


def made(source: str, file: str = "rules.py") -> list[Mutant]:
    return list(operators.mutants(file, source, operators.families({file: source})))


def changes(code: str, operator: str) -> set[str]:
    """What an operator makes of a function's body."""
    source = FUNCTION.format(code.replace("\n", "\n    "))
    found = set()
    for mutant in made(source):
        if mutant.operator == operator:
            text = mutant.seeded(source)
            assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(source))
            found.add(f"{mutant.before} -> {mutant.after}")
    return found


@functools.cache
def generated(name: str) -> list[Mutant]:
    return run.generated(GAMES[name])


@functools.cache
def sources(name: str) -> dict[str, str]:
    return operators.read(PROJECT, [*GAMES[name].files(GAMES[name].rules), *GAMES[name].files(GAMES[name].facts)])


# ---------------------------------------------------------------- the operators
CASES = [
    ("constant", "number = 3", {"number = 3 -> number = 4", "number = 3 -> number = 2"}),
    ("constant", "number = 0", {"number = 0 -> number = 1", "number = 0 -> number = -1"}),
    ("constant", "return True", {"return True -> return False"}),
    ("comparison", "return number < 3", {"return number < 3 -> return number >= 3"}),
    ("comparison", "return number in game", {"return number in game -> return number not in game"}),
    ("boundary", "return 1 < number <= 3",
     {"return 1 < number <= 3 -> return 1 <= number <= 3", "return 1 < number <= 3 -> return 1 < number < 3"}),
    ("boundary", "return number == 3", set()),
    ("connector", "return seat and number", {"return seat and number -> return seat or number"}),
    ("operand", "return seat or number",
     {"return seat or number -> return number", "return seat or number -> return seat"}),
    ("operand", "return seat - number", {"return seat - number -> return seat"}),
    ("operand", "return 'a' + number", set()),
    ("negation", "if seat and number:\n    number = 1", {"if seat and number: -> if not (seat and number):"}),
    ("negation", "return not seat", {"return not seat -> return seat"}),
    ("condition", "if seat:\n    number = 1", {"if seat: -> if True:", "if seat: -> if False:"}),
    ("condition", "while seat:\n    number = 1", {"while seat: -> while False:"}),
    ("arithmetic", "return seat * number", {"return seat * number -> return seat + number"}),
    ("arithmetic", "return ~seat", {"return ~seat -> return seat"}),
    ("assignment", "number += 2", {"number += 2 -> number -= 2", "number += 2 -> number = 2"}),
    ("assignment", "number |= seat", {"number |= seat -> number &= seat", "number |= seat -> number = seat"}),
    ("statement", "game.money[seat] = 2", {"game.money[seat] = 2 -> pass"}),
    ("statement", "number = 2", {"number = 2 -> pass"}),
    ("statement", "other = 2", set()),  # nothing works without
    ("statement", "pay(game)", {"pay(game) -> pass"}),
    ("jump", "for k in game:\n    break", {"break -> continue", "break -> pass"}),
    ("jump", "if seat:\n    return", {"return -> pass"}),
    ("returned", "return number", {"return number -> return 0", "return number -> return number + 1"}),
    ("returned", "return seat and number", {"return seat and number -> return not (seat and number)"}),
    ("bounds", "for k in range(number):\n    pass", {"for k in range(number): -> for k in range(number - 1):"}),
    ("bounds", "for k in range(seat, 4):\n    pass", {"for k in range(seat, 4): -> for k in range(seat + 1, 4):"}),
    ("extreme", "return min(seat, number)",
     {f"return min(seat, number) -> return {other}" for other in ("max(seat, number)", "seat", "number")}),
    ("arguments", "pay(game, seat, number)\nuse(game.money)", {"pay(game, seat, number) -> pay(game, number, seat)"}),
    ("arguments", "return game.track[seat, number]",
     {"return game.track[seat, number] -> return game.track[number, seat]"}),
    ("name", "game.money[seat] = game.goods[seat]",
     {"game.money[seat] = game.goods[seat] -> game.goods[seat] = game.goods[seat]",
      "game.money[seat] = game.goods[seat] -> game.money[seat] = game.money[seat]",
      "game.money[seat] = game.goods[seat] -> game.money[number] = game.goods[seat]",
      "game.money[seat] = game.goods[seat] -> game.money[seat] = game.goods[number]"}),
    ("name", "return (t.TAB_GOODS, t.TAB_COST, t.CITY)",
     {"return (t.TAB_GOODS, t.TAB_COST, t.CITY) -> return (t.TAB_COST, t.TAB_COST, t.CITY)",
      "return (t.TAB_GOODS, t.TAB_COST, t.CITY) -> return (t.TAB_GOODS, t.TAB_GOODS, t.CITY)"}),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "code", "wanted"), CASES)
def test_operator(operator: str, code: str, wanted: set[str]) -> None:
    assert changes(code, operator) == wanted


def test_every_operator_is_tried() -> None:
    assert {operator for operator, _, wanted in CASES if wanted} == set(operators.OPERATORS)


def test_what_holds_no_rule_is_left_alone() -> None:
    source = '''"""A text of 3."""
import numpy as np
ONE, TWO = range(2)
class Shape:
    number: int = 3
@jit(size=1)
def f(x: Annotated[int, 1 + 2] = 3) -> Size[3]:
    """A text of 3."""
    assert x < 3
    raise ValueError(f"{x + 1}", 3 + 4)
'''
    assert made(source) == []


def test_a_mutant_keeps_its_name_when_code_is_laid_out_anew() -> None:
    one = "def f(a):\n    return a+1  # why\n\n\ndef g(a):\n    if a: return 2\n"
    other = "'''Text.'''\n\ndef g(a):\n    if a:\n        return (2)\n\ndef f(a):\n    return (\n        a + 1)\n"
    assert {mutant.key for mutant in made(one)} == {mutant.key for mutant in made(other)}


def test_those_that_are_alike_are_told_apart() -> None:
    source = FUNCTION.format("number += 1\n    number += 1")
    dropped = [mutant for mutant in made(source) if mutant.operator == "statement"]
    assert [mutant.key[0] for mutant in dropped] == ["rules.f", "rules.f #2"]
    assert [mutant.line for mutant in dropped] == [2, 3]
    assert dropped[0].seeded(source).split("\n")[1:3] == ["    pass", "    number += 1"]
    assert dropped[1].seeded(source).split("\n")[1:3] == ["    number += 1", "    pass"]


def test_where_any_test_may_find_a_mutant() -> None:
    """At import, and where the result is kept for the tests to come."""
    source = "N = 1 + 1\n@functools.cache\ndef f(n):\n    return n\n"
    assert {mutant.line for mutant in made(source)} == {0}


# ---------------------------------------------------------------- component files
FACTS = """# cost = 5
[start]
money = 12                     # "in $ 3"
on = true
[[city]]
id = "reno"
xy = [0.5, 1]
gain = [{ kind = "goods", n = 1 }, { kind = "vp", n = -2 }]
spaces = ["a", "b", "b"]
[[city]]
id = "boise"
spaces = [["a", "b"],
          ["c", "a"]]
"""


def test_values_of_a_component_file() -> None:
    found = list(tables.mutants("facts/board.toml", FACTS, ("xy",)))
    assert [f"{mutant.key[0]}: {mutant.before} -> {mutant.after}" for mutant in found] == [
        "board.start: money = 12 -> 13",
        "board.start: money = 12 -> 11",
        "board.start: on = true -> false",
        'board.city reno: id = "reno" -> "boise"',
        'board.city reno: gain[1] = "goods" -> "vp"',
        "board.city reno: gain[2] = 1 -> 2",
        "board.city reno: gain[2] = 1 -> 0",
        "board.city reno: gain[4] = -2 -> -1",
        "board.city reno: gain[4] = -2 -> -3",
        'board.city reno: spaces[1] = "a" -> "b"',
        'board.city boise: spaces[1] = "a" -> "c"',
        'board.city boise: spaces[2] = "b" -> "a"',
    ]
    for mutant in found:
        text = mutant.seeded(FACTS)
        assert tomllib.loads(text) != tomllib.loads(FACTS) and text.count("#") == FACTS.count("#"), mutant
    both = tomllib.loads(found[3].seeded(FACTS))["city"]
    assert [city["id"] for city in both] == ["boise", "reno"]
    assert tomllib.loads(found[-1].seeded(FACTS))["city"][1]["spaces"] == [["a", "a"], ["c", "b"]]


def test_names_are_not_exchanged_where_only_rows_change_places() -> None:
    source = 'edges = [["a", "b"], ["a", "c"], ["d", "e"]]\n'
    found = [f"{mutant.before} -> {mutant.after}" for mutant in tables.mutants("board.toml", source, ())]
    assert found == ['edges[2] = "b" -> "e"', 'edges[3] = "a" -> "d"', 'edges[4] = "c" -> "e"']  # not b and c


# ---------------------------------------------------------------- the games
@pytest.mark.parametrize("name", GAMES)
def test_mutants_of_a_game_are_valid_and_differ(name: str) -> None:
    chosen = random.Random(3).sample(generated(name), 60) + run.made_by_hand(name)
    for mutant in chosen:
        before = sources(name)[mutant.file]
        after = mutant.seeded(before)
        if mutant.file.endswith(".py"):
            compile(after, mutant.file, "exec")
            assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before)), mutant
        else:
            assert tomllib.loads(after) != tomllib.loads(before), mutant


@pytest.mark.parametrize("name", GAMES)
def test_no_two_mutants_have_the_same_name(name: str) -> None:
    keys = [(mutant.file, *mutant.key) for mutant in generated(name)]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("name", GAMES)
def test_a_sample_is_drawn_by_its_seed_and_meets_every_file(name: str) -> None:
    every = generated(name)
    drawn = run.sample(every, 500, 0)
    assert [mutant.key for mutant in drawn] == [mutant.key for mutant in run.sample(every, 500, 0)]
    assert len({(mutant.file, *mutant.key) for mutant in drawn}) == len(drawn) == 500
    assert {mutant.file for mutant in drawn} == {mutant.file for mutant in every}
    assert {mutant.operator for mutant in drawn} == {mutant.operator for mutant in every}
    assert {mutant.key for mutant in run.sample(every, 500, 1)} != {mutant.key for mutant in drawn}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("number", [0, 60, 120])
def test_a_small_sample_meets_every_file_and_operator_too(name: str, number: int) -> None:
    every = generated(name)
    drawn = run.sample(every, number, 1)
    assert {mutant.file for mutant in drawn} == {mutant.file for mutant in every}
    assert {mutant.operator for mutant in drawn} == {mutant.operator for mutant in every}
    assert len({(mutant.file, *mutant.key) for mutant in drawn}) == len(drawn) < 200


@pytest.mark.parametrize("name", GAMES)
def test_every_slip_by_hand_can_be_made_in_one_place(name: str) -> None:
    assert len(run.made_by_hand(name)) >= 10  # it raises for those that cannot


def test_by_hand_takes_code_wherever_it_stands_but_once() -> None:
    source = "def f(a):\n    if a:\n        a = 1; b = (2)\n    return a + 2\n\ndef g(a):\n    return a + 2\n"
    (mutant,) = operators.by_hand("rules.py", source, "f", "a = 1\nb = 2", "b = 2")
    assert mutant.seeded(source).startswith("def f(a):\n    if a:\n        b = 2\n    return a + 2\n")
    assert len(operators.by_hand("rules.py", source, "f", "a + 2", "a")) == 1
    assert len(operators.by_hand("rules.py", source, "rules.g", "a + 2", "a")) == 1
    assert operators.by_hand("rules.py", source, "f", "a + 3", "a") == []
    assert len(operators.by_hand("rules.py", source + "    a + 2", "g", "a + 2", "a")) == 2


@pytest.mark.parametrize("name", GAMES)
def test_every_explained_mutant_can_be_made(name: str) -> None:
    every = [*generated(name), *run.made_by_hand(name)]
    for listed in (explained.EQUIVALENT[name], explained.SURVIVORS[name]):
        assert explained.dead(every, listed) == []
        assert all(len(why) > 10 and keys for why, keys in listed)
    both = (explained.EQUIVALENT[name], explained.SURVIVORS[name])
    assert not any(all(explained.reason(mutant, listed) for listed in both) for mutant in every)


def test_a_dead_entry_is_seen() -> None:
    mutants = made("def f(a):\n    return a[0]\n")
    alive = ("rules.f", "constant", "return a[0]", "return a[1]")
    listed = (("a reason", (alive, ("rules.f", "*", "return a[*]", "return 0"), ("rules.g", *alive[1:]))),)
    assert explained.dead(mutants, listed) == [("rules.g", *alive[1:])]
    assert [explained.reason(mutant, listed) for mutant in mutants if mutant.key == alive] == ["a reason"]


# ---------------------------------------------------------------- which lines are executed
def test_marks_tell_the_lines_executed() -> None:
    source = '"""Text."""\nN = 1\ndef f(a):\n    """Text."""\n    if a:\n        return 1\n'
    source += "    for k in ():\n        a = 2\n    return a\n"
    scope: dict = {}
    exec(instrumented(source, 7), scope)
    assert len(scope["_ran_7"]) >= 10 and not any(scope["_ran_7"])
    assert scope["f"](0) == 0 and scope["f"].__doc__ == "Text."
    assert [line for line, mark in enumerate(scope["_ran_7"]) if mark] == [5, 7, 9]


# ---------------------------------------------------------------- from end to end
TOY = {
    "toy/rules.py": """
SIZE = 4 // 1


def total(numbers):
    found = 0
    for number in numbers:
        found += number
    return found


def count_down(number):
    while number > 0:
        number -= 1
    return number


def never_called(number):
    return number + SIZE
""",
    "toy/facts/board.toml": "[start]\nmoney = 3\n",
    "tests/test_total.py": "from toy import rules\ndef test_total():\n    assert rules.total([1, 2]) == 3\n",
    "tests/test_rest.py": "import pathlib, tomllib\nfrom toy import rules\n"
    "def test_count():\n    assert rules.count_down(3) == 0\n"
    "def test_facts():\n    facts = tomllib.loads(pathlib.Path('toy/facts/board.toml').read_text())\n"
    "    assert facts['start']['money'] < 4\n",
    "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\naddopts = ['--import-mode=importlib']\n",
}


STAGES = (Stage("first", ("tests/test_total.py",)), Stage("second", ("tests/test_rest.py",)))
PARTS = ("toy", "tests", "pyproject.toml")


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    """A project with one small game, in place of this one."""
    for file, text in TOY.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    (tmp_path / "tests" / "mutants").symlink_to(PROJECT / "tests" / "mutants")
    game = Game("toy", ("rules.py",), ("facts/*.toml",), (), (), STAGES)
    monkeypatch.setattr("tests.mutants.games.PROJECT", tmp_path)
    monkeypatch.setattr("tests.mutants.run.PROJECT", tmp_path)
    monkeypatch.setattr("tests.mutants.run.PARTS", PARTS)
    monkeypatch.setitem(GAMES, "toy", game)
    monkeypatch.setitem(by_hand.BY_HAND, "toy", (("total", "found = 0", "found = len(numbers)"),))
    monkeypatch.setitem(explained.EQUIVALENT, "toy", ())
    monkeypatch.setitem(explained.SURVIVORS, "toy", ())
    return game


def test_the_tests_find_mutants_of_a_toy(tmp_path: Path, toy: Game) -> None:
    wanted = {
        ("rules.total", "assignment", "found += number", "found -= number"): ("first", "failed"),
        ("rules.count_down", "constant", "number -= 1", "number -= 2"): ("second", "failed"),
        ("rules.count_down", "statement", "number -= 1", "pass"): ("second", "endless"),
        ("rules.never_called", "operand", "return number + SIZE", "return number"): (None, "no test executes the line"),
        ("rules", "constant", "SIZE = 4 // 1", "SIZE = 4 // 0"): ("load", "failed"),
        ("board.start", "number", "money = 3", "4"): ("second", "failed"),
        ("board.start", "number", "money = 3", "2"): (None, ""),
    }
    by_key = {mutant.key: mutant for mutant in run.generated(toy)}
    workers = run.Workers(1, tmp_path, PARTS)
    try:
        trial = run.Trial(toy, ["first", "second"], workers)
        trial.record()
        found = {key: trial.find(by_key[key]) for key in wanted}
    finally:
        workers.close()
    assert {key: (outcome.stage, outcome.how) for key, outcome in found.items()} == wanted
    assert found[next(iter(wanted))].test == "tests/test_total.py::test_total"
    assert {file: (tmp_path / file).read_text() for file in TOY} == TOY


def test_the_command_says_who_found_what(tmp_path: Path, toy: Game, monkeypatch, capsys) -> None:
    kept, report = tmp_path / "recorded.json", tmp_path / "report.json"
    options = ["--game", "toy", "--jobs", "1", "--recording", str(kept), "--report", str(report)]
    survivor = ("rules.never_called", "operand", "return number + SIZE", "return number")
    monkeypatch.setitem(explained.SURVIVORS, "toy", (("nobody calls it", (survivor,)),))
    assert run.main([*options, "--only", "return number + SIZE -> return number"]) == 1
    assert f"survived: {survivor[0]}, operand: return number + SIZE -> return number (nobody calls it)" in (
        capsys.readouterr().out
    )
    assert kept.exists()
    assert run.main([*options, "--only", "found"]) == 0
    printed = capsys.readouterr().out
    assert "found 11, survived 0 (100.0 % found), equivalent 0" in printed and "first          11" in printed
    found = json.loads(report.read_text())["mutants"]
    assert {row["stage"] for row in found} == {"first"}
    assert ["rules.total", "by hand", "found = 0", "found = len(numbers)"] in [row["mutant"] for row in found]
    monkeypatch.setitem(explained.EQUIVALENT, "toy", (("not really", (tuple(found[0]["mutant"]),)),))
    assert run.main([*options, "--equivalent"]) == 1  # it is found
    assert "found 1, survived 0" in capsys.readouterr().out


def test_parts_try_what_the_whole_tries(toy: Game, capsys) -> None:
    def listed(*options: str) -> list[str]:
        assert run.main(["--game", "toy", "--number", "8", "--list", *options]) == 0
        return capsys.readouterr().out.splitlines()

    whole, parts = listed(), [listed("--part", f"{k}/3") for k in (1, 2, 3)]
    assert [whole[k::3] for k in range(3)] == parts and min(map(len, parts)) >= 3
    assert len({*whole}) == len(whole) == sum(map(len, parts))


def test_survivors_are_tried_again_by_their_report(tmp_path: Path, toy: Game, capsys) -> None:
    report = tmp_path / "report.json"
    options = ["--game", "toy", "--jobs", "1"]
    assert run.main([*options, "--only", "money", "--report", str(report)]) == 1
    assert "found 1, survived 1" in capsys.readouterr().out
    assert run.main([*options, "--again", str(report), "--list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"1 survivors in {report}, 1 of them can be made now",
        "toy/facts/board.toml: board.start, number: money = 3 -> 2",
    ]
    rest = tmp_path / "tests" / "test_rest.py"
    rest.write_text(rest.read_text().replace("< 4", "== 3"))
    assert run.main([*options, "--again", str(report)]) == 0
    assert "found 1, survived 0 (100.0 % found)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("", "no report of an earlier run"), ('{"game": "toy"}', "KeyError, 'mutants'"), ("[1]", "TypeError"),
     ('{"game": "carnegie", "mutants": []}', "a report on carnegie, not on toy")],
)  # fmt: skip
def test_what_is_no_report_is_refused(tmp_path: Path, toy: Game, capsys, text: str, wrong: str) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(SystemExit, match="2"):
        run.main(["--game", "toy", "--again", str(tmp_path / "report.json")])
    assert wrong in capsys.readouterr().err


def test_a_test_that_fails_without_a_mistake_ends_the_run(tmp_path: Path, toy: Game, capsys) -> None:
    (tmp_path / "tests" / "test_total.py").write_text("def test_total():\n    assert 1 == 2\n")
    with pytest.raises(SystemExit, match="2"):
        run.main(["--game", "toy", "--jobs", "1", "--stages", "first"])
    assert "test_total.py::test_total fails without any mistake" in capsys.readouterr().err
