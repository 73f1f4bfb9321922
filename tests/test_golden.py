"""Stored games replay identically, position by position (tests/golden/make.py)."""

import json

import pytest

from carnegie_env.carnegie import actions
from carnegie_env.collection import find
from tests.golden import make

ADVICE = (
    "The engine plays golden game {name!r} differently now: {what}. If no change of behaviour is intended, the last "
    "edit has an error. If one is (a wrong rule, a ruling or a component value was corrected), run "
    "`python -m tests.golden.make`, look at the differences in tests/golden, and say why in CHANGELOG.md."
)


@pytest.mark.parametrize("name", make.GAMES)
def test_golden_game(name: str) -> None:
    signatures = json.loads(make.SIGNATURES.read_text())
    try:
        record = make.load(name)
    except ValueError as error:
        pytest.fail(ADVICE.format(name=name, what=f"its record is refused, {error}"), pytrace=False)
    options, seed, _ = make.GAMES[name]
    assert record.seed == seed and options.items() <= record.options.to_dict().items()
    if make.signature(record) != signatures[name]:
        pytest.fail(ADVICE.format(name=name, what="positions, legal actions or scores differ"), pytrace=False)


def test_the_folder_contains_exactly_the_golden_games() -> None:
    assert list(json.loads(make.SIGNATURES.read_text())) == list(make.GAMES)
    assert {file.stem for file in make.FOLDER.glob("*.txt")} == set(make.GAMES)


def test_golden_games_are_whole_and_contain_every_kind_of_action() -> None:
    played: dict[str, set[str]] = {"carnegie": set(), "steel_driver": set()}
    for name in make.GAMES:
        record = make.load(name)
        assert record.replay().is_over
        played[record.position.game.name] |= set(record.actions)
    assert {actions.VERB[actions.NUMBERS[text]] for text in played["carnegie"]} == set(range(len(actions.VERBS)))
    wanted = {text.split()[0] for text in find("steel_driver").texts}
    assert {text.split()[0] for text in played["steel_driver"]} == wanted


def test_the_signature_depends_on_all_positions() -> None:
    record = make.load("two")
    shorter = type(record)(record.options, record.seed, record.actions[:-1])
    assert make.signature(shorter) != make.signature(record)
