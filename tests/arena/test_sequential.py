"""The sequential test: its formulas, bounds and error rates."""

import math
from collections import Counter

import numpy as np
import pytest

from carnegie_env.arena.sequential import FIRST_LOOK, H0, H1, UNDECIDED, Question, Test, multinomial_ratio

FIVE = np.array([-1, -0.5, 0, 0.5, 1])  # possible differences with two games on a deal
REPEATS = 200


def errors(question, draw, truth):
    """The error rate of a test, and the mean number of deals."""
    wrong, deals = 0, 0
    for _ in range(REPEATS):
        test = Test(question)
        values = draw(4000)
        for value in values:
            if test.add(float(value)) != UNDECIDED:
                break
        wrong += test.verdict != truth
        deals += test.deals
    return wrong / REPEATS, deals / REPEATS


@pytest.mark.parametrize(("shift", "truth"), [(0.0, H0), (0.2, H1)])
def test_errors_of_wins(shift, truth):
    generator = np.random.default_rng(1)
    p = np.array([0.25, 0.05, 0.4, 0.05, 0.25]) + shift * np.array([-0.45, -0.05, 0, 0.05, 0.45])
    assert p @ FIVE == pytest.approx(shift * 0.95)
    question = Question("a", "b", low=0.0, high=0.19, alpha=0.1, beta=0.1)
    rate, deals = errors(question, lambda n: generator.choice(FIVE, n, p=p), truth)
    assert 0.02 < rate < 0.16  # 0.1, with three standard deviations
    assert deals < 80  # a test with a fixed number of deals needs 95


@pytest.mark.parametrize(("mean", "truth"), [(0.0, H0), (6.0, H1)])
def test_errors_of_margins(mean, truth):
    generator = np.random.default_rng(2)
    question = Question("a", "b", by="margin", low=0.0, high=6.0, alpha=0.1, beta=0.1)
    rate, _ = errors(question, lambda n: generator.normal(mean, 20, n), truth)
    assert 0.02 < rate < 0.16


@pytest.mark.parametrize(("mean", "truth"), [(0.0, H0), (2.0, H1)])
def test_errors_of_short_tests(mean, truth):
    """A variance estimated from ten deals must not make decisions too early."""
    generator = np.random.default_rng(3)
    question = Question("a", "b", by="margin", low=0.0, high=2.0)
    rates = [errors(question, lambda n: generator.normal(mean, 5, n), truth)[0] for _ in range(10)]
    assert np.mean(rates) < 0.06  # 0.05, with two standard deviations; with the sample's variance 0.066


def test_the_multinomial_ratio_uses_the_most_likely_distributions():
    """With two outcomes the mean determines the distribution, and so the ratio."""
    seen = Counter({-1.0: 30, 1.0: 50})
    low, high = 0.0, 0.1
    p = {mean: {1.0: (1 + mean) / 2, -1.0: (1 - mean) / 2} for mean in (low, high)}
    known = sum(count * math.log(p[high][value] / p[low][value]) for value, count in seen.items())
    assert multinomial_ratio(seen, low, high) == pytest.approx(known, rel=1e-3)
    assert multinomial_ratio(seen, high, low) == pytest.approx(-multinomial_ratio(seen, low, high))


@pytest.mark.parametrize("by", ["wins", "margin"])
@pytest.mark.parametrize(("value", "truth"), [(1.0, H1), (-1.0, H0)])
def test_an_agent_that_wins_or_loses_everything(by, value, truth):
    test = Test(Question("a", "b", by=by, low=0.0, high=0.1))
    while test.add(value) == UNDECIDED and test.deals < 200:
        assert math.isfinite(test.ratio)
    assert test.verdict == truth and FIRST_LOOK <= test.deals < 200


def test_the_first_look_is_late_and_the_verdict_is_final():
    test = Test(Question("a", "b", low=0.0, high=0.5))
    for _ in range(FIRST_LOOK - 1):
        assert test.add(1.0) == UNDECIDED and test.ratio == 0
    while test.add(1.0) == UNDECIDED:
        pass
    deals, ratio = test.deals, test.ratio
    for _ in range(50):
        assert test.add(-1.0) == H1
    assert (test.deals, test.ratio) == (deals, ratio)


def test_walds_bounds():
    question = Question("a", "b", alpha=0.05, beta=0.1)
    assert question.upper == pytest.approx(math.log(0.9 / 0.05))
    assert question.lower == pytest.approx(math.log(0.1 / 0.95))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"than": "a"}, "not a with itself"),
        ({"by": "luck"}, "by must be wins or margin, not 'luck'"),
        ({"low": 0.1, "high": 0.1}, "the lower first, not 0.1 and 0.1"),
        ({"low": 0.0, "high": math.nan}, "two numbers"),
        ({"low": 0.0, "high": 5.0}, "between -1 and 1"),
        ({"by": "margin", "low": -1e200}, "from -1e\\+06 to 1e\\+06, the lower first, not -1e\\+200"),
        ({"alpha": 0.0}, "alpha must be between 0 and 0.5"),
        ({"beta": 0.7}, "beta must be between 0 and 0.5, not 0.7"),
    ],
)
def test_wrong_questions_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Question(**({"better": "a", "than": "b"} | wrong))
