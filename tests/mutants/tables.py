"""Single transcription mistakes in a component file (TOML): a number off by one, an inverted truth value, two names
exchanged (but no whole rows: their order is seldom a rule). Fractions and keys that no rule reads are left alone.

Only the value's characters change, so comments and layout stay. A mutant is identified by the file's name, the table's
header with its id (or number), the key, and the place of the value in a list.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from tests.mutants.operators import Mutant, numbered

_LABELS = ("id", "region", "project")  # keys that name a table
_TOKEN = re.compile(
    r"""(?P<comment>\#.*) | (?P<text>"(?:[^"\\]|\\.)*"|'[^']*') | (?P<sign>[\[\]{}=,]) |
        (?P<number>[-+]?\d[\w.+:-]*) | (?P<word>[A-Za-z_][\w.-]*)""",
    re.VERBOSE,
)
_HEADER = re.compile(r"\s*\[\[?\s*([\w.\"-]+)\s*\]\]?\s*(?:#.*)?$")
_WHOLE = re.compile(r"[-+]?\d[\d_]*")


@dataclasses.dataclass(frozen=True)
class Value:
    """A value in a file.

    Attributes:
        header: of its table.
        table: number of the table among those with the same header.
        key: in the table.
        inner: key in an inline table, or "".
        lists: its index in each list and inline table around it, outermost first.
        place: its number among the values of the key, from 1.
        start: of its text in the file.
        end: of its text in the file.
        text: as written.
    """

    header: str
    table: int
    key: str
    inner: str
    lists: tuple[int, ...]
    place: int
    start: int
    end: int
    text: str

    @property
    def is_text(self) -> bool:
        return self.text[0] in "\"'"

    @property
    def row(self) -> tuple:
        """Identifies the list that contains it."""
        return self.header, self.table, self.key, self.lists[:-1]

    def may_stand_for(self, other: Value) -> bool:
        """Whether it has the same role as an earlier value: a later value of the same list, the value at the same place
        of a later row, or the value of the same key in a later table."""
        kind, others = ((v.header, v.key, v.inner, len(v.lists)) for v in (self, other))
        if kind != others:
            return False
        if not self.lists or self.inner:
            return True
        return self.table == other.table and (len(self.lists) == 1 or self.lists[-1] == other.lists[-1])


def values(source: str) -> Iterator[Value]:
    """Every number, truth value and text of a TOML file (no multi-line strings: component files have none)."""
    header, key, inner, place, at = "", "", "", 0, 0
    lists: list[int] = []
    number: dict[str, int] = {}
    for line in source.splitlines(keepends=True):
        head = None if lists else _HEADER.match(line)
        if head:
            header, key = head[1], ""
            number[header] = number.get(header, 0) + 1
        for token in () if head else _TOKEN.finditer(line):
            kind, text = token.lastgroup, token.group()
            named = line[token.end() :].lstrip().startswith("=")
            if kind == "comment":
                break
            if text in ("[", "{"):
                lists.append(0)
            elif text in ("]", "}"):
                lists.pop()
                inner = ""
            elif text == ",":
                lists[-1] += 1
            elif named and lists:
                inner = text.strip("\"'")
            elif named:
                key, inner, place = text.strip("\"'"), "", 0
            elif kind in ("text", "number") or text in ("true", "false"):
                place += 1
                start = at + token.start()
                where = (header, number.get(header, 0), key, inner, tuple(lists), place)
                yield Value(*where, start, start + len(text), text)
        at += len(line)


@numbered
def mutants(file: str, source: str, silent: tuple[str, ...]) -> Iterator[Mutant]:
    """Every mutant of a component file, in the order of the file.

    Args:
        file: relative to the project.
        source: its text.
        silent: keys that no rule reads.
    """
    found = [value for value in values(source) if not {value.key, *value.header.split(".")} & {*silent}]
    labels: dict[tuple[str, int], str] = {}
    rows: dict[tuple, dict[int, str]] = {}
    for value in found:
        if value.key in _LABELS:
            labels.setdefault((value.header, value.table), value.text.strip("\"'"))
        if len(value.lists) > 1 and not value.inner:
            rows.setdefault(value.row, {})[value.lists[-1]] = value.text

    def mutant(operator: str, value: Value, new: str, *changes: tuple[Value, str]) -> Mutant:
        label = labels.get((value.header, value.table), str(value.table) if value.table > 1 else "")
        place = ".".join(filter(None, (PurePosixPath(file).stem, f"{value.header} {label}".strip())))
        key = f"{value.key}[{value.place}]" if value.lists else value.key
        seeded = functools.partial(_replaced, changes=((value, new), *changes))
        return Mutant(file, place, operator, f"{key} = {value.text}", new, 1, 0, seeded)

    for k, value in enumerate(found):
        if _WHOLE.fullmatch(value.text):
            for new in (int(value.text) + 1, int(value.text) - 1):
                if new >= 0 or int(value.text) < 0:  # a negative number in place of 0 would be refused
                    yield mutant("number", value, str(new))
        elif value.text in ("true", "false"):
            yield mutant("flag", value, "false" if value.text == "true" else "true")
        elif value.is_text:
            fitting = (other for other in found[k + 1 :] if other.is_text and other.may_stand_for(value))
            in_list = bool(value.lists) and not value.inner
            fitting = (other for other in fitting if other.row not in rows or
                       rows[value.row] | {value.lists[-1]: other.text} != rows[other.row])  # fmt: skip
            other = next((other for other in fitting if in_list or other.text != value.text), value)
            if other.text != value.text:
                yield mutant("exchange", value, other.text, (other, value.text))


def _replaced(source: str, changes: Iterable[tuple[Value, str]]) -> str:
    for value, new in sorted(changes, key=lambda change: -change[0].start):
        source = source[: value.start] + new + source[value.end :]
    return source
