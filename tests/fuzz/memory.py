"""Valid and invalid calls of Batch and Position: arrays of any shape, type and layout, records with any content.

A case makes batches of a mode and calls them a few times with valid or malformed arguments. The expected results are
computed from single positions, row by row. Calls with malformed arguments must be refused and change nothing. Output
arrays lie inside larger ones, whose other bytes must not change. With NUMBA_BOUNDSCHECK=1, compiled code that leaves an
array raises an IndexError, which counts as a failure.
"""

import contextlib
import copy
import functools
import pickle
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from carnegie_env import Batch, Position
from carnegie_env.carnegie import state
from carnegie_env.carnegie.invariants import INVARIANTS
from carnegie_env.core.batch import sample
from tests import players
from tests.fuzz.answers import Wrong, answer, refused
from tests.fuzz.calls import spot
from tests.spoiling import JUNK

CALLS = 8  # in a case
MODES = (*players.MODES, *players.ALL_ON)
DERIVED = state.GAME.names.index("active_at")
FACTS = state.GAME.names[:DERIVED]
CANARY = 37


@functools.cache
def warm() -> None:
    """Load all compiled code: compiling it during a call would count as an execution."""
    for threads in (1, 2):
        batch = Batch(130, num_threads=threads, autoreset=True)
        batch.step(batch.sample_actions(np.random.default_rng(0)))
        batch.reset()
        batch.observe(), batch.scores(), batch.play_to_end(), batch.load(batch.games[:1])
        Batch.playouts(Position(batch.games[:1]), 2)
        batch.legal(np.zeros(130, int)), batch.redraw_hidden(), Batch.of(batch), batch.results()
    for mode in MODES:
        Position.new(mode).observe()
    INVARIANTS.inspect(np.zeros(1, state.GAME)[0])


# ---------------------------------------------------------------- arguments
def others(rng: random.Random) -> Any:
    """Anything but a useful array."""
    values = (
        None, 0, -1, 3.5, "x", b"x", (), [], [[1], [2, 3]], {1: 2}, object(), np.array(None), np.float32(2), range(4),
        np.zeros(3, "M8[s]"), np.zeros(2, [("a", "i4")]), np.zeros((0, 4)), np.array("x"), np.ma.masked, Batch, 2**70,
        np.zeros((2, 3, 4), np.int8), np.array([object()]), float("nan"), 1j, memoryview(b"abcd"), slice(2), ...,
    )  # fmt: skip
    return rng.choice((*values, rng.choice(JUNK)))


def laid_out(rng: random.Random, array: np.ndarray) -> np.ndarray:
    """The same values in another memory layout."""
    match rng.randrange(7):
        case 0:
            return array[::-1].copy()[::-1]  # negative stride
        case 1:
            wide = np.zeros((len(array), 3), array.dtype)
            wide[:, 1] = array
            return wide[:, 1]
        case 2:
            locked = array.copy()
            locked.flags.writeable = False
            return locked
        case 3:
            return array.astype(array.dtype.newbyteorder())
        case 4:
            odd = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype)
            odd[:] = array
            return odd
        case 5:
            return array.view(np.recarray) if array.dtype.names is None else array
    return array


def malformed(rng: random.Random, array: np.ndarray) -> Any:
    """A valid array of integers, changed so that it is usually invalid."""
    n = len(array)
    match rng.randrange(10):
        case 0:
            return others(rng)
        case 1:
            return array[: rng.randrange(n)] if rng.random() < 0.5 else np.resize(array, n + rng.randrange(1, 70))
        case 2:
            return array.reshape(rng.choice(((1, n), (n, 1), (1, n, 1))))
        case 3:
            kinds = (np.float64, np.complex64, bool, object, "U5", np.uint64, np.int8, np.uint8, np.float16)
            with np.errstate(all="ignore"):
                return array.astype(rng.choice(kinds))
        case 4:
            changed = array.astype(np.int64)
            changed[rng.randrange(n)] = rng.choice((-1, -2, 332, 333, 672, 673, 10**6, 2**62, -(2**63), 2**63 - 1))
            return changed
        case 5:
            return np.full(n, 2**64 - rng.randrange(1, 4), np.uint64)
        case 6:
            return as_strided(array, (n,), (0,))  # one number for all
        case 7:
            return as_strided(array, (n, 3), (array.itemsize, 0))
        case 8:
            mixed = array.tolist()
            mixed[rng.randrange(n)] = rng.choice((None, 1.5, "pass", [1], 10**30, float("nan"), {}, b"x", n))
            return mixed
    return np.array([rng.randrange(-2, 700) for _ in range(n)])


def room(rng: random.Random, shape: tuple[int, ...], dtype: Any) -> tuple[Any, bool, Callable[[], bool]]:
    """An output array, whether it is valid, and a function that tells whether the bytes around it are unchanged."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    around = np.full(size + 256, CANARY, np.uint8)
    right = around[128 : 128 + size].view(dtype).reshape(shape)

    def untouched() -> bool:
        return bool((around[:128] == CANARY).all() and (around[129 + size :] == CANARY).all())

    match rng.randrange(12):
        case 0:
            return others(rng), False, untouched
        case 1:
            return right[:-1] if rng.random() < 0.5 else right[:, :-1], False, untouched
        case 2:
            shifted = around[129 : 129 + size].view(dtype).reshape(shape)
            return shifted, np.dtype(dtype).itemsize == 1, untouched
        case 3:
            right.flags.writeable = False
            return right, False, untouched
        case 4:
            return right[::-1], shape[0] == 1, untouched
        case 5:
            return np.asfortranarray(right), 1 in shape, untouched
        case 6:
            return right.astype(rng.choice((np.uint8, np.float64, np.int16, ">f4", object))), False, untouched
        case 7:
            return as_strided(right, shape, (0, right.strides[1])), shape[0] == 1, untouched
        case 8:
            return right.view(np.recarray), True, untouched
        case 9:
            return right.reshape(-1), False, untouched
    return right, True, untouched


def records(rng: random.Random, right: np.ndarray) -> Any:
    """Valid records in any layout, or others: of other modes, with any field values, any bytes, no records at all."""
    found = right.copy()
    match rng.randrange(14):
        case 0:
            return others(rng)
        case 1:
            return np.zeros(len(right), state.GAME)
        case 2:
            noise = np.frombuffer(rng.randbytes(right.nbytes), np.uint8).copy()
            return noise.view(state.GAME)
        case 3:
            return spot(rng, rng.choice(MODES)).games
        case 4:
            return np.concatenate([found, spot(rng, rng.choice(MODES)).games])
        case 5:
            return rng.choice((found[:0], found.reshape(1, -1), found[0], found.view(np.uint8), found["money"]))
        case 6:
            return found.astype(state.GAME.newbyteorder())
        case 7 | 8 | 9 | 10:
            for _ in range(rng.choice((1, 1, 1, 2, 5))):
                field = found[rng.choice(FACTS)][rng.randrange(len(found)) :][:1].reshape(-1)
                k, most = rng.randrange(len(field)), np.iinfo(field.dtype)
                value = int(field[k]) + rng.choice((-2, -1, 1, 2, 17)) if rng.random() < 0.7 else rng.getrandbits(64)
                field[k] = (value - most.min) % (most.max - most.min + 1) + most.min
            return found
        case 11:
            for name in state.GAME.names[DERIVED:]:
                found[name] = rng.randrange(100)
            return found
    wide = np.zeros(2 * len(right), state.GAME)
    wide[::2] = right
    return rng.choice((wide[::2], found[::-1].copy()[::-1], right))


# ---------------------------------------------------------------- the model: single positions
def positions(games: np.ndarray) -> list[Position]:
    return [Position._of(games[k : k + 1].copy()) for k in range(len(games))]


def same(found: np.ndarray, wanted: np.ndarray) -> bool:
    return len(found) == len(wanted) and players.mark(found) == players.mark(wanted)


def shown(value: Any) -> str:
    return "an int of many digits" if isinstance(value, int) and abs(value) > 2**1000 else f"{value!r:.200}"


def expect(right: bool, what: str) -> None:
    if not right:
        raise Wrong(what)


class World:
    """Batches of one mode, each with its expected records; calls may add copies."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.mode = rng.choice(MODES)
        n = rng.choice((1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 130))
        first = Batch(n, num_threads=rng.choice((1, 2)), **self.mode)
        for row in range(n) if n < 100 else (0, 64, 129):
            first.load(spot(rng, self.mode), [row])
        self.batches = [(first, first.games.copy())]
        self.generator = np.random.default_rng(rng.randrange(2**32))

    def pick(self) -> int:
        return self.rng.randrange(len(self.batches))

    def note(self, k: int) -> None:
        """Expect the records that a batch has now."""
        self.batches[k] = (self.batches[k][0], self.batches[k][0].games.copy())

    def check(self) -> None:
        """Check that only the intended batch has changed."""
        for batch, wanted in self.batches:
            expect(same(batch.games, wanted), "another batch has changed")

    # ---- a method for each kind of call, which returns whether the call was refused
    def step(self) -> bool:
        k = self.pick()
        batch, games = self.batches[k]
        right = sample(batch.action_masks(), self.generator)
        given = right if self.rng.random() < 0.4 else malformed(self.rng, right)
        if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iu":
            given = laid_out(self.rng, given) if len(given) else given
        found = answer(lambda: batch.step(given))
        taken = None if isinstance(given, str | bytes | dict) else _numbers(given)
        masks = batch.action_masks() if refused(found) else None
        fine = taken is not None and taken.shape == (len(games),)
        if fine and masks is not None:
            pairs = zip(taken.tolist(), masks, strict=True)
            fine = all(0 <= a < len(mask) and mask[a] if mask.any() else a == -1 for a, mask in pairs)
        expect(fine != refused(found), f"step({shown(given)}): {found}")
        if refused(found):
            return True
        wanted = positions(games)
        for position, action in zip(wanted, taken.tolist(), strict=True):  # type: ignore[union-attr]
            if not position.is_over:
                position.apply(action)
            else:
                expect(action == -1, f"took {action} for a game that is over")
        expect(same(batch.games, np.concatenate([p.games for p in wanted])), "step and Position.apply differ")
        self.note(k)
        return False

    def masks(self) -> bool:
        batch, games = self.batches[self.pick()]
        out, will_do, untouched = room(self.rng, (len(games), batch.num_actions), np.int8)
        found = answer(lambda: batch.action_masks(out))
        will_do = will_do or out is None
        expect(will_do != refused(found) and untouched(), f"action_masks(out): {shown(found)}")
        if not refused(found):
            expect(out is None or found is out, "another array was returned")
            expect(all((m == p.action_mask()).all() for m, p in zip(found, positions(games), strict=True)), "masks")
        return refused(found)

    def observe(self) -> bool:
        batch, games = self.batches[self.pick()]
        out, will_do, untouched = room(self.rng, (len(games), batch.observation_size), np.float32)
        seats = range(self.mode["num_players"])
        wrong = (-1, 4, "0", True, 1.0, np.uint64(2**63), 10**30)
        seat = self.rng.choice((None, None, *seats, *seats, np.int8(0), *wrong))
        found = answer(lambda: batch.observe(out, seat=seat))
        right = seat is None or isinstance(seat, int | np.integer) and not isinstance(seat, bool) and seat in seats
        right = right and (will_do or out is None)
        expect(right != refused(found) and untouched(), f"observe: {shown(seat)} {shown(found)}")
        if not refused(found):
            wanted = [p.observe(seat) for p in positions(games)]
            expect(all((o == w).all() for o, w in zip(found, wanted, strict=True)), "observations differ")
        return refused(found)

    def reset(self) -> bool:
        k = self.pick()
        batch, games = self.batches[k]
        n, rng = len(games), self.rng
        seed = rng.choice((rng.randrange(2**64), 0, [rng.randrange(99) for _ in range(n)], np.arange(n, dtype="u8"),
                           np.arange(n)[::-1], -1, 2**64 - n, 2**64 - n + 1, [1] * (n + 1), others(rng)))  # fmt: skip
        mask = rng.choice((None, np.ones(n, bool), np.arange(n) % 2 == 0, laid_out(rng, np.arange(n) % 3 == 0),
                           np.ones(n, np.int8), np.ones(n + 1, bool), others(rng)))  # fmt: skip
        if isinstance(mask, np.ndarray) and mask.dtype.byteorder == ">":
            mask = None
        found = answer(lambda: batch.reset(seed, mask))
        rows = np.arange(n) if mask is None else _bool(mask, n)
        try:
            seeds = _wanted_seeds(seed, n)
        except ValueError:
            rows = None
        expect((rows is None) == refused(found), f"reset({shown(seed)}, {shown(mask)}): {found}")
        if refused(found):
            return True
        wanted = games.copy()
        for row in rows.tolist():  # type: ignore[union-attr]
            if seeds is None:  # the next of the game's own sequence
                continue
            wanted[row] = Position.new(self.mode, seeds[row]).games[0]
        rest = np.setdiff1d(np.arange(n), rows) if seeds is None else np.arange(n)
        expect(same(batch.games[rest], wanted[rest]), "reset differs from Position.new")
        expect((batch.games["decisions"][rows] == 0).all(), "reset hasn't started new games")
        self.note(k)
        return False

    def load(self) -> bool:
        k = self.pick()
        batch, games = self.batches[k]
        rng, n = self.rng, len(games)
        given: Any = records(rng, games[: rng.randrange(1, 4)])
        if rng.random() < 0.25:
            given = rng.choice((self.batches[self.pick()][0], spot(rng, rng.choice((self.mode, rng.choice(MODES))))))
        source = given.games.copy() if isinstance(given, Batch | Position) else given
        number = source.size if isinstance(source, np.ndarray) else 1
        rows: Any = rng.sample(range(n), min(number, n)) if rng.random() < 0.7 else None
        if rng.random() < 0.15:
            rows = malformed(rng, np.arange(n))
        found = answer(lambda: batch.load(given, rows)) if rows is not None or rng.random() < 0.5 else answer(
            lambda: setattr(batch, "games", given))  # fmt: skip
        if refused(found):
            sure = isinstance(given, Batch) and given is batch and rows is None
            expect(not sure, f"load refused its own games: {found}")
            return True
        where = np.arange(n) if rows is None else np.asarray(rows)
        wanted = np.broadcast_to(source, len(where)) if len(source) == 1 else source
        now = batch.games[where]
        for name in FACTS:
            expect(np.array_equal(now[name], wanted[name]), f"load has changed {name}")
        rest = np.setdiff1d(np.arange(n), where)
        expect(same(batch.games[rest], games[rest]), "load has changed other rows")
        expect(players.faults(now) == [], "load accepted an invalid position")
        codes = {tuple(sorted(Position(game.reshape(1)).options.to_dict().items(), key=str)) for game in now[:3]}
        expect(codes == {tuple(sorted(batch.options.to_dict().items(), key=str))}, "load accepted another mode")
        if not same(now, games[where]):
            batch.select(where).play_to_end(rng.randrange(99))
        self.note(k)
        return False

    def position(self) -> bool:
        games = self.batches[self.pick()][1]
        given = records(self.rng, games[:1])
        found = answer(lambda: Position(given))
        if refused(found):
            return True
        for name in FACTS:
            expect(np.array_equal(found.games[name], given[name]), f"Position has changed {name}")
        expect(players.faults(found.games) == [], "Position accepted an invalid position")
        Batch.playouts(found, 2, seed=self.rng.randrange(99), num_threads=1)
        expect(found == Position.from_dict(found.to_dict()) == pickle.loads(pickle.dumps(found)), "not the same")
        return False

    def playouts(self) -> bool:
        rng = self.rng
        batch, games = self.batches[self.pick()]
        one = games[:1].copy()
        given = rng.choice((batch, one, Position._of(one.copy()), records(rng, one), others(rng)))
        n = rng.choice((1, 2, 5, 130, 0, -1, 2.0, True, "3", 2**70))
        seed = rng.choice((0, 7, -1, 2**64 - 1, 2**64, "x", 1.5))
        found = answer(lambda: Batch.playouts(given, n, seed, rng.choice((None, 1, 2, 2, 0, "2"))))
        if refused(found):
            return True
        shape = (n, Batch.of(given).scores().shape[1])  # the given game may have other options than the batch
        expect(isinstance(n, int) and found.shape == shape and found.dtype == np.int32, "play-outs have another shape")
        again = Batch.playouts(given, max(n - 1, 1), seed, 1)
        expect((found[: len(again)] == again).all(), "play-outs depend on their number or on the threads")
        return False

    def rows(self) -> bool:
        batch, games = self.batches[self.pick()]
        n, rng = len(games), self.rng
        if rng.random() < 0.5:
            right = np.array([rng.randrange(n) for _ in range(rng.randrange(1, 5))])
            given = laid_out(rng, right) if rng.random() < 0.5 else malformed(rng, right)
            found, name = answer(lambda: batch.select(given)), "select"
            rows = _numbers(given)
            fine = rows is not None and rows.ndim == 1 and len(rows) > 0 and (rows >= 0).all() and (rows < n).all()
        else:
            right = np.array([rng.randrange(3) for _ in range(n)])
            given = laid_out(rng, right) if rng.random() < 0.5 else rng.choice((2, malformed(rng, right)))
            found, name = answer(lambda: batch.repeat(given)), "repeat"
            rows = _numbers(given)
            fine = rows is not None and rows.shape in ((), (n,)) and (rows >= 0).all()
            fine = fine and 0 < (rows + np.zeros(n)).sum() <= 2**30
            if fine:
                rows = np.repeat(np.arange(n), rows.astype(np.int64))
        expect(bool(fine) != refused(found), f"{name}({shown(given)}): {found}")
        if refused(found):
            return True
        expect(same(found.games, games[rows.astype(np.int64)]), f"{name} took other rows")  # type: ignore[union-attr]
        if found.num_games < 200:
            self.batches.append((found, found.games.copy()))
        return False

    def copied(self) -> bool:
        batch, games = self.batches[self.pick()]
        way = self.rng.choice((copy.copy, copy.deepcopy, Batch.copy, lambda b: pickle.loads(pickle.dumps(b))))
        self.batches.append((way(batch), games.copy()))
        return False

    def look(self) -> bool:
        batch, games = self.batches[self.pick()]
        single = positions(games)
        expect(batch.to_play.tolist() == [-1 if p.to_play is None else p.to_play for p in single], "to_play")
        expect(batch.done.tolist() == [p.is_over for p in single], "done")
        expect(all((b == p.breakdown()).all() for b, p in zip(batch.breakdown(), single, strict=True)), "breakdown")
        expect((batch.legal_words() == games["legal"]).all(), "legal_words")
        generator = self.rng.choice((self.generator, None, 3, np.random, random.Random(1)))
        found = answer(lambda: batch.sample_actions(generator))
        expect(refused(found) == (generator is not self.generator), f"sample_actions: {found}")
        if not refused(found):
            for action, one in zip(found, single, strict=True):
                expect(one.is_over if action < 0 else action in one.legal_numbers(), "sample_actions")
        row, action = self.rng.choice((0, len(games) - 1, len(games), -1, True, 1.0, "0")), self.rng.randrange(-3, 700)
        found = answer(lambda: batch.why_illegal(row, action))
        wrong = type(row) is not int or not 0 <= row < len(games)
        expect(refused(found) == wrong, f"why_illegal({shown(row)}): {found}")
        return refused(found)

    def make(self) -> bool:
        options = dict(self.mode)
        spoil = self.rng.choice(("num_games", "num_threads", "autoreset", *options))
        given = {"num_games": 2, "num_threads": 1} | options
        given[spoil] = others(self.rng)
        return refused(answer(lambda: Batch(**given)))

    def threads(self) -> bool:
        """Several threads share a batch and a position: the result is as if their calls were sequential."""
        k = self.pick()
        batch, games = self.batches[k]
        position = Position._of(games[:1].copy())

        def work(seed: int) -> None:
            generator = np.random.default_rng(seed)
            for _ in range(4):
                with contextlib.suppress(ValueError):  # another thread has moved first
                    batch.step(batch.sample_actions(generator))
                    position.apply(int(generator.choice(position.legal_numbers())))
                batch.observe(), batch.action_masks(), batch.copy()

        with ThreadPoolExecutor(3) as pool:
            errors = [pool.submit(work, self.rng.randrange(2**32)) for _ in range(3)]
        expect(not any(future.exception() for future in errors), f"errors in threads: {errors}")
        expect(not any(map(INVARIANTS.verify, batch.games[:5])) and not INVARIANTS.verify(position.record), "invalid")
        self.note(k)
        return False


def _numbers(given: Any) -> np.ndarray | None:
    """Integers as an array of objects; None for anything else."""
    try:
        array = np.asarray(given)
    except Exception:
        return None
    return array.astype(object) if array.dtype.kind in "iu" else None


def _bool(mask: Any, n: int) -> np.ndarray | None:
    try:
        array = np.asarray(mask)
    except Exception:
        return None
    return np.flatnonzero(array) if array.shape == (n,) and array.dtype == bool else None


def _wanted_seeds(seed: Any, n: int) -> list[int] | None:
    """The seed of each game, or None without a seed; ValueError if Position.new would refuse one."""
    if seed is None:
        return None
    one = np.ndim(seed) == 0 if isinstance(seed, np.ndarray) else not isinstance(seed, list | tuple | range)
    seeds = [seed] * n if one else list(seed)
    if len(seeds) != n:
        raise ValueError
    for k, value in enumerate(seeds):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value + k * one < 2**64:
            raise ValueError
    return [int(value) + k * one for k, value in enumerate(seeds)]


KINDS = (
    *(World.step,) * 5, *(World.masks,) * 2, *(World.observe,) * 2, *(World.reset,) * 2, *(World.load,) * 3,
    World.position, World.playouts, *(World.rows,) * 2, *(World.copied,) * 2, World.look, World.make, World.threads,
)  # fmt: skip


def memory_case(rng: random.Random) -> str:
    """Some calls of Batch and Position."""
    warm()
    world, outcome = World(rng), "accepted"
    for _ in range(CALLS):
        outcome = "refused" if rng.choice(KINDS)(world) else "accepted"
        world.check()
    return outcome
