"""Checks that other programs ("clients") work with the environments: all in `make clients`, some in `make test-agents`.

A module `for_<client>` has the checks of one client. The examples in docs/examples are run unchanged.
"""

from tests.paths import ROOT

EXAMPLES = ROOT / "docs" / "examples"
ID = "carnegie_env:Carnegie/Solo-v0"
