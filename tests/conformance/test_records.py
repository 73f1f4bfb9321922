"""Game records round-trip and replay; truncated, changed and malformed files are refused with the line."""

import dataclasses
import random
import re

import pytest

from carnegie_env.core.record import RecordError, name_of_game
from tests.conformance.tables import AMOUNT, EACH_GAME, EACH_TABLE, same, tables, walk
from tests.fuzz.records import record_case

CASES = 150 * AMOUNT


def record_of(table, seed=0, length=None):
    """The record of a walk or of its first decisions."""
    whole = walk(table, seed)
    texts = tuple(table.game.texts[action] for action in whole.actions[:length])
    return table.game.record_class(table.options, seed, texts)


@EACH_TABLE
def test_records_round_trip(table, tmp_path):
    whole, record = walk(table), record_of(table)
    text = record.to_text()
    kind = type(record)
    assert kind.from_text(text) == record and kind.from_text(text).to_text() == text
    record.save(tmp_path / "game.txt")
    assert kind.load(tmp_path / "game.txt") == record and name_of_game(tmp_path / "game.txt") == table.game.name
    assert text.isascii() and text.startswith(f"carnegie-env game record 1\ngame {table.game.name}\noption ")
    last = record.replay()
    scores = " ".join(map(str, last.scores()))
    assert text.splitlines()[-1] == f"end: {len(whole)} decisions, over, scores {scores}"
    record.verify()
    assert kind.of(last) == record and same(last.games, whole.records[-1:])
    k = len(whole) // 3
    assert same(record.replay(k).games, whole.records[k : k + 1])
    assert all(same(position.games, whole.records[i : i + 1]) for i, position in enumerate(record.positions()))
    begun = record_of(table, length=k)
    assert kind.from_text(begun.to_text()) == begun and f"end: {k} decisions, not over" in begun.to_text()


@EACH_GAME
def test_truncated_files_are_refused(game):
    """Truncated after any line, or with a missing or repeated decision."""
    for table in tables(game)[:3]:
        record = record_of(table, length=12)
        lines = record.to_text().splitlines()
        for k in range(len(lines)):
            with pytest.raises(RecordError, match=r"^game\.txt:\d+: ") as error:
                type(record).from_text("\n".join(lines[:k]), "game.txt")
            assert 1 <= error.value.line <= max(k, 1)
        decisions = [k for k, line in enumerate(lines) if re.match(r" *\d+  player_", line)]
        for k in decisions:
            with pytest.raises(RecordError):
                type(record).from_text("\n".join(lines[:k] + lines[k + 1 :]))
            with pytest.raises(RecordError):
                type(record).from_text("\n".join(lines[: k + 1] + lines[k:]))


@EACH_GAME
def test_changed_files_are_refused(game):
    for table in tables(game)[:3]:
        whole, record = walk(table), record_of(table)
        kind, text = type(record), record.to_text()
        short = game.presentation.short_text
        for k in whole.some(5)[:-1]:
            position = whole.position(k)
            wrong = next(text for text in game.texts if text not in map(short, position.legal_actions())
                         and text not in position.legal_actions())  # fmt: skip
            lines = text.splitlines()
            at = next(i for i, line in enumerate(lines) if line.split()[:1] == [str(k + 1)])
            assert lines[at].endswith(f"player_{position.to_play}  {record.actions[k]}")
            for changed in (f"{k + 1}  player_{position.to_play}  {wrong}", f"{k + 1}  player_9  {record.actions[k]}",
                            f"{k + 2}  player_{position.to_play}  {record.actions[k]}"):  # fmt: skip
                with pytest.raises(RecordError, match=rf"^record:{at + 1}: "):
                    kind.from_text("\n".join([*lines[:at], changed, *lines[at + 1 :]]))
        scores = text.splitlines()[-1]
        for changed in (scores + "0", scores.replace(", over", ", not over"), scores.replace("end: ", "end: 1")):
            with pytest.raises(RecordError, match="but these decisions lead to|not a complete last line"):
                kind.from_text(text.replace(scores, changed))
        with pytest.raises(RecordError, match=f"the line must be 'game {game.name}'"):
            kind.from_text(text.replace(f"game {game.name}", "game of another kind", 1))
        with pytest.raises(RecordError, match="a decision after the end of the game|a game of .* has at most"):
            more = f"{len(record.actions) + 1}  player_0  pass\n{scores}"
            kind.from_text(text.replace(scores, more))


@EACH_GAME
def test_files_with_too_many_decisions_are_refused(game):
    """Here by a copy of the game that declares a smaller `longest`."""
    text = record_of(tables(game)[0]).to_text()
    short = dataclasses.replace(game, longest=5)
    position = type("Position", (game.position_class,), {"game": short})
    kind = type("GameRecord", (game.record_class,), {"position": position})
    with pytest.raises(RecordError, match=f"a game of {game.title} has at most 5 decisions"):
        kind.from_text(text)


@EACH_GAME
def test_malformed_files(game):
    def some():
        return [record_of(table, seed, length) for table in tables(game)[:6] for seed, length in ((0, 10), (1, 30))]

    outcomes = [record_case(game, some, random.Random(case)) for case in range(CASES)]
    assert outcomes.count("refused") > CASES // 3
