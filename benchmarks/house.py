"""Measures of the code's layout, a column for each revision or folder: `python -m benchmarks.house HEAD~ .`"""

from __future__ import annotations

import argparse
import ast
import io
import re
import statistics
import subprocess
import sys
import tarfile
from pathlib import Path

FOLDERS = "carnegie_env", "agents", "training", "benchmarks", "tests"
FIELD = re.compile(r"\b(?:tab_pulled|uncovered)\b")  # one field's name in the record, and in JSON
CHECKING = re.compile(r"/(?:checks|codec|faults|invariants|fields|reading|writing)(?:/|\.py$)")
RULES = re.compile(r"/(?:rules/|engine\.py$)")
NO_AGENTS = re.compile(r"agents/(?:arena/|cluster\.py|processes\.py|generate\.py|play\.py|statistics\.py)")
Tree = dict[str, str]


def read(where: str) -> Tree:
    """The Python files of a folder, or of a revision of this repository, by path."""
    if (folder := Path(where)).is_dir():
        paths = (path for name in FOLDERS for path in (folder / name).rglob("*.py"))
        return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    done = subprocess.run(["git", "archive", "--format=tar", where, *FOLDERS], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        members = [each for each in archive.getmembers() if each.isfile() and each.name.endswith(".py")]
        return {each.name: archive.extractfile(each).read().decode() for each in members}  # type: ignore[union-attr]


def lines(tree: Tree, start: str = "", pattern: str | re.Pattern[str] = "") -> int:
    """The number of lines in the files of a folder whose paths match a pattern."""
    found = (text for path, text in tree.items() if path.startswith(start) and re.search(pattern, path))
    return sum(text.count("\n") for text in found)


def agents_imported(module: ast.Module) -> set[str]:
    """The names by which a module imports the package of agents."""
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {match[0] for name in names if (match := re.match(r"(?:carnegie_env\.)?agents\b", name))}


def measures(tree: Tree) -> dict[str, object]:
    """All measures of a tree by name."""
    found: dict[str, object] = {f"Python lines, {name}": lines(tree, f"{name}/") for name in FOLDERS}
    found["Python lines in all"] = lines(tree)
    package = {path: text for path, text in tree.items() if path.startswith("carnegie_env/carnegie/")}
    outside = [len(FIELD.findall(text)) for path, text in package.items() if not RULES.search(path)]
    found["one field (tab_pulled) outside the rules, places (modules)"] = f"{sum(outside)} ({sum(map(bool, outside))})"
    for game in ("carnegie", "steel_driver"):
        both = [lines(tree, f"carnegie_env/{game}/", pattern) for pattern in (CHECKING, RULES)]
        found[f"reading and checking : rules and engine, {game}"] = f"{both[0]} : {both[1]} ({both[0] / both[1]:.0%})"
    games = [p for p in tree if re.search(r"(?:toy/game|tic_?tac_?toe(?:/\w+)?)\.py$", p) and "/test_" not in p]
    found["smallest game, lines"] = min(tree[path].count("\n") for path in games)
    parsed = {path: ast.parse(text) for path, text in tree.items()}
    found["import names of the agents"] = ", ".join(sorted(set().union(*map(agents_imported, parsed.values()))))
    agents = lines(tree, "agents/")
    found["share of agents/ that is agents"] = f"{1 - lines(tree, 'agents/', NO_AGENTS) / agents:.0%}"
    functions = [
        ((node.end_lineno or 0) - node.lineno + 1, f"{path}:{node.name}")
        for path, module in parsed.items() if not path.startswith("tests/")
        for node in ast.walk(module) if isinstance(node, ast.FunctionDef)
    ]  # fmt: skip
    found["longest functions, lines"] = "; ".join(f"{n} {name}" for n, name in sorted(functions)[:-4:-1])
    found["median function, lines"] = f"{statistics.median(n for n, _ in functions):g}"
    found["longest file, lines"] = max(text.count("\n") for text in tree.values())
    return found


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("names", nargs="*", default=["HEAD"], metavar="REVISION", help="or a folder (default: HEAD)")
    names = parser.parse_args().names
    try:
        columns = [measures(read(name)) for name in names]
    except subprocess.CalledProcessError as error:
        parser.error(error.stderr.decode().strip())
    print(f"| measure | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for measure in columns[0]:
        print(f"| {measure} | {' | '.join(str(column[measure]) for column in columns)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
