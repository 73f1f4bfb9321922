"""The mean of networks, and invalid arguments."""

import numpy as np
import pytest

from carnegie_env.agents import inputs, tensors, value
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.networks import metadata_of, random_weights
from tests.toy.game import SIXES
from training import average
from training.value import to_bytes


def network_file(folder, name, game=SIXES, hidden=8, options=None):
    chosen = game.options.from_dict(options or {})
    net = random_weights(inputs.size(game, chosen), hidden, 5)
    net = net._replace(first=net.first + np.float32(len(name)))
    (folder / name).write_bytes(to_bytes(net, metadata_of(game, chosen)))
    return folder / name


def test_the_mean_is_for_the_same_games(tmp_path):
    files = [network_file(tmp_path, name) for name in ("a", "bb", "cccc")]
    out = tmp_path / "out.safetensors"
    assert average.main([str(out), *map(str, files)]) == 0
    nets, mean = [value.read(file) for file in files], value.read(out)
    assert (mean.game, mean.inputs, mean.options) == (nets[0].game, nets[0].inputs, nets[0].options)
    for part, *parts in zip(mean.weights, *(net.weights for net in nets), strict=True):
        np.testing.assert_allclose(part, np.mean(parts, axis=0), rtol=2e-3, atol=2e-3)  # large layers are in float16
    assert tensors.read(out)[1] == tensors.read(files[0])[1]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"hidden": 16}, "the networks have layers of different sizes"),
        ({"options": {"num_players": 3}}, "the networks are for different games or options"),
        ({"game": STEEL_DRIVER, "options": {"num_players": 3}}, "the networks are for different games or options"),
        (None, "at least two networks are needed"),
        ("missing", "there is no network at"),
    ],
    ids=str,
)
def test_invalid_arguments_are_rejected(other, message, tmp_path, capsys):
    files = [network_file(tmp_path, "a")]
    if other == "missing":
        files.append(tmp_path / "missing")
    elif other is not None:
        files.append(network_file(tmp_path, "b", **other))
    assert average.main([str(tmp_path / "out"), *map(str, files)]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "out").exists()
