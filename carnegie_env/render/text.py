"""Boards as text: tables, lists in words, and the sentence that ends a game."""

from __future__ import annotations

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]], gap: int = 2, right: bool = False) -> list[str]:
    """Rows of cells as lines, every column as wide as its widest cell.

    Args:
        rows: all of the same length.
        gap: blanks between two columns.
        right: align all columns but the first to the right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [
            cell.rjust(width) if right else cell.ljust(width) for cell, width in zip(others, widths[1:], strict=True)
        ]
        lines.append((" " * gap).join([first.ljust(widths[0]), *cells]).rstrip())
    return lines


def join(items: Sequence[str]) -> str:
    """A list in words: "a", "a and b", "a, b and c"."""
    return ", ".join(items[:-1]) + (" and " if len(items) > 1 else "") + "".join(items[-1:])


def victory(names: Sequence[str]) -> str:
    """The result of a game, by the names of its winners."""
    return f"{join(names)} {'wins' if len(names) == 1 else 'share the victory'}"
