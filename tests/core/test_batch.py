"""The batch: N games stepped together, looked at, copied, reset, and what it refuses."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

from carnegie_env import Batch, Position
from carnegie_env.carnegie import actions, state
from carnegie_env.core.batch import in_slices, sample
from tests import players


def started(n=4, seed=3, steps=40, **options):
    batch = Batch(n, **{"num_threads": 1, **options})
    batch.reset(seed)
    generator = np.random.default_rng(seed)
    for _ in range(steps):
        batch.step(players.choose(batch.action_masks(), players.weights("busy"), generator))
    return batch


# ---------------------------------------------------------------- making and resetting
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_games": 0}, "num_games must be a whole number from 1 to 1073741824, not 0"),
        ({"num_games": -3}, "num_games"),
        ({"num_games": True}, "num_games"),
        ({"num_games": 2.0}, "num_games"),
        ({"num_games": "2"}, "num_games"),
        ({"num_games": 2, "num_threads": 0}, "num_threads"),
        ({"num_games": 2, "num_threads": 10**6}, "num_threads must be a whole number from 1 to 1024, not 1000000"),
        ({"num_games": 10**30}, "num_games must be a whole number from 1 to 1073741824, not 1000"),
        ({"num_games": 2, "autoreset": "yes"}, "autoreset must be True or False"),
        ({"num_games": 2, "num_players": 5}, "num_players must be 1"),
        ({"num_games": 2, "num_players": 0}, "num_players must be 1"),
        ({"num_games": 2, "num_players": True}, "num_players"),
        ({"num_games": 2, "num_players": 3, "difficulty": "normal"}, "difficulty"),
        ({"num_games": 2, "num_players": 1, "difficulty": "easy"}, "beginner, normal, difficult, expert"),
        ({"num_games": 2, "players": 2}, "got an unexpected keyword argument 'players'; the options are num_players"),
        ({"num_games": 2, "timeline_tiles": "diagonal"}, "columns, rows"),
        ({"num_games": 2, "show_forced": 1}, "show_forced"),
        ({"num_games": 2, "wait": 1}, "wait must be True or False, not 1"),
        ({"num_games": 2, "new_departmens": True}, "unexpected keyword argument 'new_departmens'"),
        ({"num_games": 2, "num_players": 1, "wait": True}, "wait does not go with the solo game"),
    ],
)
def test_what_cannot_be_made_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Batch(**arguments)


def test_reset_with_one_seed_counts_up_and_with_many_takes_each():
    one, many = Batch(3, num_players=2), Batch(3, num_players=2)
    one.reset(10)
    many.reset([10, 11, 12])
    assert np.array_equal(one.games, many.games)
    many.reset(np.array([12, 11, 10], np.uint64))
    assert np.array_equal(one.games[::-1], many.games)


def test_reset_of_some_games_leaves_the_others_alone():
    batch = started(5)
    before = batch.games.copy()
    mask = np.array([True, False, False, True, False])
    batch.reset(99, mask)
    assert np.array_equal(batch.games[~mask], before[~mask])
    fresh = Batch(5)
    fresh.reset(99)
    assert np.array_equal(batch.games[mask], fresh.games[mask])
    now = batch.games.copy()
    batch.reset(mask=np.zeros(5, bool))
    assert np.array_equal(batch.games, now)


def test_without_a_seed_every_batch_is_another():
    dealt = {players.mark(Batch(1).games) for _ in range(5)}
    assert len(dealt) == 5


@pytest.mark.parametrize(
    ("seed", "mask", "message"),
    [
        (-1, None, "a seed must be a whole number"),
        (2**64, None, "a seed must be"),
        (2**64 - 2, None, "a seed must be"),  # the last game's is too large
        ([1, 2], None, "4 games need one seed or 4 seeds, got 2"),
        ([1, 2, 3, 4.5], None, "a seed must be"),
        ([1, 2, 3, "4"], None, "a seed must be"),
        ([1, 2, 3, True], None, "a seed must be"),
        (1, [True] * 3, "mask must be a bool array of shape"),
        (1, [1, 0, 1, 0], "mask must be a bool array"),
        (1, "yes", "mask must be"),
    ],
)
def test_seeds_and_masks_that_do_not_fit_are_refused(seed, mask, message):
    batch = started()
    before = players.mark(batch.games)
    with pytest.raises(ValueError, match=message):
        batch.reset(seed, mask)
    assert players.mark(batch.games) == before


BYTES = (b"four", bytearray(4), memoryview(b"four"))  # sequences of as many ints as there are games
NO_SEEDS = (1.5, "seed", {"a": 1}, object(), *BYTES, True, np.uint64(2**64 - 1), np.array(5), int)


@pytest.mark.parametrize("seed", NO_SEEDS)
def test_what_is_no_seed_at_all_is_a_value_error(seed):
    batch = started()
    before = players.mark(batch.games)
    with pytest.raises(ValueError, match="seed"):
        batch.reset(seed)
    assert players.mark(batch.games) == before


# ---------------------------------------------------------------- steps
@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([0, 0, 0], "shape"),
        (0, "shape"),
        ([[0, 0, 0, 0]], "shape"),
        ([], "shape"),
        ([0.0, 0.0, 0.0, 0.0], "integers"),
        ([True] * 4, "integers"),
        (["pass"] * 4, "integers"),
        ([None] * 4, "integers"),
        ([10**30] * 4, "integers"),
        (np.zeros(4, np.complex128), "integers"),
        ({0: 1}, "shape"),
    ],
)
def test_actions_of_a_wrong_shape_or_type_are_refused(chosen, message):
    batch = started()
    before = players.mark(batch.games)
    with pytest.raises(ValueError, match=message):
        batch.step(chosen)
    assert players.mark(batch.games) == before


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint16, np.int64, np.uint64])
def test_all_integer_types_will_do(dtype):
    batch = Batch(3, num_players=2)
    batch.reset(1)
    other = batch.copy()
    actions_ = batch.action_masks().argmax(axis=1)
    batch.step(actions_.astype(dtype))
    other.step(actions_.tolist())
    assert np.array_equal(batch.games, other.games)


@pytest.mark.parametrize("bad", [-1, -2, actions.NUM_BASE_ACTIONS, actions.NUM_ACTIONS, 10**9, 2**62, -(2**63)])
def test_a_number_that_is_no_action_is_refused(bad):
    for options, last in (({}, 332), (players.ALL_ON[1], 672)):
        batch = started(**options)
        before = players.mark(batch.games)
        chosen = batch.action_masks().argmax(axis=1)
        chosen[2] = bad
        wrong = "sheet goods 2" if bad == actions.NUM_BASE_ACTIONS and options else f"not in 0..{last}"
        with pytest.raises(ValueError, match=rf"game 2: illegal action {bad} \({wrong}\)"):
            batch.step(chosen)
        assert players.mark(batch.games) == before


@pytest.mark.parametrize("dtype", ["<u8", ">u8"])
def test_an_unsigned_number_does_not_turn_into_another_action(dtype):
    batch = started()
    with pytest.raises(ValueError, match="game 0: illegal action"):
        batch.step(np.full(4, 2**64 - 1, dtype))
    batch.play_to_end()
    with pytest.raises(ValueError, match="game 0 is over, its action must be -1"):
        batch.step(np.full(4, 2**64 - 1, dtype))
    batch.step(np.full(4, -1, np.int8))


def test_an_illegal_action_names_its_game_and_no_game_moves():
    batch = started()
    before = players.mark(batch.games)
    masks = batch.action_masks()
    chosen = masks.argmax(axis=1)
    chosen[1] = np.flatnonzero(masks[1] == 0)[5]
    legal = np.flatnonzero(masks[1])
    with pytest.raises(ValueError) as refusal:
        batch.step(chosen)
    text = str(refusal.value)
    named = f"{chosen[1]} ({actions.TEXTS[chosen[1]]})"
    assert text.startswith(f"game 1: illegal action {named}; the {len(legal)} legal ones")
    assert f"{legal[0]} ({actions.TEXTS[legal[0]]})" in text
    assert players.mark(batch.games) == before


def test_a_game_that_is_over_waits_for_its_reset():
    batch = Batch(3, num_players=2)
    batch.reset(5)
    shortest = batch.copy()
    generator = np.random.default_rng(0)
    while not shortest.done.any():
        shortest.step(shortest.sample_actions(generator))
    assert not shortest.done.all()
    chosen = shortest.sample_actions(generator)
    row = int(np.flatnonzero(shortest.done)[0])
    assert chosen[row] == -1 and not shortest.action_masks()[row].any()
    ended = shortest.games[row : row + 1].copy()
    shortest.step(chosen)
    assert np.array_equal(shortest.games[row : row + 1], ended)
    for wrong in (0, 5, -2):
        again = shortest.sample_actions(generator)
        again[row] = wrong
        with pytest.raises(ValueError, match=f"game {row} is over, its action must be -1"):
            shortest.step(again)


def test_without_autoreset_last_done_says_nothing_and_with_it_scores_are_kept():
    batch = Batch(40, num_players=2, autoreset=True)
    batch.reset(1)
    generator = np.random.default_rng(2)
    ended = 0
    while ended < 40:
        batch.step(batch.sample_actions(generator))
        assert not batch.done.any() and (batch.last_scores[~batch.last_done] == 0).all()
        assert (batch.last_scores[batch.last_done][:, :2] > 0).all()
        assert (batch.games["decisions"][batch.last_done] == 0).all()
        ended += int(batch.last_done.sum())


# ---------------------------------------------------------------- looking
def test_results_can_be_written_into_arrays_of_the_callers():
    batch = started()
    mask = np.empty((4, batch.num_actions), np.int8)
    seen = np.empty((4, batch.observation_size), np.float32)
    assert batch.action_masks(mask) is mask and batch.observe(seen) is seen
    assert np.array_equal(mask, batch.action_masks()) and np.array_equal(seen, batch.observe())
    for wrong in (mask[:3], mask.astype(np.int64), np.asfortranarray(mask), mask[:, :-1]):
        with pytest.raises(ValueError, match="out must be a C-contiguous int8 array of shape"):
            batch.action_masks(wrong)
    with pytest.raises(ValueError, match="out must be a C-contiguous float32"):
        batch.observe(np.empty(seen.shape))


def test_arrays_that_compiled_code_cannot_write_into_are_refused():
    batch = started()
    shape = (4, batch.num_actions)
    locked, shifted = np.zeros(shape, np.int8), np.zeros(4 * 4 * batch.observation_size + 1, np.uint8)
    locked.flags.writeable = False
    odd = shifted[1:].view(np.float32).reshape(4, batch.observation_size)
    for call, out in (
        (batch.action_masks, locked), (batch.observe, odd), (batch.action_masks, np.zeros(shape, np.int8)[::-1]),
        (batch.observe, np.zeros((4, batch.observation_size), ">f4")), (batch.action_masks, [[0] * shape[1]] * 4),
        (batch.action_masks, np.lib.stride_tricks.as_strided(np.zeros(shape[1], np.int8), shape, (0, 1))),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="out must be a "):
            call(out)
    mapped = np.zeros(shape, np.int8).view(np.recarray)  # a subclass will do
    assert batch.action_masks(mapped) is mapped and np.array_equal(mapped, batch.action_masks())


@pytest.mark.parametrize("seat", [-1, 2, 7, True, 0.0, "0"])
def test_a_seat_that_is_not_in_play_is_refused(seat):
    with pytest.raises(ValueError, match="seat must be a whole number from 0 to 1"):
        started().observe(seat=seat)


def test_what_is_given_out_is_a_copy():
    batch = started()
    before = players.mark(batch.games)
    for array in (batch.to_play, batch.action_masks(), batch.observe(), batch.scores(), batch.breakdown(), batch.done):
        array[:] = 0
    assert players.mark(batch.games) == before


# ---------------------------------------------------------------- sampling
def test_sampled_actions_are_legal_and_each_comes_alike():
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
    with pytest.raises(ValueError, match="Generator is needed"):
        batch.sample_actions(0)
    none = sample(np.array([[0, 0], [0, 1]], np.int8), generator)
    assert none.tolist() == [-1, 1]


def test_players_of_the_tests_draw_by_weight():
    generator = np.random.default_rng(5)
    masks = np.array([[1, 0, 1, 1], [0, 0, 0, 0]], np.int8).repeat(20_000, axis=0)
    chosen = players.choose(masks, np.array([1.0, 5.0, 2.0, 1.0]), generator)
    assert (chosen[20_000:] == -1).all()
    shares = np.bincount(chosen[:20_000], minlength=4) / 20_000
    assert np.allclose(shares, [0.25, 0, 0.5, 0.25], atol=0.02)


# ---------------------------------------------------------------- search
def test_repeat_gives_independent_copies_of_rows():
    batch = started()
    before = players.mark(batch.games)
    many = batch.repeat([2, 0, 3, 1])
    assert many.num_games == 6 and len(many.last_done) == 6 and many.last_scores.shape == (6, 2)
    assert np.array_equal(many.games, batch.games[[0, 0, 2, 2, 2, 3]])
    many.step(many.sample_actions(np.random.default_rng(0)))
    assert players.mark(batch.games) == before
    assert np.array_equal(batch.repeat(2).games, np.repeat(batch.games, 2))


def test_a_copy_is_independent():
    batch = started()
    before = players.mark(batch.games)
    other = batch.copy()
    other.play_to_end(3)
    assert other.done.all() and players.mark(batch.games) == before


@pytest.mark.parametrize("counts", [[1, 2], 2.0, [1.0] * 4, [1, 1, 1, -1], 0, [0] * 4, None, "x", [[1] * 4], 2**40])
def test_counts_that_do_not_fit_are_refused(counts):
    with pytest.raises(ValueError, match="counts"):
        started().repeat(counts)


def test_selected_rows_are_independent_copies():
    batch = started()
    before = players.mark(batch.games)
    some = batch.select([3, 0, 3])
    assert np.array_equal(some.games, batch.games[[3, 0, 3]])
    some.play_to_end()
    assert players.mark(batch.games) == before
    for rows in ([4], [-1], [], [0.0], [[0]], None, "x", [2**63]):
        with pytest.raises(ValueError, match=r"row|rows"):
            batch.select(rows)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch)), Batch.copy]
)
def test_every_way_to_copy_gives_an_independent_batch(copied):
    batch = Batch(40, autoreset=True, num_threads=1)
    batch.reset(1)
    generator = np.random.default_rng(2)
    while not batch.last_done.any():
        batch.step(batch.sample_actions(generator))
    other = copied(batch)
    for one in (batch, other):
        assert (one.num_games, one.autoreset, one.options) == (40, True, batch.options)
    assert np.array_equal(other.games, batch.games) and np.array_equal(other.last_scores, batch.last_scores)
    for seed in range(5):
        chosen = batch.sample_actions(np.random.default_rng(seed))
        batch.step(chosen)
        other.step(chosen)
        assert np.array_equal(other.games, batch.games) and np.array_equal(other.last_done, batch.last_done)
    before = players.mark(batch.games)
    other.play_to_end()
    assert players.mark(batch.games) == before


# ---------------------------------------------------------------- records from outside
def test_the_records_can_be_seen_but_not_written():
    batch, position = started(), Position.new(seed=1)
    before = players.mark(batch.games), players.mark(position.games)
    for games in (batch.games, position.games, batch.games[1:], batch.legal_words()):
        with pytest.raises(ValueError, match="read-only"):
            games[:] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            games.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        batch.games["money"][:] = 0
    with pytest.raises(ValueError, match="read-only"):
        batch.games[0].num_players = 4
    with pytest.raises(ValueError, match="read-only"):
        position.record["num_players"] = 4
    for name, value in (("num_games", 2), ("options", None), ("num_actions", 9), ("last_done", 1), ("num_threads", 0)):
        with pytest.raises(AttributeError):
            setattr(batch, name, value)
    with pytest.raises(AttributeError):
        position.games = batch.games[:1]
    assert (players.mark(batch.games), players.mark(position.games)) == before
    shown = batch.games
    batch.step(batch.action_masks().argmax(axis=1))
    assert shown is batch.games and players.mark(shown) != before[0]


@pytest.mark.parametrize("mode", [{"num_players": 1}, {"num_players": 2}, players.ALL_ON[0], players.ALL_ON[3]])
def test_records_are_read_as_positions_are(mode):
    batch = started(4, **mode)
    before = players.mark(batch.games)
    records = batch.games[[2, 2, 0, 1]]
    for name in state.GAME.names[state.GAME.names.index("active_at") :]:
        records[name] = 0  # derived fields are recomputed
    wide = np.zeros(8, state.GAME)
    wide[::2] = records
    for given in (records, wide[::2], batch.select([1, 0, 2, 2]).games[::-1]):
        other = Batch(4, **mode)
        other.games = given
        assert players.mark(other.games) == players.mark(batch.games[[2, 2, 0, 1]])
        assert np.array_equal(other.action_masks(), batch.action_masks()[[2, 2, 0, 1]])
    other.load(batch)
    assert players.mark(other.games) == before
    other.load(Position(batch.games[3:]), rows=[0, 2])
    assert players.mark(other.games) == players.mark(batch.games[[3, 1, 3, 3]])
    other.load(batch.games[:1])
    assert players.mark(other.games) == players.mark(batch.games[[0] * 4])
    assert Position(batch.games[1:2]) == Position.from_dict(Position(batch.games[1:2]).to_dict())


def _with(record, **fields):
    changed = record.copy()
    for name, value in fields.items():
        changed[name] = value
    return changed


def test_records_that_no_play_could_reach_are_refused():
    batch = started()
    right, before = batch.games[:1], players.mark(batch.games)
    other = {n: Batch(1, num_players=n).games for n in (1, 3, 4)}
    wrong = [
        (np.zeros(1, state.GAME), "record is no position"), (np.zeros(4, state.GAME), "record 0 is no position"),
        (_with(right, num_players=4), "no position"), (_with(right, num_players=100), "no position"),
        (_with(right, num_players=-1), "no position"), (_with(right, modules=-1), "no position"),
        (_with(right, phase=90), "no position"), (_with(right, phase=-2), "no position"),
        (_with(right, department=77), "no position"), (_with(right, owner=-7), "no position"),
        (_with(right, deck=1), "the field deck is"), (_with(right, track=-3), "no position"),
        (_with(right, action=127), "no position"), (_with(right, to_play=3), "no position"),
        (_with(right, marker=127), "no position"), (_with(right, money=-5), "no position"),
        (_with(right, tiles_in_rows=2), "no position"),
        (_with(right, show_forced=5), "a field holds a number that stands for nothing"),
        (other[1], "options than the batch's: num_players is 1, not 2, difficulty is 'normal', not None"),
        (other[3], "num_players is 3, not 2"), (Position.new({"num_players": 4}), "num_players is 4, not 2"),
        (Batch(4, wait=True), "wait is True, not False"), (Position.new({"wait": True}).games, "wait is True"),
        (batch.games[:3], "there are 4 rows for games, got 3 games"), (batch.games[:0], "must have shape"),
        (batch.games.reshape(2, 2), "must have shape"), (batch.games["money"], "have their own dtype"),
        (right[0], "an array of records is needed, got a record"), (None, "is needed, got a NoneType"),
        (right.view(np.uint8), "have their own dtype"), ([1], "is needed, got a list"),
    ]  # fmt: skip
    for given, message in wrong:
        with pytest.raises(ValueError, match=message):
            batch.games = given
        assert players.mark(batch.games) == before
        if not isinstance(given, Position | Batch) and "options" not in message and "is 3" not in message:
            if "wait" not in message and "rows" not in message:
                with pytest.raises(ValueError):
                    Position(given)
                with pytest.raises(ValueError):
                    Batch.playouts(given, 3)
    for rows in ([0, 0], [4], [0, 1], [0.5], "x"):
        with pytest.raises(ValueError, match="row"):
            batch.load(batch.select([0, 1, 2]), rows)
    assert players.mark(batch.games) == before


def test_playouts_start_from_one_game():
    """With several records it read memory that was not its own."""
    batch = started(300, num_threads=2)
    for several in (batch, batch.games, batch.games[:2], batch.games[:0]):
        with pytest.raises(ValueError, match="one game|must have shape"):
            Batch.playouts(several, 500)
    one = batch.select([7])
    found = Batch.playouts(one, 100, seed=3)
    for same in (Position(one.games), one.games, batch.games[7::1000]):
        assert np.array_equal(Batch.playouts(same, 100, seed=3), found)
    for wrong in (None, 1, "x", one.games[0], Batch):
        with pytest.raises(ValueError, match="is needed"):
            Batch.playouts(wrong, 3)


def test_slices_cut_what_is_the_games_and_nothing_by_chance():
    batch = Batch(256, num_threads=2)
    with pytest.raises(ValueError, match="256 games need arrays of that length, got one of shape"):
        in_slices(lambda games, array: None, batch.games, np.zeros(255), threads=2)
    parts = in_slices(lambda games, array: (len(games), len(array)), batch.games, np.zeros((256, 3)), threads=2)
    assert parts == [(64, 64)] * 4


def test_threads_that_share_a_batch_and_a_position_wait_for_each_other():
    """Every call is answered right or refused, as if they had come one after the other."""
    batch, position = started(200, num_threads=1, num_players=2), Position.new(seed=4)
    actions_, wrong = batch.action_masks().argmax(axis=1), []

    def work(seed):
        generator = np.random.default_rng(seed)
        for _ in range(60):
            try:
                if generator.random() < 0.5:
                    batch.step(batch.sample_actions(generator))  # between the two calls another thread may step
                elif generator.random() < 0.5:
                    position.apply(str(generator.choice([*position.legal_actions(), "pass"])))
                else:
                    batch.copy().step(actions_)
            except ValueError as error:
                if not any(said in str(error) for said in ("illegal action", "is over", "is not legal now")):
                    wrong.append(error)
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and players.faults(batch.games) == [] and players.faults(position.games) == []
    assert position.record.decisions == len(position.history)


def test_play_to_end_counts_decisions_and_keeps_the_generators():
    batch = started(3, num_players=4)
    generators, decided = batch.games["rng"].copy(), batch.games["decisions"].sum()
    number = batch.play_to_end(1)
    assert batch.done.all() and number == batch.games["decisions"].sum() - decided > 0
    assert np.array_equal(batch.games["rng"], generators)
    assert batch.play_to_end(1) == 0


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_playouts_need_a_number(n):
    with pytest.raises(ValueError, match="n must be a whole number from 1 to"):
        Batch.playouts(Position.new(), n)


def test_records_as_plain_structures_are_records():
    """An equal dtype without numpy.record, as a file format may give it: found by fuzzing."""
    batch = Batch(3, num_players=2)
    batch.reset(seed=4)
    plain = batch.games.view(np.dtype((np.void, batch.games.dtype))).copy()
    assert plain.dtype == batch.games.dtype and not isinstance(plain[0], np.record)
    other = Batch(3, num_players=2)
    other.load(plain)
    assert (other.games == batch.games).all()


def test_more_games_than_there_is_memory_for(monkeypatch):
    zeros = np.zeros

    def refuse(shape, *rest):
        if shape == 10**9:
            raise MemoryError
        return zeros(shape, *rest)

    monkeypatch.setattr(np, "zeros", refuse)
    with pytest.raises(ValueError, match=r"num_games: 1000000000 games take \d+ GiB, more memory than available"):
        Batch(10**9, num_players=2)


def test_a_row_too_large_for_an_int64_is_named_as_it_was_given():
    with pytest.raises(ValueError, match=f"there is no row {2**64 - 1}; the rows are 0 to 1"):
        Batch(2, num_players=2).observe(rows=np.array([0, 2**64 - 1], np.uint64))
