"""Malformed input of every kind, about fifty cases each; `make fuzz` runs 100,000 (tests/fuzz)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carnegie_env import Position
from tests import fuzz, players
from tests.amounts import TIMES

CASES = {
    "position": 20, "json": 20, "record": 20, "facts": 10, "action": 40, "environment": 75,
    "option": 75, "memory": 30, "steel_position": 20, "steel_json": 20, "steel_record": 20,
}  # fmt: skip


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_malformed_input_is_refused_or_valid(target: str) -> None:
    outcomes = set()
    for seed in range(CASES[target] * TIMES):
        outcome, wrong = fuzz.run_case(target, 1_000_000 + seed)
        repeat = f"python -m tests.fuzz --cases 1 --target {target} --seed {1_000_000 + seed}"
        assert not wrong, f"{wrong}\nto repeat: {repeat}"
        outcomes.add(outcome)
    assert {"refused", "accepted"} <= outcomes


FREE = ("rng", "decisions")  # any number is valid

# Small JSON values, which random changes of valid positions don't produce.
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=12), inner, max_size=5),
    max_leaves=20,
)


@settings(max_examples=75)
@given(st.deferred(lambda: st.sampled_from([*Position.new(seed=3).to_dict()])), json_values, st.booleans())
def test_any_json_value_in_place_of_a_part_is_refused_or_valid(part: str, value: object, modules: bool) -> None:
    d = Position.new(players.ALL_ON[1] if modules else None, seed=3).to_dict()
    before = d[part]
    d[part] = value
    assert value == before or part in FREE or fuzz.refused(fuzz.answer(lambda: Position.from_dict(d)))
