"""Game records: every line is checked, files are written completely, and journals follow a game.

tests/conformance covers round trips and malformed files for every game.
"""

import os
import random
from pathlib import Path

import pytest

from carnegie_env import GameRecord, Position
from carnegie_env.carnegie.options import MODULES
from carnegie_env.core.record import Journal, RecordError
from tests import players


@pytest.fixture(scope="module")
def whole() -> GameRecord:
    return players.record_of({"num_players": 3}, 8)


@pytest.mark.parametrize("wrong", [-1, 1000, True, 1.5])
def test_invalid_numbers_of_decisions_to_replay(whole: GameRecord, wrong: object) -> None:
    with pytest.raises(ValueError, match="decisions must be a whole number from 0 to"):
        whole.replay(wrong)


def test_a_record_with_an_illegal_action() -> None:
    record = GameRecord(Position.new().options, 1, ("side housing a", "pass"))
    for use in (record.replay, record.verify, record.to_text, lambda: list(record.positions())):
        with pytest.raises(ValueError, match="decision 2: 'pass' is not legal now"):
            use()


def test_a_truncated_end_is_refused(whole: GameRecord) -> None:
    text = whole.to_text()
    for kept in range(len(text) - 150, len(text) - 1):
        with pytest.raises(RecordError):
            GameRecord.from_text(text[:kept])
    assert GameRecord.from_text(text.rstrip("\n")) == whole  # only the last newline is missing


@pytest.mark.parametrize(
    ("start", "new", "message"),
    [
        ("carnegie-env", "carnegie-env game record 2", "is not the first line of a record of this version"),
        ("option num_players", "option num_players = 5", "num_players must be a whole number from 1 to 4"),
        ("option num_players", "option num_players = true", "num_players must be a whole number from 1 to 4"),
        ("option num_players", "option num_players = 2", ""),
        ("option num_players", "option num_players 3", "is not an option: 'option <name> = <value>'"),
        ("option num_players", "option num_players = three", "'three' is not a value"),
        ("option num_players", "option num_players = " + "[" * 10_000, "is not a value"),
        ("option difficulty", "option difficulty = 3\noption num_players = 3", "the option num_players occurs twice"),
        ("option difficulty", 'option difficulty = "expert"', "difficulty"),
        ("option show_forced", "option colour = 1", "unexpected keyword argument 'colour'"),
        ("option wait", "option wait = 1", "wait must be True or False, not 1"),
        ("option new_start", "option new_start = true", "'side housing "),
        ("seed", "seed -1", "is not the seed"),
        ("seed", "seed 99999999999999999999", "a seed must be a whole number"),
        ("seed", "seed 9", ""),
        ("seed", "1  player_0  side housing a", "is not the seed"),
        ("3 ", "4  player_0  side industry a", "the next decision must be 3, not 4; a line is missing or duplicated"),
        ("3 ", "3  player_1  side industry a", "player_0 decides here, not player_1"),
        ("3 ", "3  player_0  dance", "there is no action 'dance'"),
        ("3 ", "3  player_0", "is not a decision: '3  player_<seat>  <action>'"),
        ("3 ", "three", "is not a decision"),
        ("3 ", "end: 2 decisions, not over, scores 5 5 8", "after the end"),
        ("3 ", "end: 2 decisions, over, scores 0 0 0", "but these decisions lead to 'end: 2 decisions, not over"),
        ("end", "end:", "is not a complete last line"),
    ],
    ids=lambda value: value[:25],
)
def test_the_error_for_a_wrong_line(whole: GameRecord, start: str, new: str, message: str) -> None:
    lines = whole.to_text().splitlines()
    line = next(k for k, line in enumerate(lines, 1) if line.strip().startswith(start))
    lines[line - 1] = new
    with pytest.raises(RecordError) as error:
        GameRecord.from_text("\n".join(lines), "game.txt")
    assert message in str(error.value)
    assert str(error.value).startswith(f"game.txt:{error.value.line}: ")
    if message:
        assert line <= error.value.line <= line + 11 and len(str(error.value)) < 2000


def test_records_without_options_for_modules(whole: GameRecord) -> None:
    """Older files don't mention modules."""
    lines = [line for line in whole.to_text().splitlines() if not any(f"option {m} " in line for m in MODULES)]
    assert len(lines) == len(whole.to_text().splitlines()) - len(MODULES)
    assert GameRecord.from_text("\n".join(lines)) == whole


def test_ignored_lines(whole: GameRecord) -> None:
    text = "# a game\n\n" + whole.to_text().replace("seed", "# seed of the deal\r\n\n  seed") + "\n# the end\n\n"
    assert GameRecord.from_text(text) == whole
    with pytest.raises(RecordError, match="'more' after the end"):
        GameRecord.from_text(text + "more\n")


def test_files_that_are_not_text(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    for content, message in (
        (b"carnegie-env game record 1\ngame carnegie\n\xff\xfe\n", "game.txt:3: not a text file in UTF-8"),
        (b"\xef\xbb\xbfcarnegie-env game record 1\n", "game.txt:1: the file begins with a byte order mark"),
        (b"", "game.txt:1: the file ends here"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "game.txt:1: not a text file in UTF-8"),
    ):
        file.write_bytes(content)
        with pytest.raises(RecordError, match=message):
            GameRecord.load(file)
    with pytest.raises(OSError):
        GameRecord.load(tmp_path / "nothing.txt")


def test_a_record_that_cannot_be_replayed_is_not_saved(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    record = GameRecord(Position.new().options, 1, ())
    record.save(file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match="decision 1"):
        GameRecord(record.options, 1, ("pass",)).save(file)
    assert file.read_bytes() == before


def test_a_journal_writes_the_record(tmp_path: Path) -> None:
    position, rng, file = Position.new({"num_players": 3}, 6), random.Random(1), tmp_path / "game.txt"
    journal = Journal(file, position)
    for number in range(120):
        assert file.read_text() == GameRecord.of(position).to_text()
        if number % 10 == 9:
            journal = Journal(file, position, again=True)  # a resumed game
        earlier, seat = position.copy(), position.to_play
        position.apply(rng.choice(position.legal_actions()))
        assert journal.note(position, seat)
        if number % 17 == 3:
            position = earlier
            assert journal.note(position)
    with pytest.raises(FileExistsError):
        Journal(file, position)
    with pytest.raises(ValueError, match="no record"):
        Journal(tmp_path / "other.txt", Position.from_dict(position.to_dict()))
    assert os.listdir(tmp_path) == ["game.txt"]
