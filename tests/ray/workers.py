"""Workers for the tests of the pool."""

import os
import threading
import time
from pathlib import Path


class Times:
    """Multiplies, and says where."""

    def __init__(self, factor: int, slots: int) -> None:
        self.factor, self.slots = factor, slots
        self._running, self._most, self._lock = 0, 0, threading.Lock()

    def do(self, task: int) -> tuple[int, int, int]:
        with self._lock:
            self._running += 1
            self._most = max(self._most, self._running)
        time.sleep(0.05)
        with self._lock:
            self._running -= 1
        return task * self.factor, os.getpid(), self._most


class Picky:
    """Can't be made, or fails at a task."""

    def __init__(self, made: bool, slots: int) -> None:
        if not made:
            raise ValueError("there is no work for me")

    def do(self, task: int) -> int:
        if task == 3:
            raise OverflowError("three is too many")
        return task


class Deadly:
    """Ends its process at task 2, always, or as long as a file is there."""

    def __init__(self, file: str, slots: int) -> None:
        self._file = Path(file)

    def do(self, task: int) -> int:
        if task == 2 and self._file.exists():
            os._exit(1)
        return task
