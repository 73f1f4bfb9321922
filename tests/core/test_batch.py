"""Batches: creation, reset, steps, copies, records from outside, and refused arguments.

tests/conformance and tests/fuzz/memory.py compare batches with single positions.
"""

import copy
import pickle
import threading
import time

import numpy as np
import pytest

from carnegie_env import Batch, Position
from carnegie_env.carnegie import state
from carnegie_env.core.batch import in_slices, sample
from tests import players


def started(n=4, seed=3, steps=40, **options):
    batch = Batch(n, **{"num_threads": 1, **options})
    batch.reset(seed)
    generator = np.random.default_rng(seed)
    for _ in range(steps):
        batch.step(players.choose(batch.action_masks(), players.weights("busy"), generator))
    return batch


# ---------------------------------------------------------------- creation and reset
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_games": 0}, "num_games must be a whole number from 1 to 1073741824, not 0"),
        ({"num_games": True}, "num_games"),
        ({"num_games": 2.0}, "num_games"),
        ({"num_games": 2, "num_threads": 0}, "num_threads"),
        ({"num_games": 2, "num_threads": 10**6}, "num_threads must be a whole number from 1 to 1024, not 1000000"),
        ({"num_games": 10**30}, "num_games must be a whole number from 1 to 1073741824, not 1000"),
        ({"num_games": 2, "autoreset": "yes"}, "autoreset must be True or False"),
        ({"num_games": 2, "num_players": 3, "difficulty": "normal"}, "difficulty"),
        ({"num_games": 2, "num_players": 1, "difficulty": "easy"}, "beginner, normal, difficult, expert"),
        ({"num_games": 2, "players": 2}, "got an unexpected keyword argument 'players'; the options are num_players"),
        ({"num_games": 2, "timeline_tiles": "diagonal"}, "columns, rows"),
    ],
)
def test_invalid_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Batch(**arguments)


def test_batches_without_a_seed_differ():
    assert len({players.mark(Batch(1).games) for _ in range(5)}) == 5


@pytest.mark.parametrize(
    ("seed", "mask", "message"),
    [
        (-1, None, "a seed must be a whole number"),
        (2**64 - 2, None, "a seed must be"),  # the last game's is too large
        ([1, 2], None, "4 games need one seed or 4 seeds, got 2"),
        *((seed, None, "a seed must be") for seed in (2**64, [1, 2, 3, 4.5], [1, 2, 3, "4"], [1, 2, 3, True])),
        *(
            (seed, None, "seed")
            for seed in (1.5, "seed", {"a": 1}, object(), True, np.uint64(2**64 - 1), np.array(5), int)
        ),
        *((seed, None, "seed") for seed in (b"four", bytearray(4), memoryview(b"four"))),  # sequences of 4 ints
        (1, [True] * 3, "mask must be a bool array of shape"),
        (1, [1, 0, 1, 0], "mask must be a bool array"),
        (1, "yes", "mask must be"),
    ],
)
def test_invalid_seeds_and_masks_are_refused(seed, mask, message):
    batch = started()
    before = players.mark(batch.games)
    with pytest.raises(ValueError, match=message):
        batch.reset(seed, mask)
    assert players.mark(batch.games) == before


# ---------------------------------------------------------------- steps
@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        *((chosen, "shape") for chosen in ([0, 0, 0], 0, [[0] * 4], [], {0: 1})),
        *(([number] * 4, "integers") for number in (0.0, True, "pass", None, 10**30)),
        (np.zeros(4, np.complex128), "integers"),
    ],
)
def test_actions_of_a_wrong_shape_or_type_are_refused(chosen, message):
    batch = started()
    before = players.mark(batch.games)
    with pytest.raises(ValueError, match=message):
        batch.step(chosen)
    assert players.mark(batch.games) == before


# ---------------------------------------------------------------- arrays
def test_results_in_arrays_of_the_caller():
    batch = started()
    mask = np.empty((4, batch.num_actions), np.int8)
    seen = np.empty((4, batch.observation_size), np.float32)
    assert batch.action_masks(mask) is mask and batch.observe(seen) is seen
    assert np.array_equal(mask, batch.action_masks()) and np.array_equal(seen, batch.observe())
    for wrong in (mask[:3], mask.astype(np.int64), np.asfortranarray(mask), mask[:, :-1]):
        with pytest.raises(ValueError, match="out must be a C-contiguous, writable int8 array of shape"):
            batch.action_masks(wrong)
    with pytest.raises(ValueError, match="out must be a C-contiguous, writable float32"):
        batch.observe(np.empty(seen.shape))


def test_returned_arrays_are_copies():
    batch = started()
    before = players.mark(batch.games)
    for array in (batch.to_play, batch.action_masks(), batch.observe(), batch.scores(), batch.breakdown(), batch.done):
        array[:] = 0
    assert players.mark(batch.games) == before


# ---------------------------------------------------------------- sampling
def test_sampled_actions_are_legal_and_equally_likely():
    batch = started(6)
    generator = np.random.default_rng(4)
    masks = batch.action_masks()
    counts = np.zeros(masks.shape)
    for _ in range(3000):
        chosen = batch.sample_actions(generator)
        counts[np.arange(6), chosen] += 1
    assert (counts[masks == 0] == 0).all()
    for row, mask in zip(counts, masks, strict=True):
        mine = row[mask == 1]
        assert abs(mine - mine.mean()).max() < 5.5 * np.sqrt(mine.mean())
    for wrong in (masks[0], masks.astype(float), [["a"]], None):
        with pytest.raises(ValueError, match="masks must be"):
            sample(wrong, generator)
    with pytest.raises(ValueError, match="generator must be a numpy.random.Generator"):
        batch.sample_actions(0)
    assert sample(np.array([[0, 0], [0, 1]], np.int8), generator).tolist() == [-1, 1]


# ---------------------------------------------------------------- copies
def test_wrong_rows_and_counts_are_refused():
    batch = started()
    for rows in ([4], [-1], [], [0.0], [[0]], None, "x", [2**63]):
        with pytest.raises(ValueError, match="row"):
            batch.select(rows)
    for counts in ([1, 2], 2.0, [1.0] * 4, [1, 1, 1, -1], 0, [0] * 4, None, "x", [[1] * 4], 2**40):
        with pytest.raises(ValueError, match="counts"):
            batch.repeat(counts)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch)), Batch.copy]
)
def test_copies_with_autoreset_are_independent(copied):
    batch = Batch(40, autoreset=True, num_threads=1)
    batch.reset(1)
    generator = np.random.default_rng(2)
    while not batch.last_done.any():
        batch.step(batch.sample_actions(generator))
    other = copied(batch)
    for one in (batch, other):
        assert (one.num_games, one.autoreset, one.options) == (40, True, batch.options)
    assert np.array_equal(other.games, batch.games) and np.array_equal(other.last_scores, batch.last_scores)
    before = players.mark(batch.games)
    other.step(other.sample_actions(generator))
    assert players.mark(batch.games) == before and batch.last_done.any()


def test_unpickled_games_are_copies_even_of_read_only_memory():
    """Shared object stores, such as Ray's, hand out read-only memory for the arrays of a pickle."""
    batch, position = started(40, autoreset=True), Position.new({"num_players": 2}, 3)
    for one in (batch, position):
        buffers = []
        pickled = pickle.dumps(one, protocol=5, buffer_callback=buffers.append)
        kept = [bytes(each.raw()) for each in buffers]
        assert kept
        other = pickle.loads(pickled, buffers=kept)
        if one is batch:
            for _ in range(200):
                other.step(other.sample_actions(np.random.default_rng(1)))
            other.reset(1)
        else:
            other.apply(other.legal_actions()[0])
        assert kept == [bytes(each.raw()) for each in buffers]


def test_no_thread_is_left_when_a_slice_fails():
    """Else it would write into the games after the batch has released its lock."""
    began, ended = threading.Event(), []

    def work(games):
        if games[0] == 0:
            began.wait(10)
            raise KeyboardInterrupt
        began.set()
        time.sleep(0.2)
        ended.append(games[0])

    with pytest.raises(KeyboardInterrupt):
        in_slices(work, np.arange(4096), threads=2)
    assert ended
    before = list(ended)
    time.sleep(0.3)
    assert ended == before


# ---------------------------------------------------------------- records from outside
def test_records_are_read_only():
    batch, position = started(), Position.new(seed=1)
    before = players.mark(batch.games), players.mark(position.games)
    for games in (batch.games, position.games, batch.games[1:], batch.legal_words()):
        with pytest.raises(ValueError, match="read-only"):
            games[:] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            games.flags.writeable = True
    for record, name in ((batch.games, "money"), (batch.games[0], "num_players"), (position.record, "num_players")):
        with pytest.raises(ValueError, match="read-only"):
            record[name] = 4
    for name, value in (("num_games", 2), ("options", None), ("num_actions", 9), ("last_done", 1), ("num_threads", 0)):
        with pytest.raises(AttributeError):
            setattr(batch, name, value)
    with pytest.raises(AttributeError):
        position.games = batch.games[:1]
    assert (players.mark(batch.games), players.mark(position.games)) == before
    shown = batch.games
    batch.step(batch.action_masks().argmax(axis=1))
    assert shown is batch.games and players.mark(shown) != before[0]


def test_records_of_any_layout_can_be_loaded():
    records = started(4, **players.ALL_ON[3]).games
    wide = np.zeros(8, state.GAME)
    wide[::2] = records
    plain = records.view(np.dtype((np.void, records.dtype))).copy()  # some file formats don't know numpy.record
    for given in (wide[::2], records[::-1].copy()[::-1], plain):
        other = Batch(4, **players.ALL_ON[3])
        other.games = given
        assert players.mark(other.games) == players.mark(records)


def changed(record, **fields):
    record = record.copy()
    for name, value in fields.items():
        record[name] = value
    return record


def test_invalid_records_are_refused():
    batch = started()
    right, before = batch.games[:1], players.mark(batch.games)
    unreachable = ({"num_players": 4}, {"modules": -1}, {"phase": 90}, {"owner": -7}, {"to_play": 3}, {"money": -5})
    invalid = [
        *((changed(right, **fields), "the record is not a reachable position") for fields in unreachable),
        (changed(right, deck=1), "the field deck must be"),
        (changed(right, show_forced=5), "a field has a number without a meaning"),
        (np.zeros(1, state.GAME), "the record is not a reachable position"),
        (np.zeros(4, state.GAME), "record 0 is not a reachable position"),
        (batch.games[:0], "must have shape"), (batch.games.reshape(2, 2), "must have shape"),
        (batch.games["money"], "must have the dtype of"), (right.view(np.uint8), "must have the dtype of"),
        (right[0], "an array of records, not a record"), (None, "not a NoneType"), ([1], "not a list"),
    ]  # fmt: skip
    for given, message in invalid:
        with pytest.raises(ValueError, match=message):
            batch.games = given
        with pytest.raises(ValueError):
            Position(given)
        with pytest.raises(ValueError):
            Batch.playouts(given, 3)
    differ = "the options differ from those of the batch: num_players is 1, not 2, difficulty is 'normal', not None"
    for given, message in (
        (Batch(1, num_players=1).games, differ), (Batch(1, num_players=3).games, "num_players is 3, not 2"),
        (Position.new({"num_players": 4}), "num_players is 4, not 2"), (Batch(4, wait=True), "wait is True, not False"),
        (Position.new({"wait": True}).games, "wait is True"), (batch.games[:3], "there are 4 rows for games, got 3"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            batch.games = given
    for rows in ([0, 0], [4], [0, 1], [0.5], "x"):
        with pytest.raises(ValueError, match="row"):
            batch.load(batch.select([0, 1, 2]), rows)
    assert players.mark(batch.games) == before


def test_playouts_start_from_one_game():
    """With several records they once read memory out of bounds."""
    batch = started(300, num_threads=2)
    for several in (batch, batch.games, batch.games[:2], batch.games[:0]):
        with pytest.raises(ValueError, match="one game|must have shape"):
            Batch.playouts(several, 500)
    one = batch.select([7])
    found = Batch.playouts(one, 100, seed=3)
    for same in (Position(one.games), one.games, batch.games[7::1000]):
        assert np.array_equal(Batch.playouts(same, 100, seed=3), found)
    for wrong in (None, 1, "x", one.games[0], Batch):
        with pytest.raises(ValueError, match="games must be a Batch, a Position or an array of records"):
            Batch.playouts(wrong, 3)
    for n in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="n must be a whole number from 1 to"):
            Batch.playouts(one, n)


def test_slices_of_games_and_arrays():
    batch = Batch(256, num_threads=2)
    with pytest.raises(ValueError, match="256 games need arrays of that length, got one of shape"):
        in_slices(lambda games, array: None, batch.games, np.zeros(255), threads=2)
    parts = in_slices(lambda games, array: (len(games), len(array)), batch.games, np.zeros((256, 3)), threads=2)
    assert parts == [(64, 64)] * 4


def test_more_games_than_there_is_memory_for(monkeypatch):
    zeros = np.zeros

    def refuse(shape, *rest):
        if shape == 10**9:
            raise MemoryError
        return zeros(shape, *rest)

    monkeypatch.setattr(np, "zeros", refuse)
    with pytest.raises(ValueError, match=r"num_games: 1000000000 games take \d+ GiB, more memory than available"):
        Batch(10**9, num_players=2)


def test_the_error_for_a_row_too_large_for_int64():
    with pytest.raises(ValueError, match=f"there is no row {2**64 - 1}; the rows are 0 to 1"):
        Batch(2, num_players=2).observe(rows=np.array([0, 2**64 - 1], np.uint64))
