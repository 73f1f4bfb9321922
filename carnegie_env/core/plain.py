"""Whether the rules run as plain Python in this process: a thousand times slower, but without compiling.

This is so with NUMBA_DISABLE_JIT=1, and in commands that show a game to a person (carnegie_env/cli) without a wait.
Numba is then not even imported.
"""

from __future__ import annotations

import os
import sys

_wanted = False


def ask() -> None:
    """Make the rules run as plain Python; without effect once they have been imported."""
    global _wanted
    _wanted = True


def only_here() -> bool:
    """Whether the rules run as plain Python here but would be compiled in a process that this one starts."""
    return _wanted and not disabled() and not _has_library()


def disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT=1 is set, for this process and all that it starts."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")


def _has_library() -> bool:
    """Whether there is a library of compiled loops, so that nobody waits for a compiler."""
    from carnegie_env.core import library  # late, because it depends on the component tables in use

    return library.module is not None


def wanted() -> bool:
    """Whether `jit` must leave functions unchanged."""
    if _wanted and not _has_library():
        return True
    numba = sys.modules.get("numba")  # not imported here: the library may serve
    return disabled() if numba is None else bool(numba.config.DISABLE_JIT)
