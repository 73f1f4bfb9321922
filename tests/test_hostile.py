"""Malformed input of every kind, about fifty cases each; `make fuzz` runs 100,000 (tests/fuzz)."""

import pytest

from tests import fuzz
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
