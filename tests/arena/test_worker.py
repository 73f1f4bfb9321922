"""The worker in this process: the same games side by side and one by one, and faults with their causes."""

import hashlib
import multiprocessing
from pathlib import Path

import msgspec
import numpy as np
import pytest

from carnegie_env.arena.lines import CRASH, HANG, NONSENSE, GameLine
from carnegie_env.arena.schedule import seatings
from carnegie_env.arena.worker import STARTED, STATE, About, Apart, Setup, Task, Worker
from tests.arena import misfits
from tests.arena.misfits import MISFITS, without_times
from tests.toy.game import SIXES, Batch


def worker(*agents, players=2, seed=3, limit=60.0):
    specs = tuple(agent if agent == "random" else MISFITS + agent for agent in agents)
    setup = Setup(SIXES, {"num_players": players}, specs, seed, limit, limit)
    state = multiprocessing.get_context("spawn").RawArray("d", len(STATE))
    return Worker(setup, state), state


def task(agents, players, deals, together):
    games = [(deal, number, s) for deal in range(deals) for number, s in enumerate(seatings(agents, players, deal))]
    return Task(tuple(games), together)


def lines_of(plays, asked):
    return [line for lines in plays.play(asked) for line in lines]


@pytest.mark.parametrize("players", [1, 2, 3])
def test_side_by_side_and_one_by_one_are_the_same_games(players):
    asked = [task(3, players, 4, together) for together in (True, False)]
    together, apart = (lines_of(worker("First", "Last", "Cheats", players=players)[0], each) for each in asked)
    assert without_times(together) == without_times(apart)
    assert [(line.deal, line.number, line.seats) for line in apart] == list(asked[0].games)
    for line in apart:
        assert line.fault is None and len(line.results) == players + (players == 1)
        assert set(line.clocks) <= {0, 1, 2} and line.decisions > 0
        assert [each["points"] for each in line.categories] == [result[0] for result in line.results]


def test_games_start_from_their_deals():
    """An agent on all seats plays the same game as its decisions in a batch."""
    lines = lines_of(worker("Last", seed=40)[0], Task(((2, 0, (0, 0)),), False))
    batch = Batch(1, num_players=2)
    batch.reset(42)
    while not batch.done.all():
        batch.step(misfits.Last().choose(batch))
    assert lines[0].results == tuple(map(tuple, batch.results()[0].tolist()))


def test_hidden_information_is_redrawn(monkeypatch):
    monkeypatch.setattr(misfits.Spy, "seen", [])
    lines_of(worker("Spy", players=3)[0], Task(((0, 0, (0, 0, 0)),), False))
    batch = Batch(1, num_players=3)
    batch.reset(3)
    true = batch.games["number"][0]
    others = []
    for seat, numbers in misfits.Spy.seen:
        assert numbers[seat] == true[seat]
        others += [numbers[other] != true[other] for other in range(3) if other != seat]
    assert 0.4 < np.mean(others) < 1


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("Crashes", CRASH, "RuntimeError: out of ideas"),
        ("Exits", CRASH, "SystemExit: 3"),
        ("Raves", CRASH, r"RuntimeError: \ud800 \x1b]0;title\x07 ä"),
        ("AnswersNonsense", NONSENSE, "answered with a list of dtype <U5, shape (1,); it must answer with integers"),
        ("PlaysIllegally", NONSENSE, "illegal action -7"),
    ],
)
def test_faults(name, kind, text):
    plays, state = worker(name, "First")
    assert list(plays.play(task(2, 2, 2, True))) == [Apart()] and state[STARTED] == 0
    lines = lines_of(plays, task(2, 2, 2, False))
    assert len(lines) == 4
    for line in lines:
        if line.seats[0] == 1:
            assert line.fault is None  # new agents play the game after a fault
            continue
        assert isinstance(line, GameLine) and (line.results, line.categories) == ((), ())
        assert (line.fault.agent, line.fault.seat, line.fault.kind, line.fault.decision) == (0, 0, kind, 0)
        assert text in line.fault.text
        assert msgspec.json.decode(msgspec.json.encode(line), type=GameLine) == line


def test_a_late_answer_is_a_fault(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    plays, _ = worker("Slow", limit=0.0005)
    fault = lines_of(plays, Task(((0, 0, (0, 0)),), False))[0].fault
    assert (fault.agent, fault.kind) == (0, HANG) and "more than the limit of 0.0005 s" in fault.text


def test_the_properties_of_agents():
    found = worker("First", "Last", "CantBeMade", "PlaysChess", "Nobody", "random")[0].look()
    digest = hashlib.sha256(Path(misfits.__file__).read_bytes()).hexdigest()[:12]  # they have no versions
    assert found[0] == About(False, digest) and found[1] == About(True, digest) and found[5] == About(True, "")
    assert found[2].wrong.startswith(f"{MISFITS}CantBeMade can't be made: RuntimeError: no licence")
    assert found[3] == About(wrong="agent does not play sixes; it plays chess") and not found[2].is_made
    assert "has no Nobody; its agents are First, Last" in found[4].wrong
