"""Values from outside, of JSON types: whatever is wrong is refused with its path, the value, and what would be right.

Every refusal is a ValueError, `path: what is wrong, what would be right`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from carnegie_env.core.validation import cut

LONGEST_KEY = 60  # characters; a longer one is no key of any position
FEW = 9  # names that a message lists; of more it names the closest


def refuse(path: str, wrong: str) -> NoReturn:
    """Raise the ValueError that names a value; ``path`` is for instance `companies[0].money`, "" the whole position."""
    raise ValueError(f"{path or 'the position'}: {wrong}")


def join(path: str, key: str) -> str:
    """The path of a key of the object at ``path``."""
    return f"{path}.{key}" if path else key


def show(value: Any) -> str:
    """A value for a message, in JSON's words where they differ from Python's, not too long."""
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return cut(text, 60)


def at_path(value: Any, path: str) -> Any:
    """The value at a path as messages give it; None where there is nothing."""
    for key, number in re.findall(r"(\w+)|\[(\d+)\]", re.sub(r"\[(\d+)\]", r".[\1]", path)):
        if isinstance(value, dict):
            value = value.get(key)
        else:
            value = value[int(number)] if isinstance(value, list) and number and int(number) < len(value) else None
    return value


# ---------------------------------------------------------------- JSON types and nothing else
def check_json(value: Any, deepest: int, most: int) -> None:
    """Refuse what JSON does not have, and sizes that no position has.

    Args:
        value: anything.
        deepest: how many levels of objects and lists there may be.
        most: how many values there may be.

    Raises:
        ValueError: another type, an int of more than 64 bits, a key with other signs than a-z, 0-9 and _, too much.
    """
    _check_json(value, "", deepest, most, most)


def _check_json(value: Any, path: str, deeper: int, left: int, most: int) -> int:
    """``left`` values may still come, ``deeper`` levels down; returns how many after these."""
    if left == 0:
        refuse(path, f"more than {most} values, which no position has")
    left -= 1
    if type(value) in (dict, list):
        if deeper == 0:
            refuse(path, "too many levels deep, no position is")
        items: Iterable[tuple[Any, Any]] = value.items() if type(value) is dict else enumerate(value)
        for key, part in items:
            if type(value) is list:
                inner = f"{path}[{key}]"
            elif type(key) is str and re.fullmatch(f"[a-z0-9_]{{1,{LONGEST_KEY}}}", key):
                inner = join(path, key)
            else:
                shown = show(key) if type(key) in (str, int) else f"a {type(key).__name__}"
                refuse(path, f"{shown} is no key of a position; they are made of a-z, 0-9 and _")
            left = _check_json(part, inner, deeper - 1, left, most)
    elif type(value) is int:
        if value.bit_length() > 64:
            refuse(path, "is a number of more than 64 bits")
    elif value is not None and type(value) not in (str, bool, float):
        refuse(path, f"is a {type(value).__name__}; only JSON types are read: dict, list, str, int, bool, None")
    return left


# ---------------------------------------------------------------- numbers and names
def number_at(path: str, value: Any, least: int, most: int) -> int:
    """A whole number within a range; a ValueError for anything else, a bool or a float included."""
    if type(value) is not int or not least <= value <= most:
        last = "2**64 - 1" if most == 2**64 - 1 else most
        refuse(path, f"{show(value)}; it is a whole number from {least} to {last}")
    return value


def code_of(path: str, value: Any, names: Sequence[Any], missing: bool = False) -> int:
    """The number of a name.

    Args:
        path: where the name stands.
        value: of JSON types.
        names: by number; "" is none. Names may also be whole numbers, or bools.
        missing: whether null is right, too.

    Raises:
        ValueError: none of the names; the message lists them, or those that come close.
    """
    for code, name in enumerate(names):
        if name != "" and type(value) is type(name) and value == name:
            return code
    known = [show(name) if isinstance(name, bool) else str(name) for name in names if name != ""]
    known += ["null"] if missing else []
    if len(known) <= FEW:
        refuse(path, f"{show(value)}; it is one of {', '.join(known)}")
    close = difflib.get_close_matches(value[:LONGEST_KEY], known, 3, 0.6) if type(value) is str else []
    hint = f"did you mean {' or '.join(close)}?" if close else f"it is one of {', '.join(known[:FEW])}, ..."
    refuse(path, f"there is no {show(value)}; {hint}")
