"""What a game must offer to the core: its record, its compiled loops, its names. The core knows no rule of any game.

Every game's record has these fields: ``rng`` (uint64), ``legal`` (uint64 words), ``to_play`` (seat, -1 = over),
``num_players``, ``decisions``. Its ``kernels`` module has the loops named in :class:`Kernels`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.arrays import Words


class Record(Protocol):
    """One game, as the core's compiled functions see it; a game's own class of its record has these fields, too."""

    rng: np.uint64
    legal: Words
    to_play: int
    num_players: int
    decisions: int


class Kernels(Protocol):
    """Compiled loops over ``games``, shape (n,); see ``carnegie_env.carnegie.kernels`` for what each does."""

    start: Callable[..., None]
    check: Callable[..., int]
    step: Callable[..., None]
    byte_masks: Callable[..., None]
    refresh: Callable[..., None]
    score: Callable[..., None]
    observe: Callable[..., None]
    next_seeds: Callable[..., None]
    redraw_hidden: Callable[..., None]
    play_out: Callable[..., int]


class Codec(Protocol):
    """How a record is written as a dictionary of JSON types and read back; see ``carnegie_env.carnegie.codec``.

    ``to_dict`` is plain Python: for a record of any content it returns or raises, and touches no memory but its own.
    ``from_dict`` takes positions that play could reach and raises a ValueError for everything else.
    """

    def to_dict(self, record: Any, /) -> dict[str, Any]: ...
    def from_dict(self, position: Any, /) -> NDArray[Any]: ...
    def options_of(self, record: Any, /) -> Any: ...


@dataclasses.dataclass(frozen=True)
class Game:
    """One game of the collection.

    Attributes:
        name: the game's id.
        options: class of its options; its fields are the keyword arguments of every interface.
        dtype: dtype of a record.
        template: options -> array of shape (1,), the record before anything is drawn.
        derived: names of the fields that follow from the others (``kernels.refresh`` makes them).
        kernels: module with the compiled loops.
        codec: module that writes and reads positions.
        texts: text of every action, by number.
        num_actions: options -> number of actions A of such games; texts beyond A stand for actions they never have.
        num_score_rows: owners that score: seats and, if there is one, the automatic opponent in the last row.
        num_scores: columns of a score row; the last is the total.
        layout: options -> observation layout (``size``, ``low``, ``high``, ...).
    """

    name: str
    options: type[Any]
    dtype: np.dtype[Any]
    template: Callable[[Any], NDArray[Any]]
    derived: frozenset[str]
    kernels: Kernels
    codec: Codec
    texts: tuple[str, ...]
    num_actions: Callable[[Any], int]
    num_score_rows: int
    num_scores: int
    layout: Callable[[Any], Any]
