"""Records as arrays: shown without being writable, copied fast, and read from outside with every field checked.

The rules are compiled without checks of indices: a record that no play could reach may lead them anywhere in memory. So
a record from outside goes through the game's codec: written as a dictionary (plain Python, which cannot leave its
tables), read back with all its checks, and compared with what came in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import kernels
from carnegie_env.core.game import Game
from carnegie_env.core.validation import cut


def as_bytes(records: NDArray[Any]) -> NDArray[Any]:
    """The same records as opaque bytes: NumPy copies those some 30 times as fast as records with fields."""
    return records.view(f"V{records.dtype.itemsize}")


def take_records(records: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """Copies of some records, in the order of ``rows``.

    Raises:
        ValueError: there is not so much memory.
    """
    try:
        taken: NDArray[Any] = as_bytes(records)[rows].view(records.dtype)
    except MemoryError:
        raise no_room(len(rows), records.dtype) from None
    return taken


def no_room(number: int, record: np.dtype[Any]) -> ValueError:
    """The error for more games than there is memory for."""
    size = number * record.itemsize / 2**30
    return ValueError(f"num_games: {number} games take {size:.0f} GiB, more memory than available")


def read_only(records: NDArray[Any]) -> NDArray[Any]:
    """A view of C-contiguous records that can't be made writable, unlike one with a flag."""
    return np.frombuffer(memoryview(records.view(np.uint8).data).toreadonly(), records.dtype)


def read_records(game: Game, given: Any) -> tuple[NDArray[Any], list[Any]]:
    """Validated copies of records from outside.

    Args:
        game: which game's.
        given: an array of the game's dtype, shape (n,), n >= 1; it may be strided, read-only, anything that NumPy can
            copy.

    Returns:
        New records, with derived fields recomputed, and the options of each.

    Raises:
        ValueError: no such array, or a record that play can't reach.
    """
    if not isinstance(given, np.ndarray):
        raise ValueError(f"a Batch, a Position or an array of records is needed, got a {type(given).__name__}")
    if given.dtype != game.record:
        raise ValueError(f"records of {game.name} have their own dtype, got {str(given.dtype)[:80]}")
    if given.ndim != 1 or len(given) == 0:
        raise ValueError(f"records must have shape (n,), 1 or more, got {given.shape}")
    copied = np.array(given.view(np.ndarray), order="C")  # no other thread writes to it while it is read
    copied = copied.view(game.record)  # an equal dtype may be of plain structures, without their fields as attributes
    found = np.zeros(len(copied), game.record)
    options: list[Any] = []
    known: dict[bytes, int] = {}  # the same record again needs no second look
    for number, record in enumerate(copied):
        first = known.setdefault(record.tobytes(), number)
        if first == number:
            try:
                found[number] = read_record(game, record)[0]
            except ValueError as error:
                which = "the record" if len(copied) == 1 else f"record {number}"
                raise ValueError(f"{which} is no position that play could reach: {error}") from None
            options.append(game.codec.options_of(found[number]))
        else:
            as_bytes(found)[number] = as_bytes(found)[first]
            options.append(options[first])
    return found, options


def read_record(game: Game, record: Any) -> NDArray[Any]:
    """One record from outside as a new array of shape (1,); a ValueError if play could not reach it."""
    try:
        written = game.codec.to_dict(record)
    except (LookupError, ValueError, TypeError, ArithmeticError) as error:
        raise ValueError(f"a field holds a number that stands for nothing ({type(error).__name__})") from None
    found = read_position(game, written)
    for name in game.record.names or ():
        if name not in game.derived and not np.array_equal(found[name][0], record[name]):
            raise ValueError(f"the field {name} is {_shown(record[name])}, it must be {_shown(found[name][0])}")
    return found


def read_position(game: Game, position: Any) -> NDArray[Any]:
    """A position given as a dictionary, as a record of shape (1,), derived fields computed; ValueError if malformed."""
    found = game.codec.from_dict(position)
    kernels.refresh(found)
    if found["to_play"][0] >= 0 and not found["legal"][0].any():
        raise ValueError("phase: nothing is legal in this phase of this position")
    return found


def _shown(value: Any) -> str:
    return cut(" ".join(str(value).split()))
