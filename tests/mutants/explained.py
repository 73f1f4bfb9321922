"""Mutants that no test finds, each with the reason, by game.

EQUIVALENT: what they change cannot be seen by anybody; they are not tried. SURVIVORS: they are mistakes, and a test
that finds them has yet to be written or is not worth its time; they are tried, and count as survivors.

A mutant is listed as (place, operator, before, after), as `make mutants` prints it; `*` stands for anything. Where a
function has several that are alike, the place says which one (`company.pay #2`).
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from tests.mutants.operators import Mutant

Key = tuple[str, str, str, str]
Explained = tuple[tuple[str, tuple[Key, ...]], ...]  # a reason, and the mutants it holds for

EQUIVALENT: dict[str, Explained] = {"carnegie": ()}
SURVIVORS: dict[str, Explained] = {"carnegie": ()}


def _fits(mutant: Mutant, key: Key) -> bool:
    return all(a == b or fnmatch.fnmatchcase(a, _pattern(b)) for a, b in zip(mutant.key, key, strict=True))


def _pattern(text: str) -> str:
    """Only `*` is special: code is full of brackets."""
    return text.replace("[", "[[]").replace("?", "[?]")


def reason(mutant: Mutant, explained: Explained) -> str | None:
    """Why no test finds a mutant; None if it is not listed."""
    return next((why for why, keys in explained if any(_fits(mutant, key) for key in keys)), None)


def dead(mutants: Iterable[Mutant], explained: Explained) -> list[Key]:
    """Entries that no mutant fits."""
    made = list(mutants)
    by_operator: dict[str, list[Mutant]] = {}
    for mutant in made:
        by_operator.setdefault(mutant.operator, []).append(mutant)
    keys = [key for _, keys in explained for key in keys]
    return [key for key in keys if not any(_fits(m, key) for m in (by_operator.get(key[1], made)))]
