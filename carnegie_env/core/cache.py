"""The cache of compiled code: a file for each function and its argument types, keyed by the content of the sources.

The name of the folder is a hash of everything that the code depends on: the source and fact files of the package except
NEVER_COMPILED, the user's own facts, the versions of Python, NumPy, Numba and llvmlite, and the switches that change
code. Paths and dates are not part of it, so a second clone or environment with the same sources compiles nothing. Each
edit means a new folder; the oldest are deleted. The names of files also depend on the processor and, for functions of
another package and loops over the records of its game, on that package's sources.

The folder is in `carnegie_env` in the first of $CARNEGIE_ENV_CACHE, $NUMBA_CACHE_DIR and $XDG_CACHE_HOME that is set,
else in ~/.cache. Files that cannot be written there go to the temporary folder; both are read. Files are written
completely or not at all, and contain a hash of their content: a damaged file counts as missing. Processes that start
together make each program once: the others wait for its file. Because the code is executed, a folder that another user
owns or can write to is not used.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import pickle
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np

from carnegie_env.core import progress
from carnegie_env.core.library import hash_own_facts
from carnegie_env.core.sources import PACKAGE, hash_files, source_files

try:
    import fcntl
except ImportError:  # not on Windows: there each process makes its own programs
    fcntl = None  # type: ignore[assignment]

config: Any = numba.config
KEEP = 8  # newest cache folders
FLAGS = ("CARNEGIE_CHECK",)  # environment variables that change what is compiled
SWITCHES = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX")  # Numba's
MAGIC = b"carnegie_env compiled code 1\n"  # the start of a file; the SHA-256 of the rest follows
LEFT_OVER = 3600  # s; an older unfinished file was left by a killed process
PATIENCE = 180.0  # s to wait for another process that makes the same program; it may have been stopped


# ---------------------------------------------------------------- dependencies
def source_hash() -> str:
    """A hash of everything that compiled rules depend on: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    hash_files(digest, PACKAGE, source_files(PACKAGE))
    hash_own_facts(digest)
    digest.update(repr((sys.implementation.cache_tag, platform.python_version(), platform.system())).encode())
    digest.update(repr((numba.__version__, llvmlite.__version__, np.__version__)).encode())
    digest.update(repr([os.environ.get(name) for name in FLAGS]).encode())
    digest.update(repr([getattr(config, name, None) for name in SWITCHES]).encode())
    return digest.hexdigest()[:16]


def processor() -> str:
    """The processor that code is compiled for; NUMBA_CPU_NAME and NUMBA_CPU_FEATURES can choose another one."""
    name, features = config.CPU_NAME or llvm.get_host_cpu_name(), config.CPU_FEATURES
    features = llvm.get_host_cpu_features().flatten() if features is None else features
    return repr((llvm.get_default_triple(), name, features))


def outside_of(file: Path) -> str:
    """A hash of the package of a source file, or of the files beside it; "" for this package and without a file."""
    if file.is_relative_to(PACKAGE) or not file.is_file():
        return ""
    folder = file.parent
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return _hash_folder(folder)


@functools.cache
def _hash_folder(folder: Path) -> str:
    digest = hashlib.sha256()
    hash_files(digest, folder, source_files(folder) if (folder / "__init__.py").exists() else folder.glob("*.py"))
    return digest.hexdigest()


def outside_hash(function: FunctionType) -> str:
    """A hash of the sources outside this package that a function depends on; "" for a function of this package."""
    return outside_of(Path(function.__code__.co_filename).resolve())


def outside(modules: Iterable[str]) -> dict[str, str]:
    """Hashes of the sources of other packages' modules, by name: an edit there changes the code of their callers."""
    files = {name: getattr(importlib.import_module(name), "__file__", None) for name in modules}
    return {name: known for name, file in files.items() if file and (known := outside_of(Path(file).resolve()))}


_outside_rules: dict[str, str] = {}  # Numba's name of a record's type -> hash of the sources of its game's rules


def add_rules(record: str, functions: Iterable[FunctionType]) -> None:
    """Make the code for records of a game depend on the sources of its rules, if these are in another package.

    A loop of the core is compiled for the type of the records and contains their rules, but neither its own source nor
    the type depends on the rules.

    Args:
        record: Numba's name of the record's type, which is part of the names of array types.
        functions: the rules.
    """
    hashes = sorted({*map(outside_hash, functions)} - {""})
    if hashes:
        _outside_rules[record] = hashlib.sha256("".join(hashes).encode()).hexdigest()


# ---------------------------------------------------------------- the folders
def _bases() -> list[Path]:
    """The possible places of the cache, best first; the last is in the temporary folder."""
    found = []
    given = os.environ.get("CARNEGIE_ENV_CACHE") or config.CACHE_DIR or os.environ.get("XDG_CACHE_HOME")
    best = Path(given or Path(os.path.expanduser("~"), ".cache"), "carnegie_env")
    if given or best.is_absolute():  # without a home, "~" is not expanded
        found.append(best.absolute())
    try:
        temporary = tempfile.gettempdir()
    except FileNotFoundError:
        return found
    if temporary != os.getcwd() or temporary in map(os.environ.get, ("TMPDIR", "TEMP", "TMP")):
        found.append(Path(temporary, f"carnegie_env-{os.getuid() if hasattr(os, 'getuid') else ''}"))
    return found


def _untrusted(folder: Path) -> str:
    """The reason not to execute code from a folder; "" if there is none, or no such folder."""
    try:
        found = folder.lstat() if folder.parent == Path(tempfile.gettempdir()) else folder.stat()
    except OSError:
        return ""
    if not stat.S_ISDIR(found.st_mode):
        return "is not a folder"
    if hasattr(os, "getuid") and found.st_uid not in (os.getuid(), 0):
        return "belongs to another user"
    if hasattr(os, "getuid") and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written by other users"
    return ""


_closed: dict[Path, str] = {}  # bases that this process can't write, and the reason


@functools.cache
def _name() -> str | None:
    """The name of this process's folders; None if the package is in an archive and can't be hashed."""
    return source_hash() if PACKAGE.is_dir() else None


@functools.cache
def _trusted_bases() -> tuple[Path, ...]:
    found = []
    for base in _bases():
        why = _untrusted(base) or _untrusted(base / (_name() or ""))
        if why:
            _closed[base] = why
            continue
        found.append(base)
        with contextlib.suppress(OSError):
            os.utime(base / (_name() or ""))  # age counts from the last use
    return tuple(found)


def folders() -> list[Path]:
    """The folders to read compiled code from; the first with room is written to. Some may not exist."""
    return [base / name for base in _trusted_bases()] if (name := _name()) else []


def kept_in() -> str:
    """The folder that compiled code is written to; "" if there is none."""
    rooms = zip(_trusted_bases(), folders(), strict=True) if _name() else ()
    return next((str(folder) for base, folder in rooms if base not in _closed), "")


def _make(folder: Path) -> None:
    """Create a folder for compiled code at its first use, and delete old ones."""
    if not folder.exists():
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        _delete_old(folder.parent)


def _delete_old(base: Path) -> None:
    """Keep the newest folders. Another process may be deleting the same files."""
    ages = []
    for folder in base.iterdir():
        if re.fullmatch("[0-9a-f]{16}", folder.name):
            with contextlib.suppress(OSError):
                ages.append((folder.stat().st_mtime, folder))
    for _, folder in sorted(ages, reverse=True)[KEEP:]:
        shutil.rmtree(folder, ignore_errors=True)
    for file in base.glob("*/*.part"):
        with contextlib.suppress(OSError):
            if time.time() - file.stat().st_mtime > LEFT_OVER:
                file.unlink()


# ---------------------------------------------------------------- the files
def _read(name: str) -> Any:
    """The object stored under a name; None if it is missing or damaged."""
    for folder in folders():
        try:
            content = (folder / name).read_bytes()
            start = len(MAGIC) + hashlib.sha256().digest_size
            if content[:start] == MAGIC + hashlib.sha256(content[start:]).digest():
                return pickle.loads(content[start:])
        except Exception:  # no such file, or one written by other versions: compile again
            continue
    return None


def _in_first_with_room(write: Callable[[Path], Path]) -> Path | None:
    """Call a function with the first folder that has room; if there is none, print a message."""
    for base, folder in zip(_trusted_bases(), folders(), strict=True):
        if base in _closed:
            continue
        try:
            _make(folder)
            return write(folder)
        except OSError as error:
            _closed[base] = error.strerror or str(error)
    reasons = "; ".join(f"{base}: {why}" for base, why in _closed.items()) or "the package is in an archive"
    progress.tell(
        "no room",
        f"compiled code cannot be stored and will be compiled again next time ({reasons}); "
        "CARNEGIE_ENV_CACHE=FOLDER chooses another folder, which needs 20 MB",
    )
    return None


def _write(name: str, data: bytes) -> None:
    """Store data under a name."""

    def write(folder: Path) -> Path:
        part = folder / f"{name[:100]}-{os.getpid()}-{time.monotonic_ns()}.part"
        try:
            with open(part, "xb") as file:
                file.write(MAGIC + hashlib.sha256(data).digest() + data)
            return part.replace(folder / name)
        except OSError:
            part.unlink(missing_ok=True)
            raise

    _in_first_with_room(write)


@functools.cache
def _lock_file(folder: Path) -> int | None:
    """The handle of a file with a byte to lock for each program; None if it cannot be opened."""
    with contextlib.suppress(OSError):
        _make(folder)
        return os.open(folder / "lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    return None


@functools.cache
def folder_of_numba(also: frozenset[str]) -> Path | None:
    """A folder for code that Numba stores, by hashes of further sources; None if none can be written."""

    def write(folder: Path) -> Path:
        own = folder / f"numba-{hashlib.sha256(''.join(sorted(also)).encode()).hexdigest()[:16]}"
        own.mkdir(mode=0o700, exist_ok=True)
        tempfile.TemporaryFile(dir=own).close()
        return own

    return _in_first_with_room(write)


def name_of(function: FunctionType) -> str:
    """The start of the names of a function's files; a hyphen follows."""
    return f"{function.__module__}.{function.__qualname__}"[-80:]


class FunctionStore:
    """The files of one `jit` function."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self._function = function
        self._options = options

    @functools.cached_property
    def _identity(self) -> str:
        """Everything that identifies this function, except the argument types."""
        function, where = self._function, (Path(self._function.__code__.co_filename).name, outside_hash(self._function))
        code = hashlib.sha256(function.__code__.co_code).hexdigest()
        parts = (where, function.__module__, function.__qualname__, function.__code__.co_firstlineno, code)
        return repr((parts, sorted(self._options.items()), processor()))

    def _file(self, kind: str, args: Any) -> str | None:
        types = repr([str(each) for each in args])
        if " at 0x" in types:  # a function as an argument: its address means nothing in another process
            return None
        rules = [known for record, known in _outside_rules.items() if record in types]
        digest = hashlib.sha256(f"{self._identity}{types}{rules or ''}".encode()).hexdigest()[:20]
        return f"{name_of(self._function)}-{digest}.{kind}"

    def load(self, kind: str, args: Any) -> Any:
        """The object saved for these argument types, or None."""
        name = self._file(kind, args)
        return _read(name) if name else None

    def has(self, kind: str, args: Any) -> bool:
        """Whether there is a file for these argument types; it may be damaged."""
        name = self._file(kind, args)
        return name is not None and any((folder / name).exists() for folder in folders())

    @contextlib.contextmanager
    def alone(self, args: Any) -> Iterator[None]:
        """While no other process makes the program for these argument types, or after ``PATIENCE`` seconds."""
        name = self._file("program", args)
        handles = map(_lock_file, folders() if name and fcntl is not None else [])
        handle = next((each for each in handles if each is not None), None)
        if handle is None:
            yield
            return
        byte = int.from_bytes(hashlib.sha256(str(name).encode()).digest()[:6], "big")
        end, locked = time.monotonic() + PATIENCE, False
        while not locked and time.monotonic() < end:
            try:
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
                locked = True
            except (BlockingIOError, PermissionError):  # it is locked
                time.sleep(0.05)
            except OSError:  # this file system has no locks
                break
        try:
            yield
        finally:
            if locked:
                with contextlib.suppress(OSError):
                    fcntl.lockf(handle, fcntl.LOCK_UN, 1, byte)

    def save(self, kind: str, args: Any, make: Callable[[], bytes]) -> None:
        """Save ``make()``, a pickle, for later processes."""
        name = self._file(kind, args)
        if name:
            _write(name, make())


def can_keep(function: FunctionType) -> bool:
    """Whether a function can have files: it is at the top level of a module that is a file."""
    return "<" not in function.__qualname__ and os.path.isfile(function.__code__.co_filename)
