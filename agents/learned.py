"""The PPO agent: the network in a run folder of `python -m training.ppo`. Needs `.[train]`.

The weights are a safetensors file, which contains only numbers, and the configuration is JSON. Both may come from an
untrusted source: they are checked, and nothing in them is executed. The model's zip file in the same folder is a
pickle, which can run any code; it is read only to resume your own run.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from safetensors.torch import save
from sb3_contrib import MaskablePPO
from torch import Tensor, nn

from carnegie_env.agents import network, tensors
from carnegie_env.agents.base import Agent
from carnegie_env.agents.configuration import CONFIG_FILE, read_object
from carnegie_env.agents.policy import Policy
from carnegie_env.core.batch import Batch

WEIGHTS_FILE = "weights.safetensors"  # in a run folder
MODEL_FILE = "model.zip"
LARGEST = {"features": 100_000, "actions": 100_000, "width": 16_384}  # so that no file can claim too much memory
SHARED = ("pi_features_extractor.", "vf_features_extractor.")  # the library's other names for features_extractor


def interface(batch: Batch[Any]) -> dict[str, Any]:
    """The numbers of a model's inputs and outputs, and digests of their names.

    It is part of a run's configuration, so that a model never gets observations with another layout.
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


class PPOAgent(Agent):
    """Takes the most probable action of a trained network.

    Args:
        path: a run folder, or the weights in one; the configuration is in the same folder.
        seed: ignored; the choice is not random.

    Raises:
        ValueError: the file is missing or damaged, does not fit its configuration, or would have to be unpickled.
    """

    side_by_side = True

    def __init__(self, path: str, seed: int = 0) -> None:
        file = Path(path)
        if file.name == MODEL_FILE and not file.is_dir():
            raise ValueError(
                f"{file} is not opened: a {MODEL_FILE} is a pickle, which can run any code. Give the run's folder, or "
                f"its {WEIGHTS_FILE}, which contains only numbers"
            )
        if not file.exists():
            raise ValueError(f"no trained model at {file}: give a run folder of PPO, or its {WEIGHTS_FILE}")
        if file.is_dir():
            file = file / WEIGHTS_FILE
        self.name = f"ppo:{path}"
        self.source = file
        width, self.trained_for = read_network(file.parent / CONFIG_FILE)
        self.policy = load_policy(file, width, self.trained_for)

    @classmethod
    def of(cls, model: MaskablePPO, trained_for: dict[str, Any], name: str = "trained") -> PPOAgent:
        """An agent from a model in memory and its :func:`interface`."""
        agent = object.__new__(cls)
        agent.name, agent.source = name, Path(name)
        agent.policy = cast(Policy, model.policy)
        agent.trained_for = trained_for
        return agent

    def check(self, batch: Batch[Any]) -> None:
        """Raise a ValueError for games whose observations or actions differ from the model's."""
        offered, wanted = interface(batch), self.trained_for
        if different := [name for name in wanted if wanted[name] != offered[name]]:
            raise ValueError(
                f"{self.source} was trained for {wanted['features']} features and {wanted['actions']} actions, "
                f"but this game of {batch.options.num_players} player(s) has {offered['features']} and "
                f"{offered['actions']} (different: {', '.join(different)}): use the options of its training"
            )

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        self.check(batch)
        with torch.no_grad():
            masks = batch.action_masks()
            actions, _ = self.policy.predict(batch.observe(), action_masks=masks, deterministic=True)
        return actions.astype(np.int64)

    def numbers(self) -> network.Weights:
        """The actor for compiled loops, float32; ``last`` has a row for each action."""
        linear = [each for each in self.policy.actor().modules() if isinstance(each, nn.Linear)]
        layers = [(each.weight.cpu().numpy(), each.bias.cpu().numpy()) for each in linear]
        (first, first_bias), (second, second_bias), (last, last_bias) = layers
        return network.Weights(np.ascontiguousarray(first.T), first_bias, second, second_bias, last, last_bias)


# ---------------------------------------------------------------- weights in files
def weights(policy: Policy, trained_for: dict[str, Any]) -> bytes:
    """The network as a safetensors file, with the :func:`interface` in its header."""
    numbers = {name: tensor.cpu().contiguous() for name, tensor in _own_tensors(policy).items()}
    content: bytes = save(numbers, {"format": "pt", **{name: str(value) for name, value in trained_for.items()}})
    return content


def _own_tensors(policy: Policy) -> dict[str, Tensor]:
    return {name: tensor for name, tensor in policy.state_dict().items() if not name.startswith(SHARED)}


def load_policy(file: Path, width: int, trained_for: dict[str, Any]) -> Policy:
    """The network of a safetensors file with layers of ``width`` units; a ValueError if its tensors do not fit."""
    if not file.is_file():
        raise ValueError(f"no trained model at {file}: give a run folder of PPO, or its {WEIGHTS_FILE}")
    least = 4 * width * (trained_for["features"] + 2 * width + trained_for["actions"])
    if (size := os.path.getsize(file)) < least:  # before allocating memory for the network
        raise ValueError(
            f"{file} has {size} bytes, but the network in {CONFIG_FILE} needs at least {least}: it is "
            "truncated or of another run"
        )
    policy = Policy(
        spaces.Box(-np.inf, np.inf, (trained_for["features"],), np.float32),
        spaces.Discrete(trained_for["actions"]),
        lambda _: 0.0,
        width=width,
    )
    wanted = _own_tensors(policy)
    found = _read_weights(file, wanted, trained_for)
    with torch.no_grad():
        for name, tensor in wanted.items():
            tensor.copy_(found[name])  # the state's tensors are the network's own
    policy.set_training_mode(False)
    return policy


def _read_weights(file: Path, wanted: dict[str, Tensor], trained_for: dict[str, Any]) -> dict[str, Tensor]:
    """Read the tensors of a file; their names and shapes must be the wanted ones, their values finite float32."""

    def refuse(wrong: str) -> ValueError:
        return ValueError(f"{file} does not contain the weights of the network in {CONFIG_FILE}: {wrong}")

    most = sum(4 * tensor.numel() for tensor in wanted.values()) + tensors.LARGEST_HEADER
    try:
        found, said = tensors.read(file, most)
    except FileNotFoundError as error:
        raise refuse(str(error)) from None
    for name, value in trained_for.items():
        if said.get(name) != str(value):
            raise refuse(f"its {name} is {str(said.get(name))[:40]!r}, the configuration's is {value!r}")
    if names := set(found) ^ set(wanted):
        listed = str(sorted(names))[:200]
        raise refuse(f"the tensors must be {', '.join(wanted)}; missing or unexpected: {listed}")
    for name, tensor in wanted.items():
        if found[name].dtype != np.float32 or found[name].shape != tuple(tensor.shape):
            has = f"{found[name].dtype} {list(found[name].shape)}"
            raise refuse(f"{name} must be float32 {list(tensor.shape)}, not {has[:80]}")
        if not np.isfinite(found[name]).all():
            raise refuse(f"{name} has values that are not finite")
    return {name: torch.from_numpy(values) for name, values in found.items()}


# ---------------------------------------------------------------- the configuration
def read_network(file: Path) -> tuple[int, dict[str, Any]]:
    """Read the width and the interface of a run's network; a ValueError if the configuration lacks them."""
    try:
        config = read_object(file)
    except FileNotFoundError:
        raise ValueError(f"no trained model at {file.parent}: there is no {file.name}") from None
    return network_of(config, file)


def network_of(config: dict[str, Any], file: Path) -> tuple[int, dict[str, Any]]:
    """The width and the interface in a configuration that was read from ``file``."""
    settings, meant = config.get("settings"), config.get("interface")
    if "interface" not in config and "inputs" in config:
        raise ValueError(f"{file} is from a run of value learning (`make train`): use value:{file.parent}")
    if not isinstance(settings, dict) or not isinstance(meant, dict):
        raise ValueError(f"{file} is damaged: 'settings' and 'interface' must be objects")
    sizes = {"settings.width": settings.get("width")}
    sizes |= {f"interface.{name}": meant.get(name) for name in ("features", "actions")}
    for name, size in sizes.items():
        most = LARGEST[name.partition(".")[2]]
        if type(size) is not int or not 1 <= size <= most:
            raise ValueError(f"{file} is damaged: {name} must be a whole number from 1 to {most}, not {size!r:.40}")
    digests = [meant.get(name) for name in ("layout", "catalogue")]
    if set(meant) != {"features", "layout", "actions", "catalogue"} or not all(isinstance(d, str) for d in digests):
        raise ValueError(f"{file} is damaged: 'interface' must have features, layout, actions and catalogue")
    return settings["width"], meant
