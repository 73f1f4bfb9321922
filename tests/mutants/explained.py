"""Mutants that no test finds, each with the reason: explained.toml."""

import fnmatch
import functools
import tomllib
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.operators import Mutant

Key = tuple[str, str, str, str]
LISTED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@functools.cache
def listed(game: str, kind: str) -> dict[Key, str]:
    """The entries of a game and their reasons; kind: "equivalent" or "survivors"."""
    groups = LISTED.get(game, {}).get(kind, ())
    return {tuple(key): group["why"] for group in groups for key in group["mutants"]}


@functools.cache
def _pattern(text: str) -> str:
    """Only `*` is special: code is full of brackets."""
    return text.replace("[", "[[]").replace("?", "[?]")


def fits(mutant: Mutant, key: Key) -> bool:
    """Whether an entry describes a mutant."""
    return all(fnmatch.fnmatchcase(one, _pattern(other)) for one, other in zip(mutant.key, key, strict=True))


def reason(mutant: Mutant, game: str, kind: str) -> str | None:
    """Why no test finds a mutant; None if it isn't listed."""
    entries = listed(game, kind)
    starred = ((key, why) for key, why in entries.items() if any("*" in text for text in key))
    return entries.get(mutant.key) or next((why for key, why in starred if fits(mutant, key)), None)


def dead(mutants: Iterable[Mutant], game: str, kind: str) -> list[Key]:
    """Entries that match no mutant."""
    made = {mutant.key: mutant for mutant in mutants}
    return [key for key in listed(game, kind) if key not in made and not any(fits(m, key) for m in made.values())]
