"""The log as seats and onlookers see it."""

from __future__ import annotations

import pytest

from carnegie_env import Position, games
from carnegie_env.core import information, log
from carnegie_env.core.log import Phrase


def test_equal_consecutive_phrases_are_joined() -> None:
    told = [
        *[("player_0", Phrase("move")), ("player_0", Phrase("move")), ("", Phrase("round 2")), ("", Phrase("round 2"))],
        *(("player_1", Phrase("move", (change,))) for change in ("$5 -> $3", "$3 -> $2", "$9 -> $2")),
    ]
    assert [(who, str(phrase)) for who, phrase in log.joined(told)] == [
        ("player_0", "move (2 times)"), ("", "round 2"), ("", "round 2"), ("player_1", "move (2 times, $5 -> $2)"),
        ("player_1", "move ($9 -> $2)"),
    ]  # fmt: skip


def test_secret_decisions_are_hidden_and_forced_ones_omitted() -> None:
    """That a decision is forced would reveal earlier choices."""
    position = Position.new({"num_players": 2, "new_start": True}, 1)
    found = []
    while position.to_play == 0:
        action = position.legal_actions()[-1]  # the most expensive, so that later decisions are forced
        steps = log.steps(position, action)
        found.append([[(who, str(phrase)) for s in steps for who, phrase in log.phrases(position.game, s, seat)]
                      for seat in (0, 1, None)])  # fmt: skip
        position.apply(action)
    own = [line for told, _, _ in found for line in told]
    assert any("(forced" in text for _, text in own) and any(text.startswith("fill in ") for _, text in own)
    for _, other, watcher in found:
        assert other == watcher == [("player_0", "fills in more of a sealed sheet")]


@pytest.mark.parametrize("game", games())
def test_an_onlooker_sees_only_what_all_seats_see(game: str) -> None:
    position = games()[game].position_class.new(seed=3)
    while not position.is_over and position.record.decisions < 25:
        action = position.legal_actions()[-1]
        for step in log.steps(position, action):
            watched = log.tell(position.game, step, None)
            for seat in range(position.num_players):
                told = log.tell(position.game, step, seat)
                assert all(line in told for line in watched), (watched, told)
        position.apply(action)


@pytest.mark.parametrize("players", [1, 3])
def test_an_onlooker_sees_no_hidden_information(players: int) -> None:
    """Positions that differ only in hidden information are the same for an onlooker."""
    position = Position.new({"num_players": players, "modules": "all"}, 1)
    for _ in range(30):
        one = information.as_seen(position, information.WATCHER)
        for seat in range(players):
            assert information.as_seen(information.as_seen(position, seat, 5), information.WATCHER) == one
        assert information.as_seen(position, information.WATCHER, 1) != one or not position.game.hides(position.options)
        position.apply(position.legal_actions()[0])
    low_high = [(low, high) for low, high, _ in information.scores(position, information.WATCHER)]
    assert all(low <= high for low, high in low_high) and len(low_high) == len(position.scores())
