"""The search agent: it compares promising actions by roll-outs with the network.

The network first rates every action (evaluation.py). The best actions are then tried in the same futures: in each
future, hidden information is sampled, the action is taken, networks play all seats, and after some of the player's
own decisions it evaluates the position (truncated roll-outs, Tesauro and Galperin 1996; common random numbers). The
other seats play by two networks in turn, or err a little, so that no plan depends on one exact reply. The budget is
divided by sequential halving (Karnin, Koren and Somekh 2013): in each phase all remaining actions get the same number
of futures, then the worse half is dropped.

Where nothing is hidden, nothing is left to chance either. If the others don't err, every further group would repeat the
first there. The rest of the budget then goes into better plans, in the manner of limited discrepancy search (Harvey and
Ginsberg 1995): one own decision is changed at a time, and a change is kept if it raises these futures' mean margin.

A small budget means fewer samples for the first rating, fewer candidates, and futures that end earlier: a future gets
an equal share of what is left, and ends before the decision that would exceed it.

Futures come in groups whose size does not depend on the number of threads, so the same budget of evaluations or
decisions gives the same choice. The clock is read more often; a group that runs out of time does not count.
"""

from __future__ import annotations

import dataclasses
import math
import time
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
from carnegie_env.core import kernels, masks, rng, rules
from carnegie_env.core.arrays import Records
from carnegie_env.core.batch import Batch, thread_pool
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
ANY = 1 << 62  # changes of a plan: as many as the budget allows
LATER = 4.0  # changes are tried in the order of loss * (1 + LATER * own decisions before)
NOT_PLANNED = -1  # in a plan: the network decides
ROUNDING = 1e-6  # a plan is better only by more, because sums differ in the last bits
PLANNED = 16  # own decisions of a plan at most
SLACK = 1.5  # a future with a changed plan needs this times the mean cost of the first futures
GIVEN_WIDTH = 40  # if the number of candidates is given, n need n**2 times this number for all seats
PER_DECISION = 10  # evaluations for each decision, if only decisions are limited
PER_MS = 200  # evaluations that any machine manages in a millisecond
SPARE = 0.9  # share of the time left that plans may use
MS = 100.0  # the default budget
OWN = "own"  # the value of `opponents` for the agent's own network
NOISE = 0.3  # the temperature of other seats that have only one network, in hundredths of Game.dense_unit


@jit
def _look(game: Any, mover: int, known: int, net: Weights, room: Room) -> int:
    """Look at the position for a seat if it was last looked at for another one; returns the seat."""
    if mover != known:
        evaluation.look(game, mover, net, room)
    return mover


@jit
def future(
    seat: int, number: int, depth: int, noise: float, ends: NDArray[np.int64], source: np.uint64, net: Weights,
    others: Weights, room: Room, plan: NDArray[np.int64] | None = None, rated: NDArray[np.float64] | None = None,
) -> float:  # fmt: skip
    """Play ``room.played``, with ``number`` legal actions, for ``depth`` decisions of a seat, or until ``room.used``
    would exceed ``ends``; returns the margin that the seat expects then, in points. ``noise`` and ``others``: the
    temperature and the network of the other seats. ``plan``, ``rated``: a row each of `play_futures`' arguments."""
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
        source = rng.advance(source)
        action = NOT_PLANNED
        if plan is not None and rated is not None:  # a test of its own: numba then drops the branch
            if mover == seat and own < plan.shape[0]:
                action = plan[own]
                if action == NOT_PLANNED or not masks.test(game.legal, action):
                    known = _look(game, mover, known, net, room)
                    action = evaluation.best_action(game, rng.mix(source), 0.0, net, room, rated[own])
        if action == NOT_PLANNED:
            known = _look(game, mover, known, player, room)
            action = evaluation.best_action(game, rng.mix(source), here, player, room)
        own += mover == seat
        number = kernels.advance(game, action)
        room.used[DECISIONS] += 1
        if known >= 0 and game.to_play == known:
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
    plans: NDArray[np.int64],
    rated: NDArray[np.float64],
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
        plans: the seat's actions at its next decisions, int64 (k, P); where one is `NOT_PLANNED` or illegal, and after
            these P decisions, the network decides.
        rated: receives the network's values of all actions for each of these decisions that the network made, float64
            (k, P, A or more). Everything else stays as it is.
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
        out[k] = future(seat, number, depth, noise, ends, source, net, others, room, plans[k], rated[k])


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
            of the game's dense unit (0.3 by default, with two networks 0: they take the best one). Without noise and
            hidden information further futures would repeat the first. Then changes of each action's plan are tried, at
            most `deviations` (by default as many as the budget allows; 0 plays the same futures again).
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
        deviations = given.whole("deviations", least=0)
        self.deviations = ANY if deviations is None else deviations
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

    def __getstate__(self) -> dict[str, Any]:
        """Everything except the fitted networks, for copies and pickles."""
        return self.__dict__ | {"_fitted": {}}

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
        if len(alive) > 1:
            deviations = 0 if noise or batch.game.hides(batch.options) else self.deviations
            search = _Search(game, seed, self.depth, noise, deviations, net, others, clock)
            chosen = search.compare(alive, values, visits)
            rest = np.setdiff1d(legal, chosen)  # actions that were dropped or never tried rank behind the last one
            values[rest] = np.minimum(values[rest], np.nextafter(values[chosen], -np.inf))
        return values, visits


@dataclasses.dataclass
class _Search:
    """The futures of one position.

    Args:
        game: (1,).
        seed: of the futures.
        depth: see :class:`SearchAgent`.
        noise: the temperature of the other seats, in points.
        deviations: see :class:`SearchAgent`; 0 if futures don't repeat.
        net: of the agent.
        others: the networks of the other seats.
        clock: measures the budget; futures are played with a thread for each of its rooms.
    """

    game: Records
    seed: int
    depth: int
    noise: float
    deviations: int
    net: Weights
    others: list[Weights]
    clock: _Clock

    def __post_init__(self) -> None:
        self.group = len(self.others) if self.deviations else GROUP  # futures that differ, of each action
        # Where futures repeat: the first ones of each action, what a further one needs and gets, and the best plans.
        self.first: dict[int, tuple[NDArray[np.int64], float, NDArray[np.float64]]] = {}
        self.enough, self.longest = np.ones(2), np.ones(2, np.int64)
        self.lines: dict[int, _Line] = {}

    def compare(self, alive: NDArray[np.int64], values: NDArray[np.float64], visits: NDArray[np.int64]) -> int:
        """Compare actions, best first, by sequential halving; returns the best one.

        ``values``, float64 (A,), are the network's, and become the search's; ``visits``, int64 (A,), counts futures.
        """
        clock = self.clock
        rating, sums, number = values.copy(), PRIOR * values, PRIOR
        phases = math.ceil(math.log2(len(alive)))
        played = 0
        for phase in range(1, phases + 1):
            to_come = self.group * sum(_sizes(len(alive)))  # futures, with one group in each phase
            cost = np.ones(2)  # of a future
            while not self.first and ((most := clock.plan(to_come)) >= cost).all():
                before = clock.used
                plans = np.full((len(alive), min(self.depth, PLANNED) if self.deviations else 0), NOT_PLANNED)
                found = self.play(alive, plans, played, most)
                if found is None:
                    break
                margins, rated = found
                played += self.group
                cost = (clock.used - before) / margins.size
                visits[alive] += self.group
                means = margins.mean(axis=0)
                sums[alive] += GROUP * means
                number += GROUP
                values[alive] = sums[alive] / number
                if self.deviations:
                    self.first = {action: (plans[k], means[k], rated[k]) for k, action in enumerate(alive.tolist())}
                    self.enough, self.longest = SLACK * cost, most
                if clock.share() >= phase / phases:
                    break
            while self.first and clock.share() < phase / phases:
                tried = self.deviate(alive)
                if not len(tried):
                    break
                visits[tried] += self.group
                means = np.array([self.lines[action].margin for action in alive.tolist()])
                values[alive] = (PRIOR * rating[alive] + GROUP * means) / number
            alive = alive[np.argsort(-values[alive], kind="stable")]
            kept = (len(alive) + 1) // 2
            dropped = alive[kept:]
            values[dropped] = np.minimum(values[dropped], values[alive[kept - 1]])
            alive = alive[:kept]
        return int(alive[0])

    def deviate(self, alive: NDArray[np.int64]) -> NDArray[np.int64]:
        """Try the next change of each action's plan in the first futures; returns the actions whose plans had one."""
        if (self.clock.plan(self.group * len(alive)) < self.enough).any():
            return alive[:0]
        if not self.lines:
            self.lines = {action: _Line(*self.first[action], self.deviations) for action in alive.tolist()}
        changed = {action: plan for action in alive.tolist() if (plan := self.lines[action].next_change()) is not None}
        actions = np.array(list(changed), np.int64)
        if not changed:
            return actions
        plans = np.stack(list(changed.values()))
        found = self.play(actions, plans, 0, np.minimum(self.clock.plan(self.group * len(plans)), self.longest))
        if found is None:
            return alive[:0]
        margins, rated = found
        means = margins.mean(axis=0)
        for k, action in enumerate(changed):
            self.lines[action].improve(plans[k], means[k], rated[k])
        return actions

    def play(
        self, actions: NDArray[np.int64], plans: NDArray[np.int64], first: int, most: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Play a group of futures of some actions with their plans, from number ``first``.

        Returns:
            The margins, float64 (futures, k), and `rated` of the group's first future, as in `play_futures`; None if
            time ran out.
        """
        seeds, rooms = rng.stream(self.seed, first, self.group), self.clock.rooms
        out = np.empty((self.group, len(actions)))
        rated = np.full((*out.shape, plans.shape[1], 64 * self.game["legal"].shape[1]), -np.inf)
        parts = [(number, start) for number in range(self.group) for start in range(0, len(actions), AT_ONCE)]

        def play_parts(thread: int) -> None:
            for number, start in parts[thread :: len(rooms)]:
                if self.clock.is_late():
                    return
                part, theirs = slice(start, start + AT_ONCE), self.others[number % len(self.others)]
                equal = np.full(len(actions[part]), seeds[number])
                play_futures(
                    self.game, actions[part], equal, self.depth, self.noise, most, self.net, theirs, rooms[thread],
                    plans[part], rated[number, part], out[number, part],
                )  # fmt: skip

        if len(rooms) == 1:
            play_parts(0)
        else:
            list(thread_pool(len(rooms)).map(play_parts, range(len(rooms))))
        return None if self.clock.is_late() else (out, rated[0])


class _Line:
    """The best plan that is known for an action, where futures repeat.

    Args:
        plan: the seat's next actions, int64 (P,); `NOT_PLANNED`: the network decides.
        margin: what it leads to, in points.
        rated: the network's values for these decisions, float64 (P, A); -inf for illegal actions, and in the rows of
            planned ones.
        most: the number of changes that may be tried.
    """

    def __init__(self, plan: NDArray[np.int64], margin: float, rated: NDArray[np.float64], most: int) -> None:
        self._left = most
        self._tried = np.zeros(rated.shape, np.bool_)
        self._set(plan, margin, rated)

    def improve(self, plan: NDArray[np.int64], margin: float, rated: NDArray[np.float64]) -> None:
        """Take another plan if it is better."""
        if margin > self.margin + ROUNDING:
            self._set(plan, margin, rated)

    def _set(self, plan: NDArray[np.int64], margin: float, rated: NDArray[np.float64]) -> None:
        self.plan, self.margin = plan, margin
        self._tried[np.flatnonzero(plan != NOT_PLANNED).max(initial=-1) + 1 :] = False  # other positions from there on
        own = rated.argmax(axis=1)
        possible = (rated > -np.inf) & ~self._tried
        possible[np.arange(len(plan)), own] = False
        at, actions = np.nonzero(possible)
        loss = rated[at, own[at]] - rated[at, actions]
        order = np.argsort(loss * (1 + LATER * at), kind="stable")
        self._changes = zip(at[order].tolist(), actions[order].tolist(), strict=True)

    def next_change(self) -> NDArray[np.int64] | None:
        """The next plan to try: it changes one decision, and the network makes the later ones. None: there is none."""
        change = next(self._changes, None) if self._left else None
        if change is None:
            return None
        self._left -= 1
        self._tried[change] = True
        at, action = change
        plan = self.plan.copy()
        plan[at], plan[at + 1 :] = action, NOT_PLANNED
        return plan


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
