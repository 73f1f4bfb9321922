"""The board game Carnegie as an environment for reinforcement learning, search and play.

Importing this package is quick: nothing is compiled or loaded before it is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

import gymnasium

__version__ = "0.1.0"

gymnasium.register(
    "Carnegie/Solo-v0",
    entry_point="carnegie_env.envs.solo:SoloEnv",
    vector_entry_point="carnegie_env.envs.vector:SoloVectorEnv",
)

# Public names and the module each comes from, imported at first use (a module stands for itself).
_LAZY: dict[str, str] = {
    "Batch": "carnegie_env.carnegie.game",
    "Options": "carnegie_env.carnegie.options",
    "Position": "carnegie_env.carnegie.position",
    "GameRecord": "carnegie_env.carnegie.position",
    "carnegie_v0": "carnegie_env.carnegie_v0",
    "load_facts": "carnegie_env.carnegie.tables",
}

__all__ = ["__version__", *_LAZY]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_LAZY[name])
    value = module if module.__name__ == f"{__name__}.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
