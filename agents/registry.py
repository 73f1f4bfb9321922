"""Agents by name: `random`, `greedy`, `value`, `search:ms=50`, `ppo:RUN` (a folder of training), and your own as
`module:Class`.

An agent's module (torch, its weights) is loaded when the agent is made. To add one, add its line to :data:`AGENTS`.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from types import ModuleType

from carnegie_env.agents.arguments import Arguments
from carnegie_env.agents.base import Agent

Factory = Callable[[str, int], Agent]  # the text behind the colon, "" if there is none; the seed


@dataclasses.dataclass(frozen=True)
class Entry:
    """The location of an agent, and its arguments.

    Args:
        text: a short description.
        module: of this package.
        factory: name of the factory there: a :data:`Factory` for an agent with arguments, else seed -> agent.
        arguments: as help texts show them, such as "PATH"; None: it takes none.
        optional: whether they may be left out.
    """

    text: str
    module: str
    factory: str
    arguments: str | None = None
    optional: bool = False

    def usage(self, name: str) -> str:
        """How it is named, as in `ppo:PATH`."""
        if self.arguments is None:
            return name
        return f"{name}[:{self.arguments}]" if self.optional else f"{name}:{self.arguments}"


AGENTS = {
    "random": Entry("any legal action, all equally likely", "random_agent", "RandomAgent"),
    "greedy": Entry("what looks best at once, by rules of thumb", "greedy", "GreedyAgent"),
    "value": Entry(
        "the action after which a neural network expects most", "value", "ValueAgent", "draws=N|PATH", optional=True
    ),
    "search": Entry(
        "tries the network's best actions in games played on; stronger with more time",
        "search",
        "SearchAgent",
        "ms=N|evals=N|threads=N|...",
        optional=True,
    ),
    "ppo": Entry("the network of a training run", "learned", "PPOAgent", "PATH"),
}


def names() -> str:
    """The names that :func:`make_agent` takes, for help texts and messages."""
    return ", ".join([*(entry.usage(name) for name, entry in AGENTS.items()), "or MODULE:CLASS for your own"])


def make_agent(name: str, seed: int = 0) -> Agent:
    """Make an agent from its name.

    Args:
        name: of an agent in :data:`AGENTS`, with its arguments behind a colon (`ppo:runs/first`); or `module:Class` for
            your own subclass of :class:`~.base.Agent`. Modules in the current folder are found; the class is called
            with ``seed=`` if it takes that, else without arguments.
        seed: of the agent's own random choices.

    Raises:
        ValueError: an unknown name; wrong arguments; a module or class of your own that is missing, is not an agent or
            can't be made. The message says what would be right.
    """
    kind, colon, arguments = name.partition(":")
    if kind not in AGENTS:
        if not colon or not all(part.isidentifier() for part in kind.split(".")):
            raise ValueError(f"unknown agent {name!r}; the agents are {names()}")
        return _own(name, kind, arguments, seed)
    entry = AGENTS[kind]
    if (entry.arguments is None and colon) or (entry.arguments is not None and not arguments and not entry.optional):
        raise ValueError(f"unknown agent {name!r}: it is asked for as {entry.usage(kind)}")
    factory = getattr(importlib.import_module(f".{entry.module}", __package__), entry.factory)
    made: Agent = factory(seed) if entry.arguments is None else factory(arguments, seed)
    return made


def path_of(name: str) -> str | None:
    """The file or folder of an agent's network, from its name (`ppo:PATH`); None: it has none. A ValueError for
    malformed arguments."""
    kind, _, arguments = name.partition(":")
    if kind not in AGENTS or not arguments:
        return None
    return arguments if AGENTS[kind].arguments == "PATH" else Arguments(kind, arguments).text("network")


def with_path(name: str, path: str) -> str:
    """The name of the same agent with its network at another path."""
    before = path_of(name)
    kind, _, arguments = name.partition(":")
    if before is None:
        return name
    if AGENTS[kind].arguments == "PATH":
        return f"{kind}:{path}"
    parts = arguments.split(",")
    place = next(k for k, part in enumerate(parts) if Arguments(kind, part).text("network") == before)
    parts[place] = parts[place].rstrip().removesuffix(before) + path
    return f"{kind}:{','.join(parts)}"


def _own(name: str, module: str, class_name: str, seed: int) -> Agent:
    """An agent from a module of the user; every fault of it becomes a ValueError."""
    loaded = _load(name, module)
    kind = getattr(loaded, class_name, None)
    if kind is None:
        known = [key for key, value in vars(loaded).items() if _is_agent(value) and value.__module__ == module]
        have = f"its agents are {', '.join(known)}" if known else "no agent is defined there"
        raise ValueError(f"{name}: the module {module} has no {class_name or 'class of an empty name'}; {have}")
    if not _is_agent(kind):
        raise ValueError(f"{name}: {class_name} is not an agent; it must be a subclass of carnegie_env.Agent")
    try:
        made: Agent = kind(seed=seed) if _takes_seed(kind) else kind()
    except Exception as error:
        raise ValueError(f"{name} can't be made: {_said(error)}") from error
    return made


def _load(name: str, module: str) -> ModuleType:
    if os.getcwd() not in sys.path and "" not in sys.path:  # an installed command doesn't look there by itself
        sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise ValueError(
                f"unknown agent {name!r}: there is no agent {module.partition('.')[0]!r}, and no module "
                f"{error.name!r} in the current folder or among those installed; the agents are {names()}"
            ) from None
        raise ValueError(f"{name}: the module {module} can't be loaded: {_said(error)}") from error
    except Exception as error:
        raise ValueError(f"{name}: the module {module} can't be loaded: {_said(error)}") from error


def _is_agent(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Agent) and kind is not Agent


def _takes_seed(kind: type[Agent]) -> bool:
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):  # one that Python can't look into
        return False
    return any(each.name == "seed" or each.kind is each.VAR_KEYWORD for each in parameters)


def _said(error: Exception) -> str:
    """An exception of the user's code in a line: the error, and its place."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"
