"""Workers of a training that die, for tests: nodes load them from here."""

import os
from pathlib import Path

from training.value_cluster import NodePlayer

MARKS = "CARNEGIE_TEST_MARKS"  # the folder in which they leave word, in the environment of the nodes
FATAL = 2  # the round


class DiesOnce(NodePlayer):
    """Whoever is the first to play a part of a certain round is killed in the middle of it."""

    def do(self, task):
        """See :class:`NodePlayer`."""
        if task.part.round == FATAL:
            try:
                Path(os.environ[MARKS], "died").touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os._exit(1)
        return super().do(task)


class AlwaysDies(NodePlayer):
    """Nobody gets through that round."""

    def do(self, task):
        """See :class:`NodePlayer`."""
        if task.part.round == FATAL:
            os._exit(1)
        return super().do(task)


class Raises(NodePlayer):
    """Something is wrong with what they do."""

    def do(self, task):
        """See :class:`NodePlayer`."""
        raise ZeroDivisionError("a mistake in the rules")
