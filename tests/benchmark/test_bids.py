"""Prices and earnings of companies (benchmarks/bids.py) against the records at the end of the games."""

import numpy as np
import pytest

from benchmarks import bids
from carnegie_env.agents import registry
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import scoring
from tests.commands import refused


@pytest.mark.parametrize(("agent", "players"), [("random", 6), ("greedy", 3)])
def test_earnings_are_paid_out(agent, players):
    """The profits of a seat's companies add up to its cash, and the shares it bought to its money for shares."""
    sales, rows = bids.play(registry.make_agent(agent), 24, players, seed=3)
    for column, brought in ((scoring.CASH, sales.earned), (scoring.SHARES, sales.share)):
        found = np.zeros(rows.shape[:2], np.int64)
        np.add.at(found, (sales.game, sales.seat), brought)
        np.testing.assert_array_equal(found, rows[:, :, column])
    assert set(np.unique(sales.round)) == set(range(1, t.ROUNDS + 1))
    sold = np.stack([sales.game, sales.round, sales.company])
    assert np.unique(sold, axis=1).shape == sold.shape  # a company is sold once a round
    assert sales.drawn.any() and not sales.drawn.all() and (sales.round[sales.drawn] == 1).all()


def test_companies_get_their_prices(monkeypatch):
    """A company's cubes come from its prices and go into its links; few can be left."""
    kept = []
    monkeypatch.setattr(bids._Watch, "sales", lambda self, games, sales=bids._Watch.sales: kept.append(games.copy())
                        or sales(self, games))  # fmt: skip
    sales, _ = bids.play(registry.make_agent("greedy"), 24, 3, seed=3)
    paid = np.zeros((24, t.NUM_COMPANIES), np.int64)
    np.add.at(paid, (sales.game, sales.company), sales.price)
    (games,) = kept
    left = paid - np.where(games["links"] >= 0, t.ROUTE_COST[games["links"]], 0).sum(axis=2)
    full = games["num_links"] == t.LINKS
    assert (left >= 0).all() and (left[~full] < t.ROUTE_COST.max() + 3).mean() > 0.95 and (sales.price > 0).all()


def test_the_command(capsys):
    assert bids.main(["--agent", "greedy", "--games", "20", "--num-players", "3", "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("20 games of 3 players, all of them greedy") and "| round 5 | " in out
    assert "companies bought per player and round" in out and "| 11 cubes or more | " in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "0"], "--games must be 1 or more, not 0"),
        (["--agent", "clever"], "unknown agent 'clever'"),
        (["--num-players", "2"], "invalid choice"),
    ],
)
def test_bad_command_lines(arguments, message, capsys):
    assert message in refused(capsys, bids.main, arguments)
