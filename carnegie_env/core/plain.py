"""Whether the rules run as plain Python in this process: slower by a factor of a thousand, but nothing is compiled.

So with NUMBA_DISABLE_JIT=1, and so for a command that shows a game to a person (carnegie_env/cli), who would rather not
wait. Numba is not even imported then.
"""

from __future__ import annotations

import os
import sys

_wanted = False


def ask() -> None:
    """Have the rules run as plain Python; without effect once they have been imported."""
    global _wanted
    _wanted = True


def only_here() -> bool:
    """Whether a process started by this one would compile the rules, which run as plain Python here."""
    return _wanted and not disabled()


def disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT=1 is set: nothing is compiled in this process and those that it starts."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")


def wanted() -> bool:
    """Whether `jit` is to leave functions as they are."""
    if _wanted:
        return True
    if "numba" not in sys.modules and disabled():
        return True
    import numba

    return bool(numba.config.DISABLE_JIT)
