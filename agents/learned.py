"""The learned agent: a MaskablePPO model that `python -m training.train` left in a run folder. Needs `.[train]`."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from agents.base import Agent
from carnegie_env import Batch
from carnegie_env.carnegie.actions import TEXTS

MODEL_FILE = "model.zip"  # in a run folder
CONFIG_FILE = "config.json"


def interface(batch: Batch) -> dict[str, Any]:
    """What a model's inputs and outputs mean: their numbers, and a digest of all their names.

    A run keeps this in its configuration, so that a model is never fed an observation of another layout.
    """
    layout = batch.observation_layout
    return {
        "features": layout.size,
        "layout": _digest(layout.labels),
        "actions": batch.num_actions,
        "catalogue": _digest(TEXTS[: batch.num_actions]),
    }


def _digest(names: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


class PPOAgent(Agent):
    """Takes the most probable action of a trained network.

    Args:
        path: a run folder, or a model's zip file; the configuration beside it is checked when it is there.
        seed: not used, the choice is not random.

    Raises:
        ValueError: no such file, not a model, or one for other observations or actions.
    """

    def __init__(self, path: str, seed: int = 0) -> None:
        file = Path(path)
        if file.is_dir():
            file = file / MODEL_FILE
        if not file.is_file():
            raise ValueError(f"no trained model at {file}: give a run folder that training left, or its {MODEL_FILE}")
        self.name = f"ppo:{path}"
        self.source = file
        self.model = _load(file)
        self.trained_for = _read_interface(file.parent / CONFIG_FILE)

    @classmethod
    def of(cls, model: MaskablePPO, name: str = "trained") -> PPOAgent:
        """The agent of a model that is in memory."""
        agent = object.__new__(cls)
        agent.name, agent.source, agent.model, agent.trained_for = name, Path(name), model, {}
        return agent

    def check(self, batch: Batch) -> None:
        """Refuse, with a ValueError, games whose observations or actions are not those the model was trained for."""
        offered = interface(batch)
        wanted = self.trained_for or {
            "features": self.model.observation_space.shape[0],  # type: ignore[index]
            "actions": int(self.model.action_space.n),  # type: ignore[attr-defined]
        }
        for what, value in wanted.items():
            if value != offered[what]:
                raise ValueError(
                    f"{self.source} was trained for {wanted['features']} features and {wanted['actions']} actions, "
                    f"but this game of {batch.options.num_players} player(s) has {offered['features']} and "
                    f"{offered['actions']} (different: {what}): play the solo game with it, or train again"
                )

    def choose(self, batch: Batch) -> NDArray[np.int64]:
        """See :meth:`Agent.choose`."""
        self.check(batch)
        with torch.no_grad():
            actions, _ = self.model.predict(batch.observe(), action_masks=batch.action_masks(), deterministic=True)
        return actions.astype(np.int64)


def _load(file: Path) -> MaskablePPO:
    try:
        return MaskablePPO.load(file, device="cpu")
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, RuntimeError, AttributeError) as error:
        raise ValueError(f"{file} is not a MaskablePPO model this version can read: {error}") from error


def _read_interface(file: Path) -> dict[str, Any]:
    """The ``interface`` of a run's configuration, {} if there is no configuration."""
    try:
        interface: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["interface"]
        return interface
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{file} is not the configuration of a run: {error!r}") from error
