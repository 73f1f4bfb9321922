"""Messages on stderr, such as the reason for a wait: once, and not from worker processes.

CARNEGIE_ENV_QUIET=1 silences them.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

AFTER = 2.0  # s of compiling before the first message
PAUSE = 1.0  # s without compiling before the message that it is done
_told: set[str] = set()
_spent = 0.0  # s that this process has spent compiling
_depth = 0
_timer = threading.Timer(0, lambda: None)


def tell(subject: str, text: str) -> None:
    """Print a message on stderr once for each subject, except in a worker process or with CARNEGIE_ENV_QUIET=1."""
    if subject not in _told and sys.stderr is not None:
        _told.add(subject)
        say(text)


def say(text: str) -> None:
    """Print a message on stderr, except in a worker process or with CARNEGIE_ENV_QUIET=1."""
    if sys.stderr is None:
        return
    if os.environ.get("CARNEGIE_ENV_QUIET", "0").strip() in ("", "0") and not in_worker():
        with contextlib.suppress(OSError, ValueError):  # a closed stream must not cause a failure
            print(f"carnegie_env: {text}", file=sys.stderr, flush=True)


def in_worker() -> bool:
    """Whether this is a worker process of multiprocessing (joblib, torch), pytest-xdist or Ray."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return True
    processes = sys.modules.get("multiprocessing")  # always imported in its children
    if processes is not None:
        if processes.parent_process() is not None or processes.current_process().name != "MainProcess":
            return True
    script = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    return os.path.basename(script) == "default_worker.py" and "ray" in sys.modules


@contextlib.contextmanager
def compiling(kept_in: Callable[[], str]) -> Iterator[None]:
    """Surround compiling, by one thread at a time. After ``AFTER`` seconds in all it is announced, later its end.

    Args:
        kept_in: returns the folder that stores the code; "" if there is none.
    """
    global _depth, _spent, _timer
    if _depth or "compiled" in _told:
        yield
        return

    def announce() -> None:
        tell("compiling", "compiling the rules that this program needs: up to a minute, longer on a busy computer")
        atexit.register(finish)

    def finish() -> None:
        folder = kept_in()
        kept = f"; kept in {folder} for the next time" if folder else ""
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
