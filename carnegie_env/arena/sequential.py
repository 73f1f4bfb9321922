"""A sequential test: is A better than B? It looks after every deal and stops as soon as the answer is clear.

This is the generalized sequential probability ratio test (GSPRT) that chess programs use; docs/arena.md explains it
and gives sources. On each deal, d is A's mean minus B's mean over the games. Under H0 the mean of d is `low`, under H1
`high`. The log-likelihood ratio of the two hypotheses is compared with Wald's bounds:

- differences of win shares take few values between -1 and 1, so their distribution is multinomial. With mean m the most
  likely one has p_i = q_i / (1 + t (d_i - m)), where q_i is the frequency of d_i and t the root of
  sum q_i (d_i - m) / (1 + t (d_i - m)) = 0. A trace of -1 and 1 is added, else both hypotheses would be impossible
  after wins only;
- differences of margins are assumed to be normal with the sample variance s2. (With the most likely variances under H0
  and H1 the test would take longer the clearer the difference is.)
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter

H0, H1, UNDECIDED = "H0", "H1", "undecided"
MEASURES = ("wins", "margin")
LARGEST_BOUND = 1e6  # points
TRACE = 1e-3  # deals added with each of the differences -1 and 1
FIRST_LOOK = 10  # deals; fewer do not show the variance


@dataclasses.dataclass(frozen=True)
class Question:
    """Is one agent better than another?

    Args:
        better, than: their names.
        by: "wins" (win share, 0 to 1) or "margin" (score minus the best other score, in points).
        low, high: the difference of the means under H0 and H1, in the unit of ``by``.
        alpha, beta: the probability of accepting H1 if H0 is true, and H0 if H1 is true.

    Raises:
        ValueError: a wrong value.
    """

    better: str
    than: str
    by: str = "wins"
    low: float = 0.0
    high: float = 0.05
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if self.by not in MEASURES:
            raise ValueError(f"by must be {' or '.join(MEASURES)}, not {self.by!r}")
        if self.better == self.than:
            raise ValueError(f"the test compares two different agents, not {self.better} with itself")
        if not -LARGEST_BOUND <= self.low < self.high <= LARGEST_BOUND:
            raise ValueError(
                f"the bounds must be two numbers from {-LARGEST_BOUND:g} to {LARGEST_BOUND:g}, the lower first, "
                f"not {self.low:g} and {self.high:g}"
            )
        if self.by == "wins" and not -1 < self.low < self.high < 1:
            raise ValueError(
                f"bounds of win shares must be between -1 and 1 (0.05 is 5 %), not {self.low:g} and {self.high:g}"
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ValueError(f"{name} must be between 0 and 0.5, not {value:g}")

    @property
    def lower(self) -> float:
        """H0 is accepted at this log-likelihood ratio or below."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at this log-likelihood ratio or above."""
        return math.log((1 - self.beta) / self.alpha)


class Test:
    """The state of a test: differences are added one by one, in the order of the deals.

    Attributes:
        verdict: "undecided", then "H0" or "H1".
        ratio: the log-likelihood ratio after the last difference; 0 before ``FIRST_LOOK``.
        deals: the number of differences added.
    """

    __test__ = False  # for pytest

    def __init__(self, question: Question) -> None:
        self.question = question
        self.verdict = UNDECIDED
        self.ratio = 0.0
        self.deals = 0
        self._seen: Counter[float] = Counter()
        self._sum = self._squares = 0.0

    def add(self, difference: float) -> str:
        """Add the difference of the next deal; returns the verdict, which is final once it is decided."""
        if self.verdict != UNDECIDED:
            return self.verdict
        self.deals += 1
        self._seen[round(difference, 9)] += 1
        self._sum += difference
        self._squares += difference * difference
        if self.deals < FIRST_LOOK:
            return self.verdict
        question = self.question
        if question.by == "wins":
            self.ratio = multinomial_ratio(self._seen, question.low, question.high)
        else:
            mean = self._sum / self.deals
            variance = max(self._squares / self.deals - mean**2, 0.0)
            self.ratio = normal_ratio(self.deals, mean, variance, question.low, question.high)
        if self.ratio >= question.upper:
            self.verdict = H1
        elif self.ratio <= question.lower:
            self.verdict = H0
        return self.verdict


def multinomial_ratio(seen: Counter[float], low: float, high: float) -> float:
    """The log-likelihood ratio of the means ``high`` and ``low``, for counted differences from -1 to 1."""
    counts = {-1.0: TRACE, 1.0: TRACE}
    for value, count in seen.items():
        counts[value] = counts.get(value, 0.0) + count
    values, weights = list(counts), list(counts.values())
    t_low, t_high = _tilt(values, weights, low), _tilt(values, weights, high)
    return sum(
        weight * (math.log1p(t_low * (value - low)) - math.log1p(t_high * (value - high)))
        for value, weight in zip(values, weights, strict=True)
    )


def _tilt(values: list[float], weights: list[float], mean: float) -> float:
    """The root t of sum weight (value - mean) / (1 + t (value - mean)), which decreases between its poles."""
    gaps = [value - mean for value in values]
    low, high = -1 / max(gaps), -1 / min(gaps)
    t = 0.0
    for _ in range(200):
        terms = [gap / (1 + t * gap) for gap in gaps]
        value = sum(weight * term for weight, term in zip(weights, terms, strict=True))
        if value > 0:
            low = t
        else:
            high = t
        slope = -sum(weight * term * term for weight, term in zip(weights, terms, strict=True))
        step = t - value / slope
        new = step if low < step < high else (low + high) / 2
        if abs(new - t) <= 1e-13 * max(abs(t), 1e-3):
            return new
        t = new
    return t


def normal_ratio(number: int, mean: float, variance: float, low: float, high: float) -> float:
    """The log-likelihood ratio of the means ``high`` and ``low``, for normal differences of unknown variance.

    Each mean has its most likely variance. With the variance of the sample for both, few deals would decide too often.

    Args:
        number, mean, variance: of the sample; the variance is the mean squared deviation.
        low, high: the means.
    """
    least = 1e-12 * max(abs(mean), abs(low), abs(high)) ** 2  # the ratio is finite even if all differences are equal
    spread = max(variance, least)
    return number / 2 * math.log((spread + (mean - low) ** 2) / (spread + (mean - high) ** 2))
