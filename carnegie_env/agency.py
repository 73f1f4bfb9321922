"""Where the agents are: `carnegie_env.agents` in an installed copy, the folder `agents` beside it in a checkout.

They are one set of files, whose top-level name belongs to another distribution, so the wheel has them inside this
package. All of the library that needs agents asks here, and a process never loads both copies.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

PACKAGE = Path(__file__).resolve().parent
INSTALLED = f"{__package__}.agents"
BESIDE = "agents"


class Player(Protocol):
    """What an environment asks of an opponent."""

    def act_batch(self, batch: Any, rows: ArrayLike | None = None, /) -> NDArray[np.int64]:
        """Actions for these rows of a batch (None: all), int64; -1 where the game is over."""


class Agent(Player, Protocol):
    """What the library asks of an agent; the class `Agent` in `base.py` of the agents offers it.

    Attributes:
        name: what tables call it.
    """

    name: str

    def check_plays(self, game: Any, /) -> None:
        """Refuse, with a ValueError, a game that the agent does not play."""

    def act(self, position: Any, /) -> int:
        """The number of an action for one position of a game that is not over."""

    def rate(self, position: Any, /) -> list[tuple[int, float]] | None:
        """The legal actions and what the agent expects of each, best first; None if it doesn't say."""


def make_agent(name: str, seed: int = 0) -> Agent:
    """Make an agent from its name: `greedy`, `random`, or another that :func:`agent_names` lists.

    Args:
        name: the name; behind a colon what that agent is told, as in `ppo:FOLDER`.
        seed: of its own random choices.

    Raises:
        ValueError: an unknown name, or what is behind the colon is of no use to that agent.
        ModuleNotFoundError: there are no agents, or a library is missing that this one needs.
    """
    agent: Agent = registry().make(name, seed=seed)
    return agent


def agent_names() -> str:
    """What :func:`make_agent` takes, for help texts and messages."""
    return str(registry().names())


def registry() -> ModuleType:
    """The agents' module `registry`, whose `make(name, seed)` makes one; see :func:`package` for the error."""
    return importlib.import_module(f"{package().__name__}.registry")


def call(module: str, function: str, *arguments: Any) -> Any:
    """Call a function of a module of the agents: for processes that are spawned, which can't find the agents before.

    Args:
        module: its name among the agents, as in "arena.worker".
        function: its name there.
        *arguments: of the function. No objects of the agents' classes: those can't be unpickled before this is called.
    """
    return getattr(importlib.import_module(f"{package().__name__}.{module}"), function)(*arguments)


def package() -> ModuleType:
    """The agents' package, loaded from where it is; always the same one in a process.

    Raises:
        ModuleNotFoundError: it is in neither place.
    """
    if (PACKAGE / "agents" / "__init__.py").is_file():
        return importlib.import_module(INSTALLED)
    folder = PACKAGE.parent / BESIDE
    if not (folder / "__init__.py").is_file():
        raise ModuleNotFoundError(
            f"there are no agents: neither {PACKAGE / 'agents'}, where the wheel has them, nor {folder}, where a "
            "checkout has them. Install carnegie_env again",
            name=INSTALLED,
        )
    if INSTALLED not in sys.modules and _is_at(BESIDE, folder):
        return importlib.import_module(BESIDE)
    return _loaded_as_ours(folder)


def _is_at(name: str, folder: Path) -> bool:
    """Whether a top-level package of this name is found, and in this folder."""
    loaded = sys.modules.get(name)
    try:
        spec = loaded.__spec__ if loaded is not None else importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    origin = None if spec is None else spec.origin
    return origin is not None and Path(origin).resolve() == (folder / "__init__.py").resolve()


def _loaded_as_ours(folder: Path) -> ModuleType:
    """The checkout's package where another distribution's is found by its name, or nothing: by the installed name."""
    if INSTALLED not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            INSTALLED, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        if spec is None or spec.loader is None:
            raise ModuleNotFoundError(f"the agents in {folder} can't be loaded", name=INSTALLED)
        module = importlib.util.module_from_spec(spec)
        sys.modules[INSTALLED] = module
        spec.loader.exec_module(module)
    return sys.modules[INSTALLED]
