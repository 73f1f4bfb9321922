"""Agents that play at tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from carnegie_env.agency import make_agent, registry
from carnegie_env.core import seen
from carnegie_env.core.position import BasePosition


@dataclasses.dataclass(frozen=True)
class Question:
    name: str
    seed: int
    position: BasePosition[Any]


class Players:
    def __init__(self, allowed: Sequence[str] = ()) -> None:
        self._pool = ThreadPoolExecutor(2)

    def about(self) -> list[dict[str, str]]:
        agents = registry().AGENTS
        return [{"name": entry.usage(name), "help": entry.text} for name, entry in agents.items() if name != "ppo"]

    def check(self, name: str, position: Any) -> None:
        make_agent(name).check_plays(position.game)

    def answers_at_once(self, name: str) -> bool:
        return name == "random"

    def at_once(self, question: Question) -> int:
        position = seen.as_seen(question.position, question.position.to_play)
        return make_agent(question.name, question.seed).act(position)

    def decide(self, question: Question, done: Callable[[Any, str | None], None]) -> None:
        def run() -> None:
            try:
                done(self.at_once(question), None)
            except Exception as error:
                done(None, str(error))

        self._pool.submit(run)

    def rate(self, question: Question) -> Any:
        position = seen.as_seen(question.position, question.position.to_play)
        return make_agent(question.name, question.seed).rate(position)

    def later(self, do: Callable[[], None]) -> None:
        self._pool.submit(do)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
