"""Long checks in several processes, with a line of progress: what `make verify`, `make soak` and `make fuzz` share."""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from datetime import timedelta
from typing import Any

SILENCE = 900  # seconds without any result after which the processes are ended
PROGRESS = 30  # seconds from one line of progress to the next


@dataclasses.dataclass
class Result:
    """What one job has done: units of work, how often each outcome occurred, errors as texts."""

    done: int = 0
    outcomes: Counter[str] = dataclasses.field(default_factory=Counter)
    wrong: list[str] = dataclasses.field(default_factory=list)

    def add(self, other: Result) -> None:
        self.done += other.done
        self.outcomes.update(other.outcomes)
        self.wrong += other.wrong


def arguments(description: str | None, **defaults: int | dict[str, int]) -> argparse.ArgumentParser:
    """The options of all long checks; the keyword names the amount of work, as in --decisions N: a number, or a number
    for each game of the collection, one of which --game chooses (see :func:`chosen`)."""
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
    """The games that a long check is asked for, each with its amount of work."""
    for game, usual in options.usual.items():
        if options.game in (game, None):
            print(f"{game}:", flush=True)
            yield game, usual if options.amount is None else options.amount


def run(work: Callable[[Any], Result], jobs: Iterable[Any], goal: int, unit: str, processes: int, most: int = 1) -> int:
    """Do jobs until `goal` units of work are done or `most` errors are found; returns the exit status.

    Args:
        work: a function of a module; new processes (spawn) call it with a job each.
        jobs: endless; a job takes seconds.
        goal: units of work.
        unit: their name.
        processes: how many work at the same time.
        most: errors after which to stop.
    """
    jobs, total, running, start, shown = iter(jobs), Result(), dict[Future[Result], Any](), time.monotonic(), 0.0
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        while total.done < goal and len(total.wrong) < most:
            while len(running) < 2 * processes:
                job = next(jobs)
                running[pool.submit(work, job)] = job
            finished, _ = wait(running, SILENCE, FIRST_COMPLETED)
            if not finished:
                total.wrong.append(f"no job ended in {SILENCE} s; running: {list(running.values())}")
                for process in multiprocessing.active_children():
                    process.kill()
                break
            for future in finished:
                total.add(_result(future, running.pop(future)))
            if any(isinstance(future.exception(), BrokenProcessPool) for future in finished):
                total.wrong.append(f"a process died; also running: {list(running.values())}")
                break
            if (spent := time.monotonic() - start) > shown + PROGRESS:
                print(f"{total.done:,} of {goal:,} {unit} in {_clock(spent)}", file=sys.stderr, flush=True)
                shown = spent
        pool.shutdown(wait=True, cancel_futures=True)
    spent = time.monotonic() - start
    print(f"{total.done:,} {unit} in {_clock(spent)} ({total.done / max(spent, 1e-9):,.0f}/s)")
    for outcome, number in sorted(total.outcomes.items()):
        print(f"  {number:>12,}  {outcome}")
    print(*total.wrong, f"{len(total.wrong)} wrong" if total.wrong else "nothing wrong", sep="\n")
    return 1 if total.wrong else 0


def _result(future: Future[Result], job: Any) -> Result:
    try:
        return future.result()
    except Exception as error:  # of the check itself
        return Result(wrong=[f"job {job}: {type(error).__name__}: {error}"])


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
