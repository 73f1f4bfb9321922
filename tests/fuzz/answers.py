"""The only valid reactions to malformed input: a correct result, or a ValueError that says what is wrong."""

import re
import sysconfig
import time
import traceback
from collections.abc import Callable
from typing import Any

SLOW = 20.0  # seconds a call may take on a busy machine; ten times the slowest one
LONGEST_MESSAGE = 4_000


class Wrong(AssertionError):
    """Malformed input had a forbidden effect."""


# Python's own error messages: they don't tell the user what is wrong.
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
    """An audit hook that collects executions and writes during a call of :func:`answer`."""
    if _watched is None:
        return
    if event == "exec" and getattr(arguments[0], "co_filename", "").startswith(STANDARD_LIBRARY):
        return  # a module of the standard library is loaded, such as a codec
    if event.startswith(EXECUTES) or (event == "open" and "w" in str(arguments[1])):
        _watched.append(f"{event}{arguments!r:.200}")


def answer(call: Callable[[], Any], kind: type[ValueError] = ValueError) -> Any:
    """The result of a call, or the ValueError that it raises; raises Wrong for anything else."""
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
