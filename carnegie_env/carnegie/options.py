"""The switches of a game: one name for each, the same in every interface."""

from __future__ import annotations

import dataclasses
from reprlib import repr as shown  # a short one, whatever is given
from typing import Any

from carnegie_env.carnegie import tables as t

TIMELINE_TILES = ("columns", "rows")


@dataclasses.dataclass(frozen=True)
class Options:
    """How a game is set up.

    Args:
        num_players: 1 (solo against Andrew) to 4.
        difficulty: solo only: "beginner", "normal" (the default there), "difficult" or "expert".
        timeline_tiles: "columns" or "rows": how the four timeline tiles are dealt (ruling 7).
        show_forced: hand out decisions with one legal action, too, instead of playing them.

    Raises:
        ValueError: a value or a combination that does not exist; the message says what would be right.
    """

    num_players: int = 2
    difficulty: str | None = None
    timeline_tiles: str = "columns"
    show_forced: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.num_players, bool) or not isinstance(self.num_players, int):
            raise ValueError(f"num_players must be an int from 1 to 4, not {shown(self.num_players)}")
        if not 1 <= self.num_players <= 4:
            raise ValueError(f"num_players must be 1 (solo) to 4, not {self.num_players}")
        if self.num_players == 1:
            if self.difficulty is None:
                object.__setattr__(self, "difficulty", "normal")
            if self.difficulty not in t.DIFFICULTIES:
                raise ValueError(f"difficulty must be one of {', '.join(t.DIFFICULTIES)}, not {shown(self.difficulty)}")
        elif self.difficulty is not None:
            raise ValueError(
                f"difficulty is Andrew's, for num_players=1; got difficulty={shown(self.difficulty)}, "
                f"num_players={self.num_players}"
            )
        if self.timeline_tiles not in TIMELINE_TILES:
            names = ", ".join(TIMELINE_TILES)
            raise ValueError(f"timeline_tiles must be one of {names}, not {shown(self.timeline_tiles)}")
        if not isinstance(self.show_forced, bool):
            raise ValueError(f"show_forced must be True or False, not {shown(self.show_forced)}")

    @property
    def solo(self) -> bool:
        """True for the game against Andrew."""
        return self.num_players == 1

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Options:
        """Make options from keyword values; an unknown name is a ValueError that lists the known ones."""
        known = [field.name for field in dataclasses.fields(cls)]
        for name in values:
            if name not in known:
                raise ValueError(f"unknown option {shown(name)}; the options are {', '.join(known)}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """All options by name, in JSON types."""
        return dataclasses.asdict(self)
