"""The log: what happens in a game, decision by decision, in words, as a seat sees it.

:func:`steps` takes one decision apart: the decision, then every forced one that the rules play after it. :func:`tell`
says what came of each, :func:`phrases` says the decision as well, and a :class:`Log` makes lines of text.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from carnegie_env.core import events, kernels
from carnegie_env.core.events import Event, Line
from carnegie_env.core.game import Game
from carnegie_env.core.position import BasePosition
from carnegie_env.core.records import as_bytes

_CHANGE = re.compile(r"(.*?)(\S+) -> (\S+)")  # as in `goods 2 -> 4`


@dataclasses.dataclass(frozen=True)
class Step:
    """A decision with what the rules do up to the next one.

    Args:
        seat: that decided.
        action: the number of the action taken.
        forced: it was the only legal one, and the rules played it.
        before, after: the records (``numpy.record``), copies.
    """

    seat: int
    action: int
    forced: bool
    before: Any
    after: Any

    @functools.cached_property
    def events(self) -> list[Event]:
        """What happened, in order."""
        return events.of_decision(self.before, self.action, self.after)


def steps(position: BasePosition[Any], action: str | int) -> list[Step]:
    """What one decision brings about; the position is left as it is.

    Args:
        position: a game that is not over.
        action: as ``position.apply`` takes it.

    Returns:
        The decision, then the forced ones in order; the last one's ``after`` is the record that ``apply`` leads to.

    Raises:
        ValueError: not a legal action.
    """
    game, number = position.game, position.number(action)
    games = as_bytes(position.games).copy().view(game.record)
    shown, decisions = games["show_forced"].copy(), games["decisions"] + 1
    mask = np.empty((1, game.num_actions(position.options)), np.int8)
    found: list[Step] = []
    while True:
        before = games.copy()
        games["show_forced"] = 1  # so that the rules stop at each
        kernels.step(games, np.array([number], np.int64))
        games["show_forced"], games["decisions"] = shown, decisions  # forced ones are not counted
        after = games.copy()
        found.append(Step(int(before[0].to_play), number, bool(found), before[0], after[0]))
        kernels.byte_masks(games, mask)
        if shown[0] or mask.sum() != 1:
            return found
        number = int(mask.argmax())


def tell(game: Game, step: Step, seat: int | None) -> list[Line]:
    """What a seat (None: a spectator) sees happen in a step, in order.

    Returns:
        Whose it is, the name of a side or "" for the table, and a few words. As ``Presentation.tell`` says, or, without
        it, the single numbers of the seat's observation that changed; nothing for a spectator.
    """
    if game.presentation.tell is not None:
        return game.presentation.tell(step, seat)
    if seat is None:
        return []
    layout = game.layout(game.codec.options_of(step.after))
    rows = np.empty((2, layout.size), np.float32)
    kernels.observe(np.array([step.before, step.after], game.record), np.full(2, seat, np.int64), rows)
    old, new = (np.rint(row / layout.units).astype(int) for row in rows)
    counted = [feature for feature in layout.values() if not feature.axes and feature.most > 1]
    changed = [f"{f.name} {old[f.start]} -> {new[f.start]}" for f in counted if old[f.start] != new[f.start]]
    return [("", ", ".join(changed))] if changed else []


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
    """What a seat sees happen in a step: whose it is, a side's name or "" for the table, and what.

    Args:
        game: which game.
        step: see :func:`steps`.
        seat: whose view; None: a spectator's. What others decide in secret is not told.

    Returns:
        First the decision, with what came of it for the seat that took it; not if it is secret and followed by itself.
    """
    name = f"player_{step.seat}"
    told = tell(game, step, seat)
    number = next((k for k, (who, _) in enumerate(told) if who != name), len(told))  # first its own
    notes = [words for _, words in told[:number]]
    secret = None if step.seat == seat else game.presentation.secret_phases.get(game.phase(step.before))
    if secret is not None:  # that there was no choice is secret as well: it tells the choices before
        decided = [] if step.forced and not notes else [(name, Phrase(secret, tuple(notes)))]
    else:
        words = game.wording(step.before, step.action)
        decided = [(name, Phrase(words, tuple(["forced", *notes] if step.forced else notes)))]
    return [*decided, *((who, Phrase(words)) for who, words in told[number:])]


def joined(told: Iterable[tuple[str, Phrase]]) -> list[tuple[str, Phrase]]:
    """The same, phrases in a row that say the same of the same one put together."""
    found: list[tuple[str, Phrase]] = []
    for who, phrase in told:
        together = found[-1][1].followed_by(phrase) if found and who and found[-1][0] == who else None
        found[-1:] = [*found[-1:], (who, phrase)] if together is None else [(who, together)]
    return found


class Log:
    """The lines that people at some seats have not read yet.

    Decisions of one side in a row stand in one line, each followed by what it changed for that side in brackets.

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
            steps: of :func:`steps`.
            typed: what the person typed that took it; None if no person did. The same words are not told again.
        """
        for step in steps:
            viewer = step.seat if step.seat in self._people else min(self._people)
            told = phrases(self._game, step, viewer)
            known = (self._game.texts[step.action], self._game.wording(step.before, step.action))
            if told and typed in known and told[0][1] == Phrase(known[1]):
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
            whole: with the last line; else it waits for what its side may still do.
        """
        number = len(self._lines) if whole else max(len(self._lines) - 1, 0)
        lines, self._lines = self._lines[:number], self._lines[number:]
        return [line for who, said in lines for line in _wrapped(who, ", ".join(map(str, said)), width)]

    def forget(self) -> None:
        """Drop what has not been read: it was taken back."""
        self._lines = []


def _wrapped(who: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(f"{who}: {text}" if who else text, width, subsequent_indent="    ", break_on_hyphens=False)
