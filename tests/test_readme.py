"""Generated tables and pictures are up to date; `python -m tests.test_readme` writes them."""

import re

import pytest

from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core.facts import unprinted
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.documents import EACH_PAGE, ROOT, pages, tables
from tests.render import samples


@EACH_PAGE
def test_tables_are_up_to_date(path):
    for name, table in tables.found(path.read_text(encoding="utf-8")).items():
        assert table == tables.TABLES[name](), f"`{name}` is out of date: run python -m tests.test_readme"


def test_every_table_is_on_exactly_one_page():
    names = [name for path in pages() for name in tables.found(path.read_text(encoding="utf-8"))]
    assert sorted(names) == sorted(tables.TABLES)


NOTICED = {  # pages that must say that values are reconstructed; those of a single game say it of that game
    CARNEGIE: ("README.md", "docs/index.md", "docs/web.md", "docs/arena.md", "docs/agents.md", "docs/carnegie.md",
               "docs/troubleshooting.md", "docs/environments/index.md", *(f"docs/environments/carnegie-{name}.md"
               for name in ("solo", "versus", "aec"))),
    STEEL_DRIVER: ("README.md", "docs/index.md", "docs/web.md", "docs/arena.md", "docs/agents.md",
                   "docs/steel_driver.md", "docs/troubleshooting.md", "docs/environments/index.md",
                   *(f"docs/environments/steel-driver-{name}.md" for name in ("versus", "aec"))),
}  # fmt: skip


@pytest.mark.parametrize("game, name", [(game, name) for game, names in NOTICED.items() for name in names])
def test_pages_with_results_say_what_is_reconstructed(game, name):
    said = " ".join(re.sub(r"[*\[]", "", (ROOT / name).read_text(encoding="utf-8")).split())
    number = sum(value.mark == "reconstructed" for value in unprinted(game.presentation.facts))
    if game is CARNEGIE:
        assert re.search(rf"\b{number} (of Carnegie's )?component values (are|and) ", said)
    assert "rules/fidelity.md" in said and "reconstruct" in said and number


@pytest.mark.parametrize("path", tables.PICTURES, ids=lambda path: path.name)
def test_pictures_are_up_to_date(path):
    assert path.read_text(encoding="utf-8") == tables.PICTURES[path]()


def test_every_picture_is_drawn_by_a_program():
    found = {path for path in samples.FOLDER.glob("*.svg") if not path.name.startswith("curves-")}
    assert found == {path for path in tables.PICTURES if path.parent == samples.FOLDER}


if __name__ == "__main__":
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = tables.written(before)
        if after != before:
            page.write_text(after, encoding="utf-8")
    for picture, make in tables.PICTURES.items():
        picture.write_text(make(), encoding="utf-8")
