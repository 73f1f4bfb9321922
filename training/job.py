"""What the jobs of both kinds of training have in common: how they run from the command line, and a game to look at."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from agents.base import Agent
from carnegie_env.core.game import Game
from carnegie_env.core.record import GameRecord
from training.display import Display
from training.evaluate import FIRST_SEED
from training.run_folder import RunFolder
from training.saving import Saver, said_of


class Job(Protocol):
    """One run of a training program, in three parts and a report."""

    display: Display
    saver: Saver

    @property
    def folder(self) -> RunFolder:
        """Its run folder."""

    def evaluate_baselines(self) -> None: ...
    def train(self) -> None: ...
    def evaluate_trained(self) -> None: ...
    def report(self) -> None: ...
    def how_to_go_on(self) -> str: ...
    def close(self) -> None: ...


def run(parser: argparse.ArgumentParser, make: Callable[[], Job]) -> int:
    """Make a job and do it; what it can't be made of is an error of the parser's.

    Returns:
        The exit status: 0; 1 if something of the run could not be saved; 130 after Ctrl-C.
    """
    try:
        job = make()
    except ValueError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(said_of(error))
    except KeyboardInterrupt:
        print("Interrupted before the training began.")
        return 130
    with contextlib.closing(job), job.display:
        try:
            job.evaluate_baselines()
            job.train()
            job.evaluate_trained()
        except KeyboardInterrupt:
            if not job.saver.at_last():
                return 1
            job.display.print(f"\nInterrupted. All is saved in {job.folder}. To go on:\n  {job.how_to_go_on()}")
            return 130
        saved = job.saver.at_last()
    job.report()
    return 0 if saved else 1


def record_game(agent: Agent, game: Game, options: dict[str, Any]) -> GameRecord[Any]:
    """The record of one game where the agent has all seats, of the first of the evaluation's deals."""
    position = game.position_class.new(options, FIRST_SEED)
    while not position.is_over:
        position.apply(agent.act(position))
    record: GameRecord[Any] = game.record_class.of(position)
    return record
