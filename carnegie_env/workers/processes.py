"""Processes in which agents think. Their parent survives agents that crash, hang, print or start processes.

They are spawned, not forked, because compiled loops with threads do not survive a fork.
"""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TRACE_TIMEOUT = 3.0  # s for a process to write its stack trace; it takes long on a busy machine only
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # the processes share the cores


class Process:
    """A process that is started, or started again, by the first message.

    Args:
        traces: a file for stack traces, which are written on request and when a signal kills the process.
        main: called with ``arguments``, its end of :attr:`connection`, and ``traces`` as text; it works within
            :func:`at_work`.
        arguments: picklable.

    Attributes:
        connection: to the process while it exists.
    """

    def __init__(self, traces: Path, main: Callable[..., None], *arguments: Any) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._traces, self._main, self._arguments = traces, main, arguments
        self._process: Any = None
        self.connection: Any = None

    def send(self, message: Any) -> None:
        if self._process is None:
            self._start()
        with contextlib.suppress(OSError):  # the process has died; reading from the connection shows that
            self.connection.send(message)

    def _start(self) -> None:
        with contextlib.suppress(OSError):
            self._traces.unlink()  # of the previous process
        ours, theirs = self._context.Pipe()
        arguments = (*self._arguments, theirs, str(self._traces))
        process = self._context.Process(target=self._main, args=arguments, daemon=True)
        with contextlib.closing(theirs), _environment(dict.fromkeys(ONE_THREAD, "1")):
            process.start()  # if this fails, the next message tries again
        self._process, self.connection = process, ours

    def is_alive(self) -> bool:
        return self._process is not None and bool(self._process.is_alive())

    def death(self) -> str:
        """How the process ended; this ends everything it has started."""
        multiprocessing.connection.wait([self._process.sentinel], 5)
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)  # before `join`, which frees the number
        self._process.join(5)
        code = self._process.exitcode
        how = "is still running" if code is None else f"ended with exit code {code}"
        if code is not None and code < 0:
            how = f"was killed by {_signal_name(-code)}"
        return f"the agent's process {how}"

    def whereabouts(self) -> str:
        """The stack trace of the process, for a log, on a new line; "" if it writes none."""
        if self._process.pid is not None and hasattr(signal, "SIGUSR1"):
            with contextlib.suppress(OSError):
                os.kill(self._process.pid, signal.SIGUSR1)
                until, before, text = time.monotonic() + TRACE_TIMEOUT, "", ""
                while time.monotonic() < until and (not text or text != before):  # until it has stopped growing
                    if multiprocessing.connection.wait([self._process.sentinel], 0.02):
                        break  # it was too young to write one: the signal has killed it
                    before, text = text, self.said()
        return self.said()

    def said(self) -> str:
        """The stack traces written so far; see :meth:`whereabouts`."""
        with contextlib.suppress(OSError):
            if text := self._traces.read_text(encoding="utf-8", errors="replace").strip():
                return "\n" + text
        return ""

    def end(self) -> None:
        """End the process and everything it has started."""
        if self._process is None:
            return
        self._process.kill()  # first, so that no group is founded after the next line
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):  # there is no group yet
                os.killpg(self._process.pid, signal.SIGKILL)  # what it has started may have outlived it
        self._process.join()
        self._process.close()
        self.connection.close()
        self._process = None


@contextlib.contextmanager
def at_work(traces: str) -> Iterator[None]:
    """Set up the process, and end it with its block or its parent."""
    _lead_group()
    with open(traces, "w", encoding="utf-8") as file:
        faulthandler.enable(file)
        if hasattr(faulthandler, "register"):
            faulthandler.register(signal.SIGUSR1, file, all_threads=False)
        # The connection is reset, not just closed, if the parent ends with a message unread.
        with contextlib.suppress(EOFError, ConnectionError):
            yield
    _end_group()  # even if agents have left threads


def _lead_group() -> None:
    """Become the leader of a process group that ends with the parent; send agents' output to stderr."""
    if hasattr(os, "setsid"):
        os.setsid()  # processes started by agents end with it, and Ctrl-C only reaches the parent
    with contextlib.suppress(OSError):
        os.dup2(2, 1)
    sys.stdout = sys.stderr
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel

        def end_with_it() -> None:
            multiprocessing.connection.wait([sentinel])
            _end_group()

        threading.Thread(target=end_with_it, daemon=True).start()


def _end_group() -> None:
    """End this process and everything it has started.

    The connection can tell of the parent's end before its sentinel does, so both lead here.
    """
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_environment_lock = threading.Lock()


@contextlib.contextmanager
def _environment(defaults: dict[str, str]) -> Iterator[None]:
    """Set environment variables that are unset, for processes started in the block; one thread at a time."""
    with _environment_lock:  # else another thread's end of the block would take the variables away
        added = [name for name in defaults if name not in os.environ]
        os.environ.update({name: defaults[name] for name in added})
        try:
            yield
        finally:
            for name in added:
                os.environ.pop(name, None)
