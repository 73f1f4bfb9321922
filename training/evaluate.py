"""How agents do against Andrew: `python -m training.evaluate --agents random greedy ppo:runs/NAME`.

Every agent plays the same deals, as many as asked for, at each difficulty.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
import json
import sys
from collections.abc import Callable, Sequence

from agents import registry, statistics
from agents.base import Agent
from agents.play import play
from agents.statistics import Estimate
from carnegie_env.carnegie.tables import DIFFICULTIES

FIRST_SEED = 1_000_000_000  # far from the seeds that training deals its games from
MEASURES = ("own", "andrew", "margin", "win_rate")


@dataclasses.dataclass(frozen=True)
class Result:
    """How one agent did at one difficulty.

    Args:
        difficulty, agent: names.
        games: how many.
        own: own score, VP.
        andrew: Andrew's score, VP.
        margin: own - Andrew's, VP.
        win_rate: share of the games won, a tie counts half.
        decisions: decisions per game.
    """

    difficulty: str
    agent: str
    games: int
    own: Estimate
    andrew: Estimate
    margin: Estimate
    win_rate: Estimate
    decisions: float


def evaluate(agent: Agent, difficulty: str, games: int, seed: int = FIRST_SEED) -> Result:
    """Play ``games`` solo games, game i dealt from ``seed + i``."""
    played = play([agent], games, seed=seed, num_players=1, difficulty=difficulty)
    own, andrew = played.sides[:, 0], played.sides[:, 1]
    return Result(
        difficulty=difficulty,
        agent=agent.name,
        games=games,
        own=statistics.mean(own),
        andrew=statistics.mean(andrew),
        margin=statistics.mean(own - andrew),
        win_rate=statistics.share(played.wins[:, 0]),
        decisions=played.decisions / games,
    )


def evaluate_all(
    agents: Sequence[Agent], games: int, seed: int = FIRST_SEED, say: Callable[[str], None] = lambda text: None
) -> list[Result]:
    """Every agent at every difficulty; ``say`` is told what is being played."""
    results = []
    for agent in agents:
        for difficulty in DIFFICULTIES:
            say(f"evaluating {agent.name}, {difficulty}")
            results.append(evaluate(agent, difficulty, games, seed))
    return results


# ---- how it is shown
def sort(results: Sequence[Result]) -> list[Result]:
    """By difficulty, then in the order the agents came."""
    return sorted(results, key=lambda result: DIFFICULTIES.index(result.difficulty))


def table(results: Sequence[Result]) -> str:
    """All results as text, one line for each agent and difficulty; ± and [ ] are 95 % intervals."""
    rows = [("difficulty", "agent", "own score", "Andrew", "margin", "win rate", "decisions")]
    before = None
    for r in sort(results):
        shown = "" if r.difficulty == before else r.difficulty
        before = r.difficulty
        estimates = (r.own.text(), r.andrew.text(), r.margin.text(), r.win_rate.percent())
        rows.append((shown, r.agent, *estimates, f"{r.decisions:.0f}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for row in rows:
        if row[0] and lines:
            lines.append("")
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        lines.append("  ".join([*left, *right]).rstrip())
    counts = sorted({r.games for r in results})
    games = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]}-{counts[-1]}"
    return f"Against Andrew, {games} games in each line, with 95 % intervals:\n\n" + "\n".join(lines)


def to_csv(results: Sequence[Result]) -> str:
    """All results as CSV, a line each; every measure with the ends of its 95 % interval."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    ends = [f"{measure}{end}" for measure in MEASURES for end in ("", "_low", "_high")]
    writer.writerow(["difficulty", "agent", "games", *ends, "decisions"])
    for r in sort(results):
        estimates = [getattr(r, measure) for measure in MEASURES]
        numbers = [f"{value:.4f}" for e in estimates for value in (e.mean, e.low, e.high)]
        writer.writerow([r.difficulty, r.agent, r.games, *numbers, f"{r.decisions:.2f}"])
    return out.getvalue()


def to_json(results: Sequence[Result]) -> str:
    """All results as JSON: a list of objects."""
    return json.dumps([dataclasses.asdict(result) for result in sort(results)], indent=1) + "\n"


def ladder(results: Sequence[Result], names: Sequence[str]) -> tuple[bool, str]:
    """Whether each named agent is clearly above the one before it, and a line about each pair.

    Clearly above: the 95 % interval of the difference of their margins is above 0 at every difficulty.
    """
    margins = {(result.agent, result.difficulty): result.margin for result in results}
    fine, lines = True, []
    for lower, upper in zip(names[:-1], names[1:], strict=True):
        gaps = {d: margins[upper, d].minus(margins[lower, d]) for d in DIFFICULTIES}
        missed = [difficulty for difficulty, gap in gaps.items() if gap.low <= 0]
        least = min(gaps.values(), key=lambda gap: gap.mean)
        if missed:
            fine = False
            said = ", ".join(f"{d}: {gaps[d].text()} VP" for d in missed)
            lines.append(f"NOT above: the margin of {upper} is not clearly above that of {lower} ({said})")
        else:
            lines.append(f"{upper} is clearly above {lower} at all difficulties, by {least.text()} VP at least")
    return fine, "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description="Evaluate agents against Andrew.")
    parser.add_argument("--agents", nargs="+", required=True, metavar="AGENT", help=f"who plays: {registry.names()}")
    parser.add_argument("--games", type=int, default=1000, help="for each agent and difficulty (default: 1000)")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="of the first deal (default: %(default)s)")
    parser.add_argument("--format", choices=["text", "csv", "json"], default="text", help="(default: text)")
    given = parser.parse_args(arguments)
    if given.games < 1:
        parser.error(f"--games must be 1 or more, not {given.games}")
    try:
        agents = [registry.make(name, seed=index) for index, name in enumerate(given.agents)]
        results = evaluate_all(agents, given.games, given.seed, lambda text: print(text, file=sys.stderr))
    except ValueError as error:
        parser.error(str(error))
    show = {"text": lambda r: table(r) + "\n", "csv": to_csv, "json": to_json}[given.format]
    print(show(results), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
