"""The long checks: the targets of the Makefile, with how much of each is done, in which parts, and of which files."""

from __future__ import annotations

import dataclasses
import re
import shlex

from tests.nightly import tree
from tests.nightly.tree import ALL, CODE, ENGINE, TESTED, Scope

# What a check says that it has done. The names are those in the report; the first is what the check's amount counts.
DECISIONS = r"^(?P<decisions>[\d,]+) (?:checked )?decisions in .*"
CASES = r"^(?P<cases>[\d,]+) cases in .*"
TESTS = r"^(?:=+ )?(?P<passed>\d+) passed.*? in .*"
FOUND = r"^found (?P<found>\d+), survived (?P<survived>\d+) .*"


@dataclasses.dataclass(frozen=True)
class Step:
    """A long check.

    Args:
        name: of the check, and of the file with what it prints.
        what: it shows, in a few words.
        target: of the Makefile.
        scope: the files that it depends on; in doubt the larger one.
        says: a pattern for the line with what it has done; it has not passed if no line fits. Its groups are how much.
        arguments: ARGS of the target; `{amount}` is the amount.
        amount: in full; 0: it has none, and does the same always.
        part: the largest amount that is done at a time, half an hour's on 2 cores; 0: all. The program divides the work
            by its option --part.
        least: the smallest amount that makes sense.
        small: ARGS if only a share is wanted, for checks without an amount; None: as in full.
        settings: of the environment.
    """

    name: str
    what: str
    target: str
    scope: Scope
    says: str
    arguments: str = ""
    amount: int = 0
    part: int = 0
    least: int = 1
    small: str | None = None
    settings: tuple[tuple[str, str], ...] = ()

    def wanted(self, share: float) -> int:
        """The amount of a share."""
        return max(round(self.amount * share), self.least) if self.amount else 0

    def given(self, share: float) -> str:
        """ARGS for a share."""
        if self.amount:
            # The sweep takes every N-th value: the rarer, the less.
            amount = self.wanted(share) if "--every " not in self.arguments else max(round(1 / share), 1)
            return self.arguments.format(amount=amount)
        return self.arguments if share >= 1 or self.small is None else self.small

    def command(self, share: float) -> str:
        """The command for the whole share, as one would type it."""
        return self.typed(self.given(share))

    def typed(self, arguments: str) -> str:
        """The command with these ARGS, as one would type it."""
        told = f" ARGS={shlex.quote(arguments)}" if arguments else ""
        return " ".join([*(f"{name}={value}" for name, value in self.settings), f"make {self.target}"]) + told

    def parts(self, share: float) -> list[Part]:
        """What is done one after the other for a share."""
        number = -(-self.wanted(share) // self.part) if self.part else 1
        return [Part(self, share, k, number) for k in range(1, number + 1)]


@dataclasses.dataclass(frozen=True)
class Part:
    """What is done of a check at a time.

    Args:
        step: the check.
        share: of its amount.
        number: of the part, from 1.
        of: how many parts there are.
    """

    step: Step
    share: float
    number: int
    of: int

    @property
    def name(self) -> str:
        """Of the part, and of the file with what it prints."""
        return self.step.name if self.of == 1 else f"{self.step.name}-{self.number}-of-{self.of}"

    @property
    def whole(self) -> int:
        """The amount of all parts."""
        return self.step.wanted(self.share)

    @property
    def wanted(self) -> int:
        """The amount that must be done. Parts are as large as each other, but for what does not divide."""
        return self.whole // self.of

    @property
    def arguments(self) -> str:
        """ARGS of the target."""
        given = self.step.given(self.share)
        return given if self.of == 1 else f"{given} --part {self.number}/{self.of}"

    @property
    def command(self) -> str:
        """The command as one would type it."""
        return self.step.typed(self.arguments)


def targets() -> set[str]:
    """The targets of the Makefile."""
    text = (tree.ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][\w-]*):(?!=)", text, re.MULTILINE))


BOUNDS = (("NUMBA_BOUNDSCHECK", "1"),)
LONG = (("CARNEGIE_LONG", "1"),)
STEPS: tuple[Step, ...] = (
    Step(  # killed training is among it, what `make kills` does
        "test", "the tests with all that they look at, types and style", "test", ALL, TESTS, small="-k catalogue",
        settings=LONG,
    ),
    Step(
        "verify-carnegie", "Carnegie's engine and its referee in lock-step", "verify", ENGINE, DECISIONS,
        "--game carnegie --decisions {amount}", 14_000_000, 1_750_000,
    ),
    Step(
        "verify-steel-driver", "Steel Driver's engine and its referee in lock-step", "verify", ENGINE, DECISIONS,
        "--game steel_driver --decisions {amount}", 6_000_000, 3_000_000,
    ),
    Step("fuzz", "spoilt input of every kind", "fuzz", ENGINE, CASES, "--cases {amount}", 1_000_000, 100_000),
    Step(
        "fuzz-memory", "calls of Batch and Position, indices checked", "fuzz", ENGINE, CASES,
        "--target memory --cases {amount}", 12_500, settings=BOUNDS,
    ),
    Step(
        "soak-carnegie", "Carnegie with the checks compiled in", "soak", ENGINE, DECISIONS,
        "--game carnegie --decisions {amount}", 140_000_000, 70_000_000,
    ),
    Step(
        "soak-steel-driver", "Steel Driver with the checks compiled in", "soak", ENGINE, DECISIONS,
        "--game steel_driver --decisions {amount}", 60_000_000,
    ),
    Step(
        "bounds-carnegie", "the same, and every array index checked", "soak", ENGINE, DECISIONS,
        "--game carnegie --decisions {amount}", 7_000_000, settings=BOUNDS,
    ),
    Step(
        "bounds-steel-driver", "the same, and every array index checked", "soak", ENGINE, DECISIONS,
        "--game steel_driver --decisions {amount}", 3_000_000, settings=BOUNDS,
    ),
    Step(  # which tests execute which line is found out by the first part, and kept for the others
        "mutants-carnegie", "mistakes seeded into Carnegie are found", "mutants", TESTED, FOUND,
        "--game carnegie --number {amount} --recording runs/nightly/mutants-carnegie.json", 500, 170,
    ),
    Step(
        "mutants-steel-driver", "mistakes seeded into Steel Driver are found", "mutants", TESTED, FOUND,
        "--game steel_driver --number {amount}", 200,
    ),
    Step(
        "every-value", "every value of every component table counts", "every-value", ENGINE,
        r"^(?P<values>\d+) values looked at, 0 .*", "--every {amount}", 1,
    ),
    Step(
        "clients", "other people's programs, current releases", "clients", ALL, r"^(?P<works>\d+) works, .*",
        small="readers",
    ),
    Step("web", "the page in a browser", "test-web", CODE, TESTS, small="-k keyboard"),
    Step("ray", "games and training on a cluster that loses nodes, RLlib", "test-ray", ALL, TESTS),
    Step(
        "package", "the archives, in clean environments", "package", ALL,
        r"^.*  build, look into both archives  +works.*", small="--build-only",
    ),
    Step(
        "notebooks", "the notebooks, from top to end", "notebooks", ALL, r"^[\w.-]+\.ipynb: .* works",
        small="notebooks/1-a-first-game.ipynb",
    ),
    Step("docs", "the site builds without a warning", "docs", ALL, r'^\{"pages": (?P<pages>\d+), "faults": 0.*'),
    Step("docs-test", "all code of the documents runs", "docs-test", ALL, TESTS, small="-k readme"),
)  # fmt: skip
