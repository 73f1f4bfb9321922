"""Checks that other programs ("clients") work with the environments: all in `make clients`, some in `make test-agents`.

A module `for_<client>` has the checks of one client. The examples in docs/examples are run unchanged.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
ID = "carnegie_env:Carnegie/Solo-v0"
