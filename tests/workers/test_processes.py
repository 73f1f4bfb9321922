"""Processes in which agents think: their start and their environment."""

import os
import threading
from multiprocessing.context import SpawnProcess

import pytest

from carnegie_env.workers import processes
from tests.arena import misfits


def test_a_process_that_could_not_be_started_is_started_by_the_next_message(tmp_path, monkeypatch):
    process = processes.Process(tmp_path / "traces", misfits.starts_another)
    with monkeypatch.context() as patch:
        patch.setattr(SpawnProcess, "start", lambda self: (_ for _ in ()).throw(OSError("no memory")))
        with pytest.raises(OSError, match="no memory"):
            process.send("work")
    assert not process.is_alive()
    process.end()
    process.send("work")
    assert process.connection.recv() > 0
    process.end()


def test_threads_that_start_processes_share_the_environment(monkeypatch):
    monkeypatch.delenv("ONE_OF_OURS", raising=False)
    inside, left, found = threading.Event(), threading.Event(), []

    def start():
        with processes._environment({"ONE_OF_OURS": "1"}):
            inside.set()
            left.wait(60)
            found.append(os.environ.get("ONE_OF_OURS"))

    other = threading.Thread(target=start)
    with processes._environment({"ONE_OF_OURS": "1"}):
        other.start()
        inside.wait(0.2)  # it has to wait outside
    left.set()
    other.join()
    assert found == ["1"] and "ONE_OF_OURS" not in os.environ
