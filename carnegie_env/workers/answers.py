"""A process in which agents answer questions, for a server (web/players.py) and for a terminal (cli/opponents.py)."""

from __future__ import annotations

import collections
import contextlib
import logging
import operator
import os
from typing import Any

from carnegie_env.agents import registry
from carnegie_env.workers import processes

KEPT = 32  # most agents that are kept
LONGEST_TEXT = 300  # characters of an error message
NICER = 10  # lower priority than the server


def main(connection: Any, traces: str) -> None:
    """Answer questions until the connection closes.

    A question is a tuple: "check", "act", "rate" or "warm_up" (decide as a new agent, to compile its code); the agent's
    name; its seed; and a position from its view. The question "review" has the name of a budget and the line of a whole
    game instead. An answer is (True, the result) or (False, an error message).
    """
    agents: collections.OrderedDict[tuple[str, int], Any] = collections.OrderedDict()
    with processes.at_work(traces):
        with contextlib.suppress(OSError, AttributeError):
            os.nice(NICER)
        while True:
            question, name, seed, position = connection.recv()
            try:
                if question == "review":
                    from carnegie_env.review import BUDGETS, review  # late: the command line imports this module

                    answer: Any = True, review(position, BUDGETS[name]).to_json()
                else:
                    agent = None if question == "warm_up" else agents.pop((name, seed), None)
                    agent = agent or registry.make_agent(name, seed)
                    if question != "warm_up":
                        agents[name, seed] = agent
                    while len(agents) > KEPT:
                        agents.popitem(last=False)
                    answer = True, _answer(agent, question, position)
            except Exception as error:  # agents may be anyone's code
                if not isinstance(error, ValueError | ModuleNotFoundError):
                    logging.getLogger(__name__).exception("%s: %s", name, question)
                text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
                answer = False, text[:LONGEST_TEXT]
            connection.send(answer)


def _answer(agent: Any, question: str, position: Any) -> Any:
    """An agent's answer, in Python's types."""
    if question == "check":
        agent.check_plays(position.game, position.options)
        return None
    if question in ("act", "warm_up"):
        return operator.index(agent.act(position))
    ratings = agent.rate(position)
    return None if ratings is None else [(operator.index(number), float(value)) for number, value in ratings]
