"""Documents, docstrings, comments and messages follow the glossary of CONTRIBUTING.md.

The rules are a Vale style (`.vale/Carnegie`). This test applies them itself because Vale's PyPI package downloads a
binary on first use. `python -m tests.documents.test_language FOLDER ...` lists the violations.
"""

import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.documents import ROOT, pages

CODE = ("agents", "benchmarks", "carnegie_env", "tests", "training")  # folders whose Python files must be clean
UNREAD = (  # the glossary, tables made from docstrings, code, comments, addresses
    r"^\| instead of.*?\n\n|<!-- (?!end|skip|invis)[^>]*-->\n\n(?:(?!<!-- ).)*<!-- end -->",
    r"^```.*?^```|^    .*?$|`[^`]*`|<!--.*?-->|\]\([^)]*\)",
)


def rules() -> Iterator[tuple[re.Pattern[str], str]]:
    """Every word or phrase to avoid, with its message."""
    for path in sorted((ROOT / ".vale" / "Carnegie").glob("*.yml")):
        style = yaml.safe_load(path.read_text(encoding="utf-8"))
        swap = style.get("swap") or dict.fromkeys(style["tokens"], "")
        for old, new in swap.items():
            pattern = rf"(?<!\w){old}(?!\w)".replace(" ", r"\s+")
            message = style["message"].replace("%s", new, 1) if new else style["message"]
            yield re.compile(pattern, re.IGNORECASE), message


RULES = list(rules())


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The prose of a file, in parts with the line where each begins."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    if path.suffix != ".py":
        for unread in UNREAD:
            text = re.sub(unread, lambda code: "\n" * code[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
        yield 1, text
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE"):
            yield token.start[0], re.sub(r"`[^`\n]*`", "", token.string)


def found(path: Path) -> list[str]:
    """The violations in a file, as `file:line: message`."""
    hits = [
        (line + text.count("\n", 0, hit.start()), message.replace("%s", " ".join(hit[0].split())))
        for line, text in prose(path)
        for pattern, message in RULES
        for hit in pattern.finditer(text)
    ]
    return [f"{path.relative_to(ROOT).as_posix()}:{line}: {message}" for line, message in sorted(hits)]


@pytest.mark.parametrize(
    "path",
    [
        *pages(),
        *(ROOT / "notebooks").glob("*.ipynb"),
        *(file for name in CODE for file in (ROOT / name).rglob("*.py") if file != Path(__file__)),
    ],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_language(path):
    assert not found(path)


@pytest.mark.parametrize(
    "suffix, text", [("md", "It is drawn\nanew.\n"), ("py", "x = 1\nraise E(f'drawn anew {x}')\n")]
)
def test_words_are_found(suffix, text, tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    path = tmp_path / f"page.{suffix}"
    path.write_text(text)
    assert found(path) == [f"page.{suffix}:2: write 'again' instead of 'anew'"]


if __name__ == "__main__":
    files = (file for name in sys.argv[1:] for file in (ROOT / name).rglob("*.py"))
    print(*(line for file in files for line in found(file)), sep="\n")
