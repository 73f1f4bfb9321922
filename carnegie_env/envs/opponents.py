"""Opponents for one learner: agents that play the other seats, in all games of a batch at once."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as shown  # a short one, whatever is given
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import registry
from carnegie_env.agents.base import Player
from carnegie_env.core import rng
from carnegie_env.core.batch import Batch
from carnegie_env.core.game import Game

ROTATE, RANDOM = "rotate", "random"
SALT = np.uint64(0x5EA7)  # makes the seat independent of everything else that is drawn from the same seed

Opponent = str | Player  # an agent's name, or an object with `act_batch`


class OpponentError(RuntimeError):
    """An opponent, which the message names, did not answer with legal actions. The environment must be reset."""


class Opponents:
    """The agents on the other seats, and the learner's seat.

    Args:
        game, options: the game and its options, for two or more players.
        num_games: the number of games.
        opponents: one for all seats, or a list with one for each seat, clockwise from the learner's left.
        learner_seat: a seat, "rotate" (seat s modulo the number of players in the game reset with seed s, and the next
            seat in each later game) or "random" (drawn from the game's seed).

    Attributes:
        seats: the learner's seat in each game, int64 (N,).

    Raises:
        ValueError: invalid opponents, an invalid seat, or an agent that does not play this game.
    """

    def __init__(
        self,
        game: Game,
        options: Any,
        num_games: int,
        opponents: Opponent | Sequence[Opponent],
        learner_seat: int | str = ROTATE,
    ) -> None:
        self.num_players = num_players = int(options.num_players)
        self._fixed = _checked_seat(learner_seat, num_players)
        self._rule = learner_seat if self._fixed is None else None
        self.seats = np.full(num_games, self._fixed or 0, np.int64)
        given: list[Opponent] = [cast(Opponent, opponents)] * (num_players - 1)
        if isinstance(opponents, list | tuple):
            given = list(opponents)
        if len(given) != num_players - 1:
            raise ValueError(
                f"opponents must be one agent, or a list of {num_players - 1}, one for each other seat of "
                f"num_players={num_players}; got {len(given)}"
            )
        keys = [one if isinstance(one, str) else id(one) for one in given]
        each = dict(zip(keys, given, strict=True))  # one agent per name, also if it plays several seats
        self._agents = [_agent(one, game, options) for one in each.values()]
        chairs = [list(each).index(key) for key in keys]
        self._agent_at = np.array(chairs, np.int64)  # the agent k + 1 seats to the left of the learner

    def sit(
        self, batch: Batch[Any], beginning: NDArray[np.bool_], seeds: NDArray[np.uint64], seeded: NDArray[np.bool_]
    ) -> None:
        """Choose the learner's seats in games that begin.

        Args:
            batch: the games, dealt.
            beginning: bool (N,): the games that begin.
            seeds: uint64 (N,): their seeds, used where ``seeded``.
            seeded: bool (N,): the games that begin a new sequence of games.
        """
        if self._rule == ROTATE:
            first = beginning & seeded
            self.seats[beginning] = (self.seats[beginning] + 1) % self.num_players
            self.seats[first] = seeds[first] % np.uint64(self.num_players)
        elif self._rule == RANDOM:
            drawn = rng.mixed(batch.games["rng"][beginning] ^ SALT) >> np.uint64(32)
            self.seats[beginning] = drawn % np.uint64(self.num_players)

    def play(self, batch: Batch[Any]) -> None:
        """Play the opponents' decisions until every game waits for the learner or is over.

        Raises:
            OpponentError: an opponent did not answer with legal actions.
        """
        to_play = batch._to_play
        while True:
            rows = np.flatnonzero((to_play >= 0) & (to_play != self.seats))
            if len(rows) == 0:
                return
            if len(self._agents) == 1:
                self._ask(self._agents[0], batch, rows)
                continue
            whose = self._agent_at[(to_play[rows] - self.seats[rows] - 1) % self.num_players]
            for index, agent in enumerate(self._agents):
                if (whose == index).any():
                    self._ask(agent, batch, rows[whose == index])

    def _ask(self, agent: Player, batch: Batch[Any], rows: NDArray[np.int64]) -> None:
        """Play one decision of an opponent in each of these games."""
        try:
            actions = agent.act_batch(batch, rows)
        except Exception as error:
            error.add_note(f"The opponent {name_of(agent)} raised this.")
            raise
        try:
            batch.step(actions, rows)
        except ValueError as error:
            raise OpponentError(f"the opponent {name_of(agent)} made an invalid move: {error}") from None


def name_of(agent: Any) -> str:
    """An agent's name in messages."""
    return str(getattr(agent, "name", type(agent).__name__))


def _checked_seat(given: int | str, num_players: int) -> int | None:
    """The seat, or None for "rotate" and "random"."""
    if isinstance(given, str) and given in (ROTATE, RANDOM):
        return None
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and 0 <= given < num_players:
        return int(given)
    raise ValueError(
        f'learner_seat must be a seat from 0 to {num_players - 1}, "{ROTATE}" or "{RANDOM}", not {shown(given)}'
    )


def _agent(given: Opponent, game: Game, options: Any) -> Player:
    """The agent for this game."""
    agent = registry.make_agent(given) if isinstance(given, str) else given
    if not callable(getattr(agent, "act_batch", None)) or isinstance(agent, type):
        raise ValueError(
            f"an opponent must be the name of an agent or an object with act_batch(batch, rows), not {shown(given)}"
        )
    check = getattr(agent, "check_plays", None)
    if check is not None:
        check(game, options)
    return agent
