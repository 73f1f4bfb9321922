"""The only answers that hostile input may get: a right result, or a ValueError that says what is wrong."""

from __future__ import annotations

import re
import sysconfig
import time
import traceback
from collections.abc import Callable
from typing import Any

SLOW = 20.0  # seconds a case may take on a busy machine; the slowest right ones take a tenth
LONGEST_MESSAGE = 4_000


class Wrong(AssertionError):
    """Hostile input did what it must not."""


# Python's own words for its own troubles: a message that has them was not written for the reader.
RAW = re.compile(
    r"'NoneType'|object is not|not subscriptable|index out of range|out of bounds for|unhashable|has no attribute"
    r"|unsupported operand|cannot unpack|positional argument|ambiguous|Traceback"
)
EXECUTES = (
    "exec", "compile", "subprocess.", "socket.", "pickle.", "shutil.", "ctypes.", "webbrowser.",
    "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.remove", "os.rename",
    "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.putenv",
)  # fmt: skip
STANDARD_LIBRARY = sysconfig.get_path("stdlib")
_watched: list[str] | None = None


def audit(event: str, arguments: tuple) -> None:
    """Note what is executed or written while an answer is waited for."""
    if _watched is None:
        return
    if event == "exec" and getattr(arguments[0], "co_filename", "").startswith(STANDARD_LIBRARY):
        return  # a module of Python's own is loaded: a codec, say
    if event.startswith(EXECUTES) or (event == "open" and "w" in str(arguments[1])):
        _watched.append(f"{event}{arguments!r:.200}")


def answer(call: Callable[[], Any], kind: type[ValueError] = ValueError) -> Any:
    """What a call gives, or the ValueError it raises; anything else is Wrong."""
    global _watched
    start, _watched = time.monotonic(), []
    try:
        found = call()
    except ValueError as error:
        found = error
    except BaseException as error:
        raise Wrong("".join(traceback.format_exception(error))[-3000:]) from None
    finally:
        seen, _watched = _watched, None
    if seen:
        raise Wrong(f"executed or wrote: {seen[:5]}")
    if time.monotonic() - start > SLOW:
        raise Wrong(f"took {time.monotonic() - start:.0f} s")
    if isinstance(found, ValueError):
        message = str(found)
        if not isinstance(found, kind):
            raise Wrong(f"{type(found).__name__} instead of {kind.__name__}: {message}")
        if not message.strip() or len(message) > LONGEST_MESSAGE or RAW.search(message):
            raise Wrong(f"not a clear message: {message[:1000]!r}")
    return found


def refused(found: Any) -> bool:
    return isinstance(found, ValueError)
