"""Tells whoever waits for the compiler what is going on: once, on stderr, and not from each of many processes.

CARNEGIE_ENV_QUIET=1 silences it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

PATIENCE = 0.6  # s of compiling before anything is said
_told: set[str] = set()
_spent = 0.0  # s that this process has waited so far
_depth = 0


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
def waiting(announcement: Callable[[], str]) -> Iterator[None]:
    """Around work that somebody waits for: after ``PATIENCE`` in all, the announcement is made."""
    global _depth, _spent
    if _depth or "compiling" in _told:
        yield
        return
    timer = threading.Timer(max(PATIENCE - _spent, 0), lambda: tell("compiling", announcement()))
    timer.daemon = True
    begun = time.perf_counter()
    _depth += 1
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _depth -= 1
        _spent += time.perf_counter() - begun


def pace() -> float:
    """Seconds that this computer needs for what takes the one that the estimates come from one: the best of three."""
    best = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        names: dict[str, int] = {}
        for number in range(10_000):
            names[f"{number & 255}"] = names.get("0", 0) + number
        best = min(best, time.perf_counter() - begun)
    return best / 0.0018
