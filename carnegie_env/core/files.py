"""Files written completely or not at all, one by one or several together; and a lock on a folder.

A file is written under a temporary name beside the target, synced to the disk, then renamed: readers see either the old
or the new content. Errors name the requested file, never the temporary one. :func:`remove_leftovers` removes temporary
files that a killed process left.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows: folders are not locked there
    fcntl = None  # type: ignore[assignment]

AGREED = ".agreed.json"  # a note in a folder: complete temporary files and their final names
_TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp", re.DOTALL)
_Path = str | os.PathLike[str]


def write_whole(path: _Path, content: str | bytes) -> None:
    """Write a file atomically: an old file stays until the new one is complete.

    The mode of an existing file is kept; a new file follows the umask. Links are followed.

    Args:
        path: the file; its folder must exist.
        content: bytes, or text that is written in UTF-8.

    Raises:
        TypeError: the content is neither text nor bytes.
        OSError: the file can't be written, or the path is not a regular file. ``filename`` is the given path.
    """
    with errors_named(path):
        target = Path(os.path.realpath(path))
        temporary = _temporary(target, content)
        try:
            os.replace(temporary, target)
        except BaseException:
            _unlink(temporary)
            raise
        _sync_folder(target.parent)


def write_together(folder: _Path, contents: Mapping[str, str | bytes]) -> None:
    """Write several files of a folder so that after any interruption all of them are old or all are new.

    When all new files are complete under temporary names, a note of these names is written; then they are renamed.
    :func:`finish` completes an interrupted call: call it before reading the files. Links are replaced by files.

    Args:
        folder: an existing folder that no other process writes to, see :func:`lock`.
        contents: the content of each file by name.

    Raises:
        OSError: as in :func:`write_whole`. The files are unchanged, unless the error occurred while renaming: then call
            :func:`finish`.
    """
    folder = Path(folder)
    finish(folder)
    made: dict[str, str] = {}
    try:
        for name, content in contents.items():
            with errors_named(folder / name):
                made[name] = _temporary(folder / name, content).name
        with errors_named(folder):
            write_whole(folder / AGREED, json.dumps(made))
    except BaseException:
        if not (folder / AGREED).exists():
            for temporary in made.values():
                _unlink(folder / temporary)
        raise
    finish(folder)


def finish(folder: _Path) -> None:
    """Rename the files of an interrupted :func:`write_together` if all of them are complete.

    Raises:
        ValueError: the note of their names is damaged.
        OSError: a file can't be renamed.
    """
    folder = Path(folder)
    note = folder / AGREED
    try:
        made = json.loads(note.read_text(encoding="utf-8"))
        right = all(isinstance(text, str) and _original(text) == Path(name).name == name for name, text in made.items())
    except FileNotFoundError:
        return
    except (ValueError, AttributeError, RecursionError):
        right = False
    if not right:
        raise ValueError(f"{note} is damaged: it must say which temporary files belong together")
    for name, temporary in made.items():
        with errors_named(folder / name), contextlib.suppress(FileNotFoundError):  # already renamed
            os.replace(folder / temporary, folder / name)
    _sync_folder(folder)
    note.unlink()
    _sync_folder(folder)


def remove_leftovers(folder: _Path) -> None:
    """Remove the temporary files that a killed process left in a folder that no process writes to.

    Call :func:`finish` first.
    """
    for file in Path(folder).iterdir():
        if _original(file.name) is not None:
            _unlink(file)


@contextlib.contextmanager
def lock(folder: _Path) -> Iterator[Callable[[], None]]:
    """Hold an exclusive lock on a folder; the system releases it even if the process is killed.

    Yields:
        A function that raises an OSError if the folder was removed, or another one has taken its place and its lock.

    Raises:
        BlockingIOError: another process holds it.
        OSError: there is no such folder.
    """
    if fcntl is None:
        yield lambda: None
        return
    handle = os.open(folder, os.O_RDONLY)

    def check() -> None:
        with errors_named(folder):
            if not os.path.samestat(os.fstat(handle), os.stat(folder)):
                raise OSError(errno.ESTALE, "another folder has taken its place")

    try:
        with errors_named(folder):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield check
    finally:
        os.close(handle)


# ---------------------------------------------------------------- parts
def _temporary(target: Path, content: str | bytes) -> Path:
    """Write a complete temporary file beside the target; returns its path."""
    data = content.encode() if isinstance(content, str) else content
    if not isinstance(data, bytes):
        raise TypeError(f"content must be text or bytes, not {type(content).__name__}")
    mode = None
    if target.exists():
        found = target.stat()
        if stat.S_ISDIR(found.st_mode):
            raise OSError(errno.EISDIR, "there is a folder of that name")
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        mode = stat.S_IMODE(found.st_mode)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
    except BaseException:
        _unlink(temporary)
        raise
    return temporary


def _original(name: str) -> str | None:
    """The final name of a temporary file; None for other files."""
    found = _TEMPORARY.fullmatch(name)
    return found[1] if found else None


def _unlink(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _sync_folder(folder: Path) -> None:
    """Sync the names of a folder to the disk, where the system supports it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def errors_named(path: _Path) -> Iterator[None]:
    """Make system errors name this file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
