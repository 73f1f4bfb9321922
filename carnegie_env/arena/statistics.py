"""Means with 95 % intervals."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike

Z95 = 1.959964  # standard deviations that contain 95 % of a normal distribution


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def minus(self, other: Estimate) -> Estimate:
        """The difference from the mean of an independent sample."""
        half = math.hypot(self.half_width, other.half_width)
        difference = self.mean - other.mean
        return Estimate(difference, difference - half, difference + half)

    def text(self, digits: int = 1) -> str:
        """As in `101.3 ± 0.8`."""
        return f"{self.mean:.{digits}f} ± {self.half_width:.{digits}f}"

    def rating(self) -> str:
        """A rating, as in `+71 [+60, +82]`."""
        return f"{self.mean:+.0f} [{self.low:+.0f}, {self.high:+.0f}]"

    def percent(self) -> str:
        """A share, as in `12.5 % [10.6, 14.7]`."""
        return f"{100 * self.mean:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def mean(values: ArrayLike) -> Estimate:
    """The mean of independent values, with Student's interval, which is infinite for one value."""
    sample = np.asarray(values, np.float64)
    centre, freedom = float(sample.mean()), len(sample) - 1
    half = math.inf if freedom == 0 else _student(freedom) * float(sample.std(ddof=1)) / math.sqrt(len(sample))
    return Estimate(centre, centre - half, centre + half)


def _student(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution, by its expansion around the normal one; exact for 1 and 2."""
    if freedom <= 2:
        return (12.706205, 4.302653)[freedom - 1]
    z = Z95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(z + sum(term / freedom**power for power, term in enumerate(terms, 1)))


def share(values: ArrayLike) -> Estimate:
    """The mean of values from 0 to 1 (wins, shared for ties) with Wilson's interval, which is valid near 0 and 1."""
    sample = np.asarray(values, np.float64)
    return _wilson(float(sample.mean()), len(sample))


def share_of_groups(values: ArrayLike, most: float = math.inf) -> Estimate:
    """Like :func:`share`, from the means of independent groups of dependent values, such as the games of a deal.

    Wilson's interval for the effective number of independent values: the number that would vary as much as the groups,
    or the number of groups if all are equal; at most ``most``.
    """
    sample = np.asarray(values, np.float64)
    n, p = len(sample), float(sample.mean())
    variance = float(sample.var(ddof=1)) / n if n > 1 else 0.0
    return _wilson(p, min(p * (1 - p) / variance if variance > 0 else n, most))


def _wilson(p: float, n: float) -> Estimate:
    centre = (p + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * math.sqrt(p * (1 - p) / n + Z95**2 / (4 * n**2))
    return Estimate(p, max(centre - half, 0.0), min(centre + half, 1.0))
