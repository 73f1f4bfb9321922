"""Long checks in several processes, with a line of progress: what `make verify`, `make soak` and `make fuzz` share."""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

PATIENCE = 900  # seconds without any result: something hangs


@dataclasses.dataclass
class Result:
    """What one job has done: units of work, how often what came out, what was wrong (texts to be printed)."""

    done: int
    outcomes: Counter[str] = dataclasses.field(default_factory=Counter)
    wrong: list[str] = dataclasses.field(default_factory=list)


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
    return parser


def chosen(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """The games that a long check was asked for, each with its amount of work."""
    for game, usual in options.usual.items():
        if options.game in (game, None):
            print(f"{game}:", flush=True)
            yield game, usual if options.amount is None else options.amount


def run(work: Callable[[Any], Result], jobs: Iterator[Any], goal: int, unit: str, processes: int, most: int = 1) -> int:
    """Do jobs until so many units of work are done, or `most` things were found wrong.

    Args:
        work: what to do with a job, in another process; a function of a module.
        jobs: endless; a job is small: seconds.
        goal: units of work.
        unit: their name.
        processes: started anew (spawn), so that nothing of this process matters.
        most: found wrong things after which to stop.

    Returns:
        The exit status: 0 if nothing was wrong.
    """
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
