"""Where compiled code is kept, what makes it new, and the two bit operations."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carnegie_env.core import jit as module
from carnegie_env.core.jit import jit, popcount, trailing_zeros

COMPILES = not numba.config.DISABLE_JIT
needs_compiler = pytest.mark.skipif(not COMPILES, reason="NUMBA_DISABLE_JIT is set")


# ---------------------------------------------------------------- bit operations
@jit
def both_bits(word):
    return popcount(word), trailing_zeros(word)


@given(st.integers(0, 2**64 - 1))
def test_bit_operations_compiled_and_not(word):
    bits = f"{word:064b}"
    expected = (bits.count("1"), 64 - len(bits.rstrip("0")) if word else 64)
    if word:
        expected = (expected[0], len(bits) - len(bits.rstrip("0")))
    assert (popcount(word), trailing_zeros(word)) == expected
    assert (popcount(np.uint64(word)), trailing_zeros(np.uint64(word))) == expected
    assert both_bits(np.uint64(word)) == expected
    signed = np.uint64(word).astype(np.int64)
    assert both_bits(signed) == (popcount(signed), trailing_zeros(signed)) == expected


@pytest.mark.parametrize(("value", "expected"), [(np.int8(6), (2, 1)), (np.int32(0), (0, 64)), (np.int16(256), (1, 8))])
def test_bit_operations_on_small_integers(value, expected):
    assert both_bits(value) == (popcount(value), trailing_zeros(value)) == expected


# ---------------------------------------------------------------- the decorator
@needs_compiler
def test_jit_compiles_releases_the_lock_and_leaves_the_settings_alone():
    before = numba.config.CACHE_DIR

    @jit
    def add(a, b):
        return a + b

    @jit(inline="always", cache=False)
    def twice(a):
        return 2 * a

    assert add(2, 3) == 5 and twice(4) == 8
    assert add.targetoptions["nogil"] and twice.targetoptions["nogil"]
    assert numba.config.CACHE_DIR == before


@needs_compiler
def test_a_function_without_a_file_can_be_compiled():
    space: dict = {"jit": jit}
    exec("@jit\ndef thrice(a):\n    return 3 * a\n", space)
    assert space["thrice"](5) == 15


@needs_compiler
def test_compiled_code_is_kept_under_the_hash_of_its_sources(tmp_path, monkeypatch):
    file = tmp_path / "kept_outside_the_package.py"
    file.write_text("from carnegie_env.core.jit import jit\n\n\n@jit\ndef square(a):\n    return a * a\n")
    cache = tmp_path / "cache"
    code = "from carnegie_env.core.jit import cache_folder\nfrom kept_outside_the_package import square\n"
    code += "square(3)\nprint(cache_folder(), sum(square.stats.cache_hits.values()))"
    path = os.pathsep.join([str(tmp_path), str(Path(module.PACKAGE).parent)])
    environment = os.environ | {"CARNEGIE_ENV_CACHE": str(cache), "PYTHONPATH": path}
    environment.pop("CARNEGIE_CHECK", None)
    found = []
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr[-2000:]
        found.append(run.stdout.split())
    assert found[0][0] == found[1][0] == str(cache / "carnegie_env" / Path(found[0][0]).name)
    assert [hits for _, hits in found] == ["0", "1"]
    assert list(cache.rglob("kept_outside*.nbc"))


def test_without_compilation_the_function_itself_is_left():
    code = "from carnegie_env.core.jit import jit\nf = lambda a: a\nprint(jit(f) is f, jit(inline='always')(f) is f)"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(module.PACKAGE).parent)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert run.stdout.split() == ["True", "True"], run.stderr[-2000:]


# ---------------------------------------------------------------- the folder
@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one rule and one table in place of the real one."""
    folder = tmp_path / "package"
    (folder / "rules").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "rules" / "rule.py").write_text("A = 1\n")
    (folder / "facts.toml").write_text("a = 1\n")
    monkeypatch.setattr(module, "PACKAGE", folder)
    for name in ("CARNEGIE_ENV_FACTS", "CARNEGIE_CHECK", "CARNEGIE_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_every_edit_of_a_source_or_a_table_gives_a_new_folder(package, tmp_path, monkeypatch):
    seen = {module.source_hash()}
    assert module.source_hash() in seen
    (package / "rules" / "rule.py").write_text("A = 2\n")
    seen.add(module.source_hash())
    (package / "facts.toml").write_text("a = 2\n")
    seen.add(module.source_hash())
    (package / "rules" / "another.py").write_text("")
    seen.add(module.source_hash())
    (package / "rules" / "another.py").rename(package / "rules" / "renamed.py")
    seen.add(module.source_hash())
    own = tmp_path / "own"
    own.mkdir()
    (own / "board.toml").write_text("b = 1\n")
    monkeypatch.setenv("CARNEGIE_ENV_FACTS", str(own))
    seen.add(module.source_hash())
    (own / "board.toml").write_text("b = 2\n")
    seen.add(module.source_hash())
    monkeypatch.setenv("CARNEGIE_ENV_FACTS", str(own / "board.toml"))
    (own / "board.toml").write_text("b = 3\n")
    seen.add(module.source_hash())
    monkeypatch.setenv("CARNEGIE_CHECK", "1")
    seen.add(module.source_hash())
    monkeypatch.setattr(module.config, "BOUNDSCHECK", 1)
    seen.add(module.source_hash())
    assert len(seen) == 10 and all(len(name) == 16 for name in seen)


def test_what_is_compiled_nowhere_does_not_count(package):
    before = module.source_hash()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "rule.py").write_text("")
    (package / "rules" / "notes.md").write_text("")
    for name in module.NEVER_COMPILED:
        (package / name).mkdir()
        (package / name / "code.py").write_text("")
    assert module.source_hash() == before


@pytest.mark.parametrize("name", module.NEVER_COMPILED)
def test_what_is_said_to_be_compiled_nowhere_is_not(name):
    """An edit there keeps the compiled code, so no compiled function may stand there."""
    files = list((module.PACKAGE / name).rglob("*.py"))
    assert files
    for file in files:
        assert not re.search(r"^\s*@(jit|njit|numba)|import numba|core\.jit", file.read_text(), re.MULTILINE), file


def test_where_the_folder_is(tmp_path, monkeypatch):
    monkeypatch.setattr(module.config, "CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CARNEGIE_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert module._cache_bases()[0] == tmp_path / "home" / ".cache" / "carnegie_env"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert module._cache_bases()[0] == tmp_path / "xdg" / "carnegie_env"
    monkeypatch.setattr(module.config, "CACHE_DIR", str(tmp_path / "numba"))
    assert module._cache_bases()[0] == tmp_path / "numba" / "carnegie_env"
    monkeypatch.setenv("CARNEGIE_ENV_CACHE", str(tmp_path / "own"))
    assert module._cache_bases()[0] == tmp_path / "own" / "carnegie_env"


def test_a_folder_that_cannot_be_written_is_passed_over(package, tmp_path, monkeypatch):
    blocked, other = tmp_path / "blocked", tmp_path / "other"
    blocked.write_text("a file, not a folder")
    monkeypatch.setattr(module, "_cache_bases", lambda: [blocked / "carnegie_env", other])
    module.cache_folder.cache_clear()
    try:
        assert module.cache_folder() == other / module.source_hash()
    finally:
        module.cache_folder.cache_clear()


def test_only_the_newest_folders_are_kept(tmp_path):
    for k in range(module.KEEP + 4):
        folder = tmp_path / f"{k:016x}"
        folder.mkdir()
        (folder / "code.nbc").write_text("")
        os.utime(folder, (1000 + k, 1000 + k))
    (tmp_path / "something else").mkdir()
    os.utime(tmp_path / "something else", (1, 1))
    module._delete_old(tmp_path)
    kept = {folder.name for folder in tmp_path.iterdir()}
    assert kept == {f"{k:016x}" for k in range(4, module.KEEP + 4)} | {"something else"}
