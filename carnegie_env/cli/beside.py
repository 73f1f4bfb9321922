"""Agents in a process beside this one, whose rules are compiled: `play` runs them as plain Python, so as to begin at
once, and that is too slow for agents that try many games.

The process is :mod:`carnegie_env.cli.answering`. Questions and answers are pickles on its standard input and output; it
ends with its input.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
from typing import IO, Any


class Beside:
    """The process; it is started by the first agent that is made."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = 0  # answers that nobody waits for

    def make(self, name: str, seed: int) -> Neighbour:
        """An agent there.

        Raises:
            ValueError: as ``common.make_agent`` raises it.
        """
        if self._process is None:
            command = [sys.executable, "-m", "carnegie_env.cli.answering"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return Neighbour(self, self.ask("make", name, seed))

    def warm_up(self, name: str, position: Any) -> None:
        """Have an agent of that name decide something there: what must be compiled for it is, and nobody waits."""
        self._send("warm_up", name, position)
        self._unread += 1

    def ask(self, *question: Any) -> Any:
        """Send a question; what comes back.

        Raises:
            ValueError: the answer, if it is a refusal; or the process has ended.
        """
        self._send(*question)
        while self._unread:
            self._receive()
            self._unread -= 1
        went_well, answer = self._receive()
        if not went_well:
            raise ValueError(answer)
        return answer

    def _send(self, *question: Any) -> None:
        try:
            pickle.dump(question, self._pipe("stdin"))
            self._pipe("stdin").flush()
        except OSError:
            raise ValueError(_ENDED) from None

    def _receive(self) -> tuple[bool, Any]:
        try:
            answer: tuple[bool, Any] = pickle.load(self._pipe("stdout"))
        except (OSError, EOFError, pickle.UnpicklingError):
            raise ValueError(_ENDED) from None
        return answer

    def _pipe(self, name: str) -> IO[bytes]:
        pipe: IO[bytes] | None = getattr(self._process, name, None)
        if pipe is None:
            raise ValueError(_ENDED)
        return pipe

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # what was still to be sent
                pipe.close()  # type: ignore[union-attr]  # both are pipes
        process.wait()


_ENDED = "the process with the agents has ended"


class Neighbour:
    """An agent there, asked as one here is."""

    def __init__(self, beside: Beside, number: int) -> None:
        self._beside = beside
        self._number = number

    def check_plays(self, game: Any) -> None:
        """See ``Agent.check_plays``."""
        self._beside.ask("check_plays", self._number, game)

    def act(self, position: Any) -> int:
        """See ``Agent.act``."""
        action: int = self._beside.ask("act", self._number, position)
        return action

    def rate(self, position: Any) -> list[tuple[int, float]] | None:
        """See ``Agent.rate``."""
        ratings: list[tuple[int, float]] | None = self._beside.ask("rate", self._number, position)
        return ratings
