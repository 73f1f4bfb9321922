"""The Python code of the documents runs, block by block.

Comments in a page's source contain its set-up (`invisible-code-block: python`). They also mark blocks that take minutes
or need another process: `<!-- skip: next if(quick, reason="make docs-test: ...") -->` is skipped unless
CARNEGIE_DOCS=1, `<!-- skip: next "..." -->` always.
"""

import os
import sys
from pathlib import Path
from unittest import SkipTest

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from tests.documents import ROOT, pages

ELSEWHERE = ("docs/adding-a-game.md",)  # tested in tests/conformance/test_guide.py
QUICK = os.environ.get("CARNEGIE_DOCS", "") in ("", "0")
SYBIL = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], path=str(ROOT))


def examples(path: Path):
    """The blocks of a page, which share a namespace."""
    document = SYBIL.parse(path)
    document.namespace.update(quick=QUICK, __name__="page")
    return list(document.examples())


def name(path: Path) -> str:
    """The path of a page, relative to the root."""
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
    assert all(left_out), "a skipped block must say where it runs instead"
