"""The parts that the referees of all games share."""

from types import ModuleType
from typing import Any, Self


class BaseReferee:
    """One game. Positions are the dictionaries of docs/design.md, actions its texts."""

    position: ModuleType  # the referee's module of this name, which reads and writes positions
    _game: Any

    @classmethod
    def from_dict(cls, d: dict) -> Self:
        """A game from what `to_dict` gave: at a decision, or over."""
        referee = cls.__new__(cls)
        referee._game = cls.position.from_dict(d)
        return referee

    def to_dict(self) -> dict:
        return self.position.to_dict(self._game)

    to_play: int | None = property(lambda self: self._game.to_play)
    phase: str = property(lambda self: self._game.phase)
    round: int = property(lambda self: self._game.round)
