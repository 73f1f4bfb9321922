"""Rule functions that Python calls rarely: they run as plain Python first and are compiled after many calls.

Compiling a large function takes longer than running it in plain Python a few dozen times. If its machine code is
already in a file of the cache, that is used from the start.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any, TypeVar

from carnegie_env.core import library
from carnegie_env.core.jit import COMPILED, compiler

F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = __name__.partition(".")[0]
PLAIN_CALLS = 10_000  # after which compiling a small rule pays off


def lazily_compiled(function: F, plain_calls: int = PLAIN_CALLS) -> F:
    """A `jit` function that is compiled only after many calls.

    Args:
        function: defined at the top level of a module, like everything that it and its callees use.
        plain_calls: the number of calls in plain Python before it is compiled.

    Returns:
        A function with the same results.
    """
    if not COMPILED or library.module is not None:  # library.py decides
        return function
    calls, plain = 0, None
    ready: dict[tuple[Any, ...], bool] = {}  # by kinds of arguments: Numba needs longer to tell than most calls take

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal calls, plain
        if calls < plain_calls:
            kinds = tuple((type(each), getattr(each, "dtype", None)) for each in arguments)
            if kinds not in ready:
                ready[kinds] = compiler().is_ready(function, arguments)
            if not ready[kinds]:
                calls += 1
                plain = plain or in_plain_python(function)
                return plain(*arguments)
        return function(*arguments)

    return call  # type: ignore[return-value]  # it has the same arguments


def in_plain_python(function: F) -> F:
    """The plain Python form of a `jit` function, which also calls the plain Python forms of `jit` functions."""
    if not COMPILED:
        return function
    found: F = _globals(function.__module__, {})[function.__name__]
    return found


def _globals(name: str, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The globals of a module, with plain forms of its `jit` functions and of the modules that have such functions."""
    if name not in known:
        known[name] = plain = dict[str, Any]()  # first of all, because modules may refer to each other
        module = sys.modules[name]
        plain |= {key: value for key, value in vars(module).items() if key.startswith("__")}
        for key, value in vars(module).items():
            plain[key] = _plain(value, known)
    return known[name]


def _may_have_rules(module: str) -> bool:
    """Whether a module belongs to this package, or to another one and has a `jit` function."""
    if module.startswith(f"{PACKAGE}."):
        return module in sys.modules
    found = getattr(sys.modules.get(module), "__dict__", {})
    return any(hasattr(value, "py_func") for value in list(found.values()))


class _Module:
    """A stand-in for a module."""


def _plain(value: Any, known: dict[str, dict[str, Any]]) -> Any:
    function = getattr(value, "py_func", value)
    if (
        isinstance(function, types.FunctionType)
        and _may_have_rules(function.__module__)
        and function.__closure__ is None
    ):
        around = _globals(function.__module__, known)
        made = types.FunctionType(function.__code__, around, function.__name__, function.__defaults__)
        made.__kwdefaults__ = function.__kwdefaults__
        return made
    if isinstance(value, types.ModuleType) and _may_have_rules(value.__name__):
        module = _Module()
        module.__dict__ = _globals(value.__name__, known)
        return module
    return value
