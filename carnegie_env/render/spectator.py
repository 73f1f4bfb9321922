"""The picture that a spectator sees: public information only."""

from __future__ import annotations

from typing import Any

from carnegie_env.core import information


def picture(position: Any, theme: str = "light") -> str:
    """The board as SVG text for a spectator.

    Where a decision is secret, its legal actions may depend on what the player has chosen before. There the hidden
    information is sampled, so the marked actions are those of the sample.

    Args:
        position: the game; it is not changed.
        theme: as in ``Position.to_svg``.

    Raises:
        ValueError: as in ``Position.to_svg``.
    """
    if position.game.phase_is_secret(position.record):
        position = information.as_seen(position, information.WATCHER)
    shown: str = position.to_svg(theme=theme)
    return shown
