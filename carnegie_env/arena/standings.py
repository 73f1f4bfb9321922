"""The results of games: win shares, ranks, margins, scores and times, by agent and by deal.

The games of a deal are not independent, because the same cards favour the same seats. Intervals are therefore computed
from the means by deal, which are independent.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.arena import statistics
from carnegie_env.arena.lines import Entrant, Fault, GameLine, quantile
from carnegie_env.arena.play import Results
from carnegie_env.arena.ratings import Ranking, evidence
from carnegie_env.arena.ratings import ratings as most_likely
from carnegie_env.arena.statistics import Estimate
from carnegie_env.core.game import Game

Numbers = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Times:
    """Time per decision in seconds; all 0 if no decision was timed.

    Args:
        decisions: the number of timed decisions.
        mean, p99, worst: their mean, 99th percentile (within 9 %) and maximum.
    """

    decisions: int
    mean: float
    p99: float
    worst: float


class Standings:
    """The games of a match as arrays, with their results.

    A game lost by a fault counts for win shares and ranks: the agent at fault is last, the others share the first
    place. Scores and margins leave it out, except :meth:`differences` of margins for tests, which use the margin that
    the game assigns to an illegal action.

    Args:
        game: the game.
        agents: the participants.
        lines: the games, in order.

    Attributes:
        deals: the numbers of the deals: int (deals,).
        deal: the deal of each game, as an index of ``deals``: int (games,).
        seats: the agent on each seat: int (games, seats).
        played: games that were finished: bool (games,).
        results: the ranking values, as in :class:`~carnegie_env.arena.play.Results`.
    """

    def __init__(self, game: Game, agents: Sequence[Entrant], lines: Sequence[GameLine]) -> None:
        if not lines:
            raise ValueError("no game has been played")
        self.game, self.agents, self.lines = game, tuple(agents), lines
        self.deals, self.deal = np.unique([line.deal for line in lines], return_inverse=True)
        self.seats = np.array([line.seats for line in lines], np.int64)
        self.played = np.array([line.fault is None for line in lines])
        players = self.seats.shape[1]
        self.opponent = game.opponent if players == 1 else None
        results = np.zeros((len(lines), players + (players == 1), len(game.rank_by)), np.int64)
        for number, line in enumerate(lines):
            if line.fault is None:
                results[number] = line.results
            else:  # all seats of the agent at fault have lost
                results[number, :players][self.seats[number] == line.fault.agent, 0] = int(game.losses.margin)
        decisions = sum(line.decisions for line in lines)
        self.results = Results(self.seats, results, self.opponent, decisions, 0.0)

    # ---- by agent
    @property
    def labels(self) -> list[str]:
        return [agent.label for agent in self.agents]

    @property
    def sides(self) -> list[tuple[str, int | None]]:
        """The agents' labels and indices; the name of the automatic opponent, if any, and None."""
        automatic = [] if self.opponent is None else [(self.opponent, None)]
        return [*((label, agent) for agent, label in enumerate(self.labels)), *automatic]

    @functools.cached_property
    def wins(self) -> Numbers:
        """Each agent's mean win share per seat, by deal: (deals, agents); with p players 1 / p is even."""
        return self._by_deal(self.results.wins)

    @functools.cached_property
    def margins(self) -> Numbers:
        """Each agent's mean margin, by deal: (deals, agents); NaN without a finished game."""
        return self._by_deal(self.results.margins, self.played)

    def win_share(self, agent: int) -> Estimate:
        """The agent's mean win share per seat."""
        return statistics.share_of_groups(self.wins[:, agent])

    def rank(self, agent: int) -> Estimate:
        """The agent's mean rank, from 1."""
        return statistics.mean(self._by_deal(self.results.ranks)[:, agent])

    def margin(self, agent: int) -> Estimate | None:
        """The agent's mean margin; None if none of its games was finished."""
        return _mean(self.margins[:, agent])

    def score(self, agent: int) -> Estimate | None:
        """The agent's mean score; None if none of its games was finished."""
        return _mean(self._by_deal(self.results.scores, self.played)[:, agent])

    def categories(self, agent: int | None) -> dict[str, float]:
        """The mean score by category, with `total`, of an agent or (None) the automatic opponent; {} without a game."""
        played = [line for line in self.lines if line.fault is None]
        scores = [line.categories[k] for line in played for k, each in enumerate((*line.seats, None)) if each == agent]
        total: Counter[str] = Counter()
        for each in scores:
            total.update(each)
        return {name: points / len(scores) for name, points in total.items()}

    def faults(self, agent: int) -> list[Fault]:
        """The faults by which the agent lost games, in order."""
        return [line.fault for line in self.lines if line.fault is not None and line.fault.agent == agent]

    def times(self, agent: int) -> Times:
        """The agent's thinking times."""
        clocks = [line.clocks[agent] for line in self.lines if agent in line.clocks]
        decisions = sum(clock.decisions for clock in clocks)
        if decisions == 0:
            return Times(0, 0.0, 0.0, 0.0)
        classes: Counter[int] = Counter()
        for clock in clocks:
            classes.update(clock.classes)
        worst = max(clock.worst for clock in clocks)
        p99 = min(quantile(classes, 0.99), worst)
        return Times(decisions, sum(clock.seconds for clock in clocks) / decisions, p99, worst)

    # ---- two agents
    def differences(self, one: int, other: int, by: str) -> Numbers:
        """One agent's mean minus another's, by deal: of "wins", or of "margin" including games lost by faults."""
        values = self.wins if by == "wins" else self._by_deal(self.results.margins)
        return np.asarray(values[:, one] - values[:, other], np.float64)

    def ahead(self, one: int, other: int) -> Estimate | None:
        """How often one agent finishes ahead of another in the same game; at tables of one on the same deal, by margin.

        A tie counts half. None if they never met.
        """
        if self.opponent is not None:
            gap = self._by_deal(self.results.margins)
            both = gap[:, one] - gap[:, other]
            shares = np.where(both > 0, 1.0, np.where(both < 0, 0.0, 0.5))[~np.isnan(both)]
            return statistics.share_of_groups(shares) if len(shares) else None
        ranks = self.results.ranks
        first, second = self.seats == one, self.seats == other
        pairs = first[:, :, None] & second[:, None, :]
        better = np.sign(ranks[:, None, :] - ranks[:, :, None]) / 2 + 0.5
        total = self._sum_by_deal((pairs * better).sum(axis=(1, 2)))
        number = self._sum_by_deal(pairs.sum(axis=(1, 2)))
        met = number > 0
        return statistics.share_of_groups(total[met] / number[met]) if met.any() else None

    def saving(self, one: int, other: int) -> float | None:
        """The factor by which playing the same deals in rotated seats lowers the variance of the difference in wins.

        The variance of the difference between deals is compared with its variance if each game had its own deal: the
        sum of the variances of games, each among the games of the same agents. None if either variance is 0.
        """

        def parts_of(agent: int) -> Numbers:
            """Each game's part of the agent's mean win share on the deal."""
            mine = self.seats == agent
            seats = self._sum_by_deal(mine.sum(axis=1))
            return np.asarray((self.results.wins * mine).sum(axis=1) / np.maximum(seats[self.deal], 1))

        parts = parts_of(one) - parts_of(other)
        tables: dict[tuple[int, ...], list[int]] = {}
        for number, seating in enumerate(self.seats):
            tables.setdefault(tuple(sorted(seating.tolist())), []).append(number)
        alone = sum(len(each) * float(parts[each].var(ddof=1)) for each in tables.values() if len(each) > 1)
        paired = float(self.differences(one, other, "wins").var(ddof=1)) * len(self.deals) if len(self.deals) > 1 else 0
        return alone / paired if paired > 0 and alone > 0 else None

    # ---- all agents
    def ratings(self) -> list[Estimate]:
        """The rating of each agent; in solo games also of the automatic opponent, at the end."""
        names = len(self.agents) + (self.opponent is not None)
        return most_likely(evidence(self._rankings(), len(self.deals), names))

    def _rankings(self) -> Iterator[tuple[int, Ranking]]:
        """The ranking of every game; in solo games of every deal, by margin over the automatic opponent."""
        if self.opponent is None:
            for deal, seating, ranks in zip(self.deal, self.seats, self.results.ranks, strict=True):
                yield int(deal), _levels(seating, -ranks)
            return
        margins = self.results.margins[:, 0] + (self.results.wins[:, 0] - 0.5) / 2  # a win on a tie-break is ahead
        for deal in range(len(self.deals)):
            mine = self.deal == deal
            here = [*self.seats[mine, 0], len(self.agents)]
            yield deal, _levels(np.array(here), np.array([*margins[mine], 0.0]))

    def _by_deal(self, values: NDArray[Any], counted: NDArray[np.bool_] | None = None) -> Numbers:
        """Means of the seats' values in the counted games, by deal and agent: (deals, agents); NaN without values."""
        chosen = slice(None) if counted is None else counted
        shape = len(self.deals), len(self.agents)
        cells = (self.deal[:, None] * len(self.agents) + self.seats)[chosen].ravel()
        total = np.bincount(cells, values[chosen].ravel(), minlength=shape[0] * shape[1])
        number = np.bincount(cells, minlength=shape[0] * shape[1])
        with np.errstate(invalid="ignore"):
            return np.asarray(total / number).reshape(shape)

    def _sum_by_deal(self, values: NDArray[Any]) -> Numbers:
        """Sums of the games' values: (deals,)."""
        return np.asarray(np.bincount(self.deal, values, minlength=len(self.deals)), np.float64)


def _mean(values: Numbers) -> Estimate | None:
    known = values[~np.isnan(values)]
    return statistics.mean(known) if len(known) else None


def _levels(sides: NDArray[np.int64], values: Numbers) -> list[list[int]]:
    """Sides by their values, greatest first, ties together."""
    return [[int(each) for each in sides[values == value]] for value in sorted(set(values.tolist()), reverse=True)]
