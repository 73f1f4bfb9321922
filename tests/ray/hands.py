"""Workers of a training that die, for tests: nodes load them from here."""

from __future__ import annotations

import os
from pathlib import Path

from training.value_cluster import Hand

MARKS = "CARNEGIE_TEST_MARKS"  # the folder in which they leave word, in the environment of the nodes
FATAL = 2  # the round


class DiesOnce(Hand):
    """Whoever is the first to play a part of a certain round is killed in the middle of it."""

    def do(self, task):
        """See :class:`Hand`."""
        if task.part.round == FATAL:
            try:
                Path(os.environ[MARKS], "died").touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os._exit(1)
        return super().do(task)


class AlwaysDies(Hand):
    """Nobody gets through that round."""

    def do(self, task):
        """See :class:`Hand`."""
        if task.part.round == FATAL:
            os._exit(1)
        return super().do(task)


class Raises(Hand):
    """Something is wrong with what they do."""

    def do(self, task):
        """See :class:`Hand`."""
        raise ZeroDivisionError("a mistake in the rules")
