"""The error for pictures without the packages they need."""

from __future__ import annotations


class PicturesNotInstalled(ModuleNotFoundError):
    """A package for pictures is not installed; the message names the extra."""

    def __init__(self, name: str) -> None:
        wanted = f"pictures need more packages: pip install 'carnegie_env[pictures]' ({name} is not installed)"
        super().__init__(wanted, name=name)
