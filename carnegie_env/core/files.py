"""Files written whole or not at all: one by one, or several that belong together; and the lock of a folder.

A file is written into a temporary one beside it, synced to the disk, then renamed: readers always see either the old
content or the new one. Errors name the requested file, never the temporary one. :func:`remove_leftovers` recognises the
names of temporary files that a killed process left.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows: folders are not locked there
    fcntl = None  # type: ignore[assignment]

AGREED = ".agreed.json"  # in a folder: the temporary files that are to get their names, all complete
_TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp", re.DOTALL)
_Path = str | os.PathLike[str]


def write_whole(path: _Path, content: str | bytes) -> None:
    """Write a file so that it is never seen half written; an old one stays until the new one is complete.

    A new file has the mode that the process's umask gives, one that is there keeps its own. A link is followed.

    Args:
        path: where; its folder must exist.
        content: text is written in UTF-8, as it is.

    Raises:
        TypeError: neither text nor bytes.
        OSError: it can't be written, or something that is no regular file is there. ``filename`` is the path given.
    """
    with _said_of(path):
        temporary, target = _temporary(path, content)
        try:
            os.replace(temporary, target)
        except BaseException:
            _unlink(temporary)
            raise
        _sync_folder(target.parent)


def write_together(folder: _Path, contents: Mapping[str, str | bytes]) -> None:
    """Write several files of a folder so that after any interruption all of them are old or all are new.

    When every new file is complete under a temporary name, a note of these names is written; only then they are
    renamed. :func:`finish` does what an interrupted call left to do: call it before reading the files.

    Args:
        folder: an existing folder that no other process writes to, see :func:`lock`.
        contents: content by file name.

    Raises:
        OSError: as for :func:`write_whole`; nothing has changed then but, if the error came while renaming, that
            :func:`finish` has to be called.
    """
    folder = Path(folder)
    finish(folder)
    made: dict[str, str] = {}
    try:
        for name, content in contents.items():
            with _said_of(folder / name):
                made[name] = _temporary(folder / name, content)[0].name
        with _said_of(folder):
            write_whole(folder / AGREED, json.dumps(made))
    except BaseException:
        if not (folder / AGREED).exists():
            for temporary in made.values():
                _unlink(folder / temporary)
        raise
    finish(folder)


def finish(folder: _Path) -> None:
    """Give the files of an interrupted :func:`write_together` their names, if all of them were complete.

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
        with _said_of(folder / name), contextlib.suppress(FileNotFoundError):  # renamed already
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
def lock(folder: _Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder; the system releases it when the process ends, even if it is killed.

    Raises:
        BlockingIOError: another process holds it.
        OSError: there is no such folder.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with _said_of(folder):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


# ---------------------------------------------------------------- parts
def _temporary(path: _Path, content: str | bytes) -> tuple[Path, Path]:
    """A complete temporary file beside the target, and the target."""
    data = content.encode() if isinstance(content, str) else content
    if not isinstance(data, bytes):
        raise TypeError(f"a file's content is text or bytes, not {type(content).__name__}")
    target = Path(os.path.realpath(path))
    mode = None
    if target.exists():
        found = target.stat()
        if stat.S_ISDIR(found.st_mode):
            raise OSError(errno.EISDIR, "there is a folder of that name")
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "what is there is not a regular file")
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
    return temporary, target


def _original(name: str) -> str | None:
    """The name of the file that a temporary one is for; None for other files."""
    found = _TEMPORARY.fullmatch(name)
    return found[1] if found else None


def _unlink(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _sync_folder(folder: Path) -> None:
    """Bring a folder's names to the disk, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def _said_of(path: _Path) -> Iterator[None]:
    """Errors of the system name the file that the user knows."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
