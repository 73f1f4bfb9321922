"""How far a review can be trusted: `python -m benchmarks.review luck`, `strength` or `calibration`.

- `luck`: how much of the variance of results luck explains, in games whose seats one agent plays. Without luck, results
  should differ less: by the decisions alone.
- `strength`: whether mean losses of few games rank agents as many games do, and whether half of the games gives the
  same losses as the other half. It also prints the losses for agents/levels.json.
- `calibration`: expected against final margins, and win shares; `--plot FILE` draws them.

All take the options of the game, and `--games`; the default is the solo game.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env import collection
from carnegie_env.agents import registry
from carnegie_env.agents.level import MIDDLE
from carnegie_env.arena import plot
from carnegie_env.arena.play import opening, play
from carnegie_env.core import files
from carnegie_env.core.arguments import add_options, given_options
from carnegie_env.review import BUDGETS, Budget, Line, luck
from carnegie_env.review.estimates import Estimator
from carnegie_env.review.regret import regrets

AGENTS = ("random", "level:2", "level:4", "level:6", "level:8", "value", "search:decisions=300", "greedy")
FIRST_SEED = 3_200_000_000  # far from the seeds of training and evaluation
AT_ONCE = 100  # games played side by side
BINS = 10
Spread = NDArray[np.float64]


def lines(name: str, games: int, game: str, options: dict[str, Any], seed: int) -> Iterator[Line]:
    """Games whose seats one agent plays; a game without chance begins with random decisions."""
    found, agent = collection.find(game), registry.make_agent(name, seed)
    chance = registry.make_agent("random", seed)
    for first in range(0, games, AT_ONCE):
        number = min(AT_ONCE, games - first)
        batch = found.batch_class(number, num_threads=1, **options)
        batch.reset(seed + first)
        records, actions = [batch._games.copy()], list[NDArray[np.int64]]()
        while not batch.done.all():
            actions.append((agent if len(actions) >= opening(found) else chance).act_batch(batch))
            batch.step(actions[-1])
            records.append(batch._games.copy())
        played, taken = np.stack(records, axis=1), np.stack(actions, axis=1)
        for row in range(number):
            ends = int((taken[row] >= 0).sum())
            yield Line(found, batch.options, played[row, : ends + 1].copy(), taken[row, :ends].copy())


# ---------------------------------------------------------------- luck
def measure_luck(given: argparse.Namespace, options: dict[str, Any]) -> None:
    """Print the variance of results with and without luck."""
    raw, adjusted, deal, events = [], [], [], []
    for line in lines(given.agent, given.games, given.game, options, FIRST_SEED):
        found = luck(line, Estimator(line.game, line.options), BUDGETS["thorough"].draws)
        raw.append(found.expected[-1])
        adjusted.append(found.adjusted)
        deal.append(found.deal)
        events.append(found.events.sum(axis=0))
    names = ("result", "luck of the deal", "luck in the game", "result without luck")
    print(f"{given.games} games of {given.agent}: mean and standard deviation over games and seats, in points")
    for name, values in zip(names, (raw, deal, events, adjusted), strict=True):
        print(f"{name:20} {np.mean(values):+7.2f} {_spread(values):7.2f}")
    print(f"variance without luck / raw variance: {_spread(adjusted) ** 2 / _spread(raw) ** 2:.3f}")


def _spread(values: list[Spread]) -> float:
    """The standard deviation over games, with the mean of each seat taken away."""
    found = np.array(values)
    return float(np.sqrt(((found - found.mean(axis=0)) ** 2).sum() / (found.shape[1] * (len(found) - 1))))


# ---------------------------------------------------------------- strength
def measure_strength(given: argparse.Namespace, options: dict[str, Any]) -> None:
    """Print mean losses and strengths of agents, and how well they agree."""
    if len(set(given.agents)) < 2:
        raise ValueError("strength compares agents: --agents must name two or more different ones")
    budget: Budget = BUDGETS[given.budget]
    strengths, losses, halves = [], [], []
    print(f"{'agent':24} {'margin':>8} {'games':>6} {'loss':>7} {'half':>7} {'half':>7} {'share':>6}")
    for name in given.agents:
        games = given.arena_games if not name.startswith("search") else max(given.arena_games // 20, 1)
        strengths.append(_strength(name, games, given, options))
        sums = np.zeros((given.games, 3))  # loss, decisions, difficulty
        for k, line in enumerate(lines(name, given.games, given.game, options, FIRST_SEED)):
            found = regrets(line, Estimator(line.game, line.options), budget)
            counted = [(each.loss, 1.0, each.difficulty[MIDDLE - 1]) for each in found if each.counts]
            sums[k] = np.sum(counted, axis=0)
        odd, even, total = (part.sum(axis=0) for part in (sums[::2], sums[1::2], sums))
        losses.append(total[0] / total[1])
        halves.append((odd[0] / odd[1], even[0] / even[1]))
        shown = f"{losses[-1]:7.3f} {halves[-1][0]:7.3f} {halves[-1][1]:7.3f} {total[0] / total[2]:6.3f}"
        print(f"{name:24} {strengths[-1]:+8.1f} {games:6} {shown}", flush=True)
    first, second = np.array(halves).T
    half = float(np.corrcoef(first, second)[0, 1])
    print(f"rank correlation of loss and strength (Spearman): {-_spearman(losses, strengths):.3f}")
    print(f"split-half reliability (Spearman-Brown): {2 * half / (1 + half) if half > -1 else -np.inf:.3f}")


def _strength(name: str, games: int, given: argparse.Namespace, options: dict[str, Any]) -> float:
    """The mean margin: against the automatic opponent, or against `--rival` on the other seats."""
    agents = [registry.make_agent(name, 1)]
    if options["num_players"] > 1:
        agents += [registry.make_agent(given.rival, 2 + k) for k in range(options["num_players"] - 1)]
    found = play(agents, games, game=given.game, seed=FIRST_SEED + 10**6, **options)
    return float(found.margins[found.agents == 0].mean())


def _spearman(one: Sequence[float], other: Sequence[float]) -> float:
    ranks = np.array([np.argsort(np.argsort(each)) for each in (one, other)], np.float64)
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


# ---------------------------------------------------------------- calibration
def measure_calibration(given: argparse.Namespace, options: dict[str, Any]) -> None:
    """Print, and draw, expected against final margins at three moments of the games."""
    target = None if given.plot is None else plot.check(given.plot)
    expected, wins, final, won = [], [], [], []
    for line in lines(given.agent, given.games, given.game, options, FIRST_SEED):
        moments = [0, len(line.actions) // 3, 2 * len(line.actions) // 3, len(line.actions)]
        margins, shares = Estimator(line.game, line.options).expected(line.records[moments].copy(), ahead=True)
        expected.append(margins[:-1])
        wins.append(shares[:-1])
        final.append(np.broadcast_to(margins[-1], margins[:-1].shape))
        won.append(np.broadcast_to(shares[-1], shares[:-1].shape))
    margin, share, result, victory = (np.array(part) for part in (expected, wins, final, won))
    print(f"{given.games} games of {given.agent}")
    print(f"{'moment':10} {'expected':>9} {'final':>8} {'slope':>6} {'error':>7} {'win':>6} {'won':>6} {'Brier':>6}")
    for k, name in enumerate(("start", "one third", "two thirds")):
        x, y, p, q = (part[:, k].ravel() for part in (margin, result, share, victory))
        slope = np.polyfit(x, y, 1)[0]
        error = np.sqrt(np.mean((x - y) ** 2))
        numbers = f"{x.mean():+9.1f} {y.mean():+8.1f} {slope:6.2f} {error:7.1f} {p.mean():6.3f} {q.mean():6.3f}"
        print(f"{name:10} {numbers} {np.mean((p - q) ** 2):6.3f}")
    if target is not None:
        _draw(target, [(margin, result, "final margin"), (share, victory, "win share")])
        print(target)


def _draw(target: Path, pairs: list[tuple[Spread, Spread, str]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.8), layout="constrained")
    for axes, (x, y, name) in zip(figure.subplots(1, 2), pairs, strict=True):
        for k, moment in enumerate(("start", "one third", "two thirds")):
            order = np.argsort(x[:, k].ravel())
            parts = [np.array_split(part[:, k].ravel()[order], BINS) for part in (x, y)]
            means = [[float(part.mean()) for part in each] for each in parts]
            axes.plot(*means, "o-", markersize=4, label=moment)
        ends = [float(x.min()), float(x.max())]
        axes.plot(ends, ends, color="grey", linewidth=0.8)
        axes.set_xlabel(f"expected {name}")
        axes.set_ylabel(f"{name}, mean of a tenth of the games")
        axes.legend()
    content = io.BytesIO()
    figure.savefig(content, format=target.suffix[1:])
    files.write_whole(target, content.getvalue())


MEASURES: dict[str, Callable[[argparse.Namespace, dict[str, Any]], None]] = {
    "luck": measure_luck, "strength": measure_strength, "calibration": measure_calibration,
}  # fmt: skip
GAMES = {"luck": 400, "strength": 20, "calibration": 2000}


def main(arguments: Sequence[str] | None = None) -> int:
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("--game", choices=collection.names(), default=collection.DEFAULT, help="default: %(default)s")
    kind = collection.options(first.parse_known_args(arguments)[0].game)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.review", description=__doc__, parents=[first],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("measure", choices=MEASURES)
    defaults = ", ".join(f"{number} for {name}" for name, number in GAMES.items())
    parser.add_argument("--games", type=int, metavar="N", help=f"defaults: {defaults}")
    parser.add_argument(
        "--agent", default="value", help="luck and calibration: the agent on all seats (default: %(default)s)"
    )
    parser.add_argument(
        "--agents", nargs="+", default=AGENTS, help=f"strength: the agents (default: {' '.join(AGENTS)})"
    )
    text = "strength: the budget of reviews (default: %(default)s)"
    parser.add_argument("--budget", choices=BUDGETS, default="quick", help=text)
    text = "games for the strength of an agent; a twentieth for search (default: %(default)s)"
    parser.add_argument("--arena-games", type=int, default=1000, metavar="N", help=text)
    parser.add_argument("--rival", default="value", help="strength: agent on the other seats (default: %(default)s)")
    parser.add_argument("--plot", metavar="FILE", help="calibration: picture to draw")
    add_options(parser, kind)
    given = parser.parse_args(arguments)
    given.games = GAMES[given.measure] if given.games is None else given.games
    if given.games < 2 or given.arena_games < 1:
        parser.error("--games must be 2 or more, and --arena-games 1 or more")
    options = given_options(given, kind)
    if given.game == collection.DEFAULT and "num_players" not in options:
        options = {"num_players": 1, "difficulty": "expert"} | options
    options.setdefault("num_players", collection.find(given.game).options().num_players)
    started = time.perf_counter()
    try:
        MEASURES[given.measure](given, options)
    except ValueError as error:
        parser.error(str(error))
    print(f"{time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
