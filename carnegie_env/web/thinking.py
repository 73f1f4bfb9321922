"""A process in which agents of tables think; players.py asks it."""

from __future__ import annotations

import collections
import contextlib
import importlib
import logging
import operator
import os
from typing import Any

from carnegie_env import agency

KEPT = 32  # agents
LONGEST_TEXT = 300  # characters of a message
NICER = 10  # than the server: agents think when it has nothing to do


def main(connection: Any, traces: str) -> None:
    """Answer questions until there are no more: what is asked ("check", "act" or "rate"), an agent's name, its seed,
    and a position as it may see it. An answer is (True, what came of it), or (False, what went wrong).
    """
    processes = importlib.import_module(f"{agency.package().__name__}.processes")
    agents: collections.OrderedDict[tuple[str, int], Any] = collections.OrderedDict()
    with processes.at_work(traces):
        with contextlib.suppress(OSError, AttributeError):
            os.nice(NICER)
        while True:
            what, name, seed, position = connection.recv()
            try:
                agent = agents.pop((name, seed), None) or agency.make_agent(name, seed)
                agents[name, seed] = agent
                while len(agents) > KEPT:
                    agents.popitem(last=False)
                answer: Any = True, _asked(agent, what, position)
            except Exception as error:  # an agent is anybody's code
                if not isinstance(error, ValueError | ModuleNotFoundError):
                    logging.getLogger(__name__).exception("%s: %s", name, what)
                text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
                answer = False, text[:LONGEST_TEXT]
            connection.send(answer)


def _asked(agent: Any, what: str, position: Any) -> Any:
    """What an agent answers, in Python's own types."""
    if what == "check":
        agent.check_plays(position.game)
        return None
    if what == "act":
        return operator.index(agent.act(position))
    ratings = agent.rate(position)
    return None if ratings is None else [(operator.index(number), float(value)) for number, value in ratings]
