"""The leaderboard: a page in Markdown with a table for each task, from the files of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from carnegie_env.arena.ratings import Evidence, ratings
from carnegie_env.arena.statistics import Estimate
from carnegie_env.benchmark import summary
from carnegie_env.benchmark.results import Column, Result, columns_of
from carnegie_env.benchmark.tasks import AGENTS, POOL, TASKS, Task

HEAD = """\
# Leaderboard

Each agent plays fixed deals against each opponent of a fixed pool, never against itself. `python -m
carnegie_env.benchmark leaderboard` plays the games of the package's agents, continues after an interruption and writes
this page from the files in `docs/leaderboard`; [Benchmark](benchmark.md) describes the protocol and how to enter an
agent.

- **One agent, one seat.** With p players the agent takes each seat in turn on every deal, and the opponent has all
  other seats. An even win share is 1/p.
- **Cells**: the win share with its 95 % interval (Wilson's, from the mean of each deal), the mean margin with its 95 %
  interval (Student's), and the number of games. The margin is the agent's score minus the best other score, in points.
- **Rating**: Bradley and Terry's model, fitted to how often each agent finishes ahead of each other one at this table;
  400 points are odds of 10 to 1, the mean is 0, and intervals are 95 % bootstrap intervals over deals. In solo games
  agents are compared by their margins on the same deal, and with the automatic opponent.
- **ms**: milliseconds per decision on one core, mean and 99th percentile. For agents that play many games at once it is
  their share of a call; the others decide in one game.
- **Held out**: nothing may be trained or tuned for these tasks, except the package's `value` and `search`.
- **Networks**: `ppo`, `value` and `search` have the networks of the pool, which never change. The package may have
  newer ones ([strength](agents.md#strength)).

"""


def page(found: Sequence[Result]) -> str:
    """The whole page; results must be comparable (:func:`~.results.comparable`)."""
    parts = [HEAD, _agents(found)]
    for title, held_out in (("", False), ("# Held out", True)):
        parts += [f"#{title}\n\n"] if title else []
        for name, task in TASKS.items():
            here = [result for result in found if result.task == name]
            if here and task.held_out == held_out:
                parts.append(f"##{'#' if held_out else ''} {name}: {task.text}\n\n{table(task, here)}\n")
    if text := trainings(found):
        parts.append(text)
    return "".join(parts).rstrip("\n") + "\n"


def _agents(found: Sequence[Result]) -> str:
    lines = ["| agent | is | in the pool | training |", "|---|---|---|---|"]
    for label in dict.fromkeys([*AGENTS, *(result.agent.label for result in found)]):
        mine = [result for result in found if result.agent.label == label]
        if mine:
            spec = AGENTS[label].spec if label in AGENTS else mine[0].agent.spec
            budgets = ", ".join(sorted({result.budget for result in mine}))
            lines.append(f"| `{label}` | `{spec}` | {'yes' if label in POOL else ''} | {budgets} |")
    return "\n".join(lines) + "\n\n"


# ---------------------------------------------------------------- one task
def table(task: Task, found: Sequence[Result]) -> str:
    """A row for each agent, best rating first, and a column for each opponent."""
    heads = columns_of(task, "")
    rated = rate(task, found)
    shown = [name.capitalize() if task.players == 1 else f"`{name}`" for name in heads]
    lines = [f"| agent | rating | {' | '.join(f'against {name}' for name in shown)} | ms |"]
    lines.append("|---" * (len(heads) + 3) + "|")
    for label in sorted({result.agent.label for result in found}, key=lambda label: -rated[label].mean):
        mine = [result for result in found if result.agent.label == label]
        cells = [_cell([each for result in mine for each in result.columns if each.opponent == name]) for name in heads]
        times = " / ".join(
            two_digits(float(np.mean([each.milliseconds[kind] for each in mine]))) for kind in ("mean", "p99")
        )
        many = f", {len(mine)} trainings" if len(mine) > 1 else ""
        lines.append(f"| `{label}`{many} | {rated[label].rating()} | {' | '.join(cells)} | {times} |")
    return "\n".join(lines) + "\n"


def two_digits(number: float) -> str:
    """A number with two significant digits, without an exponent."""
    return np.format_float_positional(number, precision=2, fractional=False, trim="-")


def _cell(columns: Sequence[Column]) -> str:
    if not columns:
        return ""
    games = sum(column.games for column in columns)
    margins = [column.margin for column in columns if column.margin is not None]
    if len(columns) == 1:
        shown = columns[0].win_share.percent()
        if margins and np.isfinite(margins[0].low):
            shown += f", {margins[0].mean:+.1f} ± {margins[0].half_width:.1f}"
        return f"{shown} ({games})"
    share = summary.interquartile([[column.win_share.mean] for column in columns])
    return f"{share.percent()}, {np.mean([each.mean for each in margins]):+.1f} ({games})"


def rate(task: Task, found: Sequence[Result]) -> dict[str, Estimate]:
    """The rating of each agent and opponent, by label."""
    met = [[result.agent.label, *(column.opponent for column in result.columns)] for result in found]
    labels = list(dict.fromkeys(name for names in met for name in names))
    pairs = [(one, other) for k, one in enumerate(labels) for other in labels[k + 1 :]]
    sets = np.array([[float(label in pair) for label in labels] for pair in pairs])
    firsts, chosen = np.zeros((task.deals, len(labels))), np.zeros((task.deals, len(pairs)))
    for one, other, ahead, games in _compared(task, found):
        place = pairs.index((one, other) if (one, other) in pairs else (other, one))
        deals = range(len(ahead))
        chosen[deals, place] += games
        firsts[deals, labels.index(one)] += games * ahead
        firsts[deals, labels.index(other)] += games * (1 - ahead)
    return dict(zip(labels, ratings(Evidence(sets, firsts, chosen)), strict=True))


def _compared(task: Task, found: Sequence[Result]) -> Iterator[tuple[str, str, np.ndarray, int]]:
    """Two labels, how often the first was ahead by deal from the first deal on, and the games on a deal."""
    for result in found:
        for column in result.columns:
            yield result.agent.label, column.opponent, np.array(column.ahead), task.players
    for number, one in enumerate(found if task.players == 1 else ()):
        for other in found[number + 1 :]:
            if one.agent.label != other.agent.label:
                margins = [np.array(each.columns[0].margins, np.float64) for each in (one, other)]
                deals = min(map(len, margins))
                gap = np.nan_to_num(margins[0][:deals], nan=-1e9) - np.nan_to_num(margins[1][:deals], nan=-1e9)
                yield one.agent.label, other.agent.label, np.sign(gap) / 2 + 0.5, 1


# ---------------------------------------------------------------- several trainings
def trainings(found: Sequence[Result]) -> str:
    """The methods with several trainings: the interquartile mean of the win shares over all columns of the training
    tasks that every training has played."""
    lines = []
    trained = [(result.training, result) for result in found if result.training is not None]
    for key in sorted({(result.agent.label, result.budget) for _, result in trained}):
        same = [(one, r) for one, r in trained if (r.agent.label, r.budget) == key and not TASKS[r.task].held_out]
        seeds = sorted({training.seed for training, _ in same})
        shares = {(one.seed, r.task, each.opponent): each.win_share.mean for one, r in same for each in r.columns}
        columns = sorted({key[1:] for key in shares})
        columns = [column for column in columns if all((seed, *column) in shares for seed in seeds)]
        if len(seeds) > 1 and columns:
            estimate = summary.interquartile([[shares[seed, *column] for column in columns] for seed in seeds])
            hours = np.mean([training.core_hours for training, _ in same])
            tasks = ", ".join(dict.fromkeys(task for task, _ in columns))
            row = (f"`{key[0]}`", key[1], str(len(seeds)), f"{hours:.2g}", tasks, estimate.percent())
            lines.append(f"| {' | '.join(row)} |")
    if not lines:
        return ""
    head = "| method | budget | trainings | core-hours each | tasks | interquartile mean of win shares |\n"
    return f"## Trainings\n\n{head}|---|---|---|---|---|---|\n" + "\n".join(lines) + "\n"
