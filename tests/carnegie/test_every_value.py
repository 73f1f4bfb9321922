"""No value of the fact tables is ignored (tests/every_value): one in sixty here; all of them with

CARNEGIE_EVERY_VALUE=1 python -m pytest tests/carnegie/test_every_value.py
"""

from __future__ import annotations

import os

from tests.commands import python

ALL = os.environ.get("CARNEGIE_EVERY_VALUE", "") not in ("", "0")


def test_every_value_counts() -> None:
    timeout = 100_000 if ALL else 300
    python("-m", "tests.every_value", "--every", 1 if ALL else 60, NUMBA_DISABLE_JIT="1", timeout=timeout)
