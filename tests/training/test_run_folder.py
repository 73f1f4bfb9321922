"""Damaged runs are rejected and not changed; full disks, killed jobs, two jobs on one run."""

import errno
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from carnegie_env.agents.configuration import CONFIG_FILE, read_object
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.agents.learned import PPOAgent
from carnegie_env.agents.random_agent import RandomAgent
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import files
from tests.amounts import LONG
from tests.commands import refused
from tests.players import mark_of_files
from tests.training.conftest import SAVED, TINY, resume
from training import evaluate, job, ppo, saving
from training.run_folder import PROGRESS_FILE, Damaged
from training.tables import Table

ONE_SAVE = 0.2  # seconds between saves of the jobs that are killed


# ---------------------------------------------------------------- damaged
def cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def turned(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def folder_instead(file):
    file.unlink()
    file.mkdir()


WAYS = {
    "missing": Path.unlink, "empty": lambda file: file.write_bytes(b""), "cut": cut, "a bit turned": turned,
    "a folder": folder_instead, "another file": lambda file: file.write_text("hello"),
    "a list": lambda file: file.write_text("[1]"), "deep": lambda file: file.write_text("[" * 100_000),
    "null": lambda file: file.write_text("null"), "huge": lambda file: file.write_text(" " * 2_000_000),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [*SAVED, PROGRESS_FILE, "config.json"])
def test_a_damaged_run_is_rejected_and_not_changed(copied, name, way, capsys):
    WAYS[way](copied / name)
    if name == "config.json" and way == "a bit turned":
        (copied / name).write_text(run_config(copied).replace('difficult"', 'difficulu"'))
    before = mark_of_files(copied)
    said = refused(capsys, resume, copied)
    assert f"the run in {copied} is damaged: " in said and name in said and "Nothing was changed." in said
    assert mark_of_files(copied) == before


def run_config(folder):
    return (folder / "config.json").read_text(errors="replace")


NAN = float("nan")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"difficulty": "hard"}, "difficulty must be one of beginner"), ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be"), ({"seed": None}, "seed must be"), ({"teacher": 3}, "teacher must be"),
        ({"num_players": 0}, "num_players must be 1 to 4"), ({"num_players": "2"}, "num_players must be 1 to 4"),
        ({"settings": 3}, "the settings must be"), ({"settings": {}}, "the settings must be"),
        ({"envs": 0}, "envs must be 1 to 1,000,000,000, not 0"), ({"envs": 2.0}, "setting envs must be a whole number"),
        ({"epochs": True}, "setting epochs must be a whole number"), ({"gamma": "1"}, "setting gamma must be a number"),
        ({"gamma": NAN}, "gamma must be 0 to 1"), ({"width": 2 * 10**9}, "width must be 1 to"),
        ({"teacher_temperature": 0.0}, "teacher_temperature must be 0.001 to"),
        ({"envs": 5, "steps": 13, "minibatch": 64}, "minibatch 64 leaves 1 of 65"),
        ({"more": 1}, "the settings must be envs, steps"),
    ],
)  # fmt: skip
def test_messages_name_wrong_values_in_the_configuration(copied, change, message):
    config = json.loads(run_config(copied))
    if not {"difficulty", "seed", "teacher", "num_players", "settings"} & set(change):
        change = {"settings": config["settings"] | change}
    (copied / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(Damaged, match=message):
        ppo.PPOFolder(copied).open()


@pytest.mark.parametrize(
    "change",
    [{"steps": -1}, {"steps": 1.5}, {"steps": True}, {"share": 2}, {"seconds": "1"}, {"seconds": NAN}, {"more": 1},
     {"sha256": {}}, {"sha256": None}],
)  # fmt: skip
def test_a_wrong_progress_is_rejected(copied, change):
    (copied / PROGRESS_FILE).write_text(json.dumps(json.loads((copied / PROGRESS_FILE).read_text()) | change))
    with pytest.raises(Damaged, match="must have share, steps, seconds, and sha256"):
        ppo.PPOFolder(copied).open()


def test_a_run_that_was_never_saved_begins(copied):
    for name in (*SAVED, PROGRESS_FILE):
        (copied / name).unlink()
    assert resume(copied) == 0
    assert json.loads((copied / PROGRESS_FILE).read_text())["steps"] == 256


def test_folders_that_are_not_runs(tmp_path, capsys):
    (tmp_path / "file").write_text("hello")
    (tmp_path / "empty").mkdir()
    for name in ("file", "empty", "none"):
        assert f"{tmp_path / name} is not the folder of a run" in refused(capsys, resume, tmp_path / name)
    assert "it is not a folder" in refused(capsys, resume, tmp_path / "file")
    with pytest.raises(ValueError, match=r"file is not a folder$"):
        read_object(tmp_path / "file" / CONFIG_FILE)
    for name, wrong in (("file", "is a file"), ("file/run", "Not a directory"), ("/proc/run", "No such file")):
        assert wrong in refused(capsys, ppo.main, [*TINY, "--run-dir", str(tmp_path / name)])


# ---------------------------------------------------------------- two jobs at once
def test_two_jobs_on_one_run(copied, capsys):
    with files.lock(copied):
        before = mark_of_files(copied)
        assert f"another job is using the run in {copied}" in refused(capsys, resume, copied)
        assert mark_of_files(copied) == before
        assert PPOAgent(str(copied))  # it can still play
    assert resume(copied) == 0
    with files.lock(copied):  # the job has released it
        pass


def test_a_run_that_has_taken_the_place_of_another_is_left_alone(copied, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder, said = ppo.PPOFolder(copied), []
    config, progress, curve = folder.open()
    content = dict.fromkeys(folder.saved, b"new")
    saver = saving.Saver(folder, lambda here: here.save(content, progress, curve), "model.zip", said.append)
    copied.rename(tmp_path / "moved")
    assert not saver.save() and "No such file or directory" in said[-1]
    copied.mkdir()
    (copied / "config.json").write_text("another run")
    assert not saver.save() and not saver.write("curve.png", b"new")
    assert "another folder has taken its place" in said[-1]
    assert not saver.save_rest(0.0)
    assert [file.name for file in copied.iterdir()] == ["config.json"]
    rescued = next(tmp_path.glob("carnegie-run-*"))
    assert json.loads((rescued / "config.json").read_text()) == config
    assert (rescued / "model.zip").read_bytes() == b"new"
    folder.close()


def test_an_interrupt_waits_for_the_end_of_a_save():
    done, before = [], signal.signal(signal.SIGINT, job.INTERRUPT)  # a background job ignores it
    try:
        with pytest.raises(KeyboardInterrupt), job.uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append(signal.getsignal(signal.SIGINT))
        assert len(done) == 1 and signal.getsignal(signal.SIGINT) is job.INTERRUPT
    finally:
        signal.signal(signal.SIGINT, before)


# ---------------------------------------------------------------- full disks
class Disk:
    """A disk that can be full: then creating files in a folder fails."""

    def __init__(self, folder, monkeypatch):
        self.full = False
        self.folder = str(folder)
        original = os.open

        def opened(path, flags, *rest, **more):
            if self.full and flags & os.O_CREAT and str(path).startswith(self.folder):
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
            return original(path, flags, *rest, **more)

        monkeypatch.setattr(os, "open", opened)


def test_training_continues_when_a_save_fails(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "run"
    disk, row, seen = Disk(folder, monkeypatch), ppo.Trainer._row, []

    def at_an_update(self):
        seen.append((folder / PROGRESS_FILE).exists() and json.loads((folder / PROGRESS_FILE).read_text())["steps"])
        disk.full = 256 < self.num_timesteps <= 768
        return row(self)

    monkeypatch.setattr(ppo.Trainer, "_row", at_an_update)
    assert ppo.main([*TINY, "--timesteps", "1280", "--save-every", "0", "--run-dir", str(folder)]) == 0
    assert seen == [False, 256, 256, 256, 1024]
    out = capsys.readouterr().out
    assert out.count(f"NOT SAVED: {folder}") == 2  # model and picture, once each
    assert ".tmp" not in out and "No space left on device" in out and f"{folder / 'model.zip'} is saved now" in out
    assert json.loads((folder / PROGRESS_FILE).read_text())["steps"] == 1280
    assert not [name for name in os.listdir(folder) if name.endswith(".tmp")]


def test_if_the_disk_stays_full_the_model_is_saved_elsewhere(tmp_path, monkeypatch, capsys):
    folder, other = tmp_path / "run", tmp_path / "other"
    other.mkdir()
    disk, row = Disk(folder, monkeypatch), ppo.Trainer._row

    def at_an_update(self):
        disk.full = self.num_timesteps > 256
        return row(self)

    monkeypatch.setattr(ppo.Trainer, "_row", at_an_update)
    pauses: list[float] = []  # time passes in pauses only, however slow the machine is
    monkeypatch.setattr(saving, "time", SimpleNamespace(monotonic=lambda: sum(pauses), sleep=pauses.append))
    monkeypatch.setattr("tempfile.tempdir", str(other))
    assert ppo.main([*TINY, "--timesteps", "512", "--save-every", "0", "--run-dir", str(folder)]) == 1
    out = capsys.readouterr().out
    assert pauses == [saving.LAST_SAVE_PAUSE] * 8 and "trying again for 120 s" in out and "trying again for 15 s" in out
    assert f"NOT SAVED in {folder}: model.zip" in out and "Traceback" not in out
    found = re.search(r"The model is saved in (\S+) instead", out)
    assert found and json.loads(Path(found[1], PROGRESS_FILE).read_text())["steps"] == 512
    monkeypatch.undo()  # the disk has room again
    assert json.loads((folder / PROGRESS_FILE).read_text())["steps"] == 256
    assert resume(found[1]) == 0 and resume(folder) == 0


def test_a_save_is_given_up_once_and_the_report_does_without_the_trained_agent(tmp_path, monkeypatch):
    def full(folder):
        raise OSError(errno.ENOSPC, "No space left on device", "model.zip")

    pauses: list[float] = []
    monkeypatch.setattr(saving, "time", SimpleNamespace(monotonic=lambda: sum(pauses), sleep=pauses.append))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    saver = saving.Saver(ppo.PPOFolder(tmp_path), full, "model.zip", lambda text: None)
    assert not saver.save()
    for _ in range(2):
        assert not saver.save_rest() and len(pauses) == 8

    said: list[str] = []
    job = SimpleNamespace(
        baselines=[RandomAgent(), GreedyAgent()], trained_name="value", times={"training": 1.0}, done=0, contents="it",
        results=evaluate.evaluate_all([RandomAgent(), GreedyAgent()], Table(CARNEGIE, 2), 4), folder=tmp_path,
        display=SimpleNamespace(elapsed=1.0, print=said.append), play_options=list,
    )  # fmt: skip
    ppo.Job.report(job)
    assert "greedy is clearly better than random" in said[0] and "value" not in said[0]


# ---------------------------------------------------------------- killed
def killed_training(folder, seconds, first):
    """Kill a job some seconds after its first update; returns the number of steps that were saved.

    Only the progress since the last save may be lost. On a busy machine saves take longer, so the time between the last
    save and the kill is compared with the longest time between two saves.
    """
    given = ["--run-dir", str(folder), *TINY] if first else ["--resume", str(folder), "--threads", "1"]
    command = [sys.executable, "-m", "training.ppo", *given, "--minutes", "5", "--save-every", str(ONE_SAVE)]
    command += ["--eval-games", "2"]
    log = folder.parent / "log.txt"
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT) as job:
        deadline = time.monotonic() + 300
        while "training:" not in log.read_text():
            assert job.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        seen, saves, end = 0, [time.monotonic()], time.monotonic() + seconds
        ends = False
        while not ends:
            ends = time.monotonic() >= end  # one more look then, because reading takes time
            if (folder / PROGRESS_FILE).exists():
                assert PPOAgent(str(folder))  # a reader always sees complete files
                before, seen = seen, json.loads((folder / PROGRESS_FILE).read_text())["steps"]
                if seen > before > 0:
                    saves.append(time.monotonic())
            time.sleep(0.01)
        saves.append(time.monotonic())
        job.send_signal(signal.SIGKILL)
    between = [after - before for before, after in itertools.pairwise(saves)]
    assert len(between) < 3 or between[-1] <= ONE_SAVE + 2 * max(between[:-1]), between
    assert job.returncode == -signal.SIGKILL, log.read_text()
    return seen


def check_after_kill(folder, before):
    """All files are complete and belong to one save, and no saved step is lost."""
    run_ = ppo.PPOFolder(folder)
    config, progress, curve = run_.open()  # checks all digests
    run_.close()
    assert progress.steps >= before and config["settings"]["envs"] == 16
    assert not [name for name in os.listdir(folder) if name.startswith(".")]
    if progress.steps:
        assert PPOAgent(str(folder))
        assert curve.rows[-1]["steps"] == progress.steps
    return progress


@pytest.mark.parametrize("kills", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_killed_at_random_moments(tmp_path, kills):
    if kills > 2 and not LONG:
        pytest.skip("long: make kills")
    folder, moments, steps = tmp_path / "run", random.Random(3), 0
    for number in range(kills):
        wait = moments.random() * 5
        seen = killed_training(folder, wait, first=number == 0)
        steps = check_after_kill(folder, max(steps, seen)).steps
    assert steps > 0
