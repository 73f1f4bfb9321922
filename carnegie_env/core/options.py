"""Options of a game whose choices are whole numbers and switches: a dataclass that checks itself by its declaration.

::

    @dataclasses.dataclass(frozen=True)
    class Options(BaseOptions):
        num_players: int = whole(2, 1, 5)
        show_forced: bool = False
        rounds: int = whole(3, 1, 9)

A game with other kinds of options, or with some that exclude each other, checks these in its own `__post_init__`, or
has a class of its own: see :class:`carnegie_env.core.game.GameOptions`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from carnegie_env.core.arguments import switch, unexpected
from carnegie_env.core.validation import whole_number


def whole(default: int, least: int, most: int) -> Any:
    """A field of options: a whole number from ``least`` to ``most``."""
    return dataclasses.field(default=default, metadata={"least": least, "most": most})


@dataclasses.dataclass(frozen=True)
class BaseOptions:
    """Options as fields: whole numbers made by :func:`whole`, and switches, with True or False as default.

    NumPy's integers and bools are taken as Python's.

    Raises:
        ValueError: a value that does not exist; the message says what would be right.
    """

    SOLO_ONLY: ClassVar[tuple[str, ...]] = ()

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
        """Make options from keyword values.

        Args:
            values: options by name; those that are not there have their defaults.
            also: names of arguments that the caller has besides; an error lists them with the options.

        Raises:
            UnexpectedArgument: a name that does not exist.
            ValueError: a value that does not exist.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for name in values:
            if name not in known:
                raise unexpected(name, (*known, *also))
        return cls(**values)

    @classmethod
    def choices(cls, *, solo: bool = False) -> dict[str, tuple[str, ...]]:
        """See :class:`carnegie_env.core.game.GameOptions`: there are none with named values."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """All options by name, in JSON types."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
