"""What happens at a table, as lines of text: who decided what, and what came of it."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from collections.abc import Iterable, Sequence

from carnegie_env.core import telling
from carnegie_env.core.game import Game
from carnegie_env.core.telling import Step

_CHANGE = re.compile(r"(.*?)(\S+) -> (\S+)")  # as in `goods 2 -> 4`


@dataclasses.dataclass(frozen=True)
class Phrase:
    """A few words, what changed by it, and how many times in a row it came.

    Args:
        words: as in `build chicago space 2`.
        changes: as in `$12 -> $9`.
        times: how often.
    """

    words: str
    changes: tuple[str, ...] = ()
    times: int = 1

    def followed_by(self, other: Phrase) -> Phrase | None:
        """Both in one, if they say the same and the changes of one go on from those of the other; else None."""
        if self.words != other.words or len(self.changes) != len(other.changes):
            return None
        together = []
        for one, two in zip(self.changes, other.changes, strict=True):
            first, second = _CHANGE.fullmatch(one), _CHANGE.fullmatch(two)
            if first is None or second is None or first[1] != second[1] or first[3] != second[2]:
                return None
            together.append(f"{first[1]}{first[2]} -> {second[3]}")
        return Phrase(self.words, tuple(together), self.times + other.times)

    def __str__(self) -> str:
        notes = ([f"{self.times} times"] if self.times > 1 else []) + list(self.changes)
        return f"{self.words} ({', '.join(notes)})" if notes else self.words


def phrases(game: Game, step: Step, seat: int | None) -> list[tuple[str, Phrase]]:
    """What a seat sees happen in a step: who did it, a side's name or "" for the table, and what.

    Args:
        game: which game.
        step: of ``core.telling.steps``.
        seat: who is told; None: somebody who only watches. What others decide in secret is not told.

    Returns:
        First the decision, with what came of it for who took it; not if it is secret and followed by itself.
    """
    name = f"player_{step.seat}"
    told = telling.tell(game, step, seat)
    number = next((k for k, (who, _) in enumerate(told) if who != name), len(told))  # first what is his own
    notes = [words for _, words in told[:number]]
    secret = None if step.seat == seat else game.secret_phases.get(game.phase(step.before))
    if secret is not None:  # that he had no choice is secret, too: it says what he has chosen before
        decided = [] if step.forced and not notes else [(name, Phrase(secret, tuple(notes)))]
    else:
        decided = [(name, Phrase(game.texts[step.action], tuple(["forced", *notes] if step.forced else notes)))]
    return [*decided, *((who, Phrase(words)) for who, words in told[number:])]


def joined(told: Iterable[tuple[str, Phrase]]) -> list[tuple[str, Phrase]]:
    """The same, phrases in a row that say the same of the same one put together."""
    found: list[tuple[str, Phrase]] = []
    for who, phrase in told:
        together = found[-1][1].followed_by(phrase) if found and who and found[-1][0] == who else None
        found[-1:] = [*found[-1:], (who, phrase)] if together is None else [(who, together)]
    return found


class Story:
    """The lines that people at some seats have not read yet.

    Decisions of one side in a row stand in one line, each with what it changed for him behind it in brackets.

    Args:
        game: which game.
        people: the seats of those who read. What others decide in secret is not told.
    """

    def __init__(self, game: Game, people: set[int]) -> None:
        self._game = game
        self._people = people
        self._lines: list[tuple[str, list[Phrase]]] = []  # who, "" for the table, and what

    def add(self, steps: Sequence[Step], typed: str | None = None) -> None:
        """Tell a decision and what followed.

        Args:
            steps: of ``core.telling.steps``.
            typed: what the person wrote who took it; None if no person did. What he knows he is not told again.
        """
        for step in steps:
            viewer = step.seat if step.seat in self._people else min(self._people)
            told = phrases(self._game, step, viewer)
            if told and told[0][1] == Phrase(typed or ""):  # he knows
                del told[0]
            for who, phrase in told:
                self._say(who, phrase)

    def _say(self, who: str, phrase: Phrase) -> None:
        if not who or not self._lines or self._lines[-1][0] != who:
            self._lines.append((who, [phrase]))
            return
        said = self._lines[-1][1]
        together = said[-1].followed_by(phrase)
        said[-1:] = [said[-1], phrase] if together is None else [together]

    def read(self, width: int, *, whole: bool = True) -> list[str]:
        """The lines since this was last asked; they are not given again.

        Args:
            width: columns.
            whole: the last line, too; else it waits for what its side may still do.
        """
        number = len(self._lines) if whole else max(len(self._lines) - 1, 0)
        lines, self._lines = self._lines[:number], self._lines[number:]
        return [line for who, said in lines for line in _wrapped(who, ", ".join(map(str, said)), width)]

    def forget(self) -> None:
        """Drop what has not been read: it was taken back."""
        self._lines = []


def _wrapped(who: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(f"{who}: {text}" if who else text, width, subsequent_indent="    ", break_on_hyphens=False)
