"""Every client in an environment of its own, with the current release: a table of what works. `make clients`.

The environments are kept in .clients/, so that a second call only runs the checks; `--upgrade` fetches the current
releases again. Clients pin against each other, so they are never installed together.
"""

from __future__ import annotations

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
    tables = {}
    for name in given.clients or CLIENTS:
        print(f"{name} ...", flush=True)
        tables[name] = run(name, CLIENTS[name], given)
    print()
    for name, (versions, rows) in tables.items():
        print(table(name, versions, rows), end="\n\n")
    rows = [row for _, found in tables.values() for row in found]
    counts = {result: sum(row["result"] == result for row in rows) for result in ("works", "not applicable", "fails")}
    print(", ".join(f"{number} {result}" for result, number in counts.items()))
    return 1 if counts["fails"] else 0


def run(name: str, client: Client, given: argparse.Namespace) -> tuple[str, list[dict[str, Any]]]:
    """Install a client if need be and run its checks: the versions, and a row for each check."""
    python = FOLDER / name / "bin" / "python"
    wanted = [given.torch if part == "torch" else part for part in client.requirements]
    problem = install(FOLDER / name, python, wanted, given.upgrade)
    if problem:
        return "not installed", [{"check": "installation", "result": "fails", "why": problem, "seconds": 0.0}]
    child = subprocess.run(
        [python, "-m", "tests.clients.child", name], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env=os.environ | {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    rows = [json.loads(line.removeprefix(MARK)) for line in child.stdout.splitlines() if line.startswith(MARK)]
    failed = sum(row["result"] == "fails" for row in rows)
    if child.returncode != failed:
        rows.append({"check": "all of it", "result": "fails", "why": f"ended with {child.returncode}", "seconds": 0.0})
    if given.verbose or child.returncode:
        print(child.stdout)
    return versions(python, client), rows


def install(folder: Path, python: Path, wanted: list[str], upgrade: bool) -> str:
    """Make a client's environment, if it is not there; returns what went wrong."""
    stamp = folder / STAMP
    if stamp.exists() and json.loads(stamp.read_text()) == wanted and not upgrade:
        return ""
    if not python.exists():
        venv.create(folder, with_pip=True, symlinks=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "-e", ROOT]
    done = subprocess.run([*command, *wanted], capture_output=True, text=True)
    if done.returncode:
        return done.stderr[-2000:]
    stamp.write_text(json.dumps(wanted))
    return ""


def versions(python: Path, client: Client) -> str:
    """The versions of a client's packages."""
    code = "import sys, importlib.metadata as m; print(', '.join(f'{name} {m.version(name)}' for name in sys.argv[1:]))"
    return subprocess.run([python, "-c", code, *client.packages], capture_output=True, text=True).stdout.strip()


def table(name: str, versions: str, rows: list[dict[str, Any]]) -> str:
    """A client's checks as text."""
    lines = [f"{name}: {versions}"]
    width = max(len(row["check"]) for row in rows) if rows else 0
    for row in rows:
        why = f"  {row['why'].splitlines()[0][:150]}" if row["why"] else ""
        lines.append(f"  {row['check']:{width}}  {row['result']:14} {row['seconds']:6.1f} s{why}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
