"""Opponents of ten strengths, evenly spaced in rating, for people.

A level rates all actions as `value` does (as `greedy` where there is no network) and draws one: an action that loses d
points has the probability exp(-d / temperature), up to a factor. So it errs as people do: often by a little, seldom by
much, and most where the decision is hard. levels.json has the temperatures, and the ratings that were measured.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents.base import Agent, Judgement
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.agents.value import ValueAgent
from carnegie_env.core import rng
from carnegie_env.core.batch import Batch
from carnegie_env.core.game import Game
from carnegie_env.core.validation import seed_of

FILE = Path(__file__).resolve().parent / "levels.json"
LEVELS = 10
MIDDLE = 5
UNIT = 100  # temperatures and losses are for a game in which this many points are a clear lead (`Game.dense_unit`)


class Level(NamedTuple):
    """One level: its temperature in points; its rating with a 95 % interval on the arena's scale; its loss in reviews,
    relative to the expected loss of the middle level in the same decisions."""

    temperature: float
    rating: float
    low: float
    high: float
    loss: float


@functools.cache
def levels() -> tuple[Level, ...]:
    """The levels, weakest first."""
    return tuple(Level(**each) for each in json.loads(FILE.read_text())["levels"])


def temperature_in(game: Game, level: int) -> float:
    """The temperature of a level in the points of a game."""
    return levels()[level - 1].temperature * game.dense_unit / UNIT


def noise(batch: Batch[Any], seed: int) -> NDArray[np.float64]:
    """A draw from the standard Gumbel distribution for each action of each game, float64 (N, A).

    Added to values / temperature, it makes the best action one that is drawn from the softmax of these. It is a hash of
    the seed, the game's generator and the number of decisions, as in the random agent.
    """
    games = batch.games
    keys = rng.mixed(rng.mixed(games["rng"] ^ np.uint64(seed)) + games["decisions"].astype(np.uint64))
    steps = np.arange(1, batch.num_actions + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    drawn = rng.mixed(keys[:, None] + steps) >> np.uint64(11)
    return -np.log(-np.log((drawn.astype(np.float64) + 0.5) * 2.0**-53))


class Rater:
    """Rates the actions of any game: as `value`, or as `greedy` where there is no network.

    Args:
        seed: of the samples of hidden information.
        draws: the number of these samples; None: the agent's own number.
    """

    def __init__(self, seed: int = 0, draws: int | None = None) -> None:
        self.value = ValueAgent("" if draws is None else f"draws={draws}", seed)
        self.greedy = GreedyAgent(seed)
        self._found: dict[tuple[Game, Any], bool] = {}

    def check_plays(self, game: Game, options: Any) -> None:
        """Raise a ValueError for a game that neither agent plays."""
        if not self.has_network(game, options):
            self.greedy.check_plays(game, options)

    def has_network(self, game: Game, options: Any) -> bool:
        """Whether there is a network for games with these options."""
        if (game, options) not in self._found:
            try:
                self.value.networks.of(game, options)
                self._found[game, options] = True
            except ValueError:
                self._found[game, options] = False
        return self._found[game, options]

    def values(self, batch: Batch[Any]) -> NDArray[np.float64]:
        """The expected final margin after each action, float64 (N, A), -inf if it is illegal."""
        agent = self.value if self.has_network(batch.game, batch.options) else self.greedy
        values = agent.judge(batch).values
        assert values is not None
        return values


class LevelAgent(Agent):
    """Draws an action with a probability that falls with its estimated loss.

    Args:
        arguments: the level, 1 to 10, as in `level:5`, which is the default.
        seed: of the draws.

    Raises:
        ValueError: another level.
    """

    name = "level"
    side_by_side = True

    def __init__(self, arguments: str = "", seed: int = 0) -> None:
        text = arguments.removeprefix("level=") or str(MIDDLE)
        if text not in map(str, range(1, LEVELS + 1)):
            raise ValueError(f"level: the level must be a whole number from 1 to {LEVELS}, not {text[:80]!r}")
        self.level = int(text)
        self.name = f"level:{self.level}"
        self.rater = Rater(seed)
        self.version = f"{self.rater.value.version}-{levels()[self.level - 1].temperature:g}"
        self.seed = seed_of(seed)

    def check_plays(self, game: Game, options: Any) -> None:
        """Raise a ValueError for a game without a network and without an evaluation."""
        self.rater.check_plays(game, options)

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        return self.judge(batch).actions

    def judge(self, batch: Batch[Any]) -> Judgement:
        """See :meth:`Agent.judge`; the action is drawn and often not the best one."""
        values = self.rater.values(batch)
        drawn = values / temperature_in(batch.game, self.level) + noise(batch, self.seed)
        return Judgement(drawn.argmax(axis=1), values)
