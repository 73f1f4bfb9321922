"""Levels: the draws follow the temperatures, and a higher level loses less."""

import numpy as np
import pytest

from carnegie_env import make_agent
from carnegie_env.agents import level
from tests.agents.tables import STEEL, carnegie, middle

TABLE = carnegie({"num_players": 2})[0]


def test_the_table_of_levels_is_ordered() -> None:
    found = level.levels()
    assert len(found) == level.LEVELS
    for lower, higher in zip(found, found[1:], strict=False):
        assert lower.temperature > higher.temperature and lower.rating < higher.rating and lower.loss > higher.loss
    assert all(each.low < each.rating < each.high for each in found)


def test_draws_follow_the_temperature() -> None:
    batch = middle(TABLE, 1)
    agent = make_agent("level:2", 1)
    values = agent.judge(batch).values[0]
    many = batch.repeat(4000)
    many._games["rng"] = np.arange(4000)
    drawn = np.bincount(agent.choose(many), minlength=len(values)) / 4000
    chances = np.exp((values - values.max()) / level.temperature_in(TABLE.game, 2))
    chances /= chances.sum()
    assert np.abs(drawn - chances).max() < 4 * np.sqrt(0.25 / 4000) and (drawn[chances == 0] == 0).all()


def test_a_higher_level_loses_less_and_any_table_has_levels() -> None:
    for table in (TABLE, STEEL[0]):
        batch = middle(table, 200)
        values = make_agent("level").judge(batch).values
        best = values.max(axis=1)
        losses = [(best - values[np.arange(200), make_agent(f"level:{k}").choose(batch)]).mean() for k in (1, 4, 7, 10)]
        assert losses == sorted(losses, reverse=True) and losses[0] > losses[3]


@pytest.mark.parametrize("name", ["level:0", "level:11", "level:x", "level:5,draws=2", "level:٣", "level:-1"])
def test_another_level_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="the level must be a whole number from 1 to 10"):
        make_agent(name)


def test_names() -> None:
    assert make_agent("level").name == make_agent("level:5").name == make_agent("level:level=5").name == "level:5"
