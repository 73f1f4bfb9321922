"""Lines of documents have at most 120 characters (ruff checks Python files)."""

import re

import pytest

from tests.documents import EACH_PAGE, ROOT, listed, pages

LONGEST = 120


def long_lines(text: str) -> list[tuple[int, int]]:
    """Number and length of every long line that could be wrapped: not rows of tables, and not a single long word."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        wrappable = not line.lstrip().startswith("|") and re.search(r"\S\s+\S", line.lstrip(" -*>#"))
        if len(line) > LONGEST and wrappable:
            found.append((number, len(line)))
    return found


@EACH_PAGE
def test_the_lines_of_documents_are_not_too_long(path):
    found = long_lines(path.read_text(encoding="utf-8"))
    named = ", ".join(f"{number} ({length})" for number, length in found)
    assert not found, f"{path.name} has lines of more than {LONGEST} characters; the lines (and their lengths): {named}"


def test_long_lines_are_found_if_they_can_be_wrapped():
    word = "x" * 130
    text = f"short\n{'words ' * 30}\n| {'cell | ' * 30}\n  - {word}\n{word}\n- [{word}]({word}) and more"
    assert long_lines(text) == [(2, 180), (6, 275)]


def test_all_documents_are_tested():
    known = listed()
    if known is None:
        pytest.skip("not a git repository")
    assert {path.relative_to(ROOT).as_posix() for path in pages()} >= known
