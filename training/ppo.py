"""PPO against Andrew, or by self-play for 2 to 4 players: `make train-ppo`, or `python -m training.ppo --help`.

1. The baselines, `random` and `greedy`, play against Andrew at all four difficulties.
2. A MaskablePPO agent learns on batches of games until the time is up. Its reward at every decision is the change of
   its margin over Andrew, as if the game ended now. At first it also imitates a teacher, by default `value`: between
   two updates, its probabilities move towards those that follow from the teacher's values of the actions
   (kickstarting, Schmitt et al. 2018).
3. The trained agent plays at all four difficulties; one table compares all three.

With `--num-players 2` (3, 4) the agent learns on one seat, which changes from game to game, against earlier copies of
itself (:mod:`training.league`). Its margin is over the mean of the others, and it is evaluated against `random` and
`greedy`.

The run folder (:mod:`training.run_folder`) also gets

| file | content |
|---|---|
| weights.safetensors | the trained network: numbers only, for `ppo:FOLDER`; safe to share |
| model.zip | the model with its optimizer, as Stable-Baselines3 saves it: a pickle, for resuming your own run only |
| learning_curve.png, tensorboard/ | the learning curve |
| evaluation.txt, .csv, .json | the table of the evaluation |
| game.txt | one game of the trained agent, as a record for `carnegie-env replay` |

Ctrl-C and SIGTERM save everything and print the command that continues. A killed job loses only what it did since the
last save; if the disk is full, training continues and saving is tried again.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # idle threads must not take processor time from busy ones

import contextlib
import dataclasses
import io
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from stable_baselines3.common.utils import FloatSchedule
from torch import Tensor

from carnegie_env import Batch
from carnegie_env.agents.base import Agent
from carnegie_env.agents.configuration import CONFIG_FILE
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.agents.learned import MODEL_FILE, PPOAgent, interface
from carnegie_env.agents.policy import Policy, actor_of, weights
from carnegie_env.agents.random_agent import RandomAgent
from carnegie_env.agents.registry import make_agent
from carnegie_env.agents.value import WEIGHTS_FILE
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.carnegie.tables import DIFFICULTIES
from carnegie_env.cli.parser import Parser
from carnegie_env.core.versions import versions
from carnegie_env.envs.sb3 import GameVecEnv
from training import STARTED, evaluate, job, settings
from training.job import Session
from training.league import League
from training.run_folder import RunFolder, check_settings
from training.settings import MOST, SHARE
from training.tables import Table

ENDLESS = 10**12  # steps
PLAYERS = range(1, 5)
TEACHER, NOBODY = "value", "none"  # --teacher: the default; no teacher
TEACHER_MINIBATCH, REMEMBERED = 512, 4  # decisions in a gradient step, rollouts that they are drawn from
COPY_EVERY = 8  # updates between copies of the network for self-play: about half a minute


@dataclasses.dataclass(frozen=True)
class Settings(settings.Settings):
    """The settings of PPO, tuned on two cores."""

    envs: Annotated[int, "parallel games"] = 256
    steps: Annotated[int, "decisions in each game between two updates"] = 64
    minibatch: Annotated[int, "decisions in one gradient step"] = 2048
    epochs: Annotated[int, "number of times each decision is used"] = 3
    learning_rate: Annotated[float, "learning rate at the start; falls linearly to 0"] = 5e-4
    entropy: Annotated[float, "weight of the entropy bonus"] = 0.01
    gamma: Annotated[float, "discount per decision", SHARE] = 0.998
    gae_lambda: Annotated[float, "lambda of generalised advantage estimation", SHARE] = 0.95
    width: Annotated[int, "units of each hidden layer"] = 256
    teacher_share: Annotated[float, "share of the training with a teacher", SHARE] = 0.8
    taught_rate: Annotated[float, "factor of the learning rate while there is a teacher"] = 0.2
    teacher_rate: Annotated[float, "learning rate of the imitation at the start; falls linearly to 0"] = 1e-3
    teacher_temperature: Annotated[
        float, "temperature of the softmax of the teacher's values, in points", (1e-3, MOST)
    ] = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        decisions = self.envs * self.steps
        if min(decisions, self.minibatch) == 1 or decisions % self.minibatch == 1:
            raise ValueError(
                f"a gradient step needs 2 decisions or more, but minibatch {self.minibatch} leaves 1 of {decisions} "
                "(envs times steps): choose another one"
            )


class PPOFolder(RunFolder):
    """The folder of a run of PPO."""

    saved = (WEIGHTS_FILE, MODEL_FILE)
    columns = (
        "seconds", "core_hours", "steps", "games", "own", "other", "margin", "win_rate", "decisions_per_game",
        "steps_per_second", "learning_rate", "entropy", "value_loss", "policy_loss", "explained_variance", "approx_kl",
        "clip_fraction",
    )  # fmt: skip

    def check_config(self, config: dict[str, Any]) -> None:
        teacher = config.get("teacher")
        if teacher is not None and not isinstance(teacher, str):
            raise ValueError(f"{CONFIG_FILE}: teacher must be the name of an agent")
        players = config.get("num_players")
        if type(players) is not int or players not in PLAYERS:
            raise ValueError(f"{CONFIG_FILE}: num_players must be {PLAYERS[0]} to {PLAYERS[-1]}")
        if players == 1 and config.get("difficulty") not in DIFFICULTIES:
            raise ValueError(f"{CONFIG_FILE}: difficulty must be one of {', '.join(DIFFICULTIES)}")
        check_settings(config, Settings)


# ---------------------------------------------------------------- the job
def main(arguments: Sequence[str] | None = None, started: float | None = None) -> int:
    """Run the command; see :func:`training.job.run`. ``started``: see :class:`training.display.Display`."""
    return job.run(make_parser(), Job, arguments, started)


def make_parser() -> Parser:
    """The parser of the command line."""
    parser = Parser(prog="python -m training.ppo", description="Train and evaluate a PPO agent.")
    add = parser.add_argument
    add("--num-players", type=int, choices=PLAYERS, help="1 (the default): against Andrew; 2 to 4: by self-play")
    add("--difficulty", choices=DIFFICULTIES, help="Andrew's (default: normal)")
    text = f"an agent that rates actions, imitated at first; {NOBODY}: PPO alone (default: {TEACHER})"
    add("--teacher", metavar="AGENT", help=text)
    choices, text = ["auto", "cpu", "cuda"], "device of the network (default: a GPU if there is one)"
    add("--device", choices=choices, default="auto", help=text)
    text = (
        "continue the run in this folder. ONLY YOUR OWN RUNS: model.zip is unpickled, and a manipulated one can run "
        "any code. To play with models from others, use ppo:RUN, which reads only numbers"
    )
    add("--resume", metavar="RUN", help=text)
    add("--timesteps", type=int, help="train for this number of decisions, not for a time: exactly repeatable")
    job.add_arguments(parser, Settings, "PPO")
    return parser


class Job(job.Job):
    """A training by PPO; see :class:`training.job.Job`."""

    folder_type, model_file, trained_name = PPOFolder, MODEL_FILE, "trained"
    contents = "the model, the learning curve (.png, .csv, tensorboard)"

    def check(self) -> None:
        least = {"eval_games": 2} | dict.fromkeys(("timesteps", "threads", "envs", "steps", "width"), 1)
        job.check_ranges(self.given, least, ["num_players", "difficulty", "teacher"], Settings)
        if (self.given.num_players or 1) > 1 and self.given.difficulty is not None:
            raise ValueError("--difficulty is for games against Andrew, with --num-players 1")
        if self.given.device == "cuda" and not torch.cuda.is_available():
            raise ValueError("--device cuda: PyTorch finds no GPU; omit it to train on the CPU")
        if self.given.teacher not in (None, NOBODY):
            agent = make_agent(self.given.teacher)
            if type(agent).judge is Agent.judge:
                raise ValueError(f"--teacher {agent.name}: it has no values of actions; use value or search")

    def run_name(self) -> str:
        players = self.given.num_players or 1
        return self.given.difficulty or "normal" if players == 1 else f"{players}-players"

    def new_config(self) -> dict[str, Any]:
        given, packages = self.given, ("sb3-contrib", "stable-baselines3", "torch", "safetensors", "gymnasium")
        players = given.num_players or 1
        return {
            "num_players": players,
            "difficulty": (given.difficulty or "normal") if players == 1 else None,
            "seed": given.seed or 0,
            "reward": "dense_margin",
            "teacher": {NOBODY: None, None: TEACHER}.get(given.teacher, given.teacher),
            "settings": dataclasses.asdict(Settings(**job.chosen(given, Settings))),
            "interface": interface(Batch(1, num_players=players)),
            "versions": versions(*packages),
        }

    def prepare(self) -> None:
        torch.set_num_threads(self.threads)
        self.settings = Settings(**self.config["settings"])
        self.players: int = self.config["num_players"]
        self.game_options = {"num_players": self.players}
        if self.players == 1:
            self.game_options["difficulty"] = self.config["difficulty"]
        self.teacher = None if self.config.get("teacher") is None else make_agent(self.config["teacher"])
        self.league = None if self.players == 1 else League()
        self.env = GameVecEnv(
            self.settings.envs,
            reward=self.config["reward"],
            opponents=self.league,
            num_threads=self.threads,
            **self.game_options,
        )
        self.model = self._load_model() if self.progress.steps > 0 else self._new_model()
        first = evaluate.first_seed(self.config["seed"], self.progress.steps)
        self.env.seed(first)  # not before: a model seeds its games
        if self.league is not None:
            self.league.take(self.policy)
        self.table, self.baselines = Table(CARNEGIE, self.players), [RandomAgent(), GreedyAgent()]
        self.collecting = 0.0  # seconds of the training spent on collecting decisions

    @property
    def policy(self) -> Policy:
        """The network that learns."""
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
        """The model of the run that is resumed. Nothing else is ever unpickled."""
        PPOAgent(str(self.folder)).actor(Batch(1, num_players=self.players))
        file = self.folder / MODEL_FILE
        try:
            return MaskablePPO.load(file, env=self.env, device=self.given.device)
        except Exception as error:  # unpickling another version's model can raise anything
            raise ValueError(
                f"{file} is not a model that the installed libraries can continue with: {error!r:.300}; "
                f"the run's network can still play, as ppo:{self.folder}"
            ) from error

    def train(self) -> None:
        if self.given.minutes == 0 and self.given.timesteps is None:
            return
        trainer = Trainer(self)
        folder = str(self.folder / "tensorboard")
        board = BoardWriter(folder, self.display.print)
        self.model.set_logger(Logger(folder, [board]))
        try:
            with quiet_writers():
                self.model.learn(ENDLESS, callback=trainer, reset_num_timesteps=False)
        finally:
            board.close()
            self.times["training"] += trainer.session.seconds
            self.model.num_timesteps = self.progress.steps  # nothing was learned from an interrupted rollout
            self.save()

    def trained_agent(self) -> Agent:
        return PPOAgent.of(actor_of(self.policy, self.config["interface"]))

    def pictures(self) -> dict[str, bytes]:
        solo = self.players == 1
        measured = self.config["difficulty"] if solo else "greedy"
        baselines = {r.agent: r.margin.mean for r in self.results if r.against == measured}
        title = f"PPO against Andrew, {measured}" if solo else f"PPO, self-play of {self.players}"
        other = "Andrew" if solo else "the best other, against greedy"
        panels = (("margin", f"margin over {other} (VP)"), ("win_rate", "win rate"), ("entropy", "entropy (nats)"))
        title += f": {self.progress.steps:,} decisions"
        return {"learning_curve.png": self.curve.picture(title, panels, baselines)}

    def save_in(self, folder: RunFolder) -> None:
        buffer = io.BytesIO()
        self.model.save(buffer)
        network = weights(self.policy, self.config["interface"])
        folder.save({WEIGHTS_FILE: network, MODEL_FILE: buffer.getvalue()}, self.progress, self.curve)

    def resume_command(self) -> str:
        return f'make train-ppo ARGS="{self.resume_options()}"'

    def training_summary(self) -> str:
        training = self.times["training"]
        return (
            f"{self.done:,} decisions, {self.done / training:,.0f}/s: collecting {self.collecting / training:.1%}, "
            f"updates {1 - self.collecting / training:.1%}"
        )

    def play_options(self) -> list[str]:
        options = "--difficulty expert" if self.players == 1 else f"greedy --num-players {self.players}"
        return [f"ppo:{self.folder} {options}"]


# ---------------------------------------------------------------- training
class Trainer(BaseCallback):
    """Between the updates of PPO: the clock, the learning rate, the learning curve, saving."""

    def __init__(self, run: Job) -> None:
        super().__init__()
        self.job = run
        self.session = Session(run, run.given.timesteps)
        self.rollout_started = time.monotonic()
        self.steps_before = run.model.num_timesteps
        self.ended: list[tuple[int, dict[str, Any]]] = []  # environments and infos of games ended since the update
        self.lessons = None if run.teacher is None else Lessons(run, run.teacher)

    def _evaluation_seconds(self) -> float:
        """An estimate for the trained agent's evaluation, from the games so far."""
        run = self.job
        lengths = [length for row in run.curve.rows[-10:] if (length := row["decisions_per_game"]) is not None]
        if not lengths or run.done == 0:
            return 0.0
        return len(run.table.against) * int(run.given.eval_games) * lengths[-1] * run.collecting / run.done

    # ---- called by Stable-Baselines3
    def _on_rollout_start(self) -> None:
        run = self.job
        run.done = self.num_timesteps - self.steps_before
        share = self.session.share(self._evaluation_seconds())
        total_share = self.session.total_share(share)
        if run.done > 0:
            run.curve.rows.append(self._row())
            run.progress.steps = self.num_timesteps
            run.progress.seconds = self.session.total_seconds
            run.progress.share = total_share
            if run.league is not None and len(run.curve.rows) % COPY_EVERY == 0:
                run.league.take(run.policy)
        self.finished = share >= 1
        lasts = run.settings.teacher_share
        left = 1 - total_share / lasts if lasts > 0 else 0.0
        if self.lessons is not None and left > 0:
            self.lessons.learn(run.settings.teacher_rate * left)
            if not self.lessons.answers:
                self.lessons.ask()
        else:
            self.lessons = None
        rate = run.settings.learning_rate * max(1 - total_share, 0.01)
        if self.lessons is not None:
            rate *= run.settings.taught_rate
        run.model.lr_schedule = FloatSchedule(rate)
        self.rollout_started = time.monotonic()
        self.session.save_if_due()

    def _on_step(self) -> bool:
        """After each decision in all games; False ends the training."""
        if self.finished:
            self.model.num_timesteps -= self.training_env.num_envs  # these decisions are not learned from
            return False
        self.ended += [(env, info) for env, info in enumerate(self.locals["infos"]) if info]
        if self.lessons is not None:
            self.lessons.ask()
        return True

    def _on_rollout_end(self) -> None:
        self.job.collecting += time.monotonic() - self.rollout_started
        if self.lessons is not None:
            self.lessons.keep(self.locals["rollout_buffer"])

    def _measured(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores of the learner and of Andrew, or of the best other player in games against the yardstick."""
        league = self.job.league
        measured = [info for env, info in self.ended if league is None or league.is_yardstick(env)]
        own, other = np.array([evaluate.final_scores(info) for info in measured], np.float64).reshape(-1, 2).T
        return own, other

    def _row(self) -> dict[str, float | None]:
        """The learning curve's row for the last update."""
        run, logged = self.job, self.model.logger.name_to_value
        own, other = self._measured()
        lengths = [info["episode"]["l"] for _, info in self.ended]
        games = len(self.ended)
        self.ended = []
        row: dict[str, float | None] = {
            "seconds": self.session.total_seconds,
            "core_hours": self.session.core_hours,
            "steps": self.num_timesteps,
            "games": games,
            "own": own.mean() if len(own) else None,
            "other": other.mean() if len(own) else None,
            "margin": (own - other).mean() if len(own) else None,
            "win_rate": ((own > other) + 0.5 * (own == other)).mean() if len(own) else None,
            "decisions_per_game": float(np.mean(lengths)) if games else None,
            "steps_per_second": run.done / self.session.seconds,
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
        margin = "" if row["margin"] is None else f", margin {row['margin']:.1f}"
        run.display.say(f"training: {self.num_timesteps:,} decisions, {row['steps_per_second']:,.0f}/s{margin}")
        return row


class Lessons:
    """What a teacher would do in the games of a rollout, and the gradient steps towards it before the next one.

    Args:
        run: the training.
        teacher: an agent with values of actions, see :meth:`Agent.judge`.
    """

    def __init__(self, run: Job, teacher: Agent) -> None:
        self.run, self.teacher = run, teacher
        self.optimizer = torch.optim.Adam(run.policy.parameters(), eps=1e-5)
        self.generator = np.random.default_rng([run.config["seed"], run.progress.steps])
        self.answers: list[Tensor] = []  # in this rollout: probabilities (envs, A)
        self.kept: deque[tuple[Tensor, ...]] = deque(maxlen=REMEMBERED)  # observations, masks, answers of rollouts

    def ask(self) -> None:
        """Ask what the teacher would do in all games."""
        values = cast(NDArray[np.float64], self.teacher.judge(self.run.env.batch).values)
        below = torch.from_numpy(values - values.max(axis=1, keepdims=True))
        self.answers.append(torch.softmax(below / self.run.settings.teacher_temperature, dim=1).half())

    def keep(self, rollout: Any) -> None:
        """Keep the positions of a rollout that has ended; the last answer belongs to the next one."""
        seen = torch.from_numpy(rollout.observations).half()
        masks = torch.from_numpy(rollout.action_masks).reshape(*seen.shape[:2], -1).bool()
        self.kept.append(tuple(each.flatten(0, 1) for each in (seen, masks, torch.stack(self.answers[:-1]))))
        del self.answers[:-1]

    def learn(self, rate: float) -> None:
        """Gradient steps of Adam with this learning rate; each decision of the last rollout is used ``epochs`` times on
        average, like those of the rollouts before."""
        if not self.kept:
            return
        settings, policy = self.run.settings, self.run.policy
        self.optimizer.param_groups[0]["lr"] = rate
        for _ in range(max(settings.epochs * settings.steps * settings.envs // TEACHER_MINIBATCH, 1)):
            seen, masks, answers = self.kept[self.generator.integers(len(self.kept))]
            rows = torch.from_numpy(self.generator.integers(0, len(seen), TEACHER_MINIBATCH))
            log_probs, _, _ = policy.outputs(*(each[rows].to(policy.device) for each in (seen, masks)))
            loss = -(answers[rows].to(policy.device) * log_probs).sum(dim=1).mean()
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch has no type for it
            torch.nn.utils.clip_grad_norm_(policy.parameters(), self.run.model.max_grad_norm)
            self.optimizer.step()


class BoardWriter(KVWriter):
    """Writes TensorBoard's files. A full disk does not stop the training; new files begin when there is room again."""

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
    """Suppress tracebacks from TensorBoard's writing thread: :class:`BoardWriter` reports these errors."""
    before = threading.excepthook

    def hook(failure: Any) -> None:
        if not issubclass(failure.exc_type, OSError):
            before(failure)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before


if __name__ == "__main__":
    sys.exit(main(started=STARTED))
