"""Exactly the legal actions can be played; games can be copied, undone and repeated; they end in time."""

import copy
import dataclasses
import pickle
import random

import numpy as np
import pytest

from carnegie_env.core.kernels import NOTHING
from tests.conformance.tables import AMOUNT, EACH_PLAIN_TABLE, EACH_TABLE, batch_of, faults, same, walk


@EACH_TABLE
def test_exactly_the_legal_actions_can_be_played(table):
    for k in walk(table).some(5 * AMOUNT)[:-1]:
        position = walk(table).position(k)
        mask = position.action_mask()
        number = len(mask)
        assert number == table.game.num_actions(table.options) and set(mask.tolist()) <= {0, 1}
        legal = np.flatnonzero(mask)
        here = table.batch(1)
        here.load(position)
        assert np.array_equal(here.repeat(number).legal(np.arange(number)), mask == 1)

        after = here.repeat(len(legal))
        after.step(legal)
        assert (after.games["decisions"] == position.record.decisions + 1).all()
        check_settled(after)

        before, generator = here.games.copy(), random.Random(k)
        illegal = np.flatnonzero(mask == 0)
        for action in [*generator.sample(illegal.tolist(), min(len(illegal), 60)), -2, -1, number, 2**62]:
            with pytest.raises(ValueError, match=rf"game 0: illegal action {action} .*legal ones: {legal[0]} \("):
                here.step([action])
        assert same(here.games, before)
        for action in [*generator.sample(illegal.tolist(), min(len(illegal), 4)), -1, number, "nonsense", None, 1.5]:
            with pytest.raises(ValueError, match=f"player_{position.to_play} can play '"):
                position.apply(action)
        assert same(position.games, before) and position.legal_numbers().tolist() == legal.tolist()


def check_settled(batch):
    """Every game is over or at a decision, and its record is valid."""
    assert not faults(batch.games).any()
    numbers = batch.action_masks().sum(axis=1)
    assert (numbers[batch.done] == 0).all()
    least = 1 if batch.options.show_forced else 2
    assert (numbers[~batch.done] >= least).all()
    forced = ~batch.done & (numbers == 1)
    assert not batch.action_masks()[forced, NOTHING].any()  # `pass` alone is always played automatically
    assert ((batch.to_play >= 0) == ~batch.done).all() and (batch.to_play < batch.options.num_players).all()


@EACH_TABLE
def test_games_end_in_time_and_stay_valid(table):
    batch, generator = table.batch(10 * AMOUNT, seed=5), np.random.default_rng(5)
    taken = 0
    while not batch.done.all():
        check_settled(batch)
        taken += int((~batch.done).sum())
        batch.step(batch.sample_actions(generator))
        assert taken <= table.game.longest * batch.num_games
    check_settled(batch)
    assert batch.games["decisions"].sum() == taken and batch.games["decisions"].max() <= table.game.longest
    more = table.batch(100 * AMOUNT, seed=6)
    generators = more.games["rng"].copy()
    assert more.play_to_end(1) == more.games["decisions"].sum() and more.play_to_end(1) == 0
    assert np.array_equal(more.games["rng"], generators)
    assert more.done.all() and more.games["decisions"].max() <= table.game.longest
    scores = more.scores()
    assert scores.min() > table.game.losses.score
    ahead = scores - (scores.sum(axis=1, keepdims=True) - scores) / (scores.shape[1] - 1)
    assert ahead.min() > table.game.losses.margin


@EACH_TABLE
def test_finished_games(table):
    whole = walk(table)
    position = whole.position(len(whole))
    assert position.is_over and position.to_play is None and position.legal_actions() == []
    for action in (NOTHING, "pass"):
        with pytest.raises(ValueError, match="the game is over"):
            position.apply(action)
    batch = batch_of(whole, [len(whole), 0])
    with pytest.raises(ValueError, match="game 0 is over, its action must be -1"):
        batch.step([NOTHING, int(whole.actions[0])])
    batch.step([-1, int(whole.actions[0])])
    assert same(batch.games[:1], whole.records[-1:]) and same(batch.games[1:], whole.records[1:2])


@EACH_TABLE
def test_the_same_seed_and_actions_give_the_same_game(table):
    whole = walk(table, 1)
    position = table.position(1)
    for k, action in enumerate(whole.actions):
        assert same(position.games, whole.records[k : k + 1])
        position.apply(table.game.texts[action])
    assert same(position.games, whole.records[-1:]) and position.history == list(whole.actions)
    assert table.game.random and len({int(table.position(seed).record.rng) for seed in range(5)}) == 5


@EACH_TABLE
def test_copies_play_on_identically(table):
    whole = walk(table)
    k = len(whole) // 2
    position = table.position(0)
    for action in whole.actions[:k]:
        position.apply(action)
    batch = batch_of(whole, [k, 0])
    ways = (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), lambda one: one.copy())
    copies = [way(position) for way in ways]
    batches = [way(batch) for way in ways]
    batch.step([whole.actions[k], whole.actions[0]])
    position.apply(whole.actions[k])
    for other, others in zip(copies, batches, strict=True):
        assert same(other.games, whole.records[k : k + 1]) and same(others.games[:1], other.games)
        assert type(other) is type(position) and other.history == list(whole.actions[:k]) and other != position
        for j, action in enumerate(whole.actions[k:], k):
            other.apply(action)
            others.step([action, -1] if others.done[1] else [action, int(others.sample_actions(ANY)[1])])
            assert same(other.games, whole.records[j + 1 : j + 2]) and same(others.games[:1], other.games)
        other.undo(len(whole) - k)
        assert same(other.games, whole.records[k : k + 1])
    assert same(batch.games[:1], whole.records[k + 1 : k + 2]) and position.history == list(whole.actions[: k + 1])


ANY = np.random.default_rng(0)


@EACH_TABLE
def test_undo(table):
    whole = walk(table, 2)
    position = table.position(2)
    for action in whole.actions:
        position.apply(action)
    generator, left = random.Random(2), len(whole)
    while left:
        number = generator.randint(1, min(left, 5))
        left -= number
        position.undo(number)
        assert same(position.games, whole.records[left : left + 1]) and position.history == list(whole.actions[:left])
    with pytest.raises(ValueError, match="at most 0, the number taken, not 1"):
        position.undo()
    for action in whole.actions:
        position.apply(action)
    assert same(position.games, whole.records[-1:])


@EACH_PLAIN_TABLE
def test_showing_forced_decisions_does_not_change_the_game(table):
    shown = dataclasses.replace(table, options=dataclasses.replace(table.options, show_forced=True))
    batch, hidden = shown.batch(1, 3), table.batch(1, 3)
    generator, forced = np.random.default_rng(3), 0
    while not batch.done[0]:
        action = batch.sample_actions(generator)
        if batch.action_masks()[0].sum() > 1:
            assert np.array_equal(batch.action_masks(), hidden.action_masks())
            hidden.step(action)
        else:
            forced += 1
        batch.step(action)
    assert hidden.done[0] and batch.games["decisions"][0] == hidden.games["decisions"][0] + forced
    different = [name for name in table.game.record.names if not np.array_equal(batch.games[name], hidden.games[name])]
    assert set(different) <= {"decisions", "show_forced"}
