"""The pool of workers: every task is done, whatever dies; what is wrong is said."""

import os
import signal

import pytest

pytest.importorskip("ray")

from carnegie_env.workers import cluster
from carnegie_env.workers.cluster import AHEAD, LATER, Pool, connect
from tests.ray.workers import Deadly, Picky, Times

pytestmark = pytest.mark.ray


def test_tasks_are_done_on_all_nodes_each_once_and_in_bounds(nodes):
    taken = []

    def tasks():
        for number in range(60):
            taken.append(number)
            yield number

    with connect(nodes.address) as joined, Pool(joined, Times, (3,)) as pool:
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


def test_tasks_that_hang_on_results_come_later(nodes):
    """Of a round of three that are known, each next one is asked for again until the round before is done."""
    found, asked = {}, []

    def tasks():
        for number in range(9):
            while len(found) < number // 3 * 3:
                asked.append(number)
                yield LATER
            yield number

    with connect(nodes.address) as joined, Pool(joined, Times, (3,)) as pool:
        for number, (product, _, _) in pool.run(tasks()):
            assert product == 3 * number and len(found) >= number // 3 * 3
            found[number] = product
    assert sorted(found) == list(range(9)) and {3, 6} <= {*asked}


def test_the_work_of_a_killed_worker_and_of_a_killed_node_is_done_again_and_a_new_node_joins_in(nodes, monkeypatch):
    monkeypatch.setattr(cluster, "LOOK_FOR_NODES", 0.5)
    with connect(nodes.address) as joined, Pool(joined, Times, (3,)) as pool:
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
        assert len(joined.work) == 3  # the new node of the same name is another one


def test_a_task_that_kills_whoever_does_it_ends_the_work(nodes, tmp_path):
    (tmp_path / "deadly").touch()
    with connect(nodes.address) as joined, Pool(joined, Deadly, (str(tmp_path / "deadly"),)) as pool:
        with pytest.raises(RuntimeError, match="task 2 was lost 5 times with its worker|has had no node"):
            list(pool.run(iter(range(40))))


def test_errors_of_workers_come_as_they_are(nodes):
    with connect(nodes.address) as joined:
        with Pool(joined, Picky, (True,)) as pool, pytest.raises(OverflowError, match="three is too many"):
            list(pool.run(iter(range(10))))
        with Pool(joined, Picky, (False,)) as pool:
            with pytest.raises(ValueError, match="on the node (one|two): there is no work for me"):
                list(pool.run(iter(range(10))))


def test_nodes_with_something_else_installed_are_refused(nodes, monkeypatch):
    here = cluster.installed()
    monkeypatch.setattr(cluster, "installed", lambda: here | {"numpy": "1.0", "sources of games and agents": "ab"})
    with connect(nodes.address) as joined:
        with pytest.raises(ValueError, match="the node (one|two) can't take part: it has numpy .*, here 1.0; sources"):
            Pool(joined, Times, (3,))
