"""Long checks in several processes, with a line of progress: what `make verify`, `make soak` and `make fuzz` share."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import multiprocessing
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

PATIENCE = 900  # seconds without any result: something hangs
T = TypeVar("T")


@dataclasses.dataclass
class Result:
    """What one job has done: units of work, how often what came out, what was wrong (texts to be printed)."""

    done: int
    outcomes: Counter[str] = dataclasses.field(default_factory=Counter)
    wrong: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Part:
    """One of several parts of a long check, which together are the whole.

    Of the jobs, in the order that the seed gives them, part K of N takes the K-th and every N-th from there. So no two
    parts do the same, whatever a job makes of its number, and together they go through all that the whole goes through:
    parts with a seed of their own would each begin anew with the first modes and styles of play.

    Attributes:
        number: which one, from 1.
        of: how many there are.
    """

    number: int = 1
    of: int = 1

    @classmethod
    def read(cls, text: str) -> Part:
        """A part as it is asked for; argparse.ArgumentTypeError says what is wrong."""
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise argparse.ArgumentTypeError(f"a part is K/N, as 1/8 or 8/8, not {text}")
        return cls(int(found[1]), int(found[2]))

    def jobs(self, whole: Iterable[T]) -> Iterator[T]:
        """Those of the whole's that are the part's."""
        return itertools.islice(whole, self.number - 1, None, self.of)

    def amount(self, whole: int) -> int:
        """How much of the whole is the part's; rounded up."""
        return -(-whole // self.of)


def arguments(description: str | None, **defaults: int | dict[str, int]) -> argparse.ArgumentParser:
    """The options that all long checks have; the keyword is the amount of work, as in --decisions N: a number, or a
    number for each game of the collection, of which one can be chosen by --game (see :func:`chosen`)."""
    ((what, amount),) = defaults.items()
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    if isinstance(amount, int):
        parser.add_argument(f"--{what}", type=int, default=amount, help=f"how many (default {amount:,})")
    else:
        usual = ", ".join(f"{number:,} of {game}" for game, number in amount.items())
        parser.add_argument("--game", choices=[*amount], help="of the collection (default: all, one after the other)")
        parser.add_argument(f"--{what}", dest="amount", type=int, help=f"how many (default {usual})")
        parser.set_defaults(usual=amount)
    parser.add_argument("--seed", type=int, default=1, help="of the first game or case; others follow (default 1)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes (default: all cores)")
    part_argument(parser)
    return parser


def part_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option --part."""
    whole = "K of N parts that together are the whole, whose amount is given"
    parser.add_argument("--part", type=Part.read, default=Part(), metavar="K/N", help=f"only part {whole}")


def chosen(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """The games that a long check was asked for, each with its amount of work."""
    for game, usual in options.usual.items():
        if options.game in (game, None):
            print(f"{game}:", flush=True)
            yield game, usual if options.amount is None else options.amount


def run(
    work: Callable[[Any], Result], jobs: Iterator[Any], goal: int, unit: str, options: argparse.Namespace, most: int = 1
) -> int:
    """Do jobs until so many units of work are done, or `most` things were found wrong.

    Args:
        work: what to do with a job, in another process; a function of a module.
        jobs: of the whole, endless; a job is small: seconds.
        goal: units of work of the whole.
        unit: their name.
        options: of :func:`arguments`. The processes are started anew (spawn), so that nothing of this one matters.
        most: found wrong things after which to stop.

    Returns:
        The exit status: 0 if nothing was wrong.
    """
    jobs, goal, processes = options.part.jobs(jobs), options.part.amount(goal), options.jobs
    show = _Progress(goal, unit)
    total = Result(0)
    running: dict[Future[Result], Any] = {}
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        while total.done < goal and len(total.wrong) < most:
            while len(running) < 2 * processes:
                job = next(jobs)
                running[pool.submit(work, job)] = job
            finished, _ = wait(running, PATIENCE, FIRST_COMPLETED)
            if not finished:
                total.wrong.append(f"no job ended in {PATIENCE} s; these were running: {list(running.values())}")
                for process in multiprocessing.active_children():
                    process.kill()
                break
            if not all(_add(total, future, running) for future in finished):
                break
            show.update(total)
        pool.shutdown(wait=True, cancel_futures=True)
    show.end(total)
    for text in total.wrong:
        print(text)
    return 1 if total.wrong else 0


def _add(total: Result, future: Future[Result], running: dict[Future[Result], Any]) -> bool:
    """Add what a job has done; false if its process died, and with it the pool."""
    job = running.pop(future)
    try:
        result = future.result()
    except BrokenProcessPool:
        total.wrong.append(f"a process died in one of these jobs: {[job, *running.values()]}")
        return False
    except Exception as error:  # of the check itself
        total.wrong.append(f"job {job}: {type(error).__name__}: {error}")
        return True
    total.done += result.done
    total.outcomes.update(result.outcomes)
    total.wrong += result.wrong
    return True


class _Progress:
    """One line that is written over, or one every half minute where that is not possible."""

    def __init__(self, goal: int, unit: str) -> None:
        self.goal, self.unit, self.start, self.last = goal, unit, time.monotonic(), 0.0
        self.live = sys.stderr.isatty()

    def update(self, total: Result) -> None:
        now = time.monotonic()
        if now - self.last < (0.2 if self.live else 30):
            return
        self.last = now
        spent = now - self.start
        left = spent * (self.goal - total.done) / max(total.done, 1)
        text = f"{total.done:,} of {self.goal:,} {self.unit}, {min(total.done / self.goal, 1):.0%}, {_time(spent)} gone"
        text += f", {_time(max(left, 0))} left" if total.done else ""
        print(f"\r{text}\x1b[K" if self.live else text, end="" if self.live else "\n", file=sys.stderr, flush=True)

    def end(self, total: Result) -> None:
        spent = time.monotonic() - self.start
        if self.live:
            print("\r\x1b[K", end="", file=sys.stderr)
        print(f"{total.done:,} {self.unit} in {_time(spent)} ({total.done / max(spent, 1e-9):,.0f}/s)")
        for outcome, number in sorted(total.outcomes.items()):
            print(f"  {number:>12,}  {outcome}")
        print(f"{len(total.wrong)} wrong" if total.wrong else "nothing wrong")


def _time(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
