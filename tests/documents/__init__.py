"""Tests of the documents: tables generated from the code, examples, commands, links, language, and the site."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def pages() -> list[Path]:
    """All Markdown files of the project."""
    found = [path for folder in (".", "agents/weights", ".github") for path in (ROOT / folder).glob("*.md")]
    return sorted([*found, *(ROOT / "docs").rglob("*.md")])


def listed() -> set[str] | None:
    """The Markdown files that git tracks, relative to the root; None without git."""
    done = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, encoding="utf-8")
    return None if done.returncode else set(done.stdout.split())
