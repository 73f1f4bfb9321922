"""The parts of the cluster code that need no cluster: the order of tasks, reports, addresses, and packed networks."""

import argparse
import contextlib
import os
import socket
import sys

import pytest

from carnegie_env.agents import registry
from carnegie_env.arena.nodes import _packed, _unpacked, make_pool
from carnegie_env.arena.worker import Setup
from carnegie_env.cli import common
from carnegie_env.workers import cluster
from carnegie_env.workers.cluster import Cluster, Lost, Work, connect
from tests.toy.game import SIXES

WINDOW = 4


def test_no_task_begins_far_ahead_of_an_unfinished_one():
    todo = cluster._Todo(iter(range(100)))
    begun = []
    while (task := todo.next(WINDOW)) is not None:
        begun.append(task)
    assert [task.number for task in begun] == list(range(WINDOW))
    todo.done(begun[1])
    assert todo.next(WINDOW) is None
    todo.again([begun[2]], OSError())
    assert todo.next(WINDOW) is begun[2] and begun[2].losses == 1
    todo.done(begun[0])
    assert todo.next(WINDOW).number == WINDOW


def test_a_task_that_is_lost_too_often_ends_the_run():
    todo = cluster._Todo(iter([1]))
    for _ in range(cluster.MOST_LOSSES - 1):
        todo.again([todo.next(WINDOW)], OSError())
    with pytest.raises(Lost, match="task 0 was lost with its worker 5 times, .* the machine burns"):
        todo.again([todo.next(WINDOW)], OSError("the machine burns"))


def test_a_command_reports_lost_work_and_the_work_done(monkeypatch, capsys):
    joined = Cluster("games")
    joined.work = {"one": Work(3, 1500, 0, 0.0, 10.0)}
    monkeypatch.setattr(cluster, "connect", lambda *_: contextlib.nullcontext(joined))
    with pytest.raises(ValueError, match="^no node to work with$"):
        with common.cluster(argparse.Namespace(ray="", processes=1), "games"):
            raise Lost("no node to work with")
    assert capsys.readouterr().err == "one  1,500 games  150.0 games/s\n"


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"Ray, which is not installed: pip install 'carnegie_env\[ray\]'"):
        with connect():
            pass


@pytest.mark.parametrize("address", ["nowhere", "host:", ":1", "ray://host", "host:port"])
def test_malformed_addresses_are_refused(address):
    with pytest.raises(ValueError, match="is not the address of a Ray cluster; use HOST:PORT, auto, or ray://"):
        cluster._check_reachable(address, "the Ray cluster", "")


def test_the_cluster_that_this_machine_remembers_must_answer(tmp_path, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    cluster._check_remembered("the Ray cluster")  # without a note Ray itself reports the error
    note = tmp_path / "ray" / "ray_current_cluster"
    note.parent.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as free:
        note.write_text(f"127.0.0.1:{free.getsockname()[1]}\n")
        cluster._check_remembered("the Ray cluster")
    for address in ("", "auto"):  # the same as unset
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(ValueError, match=f"nothing answers there .* to {note}; `ray stop` removes it"):
            cluster._check_remembered("the Ray cluster")
    monkeypatch.setenv("RAY_ADDRESS", "local")  # Ray starts a local one
    cluster._check_remembered("the Ray cluster")
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(ValueError, match="127.0.0.1:1: nothing answers there .*RAY_ADDRESS in the environment"):
        cluster._check_remembered("the Ray cluster")


def test_wrong_numbers_of_cores_and_processes_are_refused():
    with pytest.raises(ValueError, match="cpus must be a whole number of 1 or more, not 0"):
        with connect(cpus=0):
            pass
    for joined in (None, Cluster()):
        with pytest.raises(ValueError, match="must be a whole number from 1 to .*, not 0"):
            make_pool(Setup(SIXES, {}, (), 0, 1.0, 1.0), 0, joined)


# ---------------------------------------------------------------- networks
@pytest.mark.parametrize(
    ("name", "path", "moved"),
    [
        ("value:runs/a", "runs/a", "value:/n/0"),
        ("value:draws=3,network=runs/a", "runs/a", "value:draws=3,network=/n/0"),
        ("search:network=net.safetensors,ms=5", "net.safetensors", "search:network=/n/0,ms=5"),
        ("ppo:ppo", "ppo", "ppo:/n/0"),
        ("search:network=4,evals=400", "4", "search:network=/n/0,evals=400"),
        ("bot:bot.py,seconds=5", "bot.py", "bot:/n/0,seconds=5"),
        ("value:draws=3", None, "value:draws=3"),
        ("level:5", None, "level:5"),
        ("mine:Class", None, "mine:Class"),
        ("greedy", None, "greedy"),
    ],
)
def test_the_path_in_the_name_of_an_agent(name, path, moved):
    assert registry.path_of(name) == path
    assert registry.with_path(name, "/n/0") == moved


def test_the_files_of_networks_are_packed_and_unpacked(tmp_path):
    folder, file = tmp_path / "run", tmp_path / "other" / "net.safetensors"
    for each in (folder / "weights.safetensors", folder / "config.json", folder / "log.txt", file):
        each.parent.mkdir(exist_ok=True)
        each.write_text(each.name)
    specs = f"ppo:{folder}", f"value:{file}", f"value:network={folder},draws=2", "greedy"
    packed = _packed(specs)
    assert set(packed[str(folder)]) == {"weights.safetensors", "config.json"}
    assert set(packed[str(file)]) == {"net.safetensors"}
    there = tmp_path / "there"
    there.mkdir()
    for spec in specs[:3]:
        path = registry.path_of(_unpacked(spec, packed, there))
        weights = there / path / "weights.safetensors" if "net" not in path.rpartition("/")[2] else there / path
        assert weights.read_text() == weights.name and weights.is_relative_to(there)
    assert _unpacked("greedy", packed, there) == "greedy"


@pytest.mark.skipif(os.name != "posix", reason="bots need Linux or macOS")
def test_bots_stay_executable(tmp_path):
    bot, there = tmp_path / "bot", tmp_path / "there"
    bot.write_text("#!/bin/sh\n")
    bot.chmod(0o555)
    there.mkdir()
    for _ in range(2):
        path = registry.path_of(_unpacked(f"bot:{bot}", _packed([f"bot:{bot}"]), there))
        assert os.access(path, os.X_OK) and path != str(bot)
