"""The versions that results, runs and datasets were made with."""

from __future__ import annotations

import contextlib
import platform
from importlib import metadata

import carnegie_env


def versions(*packages: str) -> dict[str, str]:
    """Versions by name: this package, Python, NumPy, Numba (if it is installed), and the given packages.

    Raises:
        importlib.metadata.PackageNotFoundError: a package is not installed.
    """
    found = {"carnegie_env": carnegie_env.__version__, "python": platform.python_version()}
    with contextlib.suppress(metadata.PackageNotFoundError):  # it is not needed where the library serves
        found["numba"] = metadata.version("numba")
    return found | {name: metadata.version(name) for name in ("numpy", *packages)}
