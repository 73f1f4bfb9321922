"""`carnegie-env arena`: matches between agents."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import (
    add_agents,
    add_players,
    cluster,
    game_in,
    interruptible,
    labelled,
    limits,
    progress,
    seated,
)
from carnegie_env.core.arguments import check_least

DEALS = 100  # of a match
MOST_TESTED = 10_000  # deals of a match with a test


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `arena`, except the game's options and the seed."""
    add = parser.add_argument
    add_agents(add)
    text = f"largest number of deals (default: {DEALS}; {MOST_TESTED} with --better)"
    add("--deals", type=int, metavar="N", help=text)
    add("--output", metavar="FILE", help="save every game as a line of JSON; the file survives a crash of the program")
    add("--resume", action="store_true", help="continue the file named by --output if it exists")
    add("--show", metavar="FILE", help="print the report of a file written with --output; no games are played")
    add("--picture", metavar="FILE", help="also draw ratings and scores, as .png, .svg or .pdf")
    add_players(add, "loses the game")
    way = parser.add_mutually_exclusive_group()
    for name, action, text in (
        ("--side-by-side", "store_true", "play many games at once (default: if all agents are faster that way)"),
        ("--one-by-one", "store_false", "play one game at a time in each process"),
    ):
        way.add_argument(name, dest="side_by_side", action=action, default=None, help=text)
    add = parser.add_argument_group("sequential test").add_argument
    add("--better", nargs=2, metavar=("A", "B"), help="test whether A is better than B; stop when the answer is clear")
    add("--by", choices=("wins", "margin"), help="compare win shares, or margins in points (default: wins)")
    text = "difference under H0 (A is not better) and H1 (A is better); win shares as fractions (default: 0 0.05)"
    add("--bounds", nargs=2, type=float, metavar=("LOW", "HIGH"), help=text)
    add("--alpha", type=float, metavar="P", help="probability of accepting H1 if H0 is true (default: 0.05)")
    add("--beta", type=float, metavar="P", help="probability of accepting H0 if H1 is true (default: 0.05)")


def arena(given: argparse.Namespace) -> None:
    """Play a match, or show the report of a file."""
    check_least(given, deals=1, processes=1)
    if given.resume and given.output is None:
        raise ValueError("--resume continues the file named by --output, which is missing")
    if given.picture is not None:
        _module("plot").check(given.picture)
    if given.show is not None:
        _refuse(given, "with --show", "agents", "deals", "output", "resume", "better", "ray")
        header, lines = _module("journal").read(given.show)
        _print(given, _module("match").outcome(game_in(given.show, header.game), header, lines, given.show))
    else:
        _match(given)


def _module(name: str) -> Any:
    """A module of the arena. It imports the rules, so it is imported only when needed."""
    return importlib.import_module(f"carnegie_env.arena.{name}")


# ---------------------------------------------------------------- matches
def _match(given: argparse.Namespace) -> None:
    match = _module("match")
    question = _question(given)
    named = given.agents or (given.better if question else [])
    game = collection.find(given.game)
    agents, options, tables = seated(given, named, game)
    deals = given.deals or (DEALS if question is None else MOST_TESTED)
    more = {"seed": given.seed, "tables": tables, "question": question, "side_by_side": given.side_by_side}
    played = match.Match(game, options, agents, deals, **more, **limits(given))
    with interruptible(_kept(given)), cluster(given, "games") as nodes, progress("games") as watch:
        outcome = match.play(
            played, output=given.output, resume=given.resume, processes=given.processes, cluster=nodes, watch=watch
        )
    _print(given, outcome)


def _question(given: argparse.Namespace) -> Any:
    if given.better is None:
        _refuse(given, "without --better", "by", "bounds", "alpha", "beta")
        return None
    if given.by == "margin" and given.bounds is None:
        raise ValueError("--by margin needs --bounds LOW HIGH, in points of the game")
    more = {name: getattr(given, name) for name in ("by", "alpha", "beta") if getattr(given, name) is not None}
    if given.bounds is not None:
        more |= {"low": given.bounds[0], "high": given.bounds[1]}
    better, than = (labelled(name)[0] for name in given.better)
    return _module("sequential").Question(better, than, **more)


def _print(given: argparse.Namespace, outcome: Any) -> None:
    print(_module("report").report(outcome))
    if given.picture is not None:
        _module("plot").draw(outcome, given.picture)


# ---------------------------------------------------------------- parts
def _kept(given: argparse.Namespace) -> str:
    if given.output is None:
        return "No game is kept; --output FILE keeps them."
    return f"The games so far are in {given.output}; the same command with --resume continues."


def _refuse(given: argparse.Namespace, why: str, *names: str) -> None:
    """Refuse arguments that can't be used together with, or without, another one."""
    for name in names:
        if getattr(given, name) not in (None, []) and (name != "resume" or given.resume):
            raise ValueError(f"--{name} can't be used {why}")
