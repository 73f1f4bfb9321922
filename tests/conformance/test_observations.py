"""A seat sees what the layout says, within its bounds, and nothing that is hidden from it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conformance.tables import AMOUNT, EACH_GAME, EACH_PLAIN_TABLE, EACH_TABLE, batch_of, same, tables, walk
from tests.conformance.test_play import check_settled


@EACH_TABLE
def test_observations_stay_within_their_bounds(table):
    for seed in range(2 * AMOUNT):
        whole = walk(table, seed)
        batch = batch_of(whole, whole.some(40))
        layout = batch.observation_layout
        for seat in table.seats:
            seen = batch.observe(seat=seat)
            assert np.isfinite(seen).all() and (seen >= layout.low).all()
            above = (seen > layout.high).any(axis=0)
            assert not above.any(), [layout.labels[k] for k in np.flatnonzero(above)]
            own = batch.to_play == seat
            assert np.array_equal(batch.observe()[own], seen[own])
        over = batch.done
        assert np.array_equal(batch.observe()[over], batch.observe(seat=0)[over])


@EACH_TABLE
def test_what_is_hidden_is_not_seen(table):
    """Drawn anew it looks the same to the seat, is right for all that is known, and can be played on."""
    whole = walk(table)
    batch = batch_of(whole, whole.some(12 * AMOUNT))
    fields = [name for name in table.game.record.names if name not in {*table.game.derived, "rng"}]
    changed: set[str] = set()
    for seat in table.seats:
        for seed in (1, 1000):
            other = batch.copy()
            other.redraw_hidden(seat, seed)
            assert np.array_equal(other.observe(seat=seat), batch.observe(seat=seat))
            assert np.array_equal(other.to_play, batch.to_play)
            mine = batch.to_play == seat
            assert np.array_equal(other.action_masks()[mine], batch.action_masks()[mine])
            check_settled(other)
            changed |= {name for name in fields if not np.array_equal(other.games[name], batch.games[name])}
            assert (other.games["rng"] != batch.games["rng"]).all()  # chance to come is hidden, too
            again = batch.copy()
            again.redraw_hidden(seat, seed)
            assert same(again.games, other.games)
            single = whole.position(whole.some(12 * AMOUNT)[3])
            single.redraw_hidden(seat, seed + 3)
            assert same(single.games, other.games[3:4]) and single.history is None
            other.play_to_end(seed)
            assert other.done.all()
    assert bool(changed) == table.game.hides(table.options), changed
    own = batch.copy()
    own.redraw_hidden(seed=5)
    assert np.array_equal(own.observe(), batch.observe())


@EACH_PLAIN_TABLE
def test_redrawn_positions_are_positions(table):
    whole = walk(table)
    for k in whole.some(3):
        position = whole.position(k)
        position.redraw_hidden(k % table.options.num_players, k)
        assert type(position).from_dict(position.to_dict()) == position


@EACH_GAME
def test_a_secret_decision_is_not_seen_by_the_others(game):
    """While the phase lasts, two decisions look the same to all seats but his who takes them.

    But for whose turn it is: that is seen, and where forced decisions are played it can hang on a secret one.
    """
    if not game.secret_phases:
        pytest.skip("no phase is secret")
    met: set[str] = set()
    for table in tables(game):
        whole = walk(table)
        for k in range(len(whole)):
            position = whole.position(k)
            if not game.phase_is_secret(position.record) or table.options.num_players == 1:
                continue
            batch = batch_of(whole, [k]).repeat(len(position.legal_numbers()))
            batch.step(position.legal_numbers())
            here = (position.phase, position.round)
            going_on = np.array([(game.phase(record), game.round(record)) == here for record in batch.games])
            for mover in table.seats:
                alike = going_on & (batch.to_play == mover)
                met |= {position.phase} if alike.sum() > 1 else set()
                for seat in set(table.seats) - {position.to_play}:
                    seen = batch.observe(seat=seat)[alike]
                    assert (seen == seen[:1]).all(), (table, position.phase)
    assert met == set(game.secret_phases)
