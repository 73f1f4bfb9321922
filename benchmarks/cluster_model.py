"""A model of games on a cluster, event by event: nodes play lots, one link brings the results, one driver takes them.

It is the pool of agents/cluster.py with times in the place of work: what nodes are given ahead, how far a lot may be
behind, that results are taken one after the other. `python -m benchmarks.scale` measures the times, tries the model on
one worker and two, and asks it what more nodes would do.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections import deque

import numpy as np

from agents.cluster import AHEAD, WINDOW

TASK, LANDED, TAKEN = range(3)  # kinds of events: a node has a lot more to play; it has played one; the driver has one


@dataclasses.dataclass(frozen=True)
class Costs:
    """What things take.

    Args:
        lot: games of a lot.
        play: seconds for a lot on a core, on average.
        spread: of that time, as a share of it (standard deviation).
        give: seconds of the driver for a lot that it hands out.
        take: seconds of the driver for the results of a lot: unpacked, checked, written.
        bytes: of the results of a lot.
        bandwidth: of the driver's link, bytes a second.
        latency: seconds from the driver to a node, or back.
    """

    lot: int
    play: float
    spread: float
    give: float
    take: float
    bytes: int
    bandwidth: float
    latency: float = 0.001


@dataclasses.dataclass(frozen=True)
class Found:
    """What came of a simulation.

    Args:
        rate: games a second.
        cores, driver, link: how much of the time the nodes' cores, the driver and its link were busy, 0 to 1.
    """

    rate: float
    cores: float
    driver: float
    link: float

    @property
    def limit(self) -> str:
        """What had the least room left."""
        return max(("cores", self.cores), ("driver", self.driver), ("link", self.link), key=lambda each: each[1])[0]


def simulate(costs: Costs, nodes: int, slots: int, lots: int, seed: int = 0) -> Found:
    """Play lots on nodes with some slots each, and measure without the beginning and the end.

    Args:
        costs: what things take.
        nodes, slots: how many, and cores of each that play.
        lots: how many are played for each core.
        seed: of the times of lots.
    """
    return _Run(costs, nodes, slots, lots * nodes * slots, seed).found()


class _Run:
    def __init__(self, costs: Costs, nodes: int, slots: int, lots: int, seed: int) -> None:
        self.costs, self.slots, self.lots = costs, slots, lots
        self.window = WINDOW * nodes * slots
        generator = np.random.default_rng(seed)
        # Gamma: never negative, and of the spread that was asked for
        shape = 1 / max(costs.spread, 1e-6) ** 2
        self.times: list[float] = generator.gamma(shape, costs.play / shape, lots).tolist()
        self.free, self.queued = [slots] * nodes, [deque[int]() for _ in range(nodes)]
        self.room = deque(list(range(nodes)) * (AHEAD * slots))  # who may be given a lot, each as often
        self.done, self.first, self.next = bytearray(lots + 1), 0, 0
        self.driver = self.link = 0.0  # when they are free again
        self.events: list[tuple[float, int, int, int]] = []  # when, what, on which node, which lot
        self.taken: list[float] = []

    def found(self) -> Found:
        self._hand_out(0.0)
        while self.events:
            now, kind, node, lot = heapq.heappop(self.events)
            if kind == TASK:
                self.queued[node].append(lot)
                self._play(now, node)
            elif kind == LANDED:
                self.free[node] += 1
                self._play(now, node)
                self.link = max(self.link, now) + self.costs.bytes / self.costs.bandwidth
                self._work(self.link + self.costs.latency, self.costs.take)
                heapq.heappush(self.events, (self.driver, TAKEN, node, lot))
            else:
                self.taken.append(now)
                self.done[lot] = 1
                while self.done[self.first]:
                    self.first += 1
                self.room.append(node)
                self._hand_out(now)
        return self._measured()

    def _work(self, now: float, seconds: float) -> None:
        """The driver does something, as soon as it can."""
        self.driver = max(self.driver, now) + seconds

    def _hand_out(self, now: float) -> None:
        while self.room and self.next < self.lots and self.next < self.first + self.window:
            self._work(now, self.costs.give)
            heapq.heappush(self.events, (self.driver + self.costs.latency, TASK, self.room.popleft(), self.next))
            self.next += 1

    def _play(self, now: float, node: int) -> None:
        while self.free[node] and self.queued[node]:
            lot = self.queued[node].popleft()
            self.free[node] -= 1
            heapq.heappush(self.events, (now + self.times[lot], LANDED, node, lot))

    def _measured(self) -> Found:
        """From the first fifth of the lots to the fourth."""
        begin, end = len(self.taken) // 5, 4 * len(self.taken) // 5
        rate = (end - begin) * self.costs.lot / (self.taken[end] - self.taken[begin])
        cores = len(self.free) * self.slots
        alone = cores * self.costs.lot / self.costs.play
        driver = rate / self.costs.lot * (self.costs.give + self.costs.take)
        link = rate / self.costs.lot * self.costs.bytes / self.costs.bandwidth
        return Found(rate, rate / alone, driver, link)
