"""The agents in a game of `carnegie-env play`, and hints."""

from __future__ import annotations

import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from carnegie_env.agents.registry import make_agent
from carnegie_env.core import plain
from carnegie_env.workers import answers
from carnegie_env.workers.processes import Process

PLAIN = ("random",)  # agents that need no compiled code
SHOWN = 5  # actions of a hint


class CompiledAgents:
    """Agents in a process with compiled rules, for a terminal that runs the rules as plain Python.

    The process is started by the first question.
    """

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="agents")
        self._process = Process(Path(self._folder, "traces"), answers.main)
        self._unread = 0  # answers to warm-ups, which nobody needs

    def warm_up(self, name: str, position: Any) -> None:
        """Have an agent's code compiled in the background, by a decision."""
        self._process.send(("warm_up", name, 0, position))
        self._unread += 1

    def ask(self, question: str, name: str, seed: int, position: Any) -> Any:
        """The answer to a question of :func:`answers.main`; a ValueError if it fails, or if the process has ended."""
        self._process.send((question, name, seed, position))
        try:
            while self._unread:
                self._process.connection.recv()
                self._unread -= 1
            is_answered, answer = self._process.connection.recv()
        except (OSError, EOFError):
            raise ValueError("the process with the agents has ended") from None
        if not is_answered:
            raise ValueError(answer)
        return answer

    def close(self) -> None:
        """End the process if it was started."""
        self._process.end()
        shutil.rmtree(self._folder, ignore_errors=True)


class Opponents:
    """Makes agents: in this process, or in one with compiled rules if this one runs them as plain Python."""

    def __init__(self) -> None:
        self._compiled = CompiledAgents() if plain.only_here() else None

    def make(self, name: str, seed: int, position: Any) -> Opponent:
        """An agent by name; a ValueError if it does not exist or does not play the position's game."""
        if name in PLAIN or self._compiled is None:
            agent = make_agent(name, seed)
            agent.check_plays(position.game, position.options)
            return Opponent(name, lambda question, seen: getattr(agent, question)(seen))
        self._compiled.ask("check", name, seed, position)
        ask = self._compiled.ask
        return Opponent(name, lambda question, seen: ask(question, name, seed, seen))

    def prepare(self, names: Iterable[str], position: Any) -> None:
        """Have the code of these agents compiled in the background, for the position's game."""
        if self._compiled is not None and not position.is_over:
            for name in sorted({*names} - {*PLAIN}):
                self._compiled.warm_up(name, position)

    def close(self) -> None:
        """End the background process."""
        if self._compiled is not None:
            self._compiled.close()


class Opponent:
    """An agent in the game. It gets the view of the player to move, with hidden information redrawn.

    Args:
        name: for messages.
        ask: calls the agent's method "act" or "rate" with a position.
    """

    def __init__(self, name: str, ask: Callable[[str, Any], Any]) -> None:
        self.name = name
        self._method = ask

    def action(self, position: Any) -> int:
        """The number of its action; a ValueError if it fails or its action is illegal."""
        try:
            number: int = position.number(self._ask("act", position))
        except ValueError as error:
            raise ValueError(f"player_{position.to_play}, {self.name}: {error}") from None
        return number

    def ratings(self, position: Any) -> list[tuple[int, float]] | None:
        """Its values of the legal actions, best first, in points; None if it does not rate actions."""
        ratings: list[tuple[int, float]] | None = self._ask("rate", position)
        return ratings

    def _ask(self, question: str, position: Any) -> Any:
        from carnegie_env.core import information

        try:
            return self._method(question, information.as_seen(position, position.to_play))
        except ValueError:
            raise
        except Exception as error:  # agents may be the user's own code
            traceback.print_exc()
            raise ValueError(f"{type(error).__name__}: {error}") from error


class Hints:
    """An agent's values of the legal actions.

    Args:
        opponents: makes the agent.
        named: the agent; None: `search`, or the first agent at the table that rates actions, or `greedy`.
        at_the_table: the names of the agents in the game.
        seed: of the agent.
        position: a position of the game.
    """

    def __init__(
        self, opponents: Opponents, named: str | None, at_the_table: Sequence[str], seed: int, position: Any
    ) -> None:
        self._opponents = opponents
        self._seed = seed
        self._choice = list(dict.fromkeys(["search", *at_the_table, "greedy"])) if named is None else [named]
        self._found = None if named is None else opponents.make(named, seed, position)

    def lines(self, position: Any) -> list[str]:
        """The best actions, one in each line, or why there are none; a ValueError if the named agent fails."""
        for name in self._choice:
            try:
                opponent = self._found or self._opponents.make(name, self._seed, position)
                ratings = opponent.ratings(position)
            except ValueError:
                if self._found is not None:
                    raise
                continue  # it is not installed, or does not play this game
            if ratings:
                self._found = opponent
                return _as_lines(opponent.name, ratings, position)
        rates = f"{self._choice[0]} does not rate" if len(self._choice) == 1 else "no agent rates"
        return [f"no hints: {rates} actions; choose another agent with --hints AGENT"]


def _as_lines(name: str, ratings: list[tuple[int, float]], position: Any) -> list[str]:
    point, texts = position.game.presentation.point, position.game.texts
    lines = [f"{name} expects these margins over the best opponent, in {point}:"]
    lines += [f"  {value:+7.1f}  {texts[number]}" for number, value in ratings[:SHOWN]]
    return lines + ([f"  and {len(ratings) - SHOWN} more with lower values"] if len(ratings) > SHOWN else [])
