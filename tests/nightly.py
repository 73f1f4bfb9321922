"""All long checks to their ends, one after the other, and a report: `make nightly`.

    python -m tests.nightly [--share 0.01] [--only NAME ...] [--skip NAME ...] [--again] [--list]

Each check is a target of the Makefile. What fails does not stop the others; a target that the Makefile lacks is
reported as missing, which is a failure. A check has passed if its program ended well *and* said what it has done, as
much as was asked for. At the end: a table with the time of each and of all, and the exit status, 1 if anything is not
as it should be.

Everything stays in a folder of the commit's, runs/nightly/COMMIT (where the tree is not the commit's, with a digest of
it; with --share, with that): report.md, what each check printed, and state.json, each written whole after every check.
The same command goes on with what is left, whatever ended it; --again also repeats what failed. Ended by Ctrl-C or by
SIGTERM it ends the check at hand, too, which SIGKILL does not let it do. If the tree changes meanwhile, it stops: a
report is of one tree.

--share does that share of every amount, to try it all, or as a weekly share on a slower machine. Checks without an
amount run in a small form then, which the table of STEPS names, or as they are.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from carnegie_env import __version__, collection
from carnegie_env.core import files

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "runs" / "nightly"
STATE, REPORT = "state.json", "report.md"
FORM = 1  # of state.json
LIMIT = 12 * 3600  # seconds for one check
PATIENCE = 10.0  # seconds that processes have to end when they are asked to
SHOWN = 25  # lines of what a failed check printed last
PACKAGES = ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "msgspec", "torch", "pytest", "hypothesis")
PASSED, FAILED, MISSING = "passed", "failed", "missing"

DECISIONS = r"^([\d,]+) (?:checked )?decisions in .*"
CASES = r"^([\d,]+) cases in .*"
TESTS = r"^(?:=+ )?(\d+) passed.*? in .*"
FOUND = r"^found (\d+), survived .*"


@dataclasses.dataclass(frozen=True)
class Step:
    """A long check.

    Args:
        name: of the check, and of the file with what it prints.
        what: it shows, in a few words.
        target: of the Makefile.
        says: a pattern for the line with what it has done; it has not passed if no line fits. Its group is how much.
        arguments: ARGS of the target; `{amount}` is the amount.
        amount: in full; 0: it has none, and does the same always.
        least: the smallest amount that makes sense.
        small: ARGS if only a share is wanted, for checks without an amount; None: as in full.
        settings: of the environment.
    """

    name: str
    what: str
    target: str
    says: str
    arguments: str = ""
    amount: int = 0
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
        """The command as one would type it."""
        arguments = f" ARGS={shlex.quote(self.given(share))}" if self.given(share) else ""
        return " ".join([*(f"{name}={value}" for name, value in self.settings), f"make {self.target}"]) + arguments


BOUNDS = (("NUMBA_BOUNDSCHECK", "1"),)
STEPS = (
    Step("test", "the tests, types and style", "test", TESTS, small="-k catalogue"),
    Step(
        "verify-carnegie", "Carnegie's engine and its referee in lock-step", "verify", DECISIONS,
        "--game carnegie --decisions {amount}", 14_000_000,
    ),
    Step(
        "verify-steel-driver", "Steel Driver's engine and its referee in lock-step", "verify", DECISIONS,
        "--game steel_driver --decisions {amount}", 6_000_000,
    ),
    Step("fuzz", "spoilt input of every kind", "fuzz", CASES, "--cases {amount}", 1_000_000),
    Step(
        "fuzz-memory", "calls of Batch and Position, indices checked", "fuzz", CASES,
        "--target memory --cases {amount}", 12_500, settings=BOUNDS,
    ),
    Step(
        "soak-carnegie", "Carnegie with the checks compiled in", "soak", DECISIONS,
        "--game carnegie --decisions {amount}", 140_000_000,
    ),
    Step(
        "soak-steel-driver", "Steel Driver with the checks compiled in", "soak", DECISIONS,
        "--game steel_driver --decisions {amount}", 60_000_000,
    ),
    Step(
        "bounds-carnegie", "the same, and every array index checked", "soak", DECISIONS,
        "--game carnegie --decisions {amount}", 7_000_000, settings=BOUNDS,
    ),
    Step(
        "bounds-steel-driver", "the same, and every array index checked", "soak", DECISIONS,
        "--game steel_driver --decisions {amount}", 3_000_000, settings=BOUNDS,
    ),
    Step(
        "mutants-carnegie", "mistakes seeded into Carnegie are found", "mutants", FOUND,
        "--game carnegie --number {amount}", 500,
    ),
    Step(
        "mutants-steel-driver", "mistakes seeded into Steel Driver are found", "mutants", FOUND,
        "--game steel_driver --number {amount}", 200,
    ),
    Step(
        "every-value", "every value of every component table counts", "every-value", r"^(\d+) values looked at, 0 .*",
        "--every {amount}", 1,
    ),
    Step("kills", "training killed at random moments", "kills", TESTS),
    Step(
        "clients", "other people's programs, current releases", "clients", r"^(\d+) works, .*", small="readers",
    ),
    Step("web", "the page in a browser", "test-web", TESTS, small="-k keyboard"),
    Step("ray", "games and training on a cluster that loses nodes, RLlib", "test-ray", TESTS),
    Step(
        "package", "the archives, in clean environments", "package", r"^.*  build, look into both archives  +works.*",
        small="--build-only",
    ),
    Step(
        "notebooks", "the notebooks, from top to end", "notebooks", r"^[\w.-]+\.ipynb: .* works",
        small="notebooks/1-a-first-game.ipynb",
    ),
    Step("docs", "the site builds without a warning", "docs", r'^\{"pages": (\d+), "faults": 0.*'),
    Step("docs-test", "all code of the documents runs", "docs-test", TESTS, small="-k readme"),
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of a check.

    Args:
        result: passed, failed or missing.
        command: what was run.
        seconds: it took.
        began: when, UTC.
        says: the lines with what it has done, or why it has not.
    """

    result: str
    command: str
    seconds: float
    began: str
    says: list[str]


# ---------------------------------------------------------------- the tree
def git(*words: str) -> str | None:
    """What git says; None outside of a repository."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8")
    return done.stdout.strip() if done.returncode == 0 else None


def digest() -> str:
    """A digest of all files that belong to the project: tracked ones and new ones that git does not ignore."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is None:
        skipped = {"runs", "__pycache__", "dist", "build"}
        found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
        names = [str(path) for path in found if not skipped & set(path.parts) and not path.parts[0].startswith(".")]
    else:
        names = listed.split("\0")
    total = hashlib.sha256()
    for name in sorted({*names} - {""}):
        content = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"gone"
        total.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return total.hexdigest()


def tree() -> str:
    """The commit, with a digest of the tree where that is another; what the folder of the report is called by."""
    commit = git("rev-parse", "--short=12", "HEAD")
    if commit is None:
        return f"tree-{digest()[:12]}"
    return commit if not git("status", "--porcelain") else f"{commit}-changed-{digest()[:12]}"


def targets() -> set[str]:
    """The targets of the Makefile."""
    return set(re.findall(r"^([a-z][\w-]*):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


# ---------------------------------------------------------------- running
def run(step: Step, share: float, log: Path, variables: list[str]) -> Outcome:
    """Run a check; what it prints goes to a file."""
    began, start = datetime.now(UTC).isoformat(" ", "seconds"), time.monotonic()
    command = step.command(share)
    if step.target not in targets():
        return Outcome(MISSING, command, 0.0, began, [f"the Makefile has no target {step.target}"])
    # Not the variables of the `make` that runs this: its ARGS, for one, would be the check's.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment = {name: value for name, value in inherited.items() if name != "ARGS"} | dict(step.settings)
    words = ["make", "--no-print-directory", step.target, f"ARGS={step.given(share)}", *variables]
    with open(log, "wb") as out:
        child = subprocess.Popen(
            words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            process_group=0,
        )  # fmt: skip
        try:
            status = child.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end(child)
    return judged(step, share, status, log, Outcome(FAILED, command, time.monotonic() - start, began, []))


def end(child: subprocess.Popen[bytes]) -> None:
    """End what is left of a check: all processes of its group, also if the first of them has ended by itself."""
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


def judged(step: Step, share: float, status: int | None, log: Path, found: Outcome) -> Outcome:
    """Whether a check has passed: by its exit status (None: it did not end), and by what it printed."""
    lines = printed(log)
    fitting = [match for line in lines if (match := re.match(step.says, line))]
    says = [match[0] for match in fitting]
    if status is None:
        wrong = f"no end after {LIMIT / 3600:g} hours"
    elif status != 0:
        wrong = f"exit status {status}"
    elif not fitting:
        wrong = "it did not say what it has done"
    elif step.amount > 1 and (done := sum(int(m[1].replace(",", "")) for m in fitting)) < step.wanted(share):
        wrong = f"{done:,} done, {step.wanted(share):,} wanted"
    else:
        return dataclasses.replace(found, result=PASSED, says=says)
    return dataclasses.replace(found, says=[wrong, *says])


def printed(log: Path) -> list[str]:
    """The lines that a check printed, without colours; of a line that was written over, what was last."""
    if not log.exists():
        return []
    text = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", log.read_text(encoding="utf-8", errors="replace"))
    return [line.rpartition("\r")[2].rstrip() for line in text.replace("\r\n", "\n").split("\n")]


# ---------------------------------------------------------------- what is kept
class Night:
    """A folder with what has been done of a tree.

    Args:
        folder: of it; another process that works there is refused.
        about: what the report says of tree, machine and programs.
    """

    def __init__(self, folder: Path, about: dict[str, Any]) -> None:
        self.folder, self.about = folder, about
        self.outcomes: dict[str, Outcome] = {}
        path = folder / STATE
        if path.exists():
            try:
                kept = json.loads(path.read_text(encoding="utf-8"))
                if kept["form"] != FORM:
                    raise ValueError(f"form {kept['form']}, not {FORM}")
                self.outcomes = {name: Outcome(**each) for name, each in kept["outcomes"].items()}
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise SystemExit(f"{path} is damaged ({error}): delete it to begin anew") from None

    def add(self, step: Step, outcome: Outcome, steps: list[Step]) -> None:
        """Keep what came of a check, and write the report."""
        self.outcomes[step.name] = outcome
        kept = {name: dataclasses.asdict(each) for name, each in self.outcomes.items()}
        files.write_whole(self.folder / STATE, json.dumps({"form": FORM, "outcomes": kept}, indent=1) + "\n")
        self.write(steps)

    def write(self, steps: list[Step]) -> None:
        """Write the report."""
        files.write_whole(self.folder / REPORT, "\n".join(self.report(steps)) + "\n")

    def report(self, steps: list[Step]) -> Iterator[str]:
        """The report as Markdown, line by line."""
        left = [step.name for step in steps if step.name not in self.outcomes]
        wrong = [name for name, each in self.outcomes.items() if each.result != PASSED]
        state = f"not finished, left: {', '.join(left)}" if left else "all done"
        yield f"# Long checks of carnegie_env {__version__}"
        yield ""
        told = f"{len(self.outcomes) - len(wrong)} passed, {len(wrong)} not" + (
            f" ({', '.join(wrong)})" if wrong else ""
        )
        yield f"**{state}; {told}. Time in all: {clock(self.seconds())}.**"
        yield ""
        yield from (f"- {name}: {value}" for name, value in self.about.items())
        yield ""
        yield "| check | what | result | time | what it says | command |"
        yield "|---|---|---|---|---|---|"
        for step in STEPS:
            if each := self.outcomes.get(step.name):
                says = "<br>".join(text.replace("|", "\\|") for text in each.says[:6])
                yield (
                    f"| {step.name} | {step.what} | {each.result} | {clock(each.seconds)} | {says} | `{each.command}` |"
                )
        for name in wrong:
            lines = [line for line in printed(self.folder / f"{name}.log") if line.strip()][-SHOWN:]
            yield from ("", f"## {name}: {self.outcomes[name].result}", "", "```")
            yield from (line.replace("```", "'''")[:300] for line in lines or self.outcomes[name].says)
            yield "```"

    def seconds(self) -> float:
        """Of all checks together."""
        return sum(each.seconds for each in self.outcomes.values())


def clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def about(named: str, share: float) -> dict[str, Any]:
    """What the report says of tree, machine and programs."""
    from carnegie_env.core.signature import signature

    versions = []
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{package} {importlib.metadata.version(package)}")
    engines = (f"{name} {signature(game)}" for name, game in collection.games().items())
    return {
        "commit": named,
        "tree": digest(),
        "share of the amounts": f"{share:g}",
        "engines' signatures": ", ".join(engines),
        "machine": f"{platform.system()} {platform.machine()}, {len(os.sched_getaffinity(0))} cores",
        "Python": platform.python_version(),
        "packages": ", ".join(versions),
    }


# ---------------------------------------------------------------- the command
def share_of(text: str) -> float:
    """A share of all: above 0, at most 1."""
    share = float(text)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"a share is above 0 and at most 1, not {text}")
    return share


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.nightly", description=(__doc__ or "").partition("\n")[0])
    names = [step.name for step in STEPS]
    parser.add_argument("--share", type=share_of, default=1.0, help="of every amount (default: 1)")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--skip", nargs="+", choices=names, metavar="NAME", default=[], help="all but these")
    parser.add_argument("--again", action="store_true", help="what failed or was missing is done again")
    parser.add_argument("--list", action="store_true", help="print the commands, run none")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable for each `make`")
    given = parser.parse_args(arguments)
    steps = [step for step in STEPS if step.name in (given.only or names) and step.name not in given.skip]
    if given.list:
        for step in steps:
            known = "" if step.target in targets() else "   # the Makefile has no such target"
            print(f"{step.name:<20}  {step.command(given.share)}{known}")
        return 0
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that the check at hand is ended
    named = tree()
    folder = KEPT / (named if given.share == 1 else f"{named}-share-{given.share:g}")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with files.lock(folder):
            return work(Night(folder, about(named, given.share)), steps, given)
    except BlockingIOError:
        print(f"{folder}: another process works there")
        return 1


def work(night: Night, steps: list[Step], given: argparse.Namespace) -> int:
    """Do what is left; returns the exit status."""
    for step in steps:
        before = night.outcomes.get(step.name)
        if before and (before.result == PASSED or not given.again):
            print(f"{step.name:<20}  {before.result:<8}{clock(before.seconds)}  (before)", flush=True)
            continue
        print(f"{step.name:<20}  {step.command(given.share)} ...", flush=True)
        outcome = run(step, given.share, night.folder / f"{step.name}.log", given.set)
        if digest() != night.about["tree"]:
            print(f"the tree has changed since {night.about['commit']}, so this says nothing of it: stopped")
            return 1
        night.add(step, outcome, steps)
        print(f"{'':<20}  {outcome.result:<8}{clock(outcome.seconds)}  {'; '.join(outcome.says[:3])}", flush=True)
    night.write(steps)
    wrong = [step.name for step in steps if night.outcomes[step.name].result != PASSED]
    print(f"\n{len(steps) - len(wrong)} passed, {len(wrong)} not{': ' if wrong else ''}{', '.join(wrong)}")
    print(f"time in all: {clock(night.seconds())}; report: {night.folder / REPORT}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
