"""The pool's view of its processes, without processes: which agent is to blame for a hang."""

import time

import pytest

from carnegie_env.arena import pool as pools
from carnegie_env.arena.lines import HANG
from carnegie_env.arena.pool import WorkerPool
from carnegie_env.arena.worker import Setup
from tests.toy.game import SIXES

SLOW = [1.0, 0.5, 0, 1, 7]  # agent 0 has exceeded its limit, on seat 1 after 7 decisions


@pytest.fixture
def pool(monkeypatch):
    """A pool whose process is slow; it answers just after the pool has found it late, and the next agent thinks."""
    monkeypatch.setattr(pools, "wait", lambda connections, seconds: [])
    with WorkerPool(Setup(SIXES, {"num_players": 2}, ("random", "first"), 0, 0.5, 0.5), 1) as made:
        (worker,) = made._workers
        late = worker.late

        def late_and_on():
            found = late()
            worker.state[:] = [time.monotonic(), 60.0, 1, 0, 8]
            return found

        monkeypatch.setattr(worker, "late", late_and_on)
        monkeypatch.setattr(worker, "send", lambda message: worker.state.__setitem__(slice(None), SLOW))
        monkeypatch.setattr(worker, "whereabouts", lambda: "")
        yield made


def test_an_agent_is_not_blamed_for_the_one_before_it(pool):
    ((number, lines),) = pool.play(iter([(((0, 0, (1, 0)),), False)]))
    fault = lines[0].fault
    assert (number, fault.agent, fault.seat, fault.decision, fault.kind) == (0, 0, 1, 7, HANG)
    assert fault.text == "took more than 0.5 s"


def test_an_agent_is_not_refused_for_the_one_before_it(pool):
    wrong = [each.wrong for each in pool.look()]
    assert wrong == ["random can't be made: it took more than 0.5 s", ""]
