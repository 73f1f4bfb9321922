"""The switches of a game: one name for each, the same in every interface.

The component tables are loaded when the first options are made, not when this module is imported: a command line knows
the names before it knows whose tables to load.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from reprlib import repr as shown  # a short one, whatever is given
from typing import Any, ClassVar

import numpy as np

from carnegie_env.core.arguments import switch, unexpected

TIMELINE_TILES = ("columns", "rows")
_MODULE = {"module": True}  # marks a field as a module of expansion 1


@dataclasses.dataclass(frozen=True)
class Options:
    """How a game is set up.

    Args:
        num_players: 1 (solo against Andrew) to 4.
        difficulty: solo only: "beginner", "normal" (the default there), "difficult" or "expert".
        timeline_tiles: "rows" or "columns": how the four timeline tiles are dealt (ruling 7).
        show_forced: present decisions with one legal action instead of playing them.
        new_start: expansion 1: sealed sheets for the starting resources and the first player.
        new_departments: expansion 1: the tiles 17-32; four of the eight different tiles of each type are drawn.
        new_donations: expansion 1: tiles that cover panels of the donation table; not in solo.
        diverse_setup: expansion 1: one copy of each of the 32 department tiles.
        wait: expansion 1: the first player may take his turn last; not in solo.
        secret_donation: expansion 1: each player's hidden donation; not in solo.

    Every interface also takes, through :meth:`from_dict`, in place of single switches:
        modules: of expansion 1: their names with commas between, or "all" that go with the players.

    NumPy's integers and bools are taken as Python's.

    Raises:
        ValueError: a value or a combination that does not exist; the message says what would be right.
    """

    SOLO_ONLY: ClassVar[tuple[str, ...]] = ("difficulty",)

    num_players: int = dataclasses.field(default=2, metadata={"least": 1, "most": 4})
    difficulty: str | None = None
    timeline_tiles: str = "rows"
    show_forced: bool = False
    new_start: bool = dataclasses.field(default=False, metadata=_MODULE)
    new_departments: bool = dataclasses.field(default=False, metadata=_MODULE)
    new_donations: bool = dataclasses.field(default=False, metadata=_MODULE)
    diverse_setup: bool = dataclasses.field(default=False, metadata=_MODULE)
    wait: bool = dataclasses.field(default=False, metadata=_MODULE)
    secret_donation: bool = dataclasses.field(default=False, metadata=_MODULE)

    def __post_init__(self) -> None:
        from carnegie_env.carnegie import tables as t

        if isinstance(self.num_players, bool) or not isinstance(self.num_players, int | np.integer):
            raise ValueError(f"num_players must be an int from 1 to 4, not {shown(self.num_players)}")
        self._set("num_players", int(self.num_players))
        if not 1 <= self.num_players <= 4:
            raise ValueError(f"num_players must be 1 (solo) to 4, not {self.num_players}")
        if self.num_players == 1:
            if self.difficulty is None:
                self._set("difficulty", "normal")
            _check_choice("difficulty", self.difficulty, t.DIFFICULTIES)
        elif self.difficulty is not None:
            raise ValueError(
                f"difficulty is Andrew's, for num_players=1; got difficulty={shown(self.difficulty)}, "
                f"num_players={self.num_players}"
            )
        _check_choice("timeline_tiles", self.timeline_tiles, TIMELINE_TILES)
        for name in ("show_forced", *MODULES):
            self._set(name, switch(name, getattr(self, name)))
        for name in self.modules if self.solo else ():
            if not t.SOLO_MODULES[name]:
                raise ValueError(
                    f"{name} does not go with the solo game (num_players=1); the modules that do are "
                    + ", ".join(_all_modules(solo=True))
                )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)  # the class is frozen

    @property
    def solo(self) -> bool:
        """True for the game against Andrew."""
        return self.num_players == 1

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of expansion 1 that are on; with any on, the spaces have their larger size."""
        return tuple(name for name in MODULES if getattr(self, name))

    @property
    def new_tiles(self) -> bool:
        """Whether expansion 1's department tiles are in the game."""
        return any(getattr(self, name) for name in BRING_NEW_TILES)

    @classmethod
    def from_dict(cls, values: dict[str, Any], *, also: Sequence[str] = ()) -> Options:
        """Make options from keyword values.

        Args:
            values: options by name. Beside the fields of this class `modules`: "all" (that go with the players), names
                with commas between, or a sequence of names; those are switched on.
            also: names of arguments that the caller has besides; an error lists them with the options.

        Raises:
            UnexpectedArgument: a name that does not exist.
            ValueError: a value or a combination that does not exist; a module that `modules` names and its own switch
                turns off.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for name in values:
            if name not in known and name != "modules":
                raise unexpected(name, (*known, "modules", *also))
        switches = dict(values)
        modules = switches.pop("modules", None)
        if modules is not None:
            players = switches.get("num_players", cls.num_players)
            for name in _module_names(modules, solo=isinstance(players, int | np.integer) and players == 1):
                if not switch(name, switches.setdefault(name, True)):
                    raise ValueError(f"modules={shown(modules)} turns {name} on, but {name}=False turns it off")
        return cls(**switches)

    @classmethod
    def choices(cls, *, solo: bool = False) -> dict[str, tuple[str, ...]]:
        """By name, the options with named values, and these (``solo``: those that go with a table of one)."""
        from carnegie_env.carnegie import tables as t

        modules = tuple(_all_modules(solo=solo))
        return {"difficulty": tuple(t.DIFFICULTIES), "timeline_tiles": TIMELINE_TILES, "modules": modules}

    def to_dict(self) -> dict[str, Any]:
        """All options by name, in JSON types."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


BRING_NEW_TILES = ("new_departments", "diverse_setup")  # the modules that do
MODULES = tuple(field.name for field in dataclasses.fields(Options) if "module" in field.metadata)  # of expansion 1


def _check_choice(name: str, value: Any, known: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, not {shown(value)}")


def _all_modules(*, solo: bool) -> list[str]:
    """The modules that go with a game."""
    from carnegie_env.carnegie import tables as t

    return [name for name in MODULES if t.SOLO_MODULES[name] or not solo]


def _module_names(modules: str | Iterable[str], *, solo: bool) -> list[str]:
    """The modules that an option `modules` means; a ValueError for one that does not exist."""
    if isinstance(modules, str):
        if modules == "all":
            return _all_modules(solo=solo)
        chosen = [name.strip() for name in modules.split(",")]
    elif isinstance(modules, list | tuple | set | frozenset):
        chosen = list(modules)
    else:
        raise ValueError(f'modules must be "all", names with commas between or a list of names, not {shown(modules)}')
    for name in chosen:
        if isinstance(name, str) and name == "all":
            raise ValueError("among modules, all stands by itself: it means every one that goes with the players")
        if not isinstance(name, str) or name not in MODULES:
            raise ValueError(f"there is no module {shown(name)}; there are {', '.join(MODULES)}, or all")
    return chosen
