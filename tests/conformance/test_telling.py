"""What is told of a game, decision by decision, is what happened, and nothing that the one who is told can't see."""

from __future__ import annotations

import numpy as np
import pytest

from carnegie_env.core import telling
from tests.conformance.tables import AMOUNT, EACH_GAME, EACH_PLAIN_TABLE, EACH_TABLE, same, tables, walk


@EACH_TABLE
def test_steps_are_the_decision_and_the_forced_ones_after_it(table):
    whole, forced = walk(table), 0
    for k in range(len(whole)):
        position, number = whole.position(k), whole.actions[k]
        steps = telling.steps(position, table.game.texts[number])
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
    """Else the test above looks at nothing but decisions that are not."""
    found = [table for table in tables(game) if not table.options.show_forced]
    walks = [walk(table, seed) for table in found for seed in range(2)]
    assert any(len(telling.steps(w.position(k), w.actions[k])) > 1 for w in walks for k in range(len(w)))


@EACH_TABLE
def test_an_illegal_action_is_refused(table):
    position = walk(table).position(0)
    with pytest.raises(ValueError, match="no action"):
        telling.steps(position, len(table.game.texts))
    over = walk(table).position(len(walk(table)))
    with pytest.raises(ValueError, match="over"):
        telling.steps(over, 0)


@EACH_PLAIN_TABLE
def test_what_is_told(table):
    """Something is, in words, by or of those who play."""
    names = {"", *table.game.side_names(table.options)}
    whole, words = walk(table), []
    for k in range(len(whole)):
        for step in telling.steps(whole.position(k), whole.actions[k]):
            for seat in table.seats:
                told = telling.tell(table.game, step, seat)
                assert all(who in names and text == text.strip() != "" and "\n" not in text for who, text in told)
                words += told
    assert len(set(words)) > 3


@EACH_PLAIN_TABLE
def test_nothing_hidden_is_told(table):
    """What a seat can't see before or after a decision is drawn anew, and it is told the same of it."""
    whole = walk(table)
    changed = 0
    for k in np.linspace(0, len(whole) - 1, 60 * AMOUNT).astype(int):
        for step in telling.steps(whole.position(k), whole.actions[k]):
            for seat in table.seats:
                before, after = (_redrawn(table.game, record, seat, int(k)) for record in (step.before, step.after))
                changed += before != step.before or after != step.after
                other = telling.Step(step.seat, step.action, step.forced, before, after)
                assert telling.tell(table.game, other, seat) == telling.tell(table.game, step, seat)
    assert changed


def _redrawn(game, record, seat, seed):
    position = game.position_class._of(np.array([record], game.record))
    position.redraw_hidden(seat, seed)
    return position.games[0]
