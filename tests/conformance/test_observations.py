"""Observations match their layout, stay within its bounds and contain no hidden information."""

import numpy as np
import pytest

from carnegie_env.core import rules
from carnegie_env.core.jit import jit
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
def test_observations_contain_no_hidden_information(table):
    """Redrawing what a seat can't see leaves its observation unchanged and gives a valid position to play on."""
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
            assert (other.games["rng"] != batch.games["rng"]).all()  # future chance is hidden as well
            again = batch.copy()
            again.redraw_hidden(seat, seed)
            assert same(again.games, other.games)
            for row in (0, batch.num_games // 2, batch.num_games - 1):
                single = whole.position(whole.some(12 * AMOUNT)[row])
                single.redraw_hidden(seat, seed + row)
                assert same(single.games, other.games[row : row + 1]) and single.history is None
                assert type(single).from_dict(single.to_dict()) == single
            other.play_to_end(seed)
            assert other.done.all()
    assert bool(changed) == table.game.hides(table.options), changed
    own = batch.copy()
    own.redraw_hidden(seed=5)
    assert np.array_equal(own.observe(), batch.observe())


@jit
def compute_insights(games, seats, insights, guesses):
    """The networks' inputs besides the observation, of each game: float32 (n, insights), float64 (n,)."""
    for i in range(games.shape[0]):
        rules.insight(games[i], seats[i], insights[i])
        guesses[i] = rules.guess(games[i], seats[i])


def insights_of(batch, seat):
    """The insights and guesses of one seat; NaN where nothing was written."""
    found = np.full((batch.num_games, len(batch.game.insights)), np.nan, np.float32), np.full(batch.num_games, np.nan)
    compute_insights(batch.games.copy(), np.full(batch.num_games, seat), *found)
    return found


@EACH_PLAIN_TABLE
def test_insights_and_guesses_contain_no_hidden_information(table):
    whole = walk(table)
    batch = batch_of(whole, whole.some(25 * AMOUNT))
    assert len(set(table.game.insights)) == len(table.game.insights)
    for seat in table.seats:
        other = batch.copy()
        insights, guesses = insights_of(batch, seat)
        assert np.isfinite(insights).all() and np.isfinite(guesses).all()
        other.redraw_hidden(seat, 7)
        for one, two in zip((insights, guesses), insights_of(other, seat), strict=True):
            np.testing.assert_array_equal(one, two)


@jit
def revealed(games, out):
    """``Rules.revealed`` of each game, int64 (n,)."""
    for i in range(games.shape[0]):
        out[i] = rules.revealed(games[i])


@EACH_PLAIN_TABLE
def test_decisions_that_reveal_something_are_counted(table):
    """After a decision that reveals nothing, by `Rules.revealed`, all draws of hidden information look the same."""
    whole = walk(table)
    batch = batch_of(whole, [k for k in whole.some(40 * AMOUNT) if k < len(whole)])
    generator = np.random.default_rng(3)
    before, after = np.zeros((2, batch.num_games), np.int64)
    revealed(batch.games.copy(), before)
    actions, movers, views = batch.sample_actions(generator), batch.to_play.copy(), []
    for seed in (1, 1000, 2000):
        other = batch.copy()
        other.redraw_hidden(seed=seed)
        other.step(actions)
        revealed(other.games.copy(), after)
        silent = (before >= 0) & (after == before)
        every = np.stack([other.observe(seat=seat) for seat in table.seats])
        views.append(every[movers, np.arange(batch.num_games)])
        np.testing.assert_array_equal(views[0][silent], views[-1][silent])


@EACH_GAME
def test_secret_decisions_are_hidden_from_the_others(game):
    """While the phase lasts, the possible decisions look the same to all other seats.

    This compares only positions with the same seat to move: that seat is public, and because forced decisions are
    played it can depend on a secret decision.
    """
    if not game.presentation.secret_phases:
        pytest.skip("there is no secret phase")
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
            same_phase = np.array([(game.phase(record), game.round(record)) == here for record in batch.games])
            for mover in table.seats:
                alike = same_phase & (batch.to_play == mover)
                met |= {position.phase} if alike.sum() > 1 else set()
                for seat in set(table.seats) - {position.to_play}:
                    seen = batch.observe(seat=seat)[alike]
                    assert (seen == seen[:1]).all(), (table, position.phase)
    assert met == set(game.presentation.secret_phases)
