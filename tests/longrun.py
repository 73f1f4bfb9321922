"""Long checks in several processes, with progress: shared by `make verify`, `make soak` and `make fuzz`."""

import argparse
import dataclasses
import itertools
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from datetime import timedelta
from typing import Any

SILENCE = 900  # seconds without any result after which the processes are killed
PROGRESS = 30  # seconds between lines of progress


@dataclasses.dataclass
class Result:
    """The units of work that a job has done, how often each outcome occurred, and errors as texts."""

    done: int = 0
    outcomes: Counter[str] = dataclasses.field(default_factory=Counter)
    wrong: list[str] = dataclasses.field(default_factory=list)


def arguments(description: str | None, **defaults: int | None) -> argparse.ArgumentParser:
    """The options of all long checks; the keyword names the amount of work, as in --cases N."""
    ((unit, amount),) = defaults.items()
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument(f"--{unit}", type=int, default=amount, help=f"how many (default: {amount or 'see below'})")
    parser.add_argument("--seed", type=int, default=1, help="of the first game or case; others follow (default 1)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes (default: all cores)")
    return parser


def main(description: str | None, work: Callable[[Any], Result], amounts: dict[str, int]) -> int:
    """The command of a check that counts decisions, by game.

    Args:
        description: its first line is shown by --help.
        work: takes jobs (game, seed, number), with numbers from 0 on.
        amounts: decisions by game.
    """
    parser = arguments(description, decisions=None)
    parser.add_argument("--game", choices=[*amounts], help="(default: all, one after the other)")
    parser.epilog = "Default decisions: " + ", ".join(f"{number:,} of {game}" for game, number in amounts.items())
    options = parser.parse_args()
    failed = 0
    for game in [options.game] if options.game else amounts:
        print(f"{game}:", flush=True)
        jobs = zip(itertools.repeat(game), itertools.repeat(options.seed), itertools.count(), strict=False)
        goal = amounts[game] if options.decisions is None else options.decisions
        failed |= run(work, jobs, goal, "decisions", options.jobs)
    return failed


def run(work: Callable[[Any], Result], jobs: Iterable[Any], goal: int, unit: str, processes: int, most: int = 1) -> int:
    """Do jobs until `goal` units of work are done or `most` errors are found; returns the exit status.

    Args:
        work: a module's function, called with a job each in new processes (spawn).
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
            if any(isinstance(future.exception(), BrokenProcessPool) for future in finished):
                total.wrong.append(f"a process died; running: {list(running.values())}")
                break
            for future in finished:
                job = running.pop(future)
                if error := future.exception():  # of the check itself
                    total.wrong.append(f"job {job}: {type(error).__name__}: {error}")
                    continue
                result = future.result()
                total.done += result.done
                total.outcomes.update(result.outcomes)
                total.wrong += result.wrong
            if (spent := time.monotonic() - start) > shown + PROGRESS:
                clock = timedelta(seconds=round(spent))
                print(f"{total.done:,} of {goal:,} {unit} in {clock}", file=sys.stderr, flush=True)
                shown = spent
        pool.shutdown(wait=True, cancel_futures=True)
    spent = time.monotonic() - start
    print(f"{total.done:,} {unit} in {timedelta(seconds=round(spent))} ({total.done / max(spent, 1e-9):,.0f}/s)")
    for outcome, number in sorted(total.outcomes.items()):
        print(f"  {number:>12,}  {outcome}")
    print(*total.wrong, f"{len(total.wrong)} errors" if total.wrong else "no errors", sep="\n")
    return 1 if total.wrong else 0
