"""The settings of a trainer: a dataclass whose fields declare their meanings and ranges."""

from __future__ import annotations

from typing import get_args, get_type_hints

MOST = 10**9
SHARE, PERCENTAGE = (0, 1), (0, 100)  # ranges


class Settings:
    """The base of these dataclasses; a field is `Annotated[int, text]` or `Annotated[float, text, (least, most)]`.

    Raises:
        ValueError: a setting is out of its range; without one, whole numbers are 1 or more, others 0 or more.
    """

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            kind, _, *ranges = get_args(hint)
            least, most = ranges[0] if ranges else (1 if kind is int else 0, MOST)
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} must be {least} to {most:,}, not {getattr(self, name)}")
