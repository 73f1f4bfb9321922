"""The arena's processes: games are handed out to them, and those that hang or die are ended and replaced."""

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
from typing import Self

from carnegie_env import agency

from ..processes import Process
from .lines import CRASH, HANG, Fault, GameLine
from .schedule import Seating
from .worker import AGENT, DESK, LIMIT, STARTED, About, Apart, Look, Setup, Task

MOST_DEATHS = 3  # of a process in a row, outside of what agents do
LOOK_AGAIN = 0.5  # s, at most, between two looks at the desks
Games = tuple[tuple[int, int, Seating], ...]


class Crew:
    """Some processes that play games; a context manager, which ends them all.

    Args:
        setup: what they all know.
        processes: how many, 1 or more. Each is started when there is work for it.

    Attributes:
        apart: the chunks that were to be played together and had to be played one by one, with the reason.
    """

    def __init__(self, setup: Setup, processes: int) -> None:
        self._setup = setup
        self._folder = tempfile.mkdtemp(prefix="arena")
        self._hands = [_Hand(setup, Path(self._folder, f"{k}")) for k in range(processes)]
        self._known_slow: set[int] = set()
        self.apart: dict[int, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for hand in self._hands:
            hand.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def look(self) -> list[About]:
        """What there is to know of the agents; one that can't be made or does not play the game says why not."""
        hand = self._hands[0]
        hand.send(Look())
        while True:
            if wait([hand.connection], hand.patience()):
                with contextlib.suppress(EOFError, OSError):
                    found: list[About] = hand.connection.recv()
                    return found
            agent = int(hand.desk[AGENT])
            if (late := hand.is_late()) or not hand.is_alive():
                why = f"it took more than {hand.desk[LIMIT]:g} s" if late else hand.death()
                hand.end()
                none = [About() for _ in self._setup.specs]
                none[agent] = About(wrong=f"{self._setup.specs[agent]} can't be made: {why}")
                return none

    def play(self, chunks: Iterator[tuple[Games, bool]]) -> Iterator[tuple[int, list[GameLine]]]:
        """Play chunks of games.

        Args:
            chunks: the games of each (see :class:`Task`), and whether they are played together. They are taken as
                processes get free.

        Yields:
            The number of a chunk, from 0, and its games, in the order in which chunks get done.

        Raises:
            RuntimeError: processes die again and again, and no agent is at work when they do.
        """
        numbered = enumerate(chunks)
        for hand in self._hands:
            self._next(hand, numbered)
        while busy := [hand for hand in self._hands if hand.chunk is not None]:
            ready = wait([hand.connection for hand in busy], min(hand.patience() for hand in busy))
            for hand in busy:
                if hand.connection in ready:
                    self._hear(hand)
                elif hand.is_late():
                    self._replace(hand, HANG)
                if hand.is_done():
                    number, lines = hand.number, hand.lines
                    self._next(hand, numbered)
                    yield number, lines

    def _next(self, hand: _Hand, numbered: Iterator[tuple[int, tuple[Games, bool]]]) -> None:
        hand.chunk, hand.lines, hand.deaths = None, [], 0
        for number, (games, together) in numbered:
            hand.number, hand.chunk, hand.together = number, games, together
            self._send(hand)
            return

    def _send(self, hand: _Hand) -> None:
        """Hand out what is left to play of a chunk."""
        assert hand.chunk is not None
        hand.send(Task(hand.chunk[len(hand.lines) :], hand.together, frozenset(self._known_slow)))

    def _hear(self, hand: _Hand) -> None:
        """Take what a process has to say."""
        try:
            said = hand.connection.recv()
        except (EOFError, OSError):
            self._replace(hand, CRASH)
            return
        if isinstance(said, list):
            hand.lines += said
        elif isinstance(said, Apart):
            self._separate(hand, said.why)
            self._send(hand)

    def _separate(self, hand: _Hand, why: str) -> None:
        """Have a chunk played one by one."""
        hand.together, hand.lines = False, []
        self.apart[hand.number] = why

    def _replace(self, hand: _Hand, kind: str) -> None:
        """End a process that hangs or has died; the game is lost for the agent that was at work.

        Where decisions are kept, which must not hang on what else happens on this computer, a process that has died is
        first given some more chances: it may have been ended from outside.
        """
        assert hand.chunk is not None
        started, limit, agent, seat, decision = list(hand.desk)
        text = hand.death() if kind == CRASH else f"took more than {limit:g} s" + hand.whereabouts()
        hand.end()
        excused = kind == CRASH and (started == 0 or self._setup.moves)
        hand.deaths += excused
        if started == 0 and hand.deaths >= MOST_DEATHS:
            raise RuntimeError(f"a process of the arena ended {hand.deaths} times while no agent was at work: {text}")
        if excused and hand.deaths < MOST_DEATHS:
            pass  # once more
        elif hand.together:
            self._separate(hand, text)
        else:
            deal, number, seating = hand.chunk[len(hand.lines)]
            fault = Fault(int(agent), int(seat), kind, int(decision), text)
            hand.lines.append(GameLine(deal, number, seating, int(decision), (), (), {}, fault))
        if started and kind == HANG and limit > self._setup.time_limit:
            self._known_slow.add(int(agent))
        if not hand.is_done():
            self._send(hand)


class _Hand(Process):
    """One process, and what it is doing."""

    def __init__(self, setup: Setup, traces: Path) -> None:
        self.desk = multiprocessing.get_context("spawn").RawArray("d", len(DESK))
        super().__init__(traces, agency.call, "arena.worker", "main", pickle.dumps(setup), self.desk)
        self._setup = setup
        self.number = 0
        self.chunk: Games | None = None
        self.together = False
        self.lines: list[GameLine] = []
        self.deaths = 0

    def _start(self) -> None:
        self.desk[:] = [0.0] * len(DESK)
        super()._start()

    def is_done(self) -> bool:
        """Whether all games of the chunk have been played."""
        return self.chunk is not None and len(self.lines) == len(self.chunk)

    def is_late(self) -> bool:
        """Whether an agent thinks for longer than it may."""
        started, limit = self.desk[STARTED], self.desk[LIMIT]
        late = started > 0 and time.monotonic() > started + limit
        return bool(late and self.desk[STARTED] == started)  # it has not gone on meanwhile

    def patience(self) -> float:
        """Seconds until a look at the desk is due."""
        started, limit = self.desk[STARTED], self.desk[LIMIT]
        due = started + limit - time.monotonic() if started else self._setup.time_limit
        return float(min(max(due, 0.01), LOOK_AGAIN))

    def death(self) -> str:
        """How the process ended, and where it was."""
        return super().death() + self.said()
