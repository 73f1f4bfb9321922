"""Tests of the documents: tables generated from the code, examples, commands, links, language, and the site."""

import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT


def pages() -> list[Path]:
    """All Markdown files of the project."""
    found = [path for folder in (".", "agents/weights", ".github") for path in (ROOT / folder).glob("*.md")]
    return sorted([*found, *(ROOT / "docs").rglob("*.md")])


EACH_PAGE = pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())


def listed() -> set[str] | None:
    """The Markdown files that git tracks, relative to the root; None without git."""
    done = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, encoding="utf-8")
    return None if done.returncode else set(done.stdout.split())
