"""No value of the fact tables is ignored (tests/every_value): one in sixty of them here, all by

CARNEGIE_EVERY_VALUE=1 python -m pytest tests/carnegie/test_every_value.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
ALL = os.environ.get("CARNEGIE_EVERY_VALUE", "") not in ("", "0")
EVERY = 1 if ALL else 60


def test_every_value_counts() -> None:
    command = [sys.executable, "-m", "tests.every_value", "--every", str(EVERY)]
    ran = subprocess.run(
        command, cwd=PROJECT, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True
    )
    if ran.returncode:
        pytest.fail(f"--every {EVERY}:\n{ran.stdout}{ran.stderr[-2000:]}", pytrace=False)
