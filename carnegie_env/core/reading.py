"""Values from outside, read from JSON types: each that is wrong is refused with its path and what would be right.

A game describes the shape of its positions as structs, subclasses of :class:`Part`, and reads in steps:

1. :func:`check_json`: JSON types and nothing else, in no size that no position has, so that later steps meet no
   surprise;
2. :func:`convert`: the shape. An object whose keys are ids (of cities, say) is a plain dictionary there; the game takes
   it apart, and converts its values, with their own paths;
3. :func:`code_of`: ids become numbers.

Every refusal is a ValueError, `path: what is wrong, what would be right`.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, NoReturn, Union, get_args, get_origin, get_type_hints

import msgspec

from carnegie_env.core.incoming import cut

LONGEST_KEY = 60  # characters; a longer one is no key of any position


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One object of a dictionary: every key must be there, no other may be.

    A module of these does without `from __future__ import annotations`: types that are texts would be compiled again
    for each message, while somebody else's input is read.
    """


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
        refuse(path, f"more than {most} values, no position has so many")
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


# ---------------------------------------------------------------- the shape
def convert(value: Any, kind: Any, path: str) -> Any:
    """A value as the type that its place has.

    Args:
        value: of JSON types, see :func:`check_json`.
        kind: a :class:`Part`, or any other type that msgspec converts to.
        path: where the value stands.

    Raises:
        ValueError: msgspec's complaint in our words: the path, what is there, what would be right.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        found = re.fullmatch(r"(.*) - at `\$([^`]*)`", str(error), re.DOTALL)
        message, where = (found[1], found[2]) if found else (str(error), "")
    wanted = kind
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", where):
        value = value[name or int(index)]
        wanted = _part_of(wanted, name)
        path = join(path, name) if name else f"{path}[{index}]"
    key = re.search("field `(.*)`", message)
    if key:
        wrong = "is missing" if "missing" in message else "is an unknown key"
        refuse(join(path, key[1]), f"{wrong}; the keys there are {', '.join(_keys(wanted))}")
    if isinstance(value, dict | list) and "length" in message:
        refuse(path, f"{message}, got {len(value)}")
    if "enum value" in message:
        message = f"must be one of {', '.join(_choices(wanted))}"
    if not isinstance(value, dict | list):
        message += f" {show(value)}" if ", got " in message else f", got {show(value)}"
    refuse(path, message)


def _kinds(kind: Any) -> tuple[Any, ...]:
    """The members of a union, or the type alone; without bounds and the like."""
    if get_origin(kind) is Annotated:
        return _kinds(get_args(kind)[0])
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


@functools.cache
def _types_of(part: type[Part]) -> dict[str, Any]:
    """The types of a struct's fields."""
    return get_type_hints(part, include_extras=True)


def prepare(module: dict[str, Any]) -> None:
    """Evaluate the types of all structs of a module, given its globals at its end; later, no text makes code run."""
    for value in list(module.values()):
        if isinstance(value, type) and issubclass(value, Part):
            _types_of(value)


def _part_of(kind: Any, key: str) -> Any:
    """The type of a struct's field, or of what a list holds (``key`` is "")."""
    for one in _kinds(kind):
        if key and isinstance(one, type) and issubclass(one, Part):
            return _types_of(one)[key]
        if not key and get_origin(one) is list:
            return get_args(one)[0]
    return None


def _keys(kind: Any) -> list[str]:
    """The keys of a struct."""
    return [key for one in _kinds(kind) if isinstance(one, type) and issubclass(one, Part)
            for key in one.__struct_fields__]  # fmt: skip


def _choices(kind: Any) -> list[str]:
    """The few values that a place may have."""
    values: list[str] = []
    for one in _kinds(kind):
        values += ["null"] if one is NoneType else map(str, get_args(one))
    return values


# ---------------------------------------------------------------- ids
def code_of(path: str, value: Any, names: Sequence[str], what: str) -> int:
    """The number of an id.

    Args:
        path: where the id stands.
        value: of JSON types.
        names: the ids there are, by number; "" is none.
        what: what they are ids of, for the message.

    Raises:
        ValueError: no string, or none of the ids; the message says which come close.
    """
    if type(value) is not str:
        refuse(path, f"{show(value)} is not a string, the id of one {what}")
    if value in names and value:
        return names.index(value)
    known = [name for name in names if name]
    close = difflib.get_close_matches(value[:LONGEST_KEY], known, 3, 0.6)
    hint = f"; did you mean {' or '.join(close)}?" if close else f"; there are {', '.join(known)}"
    refuse(path, f"there is no {what} {show(value)}{hint}")
