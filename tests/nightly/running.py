"""Runs a part of a check to its end, and judges it by its exit status and by what it printed."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import subprocess
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from tests.nightly import tree
from tests.nightly.steps import Part, targets

LIMIT = 12 * 3600  # seconds for one part
PATIENCE = 10.0  # seconds that processes have to end when they are asked to
PASSED, FAILED, MISSING = "passed", "failed", "missing"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of a part of a check.

    Args:
        result: passed, failed or missing.
        command: what was run.
        commit: at hand then.
        digest: of the files that the check looks at.
        began: when, UTC.
        seconds: it took.
        counts: how much of what it has done; what the check's amount is about comes first.
        says: the lines that say so, or first why it has not passed.
    """

    result: str
    command: str
    commit: str
    digest: str
    began: str
    seconds: float = 0.0
    counts: dict[str, int] = dataclasses.field(default_factory=dict)
    says: list[str] = dataclasses.field(default_factory=list)


def run(part: Part, digest: str, log: Path, variables: list[str]) -> Outcome:
    """Run a part; what it prints goes to a file.

    Args:
        part: of a check.
        digest: of the files that the check looks at.
        log: the file.
        variables: NAME=VALUE for `make`.
    """
    start = time.monotonic()
    found = Outcome(FAILED, part.command, tree.commit(), digest, datetime.now(UTC).isoformat(" ", "seconds"))
    if part.step.target not in targets():
        return dataclasses.replace(found, result=MISSING, says=[f"the Makefile has no target {part.step.target}"])
    # Not the variables of the `make` that runs this: its ARGS, for one, would be the check's.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment = {name: value for name, value in inherited.items() if name != "ARGS"} | dict(part.step.settings)
    words = ["make", "--no-print-directory", part.step.target, f"ARGS={part.arguments}", *variables]
    with open(log, "wb") as out:
        child = subprocess.Popen(
            words, cwd=tree.ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            process_group=0,
        )  # fmt: skip
        try:
            status = child.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end(child)
    return judged(part, status, log, dataclasses.replace(found, seconds=time.monotonic() - start))


def end(child: subprocess.Popen[bytes]) -> None:
    """End what is left of a part: all processes of its group, also if the first of them has ended by itself."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + PATIENCE
        try:
            os.killpg(child.pid, number)
            while time.monotonic() < until:
                child.poll()  # a child that has ended counts until it was asked how
                os.killpg(child.pid, 0)
                time.sleep(0.05)
        except ProcessLookupError:  # nobody is left
            return


def judged(part: Part, status: int | None, log: Path, found: Outcome) -> Outcome:
    """Whether a part has passed: by its exit status (None: it did not end), and by what it printed."""
    fitting = [match for line in printed(log) if (match := re.match(part.step.says, line))]
    says, counts = [match[0] for match in fitting], Counter[str]()
    for match in fitting:
        counts.update({name: int(text.replace(",", "")) for name, text in match.groupdict().items()})
    found = dataclasses.replace(found, counts=dict(counts), says=says)
    if status is None:
        wrong = f"no end after {LIMIT / 3600:g} hours"
    elif status != 0:
        wrong = f"exit status {status}"
    elif not fitting:
        wrong = "it did not say what it has done"
    elif part.step.amount > 1 and (done := next(iter(counts.values()))) < part.wanted:
        wrong = f"{done:,} done, {part.wanted:,} wanted"
    else:
        return dataclasses.replace(found, result=PASSED)
    return dataclasses.replace(found, says=[wrong, *says])


def printed(log: Path) -> list[str]:
    """The lines that a part printed, without colours; of a line that was written over, what was last."""
    if not log.exists():
        return []
    text = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", log.read_text(encoding="utf-8", errors="replace"))
    return [line.rpartition("\r")[2].rstrip() for line in text.replace("\r\n", "\n").split("\n")]
