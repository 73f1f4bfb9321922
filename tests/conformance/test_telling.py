"""The log describes every decision and contains nothing that its reader can't see."""

import functools

import numpy as np
import pytest

from carnegie_env.core import information, log
from tests.conformance.tables import AMOUNT, EACH_GAME, EACH_PLAIN_TABLE, EACH_TABLE, same, tables, walk


@EACH_TABLE
def test_steps_are_a_decision_and_the_forced_ones_after_it(table):
    whole, forced = walk(table), 0
    for k in range(len(whole)):
        position, number = whole.position(k), whole.actions[k]
        steps = log.steps(position, table.game.texts[number])
        assert same(position.games, whole.records[k : k + 1])
        assert [step.forced for step in steps] == [False] + [True] * (len(steps) - 1)
        assert (steps[0].action, steps[0].seat) == (number, position.to_play)
        records = [steps[0].before, *(step.after for step in steps)]
        assert [records[0], records[-1]] == [whole.records[k], whole.records[k + 1]]
        for one, other in zip(steps, steps[1:], strict=False):
            assert one.after == other.before and other.seat == one.after.to_play
            mask = np.unpackbits(one.after.legal.view(np.uint8), bitorder="little")
            assert np.flatnonzero(mask).tolist() == [other.action]
        forced += len(steps) - 1
    assert not (forced and table.options.show_forced)


@EACH_GAME
def test_some_decisions_are_forced(game):
    """Otherwise the test above would not test forced decisions."""
    found = [table for table in tables(game) if not table.options.show_forced]
    walks = [walk(table, seed) for table in found for seed in range(8)]
    assert any(len(log.steps(w.position(k), w.actions[k])) > 1 for w in walks for k in range(len(w)))


@EACH_TABLE
def test_illegal_actions_are_refused(table):
    position = walk(table).position(0)
    with pytest.raises(ValueError, match="no action"):
        log.steps(position, len(table.game.texts))
    over = walk(table).position(len(walk(table)))
    with pytest.raises(ValueError, match="over"):
        log.steps(over, 0)


@EACH_PLAIN_TABLE
def test_phrases(table):
    """Decisions are described, in words, and attributed to the players; an onlooker sees what all seats see."""
    names = {"", *table.game.side_names(table.options)}
    whole, words = walk(table), []
    for k in range(len(whole)):
        for step in log.steps(whole.position(k), whole.actions[k]):
            watched = log.tell(table.game, step, None)
            for seat in table.seats:
                told = log.tell(table.game, step, seat)
                assert all(line in told for line in watched)
                assert all(who in names and text == text.strip() != "" and "\n" not in text for who, text in told)
                words += told
    counted = [f for f in table.game.layout(table.options).values() if not f.axes and f.most > 1]
    assert len(set(words)) > 3 or (table.game.presentation.tell is None and not counted)


@EACH_PLAIN_TABLE
def test_the_log_contains_no_hidden_information(table):
    """After redrawing what a seat can't see, if the next record looks the same to the seat, so does the log."""
    whole = walk(table)
    changed, compared = 0, 0
    for k in np.linspace(0, len(whole) - 1, 30 * AMOUNT).astype(int):
        position, number = whole.position(k), whole.actions[k]
        true = log.steps(position, number)
        for seat in (*table.seats, None):
            viewer = information.WATCHER if seat is None else seat
            other = information.as_seen(position, viewer, int(k))
            if number not in other.legal_numbers():
                continue
            drawn = log.steps(other, number)
            if len(drawn) == len(true) and all(map(functools.partial(_looks_same, table, viewer), true, drawn)):
                one, two = ([log.phrases(table.game, step, seat) for step in steps] for steps in (true, drawn))
                assert one == two
                compared += 1
                changed += other.games[0] != position.games[0]
    assert compared > len(table.seats) and changed


def _looks_same(table, viewer, one, other):
    """Whether a viewer sees the same after both steps; hidden information and chance may differ."""
    views = (information.as_seen(table.game.position_class._of(np.array([step.after], table.game.record)), viewer)
            for step in (one, other))  # fmt: skip
    return one.seat == other.seat and one.action == other.action and next(views) == next(views)
