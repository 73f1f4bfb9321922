"""Every value of every fact table matters: changing it alone changes the rules' behaviour, or the file is refused.

Users may play with their own tables (CARNEGIE_ENV_FACTS), and a number that no rule reads would be ignored silently. So
each value is changed in turn, and the rules are imported again with the changed tables, as plain Python.

First, the probes of a game (:class:`Game`) run with the unchanged rules, and the table entries that each reads are
recorded (:class:`Probes`). The entries that change with a value select the probes to repeat; one must give another
result. Of several changes of a value (one more, one less; another name of its kind), one must show, or all must be
refused.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import importlib
import sys
import tempfile
import tomllib
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from carnegie_env.core import facts
from tests.spoiling import leaves, put

VARIABLE = "CARNEGIE_ENV_FACTS"  # the folder of a user's tables
CHANGED = "# changed\n"  # marks a file whose values are replaced on loading
ENOUGH = 6  # probes to keep for each entry
Path_ = tuple[Any, ...]
Ask = Callable[[types.SimpleNamespace], bytes]  # calls rules and returns a result
Probe = tuple[Ask, bool]  # with whether it is kept even if enough others read the same entries


@dataclasses.dataclass(frozen=True)
class Game:
    """A game with its probes.

    Attributes:
        package: its package. The module `tables` has FACTS (an Edition, see core/facts.py), load_facts(path), and
            arrays and constants computed from FACTS.
        modules: that probes use, by their path below the package; probes get them and `tables` by their last name.
        unread: keys that don't affect rules (names, texts, coordinates).
        names: lists of names that can replace each other.
        probes: makes the probes, with the unchanged rules.
    """

    package: str
    modules: tuple[str, ...]
    unread: frozenset[str]
    names: tuple[tuple[str, ...], ...]
    probes: Callable[[types.SimpleNamespace], Iterator[Probe]]


# ---------------------------------------------------------------- values and their changes
def values(part: Any, unread: frozenset[str]) -> list[tuple[Path_, Any]]:
    """All values of a file with their paths."""
    unread |= {"mark", "marks"}
    return [(path, value) for path, value in leaves(part) if value is not None and unread.isdisjoint(path)]


def changes(value: Any, names: tuple[tuple[str, ...], ...]) -> list[Any]:
    """Other values for the same place."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    others = [other for kind in names if value in kind for other in kind if other != value]
    return list(dict.fromkeys(others))


def replaced(data: dict[str, Any], path: Path_, value: Any) -> dict[str, Any]:
    """A copy of a file with one value replaced and without None."""
    data = copy.deepcopy(data)
    put(data, path, value)
    return _without_none(data)


def _without_none(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _without_none(inner) for key, inner in part.items() if inner is not None}
    return [_without_none(inner) for inner in part] if isinstance(part, list) else part


# ---------------------------------------------------------------- rules with other tables
class Editions:
    """A context that imports the rules of a game again with a changed file, and restores everything at its end."""

    def __init__(self, game: Game) -> None:
        self.game, self.data = game, dict[str, Any]()
        self.load_facts = importlib.import_module(f"{game.package}.tables").load_facts

    def __enter__(self) -> Editions:
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.patch, loads = pytest.MonkeyPatch(), tomllib.loads
        self.imported = self._forget()
        self.patch.setattr(
            tomllib, "loads", lambda text: copy.deepcopy(self.data) if text.endswith(CHANGED) else loads(text)
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.patch.undo()
        self._forget()
        sys.modules.update(self.imported)
        for name, module in self.imported.items():  # each is also an attribute of its package
            around, _, own = name.rpartition(".")
            if around:
                setattr(sys.modules[around], own, module)
        self.temporary.cleanup()

    def _forget(self) -> dict[str, types.ModuleType]:
        """Remove and return the game's imported modules."""
        names = [name for name in sys.modules if name == self.game.package or name.startswith(f"{self.game.package}.")]
        return {name: sys.modules.pop(name) for name in names}

    def refused(self, name: str, data: dict[str, Any]) -> bool:
        """Whether a changed file is refused; if not, :meth:`rules` makes the rules from it."""
        for file in self.folder.iterdir():
            file.unlink()
        (self.folder / f"{name}.toml").write_text(CHANGED)
        self.data = data
        try:
            self.load_facts(self.folder)
        except ValueError as error:
            assert "must be" in str(error) or "Expected" in str(error) or "Invalid enum" in str(error), error
            return True
        return False

    def rules(self, own: bool = True) -> types.SimpleNamespace:
        """Import the modules of the rules again."""
        self.patch.setenv(VARIABLE, str(self.folder) if own else "")
        self._forget()
        names = ("tables", *self.game.modules)
        found = {name.split(".")[-1]: importlib.import_module(f"{self.game.package}.{name}") for name in names}
        return types.SimpleNamespace(**found)


# ---------------------------------------------------------------- recording the entries that are read
Entry = tuple[str, int]  # name in tables, index in the flat array or -1 for another object
READ: set[Entry] = set()


class Logged(np.ndarray):
    """A table that records the entries that are read."""

    name: str
    places: np.ndarray

    def __getitem__(self, key: Any) -> Any:
        READ.update((self.name, int(place)) for place in np.ravel(self.places[key]))
        return self.view(np.ndarray)[key]

    def __iter__(self) -> Iterator[Any]:
        READ.update((self.name, place) for place in range(self.size))
        return iter(self.view(np.ndarray))

    @property
    def flat(self) -> Any:  # type: ignore[override]
        READ.update((self.name, place) for place in range(self.size))
        return self.view(np.ndarray).flat


class LoggedModule(types.ModuleType):
    """The module `tables`, recording the names that are read."""

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if not isinstance(value, Logged):
            READ.add((name, -1))
        return value


def log_reads(tables: types.ModuleType) -> None:
    for name, value in vars(tables).items():
        if isinstance(value, np.ndarray):
            logged = value.view(Logged)
            logged.name, logged.places = name, np.arange(value.size).reshape(value.shape)
            setattr(tables, name, logged)
    tables.__class__ = LoggedModule


def differing(before: types.ModuleType, after: types.ModuleType) -> Iterator[Entry]:
    """The entries that differ between two versions of the tables."""
    for name, old in vars(before).items():
        new = vars(after).get(name)
        if isinstance(old, np.ndarray):
            if old.shape != new.shape:
                yield from ((name, place) for place in range(old.size))
            else:
                yield from ((name, int(place)) for place in np.flatnonzero(np.ravel(old != new)))
        elif isinstance(old, int | str | tuple | dict) and not name.startswith("__") and old != new:
            yield name, -1


# ---------------------------------------------------------------- probes
class Probes:
    """The probes of a game with their results, and the table entries that each read."""

    def __init__(self, game: Game, rules: types.SimpleNamespace) -> None:
        self.rules, self.kept = rules, list[tuple[Ask, bytes]]()
        self.of: dict[Entry, list[int]] = collections.defaultdict(list)
        log_reads(rules.tables)
        for ask, always in game.probes(rules):
            self.add(ask, always)

    def add(self, ask: Ask, always: bool) -> None:
        """Run a probe and keep it if it reads an entry that few others do."""
        READ.clear()
        answer = ask(self.rules)
        if always or any(len(self.of[entry]) < ENOUGH for entry in READ):
            for entry in READ:
                self.of[entry].append(len(self.kept))
            self.kept.append((ask, answer))

    def show(self, rules: types.SimpleNamespace) -> bool:
        """Whether a probe that reads a changed entry has another result with other rules."""
        entries = list(differing(self.rules.tables, rules.tables))
        places = dict.fromkeys(place for entry in entries for place in self.of.get(entry, []))
        return any(self.differs(rules, *self.kept[place]) for place in places)

    @staticmethod
    def differs(rules: types.SimpleNamespace, ask: Ask, answer: bytes) -> bool:
        try:
            return ask(rules) != answer
        except (IndexError, StopIteration, AssertionError):  # a stored position that is invalid with the other rules
            return True


# ---------------------------------------------------------------- the sweep
def ignored(game: Game, every: int = 1) -> tuple[int, list[str]]:
    """The number of values that were changed, and those that don't matter, as FILE PATH = VALUE."""
    found, looked_at = [], 0
    with Editions(game) as editions:
        unchanged = editions.rules(own=False)
        shipped = unchanged.tables.FACTS
        files = [(name, msgspec.to_builtins(getattr(shipped, name))) for name in facts.files(type(shipped))]
        probes = Probes(game, unchanged)
        every_value = [(name, data, path, value) for name, data in files for path, value in values(data, game.unread)]
        for name, data, path, value in every_value[::every]:
            looked_at += 1
            accepted, shown = False, False
            for other in changes(value, game.names):
                if not editions.refused(name, replaced(data, path, other)):
                    accepted = True
                    shown = probes.show(editions.rules())
                    if shown:
                        break
            if accepted and not shown:
                found.append(f"{name}.toml {'.'.join(map(str, path))} = {value!r}")
    return looked_at, found
