"""Arrays of records: read-only views, fast copies, and validation of records from outside.

The compiled rules don't check indices, so with an unreachable record they could access any memory. Therefore a record
from outside is written as a dictionary by the game's codec (plain Python, which can't leave its tables), read back with
all checks, and compared with the original.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import kernels
from carnegie_env.core.game import Game
from carnegie_env.core.validation import cut


def as_bytes(records: NDArray[Any]) -> NDArray[Any]:
    """The same records as opaque bytes, which NumPy copies some 30 times as fast as records with fields."""
    return records.view(f"V{records.dtype.itemsize}")


def take_records(records: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """Copies of some records, in the order of ``rows``.

    Raises:
        ValueError: there is not enough memory.
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
    """A read-only view of C-contiguous records, which can't be made writable with a flag."""
    return np.frombuffer(memoryview(records.view(np.uint8).data).toreadonly(), records.dtype)


def read_records(game: Game, given: Any) -> tuple[NDArray[Any], list[Any]]:
    """Validated copies of records from outside.

    Args:
        game: the game of the records.
        given: an array of the game's dtype, shape (n,), n >= 1, with any strides and flags.

    Returns:
        New records, with derived fields recomputed, and the options of each.

    Raises:
        ValueError: another kind of array, or a record that play can't reach.
    """
    if not isinstance(given, np.ndarray):
        raise ValueError(f"games must be a Batch, a Position or an array of records, not a {type(given).__name__}")
    if given.dtype != game.record:
        raise ValueError(f"records must have the dtype of {game.name}, not {str(given.dtype)[:80]}")
    if given.ndim != 1 or len(given) == 0:
        raise ValueError(f"records must have shape (n,), n >= 1, not {given.shape}")
    copied = np.array(given.view(np.ndarray), order="C")  # other threads can't change the copy while it is read
    copied = copied.view(game.record)  # an equal dtype may lack the fields as attributes
    found = np.zeros(len(copied), game.record)
    options: list[Any] = []
    known: dict[bytes, int] = {}  # equal records are validated once
    for number, record in enumerate(copied):
        first = known.setdefault(record.tobytes(), number)
        if first == number:
            try:
                found[number] = read_record(game, record)[0]
            except ValueError as error:
                which = "the record" if len(copied) == 1 else f"record {number}"
                raise ValueError(f"{which} is not a reachable position: {error}") from None
            options.append(game.codec.options_of(found[number]))
        else:
            as_bytes(found)[number] = as_bytes(found)[first]
            options.append(options[first])
    return found, options


def read_record(game: Game, record: Any) -> NDArray[Any]:
    """A validated copy of one record from outside, shape (1,); a ValueError if play can't reach it."""
    try:
        written = game.codec.to_dict(record)
    except (LookupError, ValueError, TypeError, ArithmeticError) as error:
        raise ValueError(f"a field has a number without a meaning ({type(error).__name__})") from None
    found = read_position(game, written)
    for name in game.record.names or ():
        if name not in game.derived and not np.array_equal(found[name][0], record[name]):
            raise ValueError(f"the field {name} must be {_shown(found[name][0])}, not {_shown(record[name])}")
    return found


def read_position(game: Game, position: Any) -> NDArray[Any]:
    """The record of a position in a dictionary, shape (1,), with derived fields; a ValueError if it is invalid."""
    found = game.codec.from_dict(position)
    kernels.refresh(found)
    if found["to_play"][0] >= 0 and not found["legal"][0].any():
        raise ValueError("phase: no action is legal in this phase")
    return found


def _shown(value: Any) -> str:
    return cut(" ".join(str(value).split()))
