"""What each operator makes, names that survive reformatting, samples; the lists (by_hand.toml, explained.toml) agree
with the code; `make mutants` on a toy project."""

import ast
import contextlib
import functools
import random
import tomllib
from pathlib import Path

import pytest

from tests.mutants import explained, operators, run, tables
from tests.mutants.games import GAMES, PROJECT, Game, Stage
from tests.mutants.operators import Mutant

FUNCTION = "def f(game, seat, number):\n    {}\n"


def made(source: str) -> list[Mutant]:
    return list(operators.mutants("rules.py", source, operators.families({"rules.py": source})))


@functools.cache
def generated(name: str) -> list[Mutant]:
    return run.generated(GAMES[name])


# ---------------------------------------------------------------- the operators
CASES = {
    "constant": ("number = 0", {"number = 0 -> number = 1", "number = 0 -> number = -1"}),
    "comparison": ("return number < 3", {"return number < 3 -> return number >= 3"}),
    "boundary": ("return 1 < number == 3", {"return 1 < number == 3 -> return 1 <= number == 3"}),
    "connector": ("return seat and number", {"return seat and number -> return seat or number"}),
    "operand": ("return seat - number", {"return seat - number -> return seat"}),
    "negation": ("if seat and number:\n        number = 1", {"if seat and number: -> if not (seat and number):"}),
    "condition": ("while seat:\n        number = 1", {"while seat: -> while False:"}),
    "arithmetic": ("return seat * number", {"return seat * number -> return seat + number"}),
    "assignment": ("number += 2", {"number += 2 -> number -= 2", "number += 2 -> number = 2"}),
    "statement": ("other = 2\n    number = 2", {"number = 2 -> pass"}),  # not the first binding
    "jump": ("for k in game:\n        break", {"break -> continue", "break -> pass"}),
    "returned": ("return number", {"return number -> return 0", "return number -> return number + 1"}),
    "bounds": ("x = range(seat, 4)", {"x = range(seat, 4) -> x = range(seat + 1, 4)"}),
    "extreme": (
        "return min(seat, number)",
        {f"return min(seat, number) -> return {other}" for other in ("max(seat, number)", "seat", "number")},
    ),
    "arguments": ("pay(game, seat, number)\n    use(game.x)", {"pay(game, seat, number) -> pay(game, number, seat)"}),
    "name": ("game.x = game.y", {f"game.x = game.y -> game.{k} = game.{k}" for k in "xy"}),
}


@pytest.mark.parametrize("operator", operators.OPERATORS)
def test_operator(operator: str) -> None:
    code, wanted = CASES[operator]
    found = [mutant for mutant in made(FUNCTION.format(code)) if mutant.operator == operator]
    assert {f"{mutant.before} -> {mutant.after}" for mutant in found} == wanted


def test_reformatting_keeps_the_names_of_mutants() -> None:
    one = "def f(a):\n    return a+1  # why\n\n\ndef g(a):\n    if a: return 2\n"
    other = "'''Text.'''\n\ndef g(a):\n    if a:\n        return (2)\n\ndef f(a):\n    return (\n        a + 1)\n"
    assert {mutant.key for mutant in made(one)} == {mutant.key for mutant in made(other)}


def test_mutants_of_a_component_file() -> None:
    text = """# cost = 5
[[city]]
id = "reno"
on = true
gain = [{ kind = "goods", n = 1 }, { kind = "vp", n = 0 }]
[[city]]
id = "boise"
ways = [["a", "b"], ["c", "a"]]
"""
    found = list(tables.mutants("facts/board.toml", text, ()))
    assert [f"{mutant.key[0]}: {mutant.before} -> {mutant.after}" for mutant in found] == [
        'board.city reno: id = "reno" -> "boise"',
        "board.city reno: on = true -> false",
        'board.city reno: gain[1] = "goods" -> "vp"',
        "board.city reno: gain[2] = 1 -> 2",
        "board.city reno: gain[2] = 1 -> 0",
        "board.city reno: gain[4] = 0 -> 1",
        'board.city boise: ways[1] = "a" -> "c"',
        'board.city boise: ways[2] = "b" -> "a"',
    ]
    assert tomllib.loads(found[-1].seeded(text))["city"][1]["ways"] == [["a", "a"], ["c", "b"]]


# ---------------------------------------------------------------- the games
@pytest.mark.parametrize("name", GAMES)
def test_mutants_of_a_game_are_valid_and_have_unique_names(name: str) -> None:
    every, by_hand = generated(name), run.made_by_hand(name)  # raises for code that doesn't occur exactly once
    assert len({(mutant.file, *mutant.key) for mutant in every}) == len(every) and len(by_hand) >= 10
    for mutant in random.Random(3).sample(every, 30) + by_hand:
        before = (PROJECT / mutant.file).read_text(encoding="utf-8")
        parse = ast.parse if mutant.file.endswith(".py") else tomllib.loads
        read = [parse(text) for text in (before, mutant.seeded(before))]
        one, other = [ast.dump(each) if isinstance(each, ast.AST) else each for each in read]
        assert one != other, mutant


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("number", [0, 120, 500])
def test_a_sample_depends_on_its_seed_and_covers_every_file_and_operator(name: str, number: int) -> None:
    every = generated(name)
    drawn = run.sample(every, number, 0)
    assert drawn == run.sample(every, number, 0) != run.sample(every, number, 1)
    assert len({(mutant.file, *mutant.key) for mutant in drawn}) == len(drawn) == max(number, len(drawn)) < 501
    assert {mutant.file for mutant in drawn} == {mutant.file for mutant in every}
    assert {mutant.operator for mutant in drawn} == {mutant.operator for mutant in every}


@pytest.mark.parametrize("name", GAMES)
def test_every_explained_mutant_exists(name: str) -> None:
    every = [*generated(name), *run.made_by_hand(name)]
    for kind in ("equivalent", "survivors"):
        assert explained.dead(every, name, kind) == []
    assert not any(all(explained.reason(m, name, kind) for kind in ("equivalent", "survivors")) for m in every)


# ---------------------------------------------------------------- a toy project
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


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    """A project with one small game, in place of this one."""
    for file, text in TOY.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    game = Game("toy", ("rules.py",), ("facts/*.toml",), (), (), STAGES)
    monkeypatch.setattr("tests.mutants.games.PROJECT", tmp_path)
    monkeypatch.setattr(run, "PROJECT", tmp_path)
    monkeypatch.setattr(run, "PARTS", ("toy", "tests", "pyproject.toml"))
    monkeypatch.setitem(GAMES, "toy", game)
    monkeypatch.setitem(run.BY_HAND, "toy", [["total", "found = 0", "found = len(numbers)"]])
    for name, value in run.ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return game


def test_outcomes_of_mutants_of_a_toy(tmp_path: Path, toy: Game) -> None:
    wanted = {
        ("rules.total", "assignment", "found += number", "found -= number"): ("first", "failed"),
        ("rules.count_down", "constant", "number -= 1", "number -= 2"): ("second", "failed"),
        ("rules.count_down", "statement", "number -= 1", "pass"): ("second", "endless"),
        ("rules.never_called", "operand", "return number + SIZE", "return number"): (None, "no test executes the line"),
        ("rules", "constant", "SIZE = 4 // 1", "SIZE = 4 // 0"): ("load", "failed"),
        ("board.start", "number", "money = 3", "4"): ("second", "failed"),
        ("board.start", "number", "money = 3", "2"): (None, ""),
    }
    with contextlib.closing(run.Trial(toy, jobs=2)) as trial:
        trial.record()
        tried = trial.outcomes(mutant for mutant in run.generated(toy) if mutant.key in wanted)
        found = {outcome.mutant.key: outcome for outcome in tried}
    assert {key: (outcome.stage, outcome.how) for key, outcome in found.items()} == wanted
    assert found[next(iter(wanted))].test == "tests/test_total.py::test_total"
    assert {file: (tmp_path / file).read_text() for file in TOY} == TOY


def test_the_command_reports_stages_operators_and_survivors(tmp_path: Path, toy: Game, monkeypatch, capsys) -> None:
    survivor = ["rules.never_called", "operand", "return number + SIZE", "return number"]
    monkeypatch.setattr(explained, "listed", lambda game, kind: {tuple(survivor): "nobody calls it"})
    options = ["--game", "toy", "--jobs", "1"]
    assert run.main([*options, "--equivalent"]) == 0
    printed = capsys.readouterr().out
    assert "survived: rules.never_called, operand: return number + SIZE -> return number (nobody calls it)" in printed
    assert run.main([*options, "--only", "found"]) == 0
    printed = capsys.readouterr().out
    assert "found 11, survived 0 (100.0 % found), equivalent 0" in printed and "first          11" in printed
    (tmp_path / "tests" / "test_total.py").write_text("def test_total():\n    assert 1 == 2\n")
    with pytest.raises(SystemExit, match="2"):
        run.main(options)
    assert "test_total.py::test_total fails without a mutation" in capsys.readouterr().err
