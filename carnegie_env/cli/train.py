"""`carnegie-env train`: starts the training programs, which are in the repository and not in the package."""

from __future__ import annotations

import argparse
import importlib
import sys

from carnegie_env import collection

METHODS = ("value", "ppo")
NOT_HERE = (
    "the training programs are in the repository, not in the installed package: in a checkout of it, run "
    "pip install -e '.[train]' and then this command, or make train"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `train`."""
    text = "value: a value network by self-play, in 15 minutes; ppo: PPO against Andrew or by self-play"
    parser.add_argument("method", nargs="?", choices=METHODS, help=text)
    text = "arguments of the program; `carnegie-env train value --help` lists them"
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT", help=text)


def train(given: argparse.Namespace) -> None:
    """Run a training program to its end; exits with its code."""
    if given.method is None:
        raise ValueError(f"name a method, {' or '.join(METHODS)}: carnegie-env train {METHODS[0]}")
    arguments = given.arguments
    if given.game != collection.DEFAULT:
        if given.method == "ppo":
            raise ValueError(f"ppo does not play {given.game}: run carnegie-env train value --game {given.game}")
        arguments = ["--game", given.game, *arguments]
    try:
        importlib.import_module("training.job")
        program = importlib.import_module(f"training.{given.method}")
    except ModuleNotFoundError as error:
        if error.name in ("training", "training.job"):
            raise ValueError(NOT_HERE) from None
        raise ValueError(f"training needs the package {error.name}: pip install -e '.[train]'") from None
    if code := program.main(arguments):
        sys.exit(code)
