"""N games in one structured array, for self-play, training and search.

The compiled loops don't check indices, so a :class:`Batch` owns its records: callers get a read-only view, records from
outside are validated (:mod:`carnegie_env.core.records`), and actions are copied before they are checked.
"""

from __future__ import annotations

import atexit
import operator
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any, ClassVar, Generic, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from carnegie_env.core import kernels, rewards
from carnegie_env.core.arguments import switch
from carnegie_env.core.game import Game, OptionsT
from carnegie_env.core.layout import Layout
from carnegie_env.core.position import BasePosition
from carnegie_env.core.records import as_bytes, no_room, read_only, read_records, take_records
from carnegie_env.core.validation import (
    array_of,
    number_of_threads,
    observation_dtype,
    output,
    row_numbers,
    seat_of,
    seeds_of,
    whole_number,
)

CONVERTED_AT_ONCE = 64  # games whose observations are converted to float16 together
SMALLEST_SLICE = 64  # games; for fewer a thread costs more than it saves
MOST_GAMES = 2**30
SLICES_PER_THREAD = 4  # so that a thread on a busy core does not delay the others

_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def thread_pool(threads: int) -> ThreadPoolExecutor:
    """The pool of this process and size (a pool does not survive a fork)."""
    key = (os.getpid(), threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="games")
    return _pools[key]


@atexit.register
def _close_pools() -> None:
    for (pid, _), pool in _pools.items():
        if pid == os.getpid():
            pool.shutdown(cancel_futures=True)  # after Ctrl-C the rest need not be played


def in_slices(function: Callable[..., Any], games: NDArray[Any], *per_game: NDArray[Any], threads: int) -> list[Any]:
    """Call a kernel on slices of the games, in threads.

    Args:
        function: called with a slice of the games and the same slice of every further array.
        games: records, shape (n,).
        per_game: arrays with an entry for each game.
        threads: the number of threads, 1 or more.

    Returns:
        The results of the calls, in the order of the games.

    Raises:
        ValueError: an array of another length.
    """
    for array in per_game:
        if len(array) != len(games):
            raise ValueError(f"{len(games)} games need arrays of that length, got one of shape {array.shape}")
    parts = 1 if threads == 1 else min(threads * SLICES_PER_THREAD, max(len(games) // SMALLEST_SLICE, 1))
    if parts == 1:
        return [function(games, *per_game)]
    edges = [len(games) * k // parts for k in range(parts + 1)]

    def call(k: int) -> Any:
        cut = slice(edges[k], edges[k + 1])
        return function(games[cut], *[array[cut] for array in per_game])

    pool = thread_pool(threads)
    calls = [pool.submit(call, k) for k in range(parts)]
    try:
        return [each.result() for each in calls]
    except BaseException:  # also Ctrl-C: when the caller releases its lock, no thread may write any more
        for each in calls:
            each.cancel()
        wait(calls)
        raise


class Batch(Generic[OptionsT]):
    """N games of one kind, stepped together. Row i is the decision of game i, from the view of the seat to move.

    Each row has its own player to move. The same options, seed and actions give the same game with any number of
    threads and in :class:`Position`. Threads may share a batch: its methods hold a lock.

    ``copy()``, ``copy.copy``, ``copy.deepcopy`` and ``pickle`` make independent copies with the same future.

    Args:
        num_games: N, 1 or more.
        num_threads: threads for the compiled loops; None: as many as the process may use.
        autoreset: a game that ends restarts within the same ``step``; see :attr:`last_done`, :attr:`last_scores`.
        **options: the game's options (``num_players``, ``difficulty``, ...).

    Raises:
        ValueError: an unknown option, an impossible combination, an invalid number of games or threads, or too many
            games for the memory.
    """

    game: ClassVar[Game]

    def __init__(
        self, num_games: int, *, num_threads: int | None = None, autoreset: bool = False, **options: Any
    ) -> None:
        num_games = whole_number("num_games", num_games, 1, MOST_GAMES)
        self._set_up(self.game.options.from_dict(options), num_threads, autoreset)
        try:
            self._own(np.zeros(num_games, self.game.record))
        except MemoryError:
            raise no_room(num_games, self.game.record) from None
        self.reset()

    def _set_up(self, options: Any, num_threads: int | None, autoreset: bool) -> None:
        """Set all attributes except the games."""
        self._num_threads = number_of_threads(num_threads)
        self._autoreset = switch("autoreset", autoreset)
        self._options = options
        self._num_actions = self.game.num_actions(options)
        self._layout = self.game.layout(options)
        self._factors = (1 / self._layout.units).astype(np.float32)
        self._sides = list(self.game.sides(options))
        self._template = self.game.template(options)
        self._lock = threading.RLock()

    @classmethod
    def of(
        cls, games: Any, num_games: int | None = None, *, num_threads: int | None = None, autoreset: bool = False
    ) -> Self:
        """A batch of existing games, with their options.

        Args:
            games: a batch, a position, or an array of the game's dtype, shape (n,), validated as in :meth:`load`.
            num_games: the number of copies of a single game; None: the number of games given.
            num_threads, autoreset: as for the class.

        Raises:
            ValueError: an invalid record, games with different options, or an invalid number.
        """
        found, options = _copied_records(cls.game, games)
        for number, theirs in enumerate(options):
            if theirs != options[0]:
                raise ValueError(f"game {number}: {_difference(theirs, options[0], 'game 0')}")
        if num_games is not None:
            number = whole_number("num_games", num_games, 1, MOST_GAMES)
            if len(found) not in (1, number):
                raise ValueError(f"num_games={number} needs one game to copy, got {len(found)} games")
            found = take_records(found, np.zeros(number, np.int64)) if len(found) == 1 else found
        batch = object.__new__(cls)
        batch._set_up(options[0], num_threads, autoreset)
        batch._own(found)
        return batch

    def _own(self, games: NDArray[Any]) -> None:
        """Use these records, which nothing else refers to."""
        self._games = games
        self._make_views()
        self._last_done = np.zeros(len(games), bool)
        self._last_scores = np.zeros((len(games), len(self._sides)), np.int32)

    def _make_views(self) -> None:
        self._view = read_only(self._games)
        self._to_play = self._games["to_play"]

    def _run(self, kernel: Callable[..., Any], games: NDArray[Any], *per_game: Any) -> list[Any]:
        """Like :func:`in_slices` without the checks, and with a direct call for few games."""
        if self._num_threads == 1 or len(games) < 2 * SMALLEST_SLICE:
            return [kernel(games, *per_game)]
        return in_slices(kernel, games, *per_game, threads=self._num_threads)

    # ---- attributes
    def __len__(self) -> int:
        return len(self._games)

    def __repr__(self) -> str:
        done = int(np.count_nonzero(self._to_play < 0))
        return f"<{type(self).__qualname__} of {len(self)} games of {self.game.name}, {done} over, {self._options}>"

    @property
    def num_games(self) -> int:
        """N."""
        return len(self._games)

    @property
    def num_threads(self) -> int:
        """Threads for the compiled loops."""
        return self._num_threads

    @property
    def autoreset(self) -> bool:
        """Whether a game that ends restarts within the same step."""
        return self._autoreset

    @property
    def options(self) -> OptionsT:
        """The options of the games."""
        options: OptionsT = self._options
        return options

    @property
    def num_actions(self) -> int:
        """Number of actions A."""
        return self._num_actions

    @property
    def games(self) -> NDArray[Any]:
        """The records, shape (N,): a read-only view that shows every change of the games.

        To change games from outside, change a copy and load it: ``batch.games = records`` is ``batch.load(records)``.
        """
        return self._view

    @games.setter
    def games(self, records: Any) -> None:
        self.load(records)

    @property
    def last_done(self) -> NDArray[np.bool_]:
        """The games that ended in the last ``step``, bool (N,), with ``autoreset``; a read-only view."""
        return _view(self._last_done)

    @property
    def last_scores(self) -> NDArray[np.int32]:
        """The final scores of the games in :attr:`last_done`, int32 (N, sides), 0 for others; a read-only view."""
        return _view(self._last_scores)

    # ---- play
    def reset(self, seed: int | Sequence[int] | NDArray[Any] | None = None, mask: ArrayLike | None = None) -> None:
        """Start new games.

        Args:
            seed: an int s (game i gets s + i), N ints, or None: each game's own generator supplies its next seed (the
                first time, the operating system's entropy does).
            mask: the games to reset, bool (N,); None: all.

        Raises:
            ValueError: a seed below 0 or above 2**64 - 1, a wrong number of seeds, a mask of another shape or dtype.
        """
        rows = np.arange(len(self._games))
        if mask is not None:
            mask = array_of("mask", mask)
            if mask.shape != rows.shape or mask.dtype != bool:
                raise ValueError(f"mask must be a bool array of shape {rows.shape}, got {mask.dtype} {mask.shape}")
            rows = rows[mask]
        given = None if seed is None else seeds_of(seed, len(self._games))[rows]
        if len(rows) > 0:
            with self._lock:
                self._deal(rows, given)

    def _deal(self, rows: NDArray[np.int64], seeds: NDArray[np.uint64] | None) -> None:
        """Start new games in these rows, which are all different."""
        template = self._template
        chosen = take_records(self._games, rows)
        if seeds is None and self._games["rng"].any():
            seeds = np.empty(len(rows), np.uint64)
            self._run(kernels.next_seeds, chosen, seeds)
        elif seeds is None:
            seeds = np.random.SeedSequence().generate_state(len(rows), np.uint64).astype(np.uint64)
        self._run(lambda games, seeds: kernels.start(games, template, seeds), chosen, seeds)
        as_bytes(self._games)[rows] = as_bytes(chosen)

    def step(self, actions: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Take one decision in each game, or in some; forced decisions that follow are played.

        Args:
            actions: integers, one for each row. The action of a game that is over must be -1.
            rows: different row numbers; None: all.

        Raises:
            ValueError: a wrong shape or dtype, invalid rows, or an illegal action: the message names the first such
                game, the action and the legal ones. No game has moved then.
        """
        chosen = self._actions(actions, rows)
        with self._lock:
            bad = kernels.check(self._games, chosen, self._num_actions, rows is not None)
            if bad >= 0:
                raise ValueError(self.why_illegal(bad, int(chosen[bad])))
            self._run(kernels.step, self._games, chosen)
            if self._autoreset:
                np.less(self._to_play, 0, out=self._last_done)
                self._last_scores[:] = 0
                if self._last_done.any():
                    over = np.flatnonzero(self._last_done)
                    self._last_scores[over] = self.scores(over)
                    self._deal(over, None)

    def legal(self, actions: ArrayLike) -> NDArray[np.bool_]:
        """Whether the action for each game is legal: bool (N,), False if the game is over.

        Args:
            actions: integers, shape (N,).

        Raises:
            ValueError: a wrong shape or dtype.
        """
        chosen, out = self._actions(actions, None), np.empty(len(self._games), bool)
        with self._lock:
            self._run(partial(kernels.are_legal, self._num_actions), self._games, chosen, out)
        return out

    def _actions(self, actions: ArrayLike, rows: ArrayLike | None) -> NDArray[np.int64]:
        """A copy of the caller's actions, which can't change between the check and the step."""
        given = array_of("actions", actions)
        kind = given.dtype
        wanted = self._to_play.shape
        if rows is not None:
            where = row_numbers(rows, len(self._games), once=True)
            wanted = where.shape
        if given.shape != wanted:
            each = "game" if rows is None else "row"
            raise ValueError(f"actions must have shape ({wanted[0]},), one per {each}, got {given.shape}")
        if kind.kind not in "iu":
            raise ValueError(f"actions must be integers, got dtype {kind}")
        chosen = np.array(given, np.int64, order="C", subok=False)
        if kind.kind == "u" and kind.itemsize == 8:  # in either byte order
            chosen[chosen < 0] = np.iinfo(np.int64).max  # too large for an int64, not below 0
        if rows is None:
            return chosen
        chosen[chosen == kernels.NOT_MOVED] = np.iinfo(np.int64).max  # not an action, and reserved for the loops
        spread = np.full(len(self._games), kernels.NOT_MOVED)
        spread[where] = chosen
        return spread

    def why_illegal(self, row: int, action: int) -> str:
        """An error message for an action that is not legal in a game, with the legal ones.

        Raises:
            ValueError: there is no such row.
        """
        row, action = self._row(row), operator.index(action)
        texts, last = self.game.texts, self.num_actions - 1
        with self._lock:
            over = self._to_play[row] < 0
            legal = np.flatnonzero(self.action_masks(rows=[row]))
        if over:
            return f"game {row} is over, its action must be -1, got {action}; reset() starts a new game"
        listed = ", ".join(f"{a} ({texts[a]})" for a in legal[:12]) + (", ..." if len(legal) > 12 else "")
        named = f"{action} ({texts[action] if 0 <= action <= last else f'not in 0..{last}'})"
        return f"game {row}: illegal action {named}; the {len(legal)} legal ones: {listed}"

    def _row(self, row: Any) -> int:
        return whole_number("a row", row, 0, self.num_games - 1)

    # ---- observations, results
    @property
    def to_play(self) -> NDArray[np.int8]:
        """The seat to move in each game, -1 if the game is over: int8 (N,), a copy."""
        return self._to_play.copy()

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which games are over: bool (N,)."""
        return self._to_play < 0

    def legal_words(self) -> NDArray[np.uint64]:
        """Legal actions as bits, bit a % 64 of word a // 64: uint64 (N, W), a read-only view."""
        return self._view["legal"]

    def action_masks(self, out: NDArray[np.int8] | None = None, *, rows: ArrayLike | None = None) -> NDArray[np.int8]:
        """Legal actions as 0/1: int8 (N, A), or a row for each of ``rows``. A game that is over has none.

        Args:
            out: a C-contiguous, aligned, writable array of that shape and dtype for the result. None: a new array.
            rows: row numbers in any order; None: all.

        Raises:
            ValueError: an unsuitable ``out``, or invalid rows.
        """
        with self._lock:
            return self._masks(self._some(rows), out)

    def _masks(self, games: NDArray[Any], out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        target = output(out, (len(games), self._num_actions), np.int8)
        self._run(kernels.byte_masks, games, target)
        return target if out is None else out

    def _some(self, rows: ArrayLike | None) -> NDArray[Any]:
        """The records, or copies of some."""
        return self._games if rows is None else take_records(self._games, row_numbers(rows, len(self._games)))

    def sample_actions(self, generator: np.random.Generator) -> NDArray[np.int64]:
        """Uniformly random legal actions: int64 (N,), -1 where the game is over."""
        return sample(self.action_masks(), generator)

    @property
    def observation_layout(self) -> Layout:
        """The named layout of an observation."""
        return self._layout

    @property
    def observation_size(self) -> int:
        """Number of features F of an observation."""
        return int(self._layout.size)

    def observe(
        self,
        out: NDArray[Any] | None = None,
        *,
        seat: int | None = None,
        rows: ArrayLike | None = None,
        dtype: DTypeLike = np.float32,
    ) -> NDArray[Any]:
        """Observations, (N, F), or one for each of ``rows``, from the seat to move (seat 0 after the end).

        Args:
            out: a C-contiguous, aligned, writable array of that shape and dtype for the result. None: a new array.
            seat: the observing seat; None: the seat to move.
            rows: row numbers in any order; None: all.
            dtype: float32; float16, with about three digits; or uint8: raw numbers in the layout's `units`, at most 255
                (``observation = raw * layout.units``).

        Raises:
            ValueError: an unsuitable ``out``, a seat that is not in play, invalid rows, or another dtype.
        """
        kind = observation_dtype(dtype)
        with self._lock:
            games = self._some(rows)
            target = output(out, (len(games), self._layout.size), kind)
            seats = np.empty(len(games), np.int64)
            if seat is None:
                np.maximum(games["to_play"], 0, out=seats)
            else:
                seats[:] = seat_of(seat, self._options.num_players)
            self._observe(games, seats, target)
        return target if out is None else out

    def _observe(self, games: NDArray[Any], seats: NDArray[np.int64], target: NDArray[Any]) -> None:
        """Write observations into an array of one of the dtypes."""
        kernel = {"float32": kernels.observe, "uint8": self._observe_bytes}.get(target.dtype.name, self._observe_halves)
        self._run(kernel, games, seats, target)

    def _observe_bytes(self, games: NDArray[Any], seats: NDArray[np.int64], target: NDArray[Any]) -> None:
        """Write raw numbers."""
        kernels.observe_bytes(games, seats, self._factors, np.empty(self._layout.size, np.float32), target)

    def _observe_halves(self, games: NDArray[Any], seats: NDArray[np.int64], target: NDArray[Any]) -> None:
        """Write float16, converted from float32 for some games at a time, which fit into the processor's cache."""
        some = np.empty((min(len(games), CONVERTED_AT_ONCE), self._layout.size), np.float32)
        for first in range(0, len(games), CONVERTED_AT_ONCE):
            cut = slice(first, first + CONVERTED_AT_ONCE)
            part = some[: len(games[cut])]
            kernels.observe(games[cut], seats[cut], part)
            target[cut] = part

    def breakdown(self, rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """Scores by category as if the games ended now: int64 (N, sides, columns), or an entry for each of ``rows``.

        The columns are the game's ``score_columns``. The sides are the seats in order; at a table of one the automatic
        opponent follows.
        """
        with self._lock:
            games = self._some(rows)
            out = np.empty((len(games), self.game.score_rows, len(self.game.score_columns)), np.int64)
            self._run(kernels.score, games, out)
        return out[:, self._sides]

    def scores(self, rows: ArrayLike | None = None) -> NDArray[np.int32]:
        """The score of each side as if the games ended now: int32 (N, sides), or an entry for each of ``rows``."""
        return self.breakdown(rows)[:, :, self.game.rank_columns[0]].astype(np.int32)

    def results(self, rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """The columns of ``rank_by`` for each side as if the games ended now: int64 (N, sides, keys)."""
        return self.breakdown(rows)[:, :, self.game.rank_columns]

    def places(self, rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """The number of sides ahead of each as if the games ended now: int64 (N, sides); 0 is the first place."""
        return rewards.places(self.results(rows))

    # ---- copies, search
    def load(self, records: Any, rows: ArrayLike | None = None) -> None:
        """Load games into rows.

        The records of a :class:`Batch` or a :class:`Position` are valid and are only copied. The records of an array
        are validated as in :meth:`Position.from_dict`, which accepts only positions that play can reach and takes some
        milliseconds for each different record. Derived fields and legal actions are recomputed.

        Args:
            records: a batch, a position, or an array of the game's dtype, shape (number of rows,). A single game is
                copied into every row.
            rows: different row numbers; None: all.

        Raises:
            ValueError: another dtype or shape, games with other options than the batch, an invalid record (the message
                says which and why), or invalid rows. No game has changed then.
        """
        chosen = np.arange(len(self._games)) if rows is None else row_numbers(rows, len(self._games), once=True)
        found, options = _copied_records(self.game, records)
        for number, theirs in enumerate(options):
            if theirs != self._options:
                which = "" if len(options) == 1 else f"game {number}: "
                raise ValueError(f"{which}{_difference(theirs, self._options)}")
        if len(found) not in (1, len(chosen)):
            raise ValueError(f"there are {len(chosen)} rows for games, got {len(found)} games")
        with self._lock:
            as_bytes(self._games)[chosen] = as_bytes(found)

    def select(self, rows: ArrayLike) -> Self:
        """A batch of copies of some rows.

        Args:
            rows: row numbers, shape (n,), n >= 1, in any order, with or without repetitions.

        Raises:
            ValueError: invalid rows.
        """
        chosen = row_numbers(rows, len(self._games))
        with self._lock:
            return self._with(take_records(self._games, chosen))

    def repeat(self, counts: ArrayLike) -> Self:
        """A batch with row i copied ``counts[i]`` times, in order, for instance to try several actions in each game.

        Args:
            counts: integers of 0 or more, shape (N,), or one for all rows.

        Raises:
            ValueError: another shape or dtype, a number below 0, or no game at all.
        """
        given, n = array_of("counts", counts), len(self._games)
        if given.shape not in ((), (n,)) or given.dtype.kind not in "iu":
            raise ValueError(f"counts must be integers of shape ({n},), or one, got {given.dtype} {given.shape}")
        if (given < 0).any() or (given > MOST_GAMES).any():
            raise ValueError(f"counts must be from 0 to {MOST_GAMES}, got {int(given.min())} to {int(given.max())}")
        number = given.astype(np.int64)
        total = int(number.sum()) if number.ndim else n * int(number)
        if not 1 <= total <= MOST_GAMES:
            raise ValueError(f"the counts must sum to 1 game or more, and at most {MOST_GAMES}, got {total}")
        with self._lock:
            return self._with(take_records(self._games, np.repeat(np.arange(n), number)))

    def _with(self, games: NDArray[Any]) -> Self:
        """A batch like this one with other records, which it owns."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._lock = threading.RLock()
        other._own(games)
        return other

    def copy(self) -> Self:
        """An independent copy with the same future."""
        with self._lock:
            other = self._with(as_bytes(self._games).copy().view(self.game.record))
            other._last_done[:] = self._last_done
            other._last_scores[:] = self._last_scores
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        derived = ("_lock", "_view", "_to_play")
        return {name: value for name, value in self.copy().__dict__.items() if name not in derived}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()
        self._games = as_bytes(self._games).copy().view(self.game.record)  # unpickled arrays may be read-only
        self._last_done, self._last_scores = self._last_done.copy(), self._last_scores.copy()
        self._make_views()

    def redraw_hidden(self, seat: int | None = None, seed: int | Sequence[int] | NDArray[Any] = 0) -> None:
        """Redraw everything that a seat cannot see, and all future chance, consistently with the seat's view.

        Args:
            seat: the observing seat; None: in each row the seat to move (seat 0 after the end).
            seed: an int s (row i is drawn from s + i), or N ints.

        Raises:
            ValueError: a seat that is not in play, or an invalid seed.
        """
        seeds = seeds_of(seed, len(self._games))
        seats = np.empty(len(self._games), np.int64)
        if seat is not None:
            seats[:] = seat_of(seat, self._options.num_players)
        with self._lock:
            if seat is None:
                np.maximum(self._to_play, 0, out=seats)
            self._run(kernels.redraw_hidden, self._games, seats, seeds)

    def play_to_end(self, seed: int = 0) -> int:
        """Play every game to its end with uniformly random legal actions; return the number of decisions."""
        seeds = seeds_of(seed, len(self._games))
        with self._lock:
            return sum(self._run(kernels.play_out, self._games, seeds))

    @classmethod
    def playouts(cls, position: Any, n: int, seed: int = 0, num_threads: int | None = None) -> NDArray[np.int32]:
        """Play ``n`` copies of a position to the end at random, in parallel.

        Everything that the seat to move cannot see is redrawn in each copy.

        Args:
            position: a :class:`Position`, a batch of one game, or a record of shape (1,), validated as in :meth:`load`.
            n: the number of play-outs.
            seed: play-out i depends only on (seed, i).
            num_threads: as for the class.

        Returns:
            The final scores, int32 (n, sides).

        Raises:
            ValueError: anything but one game of this kind, or an invalid number or seed.
        """
        n, first = whole_number("n", n, 1, MOST_GAMES), seeds_of(seed, 1)[0]
        batch = cls.of(position, num_threads=num_threads)
        if batch.num_games != 1:
            raise ValueError(f"play-outs start from one game, got {batch.num_games}")
        batch = batch.select(np.zeros(n, np.int64))
        seeds = first + np.arange(n, dtype=np.uint64) * np.uint64(2)
        batch._run(kernels.redraw_hidden, batch._games, np.maximum(batch._to_play, 0).astype(np.int64), seeds)
        batch._run(kernels.play_out, batch._games, seeds + np.uint64(1))
        return batch.scores()


def sample(masks: NDArray[np.int8], generator: np.random.Generator) -> NDArray[np.int64]:
    """Uniformly random actions from 0/1 masks (N, A): int64 (N,), -1 where nothing is legal.

    Raises:
        ValueError: masks of another shape or type, or anything but a NumPy generator.
    """
    if not isinstance(generator, np.random.Generator):
        raise ValueError(f"generator must be a numpy.random.Generator, not a {type(generator).__name__}")
    masks = array_of("masks", masks)
    if masks.ndim != 2 or masks.dtype.kind not in "biu":
        raise ValueError(f"masks must be 0/1 of shape (N, A), got {masks.dtype} {masks.shape}")
    return pick(masks, generator.random(len(masks)))


def pick(masks: NDArray[Any], drawn: NDArray[np.float64]) -> NDArray[np.int64]:
    """Pick a legal action of each row with a uniform random number: int64 (N,), -1 where nothing is legal.

    Args:
        masks: 0/1, (N, A).
        drawn: numbers from [0, 1), float64 (N,).
    """
    counts = np.count_nonzero(masks, axis=1)
    flat = np.flatnonzero(masks)
    starts = np.cumsum(counts) - counts
    picks = starts + (drawn * counts).astype(np.int64)
    actions = np.full(len(masks), -1, np.int64)
    some = counts > 0
    actions[some] = flat[picks[some]] % masks.shape[1]
    return actions


# ---------------------------------------------------------------- input
def _copied_records(game: Game, given: Any) -> tuple[NDArray[Any], list[Any]]:
    """Validated copies of records, and their options: one entry for all, or one for each."""
    if isinstance(given, Batch | BasePosition):
        if given.game is not game:
            raise ValueError(f"the games must be of {game.name}, not of {given.game.name}")
        with given._lock:
            return as_bytes(given._games).copy().view(game.record), [given.options]
    return read_records(game, given)


def _difference(theirs: Any, mine: Any, whose: str = "the batch") -> str:
    """An error message for options that differ."""
    theirs, mine = theirs.to_dict(), mine.to_dict()
    named = [f"{name} is {theirs[name]!r}, not {mine[name]!r}" for name in mine if theirs[name] != mine[name]]
    return f"the options differ from those of {whose}: {', '.join(named)}"


def _view(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
