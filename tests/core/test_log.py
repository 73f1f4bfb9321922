"""The log as seats and onlookers see it."""

from carnegie_env import Position
from carnegie_env.core import log
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
