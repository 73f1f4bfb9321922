"""Generated tables and pictures are up to date; `python -m tests.test_readme` writes them."""

from __future__ import annotations

import pytest

from tests.documents import ROOT, pages, tables


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_tables_are_up_to_date(path):
    for name, table in tables.found(path.read_text(encoding="utf-8")).items():
        assert table == tables.TABLES[name](), f"`{name}` is out of date: run python -m tests.test_readme"


def test_every_table_is_on_exactly_one_page():
    names = [name for path in pages() for name in tables.found(path.read_text(encoding="utf-8"))]
    assert sorted(names) == sorted(tables.TABLES)


@pytest.mark.parametrize("path", tables.PICTURES, ids=lambda path: path.name)
def test_pictures_are_up_to_date(path):
    assert path.read_text(encoding="utf-8") == tables.PICTURES[path]()


if __name__ == "__main__":
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = tables.written(before)
        if after != before:
            page.write_text(after, encoding="utf-8")
    for picture, make in tables.PICTURES.items():
        picture.write_text(make(), encoding="utf-8")
