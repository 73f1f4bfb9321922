"""The library of compiled loops, `carnegie_env._engine`: used if it was built from the present sources.

Then nothing is compiled, and Numba is not imported: a `jit` function is a :class:`Function`, which finds its loop in
the library. What the library lacks (a game, an agent or component tables of your own) is compiled by Numba at its first
call; without Numba it runs as plain Python. engine/build.py makes the library.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from carnegie_env.core import progress
from carnegie_env.core.sources import PACKAGE, hash_files, source_files, sources, training_sources

_OWN = f"{__name__.partition('.')[0]}."
SWITCHES = ("CARNEGIE_ENV_FACTS", "CARNEGIE_CHECK", "NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_DEBUGINFO")


def hash_own_facts(digest: Any) -> None:
    """Hash the user's own component tables."""
    own = Path(os.environ.get("CARNEGIE_ENV_FACTS") or os.devnull)
    if own.is_dir():
        hash_files(digest, own, own.glob("*.toml"))
    elif own.is_file():
        hash_files(digest, own.parent, [own])
    else:  # an edition's name; its files are among the sources
        digest.update(os.environ.get("CARNEGIE_ENV_FACTS", "").encode())


def rules_hash(also: Path | None = None) -> str:
    """A hash of everything that determines how games and agents play, on any machine: 16 hexadecimal digits.

    Args:
        also: a folder of further sources.
    """
    digest = hashlib.sha256()
    hash_files(digest, PACKAGE, source_files(PACKAGE, without=("agents",)))
    for name in ("agents", "arena", "workers"):  # in a checkout, agents is a link, which os.walk does not follow
        hash_files(digest, PACKAGE, source_files(PACKAGE / name))
    if also is not None:
        hash_files(digest, also, source_files(also))
    hash_own_facts(digest)
    return digest.hexdigest()[:16]


def _load() -> tuple[Any, str]:
    """The library, or why it is not used."""
    if os.environ.get("CARNEGIE_ENGINE", "") == "numba":
        return None, "CARNEGIE_ENGINE=numba is set"
    for name in SWITCHES:
        if os.environ.get(name, "") not in ("", "0"):
            return None, f"{name} is set"
    try:
        module = importlib.import_module("carnegie_env._engine")
    except ImportError as error:
        return None, f"{type(error).__name__}: {error}"
    if not PACKAGE.is_dir():
        return module, ""
    if module.SOURCES != sources():
        return None, "it was built from other sources (`make engine` builds it again)"
    return module, ""


def processor() -> str:
    """The processor that this process's code is for."""
    if module is not None:
        return f"{platform.machine()} {module.LEVEL}"
    from carnegie_env.core import cache

    return cache.processor()


def type_name(dtype: np.dtype[Any]) -> str:
    """The name of a dtype in the library's signatures: a game's, or NumPy's."""
    from carnegie_env.core import rules

    return dtype.name if dtype.fields is None else rules.game_of(dtype)


module, reason = _load()

if module is not None:
    for _name in module.TYPES:
        if hasattr(np, _name):
            module.set_type(_name, np.dtype(_name))

    class Function(module.Function):  # type: ignore[misc, name-defined]  # only known at run time
        """A `jit` function whose loops are in the library, if any are."""

        def __new__(cls, function: Callable[..., Any], options: dict[str, Any]) -> Any:
            name = f"{function.__module__}.{function.__qualname__}"
            stale = name.startswith("training.") and module.TRAINING != training_sources()
            return super().__new__(cls, "" if stale else name)

        def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
            functools.update_wrapper(self, function)
            self.py_func, self.options = function, options

        def __reduce__(self) -> str:
            return self.py_func.__qualname__

        def otherwise(self, *arguments: Any, **named: Any) -> Any:
            """A call that the library has no loop for."""
            if named:
                bound = inspect.signature(self.py_func).bind(*arguments, **named)
                bound.apply_defaults()
                return self(*bound.args)
            if not self.has_loops and self.__module__.startswith(_OWN):  # a small rule, called for a text or a picture
                return self.plain(*arguments)
            return self.compiled(*arguments)

        @functools.cached_property
        def plain(self) -> Callable[..., Any]:
            """The same function as plain Python."""
            from carnegie_env.core import lazy

            return lazy.in_plain_python(self.py_func)

        @functools.cached_property
        def compiled(self) -> Any:
            """The same function, compiled by Numba; as plain Python where there is no Numba."""
            try:
                from carnegie_env.core import jit

                return jit.compiler().dispatcher(self.py_func, self.options)
            except ImportError as error:
                progress.tell("library", f"{self.__qualname__} runs as plain Python, which is slow: {error}")
                return self.plain

        @property
        def _numba_type_(self) -> Any:
            """What Numba asks when a function that it compiles calls this one."""
            return self.compiled._numba_type_
