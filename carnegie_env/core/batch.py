"""N games as one structured array: for self-play simulation, training and search."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carnegie_env.core.game import Game
from carnegie_env.core.position import checked_seed

SMALLEST_SLICE = 64  # games; below that a thread costs more than it saves
SLICES_PER_THREAD = 4  # so that a thread whose core is busy with something else does not hold up the others

_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def _pool(threads: int) -> ThreadPoolExecutor:
    """One pool per process and size (a pool does not survive a fork)."""
    key = (os.getpid(), threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="carnegie")
    return _pools[key]


@atexit.register
def _close_pools() -> None:
    for (pid, _), pool in _pools.items():
        if pid == os.getpid():
            pool.shutdown()


def in_slices(function: Callable[..., Any], games: NDArray[Any], *rest: Any, threads: int) -> list[Any]:
    """Call a kernel on slices of the games, in threads.

    Further arrays of the games' length are cut alike; others are passed whole.
    """
    parts = 1 if threads == 1 else min(threads * SLICES_PER_THREAD, max(len(games) // SMALLEST_SLICE, 1))
    if parts == 1:
        return [function(games, *rest)]
    edges = [len(games) * k // parts for k in range(parts + 1)]

    def call(k: int) -> Any:
        cut = slice(edges[k], edges[k + 1])
        return function(games[cut], *[a[cut] if len(a) == len(games) else a for a in rest])

    return list(_pool(threads).map(call, range(parts)))


def as_bytes(games: NDArray[Any]) -> NDArray[Any]:
    """The same records as opaque bytes: NumPy copies those some 30 times as fast as records with fields."""
    return games.view(f"V{games.dtype.itemsize}")


class Batch:
    """N games of one kind, stepped together; one row is the decision of that game's player to move, seen from his seat.

    Games need not be in step: each row has its own player to move. The same options, seed and actions give the same
    game on any number of threads and in :class:`Position`.

    Args:
        num_games: N >= 1.
        num_threads: threads for the compiled loops; None: as many as the process may use.
        autoreset: games that end start anew within the same ``step``; see :attr:`last_done`, :attr:`last_scores`.
        **options: the game's options (``num_players``, ``difficulty``, ...).

    Attributes:
        games: the records, shape (N,); read it, or write it and call :meth:`refresh`.
        options: the options.
        num_actions: number of actions A.
        last_done: bool (N,): games that ended in the last ``step``.
        last_scores: int32 (N, rows): their final totals (zero elsewhere).

    Raises:
        ValueError: an unknown option, an impossible combination, a bad number of games or threads.
    """

    game: ClassVar[Game]

    def __init__(
        self, num_games: int, *, num_threads: int | None = None, autoreset: bool = False, **options: Any
    ) -> None:
        self.num_games = _positive("num_games", num_games)
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.num_threads = available if num_threads is None else _positive("num_threads", num_threads)
        self.autoreset = autoreset
        self.options = self.game.options(**_known(self.game, options))
        self.num_actions = self.game.num_actions(self.options)
        self.games: NDArray[Any] = np.zeros(self.num_games, self.game.dtype)
        self.last_done = np.zeros(self.num_games, bool)
        self.last_scores = np.zeros((self.num_games, self.game.num_score_rows), np.int32)
        self._template = self.game.template(self.options)
        self.reset()

    def _run(self, kernel: Callable[..., Any], games: NDArray[Any], *rest: Any) -> list[Any]:
        return in_slices(kernel, games, *rest, threads=self.num_threads)

    # ---- play
    def reset(self, seed: int | Sequence[int] | NDArray[Any] | None = None, mask: ArrayLike | None = None) -> None:
        """Start new games.

        Args:
            seed: an int s (game i gets s + i), N ints, or None: each game's next seed comes from its own generator (the
                very first time from the operating system's entropy).
            mask: bool (N,): which games; None: all.

        Raises:
            ValueError: a seed below 0 or above 2**64 - 1, a wrong number of seeds, a mask of another shape or dtype.
        """
        rows = np.arange(self.num_games)
        if mask is not None:
            mask = np.asarray(mask)
            if mask.shape != (self.num_games,) or mask.dtype != bool:
                raise ValueError(
                    f"mask must be a bool array of shape ({self.num_games},), got {mask.dtype} {mask.shape}"
                )
            rows = rows[mask]
        if len(rows) == 0:
            return
        chosen = as_bytes(self.games)[rows].view(self.game.dtype)
        if seed is not None:
            seeds = _seeds(seed, self.num_games)[rows]
        elif self.games["rng"].any():
            seeds = np.empty(len(rows), np.uint64)
            self._run(self.game.kernels.next_seeds, chosen, seeds)
        else:
            seeds = np.random.SeedSequence().generate_state(len(rows), np.uint64).astype(np.uint64)
        self._run(self.game.kernels.start, chosen, self._template, seeds)
        as_bytes(self.games)[rows] = as_bytes(chosen)

    def step(self, actions: ArrayLike) -> None:
        """Take one decision in every game; forced decisions that follow are played.

        Args:
            actions: integers, shape (N,). The entry of a game that is over must be -1.

        Raises:
            ValueError: a wrong shape or dtype, or an action that is not legal: the message names the first such game,
                the action and what is legal there. No game has moved then.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_games,):
            raise ValueError(f"actions must have shape ({self.num_games},), one per game, got {chosen.shape}")
        if chosen.dtype.kind not in "iu":
            raise ValueError(f"actions must be integers, got dtype {chosen.dtype}")
        chosen = np.ascontiguousarray(chosen, np.int64)
        bad = self.game.kernels.check(self.games, chosen)
        if bad >= 0:
            raise ValueError(self.why_illegal(bad, int(chosen[bad])))
        self._run(self.game.kernels.step, self.games, chosen)
        if self.autoreset:
            np.less(self.games["to_play"], 0, out=self.last_done)
            self.last_scores[:] = 0
            if self.last_done.any():
                ended = as_bytes(self.games)[self.last_done].view(self.game.dtype)
                self.last_scores[self.last_done] = self._totals(ended)
                self.reset(mask=self.last_done)

    def why_illegal(self, row: int, action: int) -> str:
        """Say what is wrong with an action that is not legal in a game, and what is legal there."""
        texts = self.game.texts
        if self.games["to_play"][row] < 0:
            return f"game {row} is over, its action must be -1 (or reset it), got {action}"
        legal = np.flatnonzero(self.action_masks_of(self.games[row : row + 1])[0])
        named = ", ".join(f"{a} ({texts[a]})" for a in legal[:12]) + (", ..." if len(legal) > 12 else "")
        last = self.num_actions - 1
        what = f"{action} ({texts[action]})" if 0 <= action <= last else f"{action} (not in 0..{last})"
        return f"game {row}: illegal action {what}; the {len(legal)} legal ones: {named}"

    # ---- look
    @property
    def to_play(self) -> NDArray[np.int8]:
        """Seat that decides in each game, -1 if it is over: int8 (N,), a copy."""
        return self.games["to_play"].copy()

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which games are over: bool (N,)."""
        return self.games["to_play"] < 0

    def legal_words(self) -> NDArray[np.uint64]:
        """Legal actions as 64-bit words, bit a % 64 of word a // 64: uint64 (N, W), a view."""
        return self.games["legal"]

    def action_masks(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """Legal actions as 0/1: int8 (N, A). A game that is over has none."""
        return self.action_masks_of(self.games, out)

    def action_masks_of(self, games: NDArray[Any], out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """The same for other records."""
        out = _output(out, (len(games), self.num_actions), np.int8)
        self._run(self.game.kernels.byte_masks, games, out)
        return out

    def sample_actions(self, generator: np.random.Generator) -> NDArray[np.int64]:
        """Uniformly random legal actions: int64 (N,), -1 where the game is over."""
        return sample(self.action_masks(), generator)

    @property
    def observation_layout(self) -> Any:
        """The named layout of an observation."""
        return self.game.layout(self.options)

    @property
    def observation_size(self) -> int:
        """Number of features F of an observation."""
        return int(self.observation_layout.size)

    def observe(self, out: NDArray[np.float32] | None = None, *, seat: int | None = None) -> NDArray[np.float32]:
        """Observations, float32 (N, F), from the seat of the player to move, or of ``seat`` (seat 0 after the end)."""
        out = _output(out, (self.num_games, self.observation_size), np.float32)
        if seat is None:
            seats = np.maximum(self.games["to_play"], 0).astype(np.int64)
        elif 0 <= seat < self.options.num_players:
            seats = np.full(self.num_games, seat, np.int64)
        else:
            raise ValueError(f"seat must be from 0 to {self.options.num_players - 1}, got {seat}")
        self._run(self.game.kernels.observe, self.games, seats, out)
        return out

    def breakdown(self) -> NDArray[np.int64]:
        """Scores by category as if the games ended now: int64 (N, rows, columns), see the game's scoring module."""
        return self._breakdown(self.games)

    def scores(self) -> NDArray[np.int32]:
        """Total scores as if the games ended now: int32 (N, rows), rows as in :attr:`last_scores`."""
        return self._totals(self.games)

    def _breakdown(self, games: NDArray[Any]) -> NDArray[np.int64]:
        out = np.zeros((len(games), self.game.num_score_rows, self.game.num_scores), np.int64)
        self._run(self.game.kernels.score, games, out)
        return out

    def _totals(self, games: NDArray[Any]) -> NDArray[np.int32]:
        return self._breakdown(games)[:, :, -1].astype(np.int32)

    # ---- search
    def refresh(self) -> None:
        """Make derived fields and legal actions anew after writing to :attr:`games`."""
        self._run(self.game.kernels.refresh, self.games)

    def copy(self) -> Self:
        """An independent copy that plays on identically."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.games = as_bytes(self.games).copy().view(self.game.dtype)
        other.last_done = self.last_done.copy()
        other.last_scores = self.last_scores.copy()
        return other

    def repeat(self, counts: ArrayLike) -> Self:
        """A batch with row i copied ``counts[i]`` times, in order: to try several actions in each game."""
        other = self.copy()
        other.games = np.repeat(as_bytes(self.games), np.asarray(counts)).view(self.game.dtype)
        other.num_games = len(other.games)
        other.last_done = np.zeros(other.num_games, bool)
        other.last_scores = np.zeros((other.num_games, self.game.num_score_rows), np.int32)
        return other

    def play_to_end(self, seed: int = 0) -> int:
        """Play every game to its end with uniformly random legal actions; returns the number of decisions."""
        return sum(self._run(self.game.kernels.play_out, self.games, _seeds(seed, self.num_games)))

    @classmethod
    def playouts(cls, position: Any, n: int, seed: int = 0, num_threads: int | None = None) -> NDArray[np.int32]:
        """Play ``n`` copies of a position to the end at random, all in parallel.

        What the player to move cannot see (Andrew's deck) is drawn anew for each copy.

        Args:
            position: a :class:`Position`, or one record of shape (1,).
            n: number of play-outs.
            seed: play-out i is decided by (seed, i) alone.
            num_threads: as for the class.

        Returns:
            Final total scores, int32 (n, rows).
        """
        n = _positive("n", n)
        record = getattr(position, "games", position)
        batch = object.__new__(cls)
        batch.num_games = n
        batch.num_threads = (
            len(os.sched_getaffinity(0)) if num_threads is None else _positive("num_threads", num_threads)
        )
        batch.games = np.repeat(as_bytes(record), n).view(cls.game.dtype)
        seeds = _seeds(seed, 1)[0] + np.arange(n, dtype=np.uint64) * np.uint64(2)
        batch._run(cls.game.kernels.redraw_hidden, batch.games, seeds)
        batch._run(cls.game.kernels.play_out, batch.games, seeds + np.uint64(1))
        return batch._totals(batch.games)


def sample(masks: NDArray[np.int8], generator: np.random.Generator) -> NDArray[np.int64]:
    """Uniformly random actions from 0/1 masks (N, A): int64 (N,), -1 where nothing is legal."""
    counts = np.count_nonzero(masks, axis=1)
    flat = np.flatnonzero(masks)
    starts = np.cumsum(counts) - counts
    picks = starts + (generator.random(len(masks)) * counts).astype(np.int64)
    actions = np.full(len(masks), -1, np.int64)
    some = counts > 0
    actions[some] = flat[picks[some]] % masks.shape[1]
    return actions


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of 1 or more, got {value!r}")
    return int(value)


def _known(game: Game, options: dict[str, Any]) -> dict[str, Any]:
    """Refuse unknown option names as a ValueError rather than a TypeError."""
    known: dict[str, Any] = game.options.from_dict(options).to_dict()
    return known


def _seeds(seed: Any, number: int) -> NDArray[np.uint64]:
    """Seeds of N games from an int (s + i) or N ints."""
    several = seed.ndim > 0 if isinstance(seed, np.ndarray) else isinstance(seed, Sequence)
    if several and not isinstance(seed, str | bytes):
        values = list(seed)
        if len(values) != number:
            raise ValueError(f"{number} games need one seed or {number} seeds, got {len(values)}")
    else:
        first = checked_seed(seed)
        values = [first + i for i in range(number)]
    return np.array([checked_seed(value) for value in values], np.uint64)


def _output(out: NDArray[Any] | None, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    if out is None:
        return np.empty(shape, dtype)
    if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
        raise ValueError(
            f"out must be a C-contiguous {np.dtype(dtype).name} array of shape {shape}, got {out.dtype} {out.shape}"
        )
    return out
