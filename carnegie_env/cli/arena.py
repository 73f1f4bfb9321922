"""`carnegie-env arena`: matches between agents; `carnegie-env leaderboard`: a table of the suites' results."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from carnegie_env import agency, collection
from carnegie_env.cli.common import add_ray, cluster, labelled, limits, options_of, progress, seated
from carnegie_env.core import files

DEALS = 100
MOST_TESTED = 10_000  # deals, where a test is to stop
HELP = {
    "agents": "who plays: names or NAME=AGENT; one of another name is another agent, one named twice sits on two seats",
    "deals": f"how many, at most (default: {DEALS}; with --better {MOST_TESTED}; a suite's own)",
    "output": "every game goes there, a line of JSON each; the file survives whatever ends the program",
    "resume": "go on with the file that --output names, if it is there",
    "show": "play nothing: the report of such a file",
    "better": "is A better than B? stops as soon as that is clear (a sequential test)",
    "by": "what is compared: share of victory, or margin in points (default: wins)",
    "bounds": "the difference under H0 (no) and under H1 (yes); of wins as shares (default: 0 0.05)",
    "alpha": "how often H1 may be accepted where H0 holds (default: 0.05)",
    "beta": "how often H0 may be accepted where H1 holds (default: 0.05)",
    "processes": "how many play at a time, on each node (default: as many as there are cores)",
    "time_limit": "for a decision; who takes longer has lost the game (default: 60)",
    "first_limit": "for making an agent, and for its first decision in a process (default: 300)",
    "one_by_one": "one game after the other, whatever the agents say",
    "side_by_side": "many games at once, whatever the agents say",
    "suite": "a reference suite for each of the agents: fixed deals and opponents (docs/arena.md lists them)",
    "results": "the folder for the suites' results (default: the current one)",
    "picture": "ratings and scores as a picture, .png, .svg or .pdf",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `arena`, but for the game's options and the seed."""
    add = parser.add_argument
    add("--agents", nargs="+", metavar="AGENT", default=[], help=HELP["agents"])
    add("--deals", type=int, metavar="N", help=HELP["deals"])
    add("--output", metavar="FILE", help=HELP["output"])
    add("--resume", action="store_true", help=HELP["resume"])
    add("--show", metavar="FILE", help=HELP["show"])
    add("--picture", metavar="FILE", help=HELP["picture"])
    add("--processes", type=int, metavar="N", help=HELP["processes"])
    add_ray(add)
    add("--time-limit", type=float, metavar="SECONDS", help=HELP["time_limit"])
    add("--first-limit", type=float, metavar="SECONDS", help=HELP["first_limit"])
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--side-by-side", dest="side_by_side", action="store_const", const=True, help=HELP["side_by_side"])
    way.add_argument("--one-by-one", dest="side_by_side", action="store_const", const=False, help=HELP["one_by_one"])
    test = parser.add_argument_group("a sequential test")
    test.add_argument("--better", nargs=2, metavar=("A", "B"), help=HELP["better"])
    test.add_argument("--by", choices=("wins", "margin"), help=HELP["by"])
    test.add_argument("--bounds", nargs=2, type=float, metavar=("LOW", "HIGH"), help=HELP["bounds"])
    test.add_argument("--alpha", type=float, metavar="P", help=HELP["alpha"])
    test.add_argument("--beta", type=float, metavar="P", help=HELP["beta"])
    suite = parser.add_argument_group("reference suites")
    suite.add_argument("--suite", metavar="NAME", help=HELP["suite"])
    suite.add_argument("--results", metavar="FOLDER", help=HELP["results"])


def add_leaderboard_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `leaderboard`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="results of suites, as `arena --suite` leaves them")
    text = "put the table between the lines <!-- leaderboard --> and <!-- end --> of this document"
    parser.add_argument("--write", metavar="FILE.md", help=text)


def arena(given: argparse.Namespace) -> None:
    """Play a match or a suite, or show one that was played."""
    for name in ("deals", "processes"):
        if (number := getattr(given, name)) is not None and number < 1:
            raise ValueError(f"--{name} must be 1 or more, not {number}")
    if given.picture is not None:
        _module("picture").check(given.picture)
    if given.show is not None:
        _refuse(given, "--show", "agents", "deals", "output", "resume", "better", "suite", "ray")
        header, lines = _module("journal").read(given.show)
        _print(given, _module("match").outcome(collection.find(header.game), header, lines))
    elif given.suite is not None:
        _suite(given)
    else:
        _match(given)


def leaderboard(given: argparse.Namespace) -> None:
    """Print a table of results, or put it into a document."""
    suites = _module("suites")
    table = suites.leaderboard([suites.read(file) for file in given.files])
    if given.write is None:
        print(table)
        return
    path = Path(given.write)
    try:
        text = suites.insert(path.read_text(encoding="utf-8"), table)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    files.write_whole(path, text)


def _module(name: str) -> Any:
    """A module of the arena, which is among the agents."""
    return importlib.import_module(f"{agency.package().__name__}.arena.{name}")


# ---------------------------------------------------------------- matches
def _match(given: argparse.Namespace) -> None:
    _refuse(given, "a match without --suite", "results")
    match = _module("match")
    question = _question(given)
    named = given.agents or (given.better if question else [])
    if not named:
        raise ValueError("--agents says who plays: one or more of " + agency.agent_names())
    game = collection.find(given.game)
    agents, options, tables = seated(given, named, game)
    played = match.Match(
        game,
        options,
        agents,
        given.deals or (DEALS if question is None else MOST_TESTED),
        seed=given.seed,
        tables=tables,
        question=question,
        side_by_side=given.side_by_side,
        **limits(given),
    )
    if given.resume and given.output is None:
        raise ValueError("--resume goes on with the file that --output names; there is none")
    with cluster(given, "games") as nodes, progress("games") as watch:
        outcome = match.play(
            played, output=given.output, resume=given.resume, processes=given.processes, cluster=nodes, watch=watch
        )
    _print(given, outcome)


def _question(given: argparse.Namespace) -> Any:
    if given.better is None:
        _refuse(given, "a match without --better", "by", "bounds", "alpha", "beta")
        return None
    if given.by == "margin" and given.bounds is None:
        raise ValueError("--by margin needs --bounds LOW HIGH, in points: how much better is better hangs on the game")
    more = {name: getattr(given, name) for name in ("by", "alpha", "beta") if getattr(given, name) is not None}
    if given.bounds is not None:
        more |= {"low": given.bounds[0], "high": given.bounds[1]}
    better, than = (labelled(name)[0] for name in given.better)
    return _module("sequential").Question(better, than, **more)


def _print(given: argparse.Namespace, outcome: Any) -> None:
    print(_module("report").report(outcome))
    if given.picture is not None:
        _module("picture").draw(outcome, given.picture)


# ---------------------------------------------------------------- suites
def _suite(given: argparse.Namespace) -> None:
    _refuse(given, "--suite", "better", "by", "bounds", "alpha", "beta", "picture", "side_by_side")
    suites = _module("suites")
    suites.find(given.game, given.suite)
    if options_of(given) or given.seed != 0:
        raise ValueError(f"the suite {given.suite} has its own options and seed; --deals N plays its first N deals")
    if not given.agents:
        raise ValueError("--agents says who plays the suite: one or more of " + agency.agent_names())
    if given.output is not None and len(given.agents) > 1:
        raise ValueError("--output is for the games of one agent; let the others play the suite afterwards")
    if given.resume and given.output is None:
        raise ValueError("--resume goes on with the file that --output names; there is none")
    folder = Path(given.results or ".")
    if not folder.is_dir():
        raise ValueError(f"--results: there is no folder {folder}")
    game = collection.find(given.game)
    with cluster(given, "games") as nodes:
        for name in given.agents:
            label, spec = labelled(name)
            with progress("games") as watch:
                result = suites.run(
                    game,
                    given.suite,
                    label,
                    spec,
                    deals=given.deals,
                    output=given.output,
                    resume=given.resume,
                    processes=given.processes,
                    cluster=nodes,
                    watch=watch,
                    **limits(given),
                )
            files.write_whole(folder / suites.file_name(given.suite, label), suites.encode(result))
            print(result.line(game.point))


# ---------------------------------------------------------------- parts
def _refuse(given: argparse.Namespace, beside: str, *names: str) -> None:
    """Say which arguments don't go with what was asked for."""
    for name in names:
        if getattr(given, name) not in (None, False, []):
            raise ValueError(f"{beside} does not go with --{name.replace('_', '-')}")
