"""The pool of workers: every task is done whatever dies, and errors are reported."""

import os
import signal

import pytest

pytest.importorskip("ray")

from carnegie_env.workers import cluster
from carnegie_env.workers.cluster import AHEAD, LATER, Pool, connect
from tests.ray.workers import Dying, Failing, Multiplier

pytestmark = pytest.mark.ray


def test_tasks_are_done_on_all_nodes_once_each_and_in_bounds(nodes):
    taken = []

    def tasks():
        for number in range(60):
            taken.append(number)
            yield number

    with connect(nodes.address) as joined, Pool(joined, Multiplier, (3,)) as pool:
        assert {(node.name, node.cpus) for node in joined.nodes()} == {("one", 1), ("two", 1)}
        assert pool.slots == 2
        found, ahead = {}, 0
        for number, (product, pid, most) in pool.run(tasks(), units=lambda result: 7):
            assert number not in found and product == 3 * number and most == 1
            found[number] = pid
            ahead = max(ahead, len(taken) - len(found))
        assert sorted(found) == list(range(60)) and len({*found.values()}) == 2
        assert ahead <= 2 * AHEAD + 2 and len(taken) == 60
        assert sum(work.tasks for work in joined.work.values()) == 60
        assert sum(work.units for work in joined.work.values()) == 420
        assert len(joined.text().splitlines()) == 2 and "tasks/s" in joined.text()
        again = dict(pool.run(iter([5])))  # a pool does more than one run
        assert again[0][0] == 15


def test_tasks_that_depend_on_results_come_later(nodes):
    """Tasks come in rounds of three. The first task of a round exists when the round before is done."""
    found, asked = {}, []

    def tasks():
        for number in range(9):
            while len(found) < number // 3 * 3:
                asked.append(number)
                yield LATER
            yield number

    with connect(nodes.address) as joined, Pool(joined, Multiplier, (3,)) as pool:
        for number, (product, _, _) in pool.run(tasks()):
            assert product == 3 * number and len(found) >= number // 3 * 3
            found[number] = product
    assert sorted(found) == list(range(9)) and {3, 6} <= {*asked}


def test_lost_work_is_done_again_and_new_nodes_join_in(nodes, monkeypatch):
    """A worker is killed, then its node; then the node is started again."""
    monkeypatch.setattr(cluster, "LOOK_FOR_NODES", 0.5)
    with connect(nodes.address) as joined, Pool(joined, Multiplier, (3,)) as pool:
        found, places = {}, []
        for number, (product, pid, _) in pool.run(iter(range(400))):
            assert number not in found and product == 3 * number
            found[number] = pid
            places.append(pid)
            if len(found) == 20:
                (victim,) = nodes.actors("two")
                os.kill(victim, signal.SIGKILL)
            if len(found) == 100:
                nodes.kill("two")
            if len(found) == 150:
                nodes.start("two")
        assert len(found) == 400 and len({*places}) >= 3
        assert sum(work.lost for work in joined.work.values()) >= 2
        assert "lost and done again" in joined.text()
        assert len(joined.work) == 3  # the new node of the same name is counted separately


def test_a_task_that_kills_every_worker_ends_the_run(nodes):
    with connect(nodes.address) as joined, Pool(joined, Dying) as pool:
        with pytest.raises(RuntimeError, match="task 2 was lost with its worker 5 times|has had no node"):
            list(pool.run(iter(range(40))))


def test_errors_of_workers_are_raised_here(nodes):
    with connect(nodes.address) as joined:
        with Pool(joined, Failing, (True,)) as pool, pytest.raises(OverflowError, match="three is too many"):
            list(pool.run(iter(range(10))))
        with Pool(joined, Failing, (False,)) as pool:
            with pytest.raises(ValueError, match="on the node (one|two): there is no work for me"):
                list(pool.run(iter(range(10))))


def test_nodes_with_another_installation_are_refused(nodes, monkeypatch):
    here = cluster.installed()
    monkeypatch.setattr(cluster, "installed", lambda: here | {"numpy": "1.0", "sources of games and agents": "ab"})
    with connect(nodes.address) as joined:
        with pytest.raises(ValueError, match="the node (one|two) can't take part: it has numpy .*, here 1.0; sources"):
            Pool(joined, Multiplier, (3,))
