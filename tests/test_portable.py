"""The package works on systems that lack what Linux has: here it is hidden, in this process's children too."""

import os
import pkgutil

import pytest

import carnegie_env
from tests import commands
from tests.toy.test_plugin import install

# Python's own modules still use some of it here: they are imported first.
HIDE = """
import asyncio, concurrent.futures, faulthandler, getpass, logging.handlers, multiprocessing.connection
import multiprocessing.resource_tracker, multiprocessing.popen_spawn_posix, os, random, shutil, signal, sys
import subprocess, tempfile
for module, names in {
    os: "sched_getaffinity fork setsid killpg getpgid nice getuid geteuid getpriority fchmod mkfifo pread sysconf "
        "getloadavg",
    signal: "SIGUSR1 SIGUSR2 SIGHUP SIGQUIT SIGALRM alarm setitimer pause",
    faulthandler: "register unregister",
}.items():
    for name in names.split():
        delattr(module, name)
for name in ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "readline"):
    sys.modules[name] = None
"""
# Packages that some modules need.
OPTIONAL = {"kaggle_environments", "mcp", "numba", "openenv", "pyspiel", "ray", "verifiers"}


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Runs Python with arguments on such a system."""
    folder = tmp_path_factory.mktemp("system")
    (folder / "sitecustomize.py").write_text(HIDE)
    install(folder)
    path = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    return lambda *arguments: commands.python(*arguments, cwd=folder, PYTHONPATH=path, NUMBA_DISABLE_JIT="1")


def test_all_modules_are_imported(elsewhere):
    names = [module.name for module in pkgutil.walk_packages(carnegie_env.__path__, "carnegie_env.")]
    names = [name for name in names if not name.endswith("__main__") and name != "carnegie_env._engine"]
    assert len(names) > 100
    program = f"""
import importlib
missing = []
for name in {[*names, "training.value", "training.ppo", "benchmarks.datasets", "benchmarks.throughput"]}:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] not in {OPTIONAL}:
            raise
"""
    elsewhere("-c", program)


def test_agents_play_in_processes_of_their_own(elsewhere, tmp_path):
    small = ("--game", "tic_tac_toe", "--processes", 2)
    arena = ("arena", "--agents", "random", "random", "--deals", 1, *small)
    assert "1 game on 1 deal" in elsewhere("-m", "carnegie_env", *arena)
    dataset = ("generate", "--agents", "random", "--games", 1, "--num-players", 2, *small, "--out", tmp_path / "data")
    elsewhere("-m", "carnegie_env", *dataset)
    assert list((tmp_path / "data").iterdir())


def test_training_starts(elsewhere, tmp_path):
    program = f"""
from training import value
job = value.Job(value.make_parser().parse_args(["--run-dir", {str(tmp_path / "run")!r}, "--num-players", "2"]))
assert job.threads >= 1 and job.folder.path.is_dir()
"""
    elsewhere("-c", program)


def test_the_server_answers(elsewhere, tmp_path):
    program = f"""
import re, subprocess, sys, urllib.request
command = [sys.executable, "-m", "carnegie_env", "serve", "--data", {str(tmp_path / "games.db")!r}]
server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
try:
    address = server.stdout.readline().strip().partition("#")[0]
    assert b"<html" in urllib.request.urlopen(address, timeout=60).read().lower(), address
finally:
    server.terminate()
    server.wait()
"""
    elsewhere("-c", program)
