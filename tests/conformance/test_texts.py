"""Games as text: everything that a seat sees and nothing hidden; every legal action can be named."""

import collections
import copy
import itertools
import random

import numpy as np
import pytest

from carnegie_env import text
from carnegie_env.core import information
from tests import amounts
from tests.conformance.tables import AMOUNT, EACH_GAME, EACH_PLAIN_TABLE, tables, walk
from tests.spoiling import leaves, put

FORMS = (
    "{}",
    "  **{}** \n",
    "`{}`.",
    "Action: {}",
    '```json\n{{"reason": "better than pass or wait", "action": "{}"}}\n```',
    "I considered pass. My choice: {}!",
    "<think>First I wanted pass.</think>\n> **Action:** _{}_",
)


@EACH_PLAIN_TABLE
def test_texts_contain_nothing_hidden(table):
    """After redrawing what a seat can't see, all texts are the same."""
    whole, changed = walk(table), 0
    for k in whole.some(5 * AMOUNT)[:-1]:
        position = whole.position(k)
        watched = information.as_seen(position, information.WATCHER)
        for seat in table.seats:
            other = information.as_seen(position, seat, 1 + k)
            assert information.as_seen(other, information.WATCHER) == watched
            changed += other != position
            for style in text.STYLES:
                assert text.describe(other, seat, style) == text.describe(position, seat, style)
            assert position.render(120, seat) == other.render(120, seat)  # without the redraw in `describe`
            if seat == position.to_play:
                assert text.legal_actions(other) == text.legal_actions(position)
            assert all(low <= high for low, high, _ in information.scores(position, seat))
    assert changed or not table.game.hides(table.options)


def changed_positions(table, generator, number):
    """Pairs of a position of a random game and a valid one that differs from it in one or two values."""
    whole = walk(table)
    positions = [whole.position(k) for k in whole.some(12)]
    values = collections.defaultdict(set)  # the values of a key anywhere
    for position in positions:
        for path, value in leaves(position.to_dict()):
            values[named(path)].add(value)
    for position in positions:
        written = position.to_dict()
        places = [each for each in leaves(written) if each[0][0] not in ("options", "rng")]
        for _ in range(number):
            other = copy.deepcopy(written)
            for path, value in generator.sample(places, generator.choice((1, 1, 2))):
                others = values[named(path)] - {value}
                if isinstance(value, int) and not isinstance(value, bool):
                    others |= {value + 1, value - 1}
                put(other, path, generator.choice(sorted(others or {value}, key=repr)))
            try:
                yield position, type(position).from_dict(other)
            except ValueError:
                continue


def named(path):
    return tuple(key for key in path if isinstance(key, str))


@EACH_PLAIN_TABLE
def test_texts_contain_everything_visible(table):
    """If a valid change of a position changes a seat's observation, it changes its texts."""
    compared = 0
    for position, other in changed_positions(table, random.Random(5), 8 * AMOUNT):
        for seat in table.seats:
            if not np.array_equal(position.observe(seat), other.observe(seat)):
                compared += 1
                for style in text.STYLES:
                    assert text.describe(position, seat, style) != text.describe(other, seat, style)
    assert compared


@EACH_PLAIN_TABLE
def test_every_legal_action_can_be_named(table):
    for seed in range(AMOUNT):
        whole = walk(table, seed)
        generator = random.Random(seed)
        for k in amounts.some(range(len(whole)), 6, seed):
            position = whole.position(k)
            numbers, texts = position.legal_numbers().tolist(), position.legal_actions()
            lines = text.legal_actions(position).splitlines()
            compact = [
                each for line in text.legal_actions(position, "compact").splitlines() for each in line.split(" | ")
            ]
            assert sorted(compact) == sorted(texts) and len(lines) == len(texts)
            for number, name, line in zip(numbers, texts, lines, strict=True):
                words = table.game.wording(position.record, number)
                assert text.read_answer(position, name) == number
                assert text.read_answer(position, line) == number
                form = generator.choice(FORMS)
                for named in (name.upper(), words, str(number), f"{number}: {name}"):
                    if not (named.isdecimal() and "My choice" in form):
                        assert text.read_answer(position, form.format(named)) == number, form.format(named)


@EACH_GAME
def test_rules(game):
    for table in tables(game):
        rules = text.rules(game, table.options)
        assert all(side in rules for side in game.side_names(table.options)) and "{" not in rules
        assert text.components(game) in text.rules(game, table.options, with_components=True)
        heads = [line.startswith("COMPONENTS") for line in text.components(game).splitlines()] + [True]
        assert not any(map(all, itertools.pairwise(heads)))  # each heading has values
        forms = text.action_forms(game, table.options)
        assert {line.split()[0] for line in forms.splitlines()} == {
            name.split()[0] for name in game.texts[: game.num_actions(table.options)]
        }


@EACH_GAME
def test_games_in_messages(game):
    """Text players alone and among agents play whole games, and read nothing that they can't see."""
    for table, seats in ((tables(game)[0], "all"), (tables(game)[-1], 0)):
        found = text.TextGame(game, table.options, seats=seats, opponents="random", style="compact")
        generator, asked = random.Random(1), 0
        while not found.is_over:
            seat = found.to_play
            prompt = found.prompt()
            assert f"You are player_{seat}" in prompt == found.prompt()
            reply = found.answer(f"Action: {generator.choice(found.position.legal_actions())}")
            assert reply.is_legal and reply.seat == seat
            asked += 1
        messages = [found.messages(seat) for seat in found.seats]
        assert sum(len(each) - 2 for each in messages) == 2 * asked
        assert all(each[0]["role"] == "system" and each[-1]["role"] == "user" for each in messages)
        rewards = found.rewards("margin")
        assert len(rewards) == table.options.num_players and (len(rewards) == 1 or abs(sum(rewards)) < 1e-3)
        assert game.record_class.from_text(found.record()).replay() == found.position
        with pytest.raises(ValueError, match="over"):
            found.answer("pass")
