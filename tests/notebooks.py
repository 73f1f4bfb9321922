"""Run the notebooks: `make notebooks`.

    python -m tests.notebooks [--write] [NOTEBOOK ...]

Each notebook runs with a new kernel in a temporary folder. It fails if a cell fails, or if a cell's output differs from
the stored one. Images and cells with the tag `varies`, whose output depends on time or rounding, are not compared.
--write stores the new outputs.
"""

import argparse
import difflib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from carnegie_env.core import files
from tests.paths import ROOT

FOLDER = ROOT / "notebooks"
TIMEOUT = 600  # seconds for a cell
VARIES = "varies"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
COMPARED = ("text/plain", "text/html", "image/svg+xml")
SETTINGS = {"CARNEGIE_ENV_QUIET": "1", "PYTHONHASHSEED": "0"}  # no messages about compiling, which depend on the cache


def run(path: Path) -> tuple[Any, list[str]]:
    """Run a notebook; returns it with its new outputs, and messages about errors and differences."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellControlSignal, DeadKernelError

    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    done = nbformat.from_dict(stored)
    inherited = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        client = NotebookClient(
            done, timeout=TIMEOUT, kernel_name=KERNEL["name"], resources={"metadata": {"path": folder}}
        )
        try:
            client.execute(env=inherited | SETTINGS | {"IPYTHONDIR": folder})
        except (CellControlSignal, DeadKernelError) as error:  # an error, a timeout or a dead kernel
            return done, [str(error)]
    tidy(done)
    return done, list(differences(stored, done))


def tidy(notebook: Any) -> None:
    """Remove metadata of the run and join consecutive outputs of the same stream."""
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata = {name: value for name, value in cell.metadata.items() if name == "tags"}
        if cell.cell_type != "code":
            continue
        joined: list[Any] = []
        for output in cell.outputs:
            last = joined[-1] if joined else None
            if last and output.output_type == "stream" == last.output_type and output.name == last.name:
                last.text += output.text
            else:
                joined.append(output)
        cell.outputs = joined


def differences(stored: Any, done: Any) -> Iterator[str]:
    """A message for each cell with an output that differs from the stored one."""
    for number, (before, after) in enumerate(zip(stored.cells, done.cells, strict=True)):
        if before.cell_type == "code" and VARIES not in before.metadata.get("tags", []):
            old, new = output_lines(before), output_lines(after)
            if old != new:
                lines = difflib.unified_diff(old, new, "stored", "now", lineterm="", n=1)
                shown = "\n".join(line[:160] for line in [*lines][:40])
                yield f"cell {number}: the output differs from the stored one:\n{shown}"


def output_lines(cell: Any) -> list[str]:
    """The lines of a cell's outputs, without images."""
    found: list[str] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            found += [f"{output.name}: {line}" for line in output.text.splitlines()]
        elif "image/png" not in output.get("data", {}):
            parts = [output.data[kind] for kind in COMPARED if kind in output.get("data", {})]
            found += [line for part in parts for line in part.splitlines()]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK", help="default: all in notebooks/")
    parser.add_argument("--write", action="store_true", help="store the new outputs")
    given = parser.parse_args()
    paths = given.notebooks or sorted(FOLDER.glob("*.ipynb"))
    if missing := [str(path) for path in paths if not path.is_file()]:
        parser.error(f"there is no {', '.join(missing)}; there are {', '.join(p.name for p in FOLDER.glob('*.ipynb'))}")
    status = 0
    for path in paths:
        start = time.monotonic()
        done, wrong = run(path)
        stale = [text for text in wrong if text.startswith("cell ")]
        if given.write and len(stale) == len(wrong):
            import nbformat

            files.write_whole(path, nbformat.writes(done, version=4, indent=1).rstrip("\n") + "\n")
            wrong = []
        print(f"{path.name}: {time.monotonic() - start:.0f} s, {'FAILS' if wrong else 'works'}", flush=True)
        for text in wrong:
            print(f"  {text}")
        if stale and wrong:
            print("  if the new output is right, `make notebooks ARGS=--write` stores it")
        status |= bool(wrong)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
