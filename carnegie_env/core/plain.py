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
    return _wanted and not disabled()


def disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT=1 is set, for this process and all that it starts."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")


def wanted() -> bool:
    """Whether `jit` must leave functions unchanged."""
    if _wanted:
        return True
    if "numba" not in sys.modules and disabled():
        return True
    import numba

    return bool(numba.config.DISABLE_JIT)
