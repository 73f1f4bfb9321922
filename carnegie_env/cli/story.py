"""What happens at a table, as lines of text: who decided what, and what came of it."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from collections.abc import Sequence
from typing import Any

_CHANGE = re.compile(r"(.*?)(\S+) -> (\S+)")  # as in `goods 2 -> 4`


@dataclasses.dataclass(frozen=True)
class _Phrase:
    """A few words, what changed by it, and how many times in a row it came."""

    words: str
    changes: tuple[str, ...] = ()
    times: int = 1

    def followed_by(self, other: _Phrase) -> _Phrase | None:
        """Both in one, if they say the same and the changes of one go on from those of the other; else None."""
        if self.words != other.words or len(self.changes) != len(other.changes):
            return None
        together = []
        for one, two in zip(self.changes, other.changes, strict=True):
            first, second = _CHANGE.fullmatch(one), _CHANGE.fullmatch(two)
            if first is None or second is None or first[1] != second[1] or first[3] != second[2]:
                return None
            together.append(f"{first[1]}{first[2]} -> {second[3]}")
        return _Phrase(self.words, tuple(together), self.times + other.times)

    def __str__(self) -> str:
        notes = ([f"{self.times} times"] if self.times > 1 else []) + list(self.changes)
        return f"{self.words} ({', '.join(notes)})" if notes else self.words


class Story:
    """The lines that people at some seats have not read yet.

    Decisions of one side in a row stand in one line, each with what it changed for him behind it in brackets.

    Args:
        game: which game.
        people: the seats of those who read. What others decide in secret is not told.
    """

    def __init__(self, game: Any, people: set[int]) -> None:
        self._game = game
        self._people = people
        self._lines: list[tuple[str, list[_Phrase]]] = []  # who, "" for the table, and what

    def add(self, steps: Sequence[Any], typed: str | None = None) -> None:
        """Tell a decision and what followed.

        Args:
            steps: of ``core.telling.steps``.
            typed: what the person wrote who took it; None if no person did. What he knows he is not told again.
        """
        from carnegie_env.core import telling

        for step in steps:
            viewer = step.seat if step.seat in self._people else min(self._people)
            seat, text = f"player_{step.seat}", self._game.texts[step.action]
            told = telling.tell(self._game, step, viewer)
            number = next((k for k, (who, _) in enumerate(told) if who != seat), len(told))  # first what is his own
            notes = (["forced"] if step.forced else []) + [words for _, words in told[:number]]
            if notes or text != typed:
                self._say(seat, _Phrase(self._seen(step, text), tuple(notes)))
            for who, words in told[number:]:
                self._say(who, _Phrase(words))

    def _seen(self, step: Any, text: str) -> str:
        secret: str | None = self._game.secret_phases.get(self._game.phase(step.before))
        return text if secret is None or step.seat in self._people else secret

    def _say(self, who: str, phrase: _Phrase) -> None:
        if not who or not self._lines or self._lines[-1][0] != who:
            self._lines.append((who, [phrase]))
            return
        phrases = self._lines[-1][1]
        together = phrases[-1].followed_by(phrase)
        phrases[-1:] = [phrases[-1], phrase] if together is None else [together]

    def read(self, width: int, *, whole: bool = True) -> list[str]:
        """The lines since this was last asked; they are not given again.

        Args:
            width: columns.
            whole: the last line, too; else it waits for what its side may still do.
        """
        number = len(self._lines) if whole else max(len(self._lines) - 1, 0)
        lines, self._lines = self._lines[:number], self._lines[number:]
        return [line for who, phrases in lines for line in _wrapped(who, ", ".join(map(str, phrases)), width)]

    def forget(self) -> None:
        """Drop what has not been read: it was taken back."""
        self._lines = []


def _wrapped(who: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(f"{who}: {text}" if who else text, width, subsequent_indent="    ", break_on_hyphens=False)
