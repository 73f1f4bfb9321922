"""What seats can expect: by a network, or by play-outs of `greedy` where there is none. Many games in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import evaluation
from carnegie_env.agents.level import UNIT, Rater, noise
from carnegie_env.agents.value import DRAWS
from carnegie_env.arena.play import best_margins
from carnegie_env.core import kernels, rewards, rng
from carnegie_env.core.batch import Batch
from carnegie_env.core.game import Game
from carnegie_env.core.records import take_records

# The temperature of the seats in futures, in points. At a table of several there is little chance: the draws of the
# seats must make futures independent, or the same line of play would choose an action and also value it.
ALONE, SEVERAL = 0.25, 1.0
PLAYOUTS = 8  # of `greedy`, for an expectation where there is no network
AT_ONCE = 2048  # games played side by side
Expected = tuple[NDArray[np.float64], NDArray[np.float64]]  # margins in points, and win shares: (n, seats)
Watch = Callable[[int], None]  # called with a number of decisions played


class Estimator:
    """Estimates for games with the same options.

    Args:
        game: the game.
        options: its options.
        seed: of the futures.

    Raises:
        ValueError: there is neither a network nor an evaluation for the game.

    Attributes:
        has_network: whether estimates come from a network.
        watch: called with the number of decisions that were played since the last call.
    """

    def __init__(self, game: Game, options: Any, seed: int = 0) -> None:
        self.game, self.options, self.seed = game, options, seed
        self.seats = int(options.num_players)
        self._rater, self._player = Rater(seed), Rater(seed, draws=1)
        self._rater.check_plays(game, options)
        self.has_network = self._rater.has_network(game, options)
        self.version = self._rater.value.version if self.has_network else "greedy"
        self.watch: Watch = lambda played: None
        self._batch = game.batch_class(1, num_threads=1, **options.to_dict())

    def batch(self, games: NDArray[Any]) -> Batch[Any]:
        """A batch of these records, which it owns."""
        return self._batch._with(games)

    def ratings(self, games: NDArray[Any]) -> NDArray[np.float64]:
        """The expected margin of the player to move after each action, float64 (n, A), -inf if it is illegal."""
        return self._rater.values(self.batch(games))

    def expected(self, games: NDArray[Any], ahead: bool = False) -> Expected:
        """The final margin over the best other side, and the win share, that each seat can expect; true after the end.

        With two seats margins are opposite; with several, win shares sum to 1. ``ahead``: look one decision ahead in
        the solo game, which is more exact and slower.
        """
        if not self.has_network and (games["to_play"] >= 0).any():
            seeds = np.tile(rng.stream(self.seed, 0, PLAYOUTS), len(games))
            rows = np.repeat(np.arange(len(games)), PLAYOUTS)
            ends = self.play(self.drawn(take_records(games, rows), seeds), None)
            margins, wins = self.expected(ends)
            return tuple(part.reshape(len(games), PLAYOUTS, -1).mean(axis=1) for part in (margins, wins))
        margins, wins = np.empty((len(games), self.seats)), np.zeros((len(games), self.seats))
        if self.has_network:
            net = self._rater.value.networks.of(self.game, self.options)
            (room,) = evaluation.rooms(self.game, self.options, net, DRAWS, 1)
            evaluation.outlook(games, net, room, margins, wins)
        over = games["to_play"] < 0
        if ahead and self.seats == 1 and self.has_network and not over.all():
            margins[~over, 0] = self.ratings(games[~over]).max(axis=1)
        if over.any():
            results = self.batch(games[over]).results()
            margins[over] = best_margins(results[:, :, 0])[:, : self.seats]
            wins[over] = rewards.win_shares(results)[:, : self.seats]
        if self.seats == 2:
            margins = (margins - margins[:, ::-1]) / 2
        if self.seats > 1:
            wins /= wins.sum(axis=1, keepdims=True)
        return margins, wins

    def drawn(self, games: NDArray[Any], seeds: NDArray[np.uint64]) -> NDArray[Any]:
        """The same records with everything redrawn that the player to move can't see, and all future chance."""
        kernels.redraw_hidden(games, np.maximum(games["to_play"], 0).astype(np.int64), seeds)
        return games

    def play(self, games: NDArray[Any], depth: int | None) -> NDArray[Any]:
        """Play games on: all seats draw actions by their ratings, as a level does.

        Games with equal generators draw in the same way (common random numbers).

        Args:
            games: records, which are not changed.
            depth: decisions to play; None: to the end.

        Returns:
            The records after that.
        """
        found = games.copy()
        cooling = UNIT / ((ALONE if self.seats == 1 else SEVERAL) * self.game.dense_unit)
        for first in range(0, len(games), AT_ONCE):
            rows = first + np.flatnonzero(games["to_play"][first : first + AT_ONCE] >= 0)
            played = 0
            while len(rows) and (depth is None or played < depth):
                batch = self.batch(take_records(found, rows))
                drawn = self._player.values(batch) * cooling + noise(batch, self.seed)
                kernels.step(batch._games, drawn.argmax(axis=1))
                found[rows] = batch._games
                self.watch(len(rows))
                rows = rows[batch._games["to_play"] >= 0]
                played += 1
        return found
