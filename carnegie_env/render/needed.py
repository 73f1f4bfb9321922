"""The error for pictures without their packages."""

from __future__ import annotations


class PicturesNotInstalled(ModuleNotFoundError):
    """A package that draws or shows pictures is not there; the message names the extra."""

    def __init__(self, name: str) -> None:
        wanted = f"pictures need more packages: pip install 'carnegie_env[pictures]' ({name} is not installed)"
        super().__init__(wanted, name=name)
