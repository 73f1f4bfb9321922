"""Says on stderr what a user waits for: once, and not from each of many processes.

CARNEGIE_ENV_QUIET=1 silences it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

AFTER = 2.0  # s of compiling before anything is said
PAUSE = 1.0  # s without compiling after which it counts as done
_told: set[str] = set()
_spent = 0.0  # s that this process has compiled
_depth = 0
_timer = threading.Timer(0, lambda: None)


def tell(subject: str, text: str) -> None:
    """Say something on stderr, once for each subject; nothing in a worker process or with CARNEGIE_ENV_QUIET=1."""
    if subject not in _told and sys.stderr is not None:
        _told.add(subject)
        say(text)


def say(text: str) -> None:
    """Say something on stderr; nothing in a worker process or with CARNEGIE_ENV_QUIET=1."""
    if sys.stderr is None:
        return
    if os.environ.get("CARNEGIE_ENV_QUIET", "0").strip() in ("", "0") and not in_worker():
        with contextlib.suppress(OSError, ValueError):  # a closed stream is no reason to fail
            print(f"carnegie_env: {text}", file=sys.stderr, flush=True)


def in_worker() -> bool:
    """Whether this process works for another one: of multiprocessing (joblib, torch), pytest-xdist, Ray."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return True
    processes = sys.modules.get("multiprocessing")  # always there in its children
    if processes is not None:
        if processes.parent_process() is not None or processes.current_process().name != "MainProcess":
            return True
    script = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    return os.path.basename(script) == "default_worker.py" and "ray" in sys.modules


@contextlib.contextmanager
def compiling(expected: Callable[[float], float], folder: str) -> Iterator[None]:
    """Around compiling, by one thread at a time. What takes ``AFTER`` in all is announced, and later said to be done.

    Args:
        expected: seconds spent so far -> about how many it will be in all.
        folder: where the code is kept; "" if it can't be.
    """
    global _depth, _spent, _timer
    if _depth or "compiled" in _told:
        yield
        return

    def announce() -> None:
        most = 5 * (int(expected(_spent + time.perf_counter() - begun) / 5) + 1)
        tell("compiling", f"compiling the rules for this computer, once: up to {most} s")
        atexit.register(finish)

    def finish() -> None:
        kept = f"; kept in {folder} for the next time" if folder and "no room" not in _told else ""
        tell("compiled", f"compiled in {_spent:.0f} s{kept}")

    def start(seconds: float, function: Callable[[], None]) -> threading.Timer:
        timer = threading.Timer(seconds, function)
        timer.daemon = True
        timer.start()
        return timer

    _timer.cancel()
    begun = time.perf_counter()
    _depth += 1
    if "compiling" not in _told:
        _timer = start(max(AFTER - _spent, 0), announce)
    try:
        yield
    finally:
        _timer.cancel()
        _depth -= 1
        _spent += time.perf_counter() - begun
        if "compiling" in _told:
            _timer = start(PAUSE, finish)
