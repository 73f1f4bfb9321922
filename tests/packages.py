"""Tests the packages as users get them: `make install-check`, and `make package`, which also keeps them.

It needs only Python and a package index. It builds the source archive and the pure wheel, and with --libraries a wheel
for each platform, and checks them: contents, metadata, licence, type marker, the same version in package, tag, citation
and changelog, that the source archive builds the same pure wheel, byte by byte, that pip chooses the right wheel, and
what twine, auditwheel and abi3audit say. With --archives it takes archives that it has built before. Then it installs
into clean environments: every available Python from 3.11 on, with the newest packages, those of constraints.txt, and
the oldest that pyproject.toml allows. In each, outside the project's folder, it checks that only the core's
requirements were installed, and runs tests/install/first_use.py. Further rows: a game of another package
(tests/install/plugin.py), mypy against an installed copy, and tests and training in the unpacked source archive.

    python -m tests.packages [--libraries FOLDER | --archives FOLDER] [--dist FOLDER] [--python EXECUTABLE]...
        [--quick] [--newest-only] [--build-only]

At the end it prints a table; the exit code is 1 if a row failed. With --dist, archives that passed everything are
stored there with their checksums. It takes about half an hour of one core, mostly for compiling; --quick uses one
environment for each Python, --build-only none.
"""

import argparse
import contextlib
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
from functools import partial
from pathlib import Path
from typing import Any

from tests.paths import ROOT

CONSTRAINTS = ROOT / "constraints.txt"
PROGRAMS = ROOT / "tests" / "install"
PLUGIN = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "tic_tac_toe"
version = "1.0"
dependencies = ["carnegie_env"]
[project.entry-points."carnegie_env.games"]
tic_tac_toe = "tic_tac_toe:TIC_TAC_TOE"
"""
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")  # numba has no wheels for others
NOT_PACKED = (".github/", ".gitignore")  # tracked files that serve only the repository
TESTS = ("tests/carnegie/test_options.py", "tests/test_types.py")  # run in the unpacked source archive
TRAINING = ("training.value", "--game", "tic_tac_toe", "--games", "200", "--eval-games", "8", "--hidden", "8")
METADATA = {  # shown by package indexes and installers
    "name": "carnegie_env",
    "license_expression": "MIT",
    "license_files": ["LICENSE"],
    "requires_python": ">=3.11",
    "description_content_type": "text/markdown",
}
LIBRARIES = ("carnegie_env/_engine.abi3.so", "carnegie_env/_engine.pyd")
AUDITS = ("twine", "auditwheel", "abi3audit", "pip")
ENGINE = "from carnegie_env.core import library; print(library.module is not None, library.reason)"
SHOWN = ("numpy", "numba", "gymnasium", "pettingzoo", "msgspec")
TIMEOUT = 1800  # seconds for one program; the first one compiles for minutes on a slow core
CALLERS_SETTINGS = ("PIP_CONSTRAINT", "PYTHONPATH", "PYTHONHOME", "MYPYPATH", "VIRTUAL_ENV")


class Failed(Exception):
    """A failed check; the text says what is wrong."""


# ---------------------------------------------------------------- running programs
def run(*command: str | Path, folder: Path, **settings: str) -> str:
    """Run a program in a folder, without the caller's settings for Python; returns what it prints."""
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in CALLERS_SETTINGS and not name.startswith(("NUMBA_", "CARNEGIE_"))
    }
    env |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", **settings}
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", errors="replace", timeout=TIMEOUT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(words)}: still running after {TIMEOUT} s") from None
    if done.returncode:
        last = "\n    ".join(done.stdout.strip().splitlines()[-25:])
        raise Failed(f"{' '.join(words)}: exit code {done.returncode}\n    {last}")
    return done.stdout


def version_of(python: str) -> str | None:
    """Major and minor version ("3.12"); None without a working interpreter (pyenv leaves shims of missing ones)."""
    if shutil.which(python) is None:
        return None
    try:
        return run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])", folder=ROOT).strip()
    except Failed:
        return None


@contextlib.contextmanager
def environment(python: str, folder: Path, *what: str | Path, constraints: Path | None = None) -> Iterator[Path]:
    """Yields the Python of a new virtual environment with packages, which is deleted afterwards."""
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
    """The version by file: package and CITATION.cff; Failed if one has none."""
    patterns = {"carnegie_env/__init__.py": r'^__version__ = "([^"]+)"$', "CITATION.cff": r"^version: (\S+)$"}
    found = {}
    for name, pattern in patterns.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        if match is None:
            raise Failed(f"{name} has no version")
        found[name] = match[1]
    return found


def release_dates() -> dict[str, str]:
    """The release dates in CHANGELOG.md by version, newest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^## \[(\d[^\]]*)\] - (\d{4}-\d\d-\d\d)$", text, re.MULTILINE))


def tags_here() -> list[str]:
    """The version tags (v1.2.3) of the current commit; none outside a repository."""
    if not (ROOT / ".git").exists():
        return []
    return run("git", "tag", "--points-at", "HEAD", "--list", "v*", folder=ROOT).split()


def check_version(tags: list[str]) -> str:
    """The version of package, citation, tags and, if there is a tag, changelog; Failed if they differ."""
    stated = stated_versions()
    (version, *others) = dict.fromkeys(stated.values())
    if others:
        raise Failed("the versions differ: " + ", ".join(f"{name} has {text}" for name, text in stated.items()))
    for tag in tags:
        if tag != f"v{version}":
            raise Failed(f"the commit has the tag {tag}, but carnegie_env/__init__.py has {version}")
        day = release_dates().get(version)
        if day is None:
            raise Failed(f"the commit has the tag {tag}, but CHANGELOG.md no line '## [{version}] - YEAR-MONTH-DAY'")
        if f"\ndate-released: {day}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
            raise Failed(f"CHANGELOG.md has {version} released on {day}, but CITATION.cff has another date-released")
    return version


# ---------------------------------------------------------------- what is in the archives
def normal(name: str) -> str:
    """A package's normalized name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements() -> dict[str, str]:
    """The core's requirements: name and oldest version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return dict(re.findall(r"^([\w-]+)>=([\d.]+)", "\n".join(project["dependencies"]), re.MULTILINE))


def packages_of_extras() -> set[str]:
    """Packages that only extras need: constraints.txt after its first part."""
    core, _, extras = CONSTRAINTS.read_text(encoding="utf-8").partition("# train")
    parts = [{normal(name) for name in re.findall(r"^([\w.-]+)==", part, re.MULTILINE)} for part in (core, extras)]
    return parts[1] - parts[0] - {"setuptools"}  # in every new environment of Python 3.11


def tracked() -> set[str]:
    """The project's files by their names in archives: those that git tracks or, in an unpacked archive, all.

    The package has a link to the folder of the agents; archives contain the agents in its place.
    """
    if (ROOT / ".git").exists():
        names = set(run("git", "ls-files", folder=ROOT).split("\n")) - {"", "carnegie_env/agents"}
        return {f"carnegie_env/{name}" if name.startswith("agents/") else name for name in names}
    unpacked = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file())
    return {name for name in unpacked if "__pycache__" not in name and not name.startswith((".", "PKG-INFO"))}


def package_files() -> set[str]:
    """What a pure wheel contains."""
    names = {name for name in tracked() if name.startswith("carnegie_env/")}
    return {name for name in names if not name.startswith("carnegie_env/engine/")}


def compare(archive: str, found: set[str], wanted: set[str]) -> None:
    """Failed if an archive lacks a file or has an unexpected one."""
    for names, wrong in ((wanted - found, "lacks"), (found - wanted, "should not have")):
        if names:
            raise Failed(f"{archive} {wrong} {', '.join(sorted(names)[:10])} ({len(names)} files)")


def check_sdist(path: Path) -> None:
    """Check that the source archive has all tracked files except NOT_PACKED."""
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    wanted = {name for name in tracked() if not name.startswith(NOT_PACKED)}
    compare(path.name, names - {"PKG-INFO", ".gitignore"}, wanted)  # hatchling adds these two


def is_pure(wheel: Path) -> bool:
    return wheel.name.endswith("-none-any.whl")


def check_wheel(path: Path) -> None:
    """Check that a wheel has exactly the package with the agents, its library, a licence, and its requirements."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        about = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(about).decode()
    described = {name for name in names if ".dist-info/" in name}
    libraries = names.intersection(LIBRARIES)
    if len(libraries) != (not is_pure(path)):
        raise Failed(f"{path.name} has the libraries {sorted(libraries)}")
    compare(path.name, names - described - libraries, package_files())
    if not any(name.endswith("/licenses/LICENSE") for name in described):
        raise Failed(f"{path.name} has no licence")
    if "carnegie_env/py.typed" not in names:
        raise Failed(f"{path.name} has no carnegie_env/py.typed, so type checkers ignore it")
    needs = {line.partition(": ")[2] for line in metadata.splitlines() if line.startswith("Requires-Dist: ")}
    core = {normal(re.split("[<>=!~; ]", need)[0]) for need in needs if "extra ==" not in need}
    compare(f"{path.name}, what it requires:", core, {normal(name) for name in requirements()})


# ---------------------------------------------------------------- the checks
class Check:
    """All checks, in one temporary folder; `rows` is the table."""

    def __init__(self, folder: Path, archives: Path | None, pythons: dict[str, str]) -> None:
        self.folder = folder
        self.archives = archives or folder / "dist"
        self.pythons = pythons  # version -> executable
        self.first = next(iter(pythons))
        self.elsewhere, self.game = folder / "elsewhere", folder / "tic_tac_toe"  # the second is a package with a game
        self.elsewhere.mkdir()
        self.game.mkdir()
        (self.game / "pyproject.toml").write_text(PLUGIN)
        shutil.copy(ROOT / "tests" / "toy" / "tic_tac_toe.py", self.game)
        self.cache = str(folder / "cache")
        self.rows: list[tuple[str, str, str, str, str]] = []  # Python, check, result, time, versions

    def row(self, version: str, what: str, check: Callable[..., str], *arguments: Any) -> bool:
        """Run a check, which returns the versions that it found, and add a row to the table."""
        print(f"Python {version}: {what} ...", flush=True)
        start, result, versions = time.monotonic(), "works", ""
        try:
            versions = check(version, *arguments)
        except Failed as error:
            result = "FAILS"
            print(f"  {error}", flush=True)
        self.rows.append((version, what, result, f"{time.monotonic() - start:.0f} s", versions))
        return result == "works"

    def build(self, version: str, libraries: Path | None) -> str:
        """Build all archives into a folder, and check that the source archive builds the same wheel."""
        check_version(tags_here())
        with environment(self.pythons[version], self.folder / "env", "hatchling", constraints=CONSTRAINTS) as python:
            build = (python, "-m", "hatchling", "build", "-d")
            run(*build, self.archives, folder=ROOT, CARNEGIE_WHEEL="pure")
            for folder in sorted(libraries.iterdir()) if libraries else []:
                run(*build, self.archives, "-t", "wheel", folder=ROOT, CARNEGIE_WHEEL=str(folder.resolve()))
            run(*build, self.folder / "again", "-t", "wheel", folder=self.source())
        if (self.folder / "again" / self.wheel.name).read_bytes() != self.wheel.read_bytes():
            raise Failed(f"{self.sdist.name} and the project build different wheels")
        return f"{len(self.wheels)} wheels"

    @property
    def sdist(self) -> Path:
        (found,) = self.archives.glob("carnegie_env-*.tar.gz")
        return found

    @property
    def wheels(self) -> list[Path]:
        return sorted(self.archives.glob("carnegie_env-*.whl"))

    @property
    def wheel(self) -> Path:
        """The pure one."""
        (found,) = filter(is_pure, self.wheels)
        return found

    def look(self, version: str) -> str:
        """Check what is in the archives."""
        stated = check_version(tags_here())
        check_sdist(self.sdist)
        with environment(self.pythons[version], self.folder / "env", "packaging", constraints=CONSTRAINTS) as python:
            for archive in (self.sdist, *self.wheels):
                if archive is not self.sdist and archive.suffix == ".whl":
                    check_wheel(archive)
                most = 24 if archive.suffix == ".gz" else 12  # 10 MiB of networks, with the benchmark's pool
                if archive.stat().st_size > most * 2**20:
                    raise Failed(f"{archive.name} has more than {most} MiB")
                told = json.loads(run(python, PROGRAMS / "metadata_of.py", archive, folder=self.elsewhere))
                if told != METADATA | {"version": stated}:
                    raise Failed(f"{archive.name}, metadata: {told}, not {METADATA | {'version': stated}}")
        largest = max(wheel.stat().st_size for wheel in self.wheels)
        return f"{stated}: {self.sdist.stat().st_size // 1024} KiB, wheels at most {largest // 1024} KiB"

    def audit(self, version: str) -> str:
        """Ask the usual tools about the archives, and pip which wheel it would choose."""
        platforms = [wheel for wheel in self.wheels if not is_pure(wheel)]
        with environment(self.pythons[version], self.folder / "env", *AUDITS) as python:
            run(python, "-m", "twine", "check", "--strict", self.sdist, *self.wheels, folder=self.elsewhere)
            for wheel in platforms:
                run(python, "-m", "abi3audit", "--strict", wheel, folder=self.elsewhere)
                platform = wheel.stem.rpartition("-")[2]
                if platform.startswith("manylinux"):
                    told = run(python, "-m", "auditwheel", "show", wheel, folder=self.elsewhere)
                    if f'"{platform}"' not in told:
                        raise Failed(f"auditwheel does not agree that {wheel.name} is {platform}:\n{told}")
            wanted = {wheel.stem.rpartition("-")[2]: wheel.name for wheel in platforms}
            for platform in (*wanted, "musllinux_1_2_x86_64", "win_arm64"):
                options = ("--no-index", "--no-deps", "--find-links", self.archives, "--platform", platform)
                place = self.folder / "chosen" / platform
                command = (python, "-m", "pip", "download", *options, "--python-version", "3.14", "-d", place)
                run(*command, "--only-binary", ":all:", "carnegie_env", folder=self.elsewhere)
                (chosen,) = place.iterdir()
                if chosen.name != wanted.get(platform, self.wheel.name):
                    raise Failed(f"for {platform}, pip chooses {chosen.name}")
        return f"pip chooses {len(wanted)} wheels by platform"

    def source(self) -> Path:
        """The unpacked source archive."""
        folder = self.folder / "unpacked"
        if not folder.exists():
            with tarfile.open(self.sdist) as archive:
                archive.extractall(folder, filter="data")
        (source,) = folder.iterdir()
        return source

    def choose(self, version: str) -> str:
        """Install the wheel that pip chooses, and use it; a platform's wheel brings the library."""
        what = ("--find-links", self.archives, f"carnegie_env=={check_version([])}")
        return self.use(version, *what, constraints=None, engine="True " if len(self.wheels) > 1 else "False")

    def use(self, version: str, *what: str | Path, constraints: Path | None, engine: str = "False") -> str:
        """Install an archive alone, and use it from another folder."""
        where = self.folder / "env"
        with environment(self.pythons[version], where, *what, constraints=constraints) as python:
            told = run(python, "-c", ENGINE, folder=self.elsewhere)
            if not told.startswith(engine):
                raise Failed(f"the library serves: {told}")
            program = PROGRAMS / "first_use.py"
            printed = run(python, program, where, folder=self.elsewhere, CARNEGIE_ENV_CACHE=self.cache)
        packages = {normal(name): at for name, at in json.loads(printed.splitlines()[-1])["packages"].items()}
        if strangers := set(packages) & packages_of_extras():
            raise Failed(f"{', '.join(sorted(strangers))} were installed, which only extras need")
        return " ".join(f"{name} {packages[name]}" for name in SHOWN)

    def plugin(self, version: str) -> str:
        """Install a package with a game, and use the game by its name."""
        what = (f"{self.wheel}[data,web]", self.game)
        with environment(self.pythons[version], self.folder / "env", *what, constraints=CONSTRAINTS) as python:
            return run(python, PROGRAMS / "plugin.py", folder=self.elsewhere, CARNEGIE_ENV_CACHE=self.cache).strip()

    def types(self, version: str) -> str:
        """Check that mypy finds the types of the installed package."""
        what = (self.wheel, "mypy")
        with environment(self.pythons[version], self.folder / "env", *what, constraints=CONSTRAINTS) as python:
            mypy = (python, "-m", "mypy", "--strict", "--cache-dir", self.folder / "mypy-cache")
            return run(*mypy, PROGRAMS / "user_program.py", folder=self.elsewhere).strip()

    def unpacked(self, version: str) -> str:
        """Install the unpacked source archive, run some of its tests, and train a network for the plugin's game."""
        source = self.source()
        what = (f"{source}[test,train]", self.game)
        with environment(self.pythons[version], self.folder / "env", *what, constraints=CONSTRAINTS) as python:
            run(python, "-m", *TRAINING, folder=source, CARNEGIE_ENV_CACHE=self.cache)
            pytest = (python, "-m", "pytest", "-q", "-n", "0", *TESTS)
            return run(*pytest, folder=source, CARNEGIE_ENV_CACHE=self.cache).strip().splitlines()[-1]

    def lowest(self) -> Path:
        """Constraints to the oldest versions that pyproject.toml allows."""
        path = self.folder / "lowest.txt"
        path.write_text("".join(f"{name}=={least}\n" for name, least in requirements().items()))
        return path

    def all(self, build: bool, libraries: Path | None, quick: bool, build_only: bool, newest_only: bool) -> None:
        """Run all checks."""
        if build and not self.row(self.first, "build", self.build, libraries):
            return
        looked = self.row(self.first, "look into the archives", self.look)
        if sys.platform == "linux":  # where auditwheel runs
            self.row(self.first, "twine, auditwheel, abi3audit, pip", self.audit)
        if build_only or not looked:
            return
        newest, pinned, oldest = ({"constraints": path} for path in (None, CONSTRAINTS, self.lowest()))
        for version in self.pythons:
            self.row(version, "pip's choice, newest packages", self.choose)
            if not quick:
                self.row(version, "pure wheel, newest packages", partial(self.use, **newest), self.wheel)
            if not quick and not newest_only:
                self.row(version, "source archive, constraints.txt", partial(self.use, **pinned), self.sdist)
        if newest_only:
            return
        self.row(self.first, "pure wheel, oldest packages", partial(self.use, **oldest), self.wheel)
        self.row(self.first, "game of another package", self.plugin)
        self.row(self.first, "mypy --strict of a user's program", self.types)
        if not quick:
            self.row(self.first, "tests, training in the archive", self.unpacked)

    def deliver(self, folder: Path) -> None:
        """Replace the archives in a folder, with a file of their checksums."""
        folder.mkdir(exist_ok=True)
        for old in [*folder.glob("carnegie_env-*.whl"), *folder.glob("carnegie_env-*.tar.gz")]:
            old.unlink()
        sums = []
        for archive in (self.sdist, *self.wheels):
            shutil.copy(archive, folder)
            sums.append(f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n")
        (folder / "SHA256SUMS").write_text("".join(sums))
        print(f"\nin {folder}:\n{''.join(sums)}", end="")

    def table(self) -> str:
        """The rows as text."""
        rows = [("Python", "what", "result", "", "versions"), *self.rows]
        return "\n".join(f"{row[0]:<8}{row[1]:<34}{row[2]:<8}{row[3]:>7}  {row[4]}" for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--python", action="append", metavar="EXECUTABLE", help=f"default: {', '.join(PYTHONS)}")
    parser.add_argument("--quick", action="store_true", help="one environment for each Python")
    parser.add_argument("--newest-only", action="store_true", help="only the newest versions of other packages")
    parser.add_argument("--build-only", action="store_true", help="no environments: build and check the archives")
    taken = parser.add_mutually_exclusive_group()
    taken.add_argument("--libraries", type=Path, metavar="FOLDER", help="also build wheels with these libraries")
    taken.add_argument("--archives", type=Path, metavar="FOLDER", help="check these archives")
    parser.add_argument("--dist", type=Path, metavar="FOLDER", help="for the archives if all checks pass")
    given = parser.parse_args()
    pythons: dict[str, str] = {}
    for name in given.python or PYTHONS:
        version = version_of(name)
        if version is None:
            print(f"{name}: no such interpreter (--python names others)")
            if given.python:
                return 1
        else:
            pythons[version] = name
    if not pythons:
        print("no Python to check with")
        return 1
    with tempfile.TemporaryDirectory(prefix="install-check-") as folder:
        check = Check(Path(folder).resolve(), given.archives and given.archives.resolve(), pythons)
        check.all(given.archives is None, given.libraries, given.quick, given.build_only, given.newest_only)
        print("\n" + check.table())
        passed = all(row[2] == "works" for row in check.rows)
        if given.dist and passed:
            check.deliver(given.dist.resolve())
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
