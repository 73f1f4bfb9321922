"""The versions that results, runs and datasets were made with."""

from __future__ import annotations

import platform
from importlib import metadata

import carnegie_env


def versions(*packages: str) -> dict[str, str]:
    """Versions by name: this package, Python, NumPy, Numba, and the given packages.

    Raises:
        importlib.metadata.PackageNotFoundError: a package is not installed.
    """
    found = {"carnegie_env": carnegie_env.__version__, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in ("numpy", "numba", *packages)}
