"""The arena's worker processes: they play chunks of games. A process that hangs or dies is replaced."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import shutil
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path

from carnegie_env.arena.lines import CRASH, HANG, Fault, GameLine
from carnegie_env.arena.schedule import Seating
from carnegie_env.arena.worker import AGENT, LIMIT, STARTED, STATE, About, Apart, Look, Setup, Task
from carnegie_env.arena.worker import main as _main
from carnegie_env.workers.processes import Process

MOST_DEATHS = 3  # of a process in a row that are not blamed on an agent
LOOK_AGAIN = 0.5  # s, at most, between two looks at the shared states
Games = tuple[tuple[int, int, Seating], ...]


class WorkerPool(contextlib.AbstractContextManager["WorkerPool"]):
    """Processes that play games; a context manager, which ends them all.

    Args:
        setup: shared by all processes.
        processes: the number, 1 or more; each is started when there is work for it.

    Attributes:
        apart: the numbers of chunks that had to be played one by one instead of together, with the reason.
    """

    def __init__(self, setup: Setup, processes: int) -> None:
        self._setup = setup
        self._folder = tempfile.mkdtemp(prefix="arena")
        self._workers = [_WorkerProcess(setup, Path(self._folder, f"{k}")) for k in range(processes)]
        self._known_slow: set[int] = set()
        self.apart: dict[int, str] = {}

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def look(self) -> list[About]:
        """The properties of the agents; an agent that can't play has the reason in ``wrong``."""
        worker = self._workers[0]
        worker.send(Look())
        while True:
            if wait([worker.connection], worker.wait_seconds()):
                with contextlib.suppress(EOFError, OSError):
                    found: list[About] = worker.connection.recv()
                    return found
            if (late := worker.late()) or not worker.is_alive():
                agent = int((late or worker.state)[AGENT])
                why = f"it took more than {late[LIMIT]:g} s" if late else worker.death()
                worker.end()
                none = [About() for _ in self._setup.specs]
                none[agent] = About(wrong=f"{self._setup.specs[agent]} can't be made: {why}", is_made=False)
                return none

    def play(self, chunks: Iterator[tuple[Games, bool]]) -> Iterator[tuple[int, list[GameLine]]]:
        """Play chunks of games.

        Args:
            chunks: the games of each chunk (see :class:`Task`), and whether they are played together; taken as
                processes become free.

        Yields:
            The number of a chunk, from 0, and its games, in the order of completion.

        Raises:
            RuntimeError: processes die again and again while no agent is at work.
        """
        numbered = enumerate(chunks)
        for worker in self._workers:
            self._next(worker, numbered)
        while busy := [worker for worker in self._workers if worker.chunk is not None]:
            ready = wait([worker.connection for worker in busy], min(worker.wait_seconds() for worker in busy))
            for worker in busy:
                if worker.connection in ready:
                    self._receive(worker)
                elif late := worker.late():
                    self._replace(worker, HANG, late)
                if worker.is_done():
                    number, lines = worker.number, worker.lines
                    self._next(worker, numbered)
                    yield number, lines

    def _next(self, worker: _WorkerProcess, numbered: Iterator[tuple[int, tuple[Games, bool]]]) -> None:
        worker.chunk, worker.lines, worker.deaths = None, [], 0
        if (following := next(numbered, None)) is not None:
            worker.number, (worker.chunk, worker.together) = following
            self._send(worker)

    def _send(self, worker: _WorkerProcess) -> None:
        """Send the rest of a chunk to a worker."""
        assert worker.chunk is not None
        worker.send(Task(worker.chunk[len(worker.lines) :], worker.together, frozenset(self._known_slow)))

    def _receive(self, worker: _WorkerProcess) -> None:
        try:
            answer = worker.connection.recv()
        except (EOFError, OSError):
            self._replace(worker, CRASH, list(worker.state))
            return
        if isinstance(answer, list):
            worker.lines += answer
        elif isinstance(answer, Apart):
            self._separate(worker, answer.why)
            self._send(worker)

    def _separate(self, worker: _WorkerProcess, why: str) -> None:
        """Play the games of a chunk one by one."""
        worker.together, worker.lines = False, []
        self.apart[worker.number] = why

    def _replace(self, worker: _WorkerProcess, kind: str, state: list[float]) -> None:
        """End a process that hangs or has died. The agent that was at work, according to the state, loses the game.

        For datasets a process that dies is first started again, because another program may have killed it, and the
        games must not depend on that.
        """
        assert worker.chunk is not None
        started, limit, agent, seat, decision = state
        text = worker.death() if kind == CRASH else f"took more than {limit:g} s" + worker.whereabouts()
        worker.end()
        excused = kind == CRASH and (started == 0 or self._setup.moves)
        worker.deaths += excused
        if started == 0 and worker.deaths >= MOST_DEATHS:
            raise RuntimeError(f"a process of the arena ended {worker.deaths} times while no agent was at work: {text}")
        if excused and worker.deaths < MOST_DEATHS:
            pass  # try again
        elif worker.together:
            self._separate(worker, text)
        else:
            deal, number, seating = worker.chunk[len(worker.lines)]
            fault = Fault(int(agent), int(seat), kind, int(decision), text)
            worker.lines.append(GameLine(deal, number, seating, int(decision), (), (), {}, fault))
        if started and kind == HANG and limit > self._setup.time_limit:
            self._known_slow.add(int(agent))
        if not worker.is_done():
            self._send(worker)


class _WorkerProcess(Process):
    """One process and its current chunk."""

    def __init__(self, setup: Setup, traces: Path) -> None:
        self.state = multiprocessing.get_context("spawn").RawArray("d", len(STATE))
        super().__init__(traces, _main, pickle.dumps(setup), self.state)
        self._setup = setup
        self.number = 0
        self.chunk: Games | None = None
        self.together = False
        self.lines: list[GameLine] = []
        self.deaths = 0

    def _start(self) -> None:
        self.state[:] = [0.0] * len(STATE)
        super()._start()

    def is_done(self) -> bool:
        """Whether all games of the chunk have been played."""
        return self.chunk is not None and len(self.lines) == len(self.chunk)

    def late(self) -> list[float] | None:
        """The state, if an agent has exceeded its time limit; a copy, because the agent may yet answer."""
        state = list(self.state)
        started = state[STARTED]
        late = started > 0 and time.monotonic() > started + state[LIMIT]
        return state if late and self.state[STARTED] == started else None  # still the same decision

    def wait_seconds(self) -> float:
        """Seconds until the next look at the shared state."""
        started, limit = self.state[STARTED], self.state[LIMIT]
        due = started + limit - time.monotonic() if started else self._setup.time_limit
        return float(min(max(due, 0.01), LOOK_AGAIN))

    def death(self) -> str:
        return super().death() + self.said()
