"""Evaluate agents: `python -m training.evaluate --agents random greedy ppo:runs/NAME`.

Every agent plays the same deals: the solo game against the automatic opponent at each difficulty; with more players
(`--num-players`) against `random` and against `greedy` on all other seats.
"""

from __future__ import annotations

import csv
import dataclasses
import functools
import io
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carnegie_env import collection
from carnegie_env.agents import registry
from carnegie_env.agents.base import Agent
from carnegie_env.arena import statistics
from carnegie_env.arena.play import play
from carnegie_env.arena.statistics import Estimate
from carnegie_env.cli.parser import Parser
from carnegie_env.core.arguments import check_least
from carnegie_env.render.text import columns
from training.tables import Table, dealt

FIRST_SEED = 1_000_000_000  # far from the seeds of the training's games
MOST_PARALLEL = 1_000_000  # games that a training plays at once


@dataclasses.dataclass(frozen=True)
class Result:
    """The results of one agent against one opponent.

    ``own`` and ``other`` are scores in points, ``other`` of the automatic opponent or the best other player; ``margin``
    is their difference. A tie counts as a share of a win in ``win_rate``.
    """

    table: Table
    against: str
    agent: str
    games: int
    own: Estimate
    other: Estimate
    margin: Estimate
    win_rate: Estimate
    decisions: float


def first_seed(seed: int, steps: int) -> int:
    """The seed of a training's first game: different after each resumption, and never one of the evaluation.

    Args:
        seed: of the training; seeds below 998 share no games.
        steps: decisions in earlier sessions.
    """
    first = int(np.random.SeedSequence((seed, steps)).generate_state(1)[0]) if steps else seed * 1_000_003
    return first % (FIRST_SEED - MOST_PARALLEL)


def evaluate(agent: Agent, table: Table, against: str, games: int, seed: int = FIRST_SEED) -> Result:
    """Play games against one of a table's opponents, game i dealt from ``seed + i``; the agent's seat rotates."""
    others = [] if table.is_solo else [registry.make_agent(against)] * (table.num_players - 1)
    played = play([agent, *others], games, game=table.game, seed=seed, **table.options(against))
    mine = played.agents == 0
    own, margin = played.scores[mine], played.margins[mine]
    return Result(
        table=table,
        against=against,
        agent=agent.name,
        games=games,
        own=statistics.mean(own),
        other=statistics.mean(own - margin),
        margin=statistics.mean(margin),
        win_rate=statistics.share(played.wins[mine]),
        decisions=played.decisions / games,
    )


def evaluate_all(
    agents: Sequence[Agent],
    table: Table,
    games: int,
    seed: int = FIRST_SEED,
    say: Callable[[str], None] = lambda text: None,
) -> list[Result]:
    """Evaluate every agent against all opponents of a table; ``say`` prints the progress."""
    results = []
    for agent in agents:
        for against in table.against:
            say(f"evaluating {agent.name}, {against}")
            results.append(evaluate(agent, table, against, games, seed))
    return results


def final_scores(info: dict[str, Any]) -> tuple[float, float]:
    """The learner's score and the best other one in the infos of a finished game of a vector environment."""
    if "andrew_score" in info:
        return info["score"], info["andrew_score"]
    others = np.delete(info["scores"], info["learner_seat"])
    return info["scores"][info["learner_seat"]], others.max()


# ---- output
def sort(results: Sequence[Result]) -> list[Result]:
    """Sorted by opponent, then in the order of the agents."""
    return sorted(results, key=lambda result: result.table.against.index(result.against))


def table(results: Sequence[Result]) -> str:
    """The results as a text table with a line for each opponent and agent; ± and [ ] are 95 % intervals."""
    where = results[0].table
    against, other = where.names
    rows = [(against, "agent", "own score", other.capitalize().replace("_", " "), "margin", "win rate", "decisions")]
    last = None
    for r in sort(results):
        estimates = (r.own.text(), r.other.text(), r.margin.text(), r.win_rate.percent())
        rows.append(("" if r.against == last else r.against, r.agent, *estimates, f"{r.decisions:.0f}"))
        last = r.against
    lines = columns(rows, left=2)
    lines[1:] = [f"\n{line}" if row[0] else line for line, row in zip(lines[1:], rows[1:], strict=True)]
    counts = sorted({r.games for r in results})
    games = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]}-{counts[-1]}"
    title = f"Against {where.opponent}"
    if not where.is_solo:
        title = f"One of {where.num_players} players, the other seats played as named"
    return f"{title}, {games} games in each line, with 95 % intervals:\n\n" + "\n".join(lines)


def _records(results: Sequence[Result]) -> list[dict[str, Any]]:
    against, other = results[0].table.names
    return [
        {
            against: r.against, "agent": r.agent, "games": r.games, "own": r.own, other: r.other, "margin": r.margin,
            "win_rate": r.win_rate, "decisions": r.decisions,
        }
        for r in sort(results)
    ]  # fmt: skip


def to_csv(results: Sequence[Result]) -> str:
    """All results as CSV; every measure comes with the ends of its 95 % interval."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number, record in enumerate(_records(results)):
        line: dict[str, Any] = {}
        for name, value in record.items():
            if isinstance(value, Estimate):
                line |= {name: f"{value.mean:.4f}", f"{name}_low": f"{value.low:.4f}"}
                line[f"{name}_high"] = f"{value.high:.4f}"
            else:
                line[name] = f"{value:.2f}" if isinstance(value, float) else value
        if number == 0:
            writer.writerow(line)
        writer.writerow(line.values())
    return out.getvalue()


def to_json(results: Sequence[Result]) -> str:
    """All results as JSON: a list of objects."""
    return json.dumps(_records(results), indent=1, default=dataclasses.asdict) + "\n"


def ladder(results: Sequence[Result], names: Sequence[str]) -> tuple[bool, str]:
    """Whether each named agent is clearly better than the one before it, and a line about each pair.

    Clearly better: against every opponent the 95 % interval of the difference of the margins is above 0.
    """
    margins = {(result.agent, result.against): result.margin for result in results}
    table, point = results[0].table, results[0].table.game.presentation.point
    where = "at all difficulties" if len(table.against) > 1 and table.is_solo else "against all"
    all_better, lines = True, []
    for lower, upper in zip(names[:-1], names[1:], strict=True):
        gaps = {d: margins[upper, d].minus(margins[lower, d]) for d in table.against}
        unclear = [f"{d}: {gap.text()} {point}" for d, gap in gaps.items() if gap.low <= 0]
        if unclear:
            all_better = False
            lines.append(f"NOT clearly better than {lower}: {upper} ({', '.join(unclear)})")
        else:
            least = min(gaps.values(), key=lambda gap: gap.mean)
            lines.append(f"{upper} is clearly better than {lower} {where}, by at least {least.text()} {point}")
    return all_better, "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="python -m training.evaluate", description="Evaluate agents.")
    parser.add_argument("--agents", nargs="+", required=True, metavar="AGENT", help=registry.names())
    text = "the game (default: %(default)s)"
    parser.add_argument("--game", choices=collection.names(), default=collection.DEFAULT, help=text)
    parser.add_argument("--num-players", type=int, metavar="N", help="seats (default: the game's fewest)")
    parser.add_argument("--modules", choices=["all"], help="with all modules of the expansion (default: without it)")
    parser.add_argument("--games", type=int, default=1000, help="games for each agent and opponent (default: 1000)")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="seed of the first deal (default: %(default)s)")
    parser.add_argument("--format", choices=["text", "csv", "json"], default="text", help="output (default: text)")
    given = parser.parse_args(arguments)
    game = collection.find(given.game)
    where = Table(game, game.seats[0] if given.num_players is None else given.num_players, given.modules)
    try:
        check_least(given, games=2)
        dealt(game, where.num_players, modules=where.modules)  # checks them
        agents = [registry.make_agent(name, seed=index) for index, name in enumerate(given.agents)]
        say = functools.partial(print, file=sys.stderr)
        results = evaluate_all(agents, where, given.games, given.seed, say)
    except ValueError as error:
        parser.error(str(error))
    show = {"text": lambda r: table(r) + "\n", "csv": to_csv, "json": to_json}[given.format]
    print(show(results), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
