"""The switches of a game: one name for each, the same in every interface."""

from __future__ import annotations

import dataclasses

from carnegie_env.core.options import BaseOptions, whole


@dataclasses.dataclass(frozen=True)
class Options(BaseOptions):
    """How a game is set up.

    Args:
        num_players: 3 to 6.
        show_forced: present decisions with one legal action instead of playing them; a lone `pass` is always
            played.
    """

    num_players: int = whole(4, 3, 6)
    show_forced: bool = False

    @classmethod
    def loaded_edition(cls) -> str:
        from carnegie_env.steel_driver import tables

        return tables.FACTS.name
