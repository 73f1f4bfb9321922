"""The Python code of the documents runs, block by block in the order of each page.

What a page needs before is in comments of its source (`invisible-code-block: python`). A block that takes minutes, or
another process, is marked there, too, with who runs it: `<!-- skip: next if(quick, reason="make docs-test: ...") -->`
is left out unless CARNEGIE_DOCS=1, `<!-- skip: next "..." -->` always.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unittest import SkipTest

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from tests.documents import ROOT, pages

# Fragments of code that another test compares with the code, or runs as files.
ELSEWHERE = {
    "docs/adding-a-game.md": "tests/conformance/test_guide.py",
    "docs/frameworks.md": "tests/clients/test_clients.py",
}
QUICK = os.environ.get("CARNEGIE_DOCS", "") in ("", "0")
SYBIL = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], path=str(ROOT))


def examples(path: Path):
    """The blocks of a page, with what is known to them."""
    document = SYBIL.parse(path)
    document.namespace.update(quick=QUICK, __name__="page")
    return list(document.examples())


def name(path: Path) -> str:
    """A page from the root."""
    return path.relative_to(ROOT).as_posix()


WITH_CODE = [
    path for path in pages() if "```python" in path.read_text(encoding="utf-8") and name(path) not in ELSEWHERE
]


@pytest.mark.parametrize("path", WITH_CODE, ids=name)
def test_the_code_of_a_page_runs(path, tmp_path, monkeypatch):
    pytest.importorskip("gymnasium")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    run, left_out = 0, []
    for example in examples(path):
        try:
            example.evaluate()
            run += 1
        except SkipTest as why:
            left_out.append(str(why))
    if not run:
        pytest.skip("; ".join(left_out))
    assert all(left_out), "what is left out says who runs it instead"


def test_blocks_that_fail_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\ntext\n\n```python\nassert x == 2, 'line 8'\n```\n")
    first, second = examples(page)
    first.evaluate()
    with pytest.raises(AssertionError, match="line 8"):
        second.evaluate()


def test_what_others_run_is_there():
    for page, test in ELSEWHERE.items():
        assert (ROOT / page).is_file() and (ROOT / test).is_file()
