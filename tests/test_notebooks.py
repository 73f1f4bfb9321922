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


def test_the_text_of_a_cell_is_compared_and_pixels_are_not():
    nbformat = pytest.importorskip("nbformat.v4")

    def made(*tags, **output):
        cell = nbformat.new_code_cell("x", outputs=[nbformat.new_output(**output)])
        cell.metadata["tags"] = list(tags)
        return nbformat.new_notebook(cells=[cell])

    text = {"output_type": "stream", "name": "stdout"}
    stored, other = made(**text, text="12 points\n"), made(**text, text="13 points\n")
    (found,) = notebooks.differences(stored, other)
    assert "-stdout: 12 points" in found and "+stdout: 13 points" in found
    assert not list(notebooks.differences(made("varies", **text, text="12"), other))
    one, two = (made(output_type="display_data", data={"image/png": pixels}) for pixels in ("AAAA", "BBBB"))
    assert not list(notebooks.differences(one, two))
