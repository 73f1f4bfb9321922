"""Rewards, places and shares of the victory."""

import numpy as np
import pytest

from carnegie_env.core import rewards


def totals(*sides):
    """A result of sides that are ranked by one number."""
    return np.array(sides)[None, :, None]


@pytest.mark.parametrize(
    ("reward", "seats", "expected"),
    [
        ("win", (80, 60), (1, -1)),
        ("win", (60, 60), (0, 0)),
        ("win", (50, 80, 60), (-0.5, 1, -0.5)),
        ("win", (80, 80, 60), (0.5, 0.5, -1)),
        ("win", (80, 80, 60, 10), (0.5, 0.5, -0.5, -0.5)),
        ("win", (80, 70, 60, 10), (1, -1 / 3, -1 / 3, -1 / 3)),
        ("win", (7, 7, 7, 7), (0, 0, 0, 0)),
        ("rank", (80, 60), (1, -1)),
        ("rank", (60, 60), (0, 0)),
        ("rank", (50, 80, 60), (-1, 1, 0)),
        ("rank", (80, 80, 60), (0.5, 0.5, -1)),
        ("rank", (4, 3, 2, 1), (1, 1 / 3, -1 / 3, -1)),
        ("margin", (80, 60), (20, -20)),
        ("margin", (50, 80, 50), (-15, 30, -15)),
        ("score", (80, 60), (80, 60)),
    ],
)
def test_returns(reward, seats, expected):
    found = rewards.returns(reward, totals(*seats), len(seats))
    assert found.dtype == np.float32 and found.shape == (1, len(seats))
    assert np.allclose(found[0], expected)
    exact = rewards.exact_returns(reward, totals(*seats), len(seats))
    assert exact.dtype == np.float64 and np.array_equal(exact.astype(np.float32), found)
    assert reward == "score" or abs(exact.sum()) < 1e-12


@pytest.mark.parametrize(
    ("reward", "own", "andrew", "expected"),
    [("win", 80, 60, 1), ("win", 60, 80, -1), ("win", 60, 60, 0), ("rank", 60, 80, -1), ("margin", 60, 85, -25)]
    + [("score", 60, 85, 60)],
)
def test_returns_against_andrew(reward, own, andrew, expected):
    assert rewards.returns(reward, totals(own, andrew), 1).tolist() == [[expected]]


def test_tie_breaks():
    results = np.array([[[9, 1, 0], [9, 2, 0], [9, 2, 0], [12, 0, 0]]])
    assert rewards.places(results).tolist() == [[3, 1, 1, 0]]
    assert rewards.places(results[:, :3]).tolist() == [[2, 0, 0]]
    assert rewards.win_shares(results[:, :3]).tolist() == [[0, 0.5, 0.5]]
    assert np.allclose(rewards.returns("rank", results, 4), [[-1, 0, 0, 1]])
    assert np.allclose(rewards.returns("win", results[:, :3], 3), [[-1, 0.5, 0.5]])
    assert np.allclose(rewards.returns("margin", results[:, :2], 2), 0)  # points only


@pytest.mark.parametrize("reward", ["", "wins", None, "dense_margin"])
def test_unknown_rewards(reward):
    with pytest.raises(ValueError, match="win, rank, margin, score"):
        rewards.check_name(reward, dense=False)
    with pytest.raises(ValueError, match="win, rank, margin, score"):
        rewards.returns(reward, totals(1, 2), 2)


def test_results_of_another_shape():
    with pytest.raises(ValueError, match="shape"):
        rewards.returns("win", [1, 2], 2)
