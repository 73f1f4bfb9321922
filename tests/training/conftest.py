"""A finished run of PPO, shared by the tests of this folder."""

import shutil

import pytest

from training import ppo
from training.run_folder import CURVE_FILE, PROGRESS_FILE

TINY = ["--envs", "16", "--steps", "16", "--minibatch", "128", "--width", "16", "--eval-games", "2", "--threads", "1",
        "--teacher", "none"]  # fmt: skip
SAVED = (CURVE_FILE, *ppo.PPOFolder.saved)


def resume(folder):
    """Continue a run of PPO for one update; returns the exit status."""
    return ppo.main(["--resume", str(folder), "--timesteps", "256", "--eval-games", "2", "--threads", "1"])


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """A finished tiny run; don't change it."""
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    given = ["--timesteps", "512", "--run-dir", str(folder), "--difficulty", "difficult", "--seed", "7"]
    assert ppo.main([*TINY, *given]) == 0
    return folder


@pytest.fixture
def copied(run, tmp_path):
    """A copy of the files that a resumed run needs."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for name in (*SAVED, PROGRESS_FILE, "config.json"):
        shutil.copy(run / name, folder / name)
    return folder
