"""The speed benchmark: every library's games can be played in all stages; comparisons of revisions."""

import numpy as np
import pytest

from benchmarks import end_to_end, pair
from carnegie_env.core.batch import sample
from tests.commands import refused


@pytest.mark.parametrize(("name", "package", "make"), [row[:3] for row in end_to_end.LIBRARIES])
def test_the_games_of_a_library(name, package, make):
    pytest.importorskip(package)
    games = make(4)
    generator, ends = np.random.default_rng(0), 0
    for _ in range(150):
        masks, seen = games.masks(), games.observe()
        assert masks.shape == (4, games.actions) and masks.dtype == bool and masks.any(axis=1).all(), name
        assert seen.shape == (4, games.features) and seen.dtype == np.float32
        actions = sample(masks, generator)
        assert masks[np.arange(4), actions].all()
        rewards, ended = games.step(actions)
        assert rewards.shape == ended.shape == (4,)
        ends += int(ended.sum())
    assert ends > 0
    games.bare(2)


def test_stages(capsys, monkeypatch):
    monkeypatch.setattr(end_to_end, "LIBRARIES", end_to_end.LIBRARIES[:1] + (("other", "no_such_package", None, 1),))
    assert end_to_end.main(["--seconds", "0"]) == 0
    out = capsys.readouterr().out
    assert "carnegie_env, Carnegie" in out and "not installed" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["HEAD", "--rounds", "0"], "--rounds must be 1 or more, not 0"),
        (["no-such-revision"], "can't unpack the revision no-such-revision: "),
    ],
)
def test_refused_comparisons(arguments, message, capsys):
    assert message in refused(capsys, pair.main, arguments)
