"""The agents at the table of `carnegie-env play`: who sits where, and what they are asked."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from carnegie_env.cli.common import make_agent
from carnegie_env.cli.compiled import CompiledAgents
from carnegie_env.core import plain

PLAIN = ("random",)  # agents that need no compiled code
SHOWN = 5  # actions of a hint


class Opponents:
    """Makes agents: here, or, where this process runs the rules as plain Python, in one that compiles them."""

    def __init__(self) -> None:
        self._compiled = CompiledAgents() if plain.only_here() else None

    def make(self, name: str, seed: int, position: Any) -> Opponent:
        """An agent by its name; a ValueError if it does not exist, or does not play the game of the position."""
        if name in PLAIN or self._compiled is None:
            agent = make_agent(name, seed)
            agent.check_plays(position.game)
            return Opponent(name, lambda what, seen: getattr(agent, what)(seen))
        self._compiled.ask("check", name, seed, position)
        ask = self._compiled.ask
        return Opponent(name, lambda what, seen: ask(what, name, seed, seen))

    def prepare(self, names: Iterable[str], position: Any) -> None:
        """Have the code of these agents compiled in the background, for games such as the position's."""
        if self._compiled is not None and not position.is_over:
            for name in sorted({*names} - {*PLAIN}):
                self._compiled.warm_up(name, position)

    def close(self) -> None:
        """End the background process."""
        if self._compiled is not None:
            self._compiled.close()


class Opponent:
    """An agent at the table. It gets the view of the player to move, with hidden information sampled.

    Args:
        name: for messages.
        ask: calls its method of a name ("act", "rate") with a position.
    """

    def __init__(self, name: str, ask: Callable[[str, Any], Any]) -> None:
        self.name = name
        self._answer = ask

    def action(self, position: Any) -> int:
        """The number of its action; a ValueError if it fails, or wants an illegal one."""
        try:
            number: int = position.number(self._ask("act", position))
        except ValueError as error:
            raise ValueError(f"player_{position.to_play}, {self.name}: {error}") from None
        return number

    def ratings(self, position: Any) -> list[tuple[int, float]] | None:
        """Its values of the legal actions, best first, in points; None if it has none."""
        ratings: list[tuple[int, float]] | None = self._ask("rate", position)
        return ratings

    def _ask(self, what: str, position: Any) -> Any:
        from carnegie_env.core import information

        try:
            return self._answer(what, information.as_seen(position, position.to_play))
        except ValueError:
            raise
        except Exception as error:  # an agent may be the user's own code
            traceback.print_exc()
            raise ValueError(f"{type(error).__name__}: {error}") from error


class Hints:
    """An agent's values of the legal actions.

    Args:
        opponents: makes the agent.
        named: the agent asked for; None: `search`, else the first at the table that rates, else `greedy`.
        at_the_table: names of the agents that play.
        seed: of the agent.
        position: of the game.
    """

    def __init__(
        self, opponents: Opponents, named: str | None, at_the_table: Sequence[str], seed: int, position: Any
    ) -> None:
        self._opponents = opponents
        self._seed = seed
        self._choice = list(dict.fromkeys(["search", *at_the_table, "greedy"])) if named is None else [named]
        self._found = None if named is None else opponents.make(named, seed, position)

    def lines(self, position: Any) -> list[str]:
        """The best actions, a line each, or why there are none; a ValueError if the agent asked for fails."""
        for name in self._choice:
            try:
                opponent = self._found or self._opponents.make(name, self._seed, position)
                ratings = opponent.ratings(position)
            except ValueError:
                if self._found is not None:
                    raise
                continue  # it is not there, or not for this game
            if ratings:
                self._found = opponent
                return _as_lines(opponent.name, ratings, position)
        rates = f"{self._choice[0]} does not rate" if len(self._choice) == 1 else "no agent rates"
        return [f"{rates} actions: no hints; --hints AGENT asks another agent"]


def _as_lines(name: str, ratings: list[tuple[int, float]], position: Any) -> list[str]:
    point, texts = position.game.presentation.point, position.game.texts
    lines = [f"{name} expects, in {point} ahead of the best other at the end:"]
    lines += [f"  {value:+7.1f}  {texts[number]}" for number, value in ratings[:SHOWN]]
    return lines + ([f"  and {len(ratings) - SHOWN} more that it likes less"] if len(ratings) > SHOWN else [])
