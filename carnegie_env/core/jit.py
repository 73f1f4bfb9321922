"""`jit`, the decorator of every rule function, and what Numba lacks: two bit operations, and the prefetch of a record.

Numba's own cache does not notice an edit in a function called from another file. So compiled code lives in a folder
named after a hash of all that it depends on: every source and fact file of the package but those of NEVER_COMPILED, the
user's own facts, the versions and the switches that change code. Any edit gives a new folder; the oldest are deleted.

Where: $CARNEGIE_ENV_CACHE, else $NUMBA_CACHE_DIR, else $XDG_CACHE_HOME, else ~/.cache; in its folder `carnegie_env`.
Where that cannot be written, in the temporary folder. Numba's settings are left as they are for everybody else's code.

With NUMBA_DISABLE_JIT=1 `jit` returns the function unchanged, and everything runs as plain Python.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, SupportsInt, TypeVar, overload

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, type_callable

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba.config
PACKAGE = Path(__file__).resolve().parents[1]
KEEP = 8  # cache folders, the newest
NEVER_COMPILED = ("envs", "render")  # folders of the package without a compiled function: an edit there keeps the cache
FLAGS = ("CARNEGIE_CHECK",)  # environment variables that change what is compiled
SWITCHES = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX")  # Numba's


# ---------------------------------------------------------------- the cache folder
def _hash_files(digest: Any, root: Path, files: Iterable[Path]) -> None:
    for file in sorted(files):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(root)}\0{len(content)}\0".encode())
        digest.update(content)


def _source_files(folder: Path) -> list[Path]:
    found = []
    for path, folders, files in os.walk(folder):
        skipped = ("__pycache__", *(NEVER_COMPILED if folder == PACKAGE else ()))
        folders[:] = [name for name in folders if not name.startswith(".") and name not in skipped]
        found += [Path(path, name) for name in files if name.endswith((".py", ".toml"))]
    return found


def source_hash() -> str:
    """A hash of all that compiled rules depend on: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    _hash_files(digest, PACKAGE, _source_files(PACKAGE))
    own = os.environ.get("CARNEGIE_ENV_FACTS")
    if own:
        folder = Path(own)
        if folder.is_dir():
            _hash_files(digest, folder, folder.glob("*.toml"))
        elif folder.is_file():
            _hash_files(digest, folder.parent, [folder])
    digest.update(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    digest.update(repr([os.environ.get(name) for name in FLAGS]).encode())
    digest.update(repr([getattr(config, name, None) for name in SWITCHES]).encode())
    return digest.hexdigest()[:16]


def _cache_bases() -> list[Path]:
    """Where the cache may be, best first; the last is the temporary folder."""
    given = os.environ.get("CARNEGIE_ENV_CACHE") or config.CACHE_DIR or os.environ.get("XDG_CACHE_HOME")
    best = Path(given or Path(os.path.expanduser("~"), ".cache"), "carnegie_env").absolute()
    return [best, Path(tempfile.gettempdir(), f"carnegie_env-{os.getuid() if hasattr(os, 'getuid') else ''}")]


def _usable(folder: Path) -> bool:
    """Make the folder; true if it can be written and is not someone else's, whose code we would run."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        temporary = folder.is_relative_to(tempfile.gettempdir())
        return not temporary or not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
    except OSError:
        return False


def _delete_old(base: Path) -> None:
    """Keep the newest folders. Another process may be doing the same: whatever is gone already is fine."""
    ages = []
    for folder in base.iterdir():
        if re.fullmatch("[0-9a-f]{16}", folder.name):
            try:
                ages.append((folder.stat().st_mtime, folder))
            except OSError:
                continue
    for _, folder in sorted(ages, reverse=True)[KEEP:]:
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def cache_folder() -> Path:
    """The folder of this process's compiled code; made, and the old ones deleted, at the first call."""
    name = source_hash()
    for base in _cache_bases():
        if _usable(base) and _usable(base / name):
            try:
                os.utime(base / name)  # the newest by use, not by making
                _delete_old(base)
            except OSError:
                pass
            return base / name
    return Path(tempfile.mkdtemp(prefix="carnegie_env-"))


@functools.cache
def _outside_folder(folder: Path) -> Path:
    """The cache folder for functions of another package (an agent, say): that package's sources count too."""
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    digest = hashlib.sha256(str(folder).encode())
    _hash_files(digest, folder, _source_files(folder) if (folder / "__init__.py").exists() else folder.glob("*.py"))
    return cache_folder() / digest.hexdigest()[:16]


def _folder_for(file: Path) -> Path:
    return cache_folder() if file.is_relative_to(PACKAGE) else _outside_folder(file.parent)


@overload
def jit(function: F) -> F: ...
@overload
def jit(**options: Any) -> Callable[[F], F]: ...
def jit(function: Any = None, **options: Any) -> Any:
    """Compile a rule function: `@jit`, or `@jit(inline="always")` with any option of numba.njit."""
    if function is None:
        return functools.partial(jit, **options)
    if config.DISABLE_JIT:
        return function
    file = Path(function.__code__.co_filename).resolve()
    options = {"cache": file.exists(), "nogil": True, **options}  # a function typed at a prompt has no file
    if not options["cache"]:
        return numba.njit(**options)(function)
    before, config.CACHE_DIR = config.CACHE_DIR, str(_folder_for(file))
    try:
        return numba.njit(**options)(function)  # reads the folder now, once
    finally:
        config.CACHE_DIR = before


# ---------------------------------------------------------------- bit operations: one instruction each when compiled,
# Python otherwise. They take any integer as its 64 bits.
_ALL_BITS = (1 << 64) - 1


def popcount(x: SupportsInt) -> int:
    """How many bits of a 64-bit word are set."""
    return (int(x) & _ALL_BITS).bit_count()


def trailing_zeros(x: SupportsInt) -> int:
    """The position of the lowest set bit of a 64-bit word; 64 if none is set."""
    bits = int(x) & _ALL_BITS
    return (bits & -bits).bit_length() - 1 if bits else 64


def _type_of_bits(context: Any) -> Any:
    def typer(x: Any) -> Any:
        return types.int64 if isinstance(x, (types.Integer, types.IntegerLiteral)) else None

    return typer


type_callable(popcount)(_type_of_bits)
type_callable(trailing_zeros)(_type_of_bits)


@lower_builtin(popcount, types.Integer)  # type: ignore[untyped-decorator]  # Numba's
def _lower_popcount(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.ctpop(context.cast(builder, args[0], signature.args[0], types.int64))


@lower_builtin(trailing_zeros, types.Integer)  # type: ignore[untyped-decorator]  # Numba's
def _lower_trailing_zeros(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    word = context.cast(builder, args[0], signature.args[0], types.int64)
    return builder.cttz(word, ir.Constant(ir.IntType(1), 0))


# ---------------------------------------------------------------- prefetch: one instruction for each cache line
CACHE_LINE = 64  # bytes


def prefetch(records: np.ndarray, i: int) -> None:
    """Have the processor load a record into its cache, to be there when its turn comes; harmless past the last one."""


@type_callable(prefetch)  # type: ignore[untyped-decorator]  # Numba's
def _type_of_prefetch(context: Any) -> Any:
    def typer(records: Any, i: Any) -> Any:
        return types.none if isinstance(records, types.Array) and isinstance(i, types.Integer) else None

    return typer


@lower_builtin(prefetch, types.Array, types.Integer)  # type: ignore[untyped-decorator]  # Numba's
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
        builder.call(load, [line, word(0), word(3), word(1)])  # to be read, to be kept, data
    return context.get_dummy_value()
