"""Atomic writes of one or several files, leftovers, and the lock of a folder."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from carnegie_env.core import files
from tests.commands import completed


def no_space(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", "/dev/somewhere/temporary")


def test_writing_and_overwriting_a_file(tmp_path: Path) -> None:
    file = tmp_path / "f.txt"
    files.write_whole(file, "old")
    files.write_whole(str(file), b"new\n\xff")
    assert file.read_bytes() == b"new\n\xff"
    with pytest.raises(TypeError, match="text or bytes, not int"):
        files.write_whole(file, 3)  # type: ignore[arg-type]
    assert file.read_bytes() == b"new\n\xff" and os.listdir(tmp_path) == ["f.txt"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_mode_follows_the_umask_or_the_old_file(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        files.write_whole(tmp_path / "new", "x")
        files.write_whole(tmp_path / "old", "x")
        (tmp_path / "old").chmod(0o640)
        files.write_whole(tmp_path / "old", "y")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == mode
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    for text in ("one", "two"):
        files.write_whole(tmp_path / "link", text)
        assert (tmp_path / "link").is_symlink() and (tmp_path / "there" / "file").read_text() == text
    assert os.listdir(tmp_path / "there") == ["file"]


@pytest.mark.parametrize("step", ["write", "fsync", "replace", "open", "chmod"])
def test_a_failed_write_leaves_only_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    file = tmp_path / "f.txt"
    files.write_whole(file, "old")
    if step == "write":
        monkeypatch.setattr(os, "fdopen", no_space)
    else:
        monkeypatch.setattr(os, step, no_space)
    with pytest.raises(OSError, match="No space") as error:
        files.write_whole(file, "new")
    monkeypatch.undo()
    assert error.value.filename == str(file) and error.value.errno == errno.ENOSPC
    assert file.read_text() == "old" and os.listdir(tmp_path) == ["f.txt"]


@pytest.mark.parametrize(
    ("name", "kind"), [("folder", errno.EISDIR), ("fifo", errno.EINVAL), ("no/file", errno.ENOENT)]
)
def test_the_error_for_a_path_that_is_not_a_file(tmp_path: Path, name: str, kind: int) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError) as error:
        files.write_whole(tmp_path / name, "x")
    assert error.value.errno == kind and error.value.filename == str(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["fifo", "folder"]


LIMITED = """
import resource, signal, sys
from carnegie_env.core import files
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    files.write_together(sys.argv[1], {"a": "new", "b": b"x" * 20_000})
except OSError as error:
    print(error.filename, error.strerror)
files.write_together(sys.argv[1], {"a": "newer", "b": "newer"})
"""


def test_a_limit_of_the_system_on_the_size_of_files(tmp_path: Path) -> None:
    files.write_together(tmp_path, {"a": "old", "b": "old"})
    done = completed("-c", LIMITED, tmp_path)
    assert done.stderr == "" and done.stdout == f"{tmp_path / 'b'} File too large\n"
    assert [(tmp_path / name).read_text() for name in "ab"] == ["newer"] * 2
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


class Killed(BaseException):
    """The process ends here."""


def state(folder: Path) -> set[str]:
    return {(folder / name).read_text() if (folder / name).exists() else "" for name in "abc"}


@pytest.mark.parametrize("moment", range(40))
def test_files_written_together_are_all_old_or_all_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """If the process is killed before any system call, the next start finds all files old or all new."""
    left, dead = [moment], []

    def counted(name: str):
        original = getattr(os, name)

        def call(*arguments: object, **keywords: object) -> object:
            if dead:  # a dead process cleans nothing up
                raise Killed
            if left[0] == 0:
                dead.append(True)
                raise Killed
            left[0] -= 1
            return original(*arguments, **keywords)

        return call

    files.write_together(tmp_path, dict.fromkeys("abc", "old"))
    for name in ("open", "fsync", "replace", "unlink"):
        monkeypatch.setattr(os, name, counted(name))
    ended = False
    try:
        files.write_together(tmp_path, dict.fromkeys("abc", "new"))
        ended = True
    except Killed:
        pass
    monkeypatch.undo()
    files.finish(tmp_path)
    files.remove_leftovers(tmp_path)
    assert state(tmp_path) in ({"old"}, {"new"}) and (not ended or state(tmp_path) == {"new"})
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]
    assert moment < 39 or ended  # the moments cover the whole call


def test_a_link_among_files_written_together_becomes_a_file(tmp_path: Path) -> None:
    """All temporary files are in the folder, where :func:`files.finish` looks for them."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "there").write_text("old")
    (tmp_path / "folder" / "a").symlink_to(tmp_path / "there")
    files.write_together(tmp_path / "folder", dict.fromkeys("abc", "new"))
    assert state(tmp_path / "folder") == {"new"} and not (tmp_path / "folder" / "a").is_symlink()
    assert (tmp_path / "there").read_text() == "old" and sorted(os.listdir(tmp_path)) == ["folder", "there"]


def test_only_leftovers_are_removed(tmp_path: Path) -> None:
    kept = {".hidden", "a.tmp", ".a.tmp", "model.zip", ".x.0123.tmp"}
    for name in (*kept, ".model.zip.0123456789abcdef.tmp", ".a b.ffffffffffffffff.tmp"):
        (tmp_path / name).write_text("")
    files.remove_leftovers(tmp_path)
    assert set(os.listdir(tmp_path)) == kept


@pytest.mark.parametrize("note", ["", "[", "[1]", '{"a": 1}', '{"a": "../a"}', '{"a": ".b.0123456789abcdef.tmp"}',
                                  '{"../a": ".../a.0123456789abcdef.tmp"}'])  # fmt: skip
def test_a_damaged_note_is_refused(tmp_path: Path, note: str) -> None:
    (tmp_path / files.AGREED).write_text(note)
    with pytest.raises(ValueError, match="is damaged"):
        files.finish(tmp_path)


def test_a_lock_excludes_others_and_ends_with_its_process(tmp_path: Path) -> None:
    held = "import sys, time; from carnegie_env.core.files import lock\n"
    held += "with lock(sys.argv[1]):\n    print('held', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", held, str(tmp_path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError) as error, files.lock(tmp_path):
            pass
        assert error.value.filename == str(tmp_path)
        holder.kill()
    with files.lock(tmp_path), pytest.raises(BlockingIOError), files.lock(tmp_path):
        pass
    assert os.listdir(tmp_path) == []


def test_a_lock_knows_whether_its_folder_is_still_there(tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other"
    folder.mkdir()
    with files.lock(folder) as check:
        check()
        folder.rename(other)
        with pytest.raises(FileNotFoundError) as error:
            check()
        assert error.value.filename == str(folder)
        folder.mkdir()
        with pytest.raises(OSError, match="another folder has taken its place"):
            check()
        folder.rmdir()
        other.rename(folder)
        check()
