"""Every agent is legal and repeatable, plays alike in a batch and alone, and does not use hidden information."""

import copy
import pickle

import numpy as np
import pytest

from carnegie_env import Batch
from carnegie_env.agents import registry
from tests.agents.tables import LAST_ROUND, TABLES, at, middle, network_files, position_of
from tests.amounts import some

AGENTS = {
    "random": "random",
    "level": "level:3",
    "greedy": "greedy",
    "value": "value:draws=3,network={}",
    "search": "search:depth=2,candidates=5,evals=300,network={}",
}
RATING = [name for name in AGENTS if name not in ("random", "level")]
each_agent, rating_agent = (pytest.mark.parametrize("name", names) for names in (AGENTS, RATING))
files = network_files(*TABLES)


def made(files, name, table, seed=0):
    return registry.make_agent(AGENTS[name].format(files[table.name]), seed)


@each_agent
@at(*some(TABLES, 2))
def test_plays_whole_games(files, name, table):
    agent = registry.make_agent("search:evals=60,depth=1,candidates=2,network=" + files[table.name])
    agent = agent if name == "search" else made(files, name, table)
    batch = table.batch(2)
    batch.reset(seed=3)
    while not batch.done.all():
        batch.step(agent.act_batch(batch))  # rejects illegal actions
    assert (batch.games["round_number"] == LAST_ROUND[table.game]).all()


@each_agent
@at(*TABLES)
def test_a_choice_depends_only_on_its_game(files, name, table):
    batch = middle(table, 8)
    before, rows = batch.games.copy(), np.array([7, 2, 4])
    chosen = made(files, name, table).choose(batch)
    assert chosen.dtype == np.int64 and (batch.games == before).all()
    agent = made(files, name, table)
    np.testing.assert_array_equal(agent.act_batch(batch, rows), chosen[rows])
    np.testing.assert_array_equal(agent.act_batch(middle(table, 8, threads=3)), chosen)
    assert [agent.act(position_of(batch, row)) for row in rows] == chosen[rows].tolist()


def test_rows_are_numbers():
    agent, batch = registry.make_agent("random"), Batch(2, num_players=2)
    assert agent.act_batch(batch, []).tolist() == []
    for wrong in (np.array([False, True]), [1.5], [2], [-1], [[0]]):
        with pytest.raises(ValueError, match="row"):
            agent.act_batch(batch, wrong)


@pytest.mark.parametrize("name", ["random", "greedy", "value", "search"])
@pytest.mark.parametrize("wrong", [-1, 2**64, None, "x", True])
def test_wrong_seeds(name, wrong):
    with pytest.raises(ValueError, match="a seed must be a whole number"):
        registry.make_agent(name, wrong)


@rating_agent
@at(*TABLES)
def test_the_best_of_all_legal_actions_is_chosen(files, name, table):
    batch, agent = middle(table, 6, 20), made(files, name, table)
    judged = agent.judge(batch)
    np.testing.assert_array_equal(judged.actions, agent.choose(batch))
    for row in range(6):
        position = position_of(batch, row)
        ratings = agent.rate(position)
        assert sorted(action for action, _ in ratings) == position.legal_numbers().tolist()
        assert dict(ratings) == {action: judged.values[row, action] for action, _ in ratings}
        values = [value for _, value in ratings]
        assert values == sorted(values, reverse=True) and np.isfinite(values).all()
        assert ratings[0][0] == judged.actions[row] and position == position_of(batch, row)


@rating_agent
@at(*TABLES[:1], *TABLES[2:4])
def test_hidden_information_is_not_used(files, name, table):
    agent, changed = made(files, name, table), False
    for decisions in (8, 40):  # sealed sheets exist only at the beginning
        batch = middle(table, 12, decisions)
        other = batch.copy()
        other.redraw_hidden(seed=77)
        hidden = [field for field in ("deck", "secret", "bid") if field in batch.games.dtype.names]
        changed = changed or any((other.games[field] != batch.games[field]).any() for field in hidden)
        np.testing.assert_array_equal(agent.choose(batch), agent.choose(other))
        for row in range(0, 12, 4):
            assert agent.rate(position_of(batch, row)) == agent.rate(position_of(other, row))
    assert changed


@each_agent
def test_finished_games_get_no_action(files, name):
    batch, over, agent = middle(TABLES[1], 4), TABLES[1].batch(4), made(files, name, TABLES[1])
    over.play_to_end(seed=1)
    batch.load(over.select([1]), rows=[1])
    actions = agent.act_batch(batch)
    assert actions[1] == -1 and (actions[[0, 2, 3]] >= 0).all()
    for ask in (agent.act, agent.rate) if name in RATING else (agent.act,):
        with pytest.raises(ValueError, match="the game is over"):
            ask(position_of(over, 0))


@each_agent
def test_copies_play_alike_and_seeds_matter(files, name):
    table = TABLES[0]
    batch, agent = middle(table, 12), made(files, name, table, 9)
    chosen = agent.choose(batch)
    for other in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent), made(files, name, table, 9)):
        np.testing.assert_array_equal(other.choose(batch), chosen)
        assert (other.name, other.version) == (agent.name, agent.version)
        assert len(agent.version.partition("-")[0]) == (12 if name in ("value", "search", "level") else 0)
    other = made(files, name, table, 2**64 - 1)
    if name in ("random", "level"):
        assert (other.choose(batch) != chosen).any()
    elif name != "greedy":
        assert any(other.rate(p) != agent.rate(p) for p in (position_of(batch, row) for row in range(12)))
