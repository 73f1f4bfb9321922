"""The component tables of a game, with marks of provenance: loaded, validated, frozen.

A game describes its TOML files with structs (msgspec): a subclass of :class:`Table` for each kind of table, and one
subclass of :class:`Edition` with a field for each file. :func:`load` reads the files, or a user's own files of the same
names; an error gives the file, the table, the value and what is allowed. The game checks its values against each other
with :func:`need` and similar functions. :func:`frozen` makes read-only arrays, which compiled rules use as constants.

Some printed values may be unknown, for instance without a picture of a component. A table marks the values that are not
printed: with `marks` for single keys, with `mark` for all others::

    [[city]]
    name = "springfield"
    value = 30
    lines = [2, 3]
    mark = "reconstructed"                                  # every value of this table ...
    marks = { value = "forced", lines = ["printed", "forced"] }   # ... except these; a list has a mark for each entry

docs/adding-a-game.md walks through a game's tables.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.arrays import IntTable

LONGEST_MESSAGE = 400  # characters, because values of files can be long
FIRST_EDITION = "2026"  # the name of the shipped tables, and of everything that names no edition

Mark = Literal["printed", "forced", "reconstructed"]
"""printed: read on a component or in the rules. forced: no other value agrees with the printed ones. reconstructed:
chosen to agree with all printed and forced values."""
Id = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$")]
Number = Annotated[int, msgspec.Meta(ge=0, le=1000)]  # so that small sums fit into 16 bits of a record
Positive = Annotated[int, msgspec.Meta(ge=1, le=1000)]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One table of a file.

    Attributes:
        mark: the mark of all its values, and of inner tables without their own; None: the mark of the outer table, or
            "printed" at the top of a file. A subclass may have another default (kw_only=True).
        marks: the marks of single values by key, or of each entry of a list.
    """

    mark: Mark | None = None
    marks: dict[str, Mark | list[Mark]] = {}


class Edition(msgspec.Struct, frozen=True, kw_only=True):
    """All component tables of a game. A game's subclass has a field for each file, with its name and struct.

    Attributes:
        name: :data:`FIRST_EDITION`; or of the folder of a later edition's changed files, beside the first one's; or
            "own-" and a hash of the values of a user's files.
        labels: keys that name a table in messages; the first that a table has is used.
        others: file names of other games that may be in the same user's folder. Those of games in neighbouring packages
            are known.
        sources: the file of each field, for messages.
    """

    labels: ClassVar[tuple[str, ...]] = ("id",)
    others: ClassVar[tuple[str, ...]] = ()
    name: str
    sources: dict[str, str]


EditionT = TypeVar("EditionT", bound=Edition)


class Value(NamedTuple):
    """A value that is not printed, with its place and its mark. An empty key means the whole table."""

    file: str
    table: str
    key: str
    value: Any
    mark: str


def keys(table: type[Table]) -> tuple[str, ...]:
    """The keys of a kind of table without marks, in the order of its struct and with the names of its attributes."""
    return tuple(_attributes(table).values())


def _attributes(table: type[Table]) -> dict[str, str]:
    """The attribute for each key of a file; the struct may rename it ("from" is a keyword in Python)."""
    names = zip(table.__struct_encode_fields__, table.__struct_fields__, strict=True)
    return {key: name for key, name in names if name not in Table.__struct_fields__}


@functools.cache  # evaluating the types of structs takes time
def files(shape: type[Edition]) -> Mapping[str, type[Table]]:
    """The files of an edition by name (without .toml), with their structs."""
    fields = msgspec.structs.fields(shape)
    return MappingProxyType({field.name: field.type for field in fields if field.name not in ("name", "sources")})


# ---------------------------------------------------------------- loading
def load(shape: type[EditionT], folder: Path, given: str | os.PathLike[str] | None = None) -> EditionT:
    """Load all tables of a game and validate each file with its struct.

    Args:
        shape: the game's struct of all files.
        folder: the folder of the shipped files.
        given: a user's folder or .toml file, which replaces shipped files of the same name, or the name of an edition.
            Files and editions of games in neighbouring packages are ignored.

    Raises:
        ValueError: an invalid file; the message gives the file, the table, the value and what is allowed.
    """
    shapes = files(shape)
    sources = {name: folder / f"{name}.toml" for name in shapes}
    later = None if given is None else _later_edition(folder, given)
    others = _user_files(shape, folder, given) if later is None else sorted(later.glob("*.toml"))
    sources |= {file.stem: file for file in others}
    tables = {name: _load_file(source, shapes[name], shape.labels) for name, source in sources.items()}
    edition = FIRST_EDITION
    if others:
        edition = later.name if later is not None else _own_name(tables, {file.stem for file in others}, shape, folder)
    make = cast(Callable[..., EditionT], shape)
    return make(**tables, name=edition, sources={name: str(source) for name, source in sources.items()})


def _later_edition(folder: Path, given: str | os.PathLike[str]) -> Path | None:
    """The folder of an edition's changed files, which this game may lack; None if no edition of any game has this name.

    A folder or file of the same name comes first.
    """
    name = os.fspath(given)
    if re.fullmatch(r"\d{4}", name) is None or os.path.exists(name):
        return None
    known = {each.name for each in folder.parent.parent.glob(f"*/{folder.name}/*") if each.is_dir()}
    return folder / name if name in known | {FIRST_EDITION} else None


def _own_name(tables: Mapping[str, Table], replaced: Iterable[str], shape: type[Edition], folder: Path) -> str:
    """The name of an edition with a user's values: it depends on nothing else, such as comments or marks."""
    shipped = {name: _load_file(folder / f"{name}.toml", files(shape)[name], shape.labels) for name in replaced}
    if all(_values(tables[name]) == _values(table) for name, table in shipped.items()):
        return FIRST_EDITION
    values = json.dumps({name: _values(table) for name, table in tables.items()}, sort_keys=True)
    return f"own-{hashlib.sha256(values.encode()).hexdigest()[:8]}"


def _values(value: Any) -> Any:
    """A table as JSON types, without marks."""
    if isinstance(value, Table):
        value = msgspec.to_builtins(value)
    if isinstance(value, dict):
        return {key: _values(part) for key, part in value.items() if key not in Table.__struct_fields__}
    return [_values(part) for part in value] if isinstance(value, list) else value


def _user_files(shape: type[Edition], folder: Path, path: str | os.PathLike[str] | None) -> list[Path]:
    if path is None:
        return []
    given = Path(path)
    if given.is_dir():
        found = sorted(given.glob("*.toml"))
    elif given.is_file():
        found = [given]
    else:
        raise ValueError(f"{given}: no such folder or file of facts")
    names = [f"{name}.toml" for name in files(shape)]
    beside = {file.name for file in folder.parent.parent.glob(f"*/{folder.name}/*.toml")} - set(names)
    of_others = [file for file in found if file.name in beside]
    found = [file for file in found if file.name not in beside and file.name not in shape.others]
    for file in found:
        if file.name not in names:
            raise ValueError(f"{file}: not a file of facts; the names are {', '.join(names)}")
    if not found and not of_others:
        raise ValueError(f"{given}: contains no file of facts; the names are {', '.join(names)}")
    return found


def _load_file(file: Path, shape: type[Table], labels: tuple[str, ...]) -> Table:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:  # e.g. a folder of that name
        raise wrong(file, f"cannot be read: {error.strerror}") from None
    except ValueError as error:  # invalid encoding or TOML, or a number too long for Python
        raise wrong(file, f"not valid TOML: {error}") from None
    except RecursionError:  # the standard library's parser is recursive
        raise wrong(file, "not valid TOML: lists are nested too deeply") from None
    try:
        table = msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at ")
        raise wrong(file, f"{_describe(data, where.strip('`'), labels)}: {message}") from None
    for label, part in _walk(table, labels):
        _check_marks(file, label, part)
    return table


def _describe(data: Any, where: str, labels: tuple[str, ...]) -> str:
    """A description of a place such as $.city[3].points: the tables on the way with their labels, and the value."""
    words: list[str] = []
    for step in re.findall(r"\.(\w+)|\[(\d+)\]", where):
        key = step[0] or int(step[1])
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            words.append(f"{key}")
            break
        label = _label(data, labels) if isinstance(data, dict) else None
        words += filter(None, (step[0], label)) if step[0] or label else [f"[{key}]"]
    value = "" if isinstance(data, (dict, list)) else f" = {data!r}"
    return (" ".join(words) or "the top of the file") + value


def _label(table: dict[str, Any], labels: tuple[str, ...]) -> str | None:
    return next((str(table[key]) for key in labels if isinstance(table.get(key), (str, int))), None)


def _parts(value: Any) -> list[Table]:
    """The tables in a value: itself, or the entries of a list."""
    return [part for part in (value if isinstance(value, (list, tuple)) else (value,)) if isinstance(part, Table)]


def _inner(table: Table, label: str, labels: tuple[str, ...]) -> Iterator[tuple[str, str, Table]]:
    """The tables directly in a table, with their keys and names."""
    for key, attribute in _attributes(type(table)).items():
        for part in _parts(getattr(table, attribute)):
            own = _label({name: getattr(part, name, None) for name in labels}, labels)
            yield key, " ".join(filter(None, (label, key, own))), part


def _walk(table: Table, labels: tuple[str, ...], label: str = "") -> Iterator[tuple[str, Table]]:
    """A table and all tables in it, with their names, outermost first."""
    yield label, table
    for _, name, part in _inner(table, label, labels):
        yield from _walk(part, labels, name)


# ---------------------------------------------------------------- marks of provenance
def _check_marks(file: Path, label: str, table: Table) -> None:
    attributes = _attributes(type(table))
    for key, mark in table.marks.items():
        need(key in attributes, file, f"{label} marks", key, "a key of that table")
        if isinstance(mark, list):
            value = getattr(table, attributes[key])
            right = isinstance(value, (list, tuple)) and len(value) == len(mark)
            need(right, file, f"{label} marks.{key}", mark, "one mark for each entry of the list")


def unprinted(edition: Edition) -> list[Value]:
    """All values that are not printed, file by file, as in the file; omitted keys are left out."""
    found = [
        Value(f"{name}.toml", *row)
        for name in files(type(edition))
        for row in _marked(getattr(edition, name), "", "printed", edition.labels)
    ]
    return [value for value in found if value.mark != "printed"]


def _marked(table: Table, label: str, around: Mark, labels: tuple[str, ...]) -> Iterator[tuple[str, str, Any, Mark]]:
    """All values of a table as (table, key, value, mark); ``around``: the mark if the table has none."""
    own, attributes = table.mark or around, _attributes(type(table))
    for key, mark in table.marks.items():
        value = _plain(getattr(table, attributes[key]))
        if isinstance(mark, list):
            yield from ((label, f"{key}[{i}]", entry, m) for i, (entry, m) in enumerate(zip(value, mark, strict=True)))
        else:
            yield label, key, value, mark
    inner = list(_inner(table, label, labels))
    elsewhere = {*table.marks, *(key for key, _, _ in inner)}
    others = {key: value for key, value in _plain(table).items() if key not in elsewhere}
    if others:
        yield label, "", others, own
    for key, name, part in inner:
        yield from _marked(part, name, "printed" if key in table.marks else own, labels)


def _plain(value: Any) -> Any:
    """A value as in the file: tables without marks and without omitted keys."""
    if isinstance(value, Table):
        fields = {field.encode_name: field for field in msgspec.structs.fields(value)}
        stated = [key for key in _attributes(type(value)) if not _is_default(value, fields[key])]
        return {key: _plain(getattr(value, fields[key].name)) for key in stated}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def _is_default(table: Table, field: msgspec.structs.FieldInfo) -> bool:
    default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return bool(getattr(table, field.name) == default)


# ---------------------------------------------------------------- checks of values against each other
def wrong(file: str | Path, text: str) -> ValueError:
    """An error that names the file; the middle of a long text is cut out."""
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 2 :]}"
    return ValueError(f"{file}: {text}")


def need(right: bool, file: str | Path, table: str, value: object, what: str) -> None:
    """Refuse a wrong value.

    Args:
        right: whether the value is right.
        file: its file (`edition.sources[...]`).
        table: the table, with its label, and the key.
        value: the value.
        what: the allowed values; the message says "it must be ...".

    Raises:
        ValueError: the value is wrong; the message contains all of these.
    """
    if not right:
        raise wrong(file, f"{table}: {value!r} is wrong; it must be {what}")


def need_unique(file: str | Path, table: str, names: Iterable[object]) -> None:
    """Refuse names that are not all different, see :func:`need`."""
    seen: set[object] = set()
    for name in names:
        need(name not in seen, file, table, name, "unique")
        seen.add(name)


def need_each(file: str | Path, table: str, names: Sequence[str], wanted: Collection[str]) -> None:
    """Refuse anything but each of the wanted names once, in any order, see :func:`need`."""
    need(sorted(names) == sorted(wanted), file, table, list(names), f"each of {', '.join(wanted)} once")


def need_same(
    file: str | Path, table: str, found: Sequence[Table], known: Sequence[Table], fixed: Iterable[str]
) -> None:
    """Refuse tables that differ in the keys `fixed` from those that the rules are written for (`known`).

    If a value is a dictionary, only its keys must be the same. See :func:`need`.
    """
    need(len(found) == len(known), file, table, len(found), f"{len(known)} of them")
    for place, (part, right) in enumerate(zip(found, known, strict=True)):
        label = getattr(part, "id", place + 1)
        for key in fixed:
            value, wanted = getattr(part, key), getattr(right, key)
            if isinstance(wanted, dict):
                allowed = f"given with {', '.join(sorted(wanted)) or 'no number'}"
                need(value.keys() == wanted.keys(), file, f"{table} {label} {key}", sorted(value), allowed)
            else:
                need(value == wanted, file, f"{table} {label} {key}", value, f"{wanted!r}, the rules can't vary it")


# ---------------------------------------------------------------- freezing
def frozen(values: Any) -> IntTable:
    """A read-only int64 array, which compiled rules use as a constant."""
    array: NDArray[Any] = np.array(values, dtype=np.int64)
    array.setflags(write=False)
    return cast(IntTable, array)


def padded(rows: Iterable[Sequence[int]], width: int, fill: int) -> IntTable:
    """Rows of different lengths as one frozen array (rows, width), filled up at the end."""
    return frozen([list(row) + [fill] * (width - len(row)) for row in rows])


def mask(numbers: Iterable[int]) -> int:
    """A set of small numbers as a bit mask."""
    return sum(1 << member for member in set(numbers))


def members(bits: int) -> list[int]:
    """The numbers of a bit mask, ascending."""
    return [k for k in range(int(bits).bit_length()) if bits >> k & 1]
