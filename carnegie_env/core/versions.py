"""What results were made with: files of results, runs and datasets say it."""

from __future__ import annotations

import platform
from importlib import metadata

import carnegie_env


def versions(*packages: str) -> dict[str, str]:
    """Versions by name: this package, Python, NumPy, Numba, and other packages that are asked for.

    Raises:
        importlib.metadata.PackageNotFoundError: one is not installed.
    """
    found = {"carnegie_env": carnegie_env.__version__, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in ("numpy", "numba", *packages)}
