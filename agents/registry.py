"""Agents by name: `random`, `greedy`, `value`, `search:ms=50`, `level:5`, `ppo:RUN` (a run folder), and yours as
`module:Class`.

An agent's module is imported when the agent is made. To add an agent, add it to :data:`AGENTS`.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import os
import sys
import traceback
from types import ModuleType

from carnegie_env.agents.arguments import Arguments
from carnegie_env.agents.base import Agent


@dataclasses.dataclass(frozen=True)
class Entry:
    """A shipped agent.

    Args:
        text: a short description.
        module: a module of this package; with a dot, of the package above.
        factory: a name in the module, called with the seed; if the agent takes arguments, with their text and the seed.
        arguments: as shown in help texts, such as "PATH"; None: the agent takes none.
        optional: whether the arguments may be omitted.
        file: whether the arguments may name a file or folder.
    """

    text: str
    module: str
    factory: str
    arguments: str | None = None
    optional: bool = False
    file: bool = False

    def usage(self, name: str) -> str:
        """The form of its name, such as `ppo:PATH`."""
        if self.arguments is None:
            return name
        return f"{name}[:{self.arguments}]" if self.optional else f"{name}:{self.arguments}"


AGENTS = {
    "random": Entry("any legal action, all equally likely", "random_agent", "RandomAgent"),
    "greedy": Entry("the best action by a hand-written evaluation", "greedy", "GreedyAgent"),
    "value": Entry(
        "the best action by a neural network's evaluation", "value", "ValueAgent", "PATH,draws=N", True, file=True
    ),
    "search": Entry(
        "compares the network's best actions by roll-outs; stronger with more time",
        "search",
        "SearchAgent",
        "ms=N,evals=N,threads=N,...",
        True,
        file=True,
    ),
    "level": Entry(
        "an opponent of one of ten strengths, whose small errors are like a person's",
        "level",
        "LevelAgent",
        "1-10",
        True,
    ),
    "ppo": Entry("the most probable action of a policy network", "learned", "PPOAgent", "PATH", True, file=True),
    "bot": Entry("a file in a sandbox (docs/bots.md)", ".bots.agent", "BotAgent", "FILE,seconds=N,...", file=True),
}


def names() -> str:
    """The forms of names that :func:`make_agent` accepts, for help texts and messages."""
    return ", ".join([*(entry.usage(name) for name, entry in AGENTS.items()), "or MODULE:CLASS for your own"])


def make_agent(name: str, seed: int = 0) -> Agent:
    """Make an agent from its name.

    Args:
        name: of an agent in :data:`AGENTS`, with its arguments after a colon (`ppo:runs/first`); or `module:Class` for
            your own subclass of :class:`~.base.Agent`. The module may be in the current folder; the class is called
            with ``seed=`` if it accepts it, else without arguments.
        seed: of the agent's random choices.

    Raises:
        ValueError: an unknown name; invalid arguments; a package that the agent needs is missing (the message names the
            extra); your own module or class is missing, is not an agent or fails.
    """
    if not isinstance(name, str):
        raise ValueError(f"the name of an agent must be a text, such as 'greedy' or 'search:ms=50', not {name!r:.60}")
    kind, colon, arguments = name.partition(":")
    if kind not in AGENTS:
        if not colon or not all(part.isidentifier() for part in kind.split(".")):
            raise ValueError(f"unknown agent {name!r}; the agents are {names()}")
        return _own(name, kind, arguments, seed)
    entry = AGENTS[kind]
    if (entry.arguments is None and colon) or (entry.arguments is not None and not arguments and not entry.optional):
        raise ValueError(f"unknown agent {name!r}: write {entry.usage(kind)}")
    try:
        factory = getattr(importlib.import_module(f".{entry.module}", __package__), entry.factory)
        made: Agent = factory(seed) if entry.arguments is None else factory(arguments, seed)
    except ModuleNotFoundError as error:
        raise ValueError(f"{name} needs the package {error.name}: pip install 'carnegie_env[train]'") from error
    return made


def path_of(name: str) -> str | None:
    """The path of the file in an agent's name (`ppo:PATH`), or None; a ValueError for malformed arguments."""
    kind, _, arguments = name.partition(":")
    if kind not in AGENTS or not AGENTS[kind].file or not arguments:
        return None
    return arguments if AGENTS[kind].arguments == "PATH" else Arguments(kind, arguments).text("network")


def with_path(name: str, path: str) -> str:
    """The name of the same agent with another path of its file."""
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
    """An agent from the user's module; all its errors become ValueErrors."""
    loaded = _load(name, module)
    kind = getattr(loaded, class_name, None)
    if kind is None:
        known = [key for key, value in vars(loaded).items() if _is_agent(value) and value.__module__ == module]
        have = f"its agents are {', '.join(known)}" if known else "it defines no agent"
        raise ValueError(f"{name}: the module {module} has no {class_name or 'class with an empty name'}; {have}")
    if not _is_agent(kind):
        raise ValueError(f"{name}: {class_name} is not an agent; it must be a subclass of carnegie_env.Agent")
    try:
        made: Agent = kind(seed=seed) if _takes_seed(kind) else kind()
    except Exception as error:
        raise ValueError(f"{name} can't be made: {_in_words(error)}") from error
    return made


def _load(name: str, module: str) -> ModuleType:
    if os.getcwd() not in sys.path and "" not in sys.path:  # installed commands don't search the current folder
        sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module)
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{module}.".startswith(f"{missing}."):
            raise ValueError(
                f"unknown agent {name!r}: there is no agent {module.partition('.')[0]!r}, and no module "
                f"{missing!r} in the current folder or installed; the agents are {names()}"
            ) from None
        raise ValueError(f"{name}: the module {module} can't be loaded: {_in_words(error)}") from error


def _is_agent(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Agent) and kind is not Agent


def _takes_seed(kind: type[Agent]) -> bool:
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):  # it has no signature
        return False
    return any(each.name == "seed" or each.kind is each.VAR_KEYWORD for each in parameters)


def _in_words(error: Exception) -> str:
    """An exception in the user's code as one line, with its place."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"
