"""The files of the project: which of them a check looks at, and of which commit they are."""

from __future__ import annotations

import dataclasses
import fnmatch
import hashlib
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Scope:
    """The files that a check depends on: what came of it holds as long as they are the same.

    Args:
        name: of the scope.
        files: patterns of paths from the root; a star stands for folders, too.
        without: patterns of those that are none.
        used: those of them that are, all the same.
    """

    name: str
    files: tuple[str, ...]
    without: tuple[str, ...] = ()
    used: tuple[str, ...] = ()

    def has(self, path: str) -> bool:
        """Whether a file, by its path from the root, is one of them."""
        return path in self.used or (_fits(path, self.files) and not _fits(path, self.without))

    def digest(self) -> str:
        """A digest of their names and contents as they are now; new files that git does not ignore count."""
        total = hashlib.sha256()
        for name in filter(self.has, names()):
            content = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"gone"
            total.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
        return total.hexdigest()[:16]


def _fits(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


_ENGINE = ("carnegie_env/*", "tests/*", "Makefile", "pyproject.toml", "constraints.txt")
# The checks that look at all, and this program, are none of what the engine is checked with.
_OTHERS = ("*.md", "tests/browser/*", "tests/clients/*", "tests/nightly/*", "tests/ray/*")
# The rules, what is checked against them, and what says how: nothing of agents/, training/ and the documents is used
# (a test imports all of it and looks), and of the tests only what `verify` plays Steel Driver with.
ENGINE = Scope("engine", _ENGINE, (*_OTHERS, "*/test_*.py"), ("tests/steel_driver/test_lockstep.py",))
# The same with the tests, which find the mutants.
TESTED = Scope("engine and tests", _ENGINE, _OTHERS)
CODE = Scope("code", ("*",), ("*.md", "docs/*", "notebooks/*"))
# What came of the checks does not make them be done again: the files of `--keep`, which are of no other use.
KEPT = ("docs/project/nightly.json", "docs/project/nightly.md")
ALL = Scope("all", ("*",), KEPT)
SCOPES = (ENGINE, TESTED, CODE, ALL)


def git(*words: str) -> str | None:
    """What git says; None outside of a repository."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8")
    return done.stdout.strip() if done.returncode == 0 else None


def names() -> list[str]:
    """All files that belong to the project, in order: tracked ones and new ones that git does not ignore."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is not None:
        return sorted({*listed.split("\0")} - {""})
    skipped = {"runs", "__pycache__", "dist", "build"}
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return sorted(str(path) for path in found if not skipped & {*path.parts} and not path.parts[0].startswith("."))


def commit() -> str:
    """The commit at hand, and whether something of the tree is not the commit's."""
    found = git("rev-parse", "--short=12", "HEAD")
    if found is None:
        return f"no repository, tree {ALL.digest()}"
    return f"{found}, changed" if git("status", "--porcelain") else found
