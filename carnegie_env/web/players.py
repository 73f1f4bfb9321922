"""The agents of a server, which run in worker processes under time limits.

Each worker process has a thread here that passes it one question at a time. While one process compiles an agent's code
for a game, the others continue. No agent can occupy all processes: a slow or hanging one delays only its own tables.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from carnegie_env.agents import level, registry
from carnegie_env.core import information
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import number_of_threads
from carnegie_env.workers import answers
from carnegie_env.workers.processes import Process

AT_ONCE = "random"  # the agent that needs no process
MOST_MS, MOST_EVALS, MOST_DRAWS = 10_000, 1_000_000, 64  # the largest budgets that anyone may ask for
BUDGETS = {"search": {"ms": MOST_MS, "evals": MOST_EVALS, "decisions": MOST_EVALS}, "value": {"draws": MOST_DRAWS}}
USAGE = {
    "level": "level[:1-10]", "search": "search[:ms=N,evals=N]", "value": "value[:draws=N]", "greedy": "greedy",
    "random": "random",
}  # fmt: skip
REVIEW_SECONDS = {"quick": 300, "thorough": 1800}  # time limits of reviews, by budget
MOST_WAITING = 2_000  # questions
TABLES_FIRST, ANALYSIS, WARM_UP = range(3)  # priorities
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Question:
    """A question to an agent.

    Args:
        name: of the agent, with its budget.
        seed: of its random choices.
        position: the game; the agent sees it as the player to move does.
    """

    name: str
    seed: int
    position: BasePosition[Any]


@dataclasses.dataclass(frozen=True)
class _Job:
    order: tuple[int, int]  # priority and number
    what: str
    question: Question  # as the player to move sees it
    answer: Future[Any]

    @property
    def program(self) -> tuple[str, str]:
        """The code to load, and perhaps to compile, once."""
        return self.question.name.partition(":")[0], self.question.position.game.name


class NotAllowed(ValueError):
    """An agent that is not offered here; the message lists the agents that are."""


def check_name(name: str, allowed: Sequence[str] = ()) -> None:
    """Raise NotAllowed unless the agent is offered. No code is loaded for a name that arrives in a request."""
    if name in allowed:
        return
    kind, colon, budget = name.partition(":")
    if kind == "level" and (not colon or budget in map(str, range(1, level.LEVELS + 1))):
        return
    if kind not in USAGE or (colon and kind not in BUDGETS):
        offered = ", ".join([*USAGE.values(), *allowed])
        raise NotAllowed(f"there is no agent {name[:60]!r} here; the agents are {offered}")
    for part in budget.split(",") if colon else []:
        word, _, value = part.partition("=")
        most = BUDGETS[kind].get(word)
        if most is None:
            raise NotAllowed(f"{name[:60]!r}: {kind} accepts only {', '.join(BUDGETS[kind])} here, as {kind}:word=N")
        if not (value.isascii() and value.isdecimal() and len(value) < 10 and 1 <= int(value) <= most):
            raise NotAllowed(f"{name[:60]!r}: {word} must be a whole number from 1 to {most}")


class Players:
    """The agents of a server. Threads may share it.

    Args:
        allowed: names of further agents to offer, which load files or modules.
        workers: number of processes; None: one per core, plus one.
        seconds: time limit of a decision, in addition to the agent's own budget.
        first_seconds: time limit of an agent's first decision in a game, which may compile code.
    """

    def __init__(
        self, allowed: Sequence[str] = (), workers: int | None = None, seconds: float = 60, first_seconds: float = 900
    ) -> None:
        self._allowed = tuple(allowed)
        self._seconds, self._first_seconds = seconds, first_seconds
        self._waiting: list[_Job] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._known: set[tuple[str, str]] = set()  # programs that have been used
        self._learning = False  # whether a program is being used for the first time
        self._closed = False
        self._folder = tempfile.mkdtemp(prefix="players")
        self._quick = ThreadPoolExecutor(1, "quick agents")
        number = workers or number_of_threads(None) + 1
        self._most_of_one = max(number - 1, 1)
        self._at_work: collections.Counter[str] = collections.Counter()  # questions being answered, by agent
        self._workers = [Process(Path(self._folder, f"{k}"), answers.main) for k in range(number)]
        self._threads = [threading.Thread(target=self._serve, args=(worker,), daemon=True) for worker in self._workers]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End all processes; waiting questions are not answered."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        self._quick.shutdown(wait=True, cancel_futures=True)
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    # ---- available agents
    def about(self) -> list[dict[str, str]]:
        """The names and descriptions of the agents on offer."""
        found = [{"name": usage, "help": registry.AGENTS[name].text} for name, usage in USAGE.items()]
        return found + [{"name": name, "help": "offered by the operator of this server"} for name in self._allowed]

    def check(self, name: str, position: BasePosition[Any]) -> Future[None]:
        """Check that an agent plays a game, and warm it up; NotAllowed if it is not offered.

        Returns:
            None, or a ValueError if it does not play the game.
        """
        check_name(name, self._allowed)
        question = Question(name, 0, position)
        if name == AT_ONCE:
            return _nothing()
        checked = self._put(TABLES_FIRST, "check", question)
        if not position.is_over:
            self._put(WARM_UP, "act", question)
        return checked

    # ---- questions
    def at_once(self, question: Question) -> int:
        """The decision of the agent AT_ONCE, in this thread."""
        seen = _as_mover_sees(question)
        return registry.make_agent(seen.name, seen.seed).act(seen.position)

    def later(self, do: Callable[[], None]) -> None:
        """Call a function in another thread, soon."""

        def logged() -> None:
            try:
                do()
            except Exception:
                log.exception("a task in the background failed")

        with contextlib.suppress(RuntimeError):  # closed
            self._quick.submit(logged)

    def decide(self, question: Question) -> Future[int]:
        """Ask an agent for its decision in a game that is not over.

        Returns:
            The number of the action, or a ValueError. Cancel it if the answer is not needed any more.
        """
        return self._put(TABLES_FIRST, "act", question)

    def rate(self, question: Question) -> Future[list[tuple[int, float]] | None]:
        """Ask an agent for its values of the legal actions; NotAllowed if it is not offered.

        Returns:
            The values, best first; None if it has none; a ValueError if it fails.
        """
        check_name(question.name, self._allowed)
        return _nothing() if question.name == AT_ONCE else self._put(ANALYSIS, "rate", question)

    def review(self, line: Any, budget: str) -> Future[bytes]:
        """Review a whole game (review/line.py) in one of the budgets.

        Returns:
            The review as JSON, or a ValueError if it fails.
        """
        return self._put(ANALYSIS, "review", Question(budget, 0, line))

    def _put(self, priority: int, what: str, question: Question) -> Future[Any]:
        seen = question if what in ("check", "review") else _as_mover_sees(question)
        answer: Future[Any] = Future()
        with self._changed:
            if self._closed or len(self._waiting) >= MOST_WAITING:
                answer.set_exception(ValueError("the agents are overloaded; try again later"))
            else:
                self._waiting.append(_Job((priority, next(self._numbers)), what, seen, answer))
                self._changed.notify_all()
        return answer

    # ---- workers
    def _serve(self, worker: Process) -> None:
        """The loop of a thread: one question after the other."""
        while True:
            with self._changed:
                while (job := self._next()) is None and not self._closed:
                    self._changed.wait()
                if job is None:
                    return
                name = job.question.name
                self._at_work[name] += 1
                first = job.program not in self._known and job.what != "check"
                self._learning = self._learning or first
            limit = self._first_seconds if first or not worker.is_alive() else self._seconds
            try:
                result, wrong = self._ask(worker, job, limit + _budget(name))
            except Exception as error:  # no process can be started, for example because memory is short
                log.exception("%s can't be asked", name)
                result, wrong = None, f"can't be asked now: {error}"
            finally:
                with self._changed:
                    self._at_work[name] -= 1
                    if first:
                        self._learning = False
                        self._known.add(job.program)
                    self._changed.notify_all()
            if self._closed:
                return
            if wrong is None:
                job.answer.set_result(result)
            else:
                job.answer.set_exception(ValueError(wrong))

    def _next(self) -> _Job | None:
        """Take the most important question that can be answered now."""
        self._waiting = [job for job in self._waiting if not job.answer.cancelled()]
        for job in sorted(self._waiting, key=lambda job: job.order):
            if self._may_begin(job) and not self._closed and job.answer.set_running_or_notify_cancel():
                self._waiting.remove(job)
                return job
        return None

    def _may_begin(self, job: _Job) -> bool:
        known = job.what == "check" or job.program in self._known or not self._learning
        return known and self._at_work[job.question.name] < self._most_of_one

    def _ask(self, worker: Process, job: _Job, limit: float) -> tuple[Any, str | None]:
        """A worker's answer and None, or None and an error message."""
        question = job.question
        worker.send((job.what, question.name, question.seed, question.position))
        until = time.monotonic() + limit
        while not self._closed:
            left = until - time.monotonic()
            if worker.connection.poll(min(max(left, 0), 0.5)):
                try:
                    succeeded, answer = worker.connection.recv()
                except (EOFError, OSError):
                    wrong = worker.death()
                    log.warning("%s: %s%s", question.name, wrong, worker.said())
                    worker.end()
                    return None, wrong
                return (answer, None) if succeeded else (None, answer)
            if left <= 0:
                log.warning("%s took more than %g s%s", question.name, limit, worker.whereabouts())
                worker.end()
                return None, f"took more than {limit:g} s"
        return None, "the server is shutting down"


def _as_mover_sees(question: Question) -> Question:
    mover = question.position.to_play
    assert mover is not None
    return dataclasses.replace(question, position=information.as_seen(question.position, mover))


def _nothing() -> Future[Any]:
    """The answer None."""
    done: Future[Any] = Future()
    done.set_result(None)
    return done


def _budget(name: str) -> float:
    """The seconds that the name of an agent, or of a review's budget, grants."""
    if name in REVIEW_SECONDS:
        return REVIEW_SECONDS[name]
    for part in name.partition(":")[2].split(","):
        if part.startswith("ms="):
            with contextlib.suppress(ValueError):
                return min(float(part[3:]) / 1000, 3600)
    return 0
