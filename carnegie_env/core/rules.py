"""The rules of the game that a record belongs to, by name, for the loops in kernels.py.

A game supplies its functions in :class:`Rules`. ``rules.apply(game, action)`` calls the ``apply`` of the record's game.
The dtype of the record selects it: in compiled code at compile time, so a call costs nothing; in plain Python at the
call.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import rng
from carnegie_env.core.jit import COMPILED, compiler, jit, when_compiling

if COMPILED:
    from carnegie_env.core import library


# ---------------------------------------------------------------- defaults
@jit
def nothing(game: Any) -> None:
    """Do nothing: the game has no steps of its own, or no derived fields."""


@jit
def no_deal(game: Any, seed: np.uint64) -> None:
    """Seed the generator; draw nothing."""
    game.rng = rng.mix(seed)


@jit
def no_fault(game: Any) -> int:
    """Accept everything within the ranges of the fields."""
    return 0


@jit
def nothing_hidden(game: Any, seat: int) -> None:
    """Redraw nothing: every seat sees everything."""


@jit
def no_insight(game: Any, seat: int, out: Any) -> None:
    """Write nothing: networks get only observations and scores."""


@jit
def no_guess(game: Any, seat: int) -> float:
    """Start networks at the score as if the game ended now."""
    return 0.0


@jit
def unknown(game: Any) -> int:
    """Return -1: it is unknown whether something was revealed."""
    return -1


@dataclasses.dataclass(frozen=True)
class Rules:
    """The rules of a game: `jit` functions of one record. Their docstrings cite the rulebook.

    Args:
        deal: (game, seed) -> None: draw the random part of the set-up; ``game`` is a copy of the template, ``seed`` a
            uint64. Sets ``game.rng``, which the game uses from then on.
        proceed: (game) -> None: play the game's own steps up to a decision; set ``to_play``, -1 when the game is over.
        legal: (game) -> int: write the legal actions into ``game.legal`` and return their number, at least 1.
        apply: (game, action) -> None: take one legal action; ``proceed`` is called next.
        score: (game, out) -> None: write all scores as if the game ended now, int64 (score rows, score columns).
        observe: (game, seat, out) -> None: write a seat's complete observation, float32 (features,).
        rebuild: (game) -> None: recompute the derived fields, except ``legal``.
        verify: (game) -> int: 0, or the number of an invariant that does not hold, at a decision or at the end.
        redraw_hidden: (game, seat) -> None: redraw everything that a seat cannot see, using ``game.rng``, which was
            seeded for this (and stays changed, since future chance is hidden as well). Legal actions must not change.
            The default is for games that hide nothing.
        insight: (game, seat, out) -> None: write numbers for value networks that a player would compute from the
            observation, float32 (``Game.insights``,).
        revealed: (game) -> int: return a number that stays the same across a decision only if nothing hidden or random
            came to light; -1: unknown.
        guess: (game, seat) -> float: return the points that a seat can expect beyond its score as if the game ended
            now; value networks start from it.
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
    """Use these rules for records of a dtype.

    Raises:
        ValueError: another game has records of this dtype.
    """
    if _games.setdefault(record, name) != name:
        raise ValueError(f"the records of {name} and of {_games[record]} have the same dtype; each game needs its own")
    _rules[record] = rules
    when_compiling(lambda compiling: compiling.add_rules(record, [getattr(rules, rule) for rule in NAMES]))
    if COMPILED and library.module is not None:
        library.module.set_type(name, record)


def of(record: np.dtype[Any]) -> Rules:
    """The rules for records of a dtype."""
    if record not in _rules:
        raise TypeError(f"no game has records of the dtype {str(record)[:80]}")
    return _rules[record]


class ByRecord:
    """A function for loops that calls a function of the game whose record is its first argument.

    Args:
        name: its name in messages.
        of: the dtype of a record -> the game's `jit` function, whose first argument is the record.
    """

    def __init__(self, name: str, of: Callable[[np.dtype[Any]], Any]) -> None:
        self._name, self._of = name, of

    def __call__(self, game: Any, *arguments: Any) -> Any:
        return self._of(game.dtype)(game, *arguments)

    @functools.cached_property
    def compiled(self) -> Any:
        """The same for compiled callers."""

        def call(game: Any, *arguments: Any) -> Any:
            return self._of(game.dtype)(game, *arguments)

        return compiler().by_record(self._name, self._of, _rules, call)

    @property
    def _numba_type_(self) -> Any:
        return compiler().type_of(self.compiled)


def game_of(record: np.dtype[Any]) -> str:
    """The name of the game that has records of a dtype."""
    return _games[record]


def _by_name(name: str) -> Any:
    """The rule of this name of any game."""
    return ByRecord(name, lambda record: getattr(of(record), name))


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
