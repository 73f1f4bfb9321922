"""What has been done of the long checks, kept in a folder from one evening to the next."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import msgspec

from carnegie_env.core import files
from tests.nightly.running import FAILED, MISSING, PASSED, Outcome
from tests.nightly.steps import Part, Step

STATE = "state.json"
FORM = 2  # of it; 1 was of one commit
LEFT = "left"


@dataclasses.dataclass(frozen=True)
class State:
    """What the file of the state holds: its form, and what came of each part, by its name."""

    form: int
    outcomes: dict[str, Outcome]


@dataclasses.dataclass(frozen=True)
class Standing:
    """How far a check is: of the files as they are now.

    Args:
        step: the check.
        done: the parts that have been done, and what came of each.
        left: the parts that have not.
    """

    step: Step
    done: list[tuple[Part, Outcome]]
    left: list[Part]

    @property
    def result(self) -> str:
        """Passed, if all parts have; failed or missing, if one has; else left."""
        results = {outcome.result for _, outcome in self.done}
        if worst := results & {FAILED, MISSING}:
            return FAILED if FAILED in worst else MISSING
        return LEFT if self.left else PASSED

    @property
    def wrong(self) -> list[tuple[Part, Outcome]]:
        """The parts that have not passed."""
        return [(part, outcome) for part, outcome in self.done if outcome.result != PASSED]

    @property
    def seconds(self) -> float:
        """Of all parts that have been done."""
        return sum(outcome.seconds for _, outcome in self.done)

    @property
    def commits(self) -> Counter[str]:
        """The commits that the parts were done of, and how many of each."""
        return Counter(outcome.commit for _, outcome in self.done)

    @property
    def says(self) -> list[str]:
        """What the check said; of several parts, how much they have done together, and what is wrong with some."""
        if len(self.done) + len(self.left) == 1:
            return [text for _, outcome in self.done for text in outcome.says]
        if not self.done:
            return []
        counts = Counter[str]()
        for _, outcome in self.done:
            counts.update(outcome.counts)
        told = ", ".join(f"{number:,} {name}" for name, number in counts.items()) or "nothing"
        told += f" in {self.of_all(len(self.done))}; {self.done[0][0].whole:,} wanted in all"
        return [told, *(f"part {part.number}: {outcome.says[0]}" for part, outcome in self.wrong)]

    @property
    def still(self) -> str:
        """What is left of it."""
        return f"{self.step.name} ({self.of_all(len(self.left))})" if self.done else self.step.name

    def of_all(self, number: int) -> str:
        """So many of the parts."""
        return f"{number} of {len(self.done) + len(self.left)} parts"


class Night:
    """A folder with what has been done.

    Args:
        folder: of it; it is there.
        share: of every amount that is done here.
        kept: a file with the state of another folder, to go on from if this one is new.
    """

    def __init__(self, folder: Path, share: float, kept: Path | None = None) -> None:
        self.folder, self.share = folder, share
        self.outcomes: dict[str, Outcome] = {}
        path = folder / STATE
        if kept and not path.exists():
            path = kept
        if path.exists():
            try:
                state = msgspec.json.decode(path.read_bytes(), type=State)
                if state.form != FORM:
                    raise ValueError(f"form {state.form}, not {FORM}")
            except ValueError as error:  # msgspec's are, too
                raise SystemExit(f"{path} is damaged ({error}): delete it to begin anew") from None
            self.outcomes = state.outcomes

    def add(self, part: Part, outcome: Outcome) -> None:
        """Keep what came of a part; what came of it before, of whatever files, is forgotten."""
        self.outcomes[part.name] = outcome
        self.write(self.folder / STATE)

    def write(self, path: Path) -> None:
        """Write all outcomes, the way they are read again."""
        state = msgspec.json.encode(State(FORM, self.outcomes))
        files.write_whole(path, msgspec.json.format(state, indent=1) + b"\n")

    def standing(self, step: Step, digest: str) -> Standing:
        """How far a check is, by the digest of the files that it looks at."""
        done, left = [], []
        for part in step.parts(self.share):
            outcome = self.outcomes.get(part.name)
            if outcome and outcome.digest == digest:
                done.append((part, outcome))
            else:
                left.append(part)
        return Standing(step, done, left)

    def log(self, part: Part) -> Path:
        """The file for what a part prints."""
        return self.folder / f"{part.name}.log"
