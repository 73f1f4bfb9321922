"""The switches of a game: what is right, what is refused and with which words."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from carnegie_env import Options, Position
from carnegie_env.carnegie import options as module
from carnegie_env.carnegie import state
from carnegie_env.carnegie.options import MODULES
from carnegie_env.carnegie.rules import setup

SOLO = ("new_start", "new_departments", "diverse_setup")


def test_the_modules_are_those_of_expansion_1_and_off() -> None:
    assert MODULES == ("new_start", "new_departments", "new_donations", "diverse_setup", "wait", "secret_donation")
    assert Options().modules == () and not any(getattr(Options(), name) for name in MODULES)
    fields = [field.name for field in dataclasses.fields(Options)]
    assert fields == ["num_players", "difficulty", "timeline_tiles", "show_forced", *MODULES]
    assert list(Options().to_dict()) == fields


@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
def test_modules_combine_freely(num_players: int) -> None:
    fitting = SOLO if num_players == 1 else MODULES
    for number in range(len(fitting) + 1):
        for chosen in itertools.combinations(fitting, number):
            options = Options(num_players=num_players, **dict.fromkeys(chosen, True))
            assert options.modules == chosen
            assert Options.from_dict(options.to_dict()) == options
            bits = int(setup.template(options)["modules"][0])
            assert [name for k, name in enumerate(MODULES) if bits >> k & 1] == list(chosen)


def test_the_bits_of_the_record() -> None:
    names = (state.NEW_START, state.NEW_DEPARTMENTS, state.NEW_DONATIONS, state.DIVERSE_SETUP, state.WAIT,
             state.SECRET_DONATION)  # fmt: skip
    assert names == (1, 2, 4, 8, 16, 32)
    assert Position.new(dict.fromkeys(MODULES, True)).record.modules == 63
    assert Position.new({"wait": True}).options == Options(wait=True)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("value", [1, 0, None, "true", "", [], 1.0])
def test_a_module_is_true_or_false(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be True or False, not "):
        Options(**{name: value})


@pytest.mark.parametrize("name", MODULES)
def test_solo_takes_those_that_go_with_it(name: str) -> None:
    if name in SOLO:
        assert Options(num_players=1, **{name: True}).modules == (name,)
        return
    with pytest.raises(ValueError) as error:
        Options(num_players=1, **{name: True})
    assert str(error.value) == (
        f"{name} does not go with the solo game (num_players=1); the modules that do are new_start, new_departments, "
        "diverse_setup"
    )
    assert Options(num_players=1, **{name: False}).modules == ()


@pytest.mark.parametrize("name", ["modules", "newstart", "new_donation", "NEW_START", "", "wait "])
def test_an_unknown_name_is_refused_with_all_that_are_known(name: str) -> None:
    with pytest.raises(ValueError, match="^unknown option .*; the options are num_players, .*, wait, secret_donation$"):
        Options.from_dict({name: True})


def test_the_first_wrong_value_is_named() -> None:
    with pytest.raises(ValueError, match="num_players must be 1"):
        Options(num_players=0, wait="x")  # type: ignore[arg-type]
    assert module.TIMELINE_TILES == ("columns", "rows")
