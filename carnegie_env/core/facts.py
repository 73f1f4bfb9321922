"""The component tables of a game: what its files hold, with marks of provenance; loaded, validated, frozen.

A game describes its files by structs (msgspec): a subclass of :class:`Table` for each kind of table, and one subclass
of :class:`Edition` with a field for each file; the files are TOML, in a folder of the game's package. :func:`load`
reads them, or in their place a user's own files of the same name, and refuses what does not fit with the file, the
table, the value and what would be right. What must hold between the values of a game is the game's to say, with
:func:`need` and its kin; :func:`frozen` makes read-only arrays of them, which compiled rules take for constants.

Not every value of a component can be known: a picture may be missing. A table says which of its values are not
printed, by `marks` for single keys and by `mark` for all the others::

    [[city]]
    name = "springfield"
    value = 30
    lines = [2, 3]
    mark = "reconstructed"                                  # every value of this table ...
    marks = { value = "forced", lines = ["printed", "forced"] }   # ... but these; a list has a mark for each entry

docs/adding-a-game.md walks through a game's tables.
"""

from __future__ import annotations

import functools
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

LONGEST_MESSAGE = 400  # characters; what a file says can be as long as it likes

Mark = Literal["printed", "forced", "reconstructed"]
"""printed: read on a component or in the rules. forced: no other value agrees with what is printed. reconstructed:
chosen to agree with everything printed and forced."""
Id = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$")]
Number = Annotated[int, msgspec.Meta(ge=0, le=1000)]  # so that sums of a few fit into 16 bits of a record
Positive = Annotated[int, msgspec.Meta(ge=1, le=1000)]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One table of a file.

    Attributes:
        mark: of all its values, and of the tables in it that don't have their own; None: that of the table around it,
            and at the top of a file "printed". A subclass may have another default (kw_only=True).
        marks: of single values by their keys, or of each entry of a list value.
    """

    mark: Mark | None = None
    marks: dict[str, Mark | list[Mark]] = {}


class Edition(msgspec.Struct, frozen=True, kw_only=True):
    """All component tables of a game. A game's subclass has a field for each file, of the file's name and struct.

    Attributes:
        labels: keys that name a table in messages; the first that it has does.
        others: names of files that belong to other games: a folder may serve several. Those of the games beside it
            (the folders of that name in the packages beside its own) are known without that.
        sources: the file that each field came from, for messages.
    """

    labels: ClassVar[tuple[str, ...]] = ("id",)
    others: ClassVar[tuple[str, ...]] = ()
    sources: dict[str, str]


EditionT = TypeVar("EditionT", bound=Edition)


class Value(NamedTuple):
    """A value that is not printed: where it stands, and how it was found. An empty key stands for the whole table."""

    file: str
    table: str
    key: str
    value: Any
    mark: str


def keys(table: type[Table]) -> tuple[str, ...]:
    """The keys of a kind of table, in the order of its struct and by the names of its attributes; marks are none."""
    return tuple(_attributes(table).values())


def _attributes(table: type[Table]) -> dict[str, str]:
    """The attribute for each key of a file: another name where the struct renames it ("from" is no name in Python)."""
    names = zip(table.__struct_encode_fields__, table.__struct_fields__, strict=True)
    return {key: name for key, name in names if name not in Table.__struct_fields__}


@functools.cache  # types of structs are evaluated from their text
def files(shape: type[Edition]) -> Mapping[str, type[Table]]:
    """The files of an edition by name (without .toml), each with the struct of its content."""
    fields = msgspec.structs.fields(shape)
    return MappingProxyType({field.name: field.type for field in fields if field.name != "sources"})


# ---------------------------------------------------------------- loading
def load(shape: type[EditionT], folder: Path, given: str | os.PathLike[str] | None = None) -> EditionT:
    """Load all tables of a game and check each file by its struct.

    Args:
        shape: the game's struct of all files.
        folder: the game's own files; all are there.
        given: a user's folder, or one .toml file, that replaces files of the same name; None for the game's own. A file
            of a game beside this one replaces nothing here.

    Raises:
        ValueError: naming the file, the table and the value, and what would be right.
    """
    shapes = files(shape)
    sources = {name: folder / f"{name}.toml" for name in shapes}
    for file in _user_files(shape, folder, given):
        sources[file.stem] = file
    tables = {name: _load_file(source, shapes[name], shape.labels) for name, source in sources.items()}
    make = cast(Callable[..., EditionT], shape)
    return make(**tables, sources={name: str(source) for name, source in sources.items()})


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
            raise ValueError(f"{file}: not a file of facts; their names are {', '.join(names)}")
    if not found and not of_others:
        raise ValueError(f"{given}: holds no file of facts; their names are {', '.join(names)}")
    return found


def _load_file(file: Path, shape: type[Table], labels: tuple[str, ...]) -> Table:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:  # e.g. a folder of that name
        raise wrong(file, f"cannot be read: {error.strerror}") from None
    except ValueError as error:  # of the encoding, of TOML, of a number too long for Python
        raise wrong(file, f"not valid TOML: {error}") from None
    except RecursionError:  # the standard library's reader calls itself for each list in a list
        raise wrong(file, "not valid TOML: lists are nested too deeply to be read") from None
    try:
        table = msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at ")
        raise wrong(file, f"{_describe(data, where.strip('`'), labels)}: {message}") from None
    for label, part in _walk(table, labels):
        _check_marks(file, label, part)
    return table


def _describe(data: Any, where: str, labels: tuple[str, ...]) -> str:
    """Words for a place such as $.city[3].points: the tables on the way with their labels, and the value found."""
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
    """The tables that a value is, or is a list of."""
    return [part for part in (value if isinstance(value, (list, tuple)) else (value,)) if isinstance(part, Table)]


def _inner(table: Table, label: str, labels: tuple[str, ...]) -> Iterator[tuple[str, str, Table]]:
    """The tables within a table: their key, their name and themselves."""
    for key, attribute in _attributes(type(table)).items():
        for part in _parts(getattr(table, attribute)):
            own = _label({name: getattr(part, name, None) for name in labels}, labels)
            yield key, " ".join(filter(None, (label, key, own))), part


def _walk(table: Table, labels: tuple[str, ...], label: str = "") -> Iterator[tuple[str, Table]]:
    """A table and every table within it, with their names, outermost first."""
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
    """All values that are not printed, file by file; values as the file has them, defaults left out."""
    found = [
        Value(f"{name}.toml", *row)
        for name in files(type(edition))
        for row in _marked(getattr(edition, name), "", "printed", edition.labels)
    ]
    return [value for value in found if value.mark != "printed"]


def _marked(table: Table, label: str, around: Mark, labels: tuple[str, ...]) -> Iterator[tuple[str, str, Any, Mark]]:
    """Every value of a table with its mark, as (table, key, value, mark); around: what holds if the table has none."""
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
    """A value as a file has it: tables without their marks and without what is left out there."""
    if isinstance(value, Table):
        fields = {field.encode_name: field for field in msgspec.structs.fields(value)}
        stated = [key for key in _attributes(type(value)) if not _is_default(value, fields[key])]
        return {key: _plain(getattr(value, fields[key].name)) for key in stated}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def _is_default(table: Table, field: msgspec.structs.FieldInfo) -> bool:
    default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return bool(getattr(table, field.name) == default)


# ---------------------------------------------------------------- what must hold between values
def wrong(file: str | Path, text: str) -> ValueError:
    """The error that names a file; of a long text the start and the end."""
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 2 :]}"
    return ValueError(f"{file}: {text}")


def need(right: bool, file: str | Path, table: str, value: object, what: str) -> None:
    """Refuse a value unless it is right.

    Args:
        right: whether it is.
        file: where it comes from (`edition.sources[...]`).
        table: the table, with its label, and the key.
        value: what stands there.
        what: what would be right; the message says "it must be ...".

    Raises:
        ValueError: it is not; the message names all of these.
    """
    if not right:
        raise wrong(file, f"{table}: {value!r} is wrong; it must be {what}")


def need_unique(file: str | Path, table: str, names: Iterable[object]) -> None:
    """Refuse names of which one comes twice, see :func:`need`."""
    seen: set[object] = set()
    for name in names:
        need(name not in seen, file, table, name, "there only once")
        seen.add(name)


def need_each(file: str | Path, table: str, names: Sequence[str], wanted: Collection[str]) -> None:
    """Refuse names that are not each of the wanted ones once, in any order, see :func:`need`."""
    need(sorted(names) == sorted(wanted), file, table, list(names), f"each of {', '.join(wanted)} once")


def need_same(
    file: str | Path, table: str, found: Sequence[Table], known: Sequence[Table], fixed: Iterable[str]
) -> None:
    """Refuse a list of tables that is not, in the keys `fixed`, the one that the rules are written for (`known`).

    Of a value that is a dictionary the keys must be the same, see :func:`need`.
    """
    need(len(found) == len(known), file, table, len(found), f"{len(known)} of them")
    for place, (part, right) in enumerate(zip(found, known, strict=True)):
        label = getattr(part, "id", place + 1)
        for key in fixed:
            value, wanted = getattr(part, key), getattr(right, key)
            if isinstance(wanted, dict):
                said = f"given with {', '.join(sorted(wanted)) or 'no number'}"
                need(value.keys() == wanted.keys(), file, f"{table} {label} {key}", sorted(value), said)
            else:
                need(value == wanted, file, f"{table} {label} {key}", value, f"{wanted!r}, the rules can't vary it")


# ---------------------------------------------------------------- freezing
def frozen(values: Any) -> IntTable:
    """Values as a read-only array of int64, which compiled rules take for a constant."""
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
