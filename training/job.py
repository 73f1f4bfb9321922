"""Parts that both kinds of training share: the command line, a run's evaluation and the game it leaves to look at."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from carnegie_env.agents.base import Agent
from carnegie_env.core.game import Game
from carnegie_env.core.record import GameRecord
from training import evaluate
from training.display import Display
from training.evaluate import FIRST_SEED
from training.run_folder import LearningCurve, Progress, RunFolder
from training.saving import Saver, said_of
from training.tables import Table

SAVE_EVERY = 60.0  # seconds
EVALUATION_SPARE = 10.0  # seconds of the budget kept for writing the files at the end, and for surprises


class Job:
    """One run of a training program, in three parts and a report. A subclass prepares and trains.

    Args:
        given: the parsed options.

    Attributes:
        folder, config: of the run; both, and ``saver`` and ``display``, are set by the subclass.
        table: where agents are evaluated.
        times: seconds by part of the job: the baselines' evaluation, the training, the last evaluation.
    """

    folder: RunFolder
    config: dict[str, Any]
    curve: LearningCurve
    table: Table
    display: Display
    saver: Saver
    times: dict[str, float]
    baselines: list[Agent]

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.threads = given.threads or len(os.sched_getaffinity(0))
        self.progress = Progress()
        self.results: list[evaluate.Result] = []

    def close(self) -> None:
        """Release the run folder."""
        self.folder.close()

    def train(self) -> None:
        """Train until the time is up."""
        raise NotImplementedError

    def trained(self) -> Agent:
        """The trained agent."""
        raise NotImplementedError

    def report(self) -> None:
        """Print the table, whether training paid, and where the time went."""
        raise NotImplementedError

    def how_to_go_on(self) -> str:
        """The command that continues this run in the time that was left."""
        raise NotImplementedError

    def evaluate_baselines(self) -> None:
        """Measure the agents to beat."""
        self.display.print(f"Run folder: {self.folder}")
        self._evaluate(self.baselines, 0)

    def evaluate_trained(self) -> None:
        """Measure the trained agent against all, and record one of its games."""
        agent = self.trained()
        self._evaluate([agent], 2)
        for suffix, write in (("txt", evaluate.table), ("csv", evaluate.to_csv), ("json", evaluate.to_json)):
            self.saver.write(f"evaluation.{suffix}", write(self.results).rstrip() + "\n")
        self.saver.write("game.txt", record_game(agent, self.table.game, self.game_options()).to_text())

    def game_options(self) -> dict[str, Any]:
        """Options of the game that is recorded."""
        raise NotImplementedError

    def _evaluate(self, agents: Sequence[Agent], part: int) -> None:
        started = time.monotonic()
        try:
            self.results += evaluate.evaluate_all(agents, self.table, self.given.eval_games, say=self.display.say)
        finally:
            self.times[list(self.times)[part]] += time.monotonic() - started

    def arguments_to_go_on(self) -> str:
        """The options that continue this run in the time that was left."""
        left = 0.0 if self.progress.share >= 1 else max(1.0, self.given.minutes - self.display.elapsed / 60)
        return f"--resume {self.folder} --minutes {left:.0f}"


def run(parser: argparse.ArgumentParser, make: Callable[[], Job]) -> int:
    """Make a job and do it; a ValueError or OSError of ``make`` is an error of the parser's.

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
            job.display.print(f"\nInterrupted. All is saved in {job.folder}. To continue:\n  {job.how_to_go_on()}")
            return 130
        saved = job.saver.at_last()
    job.report()
    return 0 if saved else 1


def record_game(agent: Agent, game: Game, options: dict[str, Any]) -> GameRecord[Any]:
    """The record of one game on the evaluation's first deal, the agent at all seats."""
    position = game.position_class.new(options, FIRST_SEED)
    while not position.is_over:
        position.apply(agent.act(position))
    record: GameRecord[Any] = game.record_class.of(position)
    return record


# ---------------------------------------------------------------- the command line
def add_arguments(parser: argparse.ArgumentParser, settings: type[Any], of: str) -> None:
    """The options of every training, and those of a dataclass of settings."""
    add = parser.add_argument
    add("--minutes", type=float, default=15, help="for the whole job (default: 15); 0: evaluate only")
    add("--seed", type=int, help="of the training games and the network (default: 0)")
    add(
        "--save-every", type=float, default=SAVE_EVERY, metavar="S", help="seconds between saves (default: %(default)g)"
    )
    add("--run-dir", metavar="DIR", help="folder of a new run (default: a new one in runs)")
    add("--eval-games", type=int, default=1000, help="for each agent and opponent (default: 1000)")
    add("--threads", type=int, help="of the games and the learning (default: one per core)")
    group = parser.add_argument_group(f"settings of {of}, for a new run")
    for field in dataclasses.fields(settings):
        kind = {"int": int, "float": float}[str(field.type)]
        group.add_argument(f"--{field.name.replace('_', '-')}", type=kind, help=f"(default: {field.default})")


def chosen(given: argparse.Namespace, settings: type[Any]) -> dict[str, Any]:
    """The settings that were given."""
    values = {field.name: getattr(given, field.name) for field in dataclasses.fields(settings)}
    return {name: value for name, value in values.items() if value is not None}


def check(given: argparse.Namespace, least: dict[str, int], fixed: Sequence[str]) -> None:
    """Refuse, with a ValueError, options out of range, and those that a resumed run can't change.

    Args:
        given: the parsed options.
        least: the smallest value of each option that is a whole number.
        fixed: options of new runs only.
    """

    def refuse(name: str, wrong: str) -> ValueError:
        return ValueError(f"--{name.replace('_', '-')} {wrong}")

    for name, low in least.items():
        if (value := getattr(given, name)) is not None and value < low:
            raise refuse(name, f"must be {low} or more, not {value}")
    for name in ("minutes", "save_every"):
        if not 0 <= getattr(given, name) < 1e6:
            raise refuse(name, f"must be 0 or more, not {getattr(given, name)}")
    for name in fixed if given.resume is not None else ():
        if getattr(given, name) is not None:
            raise refuse(name, "can't be changed in a run that is resumed")
