"""Learning curves of the baselines: `python -m benchmarks.curves collect RUN ...`, then `plot`.

`collect` writes the curve of each run folder to `benchmarks/curves/TABLE-METHOD-CLASS-SEED.csv`: decisions, core-hours,
win share and margin of the games in training, at most 200 rows. TABLE names the game (unless it is Carnegie), the
players or the difficulty, the modules and the opponents, as in `solo-normal` or `3-players-vs-greedy`; CLASS is the
benchmark's class of the number of decisions. `plot` draws the curves of a table and class over decisions and over
core-hours: the interquartile mean over the seeds of a method, and its 95 % bootstrap interval, in
docs/pictures/curves-TABLE-CLASS.svg.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env import collection
from carnegie_env.agents.configuration import CONFIG_FILE, read_object
from carnegie_env.benchmark.results import BUDGETS, OPEN, budget_of
from carnegie_env.benchmark.summary import interquartile
from carnegie_env.core import files
from training.run_folder import CURVE_FILE
from training.tables import additions
from training.value import game_of

FOLDER, PICTURES = Path("benchmarks/curves"), Path("docs/pictures")
COLUMNS = ("decisions", "core_hours", "win_share", "margin")
MOST_ROWS = 200
POINTS = 60  # of a drawn curve
DRAWS = 1000
CLASSES = "|".join([*BUDGETS, OPEN])
NAME = re.compile(
    rf"(?P<table>[\w-]+?)-(?P<method>ppo-single|ppo-sb3|dqn|value)-(?P<budget>{CLASSES})-(?P<seed>\d+)\.csv"
)


# ---------------------------------------------------------------- collecting
def collect(run: Path) -> tuple[Path, str]:
    """The file for the curve of a run folder, and its content.

    Args:
        run: the folder of value learning, PPO or a short baseline.

    Raises:
        ValueError: the folder has no learning curve with win rates, margins and core-hours, or the training had a
            teacher or began with a network.
    """
    try:
        config = read_object(run / CONFIG_FILE)
        with (run / CURVE_FILE).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"{run} has no learning curve: it must be the folder of a run that has been saved") from None
    if helped := [name for name in ("teacher", "start") if config.get(name)]:
        help = {"teacher": "had the teacher", "start": "started from"}[helped[0]]
        raise ValueError(f"{run} {help} {config[helped[0]]}; stored curves are of trainings without help")
    known = all(any(row.get(name) for row in rows) for name in ("win_rate", "margin"))
    if not known or not all(row.get("core_hours") for row in rows):
        raise ValueError(f"{run} has no learning curve with core-hours, and win rates and margins of finished games")
    decisions, lines = 0.0, list[tuple[str, ...]]()
    for row in rows:
        steps = float(row["steps"])
        if "inputs" in config:  # value learning counts games
            games = steps - (float(rows[len(lines) - 1]["steps"]) if lines else 0.0)
            decisions += games * float(row["decisions_per_game"])
        else:
            decisions = steps
        lines.append((f"{decisions:.0f}", f"{float(row['core_hours']):.5g}", row["win_rate"], row["margin"]))
    kept = np.unique(np.linspace(0, len(lines) - 1, min(MOST_ROWS, len(lines))).astype(int))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(lines[k] for k in kept)
    name = f"{table_of(config)}-{method_of(config)}-{budget_of(decisions)}-{config['seed']}.csv"
    return FOLDER / name, out.getvalue()


def store(runs: Sequence[Path]) -> list[Path]:
    """Write the curves of run folders, all or none; returns the files."""
    made: dict[Path, tuple[Path, str]] = {}
    for run in runs:
        path, content = collect(run)
        if path in made:
            raise ValueError(
                f"{made[path][0]} and {run} have the same table, method, class and seed: both would be {path}"
            )
        made[path] = run, content
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, (_, content) in made.items():
        files.write_whole(path, content)
    return list(made)


def method_of(config: dict[str, Any]) -> str:
    return str(config.get("method") or ("value" if "inputs" in config else "ppo-sb3"))


def table_of(config: dict[str, Any]) -> str:
    """A name for the games of a run: game (unless it is Carnegie), players or difficulty, modules, opponents."""
    game, options = game_of(config), config.get("options", config)
    options = options if isinstance(options, list) else [options]
    players = int(options[0]["num_players"])
    parts = [] if game.name == collection.DEFAULT else [game.name]
    parts.append(f"{players}-players" if players > 1 else "solo")
    levels = {each.get("difficulty") for each in options}
    if levels != {None}:
        parts.append(levels.pop() if len(levels) == 1 else "all-difficulties")
    modules = {tuple(name for name in additions(game).modules if each.get(name)) for each in options}
    if modules != {()}:
        parts.append("all-modules" if len(modules) == 1 else "mixed-modules")
    if opponents := config.get("opponents") or ",".join(config.get("rivals", [])):
        parts.append("vs-" + re.sub(r"\W", "_", opponents))
    return "-".join(parts)


# ---------------------------------------------------------------- drawing
def read(folder: Path = FOLDER) -> dict[str, dict[str, list[NDArray[np.float64]]]]:
    """All curves by table with class and by method, one for each seed: (rows, COLUMNS), NaN without a value."""
    found: dict[str, dict[str, list[NDArray[np.float64]]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*.csv")):
        named = NAME.fullmatch(path.name)
        if named is None:
            raise ValueError(f"{path} must be named TABLE-METHOD-CLASS-SEED.csv")
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
        if tuple(lines[0]) != COLUMNS or len(lines) < 2:
            raise ValueError(f"{path} must have the columns {', '.join(COLUMNS)}")
        numbers = [[float(cell) if cell else np.nan for cell in line] for line in lines[1:]]
        found[f"{named['table']}-{named['budget']}"][named["method"]].append(np.array(numbers))
    return found


def joined(
    curves: Sequence[NDArray[np.float64]], over: str, what: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The interquartile mean over the seeds: places (POINTS,), and mean, low, high (3, POINTS).

    A place has the mean of a curve's rows in the twentieth of the range before it. The first place is where all curves
    have values: a warm-up at another table has none.
    """
    x, y = COLUMNS.index(over), COLUMNS.index(what)
    most = min(curve[-1, x] for curve in curves)
    least = max(curve[~np.isnan(curve[:, y]), x][0] for curve in curves)
    places = np.linspace(max(least, most / POINTS), most, POINTS)
    window, values = most / 20, np.full((len(curves), POINTS), np.nan)
    for number, curve in enumerate(curves):
        known = curve[~np.isnan(curve[:, y])]
        for k, place in enumerate(places):
            near = known[(known[:, x] > place - window) & (known[:, x] <= place), y]
            values[number, k] = near.mean() if len(near) else np.interp(place, known[:, x], known[:, y])
    estimates = [interquartile(values[:, [k]], draws=DRAWS) for k in range(POINTS)]
    return places, np.array([[e.mean, e.low, e.high] for e in estimates]).T


def plot() -> list[Path]:
    """Draw all tables; returns the files."""
    from matplotlib.figure import Figure

    written = []
    for table, methods in read().items():
        named = next((name for name in collection.names() if table.startswith(f"{name}-")), collection.DEFAULT)
        margin = f"margin ({collection.find(named).presentation.point})"
        figure = Figure(figsize=(10, 7), layout="constrained")
        axes = figure.subplots(2, 2, sharex="col", sharey="row")
        for row, (what, label, unit) in enumerate((("win_share", "win share (%)", 100), ("margin", margin, 1))):
            for column, (over, title) in enumerate(
                (("decisions", "decisions (millions)"), ("core_hours", "core-hours"))
            ):
                axis = axes[row, column]
                for method, curves in methods.items():
                    places, (mean, low, high) = joined(curves, over, what)
                    places = places / 1e6 if over == "decisions" else places
                    axis.plot(places, unit * mean, label=f"{method}, {len(curves)} seeds")
                    axis.fill_between(places, unit * low, unit * high, alpha=0.2)
                axis.grid(alpha=0.3)
                axis.set_xlabel(title if row == 1 else "")
                axis.set_ylabel(label if column == 0 else "")
        axes[0, 0].legend()
        figure.suptitle(f"{table}: interquartile means over the seeds and 95 % intervals, games in training")
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
        path = PICTURES / f"curves-{table}.svg"
        files.write_whole(path, out.getvalue())
        written.append(path)
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.curves", description="Collect and draw learning curves."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    sub = commands.add_parser("collect", help="store the learning curves of runs")
    sub.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    commands.add_parser("plot", help="draw the stored curves")
    given = parser.parse_args(arguments)
    try:
        if given.command == "collect":
            written = store(given.runs)
        else:
            written = plot()
    except (OSError, ValueError, KeyError, json.JSONDecodeError) as error:
        parser.error(str(error))
    print("\n".join(map(str, written)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
