"""Heavy board games as environments for reinforcement learning, search and play: Carnegie and Steel Driver.

Importing this package is quick: games are loaded and compiled on first use.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

if (
    (sys.argv[:1] == ["-m"] and "carnegie_env" in sys.orig_argv)
    or os.path.basename(*sys.argv[:1] or [""]).startswith("carnegie-env")
) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # This is the command: Ctrl-C ends it without a traceback while it imports; cli.main restores the handler.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import gymnasium

from carnegie_env import collection

__version__ = "0.2.0"
__all__ = [
    "Agent", "Batch", "GameRecord", "Options", "Position", "__version__", "carnegie_v0", "games", "load_facts",
    "make_agent", "steel_driver_v0",
]  # fmt: skip

for _package, _namespace, _tables in (
    ("carnegie", "Carnegie", ("Solo", "Versus")),
    ("steel_driver", "SteelDriver", ("Versus",)),
):
    for _table in _tables:
        gymnasium.register(
            f"{_namespace}/{_table}-v0",
            entry_point=f"carnegie_env.{_package}.envs:{_table}Env",
            vector_entry_point=f"carnegie_env.{_package}.envs:{_table}VectorEnv",
        )
for _name in collection.entry_points():
    for _table in ("Solo", "Versus"):  # the game, which is not loaded yet, decides which of them exist
        gymnasium.register(
            f"{_name.title().replace('_', '')}/{_table}-v0",
            entry_point="carnegie_env.envs.registration:make",
            vector_entry_point="carnegie_env.envs.registration:make_vector",
            kwargs={"game": _name, "solo": _table == "Solo"},
        )

if TYPE_CHECKING:  # the public names, for type checkers and editors
    from carnegie_env import carnegie_v0, steel_driver_v0
    from carnegie_env.agents.base import Agent
    from carnegie_env.agents.registry import make_agent
    from carnegie_env.carnegie.game import Batch, GameRecord, Position
    from carnegie_env.carnegie.options import Options
    from carnegie_env.carnegie.tables import load_facts
    from carnegie_env.collection import games
else:  # the same names at run time, imported on first use
    import importlib

    _LAZY = {
        "Agent": "carnegie_env.agents.base",
        "Batch": "carnegie_env.carnegie.game",
        "GameRecord": "carnegie_env.carnegie.game",
        "Options": "carnegie_env.carnegie.options",
        "Position": "carnegie_env.carnegie.game",
        "carnegie_v0": "carnegie_env.carnegie_v0",
        "games": "carnegie_env.collection",
        "load_facts": "carnegie_env.carnegie.tables",
        "make_agent": "carnegie_env.agents.registry",
        "steel_driver_v0": "carnegie_env.steel_driver_v0",
    }

    # Hidden from type checkers, which would accept any name, including misspelt ones.
    def __getattr__(name):
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = importlib.import_module(_LAZY[name])
        value = module if module.__name__ == f"{__name__}.{name}" else getattr(module, name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *_LAZY})
