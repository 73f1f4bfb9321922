"""What happens at a table, as lines of text: who decided what, and what came of it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any


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
        self._lines: list[tuple[str, list[str]]] = []  # who, "" for the table, and phrases

    def add(self, steps: Sequence[Any], typed: str | None = None) -> None:
        """Tell a decision and what followed.

        Args:
            steps: of ``core.telling.steps``.
            typed: what the person wrote who took it; None if no person did. What he knows he is not told again.
        """
        from carnegie_env.core import telling

        for step in steps:
            viewer = step.seat if step.seat in self._people else min(self._people)
            seat = f"player_{step.seat}"
            told = telling.tell(self._game, step, viewer)
            number = next((k for k, (who, _) in enumerate(told) if who != seat), len(told))  # first what is his own
            own = [words for _, words in told[:number]]
            notes = "; ".join((["forced"] if step.forced else []) + ([", ".join(own)] if own else []))
            if notes or self._game.texts[step.action] != typed:
                self._say(seat, self._decision(step) + (f" ({notes})" if notes else ""))
            for who, words in told[number:]:
                self._say(who, words)

    def _decision(self, step: Any) -> str:
        secret: str | None = self._game.secret_phases.get(self._game.phase(step.before))
        text: str = self._game.texts[step.action]
        return text if secret is None or step.seat in self._people else secret

    def _say(self, who: str, words: str) -> None:
        if who and self._lines and self._lines[-1][0] == who:
            self._lines[-1][1].append(words)
        else:
            self._lines.append((who, [words]))

    def read(self, width: int, *, whole: bool = True) -> list[str]:
        """The lines since this was last asked; they are not given again.

        Args:
            width: columns.
            whole: the last line, too; else it waits for what its side may still do.
        """
        number = len(self._lines) - (0 if whole else 1)
        lines, self._lines = self._lines[: max(number, 0)], self._lines[max(number, 0) :]
        return [line for who, phrases in lines for line in _wrapped(who, phrases, width)]

    def forget(self) -> None:
        """Drop what has not been read: it was taken back."""
        self._lines = []


def _wrapped(who: str, phrases: list[str], width: int) -> list[str]:
    counted: list[tuple[str, int]] = []
    for phrase in phrases:  # the same thing several times in a row is said once
        if counted and counted[-1][0] == phrase:
            counted[-1] = phrase, counted[-1][1] + 1
        else:
            counted.append((phrase, 1))
    text = ", ".join(phrase if number == 1 else f"{phrase} ({number} times)" for phrase, number in counted)
    return textwrap.wrap(f"{who}: {text}" if who else text, width, subsequent_indent="    ", break_on_hyphens=False)
