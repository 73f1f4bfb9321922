"""Hashes of the sources that the library of compiled loops is built from.

It imports nothing else of the package: hatch_build.py runs this file alone.
"""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]
# Folders of the package without a compiled function.
NEVER_COMPILED = (
    "arena",
    "benchmark",
    "bots",
    "cli",
    "engine",
    "envs",
    "mcp",
    "render",
    "review",
    "text",
    "web",
    "workers",
)


def hash_files(digest: Any, root: Path, files: Any) -> None:
    """Add names and contents of files to a digest."""
    for file in sorted(files):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)


def source_files(folder: Path, without: tuple[str, ...] = ()) -> list[Path]:
    """The sources and component tables below a folder."""
    found = []
    for path, folders, files in os.walk(folder):
        skipped = ("__pycache__", *without, *(NEVER_COMPILED if folder == PACKAGE else ()))
        folders[:] = [name for name in folders if not name.startswith(".") and name not in skipped]
        found += [Path(path, name) for name in files if name.endswith((".py", ".toml"))]
    return found


def sources() -> str:
    """A hash of all sources that the library is built from."""
    digest = hashlib.sha256()
    hash_files(digest, PACKAGE, source_files(PACKAGE, without=("agents",)))
    hash_files(digest, PACKAGE, source_files(PACKAGE / "agents"))
    return digest.hexdigest()


@functools.cache
def training_sources() -> str:
    """The same for training/, which is not installed with the package; "" where it is missing."""
    folder = PACKAGE.parent / "training"
    digest = hashlib.sha256()
    files = source_files(folder, without=("recipes",))
    hash_files(digest, folder, files)
    return digest.hexdigest() if files else ""
