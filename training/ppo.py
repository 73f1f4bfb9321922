"""PPO against Andrew, or by self-play for 2 to 4 players: `make train-ppo`, or `python -m training.ppo --help`.

1. Random and greedy play against Andrew at all four difficulties: the agents to beat.
2. A MaskablePPO agent learns on batches of games until the time is up. Its reward is the change of its margin over
   Andrew, as if the game ended now, at every decision.
3. The trained agent plays at all four difficulties; one table compares all three.

With `--num-players 2` (3, 4) it learns at one seat of a table, another one in each game, against earlier copies of
itself (:mod:`training.league`); its margin is over the mean of the others, and it is measured against random and
greedy.

The run folder (:mod:`training.run_folder`) also gets

| file | content |
|---|---|
| weights.safetensors | the trained network: numbers only, for `ppo:FOLDER`; safe to share |
| model.zip | the model with its optimizer, as Stable-Baselines3 saves it: a pickle, for resuming your own run only |
| learning_curve.png, tensorboard/ | the learning curve |
| evaluation.txt, .csv, .json | the table of the evaluation |
| game.txt | one game of the trained agent, as a record for `carnegie-env replay` |

Ctrl-C saves everything and prints the command that continues. A killed job loses at most what it learned since its last
save; one whose disk is full continues training and tries again.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait must not take the time of those that work

import argparse
import contextlib
import dataclasses
import io
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from stable_baselines3.common.utils import FloatSchedule
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from carnegie_env import Batch
from carnegie_env.agents.base import Agent
from carnegie_env.agents.configuration import CONFIG_FILE
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.agents.learned import MODEL_FILE, WEIGHTS_FILE, PPOAgent, interface, network_of, weights
from carnegie_env.agents.policy import Policy
from carnegie_env.agents.random_agent import RandomAgent
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.carnegie.tables import DIFFICULTIES
from carnegie_env.core.versions import versions
from carnegie_env.envs.sb3 import GameVecEnv
from training import STARTED, evaluate, job
from training.display import Display
from training.job import EVALUATION_SPARE
from training.league import League
from training.run_folder import LearningCurve, RunFolder, check_settings
from training.saving import Saver
from training.tables import Table

LEAST_TRAINING = 0.5  # of the budget, where evaluation would take more
ENDLESS = 10**12  # steps
PLAYERS = range(1, 5)
COPY_EVERY = 8  # updates after which self-play gets a new copy of the network: about every half minute


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of PPO. Their values were found by trying, on two cores."""

    envs: int = 256  # games side by side
    steps: int = 64  # decisions in each between two updates
    minibatch: int = 2048  # decisions in one gradient step
    epochs: int = 3  # times each decision is used
    learning_rate: float = 5e-4  # at the start; it falls linearly to nothing
    entropy: float = 0.01  # weight of the entropy bonus
    gamma: float = 0.998  # discount per decision
    gae_lambda: float = 0.95  # how far advantages look ahead
    width: int = 256  # units of each hidden layer


class PPOFolder(RunFolder):
    """The folder of a run of PPO."""

    saved = (WEIGHTS_FILE, MODEL_FILE)
    columns = (
        "seconds", "steps", "games", "own", "other", "margin", "win_rate", "decisions_per_game", "steps_per_second",
        "learning_rate", "entropy", "value_loss", "policy_loss", "explained_variance", "approx_kl", "clip_fraction",
    )  # fmt: skip

    def check_config(self, config: dict[str, Any]) -> None:
        network_of(config, self / CONFIG_FILE)
        players = config.get("num_players")
        if type(players) is not int or players not in PLAYERS:
            raise ValueError(f"{CONFIG_FILE}: num_players must be {PLAYERS[0]} to {PLAYERS[-1]}")
        if players == 1 and config.get("difficulty") not in DIFFICULTIES:
            raise ValueError(f"{CONFIG_FILE}: difficulty must be one of {', '.join(DIFFICULTIES)}")
        check_settings(config, Settings)


# ---------------------------------------------------------------- the job
def main(arguments: Sequence[str] | None = None, started: float | None = None) -> int:
    """Run the command; see :func:`training.job.run`. ``started``: see :class:`Display`."""
    parser = make_parser()
    given = parser.parse_args(arguments)
    return job.run(parser, lambda: Job(given, started))


def make_parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m training.ppo", description="Train a PPO agent, then measure it.")
    add = parser.add_argument
    add("--num-players", type=int, choices=PLAYERS, help="1 (the default): against Andrew; 2 to 4: by self-play")
    add("--difficulty", choices=DIFFICULTIES, help="Andrew's (default: normal)")
    choices, text = ["auto", "cpu", "cuda"], "of the network (default: a GPU if there is one)"
    add("--device", choices=choices, default="auto", help=text)
    text = (
        "continue the run in this folder. ONLY A RUN OF YOUR OWN: its model.zip is unpickled, and a prepared one runs "
        "any code. To play with a model of others, use ppo:RUN, which reads numbers only"
    )
    add("--resume", metavar="RUN", help=text)
    add("--timesteps", type=int, help="train for this number of decisions, not for a time: exactly repeatable")
    job.add_arguments(parser, Settings, "PPO")
    return parser


class Job(job.Job):
    """One run of the program.

    Args:
        given: the parsed options.
        started: when the job's time began to run, None: now.

    Raises:
        ValueError: options that do not go together, a folder that is not a run or is one already.
    """

    def __init__(self, given: argparse.Namespace, started: float | None = None) -> None:
        check(given)
        super().__init__(given)
        torch.set_num_threads(self.threads)
        self.curve = LearningCurve(PPOFolder.columns)
        if given.resume is not None:
            self.folder = PPOFolder(given.resume)
            self.config, self.progress, self.curve = self.folder.open()
        else:
            self.folder = PPOFolder(given.run_dir or default_folder(given))
            self.config = new_config(given)
            self.folder.create(self.config)
        self.settings = Settings(**self.config["settings"])
        try:
            self._prepare(started)
        except BaseException:
            self.close()
            raise

    def _prepare(self, started: float | None) -> None:
        given = self.given
        self.players: int = self.config["num_players"]
        self.options = {"num_players": self.players}
        if self.players == 1:
            self.options["difficulty"] = self.config["difficulty"]
        self.league = None if self.players == 1 else League()
        self.env = StopwatchEnv(
            GameVecEnv(
                self.settings.envs,
                reward=self.config["reward"],
                opponents=self.league,
                num_threads=self.threads,
                seed=first_seed(self.config["seed"], self.progress.steps),
                **self.options,
            )
        )
        self.model = self._load_model() if self.progress.steps > 0 else self._new_model()
        if self.league is not None:
            self.league.take(self.policy)
        self.display = Display(60 * given.minutes, started)
        self.saver = Saver(self.folder, self._save_in, MODEL_FILE, self.display.print)
        self.table, self.baselines = Table(CARNEGIE, self.players), [RandomAgent(), GreedyAgent()]
        self.times = {"evaluation of random and greedy": 0.0, "training": 0.0, "evaluation of trained": 0.0}
        self.collecting = 0.0  # seconds of the training in which decisions were collected
        self.session_steps = 0  # decisions of this session

    @property
    def policy(self) -> Policy:
        return cast(Policy, self.model.policy)

    def _new_model(self) -> MaskablePPO:
        settings = self.settings
        return MaskablePPO(
            Policy,
            self.env,
            n_steps=settings.steps,
            batch_size=min(settings.minibatch, settings.envs * settings.steps),
            n_epochs=settings.epochs,
            learning_rate=settings.learning_rate,
            ent_coef=settings.entropy,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            policy_kwargs={"width": settings.width},
            seed=self.config["seed"],
            device=self.given.device,
        )

    def _load_model(self) -> MaskablePPO:
        """The model of the run that is resumed: the only place where anything is unpickled."""
        PPOAgent(str(self.folder)).check(Batch(1, num_players=self.players))
        file = self.folder / MODEL_FILE
        try:
            return MaskablePPO.load(file, env=self.env, device=self.given.device)
        except Exception as error:  # whatever unpickling of another version's model raises
            raise ValueError(
                f"{file} is not a model that this version of the libraries can continue with: {error!r:.300}; "
                f"the run's network can still play, as ppo:{self.folder}"
            ) from error

    # ---- its parts
    def train(self) -> None:
        """Run PPO until the time is up."""
        if self.given.minutes == 0 and self.given.timesteps is None:
            return
        started = time.monotonic()
        folder = str(self.folder / "tensorboard")
        board = BoardWriter(folder, self.display.print)
        self.model.set_logger(Logger(folder, [board]))
        try:
            with quiet_writers():
                self.model.learn(ENDLESS, callback=Trainer(self), reset_num_timesteps=False)
        finally:
            board.close()
            self.times["training"] += time.monotonic() - started
            self.model.num_timesteps = self.progress.steps  # of a rollout that was cut off nothing was learned
            self.save()

    def trained(self) -> Agent:
        """The trained agent."""
        return PPOAgent.of(self.model, self.config["interface"])

    def game_options(self) -> dict[str, Any]:
        """Options of the game that is recorded."""
        return self.options

    # ---- what is left behind
    def save(self) -> bool:
        """Write everything that a resumed run needs, and the plot of the learning curve; whether that succeeded."""
        model = self.saver.save()
        if not self.curve.rows:
            return model
        measured = self.config["difficulty"] if self.players == 1 else "greedy"
        baselines = {r.agent: r.margin.mean for r in self.results if r.against == measured}
        title = f"PPO against Andrew, {measured}" if self.players == 1 else f"PPO, self-play of {self.players}"
        other = "Andrew" if self.players == 1 else "the best other, against greedy"
        panels = (("margin", f"margin over {other} (VP)"), ("win_rate", "win rate"), ("entropy", "entropy (nats)"))
        picture = self.curve.picture(f"{title}: {self.progress.steps:,} decisions", panels, baselines)
        return self.saver.write("learning_curve.png", picture) and model

    def _save_in(self, folder: RunFolder) -> None:
        buffer = io.BytesIO()
        self.model.save(buffer)
        network = weights(self.policy, self.config["interface"])
        folder.save({WEIGHTS_FILE: network, MODEL_FILE: buffer.getvalue()}, self.progress, self.curve)

    def how_to_go_on(self) -> str:
        """The command that continues this run with its remaining time."""
        return f'make train-ppo ARGS="{self.arguments_to_go_on()}"'

    def report(self) -> None:
        """Print the table, whether training paid, and where the time went."""
        say = self.display.print
        say("\n" + evaluate.table(self.results) + "\n")
        say(evaluate.ladder(self.results, ["random", "greedy", "trained"])[1])
        say("\n" + self._where_the_time_went())
        say(f"\n{self.folder} holds the model, the learning curve (.png, .csv, tensorboard), this table and one game:")
        say(f"  carnegie-env replay {self.folder}/game.txt")
        if self.players == 1:
            say(f"  python -m carnegie_env.arena.play --agents ppo:{self.folder} --difficulty expert")
        else:
            say(f"  python -m carnegie_env.arena.play --agents ppo:{self.folder} greedy --num-players {self.players}")

    def _where_the_time_went(self) -> str:
        lines = [f"{part}: {seconds:.0f} s" for part, seconds in self.times.items()]
        training = self.times["training"]
        if self.session_steps > 0:
            environment, collecting = self.env.seconds, self.collecting - self.env.seconds
            rest = training - environment - collecting
            others = "" if self.players == 1 else ", opponents' too,"
            lines[1] += (
                f" ({self.session_steps:,} decisions, {self.session_steps / training:,.0f}/s: "
                f"environment with masks and observations{others} {environment / training:.1%}, "
                f"network while collecting {collecting / training:.1%}, updates {rest / training:.1%})"
            )
        return "\n".join([*lines, f"the whole job: {self.display.elapsed:.0f} s"])


# ---------------------------------------------------------------- training
class Trainer(BaseCallback):
    """The clock, the learning rate, the learning curve and saving, between the updates of PPO."""

    def __init__(self, run: Job) -> None:
        super().__init__()
        self.job = run
        self.started = self.saved = self.rollout_started = time.monotonic()
        self.steps_before = run.model.num_timesteps
        self.seconds_before = run.progress.seconds
        # A run that had ended goes on from half of its learning rate.
        self.share_before = 0.5 if run.progress.share >= 1 else run.progress.share
        self.ended: list[tuple[int, dict[str, Any]]] = []  # environments and infos of games that ended since the update

    @property
    def seconds(self) -> float:
        """Seconds of this session."""
        return time.monotonic() - self.started

    def share_of_session(self) -> float:
        """The share of this session's training that is done, 0 to 1."""
        run = self.job
        if run.given.timesteps is not None:
            return min(float(run.session_steps / run.given.timesteps), 1.0)
        before = self.started - run.display.started
        planned = max(run.display.budget - before - self._evaluation_to_come(), LEAST_TRAINING * run.display.budget)
        return min(self.seconds / planned, 1.0)

    def _evaluation_to_come(self) -> float:
        """An estimate of the seconds for the trained agent's evaluation, from the games so far."""
        lengths = [length for row in self.job.curve.rows[-10:] if (length := row["decisions_per_game"]) is not None]
        if not lengths or self.job.session_steps == 0:
            return EVALUATION_SPARE
        per_decision = self.job.collecting / self.job.session_steps
        games = len(Table(CARNEGIE, self.job.players).against) * int(self.job.given.eval_games)
        return EVALUATION_SPARE + games * lengths[-1] * per_decision

    # ---- called by Stable-Baselines3
    def _on_rollout_start(self) -> None:
        run = self.job
        run.session_steps = self.num_timesteps - self.steps_before
        share = self.share_of_session()
        if run.session_steps > 0:
            run.curve.rows.append(self._row())
            if run.league is not None and len(run.curve.rows) % COPY_EVERY == 0:
                run.league.take(run.policy)
            run.progress.steps = self.num_timesteps
            run.progress.seconds = self.seconds_before + self.seconds
            run.progress.share = self.share_before + (1 - self.share_before) * share
        self.finished = share >= 1
        total_share = self.share_before + (1 - self.share_before) * share
        rate = run.settings.learning_rate * max(1 - total_share, 0.01)
        run.model.lr_schedule = FloatSchedule(rate)
        self.rollout_started = time.monotonic()
        if self.rollout_started - self.saved >= run.given.save_every:
            run.save()
            self.saved = time.monotonic()

    def _on_step(self) -> bool:
        """After each decision in all games; False ends the training."""
        if self.finished:
            self.model.num_timesteps -= self.training_env.num_envs  # these decisions are not learned from
            return False
        self.ended += [(env, info) for env, info in enumerate(self.locals["infos"]) if info]
        return True

    def _on_rollout_end(self) -> None:
        self.job.collecting += time.monotonic() - self.rollout_started

    def _measured(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The learner's scores, and Andrew's or the best other players' against the league's yardstick."""
        if self.job.league is None:
            pairs = [(info["score"], info["andrew_score"]) for _, info in self.ended]
        else:
            measured = [info for env, info in self.ended if self.job.league.is_yardstick(env)]
            pairs = [
                (info["scores"][info["learner_seat"]], np.delete(info["scores"], info["learner_seat"]).max())
                for info in measured
            ]
        own, other = np.array(pairs, np.float64).reshape(-1, 2).T
        return own, other

    def _row(self) -> dict[str, float | None]:
        """The learning curve's row for the last update."""
        run, logged = self.job, self.model.logger.name_to_value
        own, other = self._measured()
        lengths = [info["episode"]["l"] for _, info in self.ended]
        games = len(self.ended)
        self.ended = []
        row: dict[str, float | None] = {
            "seconds": self.seconds_before + self.seconds,
            "steps": self.num_timesteps,
            "games": games,
            "own": own.mean() if len(own) else None,
            "other": other.mean() if len(own) else None,
            "margin": (own - other).mean() if len(own) else None,
            "win_rate": ((own > other) + 0.5 * (own == other)).mean() if len(own) else None,
            "decisions_per_game": float(np.mean(lengths)) if games else None,
            "steps_per_second": run.session_steps / self.seconds,
            "learning_rate": self.model.policy.optimizer.param_groups[0]["lr"],
            "entropy": -logged["train/entropy_loss"],
            "value_loss": logged["train/value_loss"],
            "policy_loss": logged["train/policy_gradient_loss"],
            "explained_variance": logged["train/explained_variance"],
            "approx_kl": logged["train/approx_kl"],
            "clip_fraction": logged["train/clip_fraction"],
        }
        for name in ("own", "other", "margin", "win_rate", "decisions_per_game", "steps_per_second"):
            if row[name] is not None:
                self.model.logger.record(f"games/{name}", row[name])
        self.model.logger.dump(self.num_timesteps)
        said = "" if row["margin"] is None else f", margin {row['margin']:.1f}"
        run.display.say(f"training: {self.num_timesteps:,} decisions, {row['steps_per_second']:,.0f}/s{said}")
        return row


class BoardWriter(KVWriter):
    """TensorBoard's files. An error of the disk does not stop the training; new files begin when it is over."""

    def __init__(self, folder: str, say: Callable[[str], None]) -> None:
        self.folder, self.say = folder, say
        self.inner: TensorBoardOutputFormat | None = None
        self.failed = False

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        try:
            if self.inner is None:
                self.inner = TensorBoardOutputFormat(self.folder)
            self.inner.write(key_values, key_excluded, step)
            self.inner.writer.flush()
            self.failed = False
        except OSError as error:
            if not self.failed:
                self.say(f"NOT WRITTEN: {self.folder}: {error.strerror or error}. Training continues.")
            self.failed = True
            self.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if self.inner is not None:
                self.inner.close()
        self.inner = None


@contextlib.contextmanager
def quiet_writers() -> Iterator[None]:
    """No traceback from TensorBoard's writing thread for errors that :class:`BoardWriter` reports."""
    before = threading.excepthook

    def hook(what: Any) -> None:
        if not issubclass(what.exc_type, OSError):
            before(what)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before


class StopwatchEnv(VecEnvWrapper):
    """Adds up the seconds spent in the environment, masks and observations included."""

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        self.seconds = 0.0

    def reset(self) -> Any:
        return self.venv.reset()

    def step_wait(self) -> Any:
        started = time.perf_counter()
        result = self.venv.step_wait()
        self.seconds += time.perf_counter() - started
        return result

    def env_method(self, *args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        result = self.venv.env_method(*args, **kwargs)
        self.seconds += time.perf_counter() - started
        return result


# ---------------------------------------------------------------- small parts
def check(given: argparse.Namespace) -> None:
    """Refuse, with a ValueError, options that make no sense or do not go together."""
    fixed = ["num_players", "difficulty", "seed", "run_dir", *(field.name for field in dataclasses.fields(Settings))]
    least = {"eval_games": 2} | dict.fromkeys(("timesteps", "threads", "envs", "steps", "width"), 1)
    job.check(given, least, fixed)
    if (given.num_players or 1) > 1 and given.difficulty is not None:
        raise ValueError("--difficulty is Andrew's, who plays with --num-players 1 only")


def default_folder(given: argparse.Namespace) -> str:
    """Where a new run goes: named by the time, and the difficulty or the number of players."""
    several = (given.num_players or 1) > 1
    what = f"{given.num_players}-players" if several else given.difficulty or "normal"
    return f"runs/{datetime.now():%Y%m%d-%H%M%S}-{what}"


def new_config(given: argparse.Namespace) -> dict[str, Any]:
    """The content of a run's config.json."""
    settings = Settings(**job.chosen(given, Settings))
    packages = ("sb3-contrib", "stable-baselines3", "torch", "safetensors", "gymnasium")
    players = given.num_players or 1
    return {
        "num_players": players,
        "difficulty": (given.difficulty or "normal") if players == 1 else None,
        "seed": given.seed or 0,
        "reward": "dense_margin",
        "settings": dataclasses.asdict(settings),
        "interface": interface(Batch(1, num_players=players)),
        "versions": versions(*packages),
    }


def first_seed(seed: int, steps: int) -> int:
    """The seed of the first training game: different after each resumption, and never one of the evaluation's."""
    return (seed * 1_000_003 + steps) % evaluate.FIRST_SEED


if __name__ == "__main__":
    sys.exit(main(started=STARTED))
