"""Means with 95 % intervals."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike

Z95 = 1.959964  # standard normal: 95 % lie within this number of standard deviations


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A mean, and the ends of the interval that holds the true one with 95 % confidence."""

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def minus(self, other: Estimate) -> Estimate:
        """The difference to the mean of another, independent sample."""
        half = math.hypot(self.half_width, other.half_width)
        difference = self.mean - other.mean
        return Estimate(difference, difference - half, difference + half)

    def text(self, digits: int = 1) -> str:
        """As in `101.3 ± 0.8`."""
        return f"{self.mean:.{digits}f} ± {self.half_width:.{digits}f}"

    def percent(self) -> str:
        """A share, as in `12.5 % [10.6, 14.7]`."""
        return f"{100 * self.mean:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def mean(values: ArrayLike) -> Estimate:
    """The mean of independent values (two or more, or the interval is infinite), by the normal approximation."""
    sample = np.asarray(values, np.float64)
    if len(sample) < 2:
        return Estimate(float(sample.mean()), -math.inf, math.inf)
    half = Z95 * float(sample.std(ddof=1)) / math.sqrt(len(sample))
    centre = float(sample.mean())
    return Estimate(centre, centre - half, centre + half)


def share(values: ArrayLike) -> Estimate:
    """The mean of values from 0 to 1 (wins; ties in between), with Wilson's interval, which is right near 0 and 1."""
    sample = np.asarray(values, np.float64)
    return _wilson(float(sample.mean()), len(sample))


def share_of_groups(values: ArrayLike) -> Estimate:
    """The same from means of independent groups of dependent values, such as the games of one deal.

    It is Wilson's interval for the number of independent values that would vary as much as the groups do; if all groups
    are equal, for the number of groups.
    """
    sample = np.asarray(values, np.float64)
    n, p = len(sample), float(sample.mean())
    variance = float(sample.var(ddof=1)) / n if n > 1 else 0.0
    return _wilson(p, p * (1 - p) / variance if variance > 0 else n)


def _wilson(p: float, n: float) -> Estimate:
    centre = (p + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * math.sqrt(p * (1 - p) / n + Z95**2 / (4 * n**2))
    return Estimate(p, max(centre - half, 0.0), min(centre + half, 1.0))
