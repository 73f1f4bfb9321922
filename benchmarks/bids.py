"""The prices and earnings of companies in Steel Driver: `python -m benchmarks.bids --agent value`.

One agent plays all seats. The result is three tables in Markdown:

- by round, and by price: the cubes paid for a company, its profit in the round, the final payment for its share, and
  the earnings per cube. A sensible agent pays more for companies that earn more, so the earnings per cube are similar
  at all common prices.
- the whole game: companies bought per player and round, cash after the last round, and totals.

Sales with random decisions in their auction, as in the opening of a game, only count in the last table.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import registry
from carnegie_env.agents.base import Agent
from carnegie_env.arena.play import begin
from carnegie_env.core import log
from carnegie_env.core.arguments import check_least
from carnegie_env.steel_driver import events
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import STEEL_DRIVER
from carnegie_env.steel_driver.rules import scoring
from carnegie_env.steel_driver.state import NONE

PRICES = ((1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, t.CUBES))  # from and to, in cubes
FIRST_SEED = 3_000_000_000  # far from the seeds of training and evaluation


@dataclasses.dataclass(frozen=True)
class Sales:
    """The companies sold in some games: one entry of each array is a sale.

    Args:
        game: the number of the game.
        round: from 1.
        company, seat: the company and its buyer.
        price: in cubes.
        drawn: whether a decision of the auction was random.
        earned: the company's profit in that round, in $.
        share: the final payment for a share, in $.
    """

    game: NDArray[np.int64]
    round: NDArray[np.int64]
    company: NDArray[np.int64]
    seat: NDArray[np.int64]
    price: NDArray[np.int64]
    drawn: NDArray[np.bool_]
    earned: NDArray[np.int64]
    share: NDArray[np.int64]

    def where(self, chosen: NDArray[np.bool_]) -> Sales:
        """Some of the sales."""
        return Sales(*(getattr(self, field.name)[chosen] for field in dataclasses.fields(self)))


def play(agent: Agent, games: int, num_players: int, seed: int = FIRST_SEED) -> tuple[Sales, NDArray[np.int64]]:
    """Play games with an agent on all seats.

    Returns:
        The sales, and the score rows of the seats: int64 (games, seats, score columns).

    Raises:
        ValueError: the agent does not play the game, or the number of players is impossible.
    """
    batch = STEEL_DRIVER.batch_class(games, num_players=num_players)
    agent.check_plays(STEEL_DRIVER, batch.options)
    begin(batch, seed)
    watch = _Watch(batch.games)
    while not batch.done.all():
        before = batch.games.copy()
        chosen = agent.act_batch(batch)
        batch.step(chosen)
        watch.see(before, chosen)
    return watch.sales(batch.games), batch.breakdown()[:, :num_players]


class _Watch:
    """Records sales and profits from the events of each decision.

    Args:
        games: the records before the first decision.
    """

    def __init__(self, games: NDArray[Any]) -> None:
        self._up = games["auction"].astype(np.int64)  # companies whose auction had random decisions
        self._found: list[list[int]] = []  # game, round, company, seat, price, drawn, earned
        self._last: dict[tuple[int, int], list[int]] = {}  # the last sale, by game and company
        for game, seat, company in np.argwhere(games["shares"] > 0):  # sold in the opening; nothing is built yet
            self._sell(game, 1, company, seat, games["company_cubes"][game, company], True)

    def _sell(self, game: int, number: int, company: int, seat: int, price: int, drawn: bool) -> None:
        self._last[game, company] = [game, number, company, seat, price, drawn, 0]
        self._found.append(self._last[game, company])

    def see(self, before: NDArray[Any], chosen: NDArray[np.int64]) -> None:
        """Record a decision of each game; -1 where the game is over."""
        for game in np.flatnonzero(chosen >= 0).tolist():
            position = STEEL_DRIVER.position_class._of(before[game : game + 1].copy())
            for step in log.steps(position, int(chosen[game])):
                for kind, numbers in step.events:
                    if kind == events.SOLD:
                        seat, company, price = numbers
                        drawn = bool(self._up[game] == company)
                        self._sell(game, int(before["round_number"][game]), company, seat, price, drawn)
                        self._up[game] = NONE
                    elif kind == events.PAID:
                        _, company, profit = numbers
                        self._last[game, company][-1] = profit

    def sales(self, games: NDArray[Any]) -> Sales:
        """All sales; the games must be over."""
        game, number, company, seat, price, drawn, earned = np.array(self._found, np.int64).reshape(-1, 7).T
        share = games["profit"][game, company].astype(np.int64)
        return Sales(game, number, company, seat, price, drawn.astype(np.bool_), earned, share)


# ---------------------------------------------------------------- tables
def table(sales: Sales, rows: NDArray[np.int64], players: int) -> str:
    """All three tables as Markdown; brackets contain the middle 80 %."""
    known = sales.where(~sales.drawn)
    head = "| | sold | price (cubes) | earned ($) | share at the end ($) | $ a cube |\n|---|---|---|---|---|---|"
    lines = [head]
    lines += [_line(f"round {k}", known.where(known.round == k)) for k in range(1, t.ROUNDS + 1)]
    lines += ["", head]
    for least, most in PRICES:
        name = f"{least}-{most} cubes" if most < t.CUBES else f"{least} cubes or more"
        lines.append(_line(name, known.where((known.price >= least) & (known.price <= most))))
    bought = len(sales.game) / (len(rows) * players * t.ROUNDS)
    lines += ["", "| | |", "|---|---|", f"| companies bought per player and round | {bought:.2f} |"]
    for name, column in (("cash after the last round ($)", scoring.CASH), ("total ($)", scoring.TOTAL)):
        lines.append(f"| {name} | {_spread(rows[:, :, column])} |")
    lines.append(f"| total of the winner ($) | {_spread(rows[:, :, scoring.TOTAL].max(axis=1))} |")
    return "\n".join(lines)


def _line(name: str, sales: Sales) -> str:
    """A line of the first two tables."""
    if len(sales.price) == 0:
        return f"| {name} | 0 | | | | |"
    a_cube = (sales.earned + sales.share).sum() / sales.price.sum()
    cells = (str(len(sales.price)), *map(_spread, (sales.price, sales.earned, sales.share)), f"{a_cube:.0f}")
    return f"| {name} | {' | '.join(cells)} |"


def _spread(values: NDArray[Any]) -> str:
    low, high = np.percentile(values, [10, 90])
    digits = 1 if values.mean() < 20 else 0
    return f"{values.mean():.{digits}f} [{low:.0f}, {high:.0f}]"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bids", description="Prices and earnings of companies in Steel Driver."
    )
    parser.add_argument("--agent", default="value", help=f"the agent (default: %(default)s): {registry.names()}")
    parser.add_argument("--num-players", type=int, choices=range(t.LEAST_SEATS, t.SEATS + 1), default=t.LEAST_SEATS)
    parser.add_argument("--games", type=int, default=500, help="number of games (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="seed of the first game (default: %(default)s)")
    given = parser.parse_args(arguments)
    try:
        check_least(given, games=1)
        sales, rows = play(registry.make_agent(given.agent), given.games, given.num_players, given.seed)
    except ValueError as error:
        parser.error(str(error))
    print(f"{given.games} games of {given.num_players} players, all of them {given.agent}\n")
    print(table(sales, rows, given.num_players))
    return 0


if __name__ == "__main__":
    sys.exit(main())
