"""Replaying: every decision once, in any order, with any number of workers; damaged games are refused."""

import tracemalloc
import warnings

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from carnegie_env.core import rewards
from carnegie_env.datasets import DamagedShard, Dataset
from tests.datasets.games import make, replace_shard
from tests.toy.game import SIXES, Batch


@pytest.fixture(scope="module", params=[1, 2, 3])
def made(request, tmp_path_factory):
    """A dataset with one, two or three seats."""
    names = ("Last", "random", "Thoughtful")[: max(request.param, 2)]
    return make(tmp_path_factory.mktemp("games"), *names, players=request.param)


def by_hand(dataset, reward="win"):
    """All decisions by game, from a batch: observation, mask, action, seat, return."""
    found = {}
    for game in dataset:
        batch = Batch(1, num_threads=1, **dataset.options.to_dict())
        batch.reset(game.seed)
        decisions = []
        for action in game.actions.tolist():
            decisions.append((batch.observe()[0], batch.action_masks()[0], action, int(batch.to_play[0])))
            batch.step([action])
        assert batch.done[0] and tuple(batch.scores()[0]) == game.scores and tuple(batch.places()[0]) == game.places
        worth = rewards.returns(reward, batch.results(), dataset.options.num_players)[0]
        found[game.number] = [(*each, worth[each[3]]) for each in decisions]
    return found


def rows(batches):
    """Every decision of batches: the game's number, then the other fields."""
    for batch in batches:
        for row, game in enumerate(batch.games.tolist()):
            yield game, tuple(part[row] for part in batch[:5])


def same(decision, wanted):
    observation, mask, action, worth, seat = decision
    return (
        np.array_equal(observation, wanted[0]) and np.array_equal(mask, wanted[1])
        and (action, seat) == (wanted[2], wanted[3]) and worth == pytest.approx(wanted[4])
    )  # fmt: skip


@pytest.mark.parametrize("reward", rewards.FINAL)
def test_decisions_are_those_of_the_games(made, reward):
    wanted = [(game, each) for game, decisions in by_hand(made, reward).items() for each in decisions]
    found = list(rows(made.replay(64, reward=reward)))
    assert [game for game, _ in found] == [game for game, _ in wanted] and len(found) == made.num_decisions
    assert all(same(decision, each) for (_, decision), (_, each) in zip(found, wanted, strict=True))


@pytest.mark.parametrize("reuse", [False, True])
def test_shuffling_yields_every_decision_once(made, reuse):
    wanted = by_hand(made)
    left = {game: list(decisions) for game, decisions in wanted.items()}
    order = []
    for game, decision in rows(made.replay(32, shuffle=150, seed=5, mix=2, reuse=reuse)):
        order.append(game)
        place = next(k for k, each in enumerate(left[game]) if same(decision, each))
        del left[game][place]
    assert not any(left.values())
    one, again, other = (
        [game for game, _ in rows(made.replay(32, shuffle=150, seed=seed, mix=2))] for seed in (5, 5, 6)
    )
    assert one == again == order != other
    assert len(set(order[:100])) > 8 and max(order[:150]) - min(order[:150]) > 25  # of many games, of two shards


def test_all_batches_but_the_last_have_the_batch_size(made):
    for shuffle in (0, 100, 128):
        sizes = [len(batch.actions) for batch in made.replay(64, shuffle=shuffle)]
        assert set(sizes[:-1]) == {64} and 1 <= sizes[-1] <= 64 and sum(sizes) == made.num_decisions


@pytest.mark.parametrize("workers", [2, 3, 5])
@pytest.mark.parametrize("shuffle", [0, 100])
def test_workers_share_the_games(made, workers, shuffle):
    """Three shards for more, as many or fewer workers."""
    parts = [
        [game for game, _ in rows(made.replay(50, shuffle=shuffle, seed=2, worker=k, workers=workers))]
        for k in range(workers)
    ]
    assert all(parts) and not any({*one} & {*other} for k, one in enumerate(parts) for other in parts[:k])
    every = [game for game, decisions in by_hand(made).items() for _ in decisions]
    assert sorted(game for part in parts for game in part) == every


def test_types_and_dtypes(made):
    batch = next(made.replay(16))
    assert [part.dtype for part in batch[:6]] == [np.float32, np.int8, np.int64, np.float32, np.int64, np.int64]
    assert batch.values is None and batch.visits is None
    small, half = next(made.replay(16, dtype="uint8")), next(made.replay(16, dtype=np.float16))
    layout = SIXES.layout(made.options)
    np.testing.assert_allclose(small.observations * layout.units, batch.observations, atol=1e-6)
    np.testing.assert_allclose(half.observations, batch.observations, atol=1e-3)


def test_decisions_of_some_agents(tmp_path):
    made = make(tmp_path, "Last", "random", "Thoughtful", players=2)
    of = {game.number: game.agents for game in made}
    seen = {of[game][decision[4]] for game, decision in rows(made.replay(64, agents=["random", "Last"]))}
    assert seen == {"random", "Last"}
    counts = [sum(len(b.actions) for b in made.replay(64, agents=[name])) for name in ("Last", "random", "Thoughtful")]
    assert sum(counts) == made.num_decisions and min(counts) > 0


def test_values_and_visits_belong_to_their_actions(tmp_path):
    made = make(tmp_path, "Thoughtful", "random", values=True)
    of = {game.number: game.agents for game in made}
    said = silent = 0
    for batch in made.replay(40, shuffle=80, values=True):
        for row, game in enumerate(batch.games.tolist()):
            if of[game][batch.seats[row]] == "random":
                assert np.isnan(batch.values[row]).all() and np.isnan(batch.visits[row]).all()
                silent += 1
                continue
            said += 1
            legal = batch.masks[row].astype(bool)
            numbers = np.flatnonzero(legal)
            np.testing.assert_array_equal(batch.values[row, legal], -numbers)
            np.testing.assert_array_equal(batch.visits[row, legal], 2 * numbers)
            assert np.isnan(batch.values[row, ~legal]).all()
    assert said > 100 and silent > 100
    game = made[1]
    assert len(game.values) == len(game.visits) == len(game.actions) and {len(each) > 0 for each in game.values} == {
        True, False
    }  # fmt: skip
    assert next(made.replay(8)).values is None
    made.verify()


def test_the_memory_estimate(made):
    """It is close to the memory allocated while replaying, except for a moment while a file is read."""
    arguments = {"shuffle": 4096, "dtype": "uint8"}
    assert len(list(made.replay(256, **arguments))) > 1  # compile first
    tracemalloc.start()
    try:
        for _ in made.replay(256, reuse=True, **arguments):
            pass
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    said = made.memory(256, **arguments)
    assert SIXES.record.itemsize * 4096 < said and used < 1.5 * said + 2**18
    assert made.memory(256, shuffle=8192, dtype="uint8") > 1.5 * said


WRONG = {
    "batch": ({"batch_size": 0}, "batch_size must be a whole number from 1"),
    "shuffle": ({"shuffle": -1}, "shuffle must be a whole number from 0"),
    "mix": ({"mix": 0}, "mix must be"),
    "worker": ({"worker": 2, "workers": 2}, "worker must be a whole number from 0 to 1"),
    "workers": ({"workers": 0}, "workers must be"),
    "dtype": ({"dtype": "int32"}, "dtype must be float32, float16 or uint8"),
    "reward": ({"reward": "dense_margin"}, "reward must be one of win, rank, margin, score"),
    "agents": ({"agents": ["Nobody"]}, "the dataset has no agent 'Nobody', only Last, random"),
    "no agents": ({"agents": []}, "agents must be names of the dataset's agents"),
    "text": ({"agents": "Last"}, "agents must be names of the dataset's agents"),
    "values": ({"values": True}, "the dataset has no values"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(made, name):
    arguments, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        made.replay(**{"batch_size": 8, **arguments})
    if name in ("batch", "shuffle", "mix", "dtype"):
        with pytest.raises(ValueError, match=message):
            made.memory(**arguments)


# ---------------------------------------------------------------- damaged games
def other_action(found, number=65535):
    actions = found.actions.copy()
    actions[found.edges[7] + 3] = number
    return found._replace(actions=actions)


def without_last(found):
    keep = np.delete(np.arange(len(found.actions)), found.edges[8] - 1)
    edges = found.edges - (np.arange(len(found.edges)) > 7)
    return found._replace(actions=found.actions[keep], edges=edges)


def with_more(found):
    edges = found.edges + (np.arange(len(found.edges)) > 7)
    return found._replace(actions=np.insert(found.actions, found.edges[8], 0), edges=edges)


def other_score(found):
    scores = found.scores.copy()
    scores[7, 0] += 1
    return found._replace(scores=scores)


def other_places(found):
    places = found.places.copy()
    places[7] = places[7, ::-1] if places[7].any() else [0, 1]
    return found._replace(places=places)


CHANGES = {
    "no action": (other_action, r"decision 3: illegal action 65535 \(not in 0\.\."),
    "not legal": (lambda found: other_action(found, SIXES.texts.index("bet 1")), r"illegal action \d+ \(bet 1\)"),
    "cut": (without_last, "the game is not over after its last decision"),
    "longer": (with_more, "the game is over before this decision"),
    "score": (other_score, "the game does not end with the stored scores"),
    "places": (other_places, "the game does not end with the stored places"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_games_that_can_not_be_replayed(name, tmp_path):
    """In row 7 of the second shard of 25 games; the illegal action would be legal at another decision."""
    change, message = CHANGES[name]
    made = make(tmp_path)
    replace_shard(made, 1, change(made.columns(1)))
    wrong = Dataset(tmp_path, game=SIXES)
    for play in (wrong.verify, lambda: list(wrong.replay(16)), lambda: list(wrong.replay(16, shuffle=64))):
        with pytest.raises(DamagedShard, match=message) as error:
            play()
        assert error.value.shard == tmp_path / "games-00001.parquet"
        assert "games-00001.parquet: game 32 (seed 35)" in str(error.value)
    skipping = Dataset(tmp_path, "skip", game=SIXES)
    with pytest.warns(UserWarning, match="skipping a damaged shard: .*games-00001"):
        seen = {game for game, _ in rows(skipping.replay(16, shuffle=64))}
    assert seen == {*range(25), *range(50, 60)} and list(skipping.skipped) == ["games-00001.parquet"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # there is only one warning
        assert len(list(skipping)) == 35


def test_missing_values_are_noticed(tmp_path):
    def change(found):
        edges = found.values.edges.copy()
        edges[int(np.flatnonzero(np.diff(edges) > 0)[20]) + 1 :] -= 1
        return found._replace(values=found.values._replace(edges=edges, numbers=found.values.numbers[1:]))

    made = make(tmp_path / "made", "Thoughtful", "random", values=True)
    replace_shard(made, 0, change(made.columns(0)))
    wrong = Dataset(made.path, game=SIXES)
    for play in (wrong.verify, lambda: list(wrong.replay(16, values=True))):
        with pytest.raises(DamagedShard, match="numbers of values, visits and legal actions differ"):
            play()
    assert sum(len(batch.actions) for batch in wrong.replay(16)) == made.num_decisions  # values were not requested
