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
import contextlib
import csv
import io
import math
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from carnegie_env import collection
from carnegie_env.agents.configuration import CONFIG_FILE, read_object
from carnegie_env.benchmark.results import BUDGETS, OPEN, budget_of
from carnegie_env.benchmark.summary import interquartile
from carnegie_env.core import files
from carnegie_env.core.validation import error_text
from training.run_folder import CURVE_FILE
from training.tables import additions

FOLDER, PICTURES = Path("benchmarks/curves"), Path("docs/pictures")
COLUMNS = ("decisions", "core_hours", "win_share", "margin")
MOST_ROWS = 200
POINTS = 60  # of a drawn curve
DRAWS = 1000
CLASSES = "|".join([*BUDGETS, OPEN])
METHODS = "ppo-single|ppo-sb3|dqn|value"
NAME = re.compile(rf"(?P<table>[\w-]+?)-(?P<method>{METHODS})-(?P<budget>{CLASSES})-(?P<seed>\d+)\.csv")


class Options(msgspec.Struct):
    """The options of games that name their table, besides modules."""

    num_players: Annotated[int, msgspec.Meta(ge=1)]
    difficulty: Annotated[str, msgspec.Meta(pattern=r"\A\w+\Z")] | None = None


class Config(msgspec.Struct):
    """The entries of a run's config.json that name its curve."""

    seed: Annotated[int, msgspec.Meta(ge=0)]
    options: Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1)]
    game: str = collection.DEFAULT
    method: Annotated[str, msgspec.Meta(pattern=rf"\A({METHODS})\Z")] | None = None
    inputs: str | None = None  # of value learning
    opponents: str | None = None
    rivals: list[str] = []


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
        content = read_object(run / CONFIG_FILE)
        curve = read_columns(run / CURVE_FILE, ("steps", "core_hours", "win_rate", "margin", "decisions_per_game"))
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"{run} has no learning curve: it must be the folder of a run that has been saved") from None
    if helped := [name for name in ("teacher", "start") if content.get(name)]:
        help = {"teacher": "had the teacher", "start": "started from"}[helped[0]]
        raise ValueError(f"{run} {help} {content[helped[0]]}; stored curves are of trainings without help")
    try:
        config = config_of(content)
        table = table_of(config)
    except ValueError as error:
        raise ValueError(f"{run / CONFIG_FILE}: {error}") from None
    unknown = np.full(1, np.nan)  # a column that the file lacks
    hours, shares, margins = (curve.get(name, unknown) for name in ("core_hours", "win_rate", "margin"))
    if np.isnan(hours).any() or np.isnan(shares).all() or np.isnan(margins).all():
        raise ValueError(f"{run} has no learning curve with core-hours, and win rates and margins of finished games")
    decisions, per_game = curve.get("steps", unknown), curve.get("decisions_per_game", unknown)
    if not (np.diff(decisions, prepend=0) > 0).all():
        raise ValueError(f"{run / CURVE_FILE}: the steps must increase from row to row")
    if config.inputs is not None:  # value learning counts games
        if np.isnan(per_game).any():
            raise ValueError(f"{run / CURVE_FILE}: every row must have decisions_per_game")
        decisions = np.cumsum(np.diff(decisions, prepend=0) * per_game)
    lines = [
        (f"{row[0]:.0f}", f"{row[1]:.5g}", *("" if np.isnan(value) else f"{value:.6g}" for value in row[2:]))
        for row in zip(decisions, hours, shares, margins, strict=True)
    ]
    kept = np.unique(np.linspace(0, len(lines) - 1, min(MOST_ROWS, len(lines))).astype(int))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(lines[k] for k in kept)
    method = config.method or ("ppo-sb3" if config.inputs is None else "value")
    name = f"{table}-{method}-{budget_of(decisions[-1])}-{config.seed}.csv"
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


def read_columns(path: Path, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Those of the columns that a CSV file has, NaN for an empty cell; a ValueError names the file and the line."""
    columns: dict[str, list[float]] = defaultdict(list)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            for row in reader:
                if None in row or None in row.values():
                    raise ValueError(f"line {reader.line_num} must have {len(reader.fieldnames or ())} values")
                for name in filter(row.__contains__, names):
                    columns[name].append(_number(row[name], f"line {reader.line_num}: {name}"))
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path}: {error}") from None
    return {name: np.array(values) for name, values in columns.items()}


def _number(cell: str, what: str) -> float:
    with contextlib.suppress(ValueError):
        if not cell or math.isfinite(float(cell)):
            return float(cell or "nan")
    raise ValueError(f"{what} must be a finite number, not {cell!r:.40}")


def config_of(content: dict[str, Any]) -> Config:
    """The content of config.json; the options are in a list, alone, or among the other entries."""
    options = content.get("options", content)
    return msgspec.convert(content | {"options": [options] if isinstance(options, dict) else options}, Config)


def table_of(config: Config) -> str:
    """A name for the games of a run: game (unless it is Carnegie), players or difficulty, modules, opponents."""
    game, options = collection.find(config.game), msgspec.convert(config.options, list[Options])
    players = options[0].num_players
    parts = [] if game.name == collection.DEFAULT else [game.name]
    parts.append(f"{players}-players" if players > 1 else "solo")
    levels = {each.difficulty for each in options}
    if levels != {None}:
        parts.append(str(levels.pop()) if len(levels) == 1 else "all-difficulties")
    modules = {tuple(name for name in additions(game).modules if each.get(name)) for each in config.options}
    if modules != {()}:
        parts.append("all-modules" if len(modules) == 1 else "mixed-modules")
    if opponents := config.opponents or ",".join(config.rivals):
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
        columns = read_columns(path, COLUMNS)
        if tuple(columns) != COLUMNS:
            raise ValueError(f"{path} must have the columns {', '.join(COLUMNS)}")
        curve = np.column_stack(list(columns.values()))
        known = ~np.isnan(curve)
        if not known[:, :2].all() or not known.any(axis=0).all():
            raise ValueError(f"{path} must have decisions and core_hours in every row, a win_share and a margin")
        found[f"{named['table']}-{named['budget']}"][named["method"]].append(curve)
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
    except (OSError, ValueError) as error:
        parser.error(error_text(error))
    print("\n".join(map(str, written)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
