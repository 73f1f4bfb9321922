"""The documents are as readable as the code: lines of at most 120 characters (ruff holds that for Python files)."""

from __future__ import annotations

import re

import pytest

from tests.documents import ROOT, listed, pages

LONGEST = 120


def long_lines(text: str) -> list[tuple[int, int]]:
    """Number and length of every line that is too long and could be broken.

    A row of a table can't be broken, nor can a line that is one long word (an address, say) behind its indent.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        breakable = not line.lstrip().startswith("|") and re.search(r"\S\s+\S", line.lstrip(" -*>#"))
        if len(line) > LONGEST and breakable:
            found.append((number, len(line)))
    return found


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_lines_of_documents_are_not_too_long(path):
    found = long_lines(path.read_text(encoding="utf-8"))
    named = ", ".join(f"{number} ({length})" for number, length in found)
    assert not found, f"{path.name} has lines of more than {LONGEST} characters; the lines (and their lengths): {named}"


def test_long_lines_are_found_and_what_cannot_be_broken_is_not():
    word = "x" * 130
    text = f"short\n{'words ' * 30}\n| {'cell | ' * 30}\n  - {word}\n{word}\n- [{word}]({word}) and more"
    assert long_lines(text) == [(2, 180), (6, 275)]


def test_all_documents_are_looked_at():
    known = listed()
    if known is None:
        pytest.skip("not a git repository")
    assert {path.relative_to(ROOT).as_posix() for path in pages()} >= known
