"""The notebooks as they are stored: whole, run in order, small, and of no machine; `make notebooks` runs them."""

from __future__ import annotations

import json
import re

import pytest

from tests import notebooks

FILES = sorted(notebooks.FOLDER.glob("*.ipynb"))
LARGEST = 500_000  # bytes: what a code host shows
LONGEST = 120
# Of whoever ran it: whole paths of folders, colours of a terminal.
TRACES = re.compile(r"(?<![\w.:/<])/(?:\w[\w.-]*/){2,}|\b[A-Z]:\\\\|\x1b\[")
EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def test_there_are_three():
    assert [path.name[:2] for path in FILES] == ["1-", "2-", "3-"]


@EACH
def test_all_of_it_was_run_in_order_and_nothing_failed(path):
    code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"stream", "execute_result", "display_data"}
    assert not [output["text"] for output in outputs if output.get("name") == "stderr"]
    assert any({"image/png", "image/svg+xml"} & set(output.get("data", {})) for output in outputs)


@EACH
def test_it_is_small_and_of_no_machine(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < LARGEST and text.endswith("}\n")
    whole = json.loads(text)
    assert (whole["nbformat"], whole["nbformat_minor"]) == (4, 5)
    assert whole["metadata"] == {"kernelspec": notebooks.KERNEL, "language_info": {"name": "python"}}
    for cell in whole["cells"]:
        assert set(cell["metadata"]) <= {"tags"}
        assert set(cell["metadata"].get("tags", [])) <= {notebooks.VARIES}
        assert all(len(line.rstrip("\n")) <= LONGEST for line in cell["source"])
        for output in cell.get("outputs", []):
            told = [output.get("text", []), *(output.get("data", {}).get(kind, []) for kind in notebooks.COMPARED)]
            for part in told:
                assert not TRACES.search("".join(part)), "".join(part)[:500]


@EACH
def test_its_links_lead_somewhere(path):
    text = "".join("".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "markdown")
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert target.startswith("https://") or (path.parent / target).exists(), target
    for name in re.findall(r"`(\d-[\w-]+\.ipynb)`", text):
        assert (path.parent / name).exists(), name


def test_traces_of_a_machine_are_found():
    for text in ("in /opt/programs/python/x.py", "from C:\\\\Users", "\x1b[31mred", "'/var/folders/run'"):
        assert TRACES.search(text), text
    for text in ("a/b/c", "1 / 2", "<a></a></td>", "http://www.w3.org/2000/svg", "docs/datasets.md", "games/*.parquet"):
        assert not TRACES.search(text), text


# ---------------------------------------------------------------- what the runner compares
def made(*outputs, tags=()):
    """A notebook of one cell, as far as the comparison reads it."""
    nbformat = pytest.importorskip("nbformat.v4")
    cell = nbformat.new_code_cell("x", outputs=[nbformat.new_output(**output) for output in outputs])
    cell.metadata["tags"] = list(tags)
    return nbformat.new_notebook(cells=[cell])


def test_what_is_said_is_compared_and_pixels_are_not():
    said = {"output_type": "stream", "name": "stdout", "text": "12 points\n"}
    other = said | {"text": "13 points\n"}
    (found,) = notebooks.differences(made(said), made(other))
    assert "-stdout: 12 points" in found and "+stdout: 13 points" in found
    assert not list(notebooks.differences(made(said), made(said)))
    assert not list(notebooks.differences(made(said, tags=["varies"]), made(other)))
    picture = {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure>"}}
    assert not list(notebooks.differences(made(picture), made({**picture, "data": {"image/png": "BBBB"}})))
    drawing = {"output_type": "display_data", "data": {"image/svg+xml": "<svg>1</svg>"}}
    assert list(notebooks.differences(made(drawing), made({**drawing, "data": {"image/svg+xml": "<svg>2</svg>"}})))


def test_what_was_printed_in_pieces_is_stored_as_one():
    pieces = made(*({"output_type": "stream", "name": "stdout", "text": text} for text in ("a", "b\n", "c\n")))
    pieces.metadata["language_info"] = {"version": "3.11.7"}
    pieces.cells[0].metadata["execution"] = {"iopub.execute_input": "2026"}
    notebooks.tidy(pieces)
    assert [output.text for output in pieces.cells[0].outputs] == ["ab\nc\n"]
    assert pieces.metadata.language_info == {"name": "python"} and set(pieces.cells[0].metadata) == {"tags"}


def test_a_notebook_that_is_not_there_is_named(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["notebooks", "notebooks/9-none.ipynb"])
    with pytest.raises(SystemExit):
        notebooks.main()
    assert "there is no notebooks/9-none.ipynb" in capsys.readouterr().err
