"""Game records: written whole, read with every line checked, replayed to the same game."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest

from carnegie_env import GameRecord, Position
from carnegie_env.carnegie.options import MODULES
from carnegie_env.core.record import Journal, RecordError
from tests import walks


def _played(mode: dict, seed: int, decisions: int | None = None) -> Position:
    position = Position.new(mode, seed)
    rng = random.Random(seed)
    while not position.is_over and (decisions is None or len(position.history) < decisions):
        walks.step(position, rng)
    return position


@pytest.fixture(scope="module")
def whole() -> GameRecord:
    return GameRecord.of(_played({"num_players": 3}, 8))


def test_the_positions_on_the_way(whole: GameRecord) -> None:
    positions = list(whole.positions())
    assert len(positions) == len(whole.actions) + 1
    assert positions[0] == Position.new(whole.options, whole.seed)
    for k in (0, 1, 40, len(whole.actions)):
        assert positions[k] == whole.replay(k)
        assert len(positions[k].history) == k
    for wrong in (-1, len(whole.actions) + 1, True, 1.5):
        with pytest.raises(ValueError, match="the record has decisions 0 to"):
            whole.replay(wrong)


def test_a_record_with_an_action_that_is_not_legal() -> None:
    record = GameRecord(Position.new().options, 1, ("side housing a", "pass"))
    for use in (record.replay, record.verify, record.to_text, lambda: list(record.positions())):
        with pytest.raises(ValueError, match="decision 2: 'pass' is not legal now"):
            use()


def test_every_cut_is_noticed(whole: GameRecord) -> None:
    text = whole.to_text()
    lines = text.splitlines(keepends=True)
    for kept in {0, 1, 2, 3, 5, 6, 7, 8, 40, len(lines) - 2, len(lines) - 1}:
        with pytest.raises(RecordError, match="the file ends here") as error:
            GameRecord.from_text("".join(lines[:kept]))
        assert 1 <= error.value.line <= max(kept, 1)
    for kept in range(len(text) - 150, len(text) - 1):  # within the last lines, at any character
        with pytest.raises(RecordError):
            GameRecord.from_text(text[:kept])
    assert GameRecord.from_text(text.rstrip("\n")) == whole  # only the last newline is missing


def _line(record: GameRecord, start: str) -> int:
    return next(k for k, line in enumerate(record.to_text().splitlines(), 1) if line.strip().startswith(start))


@pytest.mark.parametrize(
    ("start", "new", "message"),
    [
        ("carnegie-env", "carnegie-env game record 2", "is not the first line of a record this version reads"),
        ("carnegie-env", "hello", "is not the first line"),
        ("game", "game chess", "'game chess', but 'game carnegie' is wanted"),
        ("option num_players", "option num_players = 5", "num_players must be 1"),
        ("option num_players", "option num_players = true", "num_players must be an int"),
        ("option num_players", "option num_players = 2", ""),
        ("option num_players", "option num_players 3", "is not an option: 'option <name> = <value>'"),
        ("option num_players", "option num_players = three", "'three' is not a value"),
        ("option num_players", "option num_players = " + "[" * 10_000, "is not a value"),
        ("option difficulty", "option difficulty = 3\noption num_players = 3", "the option num_players is there twice"),
        ("option difficulty", 'option difficulty = "expert"', "difficulty"),
        ("option show_forced", "option colour = 1", "unexpected keyword argument 'colour'"),
        ("option wait", "option wait = 1", "wait must be True or False, not 1"),
        ("option wait", "option wait = yes", "'yes' is not a value"),
        ("option wait", "option waits = true", "unexpected keyword argument 'waits'"),
        ("option num_players", "option num_players = 1\noption wait = true", "the option wait is there twice"),
        ("option new_start", "option new_start = true", "'side housing "),
        ("seed", "seed -1", "is not the seed"),
        ("seed", "seed 99999999999999999999", "a seed must be a whole number"),
        ("seed", "seed 9", ""),
        ("seed", "1  player_0  side housing a", "is not the seed"),
        ("3 ", "4  player_0  side industry a", "decision 4, but 3 is the next; a line is missing or there twice"),
        ("3 ", "3  player_1  side industry a", "player_1, but player_0 decides there"),
        ("3 ", "3  player_0  side public a", "'side public a' is not legal now"),
        ("3 ", "3  player_0  dance", "there is no action 'dance'"),
        ("3 ", "3  player_0", "is not a decision: '3  player_<seat>  <action>'"),
        ("3 ", "three", "is not a decision"),
        ("3 ", "end: 2 decisions, not over, scores 5 5 8", "after the end"),
        ("3 ", "end: 2 decisions, over, scores 0 0 0", "but these decisions lead to 'end: 2 decisions, not over"),
        ("end", "end: 1 decisions, over, scores 1 2 3", "but these decisions lead to"),
        ("end", "end:", "is not a whole last line"),
        ("end", "end of it", "is not a whole last line"),
    ],
    ids=lambda value: value[:25],
)
def test_a_wrong_line_is_named(whole: GameRecord, start: str, new: str, message: str) -> None:
    text, line = whole.to_text(), _line(whole, start)
    lines = text.splitlines()
    lines[line - 1] = new
    with pytest.raises(RecordError) as error:
        GameRecord.from_text("\n".join(lines), "game.txt")
    assert message in str(error.value)
    assert str(error.value).startswith(f"game.txt:{error.value.line}: ")
    if message:
        assert line <= error.value.line <= line + 11 and len(str(error.value)) < 2000


def test_records_from_before_the_modules_are_read(whole: GameRecord) -> None:
    """A file that says nothing of a module is one of a game without it."""
    lines = [line for line in whole.to_text().splitlines() if not any(f"option {m} " in line for m in MODULES)]
    assert len(lines) == len(whole.to_text().splitlines()) - len(MODULES)
    assert GameRecord.from_text("\n".join(lines)) == whole


def test_a_solo_game_refuses_modules_in_a_record() -> None:
    text = GameRecord.of(Position.new({"num_players": 1}, 3)).to_text()
    with pytest.raises(RecordError, match="wait does not go with the solo game"):
        GameRecord.from_text(text.replace("option wait = false", "option wait = true"))


def test_lines_that_say_nothing(whole: GameRecord) -> None:
    text = "# a game\n\n" + whole.to_text().replace("seed", "# seed of the deal\r\n\n  seed") + "\n# the end\n\n"
    assert GameRecord.from_text(text) == whole
    with pytest.raises(RecordError, match="'more' after the end"):
        GameRecord.from_text(text + "more\n")


def test_files_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_bytes(b"carnegie-env game record 1\ngame carnegie\n\xff\xfe\n")
    with pytest.raises(RecordError, match="game.txt:3: not a text file in UTF-8"):
        GameRecord.load(file)
    file.write_bytes(b"")
    with pytest.raises(RecordError, match="game.txt:1: the file ends here"):
        GameRecord.load(file)
    file.write_bytes(os.urandom(1000))
    with pytest.raises(RecordError):
        GameRecord.load(file)
    with pytest.raises(OSError):
        GameRecord.load(tmp_path / "nothing.txt")


def test_a_record_is_saved_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "game.txt"
    record = GameRecord(Position.new().options, 1, ())
    record.save(file)
    before = file.read_bytes()
    wrong = GameRecord(record.options, 1, ("pass",))
    with pytest.raises(ValueError, match="decision 1"):
        wrong.save(file)
    monkeypatch.setattr(os, "replace", _full_disk)
    with pytest.raises(OSError, match="No space") as error:
        record.save(file)
    assert error.value.filename == str(file)
    assert file.read_bytes() == before and os.listdir(tmp_path) == ["game.txt"]


def _full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_journal_writes_what_a_record_writes(tmp_path: Path) -> None:
    position, rng, file = Position.new({"num_players": 3}, 6), random.Random(1), tmp_path / "game.txt"
    journal = Journal(file, position)
    for number in range(120):
        assert file.read_text() == GameRecord.of(position).to_text()
        if number % 10 == 9:
            journal = Journal(file, position, again=True)  # a resumed game
        earlier, seat = position.copy(), position.to_play
        walks.step(position, rng)
        assert journal.note(position, seat)
        if number % 17 == 3:
            position = earlier
            assert journal.note(position)
    with pytest.raises(FileExistsError):
        Journal(file, position)
    with pytest.raises(ValueError, match="no record"):
        Journal(tmp_path / "other.txt", Position.from_dict(position.to_dict()))
    assert os.listdir(tmp_path) == ["game.txt"]
