"""Workers for the tests of the pool; nodes import them from here."""

import os
import threading
import time


class Multiplier:
    """Multiplies; returns the product, the process, and the most tasks at a time so far."""

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


class Failing:
    """Can't be made, or fails at task 3."""

    def __init__(self, made: bool, slots: int) -> None:
        if not made:
            raise ValueError("there is no work for me")

    def do(self, task: int) -> int:
        if task == 3:
            raise OverflowError("three is too many")
        return task


class Dying:
    """Ends its process at task 2."""

    def __init__(self, slots: int) -> None:
        pass

    def do(self, task: int) -> int:
        if task == 2:
            os._exit(1)
        return task
