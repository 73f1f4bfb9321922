"""The parts that both trainers share: the command line, the steps of a job, its evaluation and its report."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import shlex
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, ClassVar, get_args, get_type_hints

from carnegie_env.agents.base import Agent
from carnegie_env.core import validation
from carnegie_env.core.arguments import check_least, option_of
from carnegie_env.core.game import Game
from carnegie_env.core.record import GameRecord
from training import evaluate
from training.display import Display
from training.evaluate import FIRST_SEED
from training.run_folder import LearningCurve, Progress, RunFolder
from training.saving import Saver
from training.tables import Table

SAVE_EVERY = 60.0  # seconds
EVALUATION_SPARE = 10.0  # seconds of the budget reserved for writing the last files and for surprises
INTERRUPT = signal.default_int_handler  # raises KeyboardInterrupt
LEAST_TRAINING = 0.5  # of the budget, even if the evaluation needs more than the rest


class Job:
    """One run of a training program. A subclass prepares, trains and saves.

    Args:
        given: the parsed options.
        started: when the job's time began to run, by time.monotonic(); None: now.

    Attributes:
        folder, config, progress, curve: the run.
        table: the table at which agents are evaluated.
        game_options: the options of the game that is recorded at the end.
        baselines: the agents to compare with.
        times: seconds spent on each part of the job.
        done: decisions or games trained in this session.

    Raises:
        ValueError: contradictory options, or a folder that is not a run or already is one.
    """

    folder_type: ClassVar[type[RunFolder]]
    model_file: ClassVar[str]  # the name of the model in messages
    trained_name: ClassVar[str]  # of the trained agent in the tables
    contents: ClassVar[str]  # the contents of the run folder, for the report
    table: Table
    game_options: dict[str, Any]
    baselines: list[Agent]

    def __init__(self, given: argparse.Namespace, started: float | None = None) -> None:
        self.given = given
        self.threads = given.threads or validation.number_of_threads(None)
        self.display = Display(None if amount_of(given) else 60 * given.minutes, started)
        self.results: list[evaluate.Result] = []
        self.times = {"evaluation of the baselines": 0.0, "training": 0.0, "evaluation of the trained agent": 0.0}
        self.done = 0
        self.check()
        if given.resume is not None:
            self.folder = self.folder_type(given.resume)
            self.config, self.progress, self.curve = self.folder.open()
        else:
            name = given.run_dir or f"runs/{datetime.now():%Y%m%d-%H%M%S}-{self.run_name()}"
            self.folder, self.config, self.progress = self.folder_type(name), self.new_config(), Progress()
            self.config["threads"] = self.threads
            self.folder.check_config(self.config)
            self.curve = LearningCurve(self.folder.columns)
        self.steps_before = self.progress.steps
        self.closing = contextlib.ExitStack()
        self.closing.callback(self.folder.close)
        self.saver = Saver(self.folder, self.save_in, self.model_file, self.display.print)
        try:
            self.connect()
            if given.resume is None:
                self.folder.create(self.config)
            self.prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the run folder and everything else."""
        self.closing.close()

    # ---- supplied by the subclass
    def check(self) -> None:
        """Raise a ValueError for options that are out of range or contradict each other."""
        raise NotImplementedError

    def run_name(self) -> str:
        """The default name of a new run's folder, without the time."""
        raise NotImplementedError

    def new_config(self) -> dict[str, Any]:
        """The content of a new run's config.json."""
        raise NotImplementedError

    def connect(self) -> None:
        """Check and connect everything that can fail before a new run gets its folder."""

    def prepare(self) -> None:
        """Get ready to train; the run folder is open."""
        raise NotImplementedError

    def train(self) -> None:
        """Train until the time is up or the requested amount is done."""
        raise NotImplementedError

    def trained_agent(self) -> Agent:
        """The trained agent."""
        raise NotImplementedError

    def save_in(self, folder: RunFolder) -> None:
        """Save everything that a resumed run needs, in a run folder."""
        raise NotImplementedError

    def pictures(self) -> dict[str, bytes]:
        """The plots of the training, PNG by file name."""
        raise NotImplementedError

    def resume_command(self) -> str:
        """The command that continues this run for its remaining time."""
        raise NotImplementedError

    def training_summary(self) -> str:
        """What the training did in its time, in brackets behind it."""
        raise NotImplementedError

    def play_options(self) -> list[str]:
        """Options of `carnegie_env.arena.play --agents` for playing with the trained agent."""
        raise NotImplementedError

    # ---- the same for all
    def evaluate_baselines(self) -> None:
        """Measure the agents to compare with."""
        self.display.print(f"Run folder: {self.folder}")
        self._evaluate(self.baselines, "evaluation of the baselines")

    def evaluate_trained(self) -> None:
        """Measure the trained agent, write the table of all agents, and record one of its games."""
        agent = self.trained_agent()
        self._evaluate([agent], "evaluation of the trained agent")
        for suffix, write in (("txt", evaluate.table), ("csv", evaluate.to_csv), ("json", evaluate.to_json)):
            self.saver.write(f"evaluation.{suffix}", write(self.results).rstrip() + "\n")
        self.saver.write("game.txt", record_game(agent, self.table.game, self.game_options).to_text())

    def _evaluate(self, agents: Sequence[Agent], part: str) -> None:
        started = time.monotonic()
        try:
            self.results += evaluate.evaluate_all(agents, self.table, self.given.eval_games, say=self.display.say)
        finally:
            self.times[part] += time.monotonic() - started

    def save(self) -> bool:
        """Save everything that a resumed run needs, and the plots; returns whether that succeeded.

        After Ctrl-C or SIGTERM there are no new plots, which can take seconds.
        """
        if not self.curve.rows:
            return True
        with uninterrupted():
            saved = [self.saver.save()]
        if not isinstance(sys.exception(), KeyboardInterrupt):
            saved += [self.saver.write(name, picture) for name, picture in self.pictures().items()]
        return all(saved)

    def resume_options(self) -> str:
        """The options that continue this run for its remaining time or amount."""
        if self.progress.share >= 1:
            left = "--minutes 0"
        elif amount := amount_of(self.given):
            trained = self.progress.steps - self.steps_before
            left = f"{option_of(amount)} {max(1, getattr(self.given, amount) - trained)}"
        else:
            left = f"--minutes {max(1.0, self.given.minutes - self.display.elapsed / 60):.0f}"
        threads = "" if self.given.threads is None else f" --threads {self.given.threads}"
        return f"--resume {shlex.quote(str(self.folder))} {left}{threads}"

    def report(self) -> None:
        """Print the table, whether training improved on the baselines, and how the time was spent."""
        measured = {result.agent for result in self.results}  # without the trained agent if it could not be saved
        names = [name for name in (*(agent.name for agent in self.baselines), self.trained_name) if name in measured]
        lines = [f"{part}: {seconds:.0f} s" for part, seconds in self.times.items()]
        if self.done:
            lines[1] += f" ({self.training_summary()})"
        lines.append(f"the whole job: {self.display.elapsed:.0f} s")
        table, (_, ladder) = evaluate.table(self.results), evaluate.ladder(self.results, names)
        times = "\n".join(lines)
        self.display.print(f"\n{table}\n\n{ladder}\n\n{times}\n")
        self.display.print(f"{self.folder} contains {self.contents}, this table and one game:")
        self.display.print(f"  carnegie-env replay {self.folder}/game.txt")
        for options in self.play_options():
            self.display.print(f"  python -m carnegie_env.arena.play --agents {options}")


class Session:
    """The clock of one session's training.

    Args:
        job: the job that trains.
        amount: decisions or games to train for; None: as long as the job's time allows.
    """

    def __init__(self, job: Job, amount: int | None) -> None:
        self.job, self.amount = job, amount
        self.started = self.saved = time.monotonic()
        self._processor_started = time.process_time()
        self._hours_before = job.curve.rows[-1]["core_hours"] if job.curve.rows else 0.0
        self._seconds_before = job.progress.seconds
        # A finished run continues from half of its learning rate.
        self._share_before = 0.5 if job.progress.share >= 1 else job.progress.share

    @property
    def seconds(self) -> float:
        """Seconds of training in this session."""
        return time.monotonic() - self.started

    @property
    def total_seconds(self) -> float:
        """Seconds of training in all sessions of the run."""
        return self._seconds_before + self.seconds

    @property
    def core_hours(self) -> float | None:
        """Processor time of the training in all sessions of the run, in hours of one core; None after one on nodes."""
        if self._hours_before is None:
            return None
        return self._hours_before + (time.process_time() - self._processor_started) / 3600

    def share(self, evaluation: float) -> float:
        """The share of this session's training that is done, 0 to 1.

        Args:
            evaluation: estimated seconds of the evaluation that follows.
        """
        if self.amount is not None:
            return min(self.job.done / float(self.amount), 1.0)
        before, budget = self.started - self.job.display.started, 60 * float(self.job.given.minutes)
        planned = max(budget - before - EVALUATION_SPARE - evaluation, LEAST_TRAINING * budget)
        return min(self.seconds / planned, 1.0)

    def total_share(self, share: float) -> float:
        """The share of the run's training that is done, from this session's share."""
        return self._share_before + (1 - self._share_before) * share

    def save_if_due(self) -> None:
        """Save if the last save is long enough ago."""
        if time.monotonic() - self.saved >= self.job.given.save_every:
            self.job.save()
            self.saved = time.monotonic()


def check_new(kind: type[Job], given: argparse.Namespace) -> dict[str, Any]:
    """The configuration of a new run, which is not made; a ValueError for options that are out of range."""
    job = kind.__new__(kind)
    job.given = given
    job.check()
    config = job.new_config()
    kind.folder_type("").check_config(config)
    return config


def run(
    parser: argparse.ArgumentParser, kind: type[Job], arguments: Sequence[str] | None, started: float | None
) -> int:
    """Make a job from the command line and do it; its ValueErrors and OSErrors become errors of the command line.

    Returns:
        The exit status: 0; 1 if something of the run could not be saved; 130 after Ctrl-C or SIGTERM.
    """
    given = parser.parse_args(arguments)
    try:
        job = kind(given, started)
    except ValueError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(validation.error_text(error))
    except KeyboardInterrupt:
        print("Interrupted before the training began.")
        return 130
    with contextlib.closing(job), job.display, interrupted_by_sigterm():
        try:
            job.evaluate_baselines()
            job.train()
            job.evaluate_trained()
        except KeyboardInterrupt:
            if not job.saver.save_rest(0.0):  # who ends a process expects it to end soon
                return 1
            job.display.print(f"\nInterrupted; saved in {job.folder}. To continue:\n  {job.resume_command()}")
            return 130
        saved = job.saver.save_rest()
    job.report()
    return 0 if saved else 1


@contextlib.contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """SIGTERM, by which batch systems and containers announce the end of a process, acts as Ctrl-C."""
    number = signal.SIGTERM
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(number) is not signal.SIG_DFL:
        yield
        return
    signal.signal(number, INTERRUPT)
    try:
        yield
    finally:
        signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    interrupts = [each for each in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(each) is INTERRUPT]
    for each in interrupts:
        signal.signal(each, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for each in interrupts:
            signal.signal(each, INTERRUPT)
        if came:
            raise KeyboardInterrupt


def record_game(agent: Agent, game: Game, options: dict[str, Any]) -> GameRecord[Any]:
    """The record of one game on the evaluation's first deal, with the agent on all seats."""
    position = game.position_class.new(options, FIRST_SEED)
    while not position.is_over:
        position.apply(agent.act(position))
    record: GameRecord[Any] = game.record_class.of(position)
    return record


# ---------------------------------------------------------------- the command line
def add_arguments(parser: argparse.ArgumentParser, settings: type[Any], kind: str) -> None:
    """Add the options of every trainer, and one for each of its settings (:mod:`training.settings`)."""
    parser.usage = "%(prog)s [OPTION ...]  (--help lists the options)"
    add = parser.add_argument
    add("--minutes", type=float, default=15, help="time for the whole job (default: 15); 0: evaluate only")
    add("--seed", type=int, help="seed of the training games and the network (default: 0)")
    text = "seconds between saves (default: %(default)g)"
    add("--save-every", type=float, default=SAVE_EVERY, metavar="S", help=text)
    add("--run-dir", metavar="DIR", help="folder of a new run (default: a new one in runs)")
    add("--eval-games", type=int, default=1000, help="games for each agent and opponent (default: 1000)")
    add("--threads", type=int, help="threads for playing and learning (default: one per core)")
    group = parser.add_argument_group(f"settings of {kind}, for a new run")
    kinds = get_type_hints(settings, include_extras=True)
    for field in dataclasses.fields(settings):
        number, text, *_ = get_args(kinds[field.name])
        metavar, text = "N" if number is int else "X", f"{text} (default: {field.default:g})"
        group.add_argument(option_of(field.name), type=number, metavar=metavar, help=text)


def amount_of(given: argparse.Namespace) -> str | None:
    """The argument that limits the training by an amount instead of by time; None: there is none."""
    return next((name for name in ("games", "timesteps") if getattr(given, name, None) is not None), None)


def chosen(given: argparse.Namespace, settings: type[Any]) -> dict[str, Any]:
    """The settings given on the command line."""
    values = {field.name: getattr(given, field.name) for field in dataclasses.fields(settings)}
    return {name: value for name, value in values.items() if value is not None}


def check_seed(given: argparse.Namespace) -> None:
    """Raise a ValueError for a seed that the libraries can't use."""
    if given.seed is not None:
        validation.whole_number("--seed", given.seed, 0, 2**32 - 1)


def check_core_hours(hours: float | None) -> None:
    """Raise a ValueError for a budget that can't be used."""
    if hours is not None and not 0 < hours < 1e6:
        raise ValueError(f"--core-hours must be above 0 and below 1,000,000, not {hours:g}")


def check_ranges(given: argparse.Namespace, least: dict[str, int], fixed: Sequence[str], settings: type[Any]) -> None:
    """Raise a ValueError for options that are out of range, or that a resumed run can't change.

    Args:
        given: the parsed options.
        least: the smallest value of each option that is a whole number.
        fixed: options for new runs only, in addition to the settings.
        settings: the dataclass of settings.
    """
    check_seed(given)
    check_least(given, **least)
    if given.minutes == 0 and given.resume is None and amount_of(given) is None:
        raise ValueError("--minutes 0 only evaluates: name a run with --resume RUN")
    for name in ("minutes", "save_every"):
        if not 0 <= getattr(given, name) < 1e6:
            raise ValueError(f"{option_of(name)} must be 0 or more, not {getattr(given, name)}")
    if given.resume is not None:
        for name in ("seed", "run_dir", *fixed, *(field.name for field in dataclasses.fields(settings))):
            if getattr(given, name) is not None:
                raise ValueError(f"{option_of(name)} can't be changed when a run is resumed")
