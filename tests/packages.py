"""The packages as users get them: `make package`, and `make install-check`, which leaves none behind. They need nothing
but Python and an index of packages.

It builds the source archive and the wheel, looks into both (what they contain, their metadata, the licence, the marker
of types; that both say the version that tag, citation and changelog say; that the wheel made from the source archive is
the same, byte by byte), and installs them into clean environments: every Python from 3.11 on that is here, the newest
packages that pip finds, those of constraints.txt, and the oldest that pyproject.toml allows. In each, outside the
project's folder, it checks that only what the core needs was installed, and runs tests/install/first_use.py. Beside
that: mypy against an installed copy, and tests in the unpacked source archive.

    python -m tests.packages [--dist FOLDER] [--python EXECUTABLE]... [--quick] [--build-only]

At the end it prints a table; the exit code is 1 if anything failed. With --dist, archives that passed everything are
put there, with their checksums. About half an hour of one core, most of which is compiling; --quick leaves one
environment for each Python, --build-only none.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
PROGRAMS = ROOT / "tests" / "install"
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")  # numba has no wheel for others
NOT_PACKED = (".github/", ".gitignore")  # of what git tracks: what serves the repository alone
TESTS = ("tests/carnegie/test_options.py", "tests/test_types.py")  # run in the unpacked source archive
METADATA = {  # what pages of the index and installers show of it
    "name": "carnegie_env",
    "license_expression": "MIT",
    "license_files": ["LICENSE"],
    "requires_python": ">=3.11",
    "description_content_type": "text/markdown",
}
SHOWN = ("numpy", "numba", "gymnasium", "pettingzoo", "msgspec")
TIMEOUT = 1800  # seconds for one program: a first use compiles for minutes on a slow core
OTHERS_SETTINGS = ("PIP_CONSTRAINT", "PYTHONPATH", "PYTHONHOME", "MYPYPATH", "VIRTUAL_ENV")


class Failed(Exception):
    """A check that found something wrong; the text says what."""


@dataclasses.dataclass
class Row:
    """A line of the table."""

    python: str
    what: str
    versions: str = ""
    result: str = ""
    seconds: float = 0.0


# ---------------------------------------------------------------- running programs
def run(*command: str | Path, folder: Path, **settings: str) -> str:
    """Run a program in a folder, with none of the caller's settings for Python; returns what it prints."""
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in OTHERS_SETTINGS and not name.startswith(("NUMBA_", "CARNEGIE_"))
    }
    env |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", **settings}
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", errors="replace", timeout=TIMEOUT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(words)}: no end after {TIMEOUT} s") from None
    if done.returncode:
        last = "\n    ".join(done.stdout.strip().splitlines()[-25:])
        raise Failed(f"{' '.join(words)}: exit code {done.returncode}\n    {last}")
    return done.stdout


def version_of(python: str) -> str | None:
    """Major and minor version, "3.12"; None if there is no such interpreter (a shim of pyenv may stand for none)."""
    if shutil.which(python) is None:
        return None
    try:
        return run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])", folder=ROOT).strip()
    except Failed:
        return None


@contextlib.contextmanager
def environment(python: str, folder: Path, *what: str | Path, constraints: Path | None = None) -> Iterator[Path]:
    """A new virtual environment with packages installed, deleted afterwards: its Python."""
    try:
        run(python, "-m", "venv", folder, folder=folder.parent)
        inside = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        pins: tuple[str | Path, ...] = ("-c", constraints) if constraints else ()
        run(inside, "-m", "pip", "install", "--quiet", *pins, *what, folder=folder)
        yield inside
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---------------------------------------------------------------- the version
def stated_versions() -> dict[str, str]:
    """The version as the package and CITATION.cff say it; Failed if one of them says none."""
    patterns = {"carnegie_env/__init__.py": r'^__version__ = "([^"]+)"$', "CITATION.cff": r"^version: (\S+)$"}
    found = {}
    for name, pattern in patterns.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        if match is None:
            raise Failed(f"{name} says no version")
        found[name] = match[1]
    return found


def release_dates() -> dict[str, str]:
    """The days of the released versions, by CHANGELOG.md, newest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^## \[(\d[^\]]*)\] - (\d{4}-\d\d-\d\d)$", text, re.MULTILINE))


def tags_here() -> list[str]:
    """The tags of versions (v1.2.3) that the commit at hand has; none outside of a repository."""
    if not (ROOT / ".git").exists():
        return []
    return run("git", "tag", "--points-at", "HEAD", "--list", "v*", folder=ROOT).split()


def check_version(tags: list[str]) -> str:
    """The version, if all that state it agree: package and citation always; with a tag the tag and the changelog, too.

    Raises:
        Failed: they do not; the text says which says what.
    """
    stated = stated_versions()
    (version, *others) = dict.fromkeys(stated.values())
    if others:
        raise Failed("the versions differ: " + ", ".join(f"{name} says {text}" for name, text in stated.items()))
    for tag in tags:
        if tag != f"v{version}":
            raise Failed(f"the commit has the tag {tag}, but carnegie_env/__init__.py says {version}")
        day = release_dates().get(version)
        if day is None:
            raise Failed(
                f"the commit has the tag {tag}, but CHANGELOG.md has no line '## [{version}] - YEAR-MONTH-DAY'"
            )
        if f"\ndate-released: {day}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
            raise Failed(f"CHANGELOG.md says that {version} came out on {day}, CITATION.cff has another date-released")
    return version


# ---------------------------------------------------------------- what is in the archives
def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements() -> dict[str, str]:
    """The core's requirements: name and lowest version."""
    found = {}
    with open(ROOT / "pyproject.toml", "rb") as file:
        needs = tomllib.load(file)["project"]["dependencies"]
    for text in needs:
        parts = re.fullmatch(r"([A-Za-z0-9_.-]+)>=([0-9.]+)", text)
        if parts is None:
            raise Failed(f"pyproject.toml: {text!r} is not of the form name>=version, so its lowest is not known")
        found[parts[1]] = parts[2]
    return found


def packages_of_extras() -> set[str]:
    """What only training, tests and pages need: the parts of constraints.txt behind the first."""
    core, _, extras = CONSTRAINTS.read_text(encoding="utf-8").partition("# train")
    parts = [{normal(name) for name in re.findall(r"^([\w.-]+)==", part, re.MULTILINE)} for part in (core, extras)]
    return parts[1] - parts[0] - {"setuptools"}  # Python 3.11 puts that into every new environment


def tracked() -> set[str]:
    """The files that belong to the project, as archives have them: those of git, or, in an unpacked archive, all. The
    agents are in the package, to which a link leads."""
    if (ROOT / ".git").exists():
        names = set(run("git", "ls-files", folder=ROOT).split("\n")) - {"", "carnegie_env/agents"}
        return {f"carnegie_env/{name}" if name.startswith("agents/") else name for name in names}
    unpacked = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file())
    return {name for name in unpacked if "__pycache__" not in name and not name.startswith((".", "PKG-INFO"))}


def compare(archive: str, found: set[str], wanted: set[str]) -> None:
    """Raise Failed if an archive lacks something or has something that is not wanted."""
    for names, wrong in ((wanted - found, "lacks"), (found - wanted, "should not have")):
        if names:
            raise Failed(f"{archive} {wrong} {', '.join(sorted(names)[:10])} ({len(names)} files)")


def check_sdist(path: Path) -> None:
    """The source archive has what git tracks, but what serves the repository alone."""
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    wanted = {name for name in tracked() if not name.startswith(NOT_PACKED)}
    compare(path.name, names - {"PKG-INFO", ".gitignore"}, wanted)  # hatchling puts in those two by itself


def check_wheel(path: Path) -> None:
    """The wheel has the package with the agents in it, all and nothing else, a licence, and the core's needs only."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        about = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(about).decode()
    described = {name for name in names if ".dist-info/" in name}
    compare(path.name, names - described, {name for name in tracked() if name.startswith("carnegie_env/")})
    if not any(name.endswith("/licenses/LICENSE") for name in described):
        raise Failed(f"{path.name} has no licence")
    if "carnegie_env/py.typed" not in names:
        raise Failed(f"{path.name} has no carnegie_env/py.typed: type checkers would not look at it")
    needs = {line.partition(": ")[2] for line in metadata.splitlines() if line.startswith("Requires-Dist: ")}
    core = {normal(re.split("[<>=!~; ]", need)[0]) for need in needs if "extra ==" not in need}
    compare(f"{path.name}, what it requires:", core, {normal(name) for name in requirements()})


# ---------------------------------------------------------------- the checks
class Check:
    """All checks, in one temporary folder; `rows` is the table."""

    def __init__(self, folder: Path, pythons: dict[str, str]) -> None:
        self.folder = folder
        self.pythons = pythons  # version -> executable
        self.first = next(iter(pythons))
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.mkdir()
        self.cache = str(folder / "cache")
        self.rows: list[Row] = []

    def row(self, version: str, what: str, check: Callable[..., str], *arguments: Any) -> bool:
        """Make one line of the table: run a check, which returns the versions it met."""
        line = Row(version, what)
        print(f"Python {version}: {what} ...", flush=True)
        start = time.monotonic()
        try:
            line.versions = check(version, *arguments)
            line.result = "works"
        except Failed as error:
            line.result = "FAILS"
            print(f"  {error}", flush=True)
        line.seconds = time.monotonic() - start
        self.rows.append(line)
        return line.result == "works"

    def build(self, version: str) -> str:
        """Both archives, from the tree."""
        stated = check_version(tags_here())
        tools = ("hatchling", "packaging")
        with environment(self.pythons[version], self.folder / "env", *tools, constraints=CONSTRAINTS) as python:
            build = (python, "-m", "hatchling", "build", "-d")
            run(*build, self.folder / "dist", folder=ROOT)
            (self.sdist,) = (self.folder / "dist").glob("*.tar.gz")
            (self.wheel,) = (self.folder / "dist").glob("*.whl")
            check_sdist(self.sdist)
            check_wheel(self.wheel)
            for archive, most in ((self.sdist, 24), (self.wheel, 16)):
                if archive.stat().st_size > most * 2**20:
                    raise Failed(f"{archive.name} has more than {most} MiB; what has made it so large?")
                told = json.loads(run(python, PROGRAMS / "metadata_of.py", archive, folder=self.elsewhere))
                if told != METADATA | {"version": stated}:
                    raise Failed(f"{archive.name}, metadata: {told}, not {METADATA | {'version': stated}}")
            run(*build, self.folder / "again", "-t", "wheel", folder=self.source())
        if (self.folder / "again" / self.wheel.name).read_bytes() != self.wheel.read_bytes():
            raise Failed(f"the wheel that is made from {self.sdist.name} is not the one that is made from the tree")
        return f"{stated}: {self.sdist.stat().st_size // 1024} and {self.wheel.stat().st_size // 1024} KiB"

    def source(self) -> Path:
        """The unpacked source archive: the tree of somebody who has no git."""
        folder = self.folder / "unpacked"
        if not folder.exists():
            with tarfile.open(self.sdist) as archive:
                archive.extractall(folder, filter="data")
        (source,) = folder.iterdir()
        return source

    def use(self, version: str, archive: Path, constraints: Path | None) -> str:
        """Install an archive, nothing else, and use it from elsewhere."""
        where = self.folder / "env"
        with environment(self.pythons[version], where, archive, constraints=constraints) as python:
            copied = shutil.copy(PROGRAMS / "first_use.py", self.elsewhere)
            printed = run(python, copied, where, folder=self.elsewhere, CARNEGIE_ENV_CACHE=self.cache)
        packages = {normal(name): at for name, at in json.loads(printed.splitlines()[-1])["packages"].items()}
        if strangers := set(packages) & packages_of_extras():
            raise Failed(f"{', '.join(sorted(strangers))} came along, which only training or tests need")
        return " ".join(f"{name} {packages[name]}" for name in SHOWN)

    def types(self, version: str) -> str:
        """mypy finds the types of the installed package, with no path to the sources."""
        what = (self.wheel, "mypy")
        with environment(self.pythons[version], self.folder / "env", *what, constraints=CONSTRAINTS) as python:
            program = shutil.copy(PROGRAMS / "user_program.py", self.elsewhere)
            mypy = (python, "-m", "mypy", "--strict", "--cache-dir", self.folder / "mypy-cache")
            return run(*mypy, program, folder=self.elsewhere).strip()

    def unpacked(self, version: str) -> str:
        """The unpacked source archive builds and runs its tests (those that need no training packages)."""
        source = self.source()
        what = f"{source}[test]"
        with environment(self.pythons[version], self.folder / "env", what, constraints=CONSTRAINTS) as python:
            pytest = (python, "-m", "pytest", "-q", "-n", "0", *TESTS)
            return run(*pytest, folder=source, CARNEGIE_ENV_CACHE=self.cache).strip().splitlines()[-1]

    def lowest(self) -> Path:
        """Constraints to the lowest versions that pyproject.toml allows."""
        path = self.folder / "lowest.txt"
        path.write_text("".join(f"{name}=={least}\n" for name, least in requirements().items()))
        return path

    def all(self, quick: bool, build_only: bool) -> None:
        """Fill the table."""
        if not self.row(self.first, "build, look into both archives", self.build) or build_only:
            return
        for version in self.pythons:
            self.row(version, "wheel, newest packages", self.use, self.wheel, None)
            if not quick:
                self.row(version, "source archive, constraints.txt", self.use, self.sdist, CONSTRAINTS)
        self.row(self.first, "wheel, oldest packages allowed", self.use, self.wheel, self.lowest())
        self.row(self.first, "mypy --strict of a user's program", self.types)
        if not quick:
            self.row(self.first, "tests in the unpacked archive", self.unpacked)

    def passed(self) -> bool:
        """Whether nothing failed."""
        return all(row.result == "works" for row in self.rows)

    def deliver(self, folder: Path) -> None:
        """Put the archives into a folder, nothing else of theirs there, and a file with their checksums."""
        folder.mkdir(exist_ok=True)
        for old in [*folder.glob("carnegie_env-*.whl"), *folder.glob("carnegie_env-*.tar.gz")]:
            old.unlink()
        sums = []
        for archive in (self.sdist, self.wheel):
            shutil.copy(archive, folder)
            sums.append(f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n")
        (folder / "SHA256SUMS").write_text("".join(sums))
        print(f"\nin {folder}:\n{''.join(sums)}", end="")

    def table(self) -> str:
        """The rows, for people."""
        lines = [("Python", "what", "result", "", "versions")]
        lines += [(row.python, row.what, row.result, f"{row.seconds:.0f} s", row.versions) for row in self.rows]
        return "\n".join(f"{line[0]:<8}{line[1]:<34}{line[2]:<8}{line[3]:>7}  {line[4]}" for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--python", action="append", metavar="EXECUTABLE", help=f"default: {', '.join(PYTHONS)}")
    parser.add_argument("--quick", action="store_true", help="one environment for each Python")
    parser.add_argument("--build-only", action="store_true", help="no environments: build, and look into the archives")
    parser.add_argument("--dist", type=Path, metavar="FOLDER", help="where the archives go if all is well")
    given = parser.parse_args()
    pythons: dict[str, str] = {}
    for name in given.python or PYTHONS:
        version = version_of(name)
        if version is None:
            print(f"{name}: no such interpreter here (--python names one that is elsewhere)")
            if given.python:
                return 1
        else:
            pythons[version] = name
    if not pythons:
        print("no Python to check with")
        return 1
    with tempfile.TemporaryDirectory(prefix="install-check-") as folder:
        check = Check(Path(folder).resolve(), pythons)
        check.all(given.quick, given.build_only)
        print("\n" + check.table())
        if given.dist and check.passed():
            check.deliver(given.dist.resolve())
    return 0 if check.passed() else 1


if __name__ == "__main__":
    sys.exit(main())
