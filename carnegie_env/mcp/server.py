"""Games as tools. A key stands for one seat of one game; no tool gives away what another seat knows.

The tools' docstrings are the descriptions that clients read.
"""

from __future__ import annotations

import collections
import functools
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from carnegie_env import __version__, collection, text
from carnegie_env.web import players

MOST_KEYS = 1_000  # the seats of the least recently used games are forgotten
INSTRUCTIONS = "Play board games: call new_game once, then look and play until the game is over. rules explains a game."


class Games:
    """The games of a server. Its public methods are the tools.

    Args:
        allowed: names of further agents to offer, which load files or modules.
    """

    def __init__(self, allowed: Sequence[str]) -> None:
        self._allowed = tuple(allowed)
        self._seats: collections.OrderedDict[str, tuple[text.TextGame, int]] = collections.OrderedDict()
        self._lock = threading.RLock()  # an agent's long decision delays all games; start a server for each client

    # ---- tools
    def games(self) -> str:
        """List the games with their options, and the agents that can be opponents."""
        lines = []
        for name in collection.names():
            options = collection.find(name).options
            lines.append(f"{name}: {options().to_dict()}")
        agents = ", ".join([*players.USAGE.values(), *self._allowed])
        return "\n".join(["games with their options and defaults:", *lines, f"agents: {agents}"])

    def rules(self, game: str = "carnegie", options: dict[str, Any] | None = None, components: bool = False) -> str:
        """The short rules of a game. components: add all values printed on cards and boards (long)."""
        return text.rules(game, options, with_components=components)

    def new_game(
        self,
        game: str = "carnegie",
        options: dict[str, Any] | None = None,
        seats: list[int] | None = None,
        opponents: list[str] | None = None,
        seed: int | None = None,
        style: str = "full",
        list_actions: bool = True,
    ) -> str:
        """Start a game and return a key for each of your seats, with which the other tools are called.

        options: such as {"num_players": 3}; 1 player plays Carnegie solo. seats: yours, by default [0]. opponents: an
        agent for each other seat, or one for all, by default ["greedy"]. seed: of the deal; it determines what is
        hidden. style: full or compact positions. list_actions: show the legal actions with each position.
        """
        seats, opponents = seats or [0], opponents or [text.OPPONENT]
        for name in opponents:
            players.check_name(name, self._allowed)
        seed = secrets.randbits(63) if seed is None else seed
        made = text.TextGame(
            game, options, seed=seed, seats=seats, opponents=opponents, style=style, list_actions=list_actions
        )
        keys = {seat: secrets.token_hex(8) for seat in made.seats}
        self._seats |= {key: (made, seat) for seat, key in keys.items()}
        while len(self._seats) > MOST_KEYS:
            self._seats.popitem(last=False)
        first = made.seats[0] if made.to_play is None else made.to_play
        lines = [f"key of player_{seat}: {key}" for seat, key in keys.items()]
        return "\n".join([*lines, "", made.rules(), "", made.prompt(first) if len(keys) == 1 else "Call look."])

    def look(self, key: str) -> str:
        """What has happened since your last action, the position as you see it, and your legal actions."""
        made, seat = self._seat(key)
        return made.prompt(seat)

    def legal_actions(self, key: str) -> str:
        """Your legal actions, with their meanings."""
        made, seat = self._seat(key)
        self._check_turn(made, seat)
        return text.legal_actions(made.position)

    def play(self, key: str, action: str) -> str:
        """Play an action, by its text or number. Returns why it was refused, or the next position."""
        made, seat = self._seat(key)
        self._check_turn(made, seat)
        reply = made.answer(action)
        if not reply.is_legal:
            raise ToolError(made.prompt(seat))
        waits = (
            "" if made.is_over or made.to_play == seat else f"\n\nplayer_{made.to_play} is to move; look again later."
        )
        return f"You played: {reply.text}\n\n{made.prompt(seat)}{waits}"

    def log(self, key: str) -> str:
        """The game so far in words, as you saw it."""
        made, seat = self._seat(key)
        return "\n".join(made.log(seat)) or "Nothing has happened yet."

    # ---- parts
    def _seat(self, key: str) -> tuple[text.TextGame, int]:
        if key not in self._seats:
            raise ToolError("there is no game with this key; new_game starts one")
        self._seats.move_to_end(key)
        made, seat = self._seats[key]
        if not made.is_over:
            made.play_agents()  # again, if an agent failed after the last action
        return made, seat

    def _check_turn(self, made: text.TextGame, seat: int) -> None:
        if made.is_over:
            raise ToolError("the game is over; new_game starts another one")
        if made.to_play != seat:
            raise ToolError(f"it is not your turn: player_{made.to_play} is to move")

    def checked(self, tool: Callable[..., str]) -> Callable[..., str]:
        """A tool that clients call: one at a time, with errors that they can read."""

        @functools.wraps(tool)
        def call(*args: Any, **kwargs: Any) -> str:
            try:
                with self._lock:
                    return tool(*args, **kwargs)
            except ValueError as error:
                raise ToolError(str(error)) from None

        return call


def make_server(allowed: Sequence[str]) -> MCPServer:
    """The server; see :class:`Games`."""
    games = Games(allowed)
    server = MCPServer("carnegie-env", instructions=INSTRUCTIONS, version=__version__)
    for tool in (games.games, games.rules, games.new_game, games.look, games.legal_actions, games.play, games.log):
        server.add_tool(games.checked(tool))
    return server
