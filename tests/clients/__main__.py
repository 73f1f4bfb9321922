"""Check the current release of every client in its own environment and print the results: `make clients`.

The environments are kept in .clients/, so a second call only runs the checks; `--upgrade` installs the current releases
again. Clients have conflicting pins, so they are never installed together.
"""

import argparse
import json
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.clients import ROOT
from tests.clients.catalogue import CLIENTS, TORCH, Client
from tests.clients.child import MARK

FOLDER = ROOT / ".clients"
STAMP = "installed.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns 0 if everything works, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.clients", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=f"which: {', '.join(CLIENTS)} (default: all)")
    parser.add_argument("--upgrade", action="store_true", help="install the current releases again")
    parser.add_argument("--torch", default=os.environ.get("CLIENTS_TORCH", TORCH), help=f"PyTorch (default: {TORCH})")
    parser.add_argument("--verbose", action="store_true", help="show what the clients print")
    given = parser.parse_args(arguments)
    for name in given.clients:
        if name not in CLIENTS:
            parser.error(f"there is no client {name!r}; there are {', '.join(CLIENTS)}")
    rows = []
    for name in given.clients or CLIENTS:
        print(f"{name} ...", flush=True)
        versions, results = run(name, CLIENTS[name], given)
        print(table(name, versions, results), end="\n\n")
        rows += results
    failed = sum(bool(row["error"]) for row in rows)
    print(f"{len(rows) - failed} checks work, {failed} fail")
    return 1 if failed else 0


def run(name: str, client: Client, given: argparse.Namespace) -> tuple[str, list[dict[str, Any]]]:
    """Install a client if necessary and run its checks; returns its versions and a row for each check."""
    python = FOLDER / name / "bin" / "python"
    wanted = [given.torch if part == "torch" else part for part in client.requirements]
    problem = install(FOLDER / name, python, wanted, list(client.without_dependencies), given.upgrade)
    if problem:
        return "not installed", [{"check": "installation", "error": problem, "seconds": 0.0}]
    child = subprocess.run(
        [python, "-m", "tests.clients.child", name], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env=os.environ | {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    rows = [json.loads(line.removeprefix(MARK)) for line in child.stdout.splitlines() if line.startswith(MARK)]
    if child.returncode != sum(bool(row["error"]) for row in rows):
        rows.append({"check": "the process", "error": f"exited with {child.returncode}", "seconds": 0.0})
    if given.verbose or child.returncode:
        print(child.stdout)
    return versions(python, client), rows


def install(folder: Path, python: Path, wanted: list[str], alone: list[str], upgrade: bool) -> str:
    """Make a client's environment if it does not exist; returns an error message or ""."""
    stamp = folder / STAMP
    if stamp.exists() and json.loads(stamp.read_text()) == wanted + alone and not upgrade:
        return ""
    if not python.exists():
        venv.create(folder, with_pip=True, symlinks=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    for packages in (["-e", ROOT, *wanted], ["--no-deps", *alone] if alone else []):
        done = subprocess.run([*command, *packages], capture_output=True, text=True) if packages else None
        if done is not None and done.returncode:
            return done.stderr[-2000:]
    stamp.write_text(json.dumps(wanted + alone))
    return ""


def versions(python: Path, client: Client) -> str:
    """The versions of a client's packages."""
    code = "import sys, importlib.metadata as m; print(', '.join(f'{name} {m.version(name)}' for name in sys.argv[1:]))"
    return subprocess.run([python, "-c", code, *client.packages], capture_output=True, text=True).stdout.strip()


def table(name: str, versions: str, rows: list[dict[str, Any]]) -> str:
    """The results of a client as text."""
    lines = [f"{name}: {versions}"]
    width = max(len(row["check"]) for row in rows) if rows else 0
    for row in rows:
        result = f"fails  {row['error'].splitlines()[0][:150]}" if row["error"] else "works"
        lines.append(f"  {row['check']:{width}} {row['seconds']:6.1f} s  {result}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
