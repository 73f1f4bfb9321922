"""`carnegie-env arena`: matches between agents; `carnegie-env leaderboard`: a table of the suites' results."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import add_players, agent_names, cluster, labelled, limits, options_of, progress, seated
from carnegie_env.core import files

DEALS = 100
MOST_TESTED = 10_000  # deals, where a test is to stop


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `arena`, but for the game's options and the seed."""
    add = parser.add_argument
    text = "the agents: names or NAME=AGENT; another name is another agent, one named twice sits on two seats"
    add("--agents", nargs="+", metavar="AGENT", default=[], help=text)
    text = f"how many, at most (default: {DEALS}; with --better {MOST_TESTED}; a suite's own)"
    add("--deals", type=int, metavar="N", help=text)
    text = "every game goes there, a line of JSON each; the file survives a crash of the program"
    add("--output", metavar="FILE", help=text)
    add("--resume", action="store_true", help="continue the file that --output names, if it exists")
    add("--show", metavar="FILE", help="play nothing: the report of such a file")
    add("--picture", metavar="FILE", help="ratings and scores as a picture, .png, .svg or .pdf")
    add_players(add, "has lost the game")
    way = parser.add_mutually_exclusive_group()
    for name, value, text in (
        ("side-by-side", True, "many games at once"),
        ("one-by-one", False, "one game at a time"),
    ):
        text += ", whatever the agents say"
        way.add_argument(f"--{name}", dest="side_by_side", action="store_const", const=value, help=text)
    add = parser.add_argument_group("a sequential test").add_argument
    text = "is A better than B? stops as soon as that is clear (a sequential test)"
    add("--better", nargs=2, metavar=("A", "B"), help=text)
    text = "the measure: share of victory, or margin in points (default: wins)"
    add("--by", choices=("wins", "margin"), help=text)
    text = "the difference under H0 (no) and under H1 (yes); of wins as shares (default: 0 0.05)"
    add("--bounds", nargs=2, type=float, metavar=("LOW", "HIGH"), help=text)
    add("--alpha", type=float, metavar="P", help="how often H1 may be accepted where H0 holds (default: 0.05)")
    add("--beta", type=float, metavar="P", help="how often H0 may be accepted where H1 holds (default: 0.05)")
    add = parser.add_argument_group("reference suites").add_argument
    text = "a reference suite for each of the agents: fixed deals and opponents (docs/arena.md lists them)"
    add("--suite", metavar="NAME", help=text)
    add("--results", metavar="FOLDER", help="the folder for the suites' results (default: the current one)")


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
        _module("plot").check(given.picture)
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
    """A module of the arena, imported when it is needed."""
    return importlib.import_module(f"carnegie_env.arena.{name}")


# ---------------------------------------------------------------- matches
def _match(given: argparse.Namespace) -> None:
    _refuse(given, "a match without --suite", "results")
    match = _module("match")
    question = _question(given)
    named = given.agents or (given.better if question else [])
    if not named:
        raise ValueError("--agents names the players: one or more of " + agent_names())
    game = collection.find(given.game)
    agents, options, tables = seated(given, named, game)
    deals = given.deals or (DEALS if question is None else MOST_TESTED)
    more = {"seed": given.seed, "tables": tables, "question": question, "side_by_side": given.side_by_side}
    played = match.Match(game, options, agents, deals, **more, **limits(given))
    if given.resume and given.output is None:
        raise ValueError("--resume continues the file that --output names; there is none")
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
        raise ValueError("--by margin needs --bounds LOW HIGH, in points: what counts as better depends on the game")
    more = {name: getattr(given, name) for name in ("by", "alpha", "beta") if getattr(given, name) is not None}
    if given.bounds is not None:
        more |= {"low": given.bounds[0], "high": given.bounds[1]}
    better, than = (labelled(name)[0] for name in given.better)
    return _module("sequential").Question(better, than, **more)


def _print(given: argparse.Namespace, outcome: Any) -> None:
    print(_module("report").report(outcome))
    if given.picture is not None:
        _module("plot").draw(outcome, given.picture)


# ---------------------------------------------------------------- suites
def _suite(given: argparse.Namespace) -> None:
    _refuse(given, "--suite", "better", "by", "bounds", "alpha", "beta", "picture", "side_by_side")
    suites = _module("suites")
    suites.find(given.game, given.suite)
    if options_of(given) or given.seed != 0:
        raise ValueError(f"the suite {given.suite} has its own options and seed; --deals N plays its first N deals")
    if not given.agents:
        raise ValueError("--agents names the players of the suite: one or more of " + agent_names())
    if given.output is not None and len(given.agents) > 1:
        raise ValueError("--output is for the games of one agent; let the others play the suite afterwards")
    if given.resume and given.output is None:
        raise ValueError("--resume continues the file that --output names; there is none")
    folder = Path(given.results or ".")
    if not folder.is_dir():
        raise ValueError(f"--results: there is no folder {folder}")
    game = collection.find(given.game)
    with cluster(given, "games") as nodes:
        for name in given.agents:
            label, spec = labelled(name)
            with progress("games") as watch:
                how = {name: getattr(given, name) for name in ("deals", "output", "resume", "processes")}
                result = suites.run(game, given.suite, label, spec, **how, cluster=nodes, watch=watch, **limits(given))
            files.write_whole(folder / suites.file_name(given.suite, label), suites.encode(result))
            print(result.line(game.presentation.point))


# ---------------------------------------------------------------- parts
def _refuse(given: argparse.Namespace, beside: str, *names: str) -> None:
    """Refuse arguments that don't go with another one."""
    for name in names:
        if getattr(given, name) not in (None, False, []):
            raise ValueError(f"{beside} does not go with --{name.replace('_', '-')}")
