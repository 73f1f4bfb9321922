"""Agents in a process whose rules are compiled, for a terminal that runs them as plain Python to begin at once."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from carnegie_env.workers import answers
from carnegie_env.workers.processes import Process


class CompiledAgents:
    """The process; it starts with the first question."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="agents")
        self._process = Process(Path(self._folder, "traces"), answers.main)
        self._unread = 0  # answers not needed

    def warm_up(self, name: str, position: Any) -> None:
        """Have an agent decide something, so that its code is compiled, without waiting for it."""
        self._process.send(("warm_up", name, 0, position))
        self._unread += 1

    def ask(self, what: str, name: str, seed: int, position: Any) -> Any:
        """Send a question of :func:`answers.main`; a ValueError if it is refused, or the process has ended."""
        self._process.send((what, name, seed, position))
        try:
            while self._unread:
                self._process.connection.recv()
                self._unread -= 1
            went_well, answer = self._process.connection.recv()
        except (OSError, EOFError):
            raise ValueError("the process with the agents has ended") from None
        if not went_well:
            raise ValueError(answer)
        return answer

    def close(self) -> None:
        """End the process, if it was started."""
        self._process.end()
        shutil.rmtree(self._folder, ignore_errors=True)
