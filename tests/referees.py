"""The parts that the referees of all games share."""

import marshal
from types import ModuleType
from typing import Any, Self


def copied(d: dict) -> dict:
    """A copy of a position's dictionary, many times as fast as `copy.deepcopy`."""
    return marshal.loads(marshal.dumps(d))


class BaseReferee:
    """One game. Positions are the dictionaries of docs/design.md, actions its texts."""

    position: ModuleType  # the referee's module of this name, which reads and writes positions, without copies
    _game: Any

    @classmethod
    def from_dict(cls, d: dict) -> Self:
        """A game from what `to_dict` gave: at a decision, or over."""
        referee = cls.__new__(cls)
        referee._game = cls.position.from_dict(copied(d))
        return referee

    def to_dict(self) -> dict:
        return copied(self.position.to_dict(self._game))

    to_play: int | None = property(lambda self: self._game.to_play)
    phase: str = property(lambda self: self._game.phase)
    round: int = property(lambda self: self._game.round)
