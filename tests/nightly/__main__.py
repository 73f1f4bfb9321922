"""`make nightly`: see tests/nightly/__init__.py."""

from __future__ import annotations

import argparse
import math
import signal
import sys
import time

from carnegie_env.core import files
from tests import nightly
from tests.nightly import report, running, steps, tree
from tests.nightly.night import Night
from tests.nightly.running import PASSED
from tests.nightly.steps import Step


def share_of(text: str) -> float:
    """A share of all: above 0, at most 1."""
    share = float(text)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"a share is above 0 and at most 1, not {text}")
    return share


def minutes_of(text: str) -> float:
    """A time: 0 or more; with 0 nothing is begun, and the report is written."""
    minutes = float(text)
    if not minutes >= 0:
        raise argparse.ArgumentTypeError(f"a time is 0 minutes or more, not {text}")
    return minutes


def main(arguments: list[str] | None = None) -> int:
    """Do what is left, or print what there is to be done; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.nightly", description=nightly.__doc__.partition("\n")[0])
    names = [step.name for step in steps.STEPS]
    parser.add_argument("--share", type=share_of, default=1.0, help="of every amount (default: 1)")
    parser.add_argument("--minutes", type=minutes_of, default=math.inf, metavar="M",
                        help="begin no further part after so many minutes (default: go on to the end)")  # fmt: skip
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--skip", nargs="+", choices=names, metavar="NAME", default=[], help="all but these")
    parser.add_argument("--again", action="store_true", help="what failed or was missing is done again")
    parser.add_argument("--keep", action="store_true",
                        help="run none; write what has been done into the documents, for the repository")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="print the commands, run none")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable for each `make`")
    given = parser.parse_args(arguments)
    if given.keep and given.share < 1:
        parser.error(f"--keep: the documents say what came of all, not of a share of {given.share:g}")
    chosen = [step for step in steps.STEPS if step.name in (given.only or names) and step.name not in given.skip]
    if given.list:
        for step in chosen:
            print(f"{step.name:<20}  {step.command(given.share)}{remark(step, given.share)}")
        return 0
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that the part at hand is ended
    folder = tree.ROOT / "runs" / "nightly"
    if given.share < 1:
        folder /= f"share-{given.share:g}"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with files.lock(folder):
            night = Night(folder, given.share, tree.ROOT / tree.KEPT[0] if given.share == 1 else None)
            if given.keep:
                print(*report.keep(night), sep="\n")
                return 0
            return work(night, chosen, given)
    except BlockingIOError:
        print(f"{folder}: another process works there")
        return 1


def remark(step: Step, share: float) -> str:
    """What there is to be said beside a command."""
    if step.target not in steps.targets():
        return "   # the Makefile has no such target"
    number = len(step.parts(share))
    return f"   # in {number} parts, each with --part K/{number}" if number > 1 else ""


def work(night: Night, chosen: list[Step], given: argparse.Namespace) -> int:
    """Do what is left; returns the exit status."""
    until = time.monotonic() + 60 * given.minutes
    for step in chosen:
        digest = step.scope.digest()
        before = night.standing(step, digest)
        again = [part for part, _ in before.wrong] if given.again else []
        left = sorted([*before.left, *again], key=lambda part: part.number)
        if len(left) < len(step.parts(given.share)):
            told = f"before, {before.of_all(len(before.done))}" if before.left else "before"
            print(f"{step.name:<20}  {before.result:<8}{report.clock(before.seconds)}  ({told})", flush=True)
        for part in left:
            if time.monotonic() >= until:
                break
            known = night.outcomes.get(part.name)
            why = f"   # its files are others than at {known.commit}" if known and known.digest != digest else ""
            print(f"{step.name:<20}  {part.command} ...{why}", flush=True)
            outcome = running.run(part, digest, night.log(part), given.set)
            if step.scope.digest() != digest:
                print(f"files that {step.name} looks at have changed meanwhile, so this says nothing of them: stopped")
                report.write(night)
                return 1
            night.add(part, outcome)
            report.write(night)
            said = "; ".join(outcome.says[:3])
            print(f"{'':<20}  {outcome.result:<8}{report.clock(outcome.seconds)}  {said}", flush=True)
    report.write(night)
    standings = [night.standing(step, step.scope.digest()) for step in chosen]
    if any(each.left for each in standings) and time.monotonic() >= until:
        print(f"\n{given.minutes:g} minutes are over: the same command goes on with what is left")
    print(f"\n{report.summary(standings)}")
    spent = report.clock(sum(each.seconds for each in standings))
    print(f"time in all: {spent}; report: {night.folder / report.REPORT}")
    return 0 if all(each.result == PASSED for each in standings) else 1


if __name__ == "__main__":
    sys.exit(main())
