"""Functions that Python calls seldom: plain Python at first, compiled once they have been called often.

To compile a large function takes longer than to run it in plain Python a few dozen times. Where its machine code is in
a file already, that is used from the start.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any, TypeVar

from carnegie_env.core.jit import COMPILED

if COMPILED:
    from numba.extending import is_jitted

    from carnegie_env.core.compiling import is_at_hand

F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = __name__.partition(".")[0]
SELDOM = 10_000  # calls before compiling a small rule pays off


def seldom(function: F, calls_first: int = SELDOM) -> F:
    """A `jit` function that is compiled only after many calls.

    Args:
        function: defined at the top of a module, as is everything that it and its callees use.
        calls_first: calls in plain Python before it is compiled.

    Returns:
        A function with the same results.
    """
    if not COMPILED:
        return function
    calls, slow = 0, None
    at_hand: dict[tuple[Any, ...], bool] = {}  # by kinds of arguments: to tell takes Numba longer than most calls take

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal calls, slow
        if calls < calls_first:
            kinds = tuple((type(each), getattr(each, "dtype", None)) for each in arguments)
            if kinds not in at_hand:
                at_hand[kinds] = is_at_hand(function, arguments)
            if not at_hand[kinds]:
                calls += 1
                slow = slow or in_plain_python(function)
                return slow(*arguments)
        return function(*arguments)

    return call  # type: ignore[return-value]  # it has the same arguments


def in_plain_python(function: F) -> F:
    """The same function, `jit` or not, calling plain Python where it calls `jit` functions of this package."""
    if not COMPILED:
        return function
    found: F = _globals(function.__module__, {})[function.__name__]
    return found


def _globals(name: str, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The globals of a module of this package, its `jit` functions and its modules replaced by plain ones."""
    if name not in known:
        known[name] = plain = dict[str, Any]()  # known from here on: modules may need each other
        module = sys.modules[name]
        plain |= {key: value for key, value in vars(module).items() if key.startswith("__")}
        for key, value in vars(module).items():
            plain[key] = _plain(value, known)
    return known[name]


def _is_ours(module: str) -> bool:
    """Whether a module has rules: all of this package may, and those of another package that have a `jit` function."""
    if module.startswith(f"{PACKAGE}."):
        return module in sys.modules
    found = getattr(sys.modules.get(module), "__dict__", {})
    return any(is_jitted(value) for value in list(found.values()))


class _Module:
    """What stands for a module."""


def _plain(value: Any, known: dict[str, dict[str, Any]]) -> Any:
    function = value.py_func if is_jitted(value) else value
    if isinstance(function, types.FunctionType) and _is_ours(function.__module__) and function.__closure__ is None:
        around = _globals(function.__module__, known)
        made = types.FunctionType(function.__code__, around, function.__name__, function.__defaults__)
        made.__kwdefaults__ = function.__kwdefaults__
        return made
    if isinstance(value, types.ModuleType) and _is_ours(value.__name__):
        space = _Module()
        space.__dict__ = _globals(value.__name__, known)
        return space
    return value
