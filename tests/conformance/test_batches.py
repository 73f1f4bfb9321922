"""A batch plays the same games as single positions, with any number of threads and any order of rows."""

import numpy as np
import pytest

from carnegie_env.core import kernels
from tests.conformance.tables import AMOUNT, EACH_PLAIN_TABLE, EACH_TABLE, batch_of, same, walk

QUERIES = ("observe", "action_masks", "scores", "results", "places", "breakdown")


@EACH_TABLE
def test_a_batch_equals_single_games(table):
    batch, generator = table.batch(3, 10), np.random.default_rng(1)
    singles = [table.position(10 + i) for i in range(3)]
    assert all(batch.games[i].tobytes() == single.games[0].tobytes() for i, single in enumerate(singles))
    step = 0
    while not batch.done.all():
        for i, single in enumerate(singles):
            assert batch.to_play[i] == (-1 if single.is_over else single.to_play)
            if step % 7 == 0:
                assert same(batch.games[i : i + 1], single.games)
                assert np.array_equal(batch.observe(rows=[i])[0], single.observe())
                assert all(np.array_equal(batch.observe(seat=k)[i], single.observe(k)) for k in table.seats)
                assert np.array_equal(batch.action_masks()[i], single.action_mask())
                assert batch.scores()[i].tolist() == single.scores() and batch.places()[i].tolist() == single.places()
                assert np.array_equal(batch.breakdown()[i], single.breakdown())
        word, bit = np.divmod(np.arange(batch.num_actions), 64)
        bits = batch.legal_words()[:, word] >> bit.astype(np.uint64) & np.uint64(1)
        assert np.array_equal(bits, batch.action_masks())
        chosen = batch.sample_actions(generator)
        batch.step(chosen)
        for action, single in zip(chosen.tolist(), singles, strict=True):
            if action >= 0:
                single.apply(action)
        step += 1
    assert all(same(batch.games[i : i + 1], single.games) for i, single in enumerate(singles))


@EACH_PLAIN_TABLE
def test_results_do_not_depend_on_the_number_of_threads(table):
    number = 300 * AMOUNT
    one, three = table.batch(number, 4), table.batch(number, 4, num_threads=3)
    generator = np.random.default_rng(2)
    for _ in range(8):
        chosen = one.sample_actions(generator)
        one.step(chosen)
        three.step(chosen)
    assert same(one.games, three.games)
    for query in QUERIES:
        assert np.array_equal(getattr(one, query)(), getattr(three, query)())
    assert np.array_equal(one.observe(dtype=np.uint8), three.observe(dtype=np.uint8))
    one.redraw_hidden(seed=7)
    three.redraw_hidden(seed=7)
    assert one.play_to_end(3) == three.play_to_end(3) and same(one.games, three.games)
    one.reset()
    three.reset()
    assert same(one.games, three.games)


@EACH_TABLE
def test_rows(table):
    whole = walk(table)
    batch = batch_of(whole, whole.some(7))
    rows = [3, 0, 3, 1, batch.num_games - 1]
    for query in QUERIES:
        assert np.array_equal(getattr(batch, query)(rows=rows), getattr(batch, query)()[rows]), query
    before = batch.games.copy()
    moving = [2, 0]
    chosen = batch.sample_actions(np.random.default_rng(3))
    all_moved = batch.copy()
    all_moved.step(chosen)
    batch.step(chosen[moving], moving)
    still = [i for i in range(batch.num_games) if i not in moving]
    assert same(batch.games[moving], all_moved.games[moving]) and same(batch.games[still], before[still])
    with pytest.raises(ValueError, match="rows must not be repeated"):
        batch.step(chosen[[2, 2]], [2, 2])


@EACH_TABLE
def test_batches_made_from_games(table):
    whole = walk(table)
    batch = batch_of(whole, whole.some(4))
    kind, n = type(batch), batch.num_games
    chosen = [n - 1, 0, 0, 1]
    assert same(batch.select(chosen).games, batch.games[chosen])
    assert same(batch.repeat(np.arange(n)).games, batch.games[np.repeat(np.arange(n), np.arange(n))])
    position = whole.position(len(whole) // 2)
    three = kind.of(position, 3, num_threads=1)
    assert three.options == table.options and same(three.games, np.repeat(position.games, 3))
    assert same(kind.of(batch, num_threads=1).games, batch.games)
    found = kind.of(whole.records[:2], num_threads=1)
    assert found.options == table.options and same(found.games, whole.records[:2])
    found.load(whole.records[2:3], [1])
    assert same(found.games, whole.records[[0, 2]])
    found.games = position
    assert same(found.games, np.repeat(position.games, 2))
    playouts = kind.playouts(position, 200, seed=1, num_threads=2)
    assert playouts.shape == (200, len(batch.scores()[0])) and playouts.dtype == np.int32
    assert np.array_equal(playouts[:70], kind.playouts(position.games, 70, seed=1, num_threads=1))
    assert not np.array_equal(playouts, kind.playouts(position, 200, seed=2))
    over = whole.position(len(whole))
    assert (kind.playouts(over, 3) == over.scores()).all()
    assert position == whole.position(len(whole) // 2)


@EACH_PLAIN_TABLE
def test_smaller_observation_dtypes_agree(table):
    whole = walk(table)
    batch = batch_of(whole, whole.some(9))
    units = batch.observation_layout.units
    for seat in (None, *table.seats):
        exact = batch.observe(seat=seat)
        assert exact.dtype == np.float32
        half = batch.observe(seat=seat, dtype=np.float16)
        assert half.dtype == np.float16 and np.array_equal(half, exact.astype(np.float16))
        raw = batch.observe(seat=seat, dtype=np.uint8)
        assert raw.dtype == np.uint8
        assert np.allclose(raw * units, np.minimum(exact, 255 * units), rtol=1e-5, atol=1e-6)
    out = np.full_like(batch.observe(), np.nan)
    assert batch.observe(out) is out and np.array_equal(out, batch.observe())  # every number is written
    scores = np.full((batch.num_games, table.game.score_rows, len(table.game.score_columns)), 2**40)
    kernels.score(batch.games.copy(), scores)
    assert np.abs(scores).max() < 2**31


@EACH_PLAIN_TABLE
def test_autoreset_equals_reset(table):
    auto, single = table.batch(2, 20, autoreset=True), table.batch(2, 20)
    generator, ended = np.random.default_rng(6), 0
    while ended < 3:
        chosen = single.sample_actions(generator)
        auto.step(chosen)
        single.step(chosen)
        assert np.array_equal(auto.last_done, single.done)
        assert np.array_equal(auto.last_scores, np.where(single.done[:, None], single.scores(), 0))
        ended += int(single.done.sum())
        single.reset(mask=single.done)
        assert same(auto.games, single.games)
