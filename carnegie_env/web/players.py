"""Agents in processes of their own: asked, timed, killed.

Each of a few worker processes has a thread here that passes it one question after the other. An agent's code for a game
is compiled in one of them while the others continue; and no agent can occupy all of them: a slow or hanging one delays
only the tables where it plays.
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
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from carnegie_env.agents import registry
from carnegie_env.core import information
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import number_of_threads
from carnegie_env.workers import answers
from carnegie_env.workers.processes import Process

AT_ONCE = "random"  # the agent that is not worth a process
MOST_MS, MOST_EVALS, MOST_DRAWS = 10_000, 1_000_000, 64  # of the budgets that anybody may give
BUDGETS = {"search": {"ms": MOST_MS, "evals": MOST_EVALS, "decisions": MOST_EVALS}, "value": {"draws": MOST_DRAWS}}
MOST_WAITING = 2_000  # questions
TABLES_FIRST, ANALYSIS, WARM_UP = range(3)  # what is asked first
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Question:
    """A question to an agent.

    Args:
        name: of the agent, with its budget.
        seed: of its random choices.
        position: the game; the agent sees what the player to move sees.
    """

    name: str
    seed: int
    position: BasePosition[Any]


@dataclasses.dataclass
class _Job:
    order: tuple[int, int]  # of importance, then of coming
    what: str
    asked: Question
    question: Question  # the same, as the player to move sees it
    done: Callable[[Any, str | None], None]  # with an answer, or with what went wrong

    @property
    def program(self) -> tuple[str, str]:
        """The code that has to be loaded, and perhaps compiled, once."""
        return self.question.name.partition(":")[0], self.question.position.game.name


class NotAllowed(ValueError):
    """An agent that is not offered here; the message lists those that are."""


class Players:
    """The agents of a server. Threads may share it.

    Args:
        allowed: names of agents that are offered beside those of the package: they load files or modules.
        workers: processes; None: one a core, and one more.
        seconds: for a decision, beside the agent's own budget.
        first_seconds: for the first decision of an agent in a game, which may compile code.
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
        self._learning = False  # a program that has not is in use
        self._closed = False
        self._folder = tempfile.mkdtemp(prefix="players")
        self._quick = ThreadPoolExecutor(1, "quick agents")
        number = workers or number_of_threads(None) + 1
        self._most_of_one = max(number - 1, 1)
        self._at_work: collections.Counter[str] = collections.Counter()  # by name, questions that are being answered
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

    # ---- which there are
    def about(self) -> list[dict[str, str]]:
        """The agents on offer: names and descriptions."""
        agents = registry.AGENTS
        shown = {"random": "random", "greedy": "greedy", "value": "value[:draws=N]", "search": "search[:ms=N|evals=N]"}
        found = [{"name": name, "help": agents[kind].text} for kind, name in shown.items()]
        return found + [{"name": name, "help": "offered by the operator of this server"} for name in self._allowed]

    def check_name(self, name: str) -> None:
        """Refuse, with NotAllowed, an agent that isn't offered: a request's name loads no code."""
        if name in self._allowed:
            return
        kind, colon, budget = name.partition(":")
        offered = ", ".join(each["name"] for each in self.about())
        if kind not in ("random", "greedy", *BUDGETS) or (colon and kind not in BUDGETS):
            raise NotAllowed(f"there is no agent {name[:60]!r} here; there are {offered}")
        for part in budget.split(",") if colon else []:
            word, _, value = part.partition("=")
            most = BUDGETS[kind].get(word)
            if most is None:
                raise NotAllowed(f"{name[:60]!r}: only {', '.join(BUDGETS[kind])} can be said here, as {kind}:word=N")
            if not (value.isascii() and value.isdecimal() and len(value) < 10 and 1 <= int(value) <= most):
                raise NotAllowed(f"{name[:60]!r}: {word} must be a whole number from 1 to {most}")

    def check(self, name: str, position: BasePosition[Any]) -> Future[None]:
        """Check that an agent plays a game, with a ValueError if not, and get it ready; NotAllowed if not offered."""
        self.check_name(name)
        question = Question(name, 0, position)
        if name == AT_ONCE:
            return _done(None)
        checked = self._ask(TABLES_FIRST, "check", question)
        if not position.is_over:
            with contextlib.suppress(ValueError):  # too many questions: then it gets ready when it is asked
                self._put(WARM_UP, "act", question, lambda answer, wrong: None)
        return checked

    # ---- asking
    @staticmethod
    def answers_at_once(name: str) -> bool:
        """Whether :meth:`at_once` takes no time."""
        return name == AT_ONCE

    def at_once(self, question: Question) -> int:
        """The decision of a quick agent, made here."""
        mover = question.position.to_play
        assert mover is not None
        return registry.make_agent(question.name, question.seed).act(information.as_seen(question.position, mover))

    def later(self, do: Callable[[], None]) -> None:
        """Call a function in a thread, when there is time."""
        with contextlib.suppress(RuntimeError):  # closed
            self._quick.submit(_logged, do)

    def decide(self, question: Question, done: Callable[[Any, str | None], None]) -> None:
        """Ask an agent for its decision.

        Args:
            question: about a game that is not over.
            done: called in another thread, with the number of the action and None, or with None and an error message.
        """
        try:
            self._put(TABLES_FIRST, "act", question, done)
        except ValueError as error:
            self.later(lambda wrong=str(error): done(None, wrong))  # type: ignore[misc]

    def forget(self, question: Question) -> None:
        """Cancel a question: if it still waits, it is not answered."""
        with self._changed:
            self._waiting = [job for job in self._waiting if job.asked is not question]

    def rate(self, question: Question) -> Future[list[tuple[int, float]] | None]:
        """An agent's values of the legal actions, best first; None if it has none; a ValueError if it fails, NotAllowed
        if it isn't offered."""
        self.check_name(question.name)
        return _done(None) if question.name == AT_ONCE else self._ask(ANALYSIS, "rate", question)

    def _ask(self, importance: int, what: str, question: Question) -> Future[Any]:
        answered: Future[Any] = Future()

        def done(answer: Any, wrong: str | None) -> None:
            if answered.set_running_or_notify_cancel():  # else the answer has been cancelled
                if wrong is None:
                    answered.set_result(answer)
                else:
                    answered.set_exception(ValueError(wrong))

        try:
            self._put(importance, what, question, done)
        except ValueError as error:
            answered.set_exception(error)
        return answered

    def _put(self, importance: int, what: str, question: Question, done: Callable[[Any, str | None], None]) -> None:
        mover, asked = question.position.to_play, question
        if what != "check":
            assert mover is not None
            question = dataclasses.replace(question, position=information.as_seen(question.position, mover))
        with self._changed:
            if self._closed or len(self._waiting) >= MOST_WAITING:
                raise ValueError("the agents have too much to do; try again later")
            self._waiting.append(_Job((importance, next(self._numbers)), what, asked, question, done))
            self._changed.notify_all()

    # ---- workers
    def _serve(self, worker: Any) -> None:
        """The work of a thread: one question after the other."""
        while True:
            with self._changed:
                while (job := self._next()) is None and not self._closed:
                    self._changed.wait()
                if job is None:
                    return
                self._at_work[job.question.name] += 1
                first = job.program not in self._known and job.what != "check"
                self._learning = self._learning or first
            limit = (self._first_seconds if first or not worker.is_alive() else self._seconds) + _budget(
                job.question.name
            )
            try:
                answer, wrong = self._answered(worker, job, limit)
            except Exception as error:  # no process can be started, as when memory is short
                log.exception("%s can't be asked", job.question.name)
                answer, wrong = None, f"can't be asked now: {error}"
            finally:
                with self._changed:
                    self._at_work[job.question.name] -= 1
                    if first:
                        self._learning = False
                        self._known.add(job.program)
                    self._changed.notify_all()
            if not self._closed:
                _logged(lambda job=job, answer=answer, wrong=wrong: job.done(answer, wrong))  # type: ignore[misc]

    def _next(self) -> _Job | None:
        """The most important question that can be answered now; see above for those that wait."""
        ready = [job for job in self._waiting if self._may_begin(job)]
        if not ready or self._closed:
            return None
        found = min(ready, key=lambda job: job.order)
        self._waiting.remove(found)
        return found

    def _may_begin(self, job: _Job) -> bool:
        knows = job.what == "check" or job.program in self._known or not self._learning
        return knows and self._at_work[job.question.name] < self._most_of_one

    def _answered(self, worker: Any, job: _Job, limit: float) -> tuple[Any, str | None]:
        question = job.question
        worker.send((job.what, question.name, question.seed, question.position))
        until = time.monotonic() + limit
        while not self._closed:
            left = until - time.monotonic()
            if wait([worker.connection], min(max(left, 0), 0.5)):
                try:
                    went_well, answer = worker.connection.recv()
                except (EOFError, OSError):
                    wrong = worker.death()
                    log.warning("%s: %s%s", question.name, wrong, worker.said())
                    worker.end()
                    return None, wrong
                return (answer, None) if went_well else (None, answer)
            if left <= 0:
                log.warning("%s took more than %g s%s", question.name, limit, worker.whereabouts())
                worker.end()
                return None, f"took more than {limit:g} s"
        return None, "the server is ending"


def _done(answer: Any) -> Future[Any]:
    done: Future[Any] = Future()
    done.set_result(answer)
    return done


def _budget(name: str) -> float:
    """Seconds that an agent may take by its own name."""
    found = [part[3:] for part in name.partition(":")[2].split(",") if part.startswith("ms=")]
    try:
        return min(float(found[0]) / 1000, 3600) if found else 0
    except ValueError:
        return 0


def _logged(do: Callable[[], None]) -> None:
    try:
        do()
    except Exception:
        log.exception("after an agent's decision")
