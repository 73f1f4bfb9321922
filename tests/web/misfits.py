"""Agents that misbehave."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from carnegie_env import Agent


class Misfit(Agent):
    """Plays the first legal action; its subclasses misbehave."""

    def act(self, position: Any) -> Any:
        return int(position.legal_numbers()[0])


class Crashes(Misfit):
    def act(self, position: Any) -> Any:
        raise RuntimeError("I can't go on")


class Dies(Misfit):
    def act(self, position: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class Hangs(Misfit):
    def act(self, position: Any) -> Any:
        time.sleep(1000)


class Nonsense(Misfit):
    def act(self, position: Any) -> Any:
        return 10**6


class Words(Misfit):
    def act(self, position: Any) -> Any:
        return "pass"


class Refuses(Misfit):
    def check_plays(self, game: Any, options: Any) -> None:
        raise ValueError(f"Refuses does not play {game.name}")


class Recovers(Misfit):
    """Fails until a file exists."""

    def act(self, position: Any) -> Any:
        if not Path(os.environ["RECOVERED"]).exists():
            raise RuntimeError("not yet")
        return super().act(position)


class Liar(Misfit):
    def rate(self, position: Any) -> Any:
        return [(10**6, float("nan"))]
