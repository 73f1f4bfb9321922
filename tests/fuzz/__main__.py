"""`make fuzz`: malformed input of all kinds, see tests/fuzz/__init__.py."""

import itertools
import random
import sys
from collections.abc import Iterator

from tests import fuzz, longrun
from tests.fuzz import GAMES, SLOW_TARGETS, TARGETS

CASES_IN_A_JOB = 50


def jobs(seed: int, only: str | None, game: str | None, cases: int) -> Iterator[tuple[str, int, int]]:
    """Targets (of a game) by their shares; in large runs, a few slow ones at the start."""
    if only:
        size = min(cases, 2 if only in SLOW_TARGETS else CASES_IN_A_JOB)
        yield from ((only, seed + number * size, size) for number in itertools.count())
    if cases >= 10_000 and game in (None, "carnegie"):
        yield from (("own_facts", seed + 2 * k, 2) for k in range(10))
    targets = GAMES[game] if game else tuple(TARGETS)
    order = [name for name in targets for _ in range(TARGETS[name][1])]
    random.Random(0).shuffle(order)
    for number, name in enumerate(itertools.cycle(order)):
        yield name, seed + number * CASES_IN_A_JOB, CASES_IN_A_JOB


def main() -> int:
    parser = longrun.arguments(__doc__, cases=100_000)
    parser.add_argument("--target", choices=[*TARGETS, *SLOW_TARGETS], help="only this kind of input")
    parser.add_argument("--game", choices=[*GAMES], help="only the kinds of input of this game")
    options = parser.parse_args()
    found = jobs(options.seed, options.target, options.game, options.cases)
    return longrun.run(fuzz.work, found, options.cases, "cases", options.jobs, most=20)


if __name__ == "__main__":
    sys.exit(main())
