"""Commands against the clock, in turns of some seconds: a shared machine's speed changes by more in a minute than what
is to be measured, and those whose turns follow each other see the same of it.

Each command runs in a thread, with processes of its own that stay alive, and is held up but for its turns.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Sequence

Watch = Callable[[int, int], None]
SLACK = 1.3  # times what the lots that were begun should take: then they are done


class Ended(Exception):
    """A command is not to go on."""


class Command(threading.Thread):
    """A command that is held up but for its turns.

    Args:
        run: the command. It is given a function to call after each lot with the number of games that are there, and of
            all; there it is held up, and ended by an exception.
        processes: that play lots, as many at a time.
        waiting: lots that are begun and done, at most, while it is held up: a turn's first ones come for nothing.
    """

    def __init__(self, run: Callable[[Watch], object], processes: int, waiting: int) -> None:
        super().__init__(daemon=True)
        self._run, self._processes, self._waiting = run, processes, waiting
        self._came: list[tuple[float, int]] = []  # when lots came, and the games that there were then
        self._wanted = 0
        self._go, self._held = threading.Event(), threading.Event()
        self._over = False
        self._error: BaseException | None = None

    def run(self) -> None:
        """The thread: the command, until it is ended."""
        self._go.wait()
        try:
            if not self._over:
                self._run(self._lot)
                self._error = RuntimeError("the command has come to its end: it needs more games")
        except Ended:
            pass
        except BaseException as error:
            self._error = error
        self._held.set()

    def _lot(self, played: int, total: int) -> None:
        if not played:
            return
        self._came.append((time.perf_counter(), played))
        if len(self._came) >= self._wanted:
            self._go.clear()
            self._held.set()
            self._go.wait()
        if self._over:
            raise Ended

    def go_on(self, lots: int) -> None:
        """Begin a turn in which each process plays so many lots, and one before from which on they count."""
        self._came.clear()
        self._wanted = self._waiting + (lots + 1) * self._processes
        self._held.clear()
        self._go.set()

    def rest(self) -> float:
        """Wait until the turn is over: games a second in it.

        Raises:
            RuntimeError: the command has ended; from what it raised.
        """
        self._held.wait()
        if self._error is not None:
            raise RuntimeError(f"a command failed in its turn: {self._error}") from self._error
        return rate(self._came[self._waiting :], self._processes)

    def drain(self) -> None:
        """Wait until what was begun when the turn ended must be done."""
        counted = self._came[self._waiting :]
        lot = (counted[-1][0] - counted[0][0]) / (len(counted) - 1) * self._processes
        time.sleep(SLACK * lot * self._waiting / self._processes)

    def end(self) -> None:
        """End the command, and its processes."""
        self._over = True
        self._go.set()
        if self.ident is not None:
            self.join()


def rate(came: Sequence[tuple[float, int]], processes: int) -> float:
    """Games a second while all processes were busy: from the mean of their first results to that of their last ones.

    Args:
        came: when each lot came, in seconds, and the games that there were then.
        processes: that played them, as many at a time.
    """
    first, last = came[:processes], came[-processes:]
    games, seconds = (statistics.mean(each[k] for each in last) - statistics.mean(each[k] for each in first)
                      for k in (1, 0))  # fmt: skip
    return games / seconds


def take_turns(contestants: dict[str, list[Command]], lots: int, rounds: int) -> dict[str, list[float]]:
    """Games a second of each contestant in each round; the order is turned round from one round to the next.

    Args:
        contestants: by name; one that is several commands has them play at the same time.
        lots: of each process, in a turn.
        rounds: how many; one before is not counted, in it programs are loaded.

    Returns:
        By name, ``rounds`` numbers for each.

    Raises:
        RuntimeError: a command has failed.
    """
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    try:
        for each in contestants.values():
            for command in each:
                command.start()
        for turn in range(rounds + 1):
            for name in list(contestants)[:: 1 if turn % 2 else -1]:
                commands = contestants[name]
                for command in commands:
                    command.go_on(lots)
                found = sum(command.rest() for command in commands)
                for command in commands:
                    command.drain()
                if turn:
                    rates[name].append(found)
                    print(f"  round {turn}: {name}: {found:.1f} games/s", flush=True)
    finally:
        for each in contestants.values():
            for command in each:
                command.end()
    return rates
