"""Hostile input of every kind, about a hundred cases each; `make fuzz` tries a hundred thousand (tests/fuzz)."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carnegie_env import Batch, GameRecord, Options, Position
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import MODULES
from carnegie_env.core.record import RecordError
from tests import fuzz, players

CASES = {
    "position": 120, "json": 80, "record": 80, "facts": 40, "action": 150, "batch": 150, "environment": 300,
    "option": 300, "memory": 80, "steel_position": 120, "steel_json": 80, "steel_record": 80,
}  # fmt: skip


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_spoilt_input_is_refused_or_right(target: str) -> None:
    outcomes = set()
    for seed in range(CASES[target]):
        outcome, wrong = fuzz.run_case(target, 1_000_000 + seed)
        repeat = f"python -m tests.fuzz --cases 1 --target {target} --seed {1_000_000 + seed}"
        assert not wrong, f"{wrong}\nto repeat: {repeat}"
        outcomes.add(outcome)
    assert {"refused", "accepted"} <= outcomes


PARTS = (
    "game", "version", "options", "rng", "decisions", "phase", "to_play", "round", "first_player", "timeline",
    "display", "cities", "donations", "companies", "panels", "waiting", "andrew", "turn",
)  # fmt: skip
FREE = ("rng", "decisions")  # any number will do

# Anything that JSON can hold, made by hypothesis: it finds small things that spoiling right positions does not.
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=12), inner, max_size=5),
    max_leaves=20,
)


@settings(max_examples=150)
@given(json_values)
def test_any_json_value_is_refused(value: object) -> None:
    assert fuzz.refused(fuzz.answer(lambda: Position.from_dict(value)))  # type: ignore[arg-type]


@settings(max_examples=150)
@given(st.text(max_size=200) | st.binary(max_size=200))
def test_any_text_is_no_position(text: str | bytes) -> None:
    assert fuzz.refused(fuzz.answer(lambda: Position.from_json(text)))


@settings(max_examples=150)
@given(st.text(max_size=200))
def test_any_text_is_no_record(text: str) -> None:
    assert isinstance(fuzz.answer(lambda: GameRecord.from_text(text)), RecordError)


@settings(max_examples=150)
@given(st.sampled_from(PARTS), json_values, st.booleans())
def test_any_json_value_in_place_of_a_part_is_refused_or_right(part: str, value: object, modules: bool) -> None:
    d = Position.new(players.ALL_ON[1] if modules else None, seed=3).to_dict()
    assert tuple(d) == PARTS
    before = d[part]
    d[part] = value
    assert value == before or part in FREE or fuzz.refused(fuzz.answer(lambda: Position.from_dict(d)))


@settings(max_examples=100)
@given(
    st.sampled_from(MODULES),
    json_values | st.sampled_from([1, 0, "true", "on", (), np.True_, object()]),
    st.sampled_from([1, 2, 3, 4]),
)
def test_a_module_is_on_or_off_and_nothing_else(module: str, value: object, num_players: int) -> None:
    options = {"num_players": num_players, module: value}
    found = fuzz.answer(lambda: Position.new(options))
    if isinstance(value, bool | np.bool_):
        solo_refuses = num_players == 1 and value and not t.SOLO_MODULES[module]
        assert fuzz.refused(found) == solo_refuses
    else:
        assert fuzz.refused(found) and str(found).startswith(f"{module} must be True or False, not ")


@pytest.mark.parametrize("module", ["new_donations", "wait", "secret_donation"])
def test_a_module_that_does_not_go_with_the_solo_game_is_named(module: str) -> None:
    said = f"{module} does not go with the solo game (num_players=1); the modules that do are "
    options = {"num_players": 1, module: True}
    for call in (
        lambda: Position.new(options), lambda: Options.from_dict(options), lambda: Options(**options),
        lambda: Batch(1, **options), lambda: gymnasium.make("Carnegie/Solo-v0", **{module: True}),
    ):  # fmt: skip
        found = fuzz.answer(call)
        assert fuzz.refused(found) and said + "new_start, new_departments, diverse_setup" in str(found)


def test_the_fuzzer_notices() -> None:
    """Its own alarms work."""

    def shown(value: object) -> None:
        raise ValueError(value)

    def executed() -> object:
        return eval("1 + 1")

    fuzz.watch()
    for call in (executed, lambda: [][0], lambda: shown("'NoneType' object is not iterable"), lambda: shown("")):
        with pytest.raises(fuzz.Wrong):
            fuzz.answer(call)
    with pytest.raises(fuzz.Wrong, match="instead of RecordError"):
        fuzz.answer(lambda: shown("clear, but of another kind"), RecordError)
    assert fuzz.answer(lambda: 5) == 5 and fuzz.refused(fuzz.answer(lambda: shown("the seed is wrong")))
