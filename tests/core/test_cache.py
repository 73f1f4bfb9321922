"""Where compiled code is kept, what makes it new, and what happens where it cannot be kept, or was spoilt."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile

import numba
import pytest

if numba.config.DISABLE_JIT:
    pytest.skip("NUMBA_DISABLE_JIT is set: nothing is compiled", allow_module_level=True)

from carnegie_env.core import cache
from tests.fresh import Origin

SQUARES = """
from carnegie_env.core.jit import jit

@jit
def square(a):
    return a * a

@jit
def sum_of_squares(a, b):
    return square(a) + square(b)
"""
# What a process says of itself: the result, what it compiled.
USE = "from squares import *; from carnegie_env.core.compiling import made; print(sum_of_squares(3, 4), *made.values())"
MADE, FOUND = "25 2 1", "25 0 0"  # two translations and a door; nothing
DISK_FULL = """
import builtins, errno, os
class Full:
    def __init__(self, file): self.file = file
    def __enter__(self): return self
    def __exit__(self, *_): self.file.close()
    def write(self, data):
        self.file.write(data[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
def refuse(path, mode="r", *rest, _open=builtins.open, **named):
    file = _open(path, mode, *rest, **named)
    return file if "x" not in mode else Full(file)
builtins.open = refuse
"""
READ_ONLY = """
import builtins, errno, os
def refused(*_, **__): raise OSError(errno.EROFS, os.strerror(errno.EROFS))
def refuse(path, mode="r", *rest, _open=builtins.open, **named):
    return refused() if set(mode) & set("wxa+") else _open(path, mode, *rest, **named)
builtins.open, os.mkdir, os.replace, os.utime, os.unlink = refuse, refused, refused, refused, refused
"""


@pytest.fixture(scope="module")
def origin():
    with Origin() as running:
        yield running


@pytest.fixture
def place(tmp_path, origin):
    """A folder with a module of compiled functions; returns how to use it in a new process.

    With ``started`` Python starts anew for it, with a seed of hashes of its own.
    """
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "squares.py").write_text(SQUARES)
    (tmp_path / "tmp").mkdir()

    def use(
        code=USE, *, before="", source=tmp_path / "code", package=cache.PACKAGE.parent, wait=True, started=False,
        **settings,
    ):  # fmt: skip
        environment = os.environ | {
            "CARNEGIE_ENV_CACHE": str(tmp_path / "cache"),
            "TMPDIR": str(tmp_path / "tmp"),
            "PYTHONPATH": os.pathsep.join([str(source), str(package)]),
        }
        for name in ("CARNEGIE_CHECK", "CARNEGIE_ENV_FACTS", "PYTEST_XDIST_WORKER", "CARNEGIE_ENV_QUIET"):
            environment.pop(name, None)
        environment |= settings
        if started:
            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
            process = subprocess.Popen([sys.executable, "-c", before + code], env=environment, **streams)
        else:
            process = origin.start(before + code, environment, tmp_path)
        if not wait:
            return process
        out, err = process.communicate()
        assert process.returncode == 0, err[-3000:]
        lines = [line for line in err.splitlines(True) if "compiling the rules" not in line]  # on a busy machine
        return out.strip(), "".join(lines)

    return use


def kept(tmp_path):
    """The files of the cache, apart from those being written."""
    return sorted(path for path in (tmp_path / "cache").rglob("*") if path.suffix in (".door", ".translation"))


# ---------------------------------------------------------------- found by content
def test_the_second_process_compiles_nothing(place, tmp_path):
    assert place(started=True) == (MADE, "")
    assert [path.suffix for path in kept(tmp_path)].count(".door") == 1 and len(kept(tmp_path)) == 3
    assert place(started=True) == (FOUND, "")


def test_a_new_door_takes_translations_from_the_files(place):
    other = "from squares import *; from carnegie_env.core.compiling import made; print(square(5), *made.values())"
    assert place()[0] == MADE
    assert place(other)[0] == "25 0 1"


def test_other_folders_and_dates_do_not_matter(place, tmp_path):
    """A second clone, a second environment: the same sources elsewhere."""
    assert place()[0] == MADE
    shutil.copytree(cache.PACKAGE, tmp_path / "clone" / "carnegie_env", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "squares.py").write_text(SQUARES)
    os.utime(tmp_path / "elsewhere" / "squares.py", (1, 1))
    where = "import carnegie_env; assert 'clone' in carnegie_env.__file__;"
    found, _ = place(where + USE, source=tmp_path / "elsewhere", package=tmp_path / "clone")
    assert found == FOUND


@pytest.mark.slow
def test_a_second_clone_compiles_nothing_for_an_environment(tmp_path):
    code = (
        "import gymnasium, carnegie_env, numpy as np; from carnegie_env.core.compiling import made;"
        "e = gymnasium.make('Carnegie/Solo-v0'); m = e.reset(seed=0)[1]['action_mask'];"
        "e.step(int(np.flatnonzero(m)[0])); print(made['translations'] + made['doors'])"
    )
    shutil.copytree(cache.PACKAGE, tmp_path / "carnegie_env", ignore=shutil.ignore_patterns("__pycache__"))
    for package in (cache.PACKAGE.parent, tmp_path):  # the first may find all of it compiled by other tests
        environment = os.environ | {"PYTHONPATH": str(package)}
        command = [sys.executable, "-c", code]
        run = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.strip() == "0" and run.stderr == ""


def test_an_edit_or_a_neighbour_gives_new_code(place, tmp_path):
    assert place()[0] == MADE
    (tmp_path / "code" / "squares.py").write_text(SQUARES.replace("a * a", "a * a + 1"))
    assert place()[0] == "27 2 1"


# ---------------------------------------------------------------- read-only, spoilt, full
def test_a_complete_cache_may_be_read_only(place, tmp_path):
    assert place()[0] == MADE
    assert place(before=READ_ONLY) == (FOUND, "")


@pytest.mark.parametrize("spoil", [
    lambda content: b"", lambda content: content[: len(content) // 2], lambda content: b"garbage" * 100,
    lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    lambda content: cache.MAGIC + cache.hashlib.sha256(b"no pickle").digest() + b"no pickle",
    lambda content: cache.MAGIC + bytes(32) + content[len(cache.MAGIC) + 32 :],  # whole, but for the hash of itself
])  # fmt: skip
def test_spoilt_files_are_made_anew_silently(place, tmp_path, spoil):
    assert place()[0] == MADE
    for path in kept(tmp_path):
        path.write_bytes(spoil(path.read_bytes()))
    assert place() == (MADE, "")
    assert place() == (FOUND, "")


def test_without_room_all_runs_and_one_message_says_so(place, tmp_path):
    out, err = place(before=DISK_FULL)
    assert out == MADE
    assert err.startswith("carnegie_env: ") and err.count("\n") == 1 and "No space left on device" in err
    assert str(tmp_path / "cache") in err and "CARNEGIE_ENV_CACHE" in err
    left = [path for folder in ("cache", "tmp") for path in (tmp_path / folder).rglob("*") if path.is_file()]
    assert left == []  # nothing half-written, under any name
    assert place(before=DISK_FULL, CARNEGIE_ENV_QUIET="1") == (MADE, "")


def test_a_disk_that_is_really_full(place, tmp_path):
    disk = tmp_path / "cache"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", str(disk)], capture_output=True).returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        out, err = place(TMPDIR=str(disk))
        assert out == MADE and err.startswith("carnegie_env: ") and err.count("\n") == 1
        assert "No space left on device" in err
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_nowhere_to_write_at_all(place, tmp_path):
    out, err = place(before=READ_ONLY + "import tempfile; os.environ.pop('HOME', None);", CARNEGIE_ENV_CACHE="/none")
    assert out == MADE and err.startswith("carnegie_env: ") and err.count("\n") == 1


def test_what_cannot_be_written_goes_to_the_temporary_folder(place, tmp_path):
    (tmp_path / "cache").write_text("a file, not a folder")
    assert place() == (MADE, "")
    assert place() == (FOUND, "")
    assert len(list((tmp_path / "tmp").rglob("*.door"))) == 1


def test_several_processes_at_once(place, tmp_path):
    running = [place(wait=False, CARNEGIE_ENV_QUIET="1") for _ in range(3)]
    for process in running:
        out, err = process.communicate()
        assert process.returncode == 0 and out.split()[0] == "25" and err == ""
    assert len(kept(tmp_path)) == 3 and not list((tmp_path / "cache").rglob("*.part"))
    assert place() == (FOUND, "")


# ---------------------------------------------------------------- nobody else's code
def test_a_cache_that_others_may_write_to_is_not_used(place, tmp_path):
    assert place()[0] == MADE
    (tmp_path / "cache" / "carnegie_env").chmod(0o777)
    assert place()[0] == MADE  # into the temporary folder
    assert place()[0] == FOUND
    assert len(list((tmp_path / "tmp").rglob("*.door"))) == 1


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_cache_of_another_user_is_not_used(place, tmp_path):
    assert place()[0] == MADE
    for path in (tmp_path / "cache" / "carnegie_env", *(tmp_path / "cache" / "carnegie_env").iterdir()):
        os.chown(path, 12345, 12345)
    out, err = place(TMPDIR=str(tmp_path / "none"), before="import tempfile; tempfile.tempdir = '/proc';")
    assert out == MADE and "belongs to another user" in err


def test_where_there_is_no_home_and_no_temporary_folder(monkeypatch):
    monkeypatch.setattr(cache.config, "CACHE_DIR", "")
    for name in ("CARNEGIE_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: (_ for _ in ()).throw(FileNotFoundError()))
    assert cache._bases() == []
    monkeypatch.setattr(tempfile, "gettempdir", os.getcwd)
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    assert cache._bases() == []  # Python's last resort, the current folder, is not ours to fill


# ---------------------------------------------------------------- the folder
@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one rule and one table in place of the real one."""
    folder = tmp_path / "package"
    (folder / "rules").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "rules" / "rule.py").write_text("A = 1\n")
    (folder / "facts.toml").write_text("a = 1\n")
    monkeypatch.setattr(cache, "PACKAGE", folder)
    for name in ("CARNEGIE_ENV_FACTS", "CARNEGIE_CHECK", "CARNEGIE_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_every_edit_of_a_source_or_a_table_gives_a_new_folder(package, tmp_path, monkeypatch):
    seen = {cache.source_hash()}
    assert cache.source_hash() in seen
    (package / "rules" / "rule.py").write_text("A = 2\n")
    seen.add(cache.source_hash())
    (package / "facts.toml").write_text("a = 2\n")
    seen.add(cache.source_hash())
    (package / "rules" / "another.py").write_text("")
    seen.add(cache.source_hash())
    (package / "rules" / "another.py").rename(package / "rules" / "renamed.py")
    seen.add(cache.source_hash())
    own = tmp_path / "own"
    own.mkdir()
    (own / "board.toml").write_text("b = 1\n")
    monkeypatch.setenv("CARNEGIE_ENV_FACTS", str(own))
    seen.add(cache.source_hash())
    (own / "board.toml").write_text("b = 2\n")
    seen.add(cache.source_hash())
    monkeypatch.setenv("CARNEGIE_ENV_FACTS", str(own / "board.toml"))
    (own / "board.toml").write_text("b = 3\n")
    seen.add(cache.source_hash())
    monkeypatch.setenv("CARNEGIE_CHECK", "1")
    seen.add(cache.source_hash())
    monkeypatch.setattr(cache.config, "BOUNDSCHECK", 1)
    seen.add(cache.source_hash())
    assert len(seen) == 10 and all(len(name) == 16 for name in seen)


def test_what_is_compiled_nowhere_does_not_count(package):
    before = cache.source_hash()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "rule.py").write_text("")
    (package / "rules" / "notes.md").write_text("")
    for name in cache.NEVER_COMPILED:
        (package / name).mkdir()
        (package / name / "code.py").write_text("")
    assert cache.source_hash() == before


@pytest.mark.parametrize("name", cache.NEVER_COMPILED)
def test_what_is_said_to_be_compiled_nowhere_is_not(name):
    """An edit there keeps the compiled code, so no compiled function may stand there."""
    files = list((cache.PACKAGE / name).rglob("*.py"))
    assert files
    for file in files:
        assert not re.search(r"^\s*@(jit|njit|numba)|import numba|core\.jit", file.read_text(), re.MULTILINE), file


def test_where_the_folder_is(tmp_path, monkeypatch):
    monkeypatch.setattr(cache.config, "CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CARNEGIE_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache._bases()[0] == tmp_path / "home" / ".cache" / "carnegie_env"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache._bases()[0] == tmp_path / "xdg" / "carnegie_env"
    monkeypatch.setattr(cache.config, "CACHE_DIR", str(tmp_path / "numba"))
    assert cache._bases()[0] == tmp_path / "numba" / "carnegie_env"
    monkeypatch.setenv("CARNEGIE_ENV_CACHE", str(tmp_path / "own"))
    assert cache._bases()[0] == tmp_path / "own" / "carnegie_env"


def test_only_the_newest_folders_are_kept(tmp_path):
    for k in range(cache.KEEP + 4):
        folder = tmp_path / f"{k:016x}"
        folder.mkdir()
        (folder / "code.nbc").write_text("")
        os.utime(folder, (1000 + k, 1000 + k))
    (tmp_path / "something else").mkdir()
    os.utime(tmp_path / "something else", (1, 1))
    cache._delete_old(tmp_path)
    kept = {folder.name for folder in tmp_path.iterdir()}
    assert kept == {f"{k:016x}" for k in range(4, cache.KEEP + 4)} | {"something else"}


def test_translations_of_two_processes_fit_or_are_made_anew(place, tmp_path):
    """What one process made calls functions by names that another process gave to none: seen with workers at once."""
    place()
    shift = "import numba\nfor k in range(3): numba.njit(lambda x: x + 1)(k)\n"
    place(before=shift, CARNEGIE_ENV_CACHE=str(tmp_path / "other"))
    kept = {file.name: file for file in (tmp_path / "cache").rglob("*.translation")}
    for file in (tmp_path / "other").rglob("*.translation"):
        if "sum_of_squares" in file.name:
            shutil.copy(file, kept[file.name])  # the caller is now of one process, the called one of another
    for door in (tmp_path / "cache").rglob("*.door"):
        door.unlink()
    assert place()[0] == "25 1 1"  # the caller was made anew, and fits


def test_a_door_hangs_on_the_functions_of_other_packages_in_it(place, tmp_path):
    """A training's loops have the agents' functions within."""
    for name, source in (("one", "A = 1\n"), ("two", "from one.rule import add\n")):
        (tmp_path / "code" / name).mkdir()
        (tmp_path / "code" / name / "__init__.py").write_text("")
        begin = f"from carnegie_env.core.jit import jit\n{source}\n@jit\n"
        (tmp_path / "code" / name / "rule.py").write_text(
            begin + ("def add(a):\n    return a + A\n" if name == "one" else "def twice(a):\n    return 2 * add(a)\n")
        )
    use = "from two.rule import *; from carnegie_env.core.compiling import made; print(twice(3), *made.values())"
    assert place(use)[0] == "8 2 1"
    assert place(use)[0] == "8 0 0"
    rule = tmp_path / "code" / "one" / "rule.py"
    rule.write_text(rule.read_text().replace("A = 1", "A = 50"))  # longer: Python itself looks at seconds and lengths
    assert place(use)[0].startswith("106 ") and place(use)[0] == "106 0 0"


def test_the_loops_for_a_game_of_another_package_hang_on_its_rules(place, tmp_path):
    """The core's loops have the toy game's rules within: after an edit there they are made anew, not found stale."""
    toys, toy = tmp_path / "toys", tmp_path / "toys" / "toy" / "game.py"
    shutil.copytree(cache.PACKAGE.parent / "tests" / "toy", toy.parent, ignore=shutil.ignore_patterns("__pycache__"))
    use = """
from toy.game import Position
from carnegie_env.core.compiling import made
position = Position.new(seed=1)
while not position.is_over:
    position.apply(position.legal_actions()[-1])
print(position.scores(), made["doors"] > 0)
"""
    assert place(use, source=toys)[0] == "[9, 9] True"
    assert place(use, source=toys)[0] == "[9, 9] False"
    rules, old = toy.read_text(), "game.won[row] += points\n"
    assert rules.count(old) == 1
    toy.write_text(rules.replace(old, "game.won[row] += 2 * points\n"))
    assert place(use, source=toys)[0] == "[18, 18] True"
    toy.write_text(rules)
    assert place(use, source=toys)[0] == "[9, 9] False"
