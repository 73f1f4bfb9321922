"""The parts that the short baselines share (ppo_single.py, dqn.py): command line, games, network, run folder.

The run folder has config.json, learning_curve.csv (win share and margin of the games in training), weights.safetensors,
which `ppo:RUN` plays, and state.pt, from which the same command continues.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from carnegie_env import Batch
from carnegie_env.agents.configuration import CONFIG_FILE, read_object
from carnegie_env.agents.learned import interface
from carnegie_env.agents.policy import weights
from carnegie_env.agents.value import LARGEST_UNITS, WEIGHTS_FILE
from carnegie_env.carnegie.tables import DIFFICULTIES
from carnegie_env.cli.parser import Parser
from carnegie_env.core import files
from carnegie_env.core.arguments import check_least
from carnegie_env.core.validation import MOST_THREADS, error_text, number_of_threads, whole_number
from carnegie_env.core.versions import versions
from carnegie_env.envs.sb3 import GameVecEnv
from training.evaluate import final_scores, first_seed
from training.job import check_core_hours, check_seed, interrupted_by_sigterm
from training.run_folder import CURVE_FILE, LearningCurve, check_same, locked

STATE_FILE = "state.pt"
COLUMNS = ("seconds", "core_hours", "steps", "games", "margin", "win_rate")
SAVE_EVERY = 60.0  # seconds


class Net(nn.Module):
    """Outputs for the actions, and a value, after a shared wide layer; its parts are named as in the PPO agent."""

    def __init__(self, features: int, actions: int, width: int) -> None:
        super().__init__()
        self.features_extractor = nn.ModuleDict({"layer": nn.Sequential(nn.Linear(features, width), nn.ReLU())})
        hidden = {name: nn.Sequential(nn.Linear(width, width), nn.ReLU()) for name in ("policy_net", "value_net")}
        self.mlp_extractor = nn.ModuleDict(hidden)
        self.action_net, self.value_net = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs for the actions (N, A), and values (N,)."""
        actor, critic = self._hidden(observations, "policy_net", "value_net")
        return self.action_net(actor), self.value_net(critic).squeeze(1)

    def ratings(self, observations: Tensor) -> Tensor:
        """Outputs for the actions (N, A)."""
        (actor,) = self._hidden(observations, "policy_net")
        return cast(Tensor, self.action_net(actor))

    def ratings_of(self, observations: Tensor, actions: Tensor) -> Tensor:
        """The output (N,) for one action (N,) of each observation (N, F), without computing the others."""
        (actor,) = self._hidden(observations, "policy_net")
        weights = functional.embedding(actions, self.action_net.weight)
        return (actor * weights).sum(dim=1) + self.action_net.bias[actions]

    def _hidden(self, observations: Tensor, *names: str) -> list[Tensor]:
        """The last hidden layers (N, width), in bfloat16 for speed, as in :mod:`carnegie_env.agents.policy`."""
        with torch.autocast("cpu", torch.bfloat16):
            shared = self.features_extractor["layer"](observations)
            return [self.mlp_extractor[name](shared).float() for name in names]


def command(
    name: str,
    text: str,
    rate: float,
    train: Callable[[Run], None],
    arguments: Sequence[str] | None = None,
    *,
    steps: int = 1,
) -> int:
    """Run the command of a baseline; returns the exit status.

    Args:
        name, text: of its module, and a description.
        rate: learning rate of Adam.
        train: trains until the run's ``share`` is 1.
        arguments: None: those of the command line.
        steps: decisions in each game that it plays at once; a training has as many of these as fit into `--decisions`.
    """
    parser = Parser(prog=f"python -m training.{name}", description=text)
    add = parser.add_argument
    add("--num-players", type=int, default=1, choices=range(1, 5), help="1 (the default): against Andrew")
    add("--difficulty", default=None, choices=DIFFICULTIES, help="Andrew's (default: normal)")
    text = "agent on the other seats, with 2 to 4 players (default: %(default)s)"
    add("--opponents", default="greedy", metavar="AGENT", help=text)
    budget = parser.add_mutually_exclusive_group()
    text = "train for at most this number of decisions (default: %(default)s)"
    budget.add_argument("--decisions", type=int, default=1_000_000, metavar="N", help=text)
    budget.add_argument("--core-hours", type=float, metavar="H", help="train for this processor time instead")
    add("--seed", type=int, default=0, metavar="N", help="seed of the network and the games (default: %(default)s)")
    add("--envs", type=int, default=64, metavar="N", help="parallel games (default: %(default)s)")
    add("--threads", type=int, default=number_of_threads(None), metavar="N", help="default: one per core")
    add("--width", type=int, default=256, metavar="N", help="units of each hidden layer (default: %(default)s)")
    add("--run-dir", required=True, metavar="DIR", help="run folder; the command continues a run that it contains")
    given = parser.parse_args(arguments)
    with contextlib.ExitStack() as held:
        try:
            run = Run(given, name.replace("_", "-"), rate, steps, held)
        except (OSError, ValueError) as error:
            parser.error(error_text(error))
        interrupted = False
        try:
            with interrupted_by_sigterm():
                train(run)
        except KeyboardInterrupt:
            interrupted = True
        try:
            run.save()
        except OSError as error:
            print(f"NOT SAVED: {error_text(error)}. All progress since the last save is LOST.", file=sys.stderr)
            return 1
        print(run.report())
    if interrupted:
        print(f"Interrupted; saved in {run.folder}. The same command continues.")
    return 130 if interrupted else 0


class Run:
    """A training: its games, network, optimizer, clock and files.

    Args:
        given: the arguments of :func:`command`.
        method: the name of the method.
        rate: learning rate of Adam.
        steps: decisions in each game that are played at once.
        held: gets the lock on the run folder.

    Attributes:
        env: the games; the reward is the change of the margin, in units of a clear lead (``Game.dense_unit``).
        net, optimizer: the network and its optimizer.
        steps: decisions so far.
    """

    def __init__(
        self, given: argparse.Namespace, method: str, rate: float, steps: int, held: contextlib.ExitStack
    ) -> None:
        check_seed(given)
        check_least(given, envs=1)
        whole_number("--threads", given.threads, 1, MOST_THREADS)
        whole_number("--width", given.width, 1, LARGEST_UNITS)
        if given.core_hours is None:
            check_least(given, decisions=steps * given.envs)
        self._budget = given.decisions // (steps * given.envs) * steps * given.envs
        check_core_hours(given.core_hours)
        if given.num_players > 1 and given.difficulty is not None:
            raise ValueError("--difficulty is for games against Andrew, with --num-players 1")
        torch.set_num_threads(given.threads)
        torch.manual_seed(given.seed)
        options: dict[str, Any] = {"num_players": given.num_players}
        options |= {"difficulty": given.difficulty or "normal"} if given.num_players == 1 else {}
        self.given, self.folder = given, Path(given.run_dir)
        self.interface = interface(Batch(1, **options))
        self.net = Net(self.interface["features"], self.interface["actions"], given.width)
        self.optimizer = torch.optim.Adam(self.net.parameters(), rate, eps=1e-5, fused=True)
        self.curve = LearningCurve(COLUMNS)
        self.steps, self._before, self._seconds_before = 0, 0.0, 0.0
        self.config = {
            "method": method, "options": options, "opponents": given.opponents if given.num_players > 1 else None,
            "seed": given.seed, "settings": {"width": given.width}, "interface": self.interface,
            "versions": versions("torch", "safetensors"),
        }  # fmt: skip
        if self.folder.is_file():
            raise ValueError(f"{self.folder} is a file; a run needs a folder")
        config = self.folder / CONFIG_FILE
        if continues := config.exists():
            self._check_held = held.enter_context(locked(self.folder))
            files.finish(self.folder)  # a save that a killed process left unfinished
            files.remove_leftovers(self.folder)
            self._continue(read_object(config))
        others = {} if given.num_players == 1 else {"opponents": given.opponents}
        self.env = GameVecEnv(
            given.envs,
            reward="dense_margin",
            num_threads=given.threads,
            seed=first_seed(given.seed, self.steps),
            **options,
            **others,
        )
        if not continues:  # not before the games are made: a refused command must not leave a run
            self.folder.mkdir(parents=True, exist_ok=True)
            self._check_held = held.enter_context(locked(self.folder))
            files.remove_leftovers(self.folder)
            if any(self.folder.iterdir()):
                raise ValueError(f"{self.folder} was not empty, and a new run needs a folder of its own")
            files.write_whole(config, json.dumps(self.config, indent=1) + "\n")
        self._ended: list[dict[str, Any]] = []
        self._started = self._saved = time.monotonic()
        self._processor = time.process_time()

    def _continue(self, found: dict[str, Any]) -> None:
        """Continue the run in the folder, which has the configuration ``found``."""
        names = ("method", "options", "opponents", "seed", "settings", "interface")
        check_same(self.folder, {"method": "value", **found}, self.config, names)
        state = self.folder / STATE_FILE
        if state.exists():
            try:
                saved = torch.load(state, weights_only=True)
                self.net.load_state_dict(saved["net"])
                self.optimizer.load_state_dict(saved["optimizer"])
                self.steps = saved["steps"]
            except Exception as error:  # PyTorch raises many kinds
                raise ValueError(f"{state} is damaged: train in another folder") from error
            self.curve = LearningCurve.load(self.folder / CURVE_FILE, COLUMNS, self.steps)
            last = self.curve.rows[-1]
            self._before, self._seconds_before = cast(float, last["core_hours"]), cast(float, last["seconds"])

    # ---- the clock
    @property
    def core_hours(self) -> float:
        return self._before + (time.process_time() - self._processor) / 3600

    @property
    def share(self) -> float:
        """Of the training that is done, 0 to 1."""
        if self.given.core_hours is not None:
            return min(self.core_hours / float(self.given.core_hours), 1.0)
        return min(self.steps / float(self._budget), 1.0)

    # ---- playing
    def masks(self) -> NDArray[np.bool_]:
        """The legal actions of all games, (envs, A)."""
        return self.env.action_masks().astype(bool)

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """Play: observations (envs, F), rewards (envs,), ends (envs,)."""
        self.env.step_async(actions)
        observations, rewards, ended, infos = self.env.step_wait()
        self.steps += len(actions)
        self._ended += [info for info in infos if info]
        return cast(NDArray[np.float32], observations), rewards, ended

    # ---- files
    def log(self) -> None:
        """Add a row to the learning curve; save from time to time."""
        self._add_row()
        if time.monotonic() - self._saved > SAVE_EVERY:
            self._saved = time.monotonic()
            try:
                self.save()
            except OSError as error:
                print(f"NOT SAVED: {error_text(error)}. Training continues and will try again.", file=sys.stderr)

    def _add_row(self) -> None:
        margins = np.array([own - other for own, other in map(final_scores, self._ended)])
        won = (margins > 0) + 0.5 * (margins == 0)
        means = [float(each.mean()) if len(each) else None for each in (margins, won)]
        seconds = self._seconds_before + time.monotonic() - self._started
        row = (seconds, self.core_hours, self.steps, len(margins), *means)
        self.curve.rows.append(dict(zip(COLUMNS, row, strict=True)))
        self._ended = []

    def save(self) -> None:
        """Save everything that a continued run needs, with a learning curve up to now."""
        if self.steps == 0:
            return
        if not self.curve.rows or self.curve.rows[-1]["steps"] != self.steps:
            self._add_row()
        state = io.BytesIO()
        saved = {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict(), "steps": self.steps}
        torch.save(saved, state)
        self._check_held()
        made = {WEIGHTS_FILE: weights(self.net, self.interface), STATE_FILE: state.getvalue()}
        files.write_together(self.folder, {**made, CURVE_FILE: self.curve.to_csv()})

    def report(self) -> str:
        """The last tenth of the learning curve, in a line."""
        rows = [row for row in self.curve.rows[-max(len(self.curve.rows) // 10, 1) :] if row["games"]]
        games = sum(row["games"] or 0 for row in rows)
        wins = sum((row["win_rate"] or 0) * (row["games"] or 0) for row in rows) / max(games, 1)
        margin = sum((row["margin"] or 0) * (row["games"] or 0) for row in rows) / max(games, 1)
        return (
            f"{self.steps:,} decisions, {self.core_hours:.3g} core-hours; the last {games:.0f} games of the training: "
            f"win share {wins:.1%}, margin {margin:+.1f}; play with ppo:{self.folder}"
        )
