"""Who plays the games of value learning: threads of this process here, actors on Ray in value_cluster.py.

The games of a round are cut into parts. What comes of a part hangs on the part, the network and the training's
:class:`Course` alone: whoever plays it, and however often, it is the same bit by bit.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from agents import evaluation, inputs, network
from agents.greedy import loops as greedy
from agents.network import Weights
from agents.play import opening
from carnegie_env.core.game import Game
from training import value_learning
from training.rivals import VALUE, Rival
from training.value_learning import Chains, Outcome
from training.value_settings import Settings

POSITIONS = 160  # of a seat in a game, for which there is room on average
CHANGES = {1: 24, 2: 48}  # of inputs between two of them, by the number of seats; for more seats MANY_CHANGES
MANY_CHANGES = 72


class CannotGoOn(Exception):
    """Nobody plays any more; the message says why."""


@dataclasses.dataclass(frozen=True)
class Course:
    """What all who play for a training know; it can be pickled.

    Args:
        game: which.
        options: of the games, one or more; their inputs have the same meaning.
        settings: of the training.
        leaning: points for each unit of an input at the end, by the name of its group.
        rivals: see :class:`training.value_trainer.Trainer`.
    """

    game: Game
    options: Sequence[Any]
    settings: Settings
    leaning: Mapping[str, float] = dataclasses.field(default_factory=dict)
    rivals: Sequence[Rival] = ()

    @property
    def num_players(self) -> int:
        """Seats."""
        players: int = self.options[0].num_players
        return players

    @property
    def shape(self) -> tuple[int, int, int]:
        """Inputs, and units of both layers, of the network that learns."""
        return inputs.size(self.game, self.options[0]), self.settings.hidden, self.settings.middle


class Part(NamedTuple):
    """Games of a round that are played one after the other."""

    round: int  # its number: by it rivals take turns
    first: int  # the seed of the first of the games; those of the others follow
    games: int
    noise: float  # of the values that decide, in points
    lean: float  # how much of the bonus a decision counts

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """Of its games, uint64 (games,)."""
        return np.uint64(self.first) + np.arange(self.games, dtype=np.uint64)


class Played(NamedTuple):
    """What came of a part."""

    chains: Chains
    outcome: Outcome


class Players(Protocol):
    """Who plays the rounds of a training, in the order in which they were begun.

    Attributes:
        parts: into how many parts a round of so many games is best cut.
        ahead: how many rounds are being played while the learner learns: 1, or more where he would have to wait.
    """

    ahead: int

    def parts(self, games: int) -> int: ...
    def compile(self, net: Weights) -> None:
        """Have all compiled, before any time is measured."""

    def begin(self, parts: Sequence[Part], net: Weights) -> None:
        """Begin a round; the network may change meanwhile."""

    def finish(self) -> list[Played]:
        """The parts, in their order, of the round that was begun first; waits for it."""

    def done_with(self, played: Sequence[Chains]) -> None:
        """Nobody looks at the chains of a round any more: their room may be used again."""

    def said(self) -> str:
        """What is worth saying of the players beside the progress of the training; "" if there is nothing."""

    def close(self) -> None:
        """End what plays."""


class Player:
    """One who plays parts: rooms to work in, for one thread."""

    def __init__(self, course: Course) -> None:
        game, options, settings = course.game, course.options[0], course.settings
        net = network.zeros(*course.shape)
        self.course = course
        self._templates = np.concatenate([game.template(each) for each in course.options])
        self._strength, self._group = tastes(game, options, settings.taste * game.dense_unit / 100)
        self._leaning = leanings(game, options, course.leaning)
        # Where nobody else plays, or one without a network, any will do.
        rivals = course.rivals or [Rival(VALUE)]
        self._rivals = [(each.kind, net if each.net is None else each.net) for each in rivals]
        self._share = settings.rival_games if course.rivals else 0.0
        self._room = evaluation.room(game, options, net, settings.draws)
        self._rival_rooms = [evaluation.room(game, options, each, settings.draws) for _, each in self._rivals]
        self._greedy_room = greedy.room(game, game.num_actions(options))
        self._met = value_learning.seats(course.num_players, net)

    def compile(self, net: Weights) -> None:
        """Have compiled what it takes to play."""
        self.play(Part(0, 0, 0, 0.0, 0.0), net)

    def room_for(self, games: int, times: int = 1) -> Chains:
        """Room for what so many games show, ``times`` that which is usual."""
        players = self.course.num_players
        seats, positions = games * players, times * POSITIONS
        changes = seats * positions * CHANGES.get(players, MANY_CHANGES) + players * value_learning.LONGEST * 64
        return value_learning.chains(seats, seats * positions + players * value_learning.LONGEST, changes)

    def play(self, part: Part, net: Weights, shown: Chains | None = None) -> Played:
        """Play a part.

        Args:
            part: which.
            net: the network that plays.
            shown: room for what its seats met, in place of what is there; None, or too small: in a new one.
        """
        results = value_learning.outcome(self.course.game, part.games)
        times = 1
        if shown is None:
            shown = self.room_for(part.games)
        while self._played(part, net, shown, results) < part.games:  # longer games than usual: all of them again
            times *= 2
            shown = self.room_for(part.games, times)
        return Played(shown, results)

    def _played(self, part: Part, net: Weights, shown: Chains, results: Outcome) -> int:
        """How many games of a part were played before the room for what they show was full."""
        settings = self.course.settings
        shown.used[0] = 0
        which = part.round % len(self._rivals)
        kind, rival = self._rivals[which]
        return value_learning.play(
            part.seeds, self._templates, net, self._room, self._met, part.noise, settings.explore, self._strength,
            self._group, self._leaning, part.lean, opening(self.course.game), settings.draws, self._share, kind, rival,
            self._rival_rooms[which], self._greedy_room, shown, results,
        )  # fmt: skip


class Threads:
    """Players that are threads of this process; see :class:`Players`.

    Args:
        course: of the training.
        threads: of all of it. 1: a round is played when it is begun, while nobody learns; more: one learns, the
            others play.
    """

    ahead = 1

    def __init__(self, course: Course, threads: int) -> None:
        self._players = [Player(course) for _ in range(max(threads - 1, 1))]
        self._pool = ThreadPoolExecutor(len(self._players)) if threads > 1 else None
        self._free: list[Sequence[Chains]] = []
        self._begun: deque[list[Future[Played]]] = deque()

    def parts(self, games: int) -> int:
        """One for each who plays."""
        return len(self._players)

    def compile(self, net: Weights) -> None:
        """See :meth:`Players.compile`."""
        self._players[0].compile(net)

    def begin(self, parts: Sequence[Part], net: Weights) -> None:
        """See :meth:`Players.begin`."""
        fixed = Weights(*(part.copy() for part in net))
        rooms = self._free.pop() if self._free else [self._players[0].room_for(part.games) for part in parts]
        round_: list[Future[Played]] = []
        for player, part, room in zip(self._players, parts, rooms, strict=True):
            if self._pool is not None:
                round_.append(self._pool.submit(player.play, part, fixed, room))
                continue
            played: Future[Played] = Future()
            played.set_result(player.play(part, fixed, room))
            round_.append(played)
        self._begun.append(round_)

    def finish(self) -> list[Played]:
        """See :meth:`Players.finish`."""
        return [each.result() for each in self._begun.popleft()]

    def done_with(self, played: Sequence[Chains]) -> None:
        """See :meth:`Players.done_with`."""
        self._free.append(played)

    def said(self) -> str:
        """Nothing."""
        return ""

    def close(self) -> None:
        """See :meth:`Players.close`."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


# ---------------------------------------------------------------- tastes and leanings, by the names of inputs
def tastes(game: Game, options: Any, points: float) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """How strong a game's taste for each input may be, float32 (F,), and groups that are liked together, int64 (F,).

    An input that is a flag is worth ``points``; of one that counts, by some unit, each step is worth a share of them
    that grows with the root of the unit, or money would be all that counts.
    """
    units, groups = _units(game, options), _groups(game, options)
    strength = np.zeros(inputs.size(game, options), np.float32)
    strength[: len(units)] = points / np.sqrt(units)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    rest = [len(numbers)] * (len(strength) - len(groups))
    return strength, np.array([*(numbers[name] for name in groups), *rest], np.int64)


def leanings(game: Game, options: Any, leaning: Mapping[str, float]) -> NDArray[np.float32]:
    """Points for each input, float32 (F,), from points for each unit of a group's inputs.

    Raises:
        ValueError: there is no such group.
    """
    units, groups = _units(game, options), _groups(game, options)
    points = np.zeros(inputs.size(game, options), np.float32)
    for name, each in leaning.items():
        if name not in groups:
            known = ", ".join(dict.fromkeys(groups))
            raise ValueError(f"there are no inputs named {name!r} to lean to; there are {known}")
        for place, group in enumerate(groups):
            if group == name:
                points[place] = each / units[place]
    return points


def _groups(game: Game, options: Any) -> list[str]:
    """Names of the groups of the inputs, such as `own.tab_pulled`."""
    return [name.partition("[")[0] for name in inputs.labels(game, options)]


def _units(game: Game, options: Any) -> NDArray[np.float64]:
    """What a raw 1 is in each input."""
    layout = game.layout(options)
    units = np.full(len(inputs.labels(game, options)), 1 / inputs.score_unit(game))
    units[: layout.size] = layout.units
    units[layout.size : layout.size + len(game.insights)] = 1
    return units
