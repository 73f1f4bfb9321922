"""The games whose rules and tables `make mutants` changes, and the tests that should notice. A new game needs an entry
here and in the lists by_hand.toml and explained.toml."""

import dataclasses
import fnmatch
from pathlib import Path

from tests.paths import ROOT as PROJECT


@dataclasses.dataclass(frozen=True)
class Stage:
    """Tests that look for a mistake. The stages run in order until one fails.

    Attributes:
        name: in the report.
        tests: arguments of pytest.
        facts: whether it can notice a wrong value in a component file.
    """

    name: str
    tests: tuple[str, ...]
    facts: bool = True


@dataclasses.dataclass(frozen=True)
class Game:
    """A game of the collection and its tests.

    Attributes:
        package: its folder.
        rules: its modules with rules and tables, as patterns below the package.
        facts: its component files, as patterns below the package.
        left_out: functions and modules without rules, as patterns ("tables._check_*").
        silent: keys of component files that no rule reads.
        stages: the tests. The golden records come last: they notice any change, but can't tell a mistake from an
            intended change.
    """

    package: str
    rules: tuple[str, ...]
    facts: tuple[str, ...]
    left_out: tuple[str, ...]
    silent: tuple[str, ...]
    stages: tuple[Stage, ...]

    def files(self, patterns: tuple[str, ...]) -> list[Path]:
        """The files that match patterns, in order; every pattern must match at least one."""
        found = {pattern: sorted((PROJECT / self.package).glob(pattern)) for pattern in patterns}
        if missing := [pattern for pattern, files in found.items() if not files]:
            raise ValueError(f"no file of {self.package} matches {' or '.join(missing)}; see tests/mutants/games.py")
        return list(dict.fromkeys(file for files in found.values() for file in files if file.name != "__init__.py"))

    def is_left_out(self, place: str) -> bool:
        """Whether a place has no rules."""
        return any(fnmatch.fnmatchcase(place, pattern) for pattern in self.left_out)


GAMES = {
    "carnegie": Game(
        package="carnegie_env/carnegie",
        rules=("rules/*.py", "engine.py", "state.py", "codes.py", "tables.py"),
        facts=("facts/*.toml",),
        left_out=(
            "state",  # the fields of a record: room for one more is not a mistake
            "tables.load_facts", "tables._shipped",  # a user's files: tests/carnegie and tests/fuzz test these checks
        ),
        silent=("xy", "rule", "marks"),
        stages=(
            Stage("tables", ("tests/carnegie/test_tables.py", "tests/carnegie/test_components.py")),
            Stage("scenarios", ("tests/test_scenarios.py", "-k", "engine")),
            Stage("referee", ("tests/test_lockstep.py",), facts=False),  # the referee reads the same files
            Stage("hidden", ("tests/mutants/test_hidden.py",)),
            Stage("derived", ("tests/mutants/test_derived.py", "-k", "not steel_driver",
                              "tests/carnegie/test_quantities.py", "tests/carnegie/test_own_tables.py")),
            Stage("events", ("tests/carnegie/test_events.py",), facts=False),
            Stage("golden", ("tests/test_golden.py", "-k", "test_golden_game and not whole and not steel")),
        ),
    ),
    "steel_driver": Game(
        package="carnegie_env/steel_driver",
        rules=("rules/*.py", "engine.py", "state.py", "tables.py"),
        facts=("facts/*.toml",),
        left_out=(
            "state",  # the fields of a record: room for one more is not a mistake
            "tables.load_facts",  # a user's files: the tests of tables test these checks
            "engine.revealed",  # nothing is hidden
        ),
        silent=("xy", "mark", "marks"),
        stages=(
            Stage("tables", ("tests/steel_driver/test_components.py",)),
            Stage("scenarios", ("tests/steel_driver/test_scenarios.py", "-k", "engine")),
            Stage("rules", ("tests/steel_driver/test_rules.py",), facts=False),
            Stage("referee", ("tests/steel_driver/test_lockstep.py", "-k", "seldom or 4-builder or 5-coast or 6-rich"),
                  facts=False),  # it reads the same file
            Stage("derived", ("tests/mutants/test_derived.py", "-k", "steel_driver")),
            Stage("events", ("tests/steel_driver/test_events.py",), facts=False),
            Stage("golden", ("tests/test_golden.py", "-k", "test_golden_game and not whole and steel")),
        ),
    ),
}  # fmt: skip
