"""The log: a game in words, decision by decision, as a seat sees it.

:func:`steps` separates a decision from the forced decisions that the rules play after it. :func:`tell` describes the
result of each, :func:`phrases` also the decision, and a :class:`Log` creates lines of text.
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
    """A decision, and the rules' own steps up to the next one.

    Args:
        seat: the deciding seat.
        action: the number of the action.
        forced: whether the action was the only legal one and played by the rules.
        before, after: copies of the record (``numpy.record``).
    """

    seat: int
    action: int
    forced: bool
    before: Any
    after: Any

    @functools.cached_property
    def events(self) -> list[Event]:
        """The events, in order."""
        return events.of_decision(self.before, self.action, self.after)


def steps(position: BasePosition[Any], action: str | int) -> list[Step]:
    """The steps of one decision; the position is not changed.

    Args:
        position: a game that is not over.
        action: a text or number, as for ``position.apply``.

    Returns:
        The decision, then the forced ones in order; the last ``after`` is the record that ``apply`` leads to.

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
        games["show_forced"] = 1  # stop at each forced decision
        kernels.step(games, np.array([number], np.int64))
        games["show_forced"], games["decisions"] = shown, decisions  # forced decisions do not count
        after = games.copy()
        found.append(Step(int(before[0].to_play), number, bool(found), before[0], after[0]))
        kernels.byte_masks(games, mask)
        if shown[0] or mask.sum() != 1:
            return found
        number = int(mask.argmax())


def tell(game: Game, step: Step, seat: int | None) -> list[Line]:
    """The result of a step as a seat (None: a spectator) sees it.

    Returns:
        Lines in order, from ``Presentation.tell``. Without that function: the single numbers of the seat's observation
        that changed; nothing for a spectator.
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
    """A few words, with the resulting changes and the number of repetitions.

    Args:
        words: as in `build chicago space 2`.
        changes: as in `$12 -> $9`.
        times: the number of times in a row.
    """

    words: str
    changes: tuple[str, ...] = ()
    times: int = 1

    def followed_by(self, other: Phrase) -> Phrase | None:
        """Both phrases in one if their words are equal and the changes continue each other; else None."""
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
    """A step as a seat sees it: pairs of a side's name ("" for the table) and a phrase.

    Args:
        game: the game.
        step: see :func:`steps`.
        seat: the observing seat; None: a spectator. Secret decisions of others are not shown.

    Returns:
        First the decision with its results for the deciding seat, unless it is secret and forced without results.
    """
    name = f"player_{step.seat}"
    told = tell(game, step, seat)
    number = next((k for k, (side, _) in enumerate(told) if side != name), len(told))  # its own come first
    notes = [words for _, words in told[:number]]
    secret = None if step.seat == seat else game.presentation.secret_phases.get(game.phase(step.before))
    if secret is not None:  # that it was forced is secret as well: it would reveal earlier choices
        decided = [] if step.forced and not notes else [(name, Phrase(secret, tuple(notes)))]
    else:
        words = game.wording(step.before, step.action)
        decided = [(name, Phrase(words, tuple(["forced", *notes] if step.forced else notes)))]
    return [*decided, *((side, Phrase(words)) for side, words in told[number:])]


def joined(told: Iterable[tuple[str, Phrase]]) -> list[tuple[str, Phrase]]:
    """The same with consecutive phrases of a side joined where possible."""
    found: list[tuple[str, Phrase]] = []
    for side, phrase in told:
        together = found[-1][1].followed_by(phrase) if found and side and found[-1][0] == side else None
        found[-1:] = [*found[-1:], (side, phrase)] if together is None else [(side, together)]
    return found


class Log:
    """The lines of the log that people at some seats have not read yet.

    Consecutive decisions of a side are in one line, each with its changes for that side in brackets.

    Args:
        game: the game.
        people: the seats of the readers. Secret decisions of others are not shown.
    """

    def __init__(self, game: Game, people: set[int]) -> None:
        self._game = game
        self._people = people
        self._told: list[tuple[str, Phrase]] = []

    def add(self, steps: Sequence[Step], typed: str | None = None) -> None:
        """Add a decision and its consequences.

        Args:
            steps: the result of :func:`steps`.
            typed: the text that a person typed for the decision, which is not repeated; None: not a person's decision.
        """
        for step in steps:
            viewer = step.seat if step.seat in self._people else min(self._people)
            told = phrases(self._game, step, viewer)
            known = (self._game.texts[step.action], self._game.wording(step.before, step.action))
            if told and typed in known and told[0][1] == Phrase(known[1]):
                del told[0]
            self._told = joined([*self._told, *told])

    def read(self, width: int, *, whole: bool = True) -> list[str]:
        """The lines since the last call.

        Args:
            width: in columns.
            whole: include the last line; else it is kept back, because its side may continue it.
        """
        groups: list[list[tuple[str, Phrase]]] = []
        for side, phrase in self._told:
            if side and groups and groups[-1][0][0] == side:
                groups[-1].append((side, phrase))
            else:
                groups.append([(side, phrase)])
        self._told = [] if whole or not groups else groups.pop()
        return [line for group in groups for line in _wrapped(group, width)]

    def forget(self) -> None:
        """Drop the unread lines, because their decisions were taken back."""
        self._told = []


def _wrapped(told: list[tuple[str, Phrase]], width: int) -> list[str]:
    side, text = told[0][0], ", ".join(str(phrase) for _, phrase in told)
    return textwrap.wrap(f"{side}: {text}" if side else text, width, subsequent_indent="    ", break_on_hyphens=False)
