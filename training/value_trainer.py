"""Value learning in rounds: some threads play games with the network as it was, one learns from the games before.

What a round does hangs on its number, the seed and the number of playing threads alone, so a training by games is
exactly repeatable. A resumed one plays the games it would have played, but has forgotten those that it would have
learned from once more.
"""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import evaluation, inputs, network
from agents.greedy import loops as greedy
from agents.network import Weights
from agents.play import opening
from agents.value import LARGEST_UNITS
from carnegie_env.core.game import Game
from training import value_learning
from training.value_learning import Chains, Outcome

POSITIONS = 160  # of a seat in a game, for which there is room on average
CHANGES = {1: 24, 2: 48}  # of inputs between two of them, by the number of seats; for more seats MANY_CHANGES
MANY_CHANGES = 72
FIRST, SECOND = 0.9, 0.999  # Adam's


@dataclasses.dataclass(frozen=True)
class Settings:
    """What value learning is run with. The values were found by trying."""

    hidden: int = 128  # units of the first layer
    middle: int = 32  # of the second
    round_games: int = 256  # in a round
    reuse: float = 3.0  # times each game is learned from
    rounds_kept: int = 8  # from which games are drawn
    chains: int = 6  # in one step
    learning_rate: float = 1e-3  # at the start
    last_rate: float = 0.05  # of that, at the end
    trace: float = 0.95  # TD's lambda
    tasted_trace: float = 0.6  # the same for games with a taste
    noise: float = 0.1  # hundredths of Game.dense_unit, at the start; it falls linearly to nothing
    explore: float = 3.0  # of a hundred decisions, at which any legal action is taken
    rival_games: float = 40.0  # of a hundred games, in which a rival has all seats but one; if there are any
    taste: float = 2.0  # hundredths of Game.dense_unit: see tastes
    lean_until: float = 0.4  # share of the training after which a leaning begins to fade
    lean_ends: float = 0.8  # and after which it is gone
    draws: int = 4  # of what is hidden
    win_weight: float = 0.1  # of the loss of the chance to win

    def __post_init__(self) -> None:
        """Refuse, with a ValueError, what nothing can be trained with."""
        for name, value in dataclasses.asdict(self).items():
            least, most = (1, 10**9) if isinstance(value, int) else (0, 1e9)
            if name in ("hidden", "middle"):
                most = LARGEST_UNITS
            if name in ("last_rate", "trace", "tasted_trace", "lean_until", "lean_ends"):
                most = 1
            if not least <= value <= most:
                to = f"{least} or more" if most >= 1e9 else f"{least} to {most}"
                raise ValueError(f"{name} must be {to}, not {value}")


class Trainer:
    """A network that learns by playing with itself.

    Args:
        game: which.
        options: of the games, one or more; their inputs must have the same meaning.
        settings: see there.
        seed: of the network and the games.
        threads: 1: playing and learning take turns; more: one learns, the others play.
        net: where to start from; None: random weights.
        leaning: a bonus in points for each unit of an input at the end, by the name of its group: with
            `{"tabs of own": 1}` decisions count project tabs twice. So plans are tried that pay only when they are
            played well. A third output learns what of it will come; the margin is learned as it is. It counts in
            decisions in full at the beginning, and fades: see `lean_until` and `lean_ends`.
        rivals: networks for the same games that do not learn, or None for the greedy agent: in some games
            (`rival_games`) one of them has all seats but one. So play does not forget how to beat what is played
            elsewhere.

    Attributes:
        net: the network, which :meth:`round` changes.
        games: games played.
        steps: steps of learning.
    """

    def __init__(
        self,
        game: Game,
        options: list[Any],
        settings: Settings,
        seed: int,
        threads: int,
        net: Weights | None = None,
        leaning: Mapping[str, float] | None = None,
        rivals: Sequence[Weights | None] = (),
    ) -> None:
        self.game, self.options, self.settings, self.seed = game, options, settings, seed
        size = inputs.size(game, options[0])
        shape = size, settings.hidden, settings.middle
        if net is None:
            net = network.initial(*shape, np.random.default_rng(seed))
        outputs = network.OUTPUTS + bool(leaning)
        self.net = network.with_outputs(net, outputs)
        self.mean, self.square = network.zeros(*shape, outputs), network.zeros(*shape, outputs)
        self.games = self.steps = self.rounds = 0
        self._templates = np.concatenate([game.template(each) for each in options])
        self._players: int = options[0].num_players
        self._strength, self._group = tastes(game, options[0], settings.taste * game.dense_unit / 100)
        self._leaning = leanings(game, options[0], leaning or {})
        self._learner = value_learning.learner(self.net)
        self._playing = max(threads - 1, 1)
        self._pool = ThreadPoolExecutor(self._playing) if threads > 1 else None
        self._kept: deque[list[Chains]] = deque()
        self._free: list[list[Chains]] = []
        self._rooms = [evaluation.room(game, options[0], net, settings.draws) for _ in range(self._playing)]
        plain = network.with_outputs(net, network.OUTPUTS)  # where there is no other network
        self._is_greedy = [rival is None for rival in rivals]
        self._rivals = [plain if rival is None else network.with_outputs(rival, network.OUTPUTS) for rival in rivals]
        self._rival_rooms = [
            [evaluation.room(game, options[0], rival, settings.draws) for _ in range(self._playing)]
            for rival in self._rivals or [plain]
        ]
        self._greedy_rooms = [greedy.room(game, game.num_actions(options[0])) for _ in range(self._playing)]
        self._met = [value_learning.seats(self._players, net) for _ in range(self._playing)]

    def compile(self) -> None:
        """Have all compiled, before any time is measured."""
        shown, results = self._room_for(1), value_learning.outcome(self.game, 0)
        self._play(0, np.zeros(0, np.uint64), self.net, 0.0, 0.0, shown, results)
        value_learning.add_gradients(np.zeros(0, np.int64), shown, self.net, 0.0, 0.0, 0.0, 1.0, self._learner)
        self._adam(0.0)

    def round(self, share: float) -> dict[str, float]:
        """Play some games, and learn from those of the rounds before.

        Args:
            share: of the training that is done, 0 to 1: the learning rate and the noise fall with it.

        Returns:
            What was measured, by name.
        """
        settings = self.settings
        noise = settings.noise * self.game.dense_unit / 100 * (1 - share)
        rate = settings.learning_rate * (1 - share * (1 - settings.last_rate))
        edges = [settings.round_games * k // self._playing for k in range(self._playing + 1)]
        first = np.uint64((self.seed * 10**12 + self.games) % 2**64)
        seeds = first + np.arange(settings.round_games, dtype=np.uint64)
        new = not self._free
        buffers = [self._room_for(settings.round_games) for _ in self._rooms] if new else self._free.pop()
        results = [value_learning.outcome(self.game, b - a) for a, b in zip(edges, edges[1:], strict=False)]
        net = Weights(*(part.copy() for part in self.net))
        fading = max(settings.lean_ends - settings.lean_until, 1e-9)
        lean = min(max((settings.lean_ends - share) / fading, 0.0), 1.0)  # floats: compiled loops are made for a type
        tasks = [
            (k, seeds[edges[k] : edges[k + 1]], net, noise, lean, buffers[k], results[k]) for k in range(self._playing)
        ]
        started = time.perf_counter()
        if self._pool is None:
            self._play(*tasks[0])
            loss = self._learn(rate)
        else:
            playing = [self._pool.submit(self._play, *task) for task in tasks]
            loss = self._learn(rate)
            for each in playing:
                each.result()
        seconds = time.perf_counter() - started
        self._kept.append(buffers)
        if len(self._kept) > settings.rounds_kept:
            self._free.append(self._kept.popleft())
        self.games += settings.round_games
        self.rounds += 1
        return self._measured(results, seeds, loss, seconds)

    def _room_for(self, games: int) -> Chains:
        seats = games * self._players
        positions = seats * POSITIONS + self._players * value_learning.LONGEST
        changes = seats * POSITIONS * CHANGES.get(self._players, MANY_CHANGES)
        changes += self._players * value_learning.LONGEST * 64
        return value_learning.chains(seats, positions, changes)

    def _play(
        self,
        thread: int,
        seeds: NDArray[np.uint64],
        net: Weights,
        noise: float,
        lean: float,
        shown: Chains,
        results: Outcome,
    ) -> None:
        shown.used[0] = 0
        settings = self.settings
        which = self.rounds % max(len(self._rivals), 1)
        share, rival = (settings.rival_games, self._rivals[which]) if self._rivals else (0.0, net)
        value_learning.play(
            seeds, self._templates, net, self._rooms[thread], self._met[thread], noise, settings.explore,
            self._strength, self._group, self._leaning, lean, opening(self.game), settings.draws, share, rival,
            self._rival_rooms[which][thread], any(self._is_greedy) and self._is_greedy[which],
            self._greedy_rooms[thread], shown, results,
        )  # fmt: skip

    def _learn(self, rate: float) -> tuple[float, float]:
        """Steps on games of the rounds that are kept; the mean squared errors of margin and chance."""
        if not self._kept:
            return float("nan"), float("nan")
        generator = np.random.default_rng([self.seed, self.rounds])
        settings, loss = self.settings, self._learner.loss
        loss[:] = 0
        last = self._kept[-1]
        wanted = settings.reuse * sum(int(shown.used[0]) for shown in last)
        tasks = []
        for shown in last:  # the new ones once for sure
            order = generator.permutation(int(shown.used[0]))
            tasks += [(shown, order[k : k + settings.chains]) for k in range(0, len(order), settings.chains)]
        everything = [shown for each in self._kept for shown in each if shown.used[0] > 0]
        while everything and len(tasks) * settings.chains < wanted:
            shown = everything[generator.integers(len(everything))]
            tasks.append((shown, generator.integers(0, int(shown.used[0]), settings.chains)))
        for task in generator.permutation(len(tasks)):
            shown, which = tasks[task]
            self._gradients(shown, which)
            self.steps += 1
            self._adam(rate * float(np.sqrt(1 - SECOND**self.steps)) / (1 - FIRST**self.steps))
        return float(loss[0] / loss[2]), float(loss[1] / loss[2])

    def _gradients(self, shown: Chains, which: NDArray[np.int64]) -> None:
        settings = self.settings
        positions = int((shown.position[which + 1] - shown.position[which]).sum())
        value_learning.add_gradients(
            which, shown, self.net, settings.trace, settings.tasted_trace, settings.win_weight, 1 / max(positions, 1),
            self._learner,
        )  # fmt: skip

    def _adam(self, rate: float) -> None:
        for parts in zip(self.net, self._learner.gradient, self.mean, self.square, strict=True):
            weights, gradient, mean, square = (part.reshape(-1) for part in parts)
            value_learning.adam(weights, gradient, mean, square, rate, FIRST, SECOND)

    def _measured(
        self, results: list[Outcome], seeds: NDArray[np.uint64], loss: tuple[float, float], seconds: float
    ) -> dict[str, float]:
        """Of games without a taste: those show how the network plays."""
        plain = seeds % np.uint64(2) == 0 if self.settings.taste > 0 else np.ones(len(seeds), bool)
        decisions = np.concatenate([each.decisions for each in results])
        plain = plain & ~np.concatenate([each.rival for each in results])
        played = plain & (decisions > 0)
        if not played.any():
            played = decisions > 0
        rows = np.concatenate([each.rows for each in results])[played]
        sides = list(self.game.sides(self.options[0]))
        own = rows[:, sides[0]] if self._players == 1 else rows[:, sides].reshape(-1, rows.shape[2])
        total = self.game.rank_columns[0]
        measured = {
            "games": float(self.games),
            "own": float(own[:, total].mean()),
            "decisions_per_game": float(decisions[decisions > 0].mean()),
            "games_per_second": len(decisions) / seconds,
            "margin_error": loss[0] ** 0.5 * inputs.margin_unit(self.game),
            "win_error": loss[1] ** 0.5,
        }
        if self._players == 1:
            margin = rows[:, sides[0], total] - rows[:, sides[1], total]
            measured |= {"margin": float(margin.mean()), "win_rate": float((margin > 0).mean())}
        for column, name in enumerate(self.game.score_columns):
            measured[name] = float(own[:, column].mean())
        return measured

    # ---- to go on with later
    def state(self) -> dict[str, NDArray[Any]]:
        """All that a resumed training needs, arrays by name."""
        parts = {"net": self.net, "mean": self.mean, "square": self.square}
        arrays = {f"{part}.{name}": getattr(of, name) for part, of in parts.items() for name in Weights._fields}
        return arrays | {"counts": np.array([self.games, self.steps, self.rounds], np.int64)}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what :meth:`state` gave.

        Raises:
            ValueError: arrays that are not those of such a training.
        """
        mine = self.state()
        if set(state) != set(mine) or any(state[name].shape != mine[name].shape for name in mine):
            raise ValueError("these are not the arrays of a training with these settings")
        for name, array in mine.items():
            if name != "counts":
                array[:] = state[name]
        self.games, self.steps, self.rounds = (int(count) for count in state["counts"])


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


def transfer(
    source: Weights, names_before: tuple[str, ...], names: tuple[str, ...], size: int, generator: np.random.Generator
) -> Weights:
    """A network for other games, that starts from what one has learned: inputs of the same name keep their weights.

    Args:
        source: the network, whose inputs are ``names_before``.
        names: of the inputs of the new one, of which there are ``size``.
        generator: of the weights of inputs that the old one did not have.
    """
    hidden, middle = source.first.shape[1], source.second.shape[0]
    made = Weights(*(part.copy() for part in network.zeros(size, hidden, middle, len(source.last))))
    made.first[:] = generator.normal(0, 0.02, made.first.shape)
    places = {name: place for place, name in enumerate(names_before)}
    for place, name in enumerate(names):
        if name in places:
            made.first[place] = source.first[places[name]]
    for part in Weights._fields[1:]:
        getattr(made, part)[:] = getattr(source, part)
    return made
