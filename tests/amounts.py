"""How much the tests look at: some of it, and all with CARNEGIE_LONG=1, as in `make nightly`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

LONG = os.environ.get("CARNEGIE_LONG") == "1"
Thing = TypeVar("Thing")


def some(things: Sequence[Thing], every: int, first: int = 0) -> Sequence[Thing]:
    """Every so many of the things, from the `first` one modulo `every` on; all of them with CARNEGIE_LONG=1."""
    return things if LONG else things[first % every :: every]
