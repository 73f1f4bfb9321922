"""Matches in processes: faults lose games but do not stop the match; resumed files are the same; tests stop early."""

import signal
import time
from multiprocessing.connection import wait

import pytest

from carnegie_env.arena import match as matches
from carnegie_env.arena.journal import read
from carnegie_env.arena.lines import CRASH, HANG, NONSENSE
from carnegie_env.arena.match import Match, play
from carnegie_env.arena.sequential import H0, H1, Question
from carnegie_env.workers.processes import Process
from tests.arena import misfits
from tests.arena.misfits import MISFITS, without_times
from tests.commands import Program, is_gone
from tests.toy.game import SIXES


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Games of Sixes are quick without a compiler, and so is starting processes."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(matches, "signature", lambda game: 77)


def agents(*names):
    return tuple((name, name if name == "random" else MISFITS + name) for name in names)


def test_agents_with_faults_lose_and_the_match_continues():
    """Each agent has seat 0, where the faulty ones fail, in two games of a deal."""
    names = ("Hangs", "Dies", "Crashes", "AnswersNonsense", "Last")
    limits = {"time_limit": 1.5, "first_limit": 4}  # only the one that hangs exceeds them, even on a busy machine
    match = Match(SIXES, {"num_players": 5}, agents(*names), deals=1, side_by_side=True, **limits)
    standings = play(match, processes=1).standings
    assert [line.number for line in standings.lines] == list(range(10))
    kinds = [HANG, CRASH, CRASH, NONSENSE]
    for agent, (name, kind) in enumerate(zip(names[:4], kinds, strict=True)):
        assert [(fault.kind, fault.seat) for fault in standings.faults(agent)] == [(kind, 0)] * 2, name
    for line, shares in zip(standings.lines, standings.results.wins, strict=True):
        if line.seats[0] != 4:
            assert line.fault.agent == line.seats[0] and shares.tolist() == [0, 0.25, 0.25, 0.25, 0.25]
        else:
            assert line.fault is None and shares.sum() == 1
    texts = [standings.faults(agent)[0].text for agent in range(4)]
    assert "took more than" in texts[0] and "ended with exit code 7" in texts[1] and "out of ideas" in texts[2]
    if hasattr(signal, "SIGUSR1"):
        assert "misfits.py" in texts[0]  # where it hung


def test_the_number_of_processes_does_not_change_the_games(tmp_path):
    match = Match(SIXES, {"num_players": 2}, agents("random", "Last"), deals=150)
    files = [tmp_path / f"{processes}.jsonl" for processes in (1, 2)]
    seen: list[tuple[int, int]] = []
    play(match, output=files[0], processes=1, watch=lambda *numbers: seen.append(numbers))
    play(match, output=files[1], processes=2)
    (header, lines), (other, same) = map(read, files)
    assert header == other and header.deals_at_once == 64 and without_times(lines) == without_times(same)
    assert len(lines) == 300 and seen == [(0, 300), (128, 300), (256, 300), (300, 300)]
    resumed = play(match, output=files[0], resume=True, processes=1)  # the match is complete
    assert resumed.standings.lines == lines
    fewer = Match(SIXES, {"num_players": 2}, agents("random", "Last"), deals=3)
    assert play(fewer, output=files[0], resume=True, processes=1).standings.lines == lines[:6]
    assert read(files[0])[1] == lines
    more = Match(SIXES, {"num_players": 2}, agents("random", "Last"), deals=200)
    play(more, output=files[0], resume=True, processes=1)
    play(more, output=tmp_path / "whole.jsonl", processes=1)
    assert without_times(read(files[0])[1]) == without_times(read(tmp_path / "whole.jsonl")[1])


def test_an_answered_question_stops_play(tmp_path):
    question = Question("Last", "random", low=0.0, high=0.3)
    match = Match(SIXES, {"num_players": 2}, agents("random", "Last"), deals=5000, question=question)
    outcome = play(match, output=tmp_path / "games.jsonl", processes=2)
    assert outcome.test.verdict in (H0, H1) and outcome.test.deals == len(outcome.standings.deals) < 1000
    header, lines = read(tmp_path / "games.jsonl")
    assert len(lines) == 2 * outcome.test.deals  # without games that other processes have begun
    again = play(match, output=tmp_path / "games.jsonl", resume=True, processes=1)
    assert (again.test.verdict, again.test.ratio) == (outcome.test.verdict, outcome.test.ratio)
    assert read(tmp_path / "games.jsonl")[1] == lines
    shown = matches.outcome(SIXES, header, lines)
    assert (shown.test.verdict, shown.test.ratio) == (outcome.test.verdict, outcome.test.ratio)


PROGRAM = """
    import sys, time
    from pathlib import Path
    from carnegie_env.arena import match
    from tests.toy.game import SIXES

    def watch(games, total):
        while games > 60 and not Path("may_end").exists():  # not before it is killed
            time.sleep(0.01)

    if __name__ == "__main__":
        match.signature = lambda game: 77
        slow = "tests.arena.misfits:Slow"
        played = match.Match(SIXES, {"num_players": 2}, (("slow", slow), ("random", "random")), deals=40)
        match.play(played, output=sys.argv[1], resume=True, processes=2, watch=watch)
"""


def test_a_killed_and_resumed_match_writes_the_same_file(tmp_path):
    program, file = Program(tmp_path, PROGRAM), tmp_path / "games.jsonl"

    def lines():
        return file.read_bytes().count(b"\n") if file.exists() else 0

    for wanted in (5, 25):
        running = program.start(file, lambda wanted=wanted: lines() >= wanted)
        running.kill()
        assert running.wait() == -signal.SIGKILL and lines() < 81
        with open(file, "ab") as half:  # as if the program had been killed while writing
            half.write(b'{"deal":3,"num')
        theirs = [int(path.name.partition("-")[2]) for path in tmp_path.glob("process-*")]
        assert theirs and all(map(is_gone, theirs)), "a worker process outlives the program"
    (tmp_path / "may_end").touch()
    program.run(file)
    program.run(tmp_path / "whole.jsonl")
    (header, played), (other, whole) = read(file), read(tmp_path / "whole.jsonl")
    assert header == other and len(whole) == 80
    assert without_times(played) == without_times(whole)


def test_processes_that_agents_started_end_with_a_crash(tmp_path):
    process = Process(tmp_path / "traces", misfits.starts_another)
    process.send("crash")
    started = process.connection.recv()
    with pytest.raises(EOFError):
        process.connection.recv()
    assert process.death() == "the agent's process ended with exit code 3"
    process.end()
    assert is_gone(started)


def test_processes_that_agents_started_end_after_a_crash_that_nobody_has_seen(tmp_path):
    process = Process(tmp_path / "traces", misfits.starts_another)
    process.send("crash")
    started = process.connection.recv()
    assert wait([process._process.sentinel], 60)
    until = time.monotonic() + 60
    while process.is_alive() and time.monotonic() < until:  # this frees its number
        time.sleep(0.02)
    process.end()
    assert is_gone(started)


STARTS_ANOTHER = """
    import os, sys
    from pathlib import Path
    from carnegie_env.workers.processes import Process
    from tests.arena import misfits

    if __name__ == "__main__":
        process = Process(Path("traces"), getattr(misfits, sys.argv[1]))
        process.send("work")
        Path("started").write_text(str(process.connection.recv()))
        if sys.argv[1] == "starts_another_unread":
            process.connection.poll(60)
        os._exit(0)
"""


@pytest.mark.parametrize("main", ["starts_another", "starts_another_unwatched", "starts_another_unread"])
def test_processes_that_agents_started_end_with_the_program(main, tmp_path):
    Program(tmp_path, STARTS_ANOTHER).run(main)
    assert is_gone(int((tmp_path / "started").read_text()))


def test_agents_that_cannot_play_are_refused_before_play(tmp_path):
    for name, message in (("CantBeMade", "no licence"), ("Nobody", "has no Nobody"), ("PlaysChess", "not play sixes")):
        match = Match(SIXES, {"num_players": 2}, (("a", MISFITS + name), ("b", "random")), deals=1)
        with pytest.raises(ValueError, match=message):
            play(match, output=tmp_path / "games.jsonl", processes=1)
    assert not (tmp_path / "games.jsonl").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"deals": 0}, "deals must be a whole number from 1 to 1000000000"),
        ({"seed": -1}, "a seed must be a whole number"),
        ({"seed": 2**64 - 4, "deals": 5}, "a seed must be a whole number"),
        ({"agents": ()}, "at least one agent is needed"),
        ({"agents": (("a", "random"), ("a", "greedy"))}, "two agents are called a; rename one with NAME=AGENT"),
        ({"agents": (("\x1b[2J", "random"),)}, r"printable characters only, not '\\x1b\[2J' \('random'\)"),
        ({"time_limit": 0.0}, "time_limit must be a number of seconds above 0"),
        ({"question": Question("a", "c")}, "the test compares c, which is not one of the agents a, b"),
        ({"tables": ((0, 1, 1),)}, "a table of 2 players needs 2 agents, not 3"),
        ({"options": {"num_players": 9}}, "num_players"),
        ({"options": {"colour": "red"}}, "colour"),
    ],
)
def test_wrong_settings_are_refused(change, message):
    right = {"game": SIXES, "options": {"num_players": 2}, "agents": (("a", "random"), ("b", "random")), "deals": 3}
    with pytest.raises(ValueError, match=message):
        Match(**(right | change))


def test_the_last_deal_may_have_the_largest_seed():
    assert Match(SIXES, {"num_players": 2}, agents("random", "First"), deals=3, seed=2**64 - 3).deals == 3


def test_tables_play_on_all_seats():
    match = Match(SIXES, {"num_players": 3}, agents("random", "First", "Last"), deals=2, tables=((0, 1, 1), (0, 2, 2)))
    games = [seating for deal in range(2) for seating in match.seatings(deal)]
    assert len(games) == 12 and {tuple(sorted(seating)) for seating in games} == {(0, 1, 1), (0, 2, 2)}
    assert all(sum(seating[seat] == 0 for seating in games) == 4 for seat in range(3))
