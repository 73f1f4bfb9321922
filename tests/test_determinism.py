"""Games depend only on options, seed and actions. The conformance suite covers threads, copies and resets."""

from __future__ import annotations

import numpy as np
import pytest

from carnegie_env import Batch
from tests import players
from tests.players import ALL_ON, MODES


def test_a_row_does_not_depend_on_other_rows() -> None:
    mode = {"num_players": 3}
    large, small = Batch(130, num_threads=2, **mode), Batch(1, num_threads=1, **mode)
    large.reset(500)
    small.reset(500 + 77)
    weight, generator = players.weights("whims", 1), np.random.default_rng(0)
    while not small.done[0]:
        action = players.choose(small.action_masks(), weight, np.random.default_rng(int(small.games["decisions"][0])))
        actions = players.choose(large.action_masks(), weight, generator)
        actions[77] = action[0]
        large.step(actions)
        small.step(action)
        assert np.array_equal(large.games[77:78], small.games)


@pytest.mark.parametrize("mode", [MODES[1], *MODES[4:], ALL_ON[0], ALL_ON[2]], ids=players.mode_name)
def test_playouts_depend_only_on_their_seed(mode: dict) -> None:
    game = players.whole_game(mode, 6, "busy")
    position = game.position(len(game) // 2)
    before = players.mark(position.games)
    totals = Batch.playouts(position, 200, seed=11, num_threads=2)
    assert players.mark(position.games) == before
    assert totals.shape == (200, len(position.scores())) and totals.dtype == np.int32
    assert np.array_equal(totals, Batch.playouts(position.games, 200, seed=11, num_threads=1))
    assert np.array_equal(totals[:70], Batch.playouts(position, 70, seed=11, num_threads=1))
    assert not np.array_equal(totals, Batch.playouts(position, 200, seed=12, num_threads=2))
    assert len({tuple(row) for row in totals.tolist()}) > 20
    over = game.position(len(game))
    assert np.array_equal(Batch.playouts(over, 3)[:, : over.num_players], [over.scores()[: over.num_players]] * 3)


def test_different_seeds_give_different_games() -> None:
    for mode in (*MODES, *ALL_ON):
        batch = Batch(400, num_threads=1, **mode)
        batch.reset(0)
        dealt = {players.mark(batch.games[k : k + 1]) for k in range(400)}
        assert len(dealt) == 400
