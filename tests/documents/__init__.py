"""The documents: tables made from the code, examples that run, links that lead somewhere, and the site of them all."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def pages() -> list[Path]:
    """All Markdown files of the project: those beside the README, the site's, and those of the networks."""
    found = [path for folder in (".", "agents/weights", ".github") for path in (ROOT / folder).glob("*.md")]
    return sorted([*found, *(ROOT / "docs").rglob("*.md")])


def listed() -> set[str] | None:
    """The Markdown files that git knows, from the root; None where there is no git."""
    done = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, encoding="utf-8")
    return None if done.returncode else set(done.stdout.split())
