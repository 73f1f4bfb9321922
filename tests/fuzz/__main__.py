"""`make fuzz`: see tests/fuzz/__init__.py."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator

from tests import fuzz, longrun
from tests.fuzz import SLOW_TARGETS, TARGETS

CASES_IN_A_JOB = 50


def jobs(seed: int, only: str | None, cases: int) -> Iterator[tuple[str, int, int]]:
    """Targets by their shares; a few of the slow ones at the start."""
    if only:
        for number in itertools.count():
            size = min(cases, 2 if only in SLOW_TARGETS else CASES_IN_A_JOB)
            yield only, seed + number * size, size
    if cases >= 10_000:
        yield from (("own_facts", seed + 2 * k, 2) for k in range(10))
    order = [name for name, (_, share) in TARGETS.items() for _ in range(share)]
    random.Random(0).shuffle(order)
    for number, name in enumerate(itertools.cycle(order)):
        yield name, seed + number * CASES_IN_A_JOB, CASES_IN_A_JOB


def main() -> int:
    parser = longrun.arguments(__doc__, cases=100_000)
    parser.add_argument("--target", choices=[*TARGETS, *SLOW_TARGETS], help="only this kind of input")
    options = parser.parse_args()
    found = jobs(options.seed, options.target, options.cases)
    return longrun.run(fuzz.work, found, options.cases, "cases", options.jobs, most=20)


if __name__ == "__main__":
    sys.exit(main())
