"""Value learning in rounds: players use the previous network while others learn from earlier games.

Several threads that learn divide the chains of each gradient step, and add their gradients in a fixed order. A round
depends only on its number, the seed, the number of parts and the number of these threads, so a training by games is
exactly repeatable. A resumed training plays the same games, but can't learn again from games of earlier rounds.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import inputs, network
from carnegie_env.agents.network import Weights
from carnegie_env.core.game import Game
from training import value_learning
from training.rivals import Rival
from training.value_learning import Chains, Outcome
from training.value_players import Course, Part, Players
from training.value_settings import Settings

FIRST, SECOND = 0.9, 0.999  # decay rates of Adam


class Trainer:
    """A network that learns by self-play.

    Args:
        game: the game.
        options: of the games, one or more; their inputs must have the same meaning.
        settings: of the training.
        seed: of the network and the games.
        players: makes the players, for example :class:`training.value_players.Threads`.
        net: the network to start from; None: random weights.
        shaping: a bonus in points for each unit of an input at the end, by the name of its group. It makes the network
            try plans that only pay off once they are played well: with `{"tabs of own": 1}` decisions count project
            tabs twice. A third output learns the bonus to come. The bonus fades out: see `lean_until` and `lean_ends`.
        rivals: opponents that do not learn: in some games (`rival_games`) a rival has all seats but one.
        learners: the number of threads that learn.

    Attributes:
        net: the network, which :meth:`round` changes.
        players: the players.
        games, steps: games played, and gradient steps taken.
    """

    def __init__(
        self,
        game: Game,
        options: list[Any],
        settings: Settings,
        seed: int,
        players: Callable[[Course], Players],
        net: Weights | None = None,
        shaping: Mapping[str, float] | None = None,
        rivals: Sequence[Rival] = (),
        learners: int = 1,
    ) -> None:
        self.game, self.options, self.settings, self.seed = game, options, settings, seed
        course = Course(game, options, settings, dict(shaping or {}), tuple(rivals))
        if net is None:
            net = network.initial(*course.shape, np.random.default_rng(seed))
        outputs = network.OUTPUTS + bool(shaping)
        self.net = network.with_outputs(net, outputs)
        self.mean, self.square = network.zeros(*course.shape, outputs), network.zeros(*course.shape, outputs)
        self.games = self.steps = self.rounds = 0
        self._num_players = course.num_players
        self._learners = [value_learning.learner(self.net) for _ in range(min(learners, settings.chains))]
        self._pool = ThreadPoolExecutor(len(self._learners))  # of all but the first, which is the caller's thread
        self._kept: deque[list[Chains]] = deque()
        self._begun = 0  # rounds in progress
        self.players = players(course)

    def compile(self) -> None:
        """Compile everything, before any time is measured."""
        shown = value_learning.chains(0, 0, 0)
        self._gradients(shown, np.zeros(0, np.int64))
        self._adam(0.0)
        self.players.compile(self.net)

    def close(self) -> None:
        """End the players and the threads."""
        self.players.close()
        self._pool.shutdown()

    def round(self, share: float, to_come: int | None = None) -> dict[str, float]:
        """Play a round of games, and learn from the games of earlier rounds.

        Args:
            share: of the training that is done, 0 to 1: the learning rate and the noise fall with it.
            to_come: the number of rounds to come, including this one, so that no unused round begins; None: unknown.

        Returns:
            The measurements by name.
        """
        settings = self.settings
        rate = settings.learning_rate * (1 - share * (1 - settings.last_rate))
        started = time.perf_counter()
        ahead = self.players.ahead if to_come is None else min(self.players.ahead, to_come)
        while self._begun < ahead:
            self._begin(share)
        loss = self._learn(rate)
        played = self.players.finish()
        seconds = time.perf_counter() - started
        self._begun -= 1
        self._kept.append([part.chains for part in played])
        if len(self._kept) > settings.rounds_kept:
            self.players.done_with(self._kept.popleft())
        seeds = np.uint64(self._seed_of(self.games)) + np.arange(settings.round_games, dtype=np.uint64)
        self.games += settings.round_games
        self.rounds += 1
        return self._measured([part.outcome for part in played], seeds, loss, seconds)

    def _seed_of(self, game: int) -> int:
        """The seed of a game, by its number in the training."""
        return (self.seed * 10**12 + game) % 2**64

    def _begin(self, share: float) -> None:
        settings, games = self.settings, self.settings.round_games
        noise = settings.noise * self.game.dense_unit / 100 * (1 - share)
        fading = max(settings.lean_ends - settings.lean_until, 1e-9)
        lean = min(
            max((settings.lean_ends - share) / fading, 0.0), 1.0
        )  # always floats: compiled loops depend on types
        search = settings.search if share >= settings.search_from else 0.0
        number, first = self.rounds + self._begun, self.games + self._begun * games
        parts = self.players.parts(games)
        edges = [games * k // parts for k in range(parts + 1)]
        self.players.begin(
            [
                Part(number, self._seed_of(first + a), b - a, noise, lean, search)
                for a, b in zip(edges, edges[1:], strict=False)
            ],
            self.net,
        )
        self._begun += 1

    def _learn(self, rate: float) -> tuple[float, float, float]:
        """Take gradient steps; returns the mean squared errors of the margin, the win probability, and the gain
        of the choice among tried actions over their mean."""
        if not self._kept:
            return float("nan"), float("nan"), float("nan")
        generator = np.random.default_rng([self.seed, self.rounds])
        settings = self.settings
        for learner in self._learners:
            learner.loss[:] = 0
        last = self._kept[-1]
        wanted = settings.reuse * sum(int(shown.used[0]) for shown in last)
        tasks = []
        for shown in last:  # each new game at least once
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
        loss = np.sum([learner.loss for learner in self._learners], axis=0)
        return float(loss[0] / loss[2]), float(loss[1] / loss[2]), float(loss[3] / max(loss[4], 1))

    def _by_all(self, function: Callable[[int], None]) -> None:
        """Call a function with the number of each learner, each in its thread."""
        others = [self._pool.submit(function, k) for k in range(1, len(self._learners))]
        function(0)
        for each in others:
            each.result()

    def _gradients(self, shown: Chains, which: NDArray[np.int64]) -> None:
        settings = self.settings
        positions = int((shown.position[which + 1] - shown.position[which]).sum())
        temperature = settings.temperature * self.game.dense_unit / 100 / inputs.margin_unit(self.game)
        parts = np.array_split(which, len(self._learners))

        def add(k: int) -> None:
            value_learning.add_gradients(
                parts[k], shown, self.net, settings.trace, settings.tasted_trace, settings.win_weight,
                settings.search_weight, temperature, 1 / max(positions, 1), self._learners[k],
            )  # fmt: skip

        self._by_all(add)

    def _adam(self, rate: float) -> None:
        """Take a step with the sum of the learners' gradients; each learner changes a part of every array."""
        number = len(self._learners)

        gradients = [each.gradient for each in self._learners]

        def step(k: int) -> None:
            for arrays in zip(self.net, self.mean, self.square, *gradients, strict=True):
                size = arrays[0].size
                own = slice(size * k // number, size * (k + 1) // number)
                weights, mean, square, gradient, *others = (array.reshape(-1)[own] for array in arrays)
                for other in others:
                    gradient += other
                    other[:] = 0
                value_learning.adam(weights, gradient, mean, square, rate, FIRST, SECOND)

        self._by_all(step)

    def _measured(
        self, results: list[Outcome], seeds: NDArray[np.uint64], loss: tuple[float, float, float], seconds: float
    ) -> dict[str, float]:
        """The measurements of a round, from games without preferences and rivals, which show how the network plays."""
        plain = seeds % np.uint64(2) == 0 if self.settings.taste > 0 else np.ones(len(seeds), bool)
        decisions = np.concatenate([each.decisions for each in results])
        plain = plain & ~np.concatenate([each.rival for each in results])
        played = plain & (decisions > 0)
        if not played.any():
            played = decisions > 0
        rows = np.concatenate([each.rows for each in results])[played]
        sides = list(self.game.sides(self.options[0]))
        own = rows[:, sides[0]] if self._num_players == 1 else rows[:, sides].reshape(-1, rows.shape[2])
        total = self.game.rank_columns[0]
        measured = {
            "games": float(self.games),
            "own": float(own[:, total].mean()),
            "decisions_per_game": float(decisions[decisions > 0].mean()),
            "games_per_second": len(decisions) / seconds,
            "margin_error": loss[0] ** 0.5 * inputs.margin_unit(self.game),
            "win_error": loss[1] ** 0.5,
            "search_gain": loss[2] * inputs.margin_unit(self.game),
        }
        if self._num_players == 1:
            margin = rows[:, sides[0], total] - rows[:, sides[1], total]
            measured |= {"margin": float(margin.mean()), "win_rate": float(((margin > 0) + 0.5 * (margin == 0)).mean())}
        for column, name in enumerate(self.game.score_columns):
            measured[name] = float(own[:, column].mean())
        return measured

    # ---- resuming
    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that a resumed training needs, arrays by name."""
        parts = {"net": self.net, "mean": self.mean, "square": self.square}
        arrays = {f"{part}.{name}": getattr(of, name) for part, of in parts.items() for name in Weights._fields}
        return arrays | {"counts": np.array([self.games, self.steps, self.rounds], np.int64)}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Resume from a :meth:`state`; a ValueError if its arrays do not fit."""
        mine = self.state()
        if set(state) != set(mine) or any(state[name].shape != mine[name].shape for name in mine):
            raise ValueError("these are not the arrays of a training run with these settings")
        for name, array in mine.items():
            if name != "counts":
                array[:] = state[name]
        self.games, self.steps, self.rounds = (int(count) for count in state["counts"])


def transfer(
    source: Weights, names_before: tuple[str, ...], names: tuple[str, ...], size: int, generator: np.random.Generator,
    units: tuple[int, int] | None = None,
) -> Weights:  # fmt: skip
    """A network for other games that starts from a trained one; inputs of the same name keep their weights.

    Units that it has more have random weights before them and none behind them, so the values do not change.

    Args:
        source: the trained network.
        names_before: the names of its inputs.
        names: the names of the new network's inputs.
        size: the number of the new network's inputs, with padding.
        generator: of the weights of new inputs and units.
        units: of both layers, at least the network's; None: as many.
    """
    middle, hidden = source.second.shape
    kept = network.widened(source, *(units or (hidden, middle)))
    made = kept._replace(first=generator.normal(0, 0.02, (size, kept.first.shape[1])).astype(np.float32))
    made.second[middle:] = generator.normal(0, 0.02, made.second[middle:].shape)
    places = {name: place for place, name in enumerate(names_before)}
    for place, name in enumerate(names):
        if name in places:
            made.first[place, :hidden] = source.first[places[name]]
    return made
