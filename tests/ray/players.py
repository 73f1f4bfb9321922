"""Agents for the tests of games on nodes."""

from __future__ import annotations

import time

from tests.arena.misfits import Last


class Patient(Last):
    """Takes its time, in one game after the other: so nodes are killed while they are at it."""

    side_by_side = False
    version = "p1"

    def choose(self, batch):
        time.sleep(0.01)
        return super().choose(batch)
