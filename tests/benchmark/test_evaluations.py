"""The speed of the value network (benchmarks/evaluations.py): its values agree with torch's, which it checks first."""

from tests.commands import python


def test_the_compiled_loop_and_torch_evaluate_alike():
    code = "from benchmarks import evaluations; print(evaluations.measure({'num_players': 1}, 2, 1, 8))"
    name, shape, *rates = python("-c", code, NUMBA_DISABLE_JIT="1").split()
    assert name == "solo" and shape.endswith("-8-32") and len(rates) == 5
