"""Every value of every fact table counts: changed alone, it changes what the rules do, or the file is refused.

A user may play his own edition by his own tables (CARNEGIE_ENV_FACTS). A number that no rule reads would be ignored
without a word; so each value is changed in turn, and the rules made anew from the changed tables, as plain Python.

First the unchanged rules are asked many small things (:class:`Places`), which the game supplies (:class:`Game`). Which
entries of which tables they read for each answer is noted. A changed value is looked for in the arrays of the game's
`tables`; the rules made from it must answer differently at one of the places that read the entries it stands in. Of
several changes of a value (one more, one less; another name of its kind) one must show, or all be refused.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import importlib
import os
import sys
import tempfile
import tomllib
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from carnegie_env.core import facts

VARIABLE = "CARNEGIE_ENV_FACTS"  # names the folder of a user's tables
CHANGED = "# changed\n"  # ends a file whose values are replaced on loading
ENOUGH = 6  # places to keep for each entry that is read
Path_ = tuple[Any, ...]
Ask = Callable[[types.SimpleNamespace], bytes]  # of the rules, for an answer
Probe = tuple[Ask, bool]  # what is asked; whether it is kept even if what it reads is read by many others


@dataclasses.dataclass(frozen=True)
class Game:
    """What a game supplies.

    Attributes:
        package: its modules. One is `tables`, which has FACTS (an Edition, see core/facts.py), load_facts(path), and
            arrays and constants made of FACTS.
        modules: those that probes use, by their path below the package; a probe gets them by their last name, and
            `tables` with them.
        unread: keys that are no rules (names, words, where something is drawn).
        names: lists of names of which one can stand for another.
        probes: all that is asked, made with the unchanged rules.
    """

    package: str
    modules: tuple[str, ...]
    unread: frozenset[str]
    names: tuple[tuple[str, ...], ...]
    probes: Callable[[types.SimpleNamespace], Iterator[Probe]]


# ---------------------------------------------------------------- the values, and what they can be changed to
def values(part: Any, unread: frozenset[str], path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """All values of a file, with their paths; left out ones that have a default are there with it."""
    if isinstance(part, dict | list):
        for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
            if key not in unread and key not in ("mark", "marks") and inner is not None:
                yield from values(inner, unread, (*path, key))
    else:
        yield path, part


def changes(value: Any, names: tuple[tuple[str, ...], ...]) -> list[Any]:
    """What else could stand there."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    others = [other for kind in names if value in kind for other in kind if other != value]
    return list(dict.fromkeys(others))


def replaced(data: dict[str, Any], path: Path_, value: Any) -> dict[str, Any]:
    """A copy of a file with one value replaced; what is not there (None) is left out."""
    data = copy.deepcopy(data)
    part: Any = data
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return _without_none(data)


def _without_none(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _without_none(inner) for key, inner in part.items() if inner is not None}
    return [_without_none(inner) for inner in part] if isinstance(part, list) else part


# ---------------------------------------------------------------- rules from other tables
class Editions:
    """Makes the rules of a game anew from a changed file, within this process; as a context, to leave no trace."""

    def __init__(self, game: Game) -> None:
        self.game, self.data = game, dict[str, Any]()
        self.load_facts = importlib.import_module(f"{game.package}.tables").load_facts

    def __enter__(self) -> Editions:
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.loads, self.variable = tomllib.loads, os.environ.get(VARIABLE)
        self.imported = self._forget()
        tomllib.loads = lambda text: copy.deepcopy(self.data) if text.endswith(CHANGED) else self.loads(text)
        return self

    def __exit__(self, *_: object) -> None:
        tomllib.loads = self.loads
        self._forget()
        sys.modules.update(self.imported)
        for name, module in self.imported.items():  # each is an attribute of the package around it, too
            around, _, own = name.rpartition(".")
            if around:
                setattr(sys.modules[around], own, module)
        os.environ.pop(VARIABLE, None)
        if self.variable is not None:
            os.environ[VARIABLE] = self.variable
        self.temporary.cleanup()

    def _forget(self) -> dict[str, types.ModuleType]:
        """Have the game's modules imported anew."""
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
        """The modules of the rules, imported anew."""
        os.environ[VARIABLE] = str(self.folder) if own else ""
        self._forget()
        names = ("tables", *self.game.modules)
        found = {name.split(".")[-1]: importlib.import_module(f"{self.game.package}.{name}") for name in names}
        return types.SimpleNamespace(**found)


# ---------------------------------------------------------------- which entries are read
Entry = tuple[str, int]  # name in tables, place in the flat array; -1 for the whole
READ: set[Entry] = set()


class Logged(np.ndarray):
    """A table that notes which of its entries are read."""

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
    """The module `tables` while it notes which of its names are read."""

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
    """The entries in which two editions of the tables differ."""
    for name, old in vars(before).items():
        new = vars(after).get(name)
        if isinstance(old, np.ndarray):
            if old.shape != new.shape:
                yield from ((name, place) for place in range(old.size))
            else:
                yield from ((name, int(place)) for place in np.flatnonzero(np.ravel(old != new)))
        elif isinstance(old, int | str | tuple | dict) and not name.startswith("__") and old != new:
            yield name, -1


# ---------------------------------------------------------------- what is asked
class Places:
    """All that is asked, and the entries of the tables that each answer read."""

    def __init__(self, game: Game, rules: types.SimpleNamespace) -> None:
        self.rules, self.kept = rules, list[tuple[Ask, bytes]]()
        self.of: dict[Entry, list[int]] = collections.defaultdict(list)
        log_reads(rules.tables)
        for ask, always in game.probes(rules):
            self.add(ask, always)

    def add(self, ask: Ask, always: bool) -> None:
        """Keep a place if it reads something that few others do."""
        READ.clear()
        answer = ask(self.rules)
        if always or any(len(self.of[entry]) < ENOUGH for entry in READ):
            for entry in READ:
                self.of[entry].append(len(self.kept))
            self.kept.append((ask, answer))

    def show(self, rules: types.SimpleNamespace) -> bool:
        """Whether other rules answer differently somewhere that reads what is different in them."""
        entries = list(differing(self.rules.tables, rules.tables))
        places = dict.fromkeys(place for entry in entries for place in self.of.get(entry, []))
        return any(self.differs(rules, *self.kept[place]) for place in places)

    @staticmethod
    def differs(rules: types.SimpleNamespace, ask: Ask, answer: bytes) -> bool:
        try:
            return ask(rules) != answer
        except (IndexError, StopIteration, AssertionError):  # a kept position that the other rules do not know
            return True


# ---------------------------------------------------------------- the sweep
def ignored(game: Game, every: int = 1) -> tuple[int, list[str]]:
    """How many values were looked at, and those whose change nobody notices, as FILE PATH = VALUE."""
    found, looked_at = [], 0
    with Editions(game) as editions:
        unchanged = editions.rules(own=False)
        shipped = unchanged.tables.FACTS
        files = [(name, msgspec.to_builtins(getattr(shipped, name))) for name in facts.files(type(shipped))]
        places = Places(game, unchanged)
        every_value = [(name, data, path, value) for name, data in files for path, value in values(data, game.unread)]
        for name, data, path, value in every_value[::every]:
            looked_at += 1
            accepted, shown = False, False
            for other in changes(value, game.names):
                if not editions.refused(name, replaced(data, path, other)):
                    accepted = True
                    shown = places.show(editions.rules())
                    if shown:
                        break
            if accepted and not shown:
                found.append(f"{name}.toml {'.'.join(map(str, path))} = {value!r}")
    return looked_at, found
