"""Events: reports of the rules for the log, the statistics and other listeners.

A rule calls :func:`emit` when something happens that the next record alone does not show: a skipped turn, an action of
the automatic opponent, the earnings of a company. Compiled rules emit nothing: the call and its arguments are removed,
so it costs no time. To get the events, :func:`of_decision` plays one decision again with the rules as plain Python.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from carnegie_env.core import masks, rules
from carnegie_env.core.jit import when_compiling
from carnegie_env.core.lazy import in_plain_python
from carnegie_env.core.records import as_bytes

Event = tuple[int, tuple[int, ...]]  # its kind, an index into the game's EVENTS, and its numbers
Line = tuple[str, str]  # the name of a side, or "" for the table; a few words

_listening = threading.local()


class Kind(NamedTuple):
    """A kind of event.

    Args:
        name: the name of the kind and of its numbers, in order.
        line: the numbers -> a line of the log; None: no line.
        private: only the seat given by the first number may see it.
    """

    name: str
    line: Callable[..., Line] | None
    private: bool = False


def emit(kind: int, *numbers: int) -> None:
    """Report an event.

    Args:
        kind: an index into the game's EVENTS.
        numbers: up to six whole numbers; computing them must not change the game.
    """
    heard = getattr(_listening, "heard", None)
    if heard is not None:
        heard.append((int(kind), tuple(int(number) for number in numbers)))


when_compiling(lambda compiling: compiling.remove_calls(emit))


def of_decision(before: Any, action: int, after: Any) -> list[Event]:
    """The events from one decision to the next.

    Args:
        before: the record at the decision (``numpy.record``), including legal actions; it is not changed.
        action: the number of the action taken.
        after: the record at the next decision, or at the end. Forced decisions other than passing count as decisions:
            see :func:`carnegie_env.core.log.steps`.
    """
    legal, apply, proceed = _in_plain_python(before.dtype)
    games = as_bytes(np.array([before])).copy().view(before.dtype)
    game, end = games[0], after.copy()
    _listening.heard = heard = list[Event]()
    try:
        with np.errstate(over="ignore"):  # the generator's arithmetic wraps around
            apply(game, action)
            while True:
                proceed(game)
                for name in ("decisions", "show_forced", "legal"):
                    end[name] = game[name]
                if game.to_play < 0 or game == end or legal(game) > 1 or masks.first(game.legal) != 0:
                    return heard
                apply(game, 0)  # a lone pass
    finally:
        _listening.heard = None


@functools.cache
def _in_plain_python(record: np.dtype[Any]) -> tuple[Callable[..., Any], ...]:
    found = rules.of(record)
    return in_plain_python(found.legal), in_plain_python(found.apply), in_plain_python(found.proceed)


def lines(kinds: Sequence[Kind], events: Sequence[Event], seat: int | None) -> list[Line]:
    """The lines of the log for a seat; None: for a spectator."""
    found = []
    for number, numbers in events:
        kind = kinds[number]
        if kind.line is not None and not (kind.private and numbers[0] != seat):
            found.append(kind.line(*numbers))
    return found


def changes(step: Any, counters: dict[str, str]) -> list[Line]:
    """The changes of the seats' counters in a step, as lines.

    Args:
        step: see :func:`carnegie_env.core.log.steps`.
        counters: fields of the record with a number for each seat, and the format of a number, as in "${}".
    """
    found: list[Line] = []
    for seat in range(step.after["num_players"]):
        for name, form in counters.items():
            old, new = step.before[name][seat], step.after[name][seat]
            if old != new:
                found.append((f"player_{seat}", f"{form.format(old)} -> {form.format(new).split()[-1]}"))
    return found
