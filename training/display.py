"""A progress bar over the time budget of a job."""

from __future__ import annotations

import re
import sys
import threading
import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

EVERY = 20.0  # seconds between lines if the output is not a terminal


class Display:
    """A progress bar over the time of the whole job; plain lines if the output is not a terminal.

    Args:
        seconds: the job's budget; None: it has none, and the bar has no end.
        started: when it began, by time.monotonic(); None: now.
    """

    def __init__(self, seconds: float | None, started: float | None = None) -> None:
        self.budget = seconds
        self.started = time.monotonic() if started is None else started
        self._text = ""
        self._printed = (-EVERY, "")  # time and kind of the last line
        self._ended = threading.Event()
        self._console = Console(file=sys.stdout)
        self._bar: Progress | None = None
        if self._console.is_terminal:
            columns = (TextColumn("{task.fields[clock]}"), BarColumn(bar_width=30), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=self._console, refresh_per_second=4)
            self._task = self._bar.add_task("", total=seconds, clock="")
            self._thread = threading.Thread(target=self._tick, daemon=True)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def say(self, text: str) -> None:
        """Show the current activity."""
        self._text = text
        if self._bar is None:
            last_time, last_kind = self._printed
            kind = re.split("[,:]", text)[0]
            if self.elapsed - last_time >= EVERY or kind != last_kind:
                self._printed = (self.elapsed, kind)
                self.print(f"[{self._clock()}] {text}")

    def print(self, text: str = "") -> None:
        """Print a line above the bar."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _clock(self) -> str:
        passed = _minutes(self.elapsed)
        return passed if self.budget is None else f"{passed} of {_minutes(self.budget)}"

    def _tick(self) -> None:
        while not self._ended.wait(0.25):
            self._bar.update(self._task, completed=self.elapsed, description=self._text, clock=self._clock())  # type: ignore[union-attr]

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._ended.set()
            self._thread.join()
            self._bar.update(self._task, completed=self.elapsed, clock=self._clock())
            self._bar.stop()


def _minutes(seconds: float) -> str:
    """Minutes and seconds, such as "12:05"."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
