"""The leaderboard: a page in Markdown with a table for each task, from the files of results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from carnegie_env.arena import statistics
from carnegie_env.arena.ratings import Evidence, ratings
from carnegie_env.arena.statistics import Z95, Estimate
from carnegie_env.benchmark import summary
from carnegie_env.benchmark.results import Column, Result, columns_of, mean
from carnegie_env.benchmark.tasks import AGENTS, POOL, TASKS, Task
from carnegie_env.render.text import number_of

SEEDS = 5  # trainings of a method, at least

HEAD = """\
# Leaderboard

Each agent plays fixed deals against each opponent of a fixed pool, never against itself. [Benchmark](benchmark.md)
describes the protocol, and how to [enter your own agent](benchmark.md#entering-the-leaderboard). `python -m
carnegie_env.benchmark leaderboard` plays the games of `random`, `search-10k` and the pool, continues after an
interruption, and writes this page from the files in `docs/leaderboard`.

- **One agent, one seat.** With p players the agent takes each seat in turn on every deal, and the opponent has all
  other seats. An even win share is 1/p.
- **Cells**: the win share with its 95 % interval (Wilson's, from the mean of each deal), the mean margin with its 95 %
  interval (Student's), and the number of games. The margin is the agent's score minus the best other score, in points.
- **Rating**: Bradley and Terry's model, fitted to how often each agent finishes ahead of every other one in this task;
  a difference of 400 points means odds of 10 to 1. `value` has rating 0, in solo games Andrew has. Intervals are 95 %
  bootstrap intervals over deals and trainings. Each agent also has half a won and half a lost game against an agent of
  average strength. In solo games agents are compared by their margins on the same deal, and with Andrew. The pool's
  agents are also rated by the games in which they have all other seats, so with 3 players or more equal agents can
  differ in rating.
- **Several trainings** of a method are one row for each [training budget](benchmark.md#training): the interquartile
  mean of the win share and the mean margin. Intervals show how much trainings and games differ.
- **ms**: milliseconds per decision on one core, mean and 99th percentile. Agents that play many games at once decide
  all of them in one call; their time is the call's, divided by its decisions.
- **Held out**: nothing may be trained or tuned for these tasks, except the package's `value` and `search`.
- **Networks**: `{network}` is the pool's network for the task, which never changes. `value` and `search:evals=10000`
  without `{network}` play with the package's networks ([strength](agents.md#strength)).

"""


def page(found: Sequence[Result], watch: Callable[[int, int], object] = lambda done, total: None) -> str:
    """The whole page; results must be comparable (:func:`~.results.comparable`).

    ``watch`` is called before each table with the number of results in the finished ones, and in all.
    """
    parts = [HEAD, _agents(found)]
    done = 0
    for title, held_out in (("", False), ("# Held out", True)):
        parts += [f"#{title}\n\n"] if title else []
        for name, task in TASKS.items():
            here = [result for result in found if result.task == name]
            if here and task.held_out == held_out:
                watch(done, len(found))
                done += len(here)
                parts.append(f"##{'#' if held_out else ''} {name}: {task.text}\n\n{table(task, here)}\n")
    if text := trainings(found):
        parts.append(text)
    return "".join(parts).rstrip("\n") + "\n"


def _agents(found: Sequence[Result]) -> str:
    """A row for each agent, and for each class of its trainings."""
    classes = [(result.agent.label, result.budget if result.training else "") for result in found]
    lines = ["| agent | is | in the pool | training |", "|---|---|---|---|"]
    for label, budget in dict.fromkeys([*((label, "") for label in AGENTS), *classes]):
        mine = [result for result, named in zip(found, classes, strict=True) if named == (label, budget)]
        if mine:
            spec = _code(AGENTS[label].spec if label in AGENTS else mine[0].agent.spec)
            if mine[0].training is not None and mine[0].training.notes:
                spec = _plain(mine[0].training.notes)
            lines.append(f"| `{label}` | {spec} | {'yes' if label in POOL else ''} | {budget} |")
    return "\n".join(lines) + "\n\n"


# ---------------------------------------------------------------- one task
def table(task: Task, found: Sequence[Result]) -> str:
    """A row for each agent, best rating first, and a column for each opponent."""
    heads = columns_of(task, "")
    rated = rate(task, found)
    shown = [name.capitalize() if task.players == 1 else f"`{name}`" for name in heads]
    lines = [f"| agent | rating | {' | '.join(f'against {name}' for name in shown)} | ms |"]
    lines.append("|---" * (len(heads) + 3) + "|")
    for row in sorted({result.row for result in found}, key=lambda row: (-round(rated[row].mean, 6), row)):
        mine = [result for result in found if result.row == row]
        cells = [_cell([each for result in mine for each in result.columns if each.opponent == name]) for name in heads]
        times = " / ".join(
            two_digits(float(np.mean([each.milliseconds[kind] for each in mine]))) for kind in ("mean", "p99")
        )
        label, *budget = row.split()
        number = number_of(len(mine), "trainings")
        faults = sum(sum(each.faults.values()) for each in mine)
        lost = [f"{number_of(faults, 'games')} lost by faults"] if faults else []
        named = ", ".join([f"`{label}`", *budget, *([number] if budget else []), *lost])
        rating = "0" if row == anchor_of(task) else rated[row].rating()
        lines.append(f"| {named} | {rating} | {' | '.join(cells)} | {times} |")
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    """A text as code in a cell."""
    plain = _plain(text).replace("`", "'")
    return f"`{plain}`"


def _plain(text: str) -> str:
    """A text in a cell."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


def two_digits(number: float) -> str:
    """A number with two significant digits, without an exponent."""
    return np.format_float_positional(number, precision=2, fractional=False, trim="-")


def _cell(columns: Sequence[Column]) -> str:
    if not columns:
        return ""
    games = sum(column.games for column in columns)
    share, margin = columns[0].win_share, columns[0].margin
    if len(columns) > 1:
        share = _interquartile_share([[[column]] for column in columns])
        margin = mean([column.margin.mean for column in columns if column.margin is not None])
    known = margin is not None and np.isfinite(margin.low)
    return f"{share.percent()}{f', {margin.mean:+.1f} ± {margin.half_width:.1f}' if known and margin else ''} ({games})"


def _interquartile_share(table: Sequence[Sequence[Sequence[Column]]]) -> Estimate:
    """The interquartile mean of the win share over a task's opponents: by training, task and opponent."""
    estimates = [[[column.win_share for column in task] for task in row] for row in table]
    means = [[np.mean([each.mean for each in task]) for task in row] for row in estimates]
    return summary.interquartile(means, [[_error(task) for task in row] for row in estimates], (0, 1))


def _error(estimates: Sequence[Estimate]) -> float:
    """The standard error of the mean of independent estimates; 0 if one is of a single deal, whose error is unknown."""
    error = math.sqrt(sum((each.half_width / Z95) ** 2 for each in estimates)) / len(estimates)
    return error if math.isfinite(error) else 0.0


def rate(task: Task, found: Sequence[Result]) -> dict[str, Estimate]:
    """The rating of each row and opponent, by name; that of the anchor is 0."""
    met = [[result.row, *(column.opponent for column in result.columns)] for result in found]
    names = list(dict.fromkeys(name for names in met for name in names))
    pairs = [(one, other) for k, one in enumerate(names) for other in names[k + 1 :]]
    sets = np.array([[float(name in pair) for name in names] for pair in pairs])
    firsts, chosen, clusters = [], [], []
    for one, other, ahead, games in _compared(task, found):
        rows, deals = (one.row, other if isinstance(other, str) else other.row), np.arange(len(ahead))
        place = pairs.index(rows if rows in pairs else rows[::-1])
        chosen.append(games * np.eye(len(pairs))[np.full(len(deals), place)])
        shares = np.stack([ahead, 1 - ahead])
        firsts.append(games * shares.T @ np.eye(len(names))[[names.index(row) for row in rows]])
        numbers = [-1 if isinstance(each, str) or each.training is None else found.index(each) for each in (one, other)]
        trained = [number if number < 0 else task.deals + number for number in numbers]
        clusters.append(np.column_stack([deals, *(np.full(len(deals), number) for number in trained)]))
    evidence = Evidence(sets, np.concatenate(firsts), np.concatenate(chosen), np.concatenate(clusters))
    anchor = names.index(anchor_of(task)) if anchor_of(task) in names else None
    return dict(zip(names, ratings(evidence, anchor=anchor), strict=True))


def anchor_of(task: Task) -> str:
    """The name of the agent with rating 0."""
    return str(task.rules.opponent) if task.players == 1 else "value"


def _compared(task: Task, found: Sequence[Result]) -> Iterator[tuple[Result, Result | str, np.ndarray, int]]:
    """A result and an opponent or another result, how often the first was ahead by deal, and the games on a deal."""
    for result in found:
        for column in result.columns:
            yield result, column.opponent, np.array(column.ahead), task.players
    for number, one in enumerate(found if task.players == 1 else ()):
        for other in found[number + 1 :]:
            if one.row != other.row:
                margins = [np.array(each.columns[0].margins, np.float64) for each in (one, other)]
                deals = min(map(len, margins))
                gap = np.nan_to_num(margins[0][:deals], nan=-1e9) - np.nan_to_num(margins[1][:deals], nan=-1e9)
                yield one, other, np.sign(gap) / 2 + 0.5, 1


# ---------------------------------------------------------------- several trainings
def trainings(found: Sequence[Result]) -> str:
    """The methods with several trainings: the interquartile mean over the trainings and the tasks that all of them have
    played, of the mean win share over a task's opponents."""
    lines = []
    trained = [(result.training, result) for result in found if result.training is not None]
    for row in sorted({result.row for _, result in trained}):
        same = [(one, r) for one, r in trained if r.row == row and not TASKS[r.task].held_out]
        seeds = sorted({training.seed for training, _ in same})
        played = {(one.seed, r.task): r for one, r in same}
        tasks = [task for task in TASKS if all((seed, task) in played for seed in seeds)]
        if len(seeds) > 1 and tasks:
            table = [[played[seed, task] for task in tasks] for seed in seeds]
            wins = _interquartile_share([[r.columns for r in row] for row in table]).percent()
            by_task = [[_margin(r) for r in row] for row in table]
            margins = summary.interquartile(
                [[each.mean for each in row] for row in by_task], [[_error([each]) for each in row] for row in by_task]
            )
            used = [training for training, r in same if r.task == tasks[0]]
            hours = two_digits(float(np.mean([training.core_hours for training in used])))
            rewards = ", ".join(sorted({_code(training.reward) for training in used}))
            label, budget = row.split()
            number = f"{len(seeds)}{'' if len(seeds) >= SEEDS else f' (fewer than {SEEDS})'}"
            interval = f" [{margins.low:+.1f}, {margins.high:+.1f}]" if margins.low < margins.high else ""
            shown = f"{margins.mean:+.1f}{interval}"
            cells = (f"`{label}`", budget, number, hours, rewards, ", ".join(tasks), wins, shown)
            lines.append(f"| {' | '.join(cells)} |")
    if not lines:
        return ""
    head = "| method | budget | trainings | core-hours each | reward | tasks | win share | margin |\n"
    text = "Interquartile means, with 95 % intervals; margins in VP, in Steel Driver in units of $5."
    return f"## Trainings\n\n{text}\n\n{head}{'|---' * 8}|\n" + "\n".join(lines) + "\n"


def _margin(result: Result) -> Estimate:
    """The mean margin over a task's opponents, in hundredths of a clear lead; -100 on deals without a finished game."""
    unit = TASKS[result.task].rules.dense_unit
    known = [[-unit if each is None else each for each in column.margins] for column in result.columns]
    estimates = [statistics.mean(margins) for margins in known]
    centre, half = float(np.mean([each.mean for each in estimates])), Z95 * _error(estimates)
    return Estimate(100 / unit * centre, 100 / unit * (centre - half), 100 / unit * (centre + half))
