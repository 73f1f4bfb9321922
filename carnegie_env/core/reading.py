"""Validation of JSON values from outside. Every error is a ValueError: `path: what is wrong and what is allowed`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from carnegie_env.core.validation import cut

LONGEST_KEY = 60  # characters
FEW = 9  # names that a message lists in full; from a longer list it gives the closest


def refuse(path: str, wrong: str) -> NoReturn:
    """Raise the ValueError for a value; ``path`` is for instance `companies[0].money`, or "" for the whole position."""
    raise ValueError(f"{path or 'the position'}: {wrong}")


def join(path: str, key: str) -> str:
    """The path of a key of the object at ``path``."""
    return f"{path}.{key}" if path else key


def show(value: Any) -> str:
    """A value for a message, spelt as in JSON and shortened."""
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return cut(text, 60)


def at_path(value: Any, path: str) -> Any:
    """The value at a path as messages give it; None if there is none."""
    for key, number in re.findall(r"(\w+)|\[(\d+)\]", re.sub(r"\[(\d+)\]", r".[\1]", path)):
        if isinstance(value, dict):
            value = value.get(key)
        else:
            value = value[int(number)] if isinstance(value, list) and number and int(number) < len(value) else None
    return value


# ---------------------------------------------------------------- JSON types
def check_json(value: Any, deepest: int, most: int) -> None:
    """Refuse anything that is not JSON, and anything too large for a position.

    Args:
        value: anything.
        deepest: the most levels of nested objects and lists.
        most: the most values.

    Raises:
        ValueError: another type, an int of more than 64 bits, a key with characters other than a-z, 0-9 and _, or a
            limit exceeded.
    """
    _check_json(value, "", deepest, most, most)


def _check_json(value: Any, path: str, levels: int, left: int, most: int) -> int:
    """Check a value that may have ``levels`` levels and ``left`` values; returns the number of values then left."""
    if left == 0:
        refuse(path, f"a position must not have more than {most} values")
    left -= 1
    if type(value) in (dict, list):
        if levels == 0:
            refuse(path, "is nested too deeply")
        items: Iterable[tuple[Any, Any]] = value.items() if type(value) is dict else enumerate(value)
        for key, part in items:
            if type(value) is list:
                inner = f"{path}[{key}]"
            elif type(key) is str and re.fullmatch(f"[a-z0-9_]{{1,{LONGEST_KEY}}}", key):
                inner = join(path, key)
            else:
                shown = show(key) if type(key) in (str, int) else f"a {type(key).__name__}"
                refuse(path, f"{shown} is not a valid key; keys consist of a-z, 0-9 and _")
            left = _check_json(part, inner, levels - 1, left, most)
    elif type(value) is int:
        if value.bit_length() > 64:
            refuse(path, "must fit into 64 bits")
    elif value is not None and type(value) not in (str, bool, float):
        refuse(path, f"must be a dict, list, str, int, float, bool or None, not a {type(value).__name__}")
    return left


# ---------------------------------------------------------------- numbers and names
def number_at(path: str, value: Any, least: int, most: int) -> int:
    """A whole number within a range; a ValueError for anything else, including bools and floats."""
    if type(value) is not int or not least <= value <= most:
        last = "2**64 - 1" if most == 2**64 - 1 else most
        refuse(path, f"must be a whole number from {least} to {last}, not {show(value)}")
    return value


def code_of(path: str, value: Any, names: Sequence[Any], missing: bool = False) -> int:
    """The number of a name.

    Args:
        path: the place of the name, for the message.
        value: a JSON value.
        names: the names by number; "" marks a number without a name. Names may also be whole numbers or bools.
        missing: whether null is allowed as well, for the message.

    Raises:
        ValueError: not one of the names; the message lists them, or the closest ones.
    """
    for code, name in enumerate(names):
        if name != "" and type(value) is type(name) and value == name:
            return code
    known = [show(name) if isinstance(name, bool) else str(name) for name in names if name != ""]
    known += ["null"] if missing else []
    close = difflib.get_close_matches(value[:LONGEST_KEY], known, 3, 0.6) if type(value) is str else []
    if len(known) > FEW and close:
        refuse(path, f"there is no {show(value)}; did you mean {' or '.join(close)}?")
    listed = ", ".join(known[:FEW]) + (", ..." if len(known) > FEW else "")
    refuse(path, f"must be {'one of ' if len(known) > 1 else ''}{listed}, not {show(value)}")
