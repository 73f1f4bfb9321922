"""The report on the long checks, as a page of Markdown."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from carnegie_env import __version__, collection
from carnegie_env.core import files
from carnegie_env.core.signature import signature
from tests.nightly import steps, tree
from tests.nightly.night import Night, Standing
from tests.nightly.running import PASSED, printed

REPORT = "report.md"
SHOWN = 25  # lines of what a failed part printed last
WIDTH = 120  # of a line, but for the table's
SAID = 6  # lines of what a check says
PACKAGES = ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "msgspec", "torch", "pytest", "hypothesis")


def write(night: Night) -> None:
    """Write the report of all checks, as far as they are."""
    files.write_whole(night.folder / REPORT, text(night))


def keep(night: Night) -> list[Path]:
    """Write outcomes and report into the documents; returns their paths."""
    outcomes, page = paths = [tree.ROOT / name for name in tree.KEPT]
    page.parent.mkdir(parents=True, exist_ok=True)
    told = text(night)  # before there is a change that it would tell of
    night.write(outcomes)
    files.write_whole(page, told)
    return paths


def text(night: Night) -> str:
    """The report."""
    return "\n".join(lines(night)) + "\n"


def lines(night: Night) -> Iterator[str]:
    """The report, line by line."""
    digests = {scope: scope.digest() for scope in tree.SCOPES}
    standings = [night.standing(step, digests[step.scope]) for step in steps.STEPS]
    yield f"# Long checks of carnegie_env {__version__}"
    yield ""
    total = clock(sum(each.seconds for each in standings))
    yield from textwrap.wrap(f"**{summary(standings)} Time in all: {total}.**", WIDTH)
    yield ""
    if len(commits := in_all(standings)) > 1:
        told = ", ".join(f"{commit} ({number})" for commit, number in commits.items())
        yield from textwrap.wrap(
            f"Of several commits, with the number of checks or parts of checks done of each: {told}. The files that a "
            "check looks at are the same in those it was done of, and now.",
            WIDTH,
        )
        yield ""
    for name, value in about(digests, night.share):
        yield from textwrap.wrap(f"- {name}: {value}", WIDTH, subsequent_indent="  ")
    yield ""
    yield "| check | what | result | time | what it says | of | when | command |"
    yield "|---|---|---|---|---|---|---|---|"
    yield from (row(each, night.share) for each in standings if each.done)
    for part, outcome in (pair for each in standings for pair in each.wrong):
        last = [line for line in printed(night.log(part)) if line.strip()][-SHOWN:]
        yield from ("", f"## {part.name}: {outcome.result}", "", f"`{outcome.command}`, {outcome.began}", "", "```")
        yield from (line.replace("```", "'''")[:WIDTH] for line in last or outcome.says)
        yield "```"


def row(each: Standing, share: float) -> str:
    """A check's row of the table."""
    step, says = each.step, "<br>".join(text.replace("|", "\\|") for text in each.says[:SAID])
    result = f"{each.result}, {each.of_all(len(each.left))} left" if each.left else each.result
    of = f"{'; '.join(each.commits)} ({step.scope.name})"
    days = sorted({outcome.began.split()[0] for _, outcome in each.done})
    when = " to ".join(dict.fromkeys((days[0], days[-1])))
    cells = step.name, step.what, result, clock(each.seconds), says, of, when, f"`{step.command(share)}`"
    return f"| {' | '.join(cells)} |"


def summary(standings: list[Standing]) -> str:
    """What is left, what has passed, what has not."""
    left = [each.still for each in standings if each.left]
    wrong = [each.step.name for each in standings if each.wrong]
    passed = sum(each.result == PASSED for each in standings)
    told = f"not finished, left: {', '.join(left)}" if left else "all done"
    return f"{told}; {passed} passed, {len(wrong)} not" + (f" ({', '.join(wrong)})." if wrong else ".")


def in_all(standings: list[Standing]) -> Counter[str]:
    """The commits that the parts of all checks were done of, and how many of each."""
    return sum((each.commits for each in standings), Counter[str]())


def clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def about(digests: dict[tree.Scope, str], share: float) -> Iterator[tuple[str, str]]:
    """What there is to be said of tree, machine and programs."""
    versions = []
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{package} {importlib.metadata.version(package)}")
    yield "commit now", tree.commit()
    yield "digests of the files", ", ".join(f"{scope.name} {digest}" for scope, digest in digests.items())
    yield "share of the amounts", f"{share:g}"
    yield "engines' signatures", ", ".join(f"{name} {signature(game)}" for name, game in collection.games().items())
    yield "machine", f"{platform.system()} {platform.machine()}, {len(os.sched_getaffinity(0))} cores"
    yield "Python", platform.python_version()
    yield "packages", ", ".join(versions)
