"""Workers of a training that fail; nodes import them from here."""

import os
from pathlib import Path

from training.value_cluster import NodePlayer

MARKS = "CARNEGIE_TEST_MARKS"  # the environment variable of the nodes that names a folder for marks
FATAL = 2  # the round


class DiesOnce(NodePlayer):
    """The first worker that plays a part of the fatal round dies."""

    def do(self, task):
        if task.part.round == FATAL:
            try:
                Path(os.environ[MARKS], "died").touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os._exit(1)
        return super().do(task)


class AlwaysDies(NodePlayer):
    """Every worker that plays a part of the fatal round dies."""

    def do(self, task):
        if task.part.round == FATAL:
            os._exit(1)
        return super().do(task)


class Raises(NodePlayer):
    """Every task fails."""

    def do(self, task):
        raise ZeroDivisionError("a mistake in the rules")
