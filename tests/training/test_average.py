"""The mean of networks, and networks that have none."""

import numpy as np
import pytest

from carnegie_env.agents import inputs, value
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.networks import metadata_of, random_weights
from tests.toy.game import SIXES
from training import average
from training.value import to_bytes


def network(folder, name, game=SIXES, hidden=8, options=None):
    chosen = game.options.from_dict(options or {})
    net = random_weights(inputs.size(game, chosen), hidden, 5)
    net = net._replace(first=net.first + np.float32(len(name)))
    (folder / name).write_bytes(to_bytes(net, metadata_of(game, chosen)))
    return value.read(folder / name)


def test_the_mean(tmp_path):
    nets = [network(tmp_path, name) for name in ("a", "bb", "cccc")]
    for part, *parts in zip(average.mean(nets), *(net.weights for net in nets), strict=True):
        np.testing.assert_allclose(part, np.mean(parts, axis=0), rtol=1e-6, atol=1e-6)
        assert part.dtype == np.float32


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"hidden": 16}, "the networks have layers of different sizes"),
        ({"options": {"num_players": 3}}, "the networks are for different games or options"),
        ({"game": STEEL_DRIVER, "options": {"num_players": 3}}, "the networks are for different games or options"),
    ],
    ids=str,
)
def test_networks_for_different_games_have_no_mean(other, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        average.mean([network(tmp_path, "a"), network(tmp_path, "b", **other)])
