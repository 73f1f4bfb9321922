"""The players of value learning: threads of this process; value_cluster.py has Ray workers.

The games of a round are divided into parts. The result of a part depends only on the part, the network and the
training's :class:`Course`: it is the same bit for bit wherever and however often it is played.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import evaluation, inputs, network
from carnegie_env.agents.greedy import loops as greedy
from carnegie_env.agents.network import Weights
from carnegie_env.arena.play import opening
from carnegie_env.core.game import Game
from training import value_learning
from training.rivals import VALUE, Rival, Seated
from training.value_learning import Chains, Outcome, Style
from training.value_settings import Settings

PART_GAMES = 16  # games in a part: some tenths of a second
POSITIONS = 160  # of a seat in a game: room for this many on average
CHANGES = {1: 24, 2: 48}  # of inputs between two positions, by the number of seats; MANY_CHANGES for more seats
MANY_CHANGES = 72
SPARE = 1.2  # room for groups of tried actions, by their average number; more of them are not learned from


class CannotContinue(Exception):
    """Training can't continue because no player is left."""


class Ended(Exception):
    """The players were ended while they played."""


@dataclasses.dataclass(frozen=True)
class Course:
    """The settings that all players of a training share; it can be pickled.

    Args:
        game: the game.
        options: of the games, one or more; their inputs must have the same meaning.
        settings: of the training.
        shaping: points for each unit of an input at the end, by the name of its group.
        rivals: see :class:`training.value_trainer.Trainer`.
    """

    game: Game
    options: Sequence[Any]
    settings: Settings
    shaping: Mapping[str, float] = dataclasses.field(default_factory=dict)
    rivals: Sequence[Rival] = ()

    @property
    def num_players(self) -> int:
        """The number of seats."""
        players: int = self.options[0].num_players
        return players

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of inputs and of units in both layers of the network."""
        return inputs.size(self.game, self.options[0]), self.settings.hidden, self.settings.middle


class Part(NamedTuple):
    """Games of a round that are played one after the other."""

    round: int  # the number of the round, which selects the rival
    first: int  # the seed of the first game; the other seeds follow it
    games: int
    noise: float = 0.0  # in the values of actions, in points
    lean: float = 0.0  # share of the shaping bonus that decisions count
    search: float = 0.0  # percentage of decisions that a search makes

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """The seeds of the games, uint64 (games,)."""
        return np.uint64(self.first) + np.arange(self.games, dtype=np.uint64)


class Played(NamedTuple):
    """The result of a part."""

    chains: Chains
    outcome: Outcome


class Players(Protocol):
    """The players of a training; they finish rounds in the order in which they were begun.

    Attributes:
        ahead: rounds that are played while the learner learns: more than 1 if the learner would have to wait.
    """

    ahead: int

    def parts(self, games: int) -> int:
        """The number of parts that a round of some games should be divided into."""

    def compile(self, net: Weights) -> None:
        """Compile everything, before any time is measured."""

    def begin(self, parts: Sequence[Part], net: Weights) -> None:
        """Begin a round; the network may change in the meantime."""

    def finish(self) -> list[Played]:
        """Wait for the oldest unfinished round; returns its parts in order."""

    def done_with(self, played: Sequence[Chains]) -> None:
        """Declare the chains of a round unused: their memory may be reused."""

    def status(self) -> str:
        """A note on the players for the progress line, or an empty string."""

    def close(self) -> None:
        """End the players."""


class Player:
    """Plays parts in one thread."""

    def __init__(self, course: Course) -> None:
        game, options, settings = course.game, course.options[0], course.settings
        net = network.zeros(*course.shape)
        self.course = course
        self._templates = np.concatenate([game.template(each) for each in course.options])
        strength, group = preferences(game, options, settings.taste * game.dense_unit / 100)
        points, share = shaping_points(game, options, course.shaping), settings.rival_games if course.rivals else 0.0
        explore, draws = settings.explore, settings.draws
        self._style = Style(
            0.0, explore, strength, group, points, 0.0, opening(game), draws, share, 0.0, settings.candidates,
            settings.futures, settings.depth, settings.future_noise * game.dense_unit / 100, settings.rival_futures,
        )  # fmt: skip
        actions = game.num_actions(options)
        greedy_room, worths = greedy.room(game, actions), np.empty(actions)
        self._rivals = []
        for rival in course.rivals or [Rival(VALUE)]:  # a rival without a network gets any
            theirs = net if rival.net is None else rival.net
            room = evaluation.room(game, options, theirs, draws)
            self._rivals.append(Seated(rival.kind, theirs, room, greedy_room, worths))
        self._room, self._deep = (evaluation.room(game, options, net, each) for each in (draws, 1))
        self._met = value_learning.seats(course.num_players, net, actions)
        self.is_ended = False  # set by another thread: ends the part that is being played

    def compile(self, net: Weights) -> None:
        self.play(Part(0, 0, 0), net)

    def room_for(self, games: int, times: int = 1) -> Chains:
        """Empty chains for some games, with ``times`` the usual room."""
        players = self.course.num_players
        seats, positions = games * players, times * POSITIONS
        changes = seats * positions * CHANGES.get(players, MANY_CHANGES) + players * value_learning.LONGEST * 64
        settings = self.course.settings
        groups = int(seats * positions * settings.search / 100 * settings.futures * SPARE)
        return value_learning.chains(
            seats, seats * positions + players * value_learning.LONGEST, changes, groups, groups * settings.candidates
        )

    def play(self, part: Part, net: Weights, shown: Chains | None = None) -> Played:
        """Play a part.

        Args:
            part: the part.
            net: the network that plays.
            shown: chains to overwrite; if they are None or too small, new ones are made.
        """
        results = value_learning.outcome(self.course.game, part.games)
        times = 1
        if shown is None:
            shown = self.room_for(part.games)
        while self._played(part, net, shown, results) < part.games:  # longer games than usual: replay all of them
            times *= 2
            shown = self.room_for(part.games, times)
        return Played(shown, results)

    def _played(self, part: Part, net: Weights, shown: Chains, results: Outcome) -> int:
        """Play until the room is full; returns the number of games."""
        shown.used[:] = 0
        style = self._style._replace(noise=part.noise, shaping_weight=part.lean, search=part.search)
        rival = self._rivals[part.round % len(self._rivals)]
        seeds = part.seeds
        for k in range(max(part.games, 1)):  # one by one, because nothing interrupts a compiled loop
            if self.is_ended:
                raise Ended
            seed, result = seeds[k : k + 1], Outcome._make(each[k : k + 1] for each in results)
            if value_learning.play(
                seed, self._templates, net, self._room, self._deep, self._met, style, rival, shown, result
            ) < len(seed):
                return k
        return part.games


class Threads:
    """Players that are threads of this process; see :class:`Players`.

    Args:
        course: of the training.
        threads: their number, including the caller's, which plays what is left of a round that it waits for.
    """

    ahead = 1

    def __init__(self, course: Course, threads: int) -> None:
        self._all = [Player(course) for _ in range(threads)]
        self._idle: SimpleQueue[Player] = SimpleQueue()
        for player in self._all:
            self._idle.put(player)
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._free: list[Sequence[Chains]] = []
        self._begun: deque[list[tuple[Callable[[], Played], Future[Played] | None]]] = deque()

    def parts(self, games: int) -> int:
        """The same number for any number of threads above 1."""
        return 1 if self._pool is None else -(-games // PART_GAMES)

    def compile(self, net: Weights) -> None:
        self._play(Part(0, 0, 0), net, None)

    def begin(self, parts: Sequence[Part], net: Weights) -> None:
        fixed = Weights(*(part.copy() for part in net))
        rooms: Sequence[Chains | None] = self._free.pop() if self._free else [None] * len(parts)
        plays = [functools.partial(self._play, part, fixed, room) for part, room in zip(parts, rooms, strict=True)]
        self._begun.append([(play, None if self._pool is None else self._pool.submit(play)) for play in plays])

    def _play(self, part: Part, net: Weights, room: Chains | None) -> Played:
        player = self._idle.get()
        try:
            return player.play(part, net, room)
        finally:
            self._idle.put(player)

    def finish(self) -> list[Played]:
        left = reversed(self._begun.popleft())
        found = [play() if future is None or future.cancel() else future for play, future in left]
        return [each.result() if isinstance(each, Future) else each for each in reversed(found)]

    def done_with(self, played: Sequence[Chains]) -> None:
        self._free.append(played)

    def status(self) -> str:
        return ""

    def close(self) -> None:
        for player in self._all:
            player.is_ended = True
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


# ---------------------------------------------------------------- preferences and shaping, by the names of inputs
def preferences(game: Game, options: Any, points: float) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The strength of preferences for each input, float32 (F,), and the group of each input, int64 (F,).

    Inputs of a group are preferred together. A flag is worth ``points``. A unit of a count is worth less, by the root
    of its range; otherwise money would outweigh everything else.
    """
    units, groups = _units(game, options), _groups(game, options)
    strength = np.zeros(inputs.size(game, options), np.float32)
    strength[: len(units)] = points / np.sqrt(units)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    rest = [len(numbers)] * (len(strength) - len(groups))
    return strength, np.array([*(numbers[name] for name in groups), *rest], np.int64)


def shaping_points(game: Game, options: Any, shaping: Mapping[str, float]) -> NDArray[np.float32]:
    """Points for each input, float32 (F,), from points for each unit by group; a ValueError for an unknown group."""
    units, groups = _units(game, options), _groups(game, options)
    points = np.zeros(inputs.size(game, options), np.float32)
    for name, each in shaping.items():
        if name not in groups:
            known = ", ".join(dict.fromkeys(groups))
            raise ValueError(f"there are no inputs named {name!r}; the names are {known}")
        for place, group in enumerate(groups):
            if group == name:
                points[place] = each / units[place]
    return points


def _groups(game: Game, options: Any) -> list[str]:
    """The group of each input, such as `own.tab_pulled`."""
    return [name.partition("[")[0] for name in inputs.labels(game, options)]


def _units(game: Game, options: Any) -> NDArray[np.float64]:
    """The value of one unit of each input."""
    layout = game.layout(options)
    units = np.full(len(inputs.labels(game, options)), 1 / inputs.score_unit(game))
    units[: layout.size] = layout.units
    units[layout.size : layout.size + len(game.insights)] = 1
    return units
