"""Which results depend on reconstructed component values: the same match with other values that the rules allow.

Printed and forced values stay. The reconstructed ones are drawn (docs/benchmark.md lists the ranges), each draw is
checked like a user's own tables, and the agents play the same deals with each set of tables in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from carnegie_env import collection
from carnegie_env.arena import journal, match
from carnegie_env.arena.standings import Standings
from carnegie_env.benchmark import playing, tasks
from carnegie_env.cli.common import labelled
from carnegie_env.core import files
from carnegie_env.core.arguments import check_least, option_of

TABLES = 20
DEALS = 100
SHIPPED = "shipped"
FACTS = "CARNEGIE_ENV_FACTS"
Data = dict[str, Any]


# ---------------------------------------------------------------- drawing tables
def _carnegie(draw: np.random.Generator, data: Data, layout: bool) -> None:
    """Change the reconstructed values of company.toml; ``layout``: also the places of the departments."""

    def near(value: int, by: int = 1) -> int:
        return max(int(draw.integers(value - by, value + by + 1)), 1)

    # Networks know the free spaces by name, so these stay free.
    rooms = [data["board"]["lobby"], *(department["space"] for department in data["starting_department"])]
    data["board"]["lobby"], *spaces = (rooms[k] for k in draw.permutation(len(rooms))) if layout else rooms
    for department, space in zip(data["starting_department"], spaces, strict=True):
        department["space"] = space
        if department["marks"]["workstations"] == "reconstructed":
            least = 2 if department["id"] == "trade_and_finance" else 1
            cost = int(draw.integers(0, 4))  # the same at all workstations, as on all tiles
            department["workstations"] = [cost] * int(draw.integers(least, 4))
    tabs = {tab["project"]: tab for tab in data["tab"]}
    most = tabs["industry"]["step_cost"]  # forced
    costs = sorted(int(cost) for cost in draw.integers(1, most + 1, size=2))
    tabs["housing"]["step_cost"], tabs["commerce"]["step_cost"] = costs
    tabs["public"]["step_cost"] = int(draw.integers(most, most + 3))
    for tab in tabs.values():
        tab["income"] = [
            {"choice": [_gains(part, near) for part in each["choice"]]} if "choice" in each else _gains(each, near)
            for each in tab["income"]
        ]
        first, second, third = tab["side_a_points"]
        if tab["marks"]["side_a_points"][0] == "reconstructed":
            first = near(first)
        second = min(max(near(second, 2), first + 1), third - 1)
        tab["side_a_points"], tab["side_b_points"] = [first, second, third], [first, second, second]
    rows, regions = zip(*data["start"]["end_tile"].items(), strict=True)
    data["start"]["end_tile"] = {row: regions[k] for row, k in zip(rows, draw.permutation(len(rows)), strict=True)}


def _gains(gain: Data, near: Callable[[int], int]) -> Data:
    """An income with other numbers; an employee stays a single one, because the rules offer no more."""
    return {name: amount if name == "employees" else near(amount) for name, amount in gain.items()}


def _steel_driver(draw: np.random.Generator, data: Data, layout: bool) -> None:
    """Change the reconstructed city values (in tens) and the costs of routes (2 to 6); ``layout`` changes nothing."""
    for city in data["city"]:
        if "value" not in city.get("marks", {}):
            city["value"] = max(city["value"] + 10 * int(draw.integers(-1, 2)), 10)
    for route in data["network"]["routes"]:
        if {*route[:2]} != {"baltimore", "pittsburgh"}:  # its cost is printed
            route[-1] = int(np.clip(route[-1] + draw.integers(-1, 2), 2, 6))


DRAWS: dict[str, tuple[str, Callable[[np.random.Generator, Data, bool], None]]] = {
    "carnegie": ("company", _carnegie),
    "steel_driver": ("steel_driver", _steel_driver),
}


def drawn(game: str, seed: int, layout: bool = True) -> tuple[str, str]:
    """The name and the text of a file of component tables with other reconstructed values.

    Args:
        game: its name.
        seed: of the draw; the same seed gives the same text.
        layout: whether the places of the lobby and of the starting departments change.
    """
    name, change = DRAWS[game]
    tables = __import__(f"carnegie_env.{game}.tables", fromlist=["SHIPPED"])
    data = tomllib.loads((tables.SHIPPED / f"{name}.toml").read_text(encoding="utf-8"))
    change(np.random.default_rng(seed), data, layout)
    text = "".join(f"{key} = {_toml(value)}\n" for key, value in data.items())
    return name, f"# Other values of the reconstructed components, drawn with seed {seed}.\n{text}"


def _toml(value: Any) -> str:
    """A value of TOML in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


# ---------------------------------------------------------------- the study
def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--task", default="duel", metavar="NAME", help="task to repeat (default: %(default)s)")
    text = "two or more, which play each other, in solo tasks one or more (default: random, greedy, value); agents of "
    text += "the leaderboard use the pool's networks"
    add("--agents", nargs="+", default=["random", "greedy", "value"], metavar="[LABEL=]AGENT", help=text)
    add("--tables", type=int, default=TABLES, metavar="N", help="sets of drawn tables (default: %(default)s)")
    add("--deals", type=int, default=DEALS, metavar="N", help="deals with each set (default: %(default)s)")
    add("--keep-layout", action="store_true", help="Carnegie: keep the lobby and the starting departments in place")
    add("--processes", type=int, metavar="N", help="worker processes (default: one per core)")
    text = "folder for tables and games; an interrupted command continues there (default: %(default)s)"
    add("--out", type=Path, default=Path("runs/sensitivity"), metavar="FOLDER", help=text)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> None:
    """Play with the shipped tables and with each set of drawn ones, and print the comparison."""
    task = tasks.find(given.task)
    check_least(given, tables=2, processes=1)
    if given.keep_layout and task.game != "carnegie":
        raise ValueError(f"--keep-layout has no effect in {given.task}; it is for tasks of Carnegie")
    if not 2 <= given.deals <= task.deals:
        raise ValueError(f"--deals must be 2 to {task.deals}, not {given.deals}")
    if task.players > 1 and len(given.agents) < 2:
        raise ValueError(f"{given.task} needs two agents or more, which play each other: name them with --agents")
    given.agents = [_pinned(agent, given.task) for agent in given.agents]
    found: dict[str, Standings] = {}
    for name in [SHIPPED, *map(str, range(given.tables))]:
        folder = given.out / "tables" / name
        if name != SHIPPED:
            folder.mkdir(parents=True, exist_ok=True)
            file, text = drawn(task.game, int(name), not given.keep_layout)
            files.write_whole(folder / f"{file}.toml", text)
        output = given.out / f"{given.task}-{name}.jsonl"
        output.parent.mkdir(parents=True, exist_ok=True)
        _play(given, task, None if name == SHIPPED else folder, output)
        header, lines = journal.read(output)
        found[name] = match.outcome(collection.find(header.game), header, lines, str(output)).standings
        if faults := [line.fault for line in lines if line.fault is not None]:
            lost, fault = header.agents[faults[0].agent].label, faults[0]
            told = f"{lost} lost a game by a fault ({fault.kind}); delete the file to play these games again"
            raise ValueError(f"{output}: {told}:\n{fault.text.strip()}")
        print(f"{name}: {', '.join(order(found[name]))}", file=sys.stderr, flush=True)
    text = report(found)
    files.write_whole(given.out / f"{given.task}.md", text)
    print(text, end="")


def _pinned(agent: str, task: str) -> str:
    """An agent, with the pool's network in place of the package's if it is one of the leaderboard."""
    player = playing.player_of(*labelled(agent))
    if player.label not in tasks.AGENTS:
        return agent
    if not player.plays(tasks.find(task)):
        raise ValueError(f"{player.label} does not play {task}")
    return f"{player.label}={player.spec_in(tasks.find(task))}"


def _play(given: argparse.Namespace, task: tasks.Task, folder: Path | None, output: Path) -> None:
    """Play the match in another process, which loads the tables."""
    options = [part for name, value in task.options.items() for part in (option_of(name), str(value))]
    command = [sys.executable, "-m", "carnegie_env", "arena", "--game", task.game, *options]
    command += ["--agents", *given.agents, "--seed", str(task.seed), "--deals", str(given.deals)]
    command += ["--output", str(output), "--resume"]
    if given.processes is not None:
        command += ["--processes", str(given.processes)]
    environment = {name: value for name, value in os.environ.items() if name != FACTS}
    if folder is not None:
        environment[FACTS] = str(folder.resolve())
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise ValueError(f"the match failed: {done.stderr.strip().rpartition('carnegie-env: error: ')[2][-600:]}")


def order(standings: Standings) -> list[str]:
    """The labels of the agents, best rating first."""
    rated = standings.ratings()
    return [standings.labels[k] for k in sorted(range(len(standings.labels)), key=lambda k: -rated[k].mean)]


def report(found: dict[str, Standings]) -> str:
    """A table in Markdown: each agent's margin with the shipped and with the drawn tables, and the orders."""
    first, *others = found.values()
    labels = first.labels
    lines = [
        "| agent | margin, shipped tables | margins, drawn tables: mean, standard deviation, least, most | places |",
        "|---|---|---|---|",
    ]
    orders = [order(each) for each in others]
    for label in order(first):
        shipped = first.margin(labels.index(label))
        drawn = [each.margin(labels.index(label)) for each in others]
        values = np.array([np.nan if each is None else each.mean for each in drawn])
        numbers = f"{values.mean():+.1f}, {values.std(ddof=1):.1f}, {values.min():+.1f}, {values.max():+.1f}"
        places = sorted({1 + each.index(label) for each in orders})
        own = "" if shipped is None else shipped.text()
        lines.append(f"| `{label}` | {own} | {numbers} | {', '.join(map(str, places))} |")
    same = sum(each == order(first) for each in orders)
    games = len(first.lines)
    lines.append(f"\nThe order is the same with {same} of {len(orders)} drawn tables; {games} games with each.")
    return "\n".join(lines) + "\n"
