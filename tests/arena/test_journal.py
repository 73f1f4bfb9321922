"""The arena's file: resuming drops an incomplete last line; damage and other settings are refused."""

import os

import msgspec
import pytest

from carnegie_env.arena.journal import Journal, read
from carnegie_env.arena.lines import Entrant, GameLine
from tests.arena.headers import header

HEADER = header((Entrant("random", "random"), Entrant("b", "value", "v1")), seed=1, deals_at_once=2)
GAMES = [GameLine(deal, 0, (0, 1), 4, ((1, 2), (3, 4)), ({"total": 1}, {"total": 3}), {}) for deal in range(4)]


@pytest.fixture
def file(tmp_path):
    with Journal(tmp_path / "games.jsonl", HEADER) as journal:
        journal.add(GAMES[:1])
        journal.add(GAMES[1:3])
    return tmp_path / "games.jsonl"


def test_games_are_read_as_written(file):
    assert read(file) == (HEADER, GAMES[:3])
    assert file.read_bytes().count(b"\n") == 4
    with Journal(file, HEADER, resume=True) as journal:
        assert journal.lines == GAMES[:3]
        journal.add(GAMES[3:])
    assert read(file)[1] == GAMES


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="the system has no endless file")
def test_an_endless_file_is_not_read_to_its_end():
    with pytest.raises(ValueError, match="/dev/zero is not a file of the arena, or its first line is damaged"):
        read("/dev/zero")


def test_resuming_after_a_kill_at_any_byte(file):
    content = file.read_bytes()
    lengths = [len(line) for line in content.splitlines(keepends=True)]
    for end in (*range(lengths[0], len(content), 7), len(content) - 1, len(content)):
        file.write_bytes(content[:end])
        whole = sum(sum(lengths[: k + 1]) <= end for k in range(1, 4))
        assert read(file)[1] == GAMES[:whole]
        with Journal(file, HEADER, resume=True) as journal:
            assert journal.lines == GAMES[:whole]
            journal.add(GAMES[whole:3])
        assert file.read_bytes() == content


def test_games_can_be_dropped(file):
    for number in (2, 0):
        with Journal(file, HEADER, resume=True) as journal:
            journal.keep(number)
            assert journal.lines == GAMES[:number]
        assert read(file)[1] == GAMES[:number]


def test_existing_files_are_not_overwritten(file):
    before = file.read_bytes()
    with pytest.raises(ValueError, match="games.jsonl exists; continue it with --resume"):
        Journal(file, HEADER)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 2}, "other settings: seed 1, not 2$"),
        ({"signature": 78}, "signature 77, not 78"),
        ({"options": {"num_players": 3, "rounds": 3}}, "options num_players 2, not 3$"),
        ({"agents": HEADER.agents[:1]}, r"agents random, b=value \(v1\), not random$"),
        ({"agents": (HEADER.agents[0], Entrant("b", "value", "v2"))}, r"b=value \(v1\), not random, b=value \(v2\)$"),
        ({"agents": (HEADER.agents[0], Entrant("b", "value:a", "v1"))}, r"not random, b=value:a \(v1\)$"),
        ({"question": {"better": "a"}}, "question None, not {'better': 'a'}"),
        ({"deals_at_once": 0, "time_limit": 5.0}, "deals at once 2, not 0; time limit 60"),
    ],
)
def test_other_settings_are_refused(file, change, message):
    before = file.read_bytes()
    with pytest.raises(ValueError, match=message):
        Journal(file, msgspec.structs.replace(HEADER, **change), resume=True)
    assert file.read_bytes() == before


def test_other_versions_of_python_can_resume(file):
    with Journal(file, msgspec.structs.replace(HEADER, versions={"python": "3.12"}), resume=True) as journal:
        assert journal.lines == GAMES[:3]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: b"", "not a file of the arena"),
        (lambda content: content.replace(b'"arena":1', b'"arena":9'), "has format 9; this program reads and writes"),
        (lambda content: content.replace(b'"deal":1', b'"deal":"x"'), "damaged: line 3 is not a game"),
        (lambda content: content.replace(b'"deal":1', b'"deal":\xff'), "damaged: line 3 is not a game"),
        (lambda content: content.replace(b'"b"', b'"\\u001b[2J"'), "or its first line is damaged"),
        *(
            (lambda content, more=more: more + content, "not a file of the arena, or its first line is damaged")
            for more in (b"hello\n", b"\n", b"[" * 100_000)
        ),
        (lambda content: content.replace(b'"sixes"', b'"\xff"'), "or its first line is damaged"),
        (lambda content: content.replace(b"[[1,2]", b"[[1,%d]" % 2**60), "damaged: line 2 is not a game"),
        (lambda content: content.replace(b'"clocks":{', b'"clocks":{"0":[1,1,1,{"128":1}]'), "line 2 is not a game"),
    ],
)
def test_damaged_files_are_refused(file, damage, message):
    damaged = damage(file.read_bytes())
    file.write_bytes(damaged)
    for opened in (lambda: read(file), lambda: Journal(file, HEADER, resume=True)):
        with pytest.raises(ValueError, match=message):
            opened()
    assert file.read_bytes() == damaged


@pytest.mark.skipif(os.name == "nt", reason="files are not locked on Windows")
def test_two_programs_can_not_write_the_same_file(file):
    with Journal(file, HEADER, resume=True):
        with pytest.raises(ValueError, match="is being written by another arena"):
            Journal(file, HEADER, resume=True)
    with Journal(file, HEADER, resume=True):
        pass
