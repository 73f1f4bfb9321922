"""Where compiled code is kept: one file for each function and its argument types, found by the content of the sources.

The folder is named after a hash of all that the code depends on: every source and fact file of the package but those of
NEVER_COMPILED, the user's own facts, the versions of Python, NumPy, Numba and llvmlite, the switches that change code.
No path and no date is in it: a second clone or environment with the same sources compiles nothing. Any edit gives a new
folder; the oldest are deleted. The processor is in the names of the files, and for functions of another package, and
the core's for the records of a game there, a hash of that package's sources.

Where: $CARNEGIE_ENV_CACHE, else $NUMBA_CACHE_DIR, else $XDG_CACHE_HOME, else ~/.cache; in it, `carnegie_env`. What
cannot be written there is written to the temporary folder; what cannot be written there either is compiled in memory.
Both are read: a cache that is complete may be read-only. A file is written whole or not at all, and carries a hash of
itself: a damaged one counts as missing. What is in it is run: so a folder that someone else owns or may write to is
neither read nor written.
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
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import serialize
from numba.core.registry import cpu_target

from carnegie_env.core import progress

config: Any = numba.config
PACKAGE = Path(__file__).resolve().parents[1]
KEEP = 8  # cache folders, the newest
# Folders of the package without a compiled function: an edit there keeps the cache.
NEVER_COMPILED = ("cli", "envs", "render", "web")
FLAGS = ("CARNEGIE_CHECK",)  # environment variables that change what is compiled
SWITCHES = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX")  # Numba's
MAGIC = b"carnegie_env compiled code 1\n"  # how a file begins; then the SHA-256 of the rest
LEFT_OVER = 3600  # s after which a file that was not finished belongs to a process that was killed


# ---------------------------------------------------------------- what the code depends on
def _hash_files(digest: Any, root: Path, files: Iterable[Path]) -> None:
    for file in sorted(files):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)


def _source_files(folder: Path, without: tuple[str, ...] = ()) -> list[Path]:
    found = []
    for path, folders, files in os.walk(folder):
        skipped = ("__pycache__", *without, *(NEVER_COMPILED if folder == PACKAGE else ()))
        folders[:] = [name for name in folders if not name.startswith(".") and name not in skipped]
        found += [Path(path, name) for name in files if name.endswith((".py", ".toml"))]
    return found


def source_hash() -> str:
    """A hash of all that compiled rules depend on: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    _hash_files(digest, PACKAGE, _source_files(PACKAGE))
    _hash_own_facts(digest)
    digest.update(repr((sys.implementation.cache_tag, platform.python_version(), platform.system())).encode())
    digest.update(repr((numba.__version__, llvmlite.__version__, np.__version__)).encode())
    digest.update(repr([os.environ.get(name) for name in FLAGS]).encode())
    digest.update(repr([getattr(config, name, None) for name in SWITCHES]).encode())
    return digest.hexdigest()[:16]


def rules_hash(agents: Path) -> str:
    """A hash of what decides how games go, whichever machine it is on: 16 hexadecimal digits.

    Args:
        agents: the folder of the agents, which is within this package or beside it.
    """
    digest = hashlib.sha256()
    _hash_files(digest, PACKAGE, _source_files(PACKAGE, without=("agents",)))
    _hash_files(digest, agents, _source_files(agents))
    _hash_own_facts(digest)
    return digest.hexdigest()[:16]


def processor() -> str:
    """The processor that code is compiled for; NUMBA_CPU_NAME and NUMBA_CPU_FEATURES name another one."""
    return repr(cpu_target.target_context.codegen().magic_tuple())


def _hash_own_facts(digest: Any) -> None:
    """The user's own component tables, if there are any."""
    own = os.environ.get("CARNEGIE_ENV_FACTS")
    if own:
        folder = Path(own)
        if folder.is_dir():
            _hash_files(digest, folder, folder.glob("*.toml"))
        elif folder.is_file():
            _hash_files(digest, folder.parent, [folder])


@functools.cache
def _outside(file: Path) -> str:
    """What a function of another package (an agent, say) depends on, too: that package, or the files beside it."""
    folder = file.parent
    packaged = (folder / "__init__.py").exists()
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    digest = hashlib.sha256(file.relative_to(folder.parent if packaged else folder).as_posix().encode())
    _hash_files(digest, folder, _source_files(folder) if packaged else folder.glob("*.py"))
    return digest.hexdigest()


def outside(modules: Iterable[str]) -> dict[str, str]:
    """By name, hashes of the sources of modules of other packages: an edit there makes other code of their callers."""
    files = {name: getattr(importlib.import_module(name), "__file__", None) for name in modules}
    found = {name: Path(file).resolve() for name, file in files.items() if file is not None}
    return {name: _outside(file) for name, file in found.items() if not file.is_relative_to(PACKAGE)}


_outside_rules: dict[str, str] = {}  # Numba's text for a record -> hash of the sources of its game's rules


def know_rules(record: str, functions: Iterable[FunctionType]) -> None:
    """Have code for the records of a game hang on the sources of its rules, too, those of another package.

    A loop of the core is compiled for the type of the records: it has the rules within, of which its own source and the
    type say nothing.

    Args:
        record: Numba's text for the record's type, which is in those of arrays of it.
        functions: the rules.
    """
    files = {Path(function.__code__.co_filename).resolve() for function in functions}
    outside = sorted(_outside(file) for file in files if not file.is_relative_to(PACKAGE) and file.is_file())
    if outside:
        _outside_rules[record] = hashlib.sha256("".join(outside).encode()).hexdigest()


# ---------------------------------------------------------------- the folders
def _bases() -> list[Path]:
    """Where the cache may be, best first; the last is in the temporary folder."""
    found = []
    given = os.environ.get("CARNEGIE_ENV_CACHE") or config.CACHE_DIR or os.environ.get("XDG_CACHE_HOME")
    best = Path(given or Path(os.path.expanduser("~"), ".cache"), "carnegie_env")
    if given or best.is_absolute():  # "~" stays as it is where there is no home
        found.append(best.absolute())
    try:
        temporary = tempfile.gettempdir()
    except FileNotFoundError:
        return found
    if temporary != os.getcwd() or temporary in map(os.environ.get, ("TMPDIR", "TEMP", "TMP")):
        found.append(Path(temporary, f"carnegie_env-{os.getuid() if hasattr(os, 'getuid') else ''}"))
    return found


def _untrusted(folder: Path) -> str:
    """Why the code in a folder must not be run; "" if it may be, or if there is no such folder."""
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


_closed: dict[Path, str] = {}  # bases that can't be written in this process, and why


@functools.cache
def _name() -> str | None:
    """The name of this process's folders; None if the sources can't be read, being in an archive."""
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
            os.utime(base / (_name() or ""))  # the newest by use, not by making
    return tuple(found)


def folders() -> list[Path]:
    """The folders that compiled code is read from and, the first that has room, written to; not all may exist."""
    return [base / name for base in _trusted_bases()] if (name := _name()) else []


def _make(folder: Path) -> None:
    """Make a folder for compiled code, and delete old ones, at the first use."""
    if not folder.exists():
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        _delete_old(folder.parent)


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
    for file in base.glob("*/*.part"):
        try:
            if time.time() - file.stat().st_mtime > LEFT_OVER:
                file.unlink()
        except OSError:
            continue


# ---------------------------------------------------------------- the files
def _read(name: str) -> Any:
    """What is kept under a name; None if nothing is, or nothing that is whole."""
    for folder in folders():
        try:
            content = (folder / name).read_bytes()
            start = len(MAGIC) + hashlib.sha256().digest_size
            if content[:start] == MAGIC + hashlib.sha256(content[start:]).digest():
                return pickle.loads(content[start:])
        except Exception:  # no such file, or one that another version of something wrote: made anew
            continue
    return None


def _write(name: str, data: bytes) -> None:
    """Keep something under a name, in the first folder that has room; say so if none has."""
    for base, folder in zip(_trusted_bases(), folders(), strict=True):
        if base in _closed:
            continue
        part = folder / f"{name[:100]}-{os.getpid()}-{time.monotonic_ns()}.part"
        try:
            _make(folder)
            with open(part, "xb") as file:
                file.write(MAGIC + hashlib.sha256(data).digest() + data)
            os.replace(part, folder / name)
            return
        except OSError as error:
            _closed[base] = error.strerror or str(error)
            part.unlink(missing_ok=True) if part.parent.exists() else None
    reasons = "; ".join(f"{base}: {why}" for base, why in _closed.items()) or "the package is in an archive"
    progress.tell(
        "no room",
        f"what is compiled cannot be kept and will be compiled again next time ({reasons}); "
        "CARNEGIE_ENV_CACHE=FOLDER names another folder, it needs 20 MB",
    )


class FunctionStore:
    """The files of one `jit` function."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self._function = function
        self._options = options

    @functools.cached_property
    def _identity(self) -> str:
        """All that tells this function from every other one, but for the argument types."""
        function, file = self._function, Path(self._function.__code__.co_filename).resolve()
        inside = file.is_relative_to(PACKAGE)
        where = file.relative_to(PACKAGE).as_posix() if inside else _outside(file)
        code = hashlib.sha256(function.__code__.co_code).hexdigest()
        parts = (where, function.__module__, function.__qualname__, function.__code__.co_firstlineno, code)
        return repr((parts, sorted(self._options.items()), processor()))

    def _file(self, kind: str, args: Any) -> str | None:
        types = repr([str(each) for each in args])
        if " at 0x" in types:  # a function that was handed in: known by its address, which means nothing tomorrow
            return None
        rules = [known for record, known in _outside_rules.items() if record in types]
        digest = hashlib.sha256(f"{self._identity}{types}{rules or ''}".encode()).hexdigest()[:20]
        return f"{self._function.__module__}.{self._function.__qualname__}"[-80:] + f"-{digest}.{kind}"

    def load(self, kind: str, args: Any) -> Any:
        """What was saved for these argument types, None if nothing was."""
        name = self._file(kind, args)
        return _read(name) if name else None

    def has(self, kind: str, args: Any) -> bool:
        """Whether there is a file for these argument types; it may be damaged."""
        name = self._file(kind, args)
        return name is not None and any((folder / name).exists() for folder in folders())

    def save(self, kind: str, args: Any, make: Callable[[], Any]) -> None:
        """Keep what ``make()`` returns for later processes, if there is room."""
        name = self._file(kind, args)
        if name:
            _write(name, serialize.dumps(make()))


def store_for(function: FunctionType, options: dict[str, Any]) -> FunctionStore | None:
    """The files of a function; None if there can't be any: it is not at the top of a module that is a file."""
    lasting = "<" not in function.__qualname__ and os.path.isfile(function.__code__.co_filename)
    return FunctionStore(function, options) if lasting else None
