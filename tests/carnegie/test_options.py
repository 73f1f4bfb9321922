"""The switches of a game: what is right, what is refused and with which words."""

import dataclasses
import itertools

import gymnasium
import numpy as np
import pytest

from carnegie_env import Batch, Options, Position, carnegie_v0
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


@pytest.mark.parametrize("name", sorted(set(MODULES) - set(SOLO)))
def test_solo_takes_only_modules_that_go_with_it(name: str) -> None:
    with pytest.raises(ValueError) as error:
        Options(num_players=1, **{name: True})
    assert str(error.value) == (
        f"{name} is not available in the solo game (num_players=1); the available modules are new_start, "
        "new_departments, diverse_setup"
    )


@pytest.mark.parametrize("name", ["module", "newstart", "new_donation", "NEW_START", "", "wait "])
def test_an_unknown_name_is_refused_with_all_that_are_known(name: str) -> None:
    known = "num_players, .*, wait, secret_donation, edition, modules"
    with pytest.raises(ValueError, match=f"^got an unexpected keyword argument .*; the options are {known}$"):
        Options.from_dict({name: True})


@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
def test_modules_stands_for_their_switches_in_every_interface(num_players: int) -> None:
    fitting = SOLO if num_players == 1 else MODULES
    for modules, expected in (
        ("all", fitting), (fitting, fitting), (set(fitting), fitting), ("new_start, diverse_setup", SOLO[::2]),
        (["diverse_setup"], SOLO[2:]), ((), ()), (None, ()),
    ):  # fmt: skip
        options = Options.from_dict({"num_players": num_players, "modules": modules})
        assert options == Options(num_players=num_players, **dict.fromkeys(expected, True))
        assert Position.new({"num_players": num_players, "modules": modules}).options == options
        assert Batch(1, num_players=num_players, modules=modules).options == options
        if num_players > 1:
            assert carnegie_v0.raw_env(num_players, modules=modules)._batch.options == options
        else:
            for env in (gymnasium.make("Carnegie/Solo-v0", modules=modules),
                        gymnasium.make_vec("Carnegie/Solo-v0", num_envs=1, modules=modules)):  # fmt: skip
                assert env.unwrapped._games.batch.options == options


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"modules": "waits"}, "there is no module 'waits'; there are new_start, .*, or all"),
        ({"modules": ["wait", 3]}, "there is no module 3; "),
        ({"modules": ""}, "there is no module ''"),
        ({"modules": "all,wait"}, "among modules, all stands by itself"),
        ({"modules": ["all"]}, "among modules, all stands by itself"),
        ({"modules": [np.array([1, 2])]}, "there is no module array"),
        ({"modules": np.array(["wait"])}, "modules must be "),
        ({"modules": "all", "num_players": np.array([1, 2])}, "num_players must be a whole number"),
        ({"modules": True}, "modules must be .*, not True"),
        ({"modules": {"wait": True}}, "modules must be "),
        ({"modules": "wait", "num_players": 1}, "wait is not available in the solo game"),
        ({"modules": "wait", "wait": False}, "modules='wait' turns wait on, but wait=False turns it off"),
        ({"modules": "all", "wait": np.False_}, "modules='all' turns wait on, but wait=False"),
        ({"modules": "wait", "wait": 1}, "wait must be True or False"),
    ],
)
def test_modules_that_make_no_sense(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        Options.from_dict(values)


@pytest.mark.parametrize("wrong", [np.float64(3), np.array(3), np.True_, 3.0, "3"], ids=repr)
def test_the_number_of_players_is_an_int(wrong: object) -> None:
    with pytest.raises(ValueError, match="num_players must be a whole number"):
        Options(num_players=wrong)  # type: ignore[arg-type]
