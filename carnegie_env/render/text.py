"""Boards as text: tables, lists and numbers in words, and the sentence that ends a game."""

from __future__ import annotations

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]], gap: int = 2, left: int | None = None) -> list[str]:
    """Rows of cells as lines, every column as wide as its widest cell.

    Args:
        rows: all of the same length.
        gap: blanks between two columns.
        left: the number of columns to align to the left, the others to the right; None: all.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    signs = ["<" if left is None or k < left else ">" for k in range(len(widths))]
    layout = (" " * gap).join(f"{{:{sign}{width}}}" for sign, width in zip(signs, widths, strict=True))
    return [layout.format(*row).rstrip() for row in rows]


def join(items: Sequence[str]) -> str:
    """A list in words: "a", "a and b", "a, b and c"."""
    return ", ".join(items[:-1]) + (" and " if len(items) > 1 else "") + "".join(items[-1:])


def number_of(number: int, plural: str) -> str:
    """A number with its noun, which is given in the plural: 1 employee, 2 employees."""
    return f"{number} {plural.removesuffix('s') if number == 1 else plural}"


def victory(names: Sequence[str]) -> str:
    """The result of a game, by the names of its winners."""
    return f"{join(names)} {'wins' if len(names) == 1 else 'share the victory'}"
