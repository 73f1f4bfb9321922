"""A sequential test: is A better than B? It looks after every deal and stops as soon as the answer is clear.

This is the generalized sequential probability ratio test (GSPRT) used for chess programs. On each deal, d is A's mean
less B's mean over its games. Under H0 the mean of d is `low`, under H1 it is `high`. After n deals the log-likelihood
ratio

    LLR = log( max likelihood of d_1 .. d_n with mean `high` / max likelihood with mean `low` )

is compared with Wald's bounds: at log((1 - beta) / alpha) or above H1 is accepted, at log(beta / (1 - alpha)) or below
H0. Nuisance parameters take their most likely value under each hypothesis:

- differences of win shares lie between -1 and 1, and take few values (of two players and two games on a deal five: the
  pentanomial model). Their distribution is multinomial: with mean m the most likely one has p_i = q_i / (1 + t (d_i -
  m)), q_i being the frequency of d_i and t the root of sum q_i (d_i - m) / (1 + t (d_i - m)) = 0. A trace of -1 and 1
  is added, or the hypotheses would be impossible after wins only;
- differences of margins are taken as normal, with the sample variance s2: LLR = n (high - low) (2 mean - low - high) /
  (2 s2), the test's form as a Brownian motion with drift. (The most likely variances under H0 and H1 would grow with a
  mean far from both, and the test would take longer the clearer the difference.)

Sources: A. Wald, Sequential Tests of Statistical Hypotheses, Annals of Mathematical Statistics 16 (1945); M. Van den
Bergh, The generalized SPRT, and fishtest's LLRcalc.py (the Stockfish project); X. Li, J. Liu, Z. Ying, Generalized
Sequential Probability Ratio Test for Separate Families of Hypotheses, Sequential Analysis 33 (2014).
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter

H0, H1, UNDECIDED = "H0", "H1", "undecided"
MEASURES = ("wins", "margin")
TRACE = 1e-3  # deals that are added at each end of what win shares can differ by
FIRST_LOOK = 10  # deals: before, there is no telling how much they differ


@dataclasses.dataclass(frozen=True)
class Question:
    """Is one agent better than another?

    Args:
        better, than: their names.
        by: "wins" (share of the victory, 0 to 1) or "margin" (own score - best other one, in points).
        low, high: the difference of the means under H0 and H1; in the unit of ``by``.
        alpha, beta: the probability of accepting H1 where H0 holds, and H0 where H1 holds.

    Raises:
        ValueError: a wrong value; the message says what would be right.
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
            raise ValueError(f"agents are compared by {' or '.join(MEASURES)}, not {self.by!r}")
        if self.better == self.than:
            raise ValueError(f"the test is of two agents, not of {self.better} twice")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"the bounds must be two numbers, the lower one first, not {self.low:g} and {self.high:g}")
        if self.by == "wins" and not -1 < self.low < self.high < 1:
            raise ValueError(
                f"bounds of win shares lie between -1 and 1 (0.05 is 5 %), not {self.low:g} and {self.high:g}"
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ValueError(f"{name} must be between 0 and 0.5, not {value:g}")

    @property
    def lower(self) -> float:
        """H0 is accepted when the log-likelihood ratio has fallen to it."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted when the log-likelihood ratio has risen to it."""
        return math.log((1 - self.beta) / self.alpha)


class Test:
    """The state of a test: differences are added one by one, in the order of the deals.

    Attributes:
        verdict: "undecided", then "H0" or "H1".
        ratio: the log-likelihood ratio after the last difference; 0 before ``FIRST_LOOK``.
        deals: the number of differences added.
    """

    __test__ = False  # none of pytest's

    def __init__(self, question: Question) -> None:
        self.question = question
        self.verdict = UNDECIDED
        self.ratio = 0.0
        self.deals = 0
        self._seen: Counter[float] = Counter()
        self._sum = self._squares = 0.0

    def add(self, difference: float) -> str:
        """Add the difference of another deal; returns the verdict. After a verdict nothing changes."""
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
            variance = max(self._squares - self.deals * mean**2, 0.0) / (self.deals - 1)
            self.ratio = normal_ratio(self.deals, mean, variance, question.low, question.high)
        if self.ratio >= question.upper:
            self.verdict = H1
        elif self.ratio <= question.lower:
            self.verdict = H0
        return self.verdict


def multinomial_ratio(seen: Counter[float], low: float, high: float) -> float:
    """Log-likelihood ratio of the means ``high`` and ``low``, of counted differences from -1 to 1."""
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
    """The root t of sum weight (value - mean) / (1 + t (value - mean)), which falls between its poles."""
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
    """Log-likelihood ratio of the means ``high`` and ``low``, of normal differences of this variance."""
    variance = max(
        variance, 1e-12 * max(abs(mean), abs(low), abs(high)) ** 2
    )  # all alike: as good as certain, but finite
    return number * (high - low) * (2 * mean - low - high) / (2 * variance)
