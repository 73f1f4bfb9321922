"""The notebooks, run from their tops to their ends: `make notebooks`.

    python -m tests.notebooks [--write] [NOTEBOOK ...]

A notebook is its own source: what stands in notebooks/*.ipynb is what people read on a code host, open, and change, and
ruff reads its code as any other. So there is no second text to keep up with; what must be kept up are the outputs. Each
notebook is run in a folder of its own that is deleted afterwards, by a new kernel. It fails if a cell fails, and if a
cell says something else than what is stored, but for pictures of pixels, and for cells with the tag `varies`, whose
output hangs on the clock or on the machine's rounding. --write stores what came out.
"""

from __future__ import annotations

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

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"
PATIENCE = 600  # seconds for a cell
VARIES = "varies"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
COMPARED = ("text/plain", "text/html", "image/svg+xml")
SETTINGS = {"CARNEGIE_ENV_QUIET": "1", "PYTHONHASHSEED": "0"}  # nothing of compiling: who runs it next has a cache


def run(path: Path, patience: int) -> tuple[Any, list[str]]:
    """Run a notebook, each cell for so many seconds at most: it with what came out, and what is wrong, as texts."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellControlSignal, DeadKernelError

    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    done = nbformat.from_dict(stored)
    inherited = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        client = NotebookClient(
            done, timeout=patience, kernel_name=KERNEL["name"], resources={"metadata": {"path": folder}}
        )
        try:
            client.execute(env=inherited | SETTINGS | {"IPYTHONDIR": folder})
        except (CellControlSignal, DeadKernelError) as error:  # failed, took too long, or ended its kernel
            return done, [str(error)]
    tidy(done)
    return done, list(differences(stored, done))


def tidy(notebook: Any) -> None:
    """Leave out what says when and by which Python it was run, and join what was printed in pieces."""
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
    """What a run says that is not what is stored: a text for each cell that should say the same, and does not."""
    for number, (before, after) in enumerate(zip(stored.cells, done.cells, strict=True)):
        if before.cell_type == "code" and VARIES not in before.metadata.get("tags", []):
            old, new = said(before), said(after)
            if old != new:
                lines = difflib.unified_diff(old, new, "stored", "now", lineterm="", n=1)
                shown = "\n".join(line[:160] for line in [*lines][:40])
                yield f"cell {number} says something else than what is stored:\n{shown}"


def said(cell: Any) -> list[str]:
    """The lines that a cell wrote and showed."""
    found: list[str] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            found += [f"{output.name}: {line}" for line in output.text.splitlines()]
        elif "image/png" not in output.get("data", {}):
            parts = [output.data[kind] for kind in COMPARED if kind in output.get("data", {})]
            found += [line for part in parts for line in part.splitlines()]
    return found


def write(path: Path, notebook: Any) -> None:
    """Store a notebook, whole."""
    import nbformat

    files.write_whole(path, nbformat.writes(notebook, version=4, indent=1).rstrip("\n") + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK", help="default: all in notebooks/")
    parser.add_argument("--write", action="store_true", help="store what comes out")
    parser.add_argument("--patience", type=int, default=PATIENCE, metavar="S", help="seconds for a cell (%(default)s)")
    given = parser.parse_args()
    paths = given.notebooks or sorted(FOLDER.glob("*.ipynb"))
    if missing := [str(path) for path in paths if not path.is_file()]:
        parser.error(f"there is no {', '.join(missing)}; there are {', '.join(p.name for p in FOLDER.glob('*.ipynb'))}")
    status = 0
    for path in paths:
        start = time.monotonic()
        done, wrong = run(path, given.patience)
        stale = [text for text in wrong if text.startswith("cell ")]
        if given.write and len(stale) == len(wrong):
            write(path, done)
            wrong = []
        print(f"{path.name}: {time.monotonic() - start:.0f} s, {'FAILS' if wrong else 'works'}", flush=True)
        for text in wrong:
            print(f"  {text}")
        if stale and wrong:
            print("  if that is as it should be, `make notebooks ARGS=--write` stores it; look at what differs")
        status |= bool(wrong)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
