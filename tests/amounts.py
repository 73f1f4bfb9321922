"""Some of many cases, or all of them, and more random ones, with CARNEGIE_LONG=1, as in `make nightly`."""

import os
from collections.abc import Sequence
from typing import TypeVar

LONG = os.environ.get("CARNEGIE_LONG") == "1"
TIMES = 10 if LONG else 1  # as many random cases
Item = TypeVar("Item")


def some(items: Sequence[Item], every: int, first: int = 0) -> Sequence[Item]:
    """Every n-th item, starting at `first` modulo n; all with CARNEGIE_LONG=1."""
    return items if LONG else items[first % every :: every]
