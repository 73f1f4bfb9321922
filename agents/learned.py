"""The PPO agent: the network of `python -m training.ppo`, or of another trainer that writes the same file.

The file is a safetensors file, which contains only numbers and the meaning of the inputs and outputs. It may come from
an untrusted source: it is checked, and nothing in it is executed. The model's zip file in the same folder is a pickle,
which can run any code; it is read only to resume your own run.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import tensors
from carnegie_env.agents.base import Agent
from carnegie_env.agents.network import Floats, Weights
from carnegie_env.agents.value import FOLDER, LARGEST_WEIGHT, WEIGHTS_FILE, digest
from carnegie_env.core.batch import Batch
from carnegie_env.core.game import Game

MODEL_FILE = "model.zip"  # in a run folder
PACKAGED = FOLDER / "ppo"
TENSORS = tuple(
    f"{layer}.{part}"
    for layer in ("features_extractor.layer.0", "mlp_extractor.policy_net.0", "action_net")
    for part in ("weight", "bias")
)
CRITIC = ("mlp_extractor.value_net.0.", "value_net.")  # in files of earlier versions
INTERFACE = ("features", "layout", "actions", "catalogue")


def interface(batch: Batch[Any]) -> dict[str, Any]:
    """The numbers of a model's inputs and outputs, and digests of their names.

    It is part of a run's configuration and of the network's file, so that a model never gets observations with another
    layout.
    """
    layout = batch.observation_layout
    return {
        "features": layout.size,
        "layout": _digest(layout.labels),
        "actions": batch.num_actions,
        "catalogue": _digest(batch.game.texts[: batch.num_actions]),
    }


def _digest(names: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


class Actor(NamedTuple):
    """A network, the :func:`interface` of the games that it is for, as texts, and its file or another description."""

    net: Weights  # ``last`` has a row for each action
    trained_for: dict[str, str]
    source: str

    @property
    def table(self) -> str:
        """Of a network of the package: the game and the number of players, such as `carnegie-2`."""
        return Path(self.source).stem

    def logits(self, observations: Floats) -> Floats:
        """Observations, float32 (N, F) -> logits of all actions, float32 (N, A)."""
        units = np.maximum(observations @ self.net.first + self.net.first_bias, 0)
        units = np.maximum(units @ self.net.second.T + self.net.second_bias, 0)
        found: Floats = units @ self.net.last.T + self.net.last_bias
        return found


class PPOAgent(Agent):
    """Takes the most probable action of a trained network.

    Args:
        path: a run folder, or the weights in one; empty: the package's networks.
        seed: ignored; the choice is not random.

    Raises:
        ValueError: the file is missing or damaged, or would have to be unpickled.
    """

    side_by_side = True

    def __init__(self, path: str = "", seed: int = 0) -> None:
        self.name = f"ppo:{path}" if path else "ppo"
        self._all = (read(file_of(path)),) if path else packaged()
        self.version = digest(each.net for each in self._all)
        self.games = None if path else tuple(sorted({each.table.rpartition("-")[0] for each in self._all}))
        self._last: tuple[Game, Any, Actor] | None = None

    @classmethod
    def of(cls, actor: Actor, name: str = "trained") -> PPOAgent:
        """An agent from a network in memory."""
        agent = object.__new__(cls)
        agent.name, agent._all, agent._last = name, (actor,), None
        return agent

    def check_plays(self, game: Game, options: Any) -> None:
        """Raise a ValueError for a game without a network."""
        super().check_plays(game, options)
        self.actor(game.batch_class(1, num_threads=1, **options.to_dict()))

    def actor(self, batch: Batch[Any]) -> Actor:
        """The network for a batch; a ValueError if its observations or actions differ from all networks'."""
        last = self._last  # another thread may replace it
        if last is None or last[:2] != (batch.game, batch.options):
            last = self._last = batch.game, batch.options, self._for(batch)
        return last[2]

    def _for(self, batch: Batch[Any]) -> Actor:
        offered = {name: str(value) for name, value in interface(batch).items()}
        for each in self._all:
            if each.trained_for == offered:
                return each
        if len(self._all) > 1:
            known = ", ".join(each.table for each in self._all)
            chosen = batch.options.to_dict().items()
            given = ", ".join(f"{name}={value}" for name, value in chosen if value not in (None, False))
            raise ValueError(
                f"ppo has no network for {batch.game.name} with {given}; its networks, by game and players, are {known}"
            )
        wanted = self._all[0].trained_for
        different = ", ".join(name for name in wanted if wanted[name] != offered[name])
        raise ValueError(
            f"{self._all[0].source} was trained for {wanted['features']} features and {wanted['actions']} actions, but "
            f"this game of {batch.options.num_players} player(s) has {offered['features']} and {offered['actions']} "
            f"(different: {different}): use the options of its training"
        )

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        logits = self.actor(batch).logits(batch.observe())
        best: NDArray[np.int64] = np.where(batch.action_masks(), logits, -np.inf).argmax(axis=1)
        return best


# ---------------------------------------------------------------- weights in files
@functools.cache
def packaged() -> tuple[Actor, ...]:
    """The package's networks, read on first use."""
    return tuple(read(file) for file in sorted(PACKAGED.glob("*.safetensors")))


def file_of(path: str) -> Path:
    """The file of a network, from its own path or the run folder's."""
    file = Path(path)
    if file.name == MODEL_FILE and not file.is_dir():
        raise ValueError(
            f"{file} is not opened: a {MODEL_FILE} is a pickle, which can run any code. Give the run's folder, or "
            f"its {WEIGHTS_FILE}, which contains only numbers"
        )
    return file / WEIGHTS_FILE if file.is_dir() else file


def read(file: Path) -> Actor:
    """Read a network of float32 or float16; a ValueError if the file is missing, damaged or not such a network."""

    def refuse(wrong: str) -> ValueError:
        return ValueError(f"{file} is not a network of the agent ppo: {wrong}")

    if not file.is_file():
        raise ValueError(f"no trained model at {file}: give a run folder of PPO, or its {WEIGHTS_FILE}")
    arrays, said = tensors.read(file)
    if set(arrays) == set(Weights._fields):
        raise refuse(f"it is from value learning (`make train`); use value:{file}")
    if missing := set(TENSORS) - set(arrays):
        raise refuse(f"these tensors are missing: {', '.join(sorted(missing))}")
    if others := [name for name in arrays if name not in TENSORS and not name.startswith(CRITIC)]:
        raise refuse(f"unexpected tensors: {str(sorted(others))[:200]}")
    trained_for = {name: said.get(name, "") for name in INTERFACE}
    first, first_bias, second, second_bias, last, last_bias = (
        _floats(arrays[name], f"{file}: {name}") for name in TENSORS
    )
    width, size = first_bias.size, second_bias.size
    shapes = [(width, first.shape[-1]), (width,), (size, width), (size,), (last_bias.size, size), (last_bias.size,)]
    if [arrays[name].shape for name in TENSORS] != shapes:
        raise refuse(f"its layers have inconsistent shapes: {[arrays[name].shape for name in TENSORS]}")
    stated = [trained_for["features"], trained_for["actions"]]
    if stated != [str(first.shape[1]), str(last_bias.size)] or not all(trained_for.values()):
        raise refuse(
            f"it has {first.shape[1]} features and {last_bias.size} actions, but its header says "
            f"{str(trained_for)[:200]}"
        )
    net = Weights(np.ascontiguousarray(first.T), first_bias, second, second_bias, last, last_bias)
    return Actor(net, trained_for, str(file))


def _floats(array: NDArray[Any], name: str) -> Floats:
    if array.dtype not in (np.float16, np.float32):
        raise ValueError(f"{name} must be float32 or float16, not {array.dtype}")
    values = np.ascontiguousarray(array, np.float32)
    if not (np.abs(values) <= LARGEST_WEIGHT).all():
        raise ValueError(f"{name} has values that are NaN or beyond {LARGEST_WEIGHT:g}")
    return values
