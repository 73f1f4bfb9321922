"""The rules of whichever game a record belongs to, by their names: what the loops in kernels.py call.

A game hands its functions over in :class:`Rules`. ``rules.apply(game, action)`` is that game's ``apply``: chosen by the
dtype of the record, in compiled code while it is compiled, so that a call costs nothing; in plain Python at the call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.jit import COMPILED, jit

if COMPILED:
    from carnegie_env.core import compiling


@jit
def no_insight(game: Any, seat: int, out: Any) -> None:
    """Of a game that gives networks nothing but observations and scores."""


@jit
def no_guess(game: Any, seat: int) -> float:
    """Of a game that starts networks at the score as if the game ended now."""
    return 0.0


@jit
def perhaps(game: Any) -> int:
    """Of a game that can't say whether something has come to light."""
    return -1


@dataclasses.dataclass(frozen=True)
class Rules:
    """The functions of one record that make a game, each a `jit` function; where a rule comes from, it says itself.

    Args:
        deal: (game, seed) -> None: draw what set-up leaves to chance; ``game`` is a copy of the template, ``seed`` a
            uint64. Its ``rng`` is the game's from then on.
        proceed: (game) -> None: the game's own steps, up to a decision; sets ``to_play``, -1 when the game is over.
        legal: (game) -> int: write the legal actions into ``game.legal`` and say how many there are, 1 or more.
        apply: (game, action) -> None: take one legal action. What is called next is ``proceed``.
        score: (game, out) -> None: scores as if the game ended now, into int64 (score rows, score columns), all set.
        observe: (game, seat, out) -> None: what a seat sees, into float32 (features,), every number set.
        rebuild: (game) -> None: make the fields anew that follow from others, but for ``legal``.
        verify: (game) -> int: 0, or the number of something in a position with a decision, or over, that no play could
            lead to.
        redraw_hidden: (game, seat) -> None: draw anew what a seat cannot see, with ``game.rng``, which has been set for
            it (and stays: future chance is hidden, too). Legal actions stay as they are. A game that hides nothing has
            a function that does nothing.
        insight: (game, seat, out) -> None: numbers that follow from what a seat sees, and that a player would reckon,
            into float32 (``Game.insights``,), every number set: for value networks.
        revealed: (game) -> int: a number that is the same before and after a decision only if nothing has come to light
            in between that was hidden or left to chance; -1: it can't be said.
        guess: (game, seat) -> float: how much more than the score as if the game ended now a seat may come to, in
            points: where value networks start to learn.
    """

    deal: Callable[[Any, np.uint64], None]
    proceed: Callable[[Any], None]
    legal: Callable[[Any], int]
    apply: Callable[[Any, int], None]
    score: Callable[[Any, Any], None]
    observe: Callable[[Any, int, Any], None]
    rebuild: Callable[[Any], None]
    verify: Callable[[Any], int]
    redraw_hidden: Callable[[Any, int], None]
    insight: Callable[[Any, int, Any], None] = no_insight
    revealed: Callable[[Any], int] = perhaps
    guess: Callable[[Any, int], float] = no_guess


NAMES = tuple(field.name for field in dataclasses.fields(Rules))
_rules: dict[np.dtype[Any], Rules] = {}
_games: dict[np.dtype[Any], str] = {}


def register(name: str, record: np.dtype[Any], rules: Rules) -> None:
    """Have the records of a dtype played by these rules.

    Raises:
        ValueError: another game's records look the same.
    """
    if _games.setdefault(record, name) != name:
        raise ValueError(f"the records of {name} and of {_games[record]} have the same dtype: one needs other fields")
    _rules[record] = rules
    if COMPILED:
        compiling.know_rules(record, [getattr(rules, rule) for rule in NAMES])


def _of(record: np.dtype[Any]) -> Rules:
    if record not in _rules:
        raise TypeError(f"no game has records of the dtype {str(record)[:80]}")
    return _rules[record]


def by_record(name: str, of: Callable[[np.dtype[Any]], Any]) -> Any:
    """What stands in loops for a function of the game whose record it is called with.

    Args:
        name: for messages.
        of: the dtype of a record -> the game's `jit` function, whose first argument is the record.
    """
    if COMPILED:
        return compiling.Chosen(name, of, _rules)

    def chosen(game: Any, *arguments: Any) -> Any:
        return of(game.dtype)(game, *arguments)

    return chosen


def game_of(record: np.dtype[Any]) -> str:
    """The name of the game that has records of a dtype."""
    return _games[record]


def _by_name(name: str) -> Any:
    """What stands for the rule of this name in the loops."""
    return by_record(name, lambda record: getattr(_of(record), name))


deal: Callable[[Any, np.uint64], None] = _by_name("deal")
proceed: Callable[[Any], None] = _by_name("proceed")
legal: Callable[[Any], int] = _by_name("legal")
apply: Callable[[Any, int], None] = _by_name("apply")
score: Callable[[Any, NDArray[np.int64]], None] = _by_name("score")
observe: Callable[[Any, int, NDArray[np.float32]], None] = _by_name("observe")
rebuild: Callable[[Any], None] = _by_name("rebuild")
verify: Callable[[Any], int] = _by_name("verify")
redraw_hidden: Callable[[Any, int], None] = _by_name("redraw_hidden")
insight: Callable[[Any, int, NDArray[np.float32]], None] = _by_name("insight")
revealed: Callable[[Any], int] = _by_name("revealed")
guess: Callable[[Any, int], float] = _by_name("guess")
