"""The switches of a game: one name for each, the same in every interface.

The component tables are loaded when the first options are made, not when this module is imported: a command line knows
the names before it knows whose tables to load.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from reprlib import repr as shown  # a short one, whatever is given
from typing import Any, ClassVar, Self

import numpy as np

from carnegie_env.core.arguments import switch
from carnegie_env.core.options import BaseOptions, whole
from carnegie_env.core.validation import whole_number

TIMELINE_TILES = ("columns", "rows")


def _module() -> Any:
    """A field of options: a module of expansion 1, off by default."""
    return dataclasses.field(default=False, metadata={"module": True})


@dataclasses.dataclass(frozen=True)
class Options(BaseOptions):
    """How a game is set up.

    Args:
        num_players: 1 (solo against Andrew) to 4.
        difficulty: solo games only: "beginner", "normal" (default), "difficult" or "expert".
        timeline_tiles: "rows" or "columns": how the four timeline tiles are dealt (ruling 7).
        show_forced: present decisions with one legal action instead of playing them; a lone `pass` is always
            played.
        new_start: expansion 1: sealed sheets for the starting resources and the first player.
        new_departments: expansion 1: the tiles 17-32; four of the eight different tiles of each type are drawn.
        new_donations: expansion 1: tiles that cover panels of the donation table; not in solo.
        diverse_setup: expansion 1: one copy of each of the 32 department tiles.
        wait: expansion 1: the first player may take the last turn of a round instead; not in solo.
        secret_donation: expansion 1: each player chooses one donation secretly; not in solo.

    Every interface also takes, through :meth:`from_dict`, in place of single switches:
        modules: modules of expansion 1: comma-separated names, or "all": every one that fits the number of players.
        edition: of the component tables; only the loaded one.

    NumPy's integers and bools are accepted.

    Raises:
        ValueError: a value or a combination that does not exist; the message says what would be right.
    """

    SOLO_ONLY: ClassVar[tuple[str, ...]] = ("difficulty",)

    num_players: int = whole(2, 1, 4)
    difficulty: str | None = None
    timeline_tiles: str = "rows"
    show_forced: bool = False
    new_start: bool = _module()
    new_departments: bool = _module()
    new_donations: bool = _module()
    diverse_setup: bool = _module()
    wait: bool = _module()
    secret_donation: bool = _module()

    def __post_init__(self) -> None:
        from carnegie_env.carnegie import tables as t

        self._set("num_players", whole_number("num_players", self.num_players, 1, 4))
        if self.solo:
            self._set("difficulty", "normal" if self.difficulty is None else self.difficulty)
            _check_choice("difficulty", self.difficulty, t.DIFFICULTIES)
        elif self.difficulty is not None:
            raise ValueError(
                f"difficulty applies only to the solo game (num_players=1); got difficulty={shown(self.difficulty)}, "
                f"num_players={self.num_players}"
            )
        _check_choice("timeline_tiles", self.timeline_tiles, TIMELINE_TILES)
        for name in ("show_forced", *MODULES):
            self._set(name, switch(name, getattr(self, name)))
        fitting = _all_modules(solo=self.solo)
        for name in self.modules:
            if name not in fitting:
                raise ValueError(
                    f"{name} is not available in the solo game (num_players=1); the available modules are "
                    + ", ".join(fitting)
                )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)  # the class is frozen

    @property
    def solo(self) -> bool:
        """True for the game against Andrew."""
        return self.num_players == 1

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of expansion 1 that are on; with any of them the spaces have their larger size."""
        return tuple(name for name in MODULES if getattr(self, name))

    @property
    def new_tiles(self) -> bool:
        """Whether expansion 1's department tiles are in the game."""
        return any(getattr(self, name) for name in BRING_NEW_TILES)

    @classmethod
    def from_dict(cls, values: dict[str, Any], *, also: Sequence[str] = ()) -> Self:
        """Make options from keyword values.

        Args:
            values: options by name, and `modules`: "all" (that go with the number of players), names with commas
                between, or a sequence of names to switch on.
            also: names of the caller's other arguments; an error lists them with the options.

        Raises:
            UnexpectedArgument: a name that does not exist.
            ValueError: a value or a combination that does not exist; a module that `modules` turns on and its own
                switch off.
        """
        switches = dict(values)
        modules = switches.pop("modules", None)
        if modules is not None:
            players = switches.get("num_players", cls.num_players)
            for name in _module_names(modules, solo=isinstance(players, int | np.integer) and players == 1):
                if not switch(name, switches.setdefault(name, True)):
                    raise ValueError(f"modules={shown(modules)} turns {name} on, but {name}=False turns it off")
        return super().from_dict(switches, also=("modules", *also))

    @classmethod
    def loaded_edition(cls) -> str:
        from carnegie_env.carnegie import tables

        return tables.FACTS.name

    @classmethod
    def choices(cls, *, solo: bool = False) -> dict[str, tuple[str, ...]]:
        """The options with named values, with these values (``solo``: the modules that go with the solo game)."""
        from carnegie_env.carnegie import tables as t

        modules = tuple(_all_modules(solo=solo))
        return {"difficulty": tuple(t.DIFFICULTIES), "timeline_tiles": TIMELINE_TILES, "modules": modules}


BRING_NEW_TILES = ("new_departments", "diverse_setup")  # modules
MODULES = tuple(field.name for field in dataclasses.fields(Options) if "module" in field.metadata)  # of expansion 1


def _check_choice(name: str, value: Any, known: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, not {shown(value)}")


def _all_modules(*, solo: bool) -> list[str]:
    """The modules that go with a game."""
    from carnegie_env.carnegie import tables as t

    return [name for name in MODULES if t.SOLO_MODULES[name] or not solo]


def _module_names(modules: str | Iterable[str], *, solo: bool) -> list[str]:
    """The modules named by the option `modules`; a ValueError for one that does not exist."""
    if isinstance(modules, str):
        if modules == "all":
            return _all_modules(solo=solo)
        chosen = [name.strip() for name in modules.split(",")]
    elif isinstance(modules, list | tuple | set | frozenset):
        chosen = list(modules)
    else:
        raise ValueError(f'modules must be "all", comma-separated names or a list of names, not {shown(modules)}')
    for name in chosen:
        if isinstance(name, str) and name == "all":
            raise ValueError("among modules, all stands by itself: it means every module that goes with the players")
        if not isinstance(name, str) or name not in MODULES:
            raise ValueError(f"there is no module {shown(name)}; there are {', '.join(MODULES)}, or all")
    return chosen
