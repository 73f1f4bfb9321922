"""Does what other people's programs do with the environments work? All of them: `make clients`; some: `make test`.

A module `for_<client>` has the checks of one client; the examples of docs/examples are run unchanged.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
ID = "carnegie_env:Carnegie/Solo-v0"


class NotApplicableError(Exception):
    """What a check is about cannot be used with this environment by its own definition; the message says why."""
