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

from carnegie_env.core import rng
from carnegie_env.core.jit import COMPILED, jit

if COMPILED:
    from carnegie_env.core import compiling


# ---------------------------------------------------------------- for games that need nothing else
@jit
def nothing(game: Any) -> None:
    """No steps of its own, or nothing to rebuild."""


@jit
def no_deal(game: Any, seed: np.uint64) -> None:
    """Nothing is drawn at set-up; the seed begins the generator."""
    game.rng = rng.mix(seed)


@jit
def no_fault(game: Any) -> int:
    """Whatever is within the ranges of the fields may be."""
    return 0


@jit
def nothing_hidden(game: Any, seat: int) -> None:
    """Every seat sees everything."""


@jit
def no_insight(game: Any, seat: int, out: Any) -> None:
    """Networks get nothing but observations and scores."""


@jit
def no_guess(game: Any, seat: int) -> float:
    """Networks start at the score as if the game ended now."""
    return 0.0


@jit
def unknown(game: Any) -> int:
    """Unknown."""
    return -1


@dataclasses.dataclass(frozen=True)
class Rules:
    """The functions of one record that make a game. Each is a `jit` function whose docstring gives the rule's source.

    Args:
        deal: (game, seed) -> None: draw the random part of the set-up; ``game`` is a copy of the template, ``seed`` a
            uint64. Sets ``game.rng``, which the game uses from then on.
        proceed: (game) -> None: the game's own steps, up to a decision; sets ``to_play``, -1 when the game is over.
        legal: (game) -> int: write the legal actions into ``game.legal`` and say how many there are, 1 or more.
        apply: (game, action) -> None: take one legal action; ``proceed`` is called next.
        score: (game, out) -> None: scores as if the game ended now, into int64 (score rows, score columns), all set.
        observe: (game, seat, out) -> None: write a seat's observation into float32 (features,), all set.
        rebuild: (game) -> None: recompute the derived fields, except ``legal``.
        verify: (game) -> int: 0, or the number of an invariant that does not hold, at a decision or at the end.
        redraw_hidden: (game, seat) -> None: redraw everything that a seat cannot see, with ``game.rng``, which is new
            (and stays, since future chance is hidden as well). Legal actions must not change. The default does nothing,
            for games that hide nothing.
        insight: (game, seat, out) -> None: for value networks, numbers that a player would compute from what the seat
            sees, into float32 (``Game.insights``,), all set.
        revealed: (game) -> int: a number that is the same before and after a decision only if nothing hidden or random
            came to light in between; -1: unknown.
        guess: (game, seat) -> float: how many points a seat can expect beyond its score as if the game ended now:
            where value networks start to learn.
    """

    legal: Callable[[Any], int]
    apply: Callable[[Any, int], None]
    score: Callable[[Any, Any], None]
    observe: Callable[[Any, int, Any], None]
    deal: Callable[[Any, np.uint64], None] = no_deal
    proceed: Callable[[Any], None] = nothing
    rebuild: Callable[[Any], None] = nothing
    verify: Callable[[Any], int] = no_fault
    redraw_hidden: Callable[[Any, int], None] = nothing_hidden
    insight: Callable[[Any, int, Any], None] = no_insight
    revealed: Callable[[Any], int] = unknown
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


def of(record: np.dtype[Any]) -> Rules:
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
        return compiling.by_record(name, of, _rules)

    def chosen(game: Any, *arguments: Any) -> Any:
        return of(game.dtype)(game, *arguments)

    return chosen


def game_of(record: np.dtype[Any]) -> str:
    """The name of the game that has records of a dtype."""
    return _games[record]


def _by_name(name: str) -> Any:
    """What stands for the rule of this name in the loops."""
    return by_record(name, lambda record: getattr(of(record), name))


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
