"""Options that are whole numbers and switches: a dataclass that validates itself by its declarations.

::

    @dataclasses.dataclass(frozen=True)
    class Options(BaseOptions):
        num_players: int = whole(2, 1, 5)
        show_forced: bool = False
        rounds: int = whole(3, 1, 9)

A game with other kinds of options, or with options that exclude each other, checks these in its own `__post_init__`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from reprlib import repr as shown  # short for any value
from typing import Any, ClassVar, Self

from carnegie_env.core.arguments import switch, unexpected
from carnegie_env.core.facts import FIRST_EDITION
from carnegie_env.core.validation import whole_number


def whole(default: int, least: int, most: int) -> Any:
    """An option that is a whole number from ``least`` to ``most``."""
    return dataclasses.field(default=default, metadata={"least": least, "most": most})


@dataclasses.dataclass(frozen=True)
class BaseOptions:
    """Options as fields: whole numbers declared with :func:`whole`, and switches with a default of True or False.

    They are the arguments of every interface. NumPy's integers and bools are converted to Python's.

    Attributes:
        SOLO_ONLY: names of options that exist only at tables of one.

    Raises:
        ValueError: an invalid value; the message says what is allowed.
    """

    num_players: int
    SOLO_ONLY: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def loaded_edition(cls) -> str:
        """The edition of the component tables that this process plays with; see :class:`~.facts.Edition`."""
        return FIRST_EDITION

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, bool):
                checked: int = switch(field.name, value)
            else:
                checked = whole_number(field.name, value, field.metadata["least"], field.metadata["most"])
            object.__setattr__(self, field.name, checked)  # the class is frozen

    @classmethod
    def from_dict(cls, values: dict[str, Any], *, also: Sequence[str] = ()) -> Self:
        """Create options from keyword values.

        Args:
            values: options by name; the others have their defaults. `edition` names the edition of the component
                tables, which must be the one that this process has loaded.
            also: further arguments of the caller, which an error lists with the options.

        Raises:
            UnexpectedArgument: an unknown name.
            ValueError: an invalid value.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        given = dict(values)
        if (edition := given.pop("edition", None)) is not None:
            cls.check_edition(edition)
        for name in given:
            if name not in known:
                raise unexpected(name, (*known, "edition", *also))
        return cls(**given)

    @classmethod
    def check_edition(cls, edition: Any) -> None:
        """Refuse an edition of the component tables other than the loaded one."""
        if edition != (loaded := cls.loaded_edition()):
            raise ValueError(
                f"edition must be {loaded!r}, the one that this process has loaded, not {shown(edition)}; the "
                "environment variable CARNEGIE_ENV_FACTS, or --facts, names another edition or a folder of tables"
            )

    @classmethod
    def choices(cls, *, solo: bool = False) -> dict[str, tuple[str, ...]]:
        """The options with named values, and these values; `modules` lists the switches that it turns on.

        Args:
            solo: list the values that are allowed at a table of one.
        """
        return {}

    def to_dict(self) -> dict[str, Any]:
        """All options by name, in JSON types."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
