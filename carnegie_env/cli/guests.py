"""The agents at the table of `carnegie-env play`: who sits where, and what they are asked."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from carnegie_env.cli.beside import Beside, Neighbour
from carnegie_env.cli.common import make_agent
from carnegie_env.core import plain

if TYPE_CHECKING:
    from carnegie_env.agency import Agent

PLAIN = ("random",)  # agents that need no compiled code
SHOWN = 5  # actions of a hint


class Guests:
    """Makes agents: here, or, where this process runs the rules as plain Python, in one beside it that compiles them.

    Args:
        game: which they must play.
    """

    def __init__(self, game: Any) -> None:
        self._game = game
        self._beside = Beside() if plain.only_here() else None

    def invite(self, name: str, seed: int) -> Guest:
        """An agent by its name.

        Raises:
            ValueError: there is no such agent, or it does not play this game.
        """
        beside = None if name in PLAIN else self._beside
        agent: Agent | Neighbour = make_agent(name, seed) if beside is None else beside.make(name, seed)
        agent.check_plays(self._game)
        return Guest(name, agent)

    def prepare(self, names: Iterable[str], position: Any) -> None:
        """Have what these agents need compiled in the background, for games such as the position's."""
        if self._beside is not None and not position.is_over:
            for name in sorted({*names} - {*PLAIN}):
                self._beside.warm_up(name, position)

    def leave(self) -> None:
        """End what runs in the background."""
        if self._beside is not None:
            self._beside.close()


class Guest:
    """An agent at the table. It is shown what the player to move sees; all else is drawn anew before."""

    def __init__(self, name: str, agent: Agent | Neighbour) -> None:
        self.name = name
        self._agent = agent

    def action(self, position: Any) -> int:
        """The number of the action that it takes.

        Raises:
            ValueError: it fails, or wants what is not legal.
        """
        try:
            number: int = position.number(self._ask("act", position))
        except ValueError as error:
            raise ValueError(f"player_{position.to_play}, {self.name}: {error}") from None
        return number

    def ratings(self, position: Any) -> list[tuple[int, float]] | None:
        """What it expects of the legal actions, best first, in points; None if it does not rate."""
        ratings: list[tuple[int, float]] | None = self._ask("rate", position)
        return ratings

    def _ask(self, what: str, position: Any) -> Any:
        """Ask for what the agent's method of that name answers."""
        from carnegie_env.core import seen

        try:
            return getattr(self._agent, what)(seen.as_seen(position, position.to_play))
        except ValueError:
            raise
        except Exception as error:  # an agent is anybody's code
            traceback.print_exc()
            raise ValueError(f"{type(error).__name__}: {error}") from error


class Hints:
    """What an agent thinks of the legal actions.

    Args:
        guests: where the agent comes from.
        named: the agent that was asked for; None: `search`, else the first at the table that rates, else `greedy`.
        at_the_table: names of those who play.
        seed: of the agent.
    """

    def __init__(self, guests: Guests, named: str | None, at_the_table: Sequence[str], seed: int) -> None:
        self._guests = guests
        self._seed = seed
        self._choice = list(dict.fromkeys(["search", *at_the_table, "greedy"])) if named is None else [named]
        self._found = None if named is None else guests.invite(named, seed)

    def lines(self, position: Any) -> list[str]:
        """The best actions, a line for each, or why there are none.

        Raises:
            ValueError: the agent that was asked for fails.
        """
        for name in self._choice:
            try:
                guest = self._found or self._guests.invite(name, self._seed)
                ratings = guest.ratings(position)
            except ValueError:
                if self._found is not None:
                    raise
                continue  # it is not there, or not for this game
            if ratings:
                self._found = guest
                return _as_lines(guest.name, ratings, position)
        rates = f"{self._choice[0]} does not rate" if len(self._choice) == 1 else "nobody rates"
        return [f"{rates} actions: no hints; --hints AGENT asks another agent"]


def _as_lines(name: str, ratings: list[tuple[int, float]], position: Any) -> list[str]:
    point, texts = position.game.point, position.game.texts
    lines = [f"{name} expects, in {point} ahead of the best other at the end:"]
    lines += [f"  {value:+7.1f}  {texts[number]}" for number, value in ratings[:SHOWN]]
    return lines + ([f"  and {len(ratings) - SHOWN} more that it likes less"] if len(ratings) > SHOWN else [])
