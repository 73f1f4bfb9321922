"""Random changes of a dictionary of JSON types; values are addressed by paths."""

import copy
import random
from collections.abc import Iterator
from typing import Any


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of a value and all values inside it."""
    yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(part, (*path, key))


def leaves(value: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """The values that contain no others, with their paths."""
    return [(path, part) for path in paths(value) if not isinstance(part := at(value, path), dict | list)]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """The value at a path."""
    for key in path:
        value = value[key]
    return value


def put(value: Any, path: tuple[Any, ...], part: Any) -> None:
    """Replace the value at a path."""
    at(value, path[:-1])[path[-1]] = part


JUNK = (
    None, True, False, 0, 1, -1, 2, 5, 15, 40, 10**9, 2**63, 2**64, 2**70, 10**5000, 1.5, float("nan"), float("inf"),
    "x", "", "pass", "west", "player_0", "\x00", "x - at `$.phase`", "a" * 10**5, [], {}, [[]], {"a": 1}, {1: 1},
    (1, 2), {1}, b"x", object(), type, [None] * 10**4,
)  # fmt: skip


def spoil(position: dict[str, Any], rng: random.Random, junk: tuple[Any, ...] = JUNK) -> dict[str, Any]:
    """A copy with one to three values replaced, removed, duplicated, swapped or slightly changed."""
    position = copy.deepcopy(position)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        known = [path for path in paths(position) if path]
        if not known:
            break  # everything was taken out
        path, other = rng.choice(known), rng.choice(known)
        parent, key = at(position, path[:-1]), path[-1]
        match rng.randrange(7):
            case 0:
                del parent[key]
            case 1:
                parent[key] = copy.deepcopy(rng.choice(junk))
            case 2:
                parent[key] = copy.deepcopy(at(position, other))
            case 3 if type(parent[key]) is int:
                parent[key] += rng.choice((-2, -1, 1, 2))
            case 4 if isinstance(parent, dict):
                parent[rng.choice(("x", "r0c0", "west", "a b", "", 5, None, "sales"))] = copy.deepcopy(parent[key])
            case 5 if isinstance(parent, list):
                parent.append(copy.deepcopy(parent[key]))
            case 6 if path[: len(other)] != other and other[: len(path)] != path:
                here, there = parent[key], at(position, other)
                parent[key] = there
                at(position, other[:-1])[other[-1]] = here
    return position
