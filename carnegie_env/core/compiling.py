"""How `jit` functions are compiled: as whole programs, or one by one.

Whole programs (programs.py) compile in less than half the time but rely on Numba's internals, so they are used only
with the `TESTED` versions of Numba. With any other version, or if one of these internals is missing, `numba.njit`
compiles each function, Numba itself stores the code in a folder of the cache, and one line on stderr says so. The games
are the same.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numba
from llvmlite import ir
from numba import extending, types
from numba.core.registry import cpu_target
from numba.extending import lower_builtin, type_callable

from carnegie_env.core import cache, progress
from carnegie_env.core.sources import PACKAGE

TESTED = (62, 68)  # the first and last minor version; `make numba-versions` runs the core's tests with both


def _whole_programs() -> ModuleType | None:
    """The module programs.py, or None if it cannot be used."""
    version = re.fullmatch(r"0\.(\d+)\.\d+", numba.__version__)
    if not version or not TESTED[0] <= int(version[1]) <= TESTED[1]:
        why = f"the tested versions are 0.{TESTED[0]} to 0.{TESTED[1]}"
    else:
        try:
            from carnegie_env.core import programs

            return programs
        except Exception as error:  # anything that a changed Numba may raise
            why = f"{type(error).__name__}: {error}"
    text = f"compiling the rules takes about three times as long with Numba {numba.__version__}: {why}"
    progress.tell("compiler", text)
    return None


programs = _whole_programs()


def dispatcher(function: Any, options: dict[str, Any]) -> Any:
    """The compiled form of a function.

    Args:
        function: a plain Python function.
        options: options of numba.njit; also `cache=False`, which does not store the code, and `light=True`, which
            optimises it only lightly as an entry point, because it takes little time or is rarely called.
    """
    target = {"nogil": True, **options}
    light, lasting = target.pop("light", False), target.pop("cache", True) and cache.can_keep(function)
    if programs is not None:
        return programs.Dispatcher(function, target, cache.FunctionStore(function, target) if lasting else None, light)
    compiled = numba.njit(**target)(function)
    changed = [compiled] if lasting else []
    _lasting.extend(changed)
    if (outside := cache.outside_hash(function)) not in _outside:
        _outside.add(outside)
        changed = _lasting
    folder = cache.folder_of_numba(frozenset(_outside)) if changed else None
    if folder is not None:
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
        try:
            for each in changed:
                each.enable_caching()
        finally:
            numba.config.CACHE_DIR = before
    return compiled


# Without whole programs: the functions whose code Numba stores, and hashes of the sources outside this package that
# they may call. Numba does not notice edits of those, so each new package means another folder for all functions.
_lasting: list[Any] = []
_outside = {"", cache.outside_of((PACKAGE / "agents" / "__init__.py").resolve())}


def is_ready(function: Any, arguments: tuple[Any, ...]) -> bool:
    """Whether a call of a `jit` function with these arguments needs no compiling; False if this is unknown."""
    if programs is not None:
        return bool(function.is_ready(*arguments))
    return tuple(map(numba.typeof, arguments)) in function.signatures


def by_record(name: str, of: Callable[[Any], Any], known: Iterable[Any], call: Callable[..., Any]) -> Any:
    """A function that calls another `jit` function, chosen by the dtype of the record in its first argument.

    Args:
        name: its name in messages.
        of: dtype of a record -> `jit` function; a TypeError for an unknown dtype.
        known: the dtypes that ``of`` knows.
        call: the function in plain Python.
    """

    def find(kinds: Any) -> Any:
        if not kinds or not isinstance(kinds[0], types.Record):
            raise numba.TypingError(f"the first argument of the rule {name} must be the record of a game")
        for record in known:
            if numba.from_dtype(record) == kinds[0]:
                found = of(record)
                found = getattr(found, "compiled", found)
                if not extending.is_jitted(found):
                    raise numba.TypingError(f"the rule {name} must be a function with @jit, not {found!r:.80}")
                return found
        raise numba.TypingError(f"no game has records of the type {str(kinds[0])[:80]}")

    if programs is not None:
        return programs.Chosen(call, find)

    @extending.overload(call)
    def choose(game, *arguments):  # type: ignore[no-untyped-def]  # Numba compares this with the lambda's signature
        function = find([game])
        return lambda game, *arguments: function(game, *arguments)

    return call


def add_rules(record: Any, rules: Iterable[Any]) -> None:
    """Make the cached code for records of this dtype depend on the sources of these rules."""
    cache.add_rules(str(numba.from_dtype(record)), [rule.py_func for rule in rules])


def type_of(function: Any) -> Any:
    """Numba's type of a function, also of a plain one with an overload."""
    context = cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(function)


def remove_calls(function: Any) -> None:
    """Have compiled code leave out all calls of a function of one to seven numbers."""

    def type_of_call(context: Any) -> Any:
        def typer(a: Any, b: Any = 0, c: Any = 0, d: Any = 0, e: Any = 0, f: Any = 0, g: Any = 0) -> Any:
            return types.none

        return typer

    type_callable(function)(type_of_call)
    lower_builtin(function, types.VarArg(types.Any))(lambda context, *_: context.get_dummy_value())


# ---------------------------------------------------------------- instructions that Numba lacks
CACHE_LINE = 64  # bytes


def register_instructions(popcount: Any, trailing_zeros: Any, nonzero: Any, lanes: int, prefetch: Any) -> None:
    """Make Numba compile these functions of jit.py to a few instructions."""
    for function, lower in ((popcount, _lower_popcount), (trailing_zeros, _lower_trailing_zeros)):
        type_callable(function)(_type_of_bits)
        lower_builtin(function, types.Integer)(lower)
    type_callable(nonzero)(_type_of_nonzero)
    lower_builtin(nonzero, types.Array, types.Integer)(functools.partial(_lower_nonzero, lanes))
    type_callable(prefetch)(_type_of_prefetch)
    lower = _lower_prefetch if programs is not None else lambda context, *_: context.get_dummy_value()
    lower_builtin(prefetch, types.Array, types.Integer)(lower)


def _type_of_bits(context: Any) -> Any:
    def typer(x: Any) -> Any:
        return types.int64 if isinstance(x, (types.Integer, types.IntegerLiteral)) else None

    return typer


def _lower_popcount(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.ctpop(context.cast(builder, args[0], signature.args[0], types.int64))


def _lower_trailing_zeros(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    word = context.cast(builder, args[0], signature.args[0], types.int64)
    return builder.cttz(word, ir.Constant(ir.IntType(1), 0))


def _type_of_nonzero(context: Any) -> Any:
    def typer(values: Any, start: Any) -> Any:
        floats = isinstance(values, types.Array) and values.dtype == types.float32
        return types.int64 if floats and isinstance(start, types.Integer) else None

    return typer


def _lower_nonzero(lanes: int, context: Any, builder: Any, signature: Any, args: Any) -> Any:
    numbers = ir.VectorType(ir.FloatType(), lanes)
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    start = builder.gep(data, [context.cast(builder, args[1], signature.args[1], types.intp)])
    loaded = builder.load(builder.bitcast(start, numbers.as_pointer()))
    loaded.align = 4  # as a single number
    different = builder.fcmp_unordered("!=", loaded, ir.Constant(numbers, [0.0] * lanes))
    return builder.zext(builder.bitcast(different, ir.IntType(lanes)), ir.IntType(64))


def _type_of_prefetch(context: Any) -> Any:
    def typer(records: Any, i: Any) -> Any:
        return types.none if isinstance(records, types.Array) and isinstance(i, types.Integer) else None

    return typer


def _lower_prefetch(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind = signature.args[0]
    data = context.make_array(kind)(context, builder, args[0]).data
    record = builder.gep(data, [context.cast(builder, args[1], signature.args[1], types.intp)])
    address, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    first = builder.bitcast(record, address)
    shape = ir.FunctionType(ir.VoidType(), [address, word, word, word])
    load = builder.module.declare_intrinsic("llvm.prefetch", [address], shape)
    for offset in range(0, context.get_abi_sizeof(context.get_data_type(kind.dtype)), CACHE_LINE):
        line = builder.gep(first, [ir.Constant(ir.IntType(64), offset)])
        builder.call(load, [line, word(0), word(3), word(1)])  # for reading, keep in the cache, data
    return context.get_dummy_value()
