"""The stored notebooks were run in order, are small and have no traces of a machine; `make notebooks` runs them."""

import ast
import importlib
import json
import re
from types import ModuleType

import pytest

from tests import notebooks

FILES = sorted(notebooks.FOLDER.glob("*.ipynb"))
LARGEST = 500_000  # bytes; code hosts don't show larger files
LONGEST = 120
# Absolute paths and terminal colours.
TRACES = re.compile(r"(?<![\w.:/<])/(?:\w[\w.-]*/){2,}|\b[A-Z]:\\\\|\x1b\[")
EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def test_there_are_three():
    assert [path.name[:2] for path in FILES] == ["1-", "2-", "3-"]


@EACH
def test_all_cells_were_run_in_order_without_errors(path):
    code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"stream", "execute_result", "display_data"}
    assert not [output["text"] for output in outputs if output.get("name") == "stderr"]
    assert any({"image/png", "image/svg+xml"} & set(output.get("data", {})) for output in outputs)


@EACH
def test_notebooks_are_small_and_have_no_traces_of_a_machine(path):
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
            for part in (output.get("text", []), *map(output.get("data", {}).get, notebooks.COMPARED, [[]] * 3)):
                assert not TRACES.search("".join(part)), "".join(part)[:500]


@EACH
def test_links_exist(path):
    text = "".join("".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "markdown")
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert target.startswith("https://") or (path.parent / target).exists(), target
    for name in re.findall(r"`(\d-[\w-]+\.ipynb)`", text):
        assert (path.parent / name).exists(), name


@EACH
def test_names_from_the_package_exist(path):
    code = "\n".join("".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "code")
    tree = ast.parse(code.replace("%%writefile", "#"))
    imported = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "carnegie_env":
            for name in node.names:
                module = importlib.import_module(node.module)
                found = getattr(module, name.name, None)
                imported[name.asname or name.name] = found or importlib.import_module(f"{node.module}.{name.name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = imported.get(node.value.id)
            assert not isinstance(module, ModuleType) or hasattr(module, node.attr), ast.unparse(node)
    assert imported


def test_texts_are_compared_and_images_are_not():
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
