"""The search agent: it compares promising actions by roll-outs with the network.

The network first rates every action (evaluation.py). The best actions are then tried in the same futures: in each
future, hidden information is sampled, the action is taken, networks play all seats, and after some of the player's
own decisions it evaluates the position (truncated roll-outs, Tesauro and Galperin 1996; common random numbers). The
other seats play by two networks in turn, or err a little, so that no plan depends on one exact reply. The budget is
divided by sequential halving (Karnin, Koren and Somekh 2013): in each phase all remaining actions get the same number
of futures, then the worse half is dropped.

A small budget means fewer samples for the first rating, fewer candidates, and futures that end earlier: a future gets
an equal share of what is left, and ends before the decision that would exceed it.

Futures come in groups whose size does not depend on the number of threads, so the same budget of evaluations or
decisions gives the same choice. The clock is read more often; a group that runs out of time does not count.
"""

from __future__ import annotations

import dataclasses
import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import evaluation, network
from carnegie_env.agents.arguments import Arguments
from carnegie_env.agents.base import Agent, Judgement
from carnegie_env.agents.evaluation import DECISIONS, EVALUATIONS, Room
from carnegie_env.agents.network import Weights
from carnegie_env.agents.value import DRAWS, Networks, seeds_of
from carnegie_env.benchmark.tasks import FOLDER as POOL
from carnegie_env.core import kernels, rng, rules
from carnegie_env.core.arrays import Records
from carnegie_env.core.batch import Batch
from carnegie_env.core.game import Game
from carnegie_env.core.jit import jit
from carnegie_env.core.validation import MOST_THREADS, seed_of

CANDIDATES = 16  # most actions that are tried by default
DEPTH = 16  # own decisions after which a future ends
GROUP = 2  # futures of each action in a group, one for each network of the other seats
PRIOR = 2.0  # weight of the network's own rating, in futures
AT_ONCE = 2  # futures of a thread between two readings of the clock
FIRST = 0.5  # most of the budget that the network's own rating may take
WIDTH = 480  # evaluations for each candidate and seat: a few futures of full depth; more candidates would shorten them
GIVEN_WIDTH = 40  # if the number of candidates is given, n need n**2 times this number for all seats
PER_DECISION = 10  # evaluations for each decision, if only decisions are limited
PER_MS = 200  # evaluations that any machine manages in a millisecond
SPARE = 0.9  # share of the time left that plans may use
MS = 100.0  # the default budget
OWN = "own"  # the value of `opponents` for the agent's own network
NOISE = 0.3  # the temperature of other seats that have only one network, in hundredths of Game.dense_unit


@jit
def future(
    seat: int, number: int, depth: int, noise: float, ends: NDArray[np.int64], source: np.uint64, net: Weights,
    others: Weights, room: Room,
) -> float:  # fmt: skip
    """Play ``room.played``, with ``number`` legal actions, for ``depth`` decisions of a seat, or until ``room.used``
    would exceed ``ends``; returns the margin that the seat expects then, in points. ``noise`` and ``others``: the
    temperature and the network of the other seats."""
    game = room.played[0]
    own = 0
    known = -1  # the seat that has the current position
    while game.to_play >= 0:
        mover = game.to_play
        if (mover == seat and own == depth) or room.used[DECISIONS] >= ends[DECISIONS]:
            break
        if room.used[EVALUATIONS] + number >= ends[EVALUATIONS]:  # one evaluation is for the end
            break
        here, player = (0.0, net) if mover == seat else (noise, others)
        if mover != known:
            evaluation.look(game, mover, player, room)
            known = mover
        own += mover == seat
        source = rng.advance(source)
        number = kernels.advance(game, evaluation.best_action(game, rng.mix(source), here, player, room))
        room.used[DECISIONS] += 1
        if game.to_play == known:
            evaluation.look_on(game, known, player, room)
        else:
            known = -1
    if known != seat:
        evaluation.look(game, seat, net, room)
    return evaluation.value(game, seat, net, room)


@jit
def play_futures(
    game: Records,
    actions: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    depth: int,
    noise: float,
    most: NDArray[np.int64],
    net: Weights,
    others: Weights,
    room: Room,
    out: NDArray[np.float64],
) -> None:
    """Try each action in one future.

    Args:
        game: (1,), not over.
        actions: legal actions, int64 (k,).
        seeds: of the futures, uint64 (k,); equal seeds give the same hidden information and chance.
        depth: decisions of the seat after which a future ends.
        noise: the temperature of the other seats' decisions, in points.
        most: evaluations and decisions of a future, at least 1 each: int64 (2,).
        net, room: see evaluation.py; ``room.used`` is increased.
        others: the network of the other seats, of the same size as ``net``.
        out: the margins that the seat expects, in points: float64 (k,).
    """
    seat = game[0].to_play
    played = room.played[0]
    for k in range(actions.shape[0]):
        room.played[0] = game[0]
        played.rng = rng.mix(seeds[k])
        ends = room.used + most
        rules.redraw_hidden(played, seat)
        number = kernels.advance(played, actions[k])
        room.used[DECISIONS] += 1
        source = rng.mix(seeds[k] ^ np.uint64(0x5EED))
        out[k] = future(seat, number, depth, noise, ends, source, net, others, room)


@dataclasses.dataclass(frozen=True)
class Budget:
    """The limits of a search, which ends when the first one is reached.

    Args:
        ms: milliseconds by the clock.
        evals: evaluations of positions by the network.
        decisions: decisions in the futures.
    """

    ms: float | None = None
    evals: int | None = None
    decisions: int | None = None


class SearchAgent(Agent):
    """Takes the action that does best in futures played by the value agent's network.

    Args:
        arguments: as in `search:ms=50,threads=2`. The budgets of a decision are `ms`, `evals` (evaluations by the
            network) and `decisions` (in the futures); the first one that is reached ends the search (default: ms=100).
            Every action is evaluated at least once. `threads` is the number of threads that play futures (1). At most
            `candidates` actions are tried, `depth` own decisions deep; without `candidates` at most 16, fewer with a
            small budget or many players. `network` is the path of your own network; see
            :class:`~.value.Networks`. `opponents` is the path of the network that the others play by in futures, or
            `own`. By default it is your own network, or the package's and an earlier one in turn, if there is one. The
            others draw their actions from a softmax of the network's values with the temperature `noise`, in hundredths
            of the game's dense unit (0.3 by default, with two networks 0: they take the best one).
        seed: of the futures.

    Raises:
        ValueError: an unknown argument, an invalid value, no usable network.
    """

    name = "search"

    def __init__(self, arguments: str = "", seed: int = 0) -> None:
        given = Arguments("search", arguments)
        path = given.text("network")
        ms = given.number("ms", least=0.001)
        evals, decisions = given.whole("evals"), given.whole("decisions")
        if ms is None and evals is None and decisions is None:
            ms = MS
        self.budget = Budget(ms, evals, decisions)
        self.threads = given.whole("threads", MOST_THREADS) or 1
        self.candidates = given.whole("candidates")
        self.depth = given.whole("depth") or DEPTH
        self.noise = given.number("noise", least=0.0)
        opponents = given.text("opponents")
        given.check_all_known()
        self.networks = Networks(path)
        self.others = [self.networks]
        if opponents is None and path is None:
            self.others.append(Networks(folder=POOL))
        elif opponents not in (None, OWN):
            self.others = [Networks(opponents)]
        self.version = "-".join(each.version for each in dict.fromkeys([self.networks, *self.others]))
        self.seed = seed_of(seed)
        self.name = f"search:{arguments}" if arguments else "search"
        self._fitted: dict[tuple[Game, Any], tuple[Weights, list[Weights]]] = {}
        self._pool = _pool(self.threads)

    def __getstate__(self) -> dict[str, Any]:
        """Everything except the threads and networks, for copies and pickles."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_pool", "_fitted")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._fitted = {}
        self._pool = _pool(self.threads)

    def check_plays(self, game: Game, options: Any) -> None:
        """Raise a ValueError for a game without a network."""
        self._nets(game, options)

    def _nets(self, game: Game, options: Any) -> tuple[Weights, list[Weights]]:
        """The network, and those of the other seats, all with as many units, so that they share rooms."""
        key = game, options
        if key not in self._fitted:
            net = self.networks.of(game, options)
            named = [each for each in self.others if each.path is not None or each.find(game, options)]
            nets = [net, *(each.of(game, options) for each in named)]
            if len({each.second.shape for each in nets}) > 1:
                middle, hidden = np.max([each.second.shape for each in nets], axis=0)
                nets = [network.widened(each, hidden, middle) for each in nets]
            self._fitted[key] = nets[0], nets[1:]
        return self._fitted[key]

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        return self.judge(batch).actions

    def judge(self, batch: Batch[Any]) -> Judgement:
        """See :meth:`Agent.judge`; ``visits`` counts the futures of each action."""
        seeds = seeds_of(batch, self.seed)
        found = [self._search(batch, row, int(seeds[row])) for row in range(batch.num_games)]
        values = np.stack([values for values, _ in found])
        return Judgement(values.argmax(axis=1), values, np.stack([visits for _, visits in found]))

    def _search(self, batch: Batch[Any], row: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The value of each action of one game, float64 (A,), -inf if it is illegal; and its number of futures.

        The value of a dropped action is never higher than the value of an action that was kept.
        """
        clock = _Clock(self.budget)
        net, others = self._nets(batch.game, batch.options)
        game = batch._games[row : row + 1].copy()
        noise = (NOISE if len(others) == 1 else 0.0) if self.noise is None else self.noise
        noise *= batch.game.dense_unit / 100  # in points
        draws = DRAWS if batch.game.hides(batch.options) else 1
        clock.rooms = evaluation.rooms(batch.game, batch.options, net, draws, self.threads)
        actions = int(np.bitwise_count(game["legal"]).sum())
        draws = max(int(min(draws, FIRST * clock.evaluations / actions)), 1)
        visits = np.zeros(batch.num_actions, np.int64)
        worth, best = np.empty((1, batch.num_actions)), np.zeros(1, np.int64)
        evaluation.choose(game, draws, np.array([seed], np.uint64), net, clock.rooms[0], worth, best)
        values = worth[0]
        legal = np.flatnonzero(values > -np.inf)
        left, players = clock.left(), batch.options.num_players
        fit = left / (WIDTH * players) if self.candidates is None else math.sqrt(left / GIVEN_WIDTH)
        tried = min(self.candidates or CANDIDATES, max(int(fit), 2))
        alive = legal[np.argsort(-values[legal], kind="stable")][:tried]
        sums, number = PRIOR * values, PRIOR
        phases = math.ceil(math.log2(len(alive)))
        played = 0
        for phase in range(1, phases + 1):
            to_come = GROUP * sum(_sizes(len(alive)))  # futures, with one group in each phase
            cost = np.ones(2)  # of a future
            while ((most := clock.plan(to_come)) >= cost).all():
                before = clock.used
                seeds = rng.stream(seed, played, GROUP)
                out = self._play(game, alive, seeds, noise, most, net, others, clock)
                if out is None:
                    break
                played += GROUP
                cost = (clock.used - before) / out.size
                visits[alive] += GROUP
                sums[alive] += out.sum(axis=0)
                number += GROUP
                values[alive] = sums[alive] / number
                if clock.share() >= phase / phases:
                    break
            alive = alive[np.argsort(-values[alive], kind="stable")]
            kept = (len(alive) + 1) // 2
            dropped = alive[kept:]
            values[dropped] = np.minimum(values[dropped], values[alive[kept - 1]])
            alive = alive[:kept]
        if phases:  # actions that were dropped or never tried rank behind the last one
            rest = np.setdiff1d(legal, alive)
            values[rest] = np.minimum(values[rest], np.nextafter(values[alive[0]], -np.inf))
        return values, visits

    def _play(
        self,
        game: Records,
        actions: NDArray[np.int64],
        seeds: NDArray[np.uint64],
        noise: float,
        most: NDArray[np.int64],
        net: Weights,
        others: list[Weights],
        clock: _Clock,
    ) -> NDArray[np.float64] | None:
        """The margins of some actions in some futures, float64 (futures, actions); None if time ran out.

        The futures are distributed over the threads.
        """
        out = np.empty((len(seeds), len(actions)))
        parts = [(number, first) for number in range(len(seeds)) for first in range(0, len(actions), AT_ONCE)]

        def play(thread: int) -> None:
            room = clock.rooms[thread]
            for number, first in parts[thread :: self.threads]:
                if clock.is_late():
                    return
                part, theirs = slice(first, first + AT_ONCE), others[number % len(others)]
                equal = np.full(len(actions[part]), seeds[number])
                play_futures(game, actions[part], equal, self.depth, noise, most, net, theirs, room, out[number, part])

        if self._pool is None:
            play(0)
        else:
            list(self._pool.map(play, range(self.threads)))
        return None if clock.is_late() else out


def _sizes(candidates: int) -> list[int]:
    """The numbers of candidates in all phases."""
    sizes = []
    while candidates > 1:
        sizes.append(candidates)
        candidates = (candidates + 1) // 2
    return sizes


class _Clock:
    """Measures how much of its budget a search has spent, and plans the rest.

    Attributes:
        rooms: of the threads; they count evaluations and decisions.
        evaluations: the whole budget in evaluations.
    """

    def __init__(self, budget: Budget) -> None:
        self.started = time.perf_counter()
        self.budget = budget
        self.rooms: list[Room] = []
        in_time = math.inf if budget.ms is None else budget.ms * PER_MS
        self.evaluations = min(in_time, math.inf if budget.evals is None else budget.evals)
        self._limits = np.array([each or np.inf for each in (budget.evals, budget.decisions)])

    @property
    def used(self) -> NDArray[np.int64]:
        """Evaluations and decisions: int64 (2,)."""
        total: NDArray[np.int64] = sum((room.used for room in self.rooms), np.zeros(2, np.int64))
        return total

    def share(self) -> float:
        """The largest share spent of any limit; 1: all of it."""
        return float(max(self._share_of_time(), *(self.used / self._limits)))

    def is_late(self) -> bool:
        """Whether time is up."""
        return self._share_of_time() >= 1

    def left(self) -> float:
        """The rest of the budget, in evaluations."""
        evaluations, decisions = self._rest()
        return float(min(evaluations, PER_DECISION * decisions))

    def plan(self, futures: int) -> NDArray[np.int64]:
        """Evaluations and decisions for each of some futures, int64 (2,), so that the budget suffices for all."""
        return np.minimum(self._rest() / futures, 1 << 40).astype(np.int64)

    def _rest(self) -> NDArray[np.float64]:
        used = self.used
        rest = self._limits - used
        if self.budget.ms is not None:
            spent = self._spent()
            rate = max(used[EVALUATIONS] / max(spent, 1e-6), PER_MS)
            rest[EVALUATIONS] = min(rest[EVALUATIONS], SPARE * rate * (self.budget.ms - spent))
        return np.maximum(rest, 0)

    def _share_of_time(self) -> float:
        return 0.0 if self.budget.ms is None else self._spent() / self.budget.ms

    def _spent(self) -> float:
        """Milliseconds since the start."""
        return (time.perf_counter() - self.started) * 1000


def _pool(threads: int) -> ThreadPoolExecutor | None:
    return ThreadPoolExecutor(threads) if threads > 1 else None
