"""The switches of a game: one name for each, the same in every interface."""

from __future__ import annotations

import dataclasses
from reprlib import repr as shown  # a short one, whatever is given
from typing import Any

from carnegie_env.carnegie import tables as t

TIMELINE_TILES = ("columns", "rows")
MODULES = tuple(t.SOLO_MODULES)  # of expansion 1


@dataclasses.dataclass(frozen=True)
class Options:
    """How a game is set up.

    Args:
        num_players: 1 (solo against Andrew) to 4.
        difficulty: solo only: "beginner", "normal" (the default there), "difficult" or "expert".
        timeline_tiles: "columns" or "rows": how the four timeline tiles are dealt (ruling 7).
        show_forced: hand out decisions with one legal action, too, instead of playing them.
        new_start: expansion 1: sealed sheets for the starting resources and the first player.
        new_departments: expansion 1: the tiles 17-32; four of the eight different tiles of each type are drawn.
        new_donations: expansion 1: tiles that cover panels of the donation table; not in solo.
        diverse_setup: expansion 1: one copy of each of the 32 department tiles.
        wait: expansion 1: the first player may take his turn last; not in solo.
        secret_donation: expansion 1: each player's hidden donation; not in solo.

    Raises:
        ValueError: a value or a combination that does not exist; the message says what would be right.
    """

    num_players: int = 2
    difficulty: str | None = None
    timeline_tiles: str = "columns"
    show_forced: bool = False
    new_start: bool = False
    new_departments: bool = False
    new_donations: bool = False
    diverse_setup: bool = False
    wait: bool = False
    secret_donation: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.num_players, bool) or not isinstance(self.num_players, int):
            raise ValueError(f"num_players must be an int from 1 to 4, not {shown(self.num_players)}")
        if not 1 <= self.num_players <= 4:
            raise ValueError(f"num_players must be 1 (solo) to 4, not {self.num_players}")
        if self.num_players == 1:
            if self.difficulty is None:
                object.__setattr__(self, "difficulty", "normal")
            if not isinstance(self.difficulty, str) or self.difficulty not in t.DIFFICULTIES:
                raise ValueError(f"difficulty must be one of {', '.join(t.DIFFICULTIES)}, not {shown(self.difficulty)}")
        elif self.difficulty is not None:
            raise ValueError(
                f"difficulty is Andrew's, for num_players=1; got difficulty={shown(self.difficulty)}, "
                f"num_players={self.num_players}"
            )
        if not isinstance(self.timeline_tiles, str) or self.timeline_tiles not in TIMELINE_TILES:
            names = ", ".join(TIMELINE_TILES)
            raise ValueError(f"timeline_tiles must be one of {names}, not {shown(self.timeline_tiles)}")
        for name in ("show_forced", *MODULES):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, not {shown(getattr(self, name))}")
        for name in self.modules if self.solo else ():
            if not t.SOLO_MODULES[name]:
                raise ValueError(
                    f"{name} does not go with the solo game (num_players=1); the modules that do are "
                    + ", ".join(module for module, fits in t.SOLO_MODULES.items() if fits)
                )

    @property
    def solo(self) -> bool:
        """True for the game against Andrew."""
        return self.num_players == 1

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of expansion 1 that are on; with any on, the spaces have their larger size."""
        return tuple(name for name in MODULES if getattr(self, name))

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


def modules_named(names: str, *, solo: bool) -> dict[str, bool]:
    """The options that turn modules on, as a command line names them.

    Args:
        names: with commas between; or "all": all that go with the game.
        solo: whether that is the solo game.

    Raises:
        ValueError: a module that does not exist.
    """
    if names == "all":
        return {module: True for module, fits in t.SOLO_MODULES.items() if fits or not solo}
    chosen = [name.strip() for name in names.split(",")]
    for name in chosen:
        if name not in MODULES:
            raise ValueError(f"there is no module {shown(name)}; there are {', '.join(MODULES)}, or all")
    return dict.fromkeys(chosen, True)
