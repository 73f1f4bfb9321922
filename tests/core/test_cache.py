"""The cache of compiled code: its key, its folders, and damaged, full, read-only or untrusted folders."""

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

from carnegie_env.core import cache, compiling, sources
from tests.fresh import Process

whole_programs = pytest.mark.skipif(compiling.programs is None, reason="Numba compiles function by function")
SQUARES = """
from carnegie_env.core.jit import jit

@jit
def square(a):
    return a * a

@jit
def sum_of_squares(a, b):
    return square(a) + square(b)
"""
# A process prints a result, and the numbers of translations and programs that it compiled.
USE = "from squares import *; from carnegie_env.core.programs import made; print(sum_of_squares(3, 4), *made.values())"
MADE, FOUND = "25 2 1", "25 0 0"
UNTESTED = "import numba; numba.__version__ = '0.99.0';"
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


@pytest.fixture
def place(tmp_path):
    """A function that runs code in a new process, with a module of compiled functions and a cache in a folder.

    With ``started`` it starts Python, with its own hash seed; otherwise the process is forked.
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
            process = Process(before + code, environment, tmp_path)
        if not wait:
            return process
        out, err = process.communicate()
        assert process.returncode == 0, err[-3000:]
        slow = ("compiling what", "compiled in")  # messages on a busy machine
        return out.strip(), "".join(line for line in err.splitlines(True) if not any(text in line for text in slow))

    return use


def kept(tmp_path):
    """The complete files of the cache."""
    return sorted(path for path in (tmp_path / "cache").rglob("*") if path.suffix in (".program", ".translation"))


# ---------------------------------------------------------------- files
@whole_programs
def test_code_is_found_by_the_content_of_the_sources(place, tmp_path):
    assert place(started=True) == (MADE, "")
    assert [path.suffix for path in kept(tmp_path)].count(".program") == 1 and len(kept(tmp_path)) == 3
    assert place(started=True) == (FOUND, "")
    assert place(before=READ_ONLY) == (FOUND, "")
    new_program = USE.replace("sum_of_squares(3, 4)", "square(5)")
    assert place(new_program)[0] == "25 0 1"  # it uses the translations in the files
    # a second clone, or a second environment
    shutil.copytree(cache.PACKAGE, tmp_path / "clone" / "carnegie_env", symlinks=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "squares.py").write_text(SQUARES)
    os.utime(tmp_path / "elsewhere" / "squares.py", (1, 1))
    where = "import carnegie_env; assert 'clone' in carnegie_env.__file__;"
    found, _ = place(where + USE, source=tmp_path / "elsewhere", package=tmp_path / "clone")
    assert found == FOUND
    (tmp_path / "code" / "squares.py").write_text(SQUARES.replace("a * a", "a * a + 1"))
    assert place()[0] == "27 2 1"


@whole_programs
def test_damaged_files_are_silently_made_again(place, tmp_path):
    assert place()[0] == MADE
    for damage in (
        lambda content: b"", lambda content: content[: len(content) // 2],
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: cache.MAGIC + cache.hashlib.sha256(b"no pickle").digest() + b"no pickle",
    ):  # fmt: skip
        for path in kept(tmp_path):
            path.write_bytes(damage(path.read_bytes()))
        assert place() == (MADE, "")
    assert place() == (FOUND, "")


@whole_programs
def test_a_full_disk_causes_one_message(place, tmp_path):
    out, err = place(before=DISK_FULL)
    assert out == MADE
    assert err.startswith("carnegie_env: ") and err.count("\n") == 1 and "No space left on device" in err
    assert str(tmp_path / "cache") in err and "CARNEGIE_ENV_CACHE" in err
    left = [path.name for folder in ("cache", "tmp") for path in (tmp_path / folder).rglob("*") if path.is_file()]
    assert left == ["lock"]  # no incomplete files
    assert place(before=DISK_FULL, CARNEGIE_ENV_QUIET="1") == (MADE, "")


@whole_programs
def test_without_any_writable_folder_there_is_one_message(place):
    out, err = place(before=READ_ONLY + "import tempfile; os.environ.pop('HOME', None);", CARNEGIE_ENV_CACHE="/none")
    assert out == MADE and err.startswith("carnegie_env: ") and err.count("\n") == 1


@whole_programs
def test_the_temporary_folder_is_the_second_choice(place, tmp_path):
    (tmp_path / "cache").write_text("a file, not a folder")
    assert place() == (MADE, "")
    assert place() == (FOUND, "")
    assert len(list((tmp_path / "tmp").rglob("*.program"))) == 1


@whole_programs
def test_several_processes_start_at_once(place, tmp_path):
    running, found = [place(wait=False, CARNEGIE_ENV_QUIET="1") for _ in range(3)], []
    for process in running:
        out, err = process.communicate()
        assert process.returncode == 0 and err == ""
        found.append(out.strip())
    assert sorted(found) == sorted([MADE, FOUND, FOUND])  # two wait for the third
    assert len(kept(tmp_path)) == 3 and not list((tmp_path / "cache").rglob("*.part"))
    assert place() == (FOUND, "")


# ---------------------------------------------------------------- untrusted folders
@whole_programs
def test_a_cache_that_others_can_write_to_is_not_used(place, tmp_path):
    assert place()[0] == MADE
    (tmp_path / "cache" / "carnegie_env").chmod(0o777)
    assert place()[0] == MADE  # into the temporary folder
    assert place()[0] == FOUND
    assert len(list((tmp_path / "tmp").rglob("*.program"))) == 1


@whole_programs
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_cache_of_another_user_is_not_used(place, tmp_path):
    assert place()[0] == MADE
    for path in (tmp_path / "cache" / "carnegie_env", *(tmp_path / "cache" / "carnegie_env").iterdir()):
        os.chown(path, 12345, 12345)
    out, err = place(TMPDIR=str(tmp_path / "none"), before="import tempfile; tempfile.tempdir = '/proc';")
    assert out == MADE and "belongs to another user" in err


def test_without_a_home_and_a_temporary_folder(monkeypatch):
    monkeypatch.setattr(cache.config, "CACHE_DIR", "")
    for name in ("CARNEGIE_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: (_ for _ in ()).throw(FileNotFoundError()))
    assert cache._bases() == []
    monkeypatch.setattr(tempfile, "gettempdir", os.getcwd)
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    assert cache._bases() == []  # Python's last resort, the current folder, is not used


# ---------------------------------------------------------------- the folder
@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with one rule and one table instead of the real one."""
    folder = tmp_path / "package"
    (folder / "rules").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "rules" / "rule.py").write_text("A = 1\n")
    (folder / "facts.toml").write_text("a = 1\n")
    for module in (cache, sources):
        monkeypatch.setattr(module, "PACKAGE", folder)
    for name in ("CARNEGIE_ENV_FACTS", "CARNEGIE_CHECK", "CARNEGIE_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_every_edit_of_a_source_or_a_table_gives_a_new_folder(package, tmp_path, monkeypatch):
    own = tmp_path / "own"
    own.mkdir()
    changes = (
        lambda: None,
        lambda: (package / "rules" / "rule.py").write_text("A = 2\n"),
        lambda: (package / "facts.toml").write_text("a = 2\n"),
        lambda: (package / "rules" / "another.py").write_text(""),
        lambda: (package / "rules" / "another.py").rename(package / "rules" / "renamed.py"),
        lambda: [(own / "board.toml").write_text("b = 1\n"), monkeypatch.setenv("CARNEGIE_ENV_FACTS", str(own))],
        lambda: (own / "board.toml").write_text("b = 2\n"),
        lambda: monkeypatch.setenv("CARNEGIE_ENV_FACTS", str(own / "board.toml")),
        lambda: monkeypatch.setenv("CARNEGIE_CHECK", "1"),
        lambda: monkeypatch.setattr(cache.config, "BOUNDSCHECK", 1),
    )
    seen = {cache.source_hash() for change in changes if [change()]}
    assert len(seen) == len(changes) - 1  # a folder with one file and the file itself are the same tables


def test_files_without_compiled_functions_do_not_count(package):
    before = cache.source_hash()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "rule.py").write_text("")
    (package / "rules" / "notes.md").write_text("")
    for name in sources.NEVER_COMPILED:
        (package / name).mkdir()
        (package / name / "code.py").write_text("")
    assert cache.source_hash() == before


def test_never_compiled_folders_have_no_compiled_functions():
    for name in set(sources.NEVER_COMPILED) - {"engine"}:  # which uses Numba as a build tool
        for file in (cache.PACKAGE / name).rglob("*.py"):
            assert not re.search(r"^\s*@(jit|njit|numba)|import numba|core\.jit", file.read_text(), re.MULTILINE), file


def test_the_choice_of_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(cache.config, "CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CARNEGIE_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache._bases()[0] == tmp_path / ".cache" / "carnegie_env"
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


@whole_programs
def test_translations_of_two_processes_that_do_not_fit_are_made_again(place, tmp_path):
    """A translation calls functions by names that differ between processes; workers that start at once can mix them."""
    place()
    shift = "import numba\nfor k in range(3): numba.njit(lambda x: x + 1)(k)\n"
    place(before=shift, CARNEGIE_ENV_CACHE=str(tmp_path / "other"))
    kept = {file.name: file for file in (tmp_path / "cache").rglob("*.translation")}
    for file in (tmp_path / "other").rglob("*.translation"):
        if "sum_of_squares" in file.name:
            shutil.copy(file, kept[file.name])  # caller and callee are now from different processes
    for program in (tmp_path / "cache").rglob("*.program"):
        program.unlink()
    assert place()[0] == "25 1 1"  # the caller was compiled again


@whole_programs
def test_a_program_depends_on_the_functions_of_other_packages_in_it(place, tmp_path):
    """As training loops contain functions of agents."""
    for name, source in (("one", "A = 1\n"), ("two", "from one.rule import add\n")):
        (tmp_path / "code" / name).mkdir()
        (tmp_path / "code" / name / "__init__.py").write_text("")
        begin = f"from carnegie_env.core.jit import jit\n{source}\n@jit\n"
        (tmp_path / "code" / name / "rule.py").write_text(
            begin + ("def add(a):\n    return a + A\n" if name == "one" else "def twice(a):\n    return 2 * add(a)\n")
        )
    use = "from two.rule import *; from carnegie_env.core.programs import made; print(twice(3), *made.values())"
    assert place(use)[0] == "8 2 1"
    assert place(use)[0] == "8 0 0"
    rule = tmp_path / "code" / "one" / "rule.py"
    rule.write_text(rule.read_text().replace("A = 1", "A = 50"))  # longer, because Python checks seconds and lengths
    assert place(use)[0].startswith("106 ") and place(use)[0] == "106 0 0"


@whole_programs
def test_a_program_with_an_array_expression_is_kept(place, tmp_path):
    """Numba makes a function for the expression, which is in no module."""
    begin = "from carnegie_env.core.jit import jit\n@jit\n"
    (tmp_path / "code" / "terms.py").write_text(begin + "def add(a, b):\n    return (a + b * b).sum()\n")
    use = "import numpy as np; from terms import add; from carnegie_env.core.programs import made\n"
    use += "print(add(np.ones(3), np.ones(3)), made['programs'])"
    assert place(use)[0] == "6.0 1"
    assert place(use)[0] == "6.0 0"


def test_without_numbas_internals_functions_are_compiled_one_by_one(place):
    missing = "import sys; sys.modules['carnegie_env.core.programs'] = None;"  # an ImportError
    out, err = place("from squares import *; print(sum_of_squares(3, 4))", before=missing)
    assert out == "25" and err.startswith("carnegie_env: ") and err.count("\n") == 1 and "three times as long" in err
    assert place("from squares import *", before=missing, CARNEGIE_ENV_QUIET="1") == ("", "")


@pytest.mark.parametrize("numba_is", ["", UNTESTED])
def test_edited_rules_of_another_package_are_compiled_again(place, tmp_path, numba_is):
    """The core's loops contain the rules of the toy game, however they are compiled."""
    toy = tmp_path / "toys" / "toy" / "game.py"
    shutil.copytree(cache.PACKAGE.parent / "tests" / "toy", toy.parent, ignore=shutil.ignore_patterns("__pycache__"))
    play = """
from toy.game import Position
position = Position.new(seed=1)
while not position.is_over:
    position.apply(position.legal_actions()[-1])
print(position.scores())
"""

    def use():
        """The scores, and whether anything was compiled."""
        before = set((tmp_path / "cache").rglob("*"))
        found, err = place(play, before=numba_is, source=tmp_path / "toys")
        slower = [line for line in err.splitlines() if "three times as long" in line]
        assert len(slower) == (compiling.programs is None or numba_is != "")
        others = set(err.splitlines()) - set(slower)  # on a busy computer, that something is compiled
        assert all(line.startswith("carnegie_env: compil") for line in others)
        return found, set((tmp_path / "cache").rglob("*")) > before

    assert use() == ("[9, 9]", True)
    assert use() == ("[9, 9]", False)
    rules, old = toy.read_text(), "game.won[row] += points\n"
    assert rules.count(old) == 1
    toy.write_text(rules.replace(old, "game.won[row] += 2 * points\n"))
    assert use() == ("[18, 18]", True)
    toy.write_text(rules)
    assert use()[0] == "[9, 9]"
