"""Places follow from scores and tie-breaks; rewards follow from results and sum to zero."""

import numpy as np
import pytest

from carnegie_env.core import rewards
from tests.conformance.tables import AMOUNT, EACH_GAME, EACH_TABLE, tables, walk


def finished(table, number=60 * AMOUNT):
    batch = table.batch(number, 8)
    batch.play_to_end(9)
    return batch


@EACH_TABLE
def test_places(table):
    batch, game = finished(table), table.game
    columns = [game.score_columns.index(name) for name in game.rank_by]
    breakdown, places = batch.breakdown(), batch.places()
    assert breakdown.shape == (batch.num_games, len(game.sides(table.options)), len(game.score_columns))
    assert np.array_equal(batch.scores(), breakdown[:, :, columns[0]])
    for rows, found in zip(breakdown.tolist(), places.tolist(), strict=True):
        keys = [tuple(row[column] for column in columns) for row in rows]
        assert found == [sum(other > key for other in keys) for key in keys]
    position = walk(table).position(len(walk(table)))
    assert position.places() == rewards.places(position.breakdown()[None, :, columns])[0].tolist()
    named = position.score_breakdown()
    assert [side["total"] for side in named] == position.scores() and len(named) == len(position.places())


@EACH_TABLE
@pytest.mark.parametrize("reward", rewards.FINAL)
def test_rewards(table, reward):
    batch, seats = finished(table), table.options.num_players
    results, places = batch.results(), batch.places()
    sides = places.shape[1]
    paid = rewards.returns(reward, results, sides)
    assert np.array_equal(rewards.returns(reward, results, seats), paid[:, :seats])
    if reward != "score":
        assert np.allclose(paid.sum(axis=1), 0, atol=1e-3)
    for side in range(sides):
        for other in range(sides):
            level = places[:, side] == places[:, other]
            if reward in ("win", "rank"):
                assert (paid[level, side] == paid[level, other]).all()
                assert (paid[:, side] >= paid[:, other])[places[:, side] < places[:, other]].all()
    if reward in ("win", "rank"):
        alone = (places == 0) & ((places == 0).sum(axis=1, keepdims=True) == 1)
        assert np.abs(paid).max() <= 1 and (paid[alone] == 1).all()
    assert (paid > rewards.loss(reward, table.game)).all() or reward in ("win", "rank")
    shares = rewards.win_shares(results)
    assert np.allclose(shares.sum(axis=1), 1) and ((shares > 0) == (places == 0)).all()
    lost = rewards.lost(reward, 0, batch.scores()[0], table.game)
    assert lost[0] == rewards.loss(reward, table.game) and lost[0] == lost.min()
    assert reward == "score" or abs(lost.sum()) < 1e-3


@EACH_GAME
def test_every_tie_break_decides_some_games_and_some_places_are_shared(game):
    """Otherwise the other tests would not test tie-breaks."""
    decided, shared = set(), 0
    for table in tables(game):
        results = finished(table, 400).results()
        for row in results:
            for one in range(len(row)):
                for other in range(one):
                    differ = np.flatnonzero(row[one] != row[other])
                    shared += not len(differ)
                    decided |= {int(differ[0])} if len(differ) else set()
    assert decided == set(range(len(game.rank_by))) and shared > 0
