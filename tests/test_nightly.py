"""`make nightly` goes on after failures and after its own end, believes only what is said, does again what was done of
other files, and reports all of it."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import longrun, soak, verify
from tests.fuzz import __main__ as fuzz
from tests.mutants.games import GAMES
from tests.nightly import __main__ as nightly
from tests.nightly import night, report, steps, tree
from tests.nightly.steps import DECISIONS, TESTS, Step
from tests.nightly.tree import ALL, CODE, ENGINE, TESTED

ROOT = tree.ROOT
MAKEFILE = """\
.PHONY: good bad silent little slow leaves parted writes
good:
	@echo "$(ARGS) $$SETTING" >> good.ran
	@printf 'half\\r\\033[1m2,000 decisions in 0:00:01 (2,000/s)\\033[0m\\nnothing wrong\\n'
bad:
	@echo ran >> bad.ran
	@echo 'it | broke'; exit 3
silent:
	@true
little:
	@echo '900 decisions in 0:00:01 (900/s)'
slow:
	@echo $$$$ > slow.pid; sleep 60; echo '5 decisions in 0:01:00'
leaves:
	@sleep 60 & echo $$! > left.pid; echo '5 decisions in 0:00:01'
parted:
	@echo "$(ARGS)" >> parted.ran
	@echo '1,000 decisions in 0:00:01 (1,000/s)'
	@case "$(ARGS)" in *2/3) test ! -e flaw.pid;; esac
writes:
	@echo more >> README.md; echo '5 decisions in 0:00:01'
"""
GOOD = Step(
    "good",
    "works",
    "good",
    ENGINE,
    DECISIONS,
    "--decisions {amount}",
    2000,
    least=500,
    settings=(("SETTING", "chosen"),),
)
BAD = Step("bad", "fails", "bad", ALL, DECISIONS, "--all", small="--few")
PARTED = Step("parted", "is done in parts", "parted", ENGINE, DECISIONS, "--decisions {amount}", 2999, 1000)
STEPS = (
    BAD,
    GOOD,
    Step("silent", "says nothing", "silent", ALL, TESTS),
    Step("little", "does too little", "little", ALL, DECISIONS, "--decisions {amount}", 1000),
    Step("absent", "is no target", "absent", ALL, TESTS),
)


def commit(project):
    """All files of a project as a commit; its name."""
    for words in (
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one", "--allow-empty"],
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    words = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(words, cwd=project, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A small project in the place of this one."""
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "README.md").write_text("What it is.\n")
    (tmp_path / ".gitignore").write_text("runs\n*.ran\n*.pid\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    commit(tmp_path)
    monkeypatch.setattr(tree, "ROOT", tmp_path)
    monkeypatch.setattr(steps, "STEPS", STEPS)
    monkeypatch.setattr(report, "signature", lambda game: 77)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setenv("ARGS", "not for the checks")
    monkeypatch.setenv("MAKEFLAGS", " -- ARGS=nor\\ this")
    return tmp_path


def kept(project, share=""):
    """What came of each part, by its name."""
    return json.loads((project / "runs" / "nightly" / share / night.STATE).read_text())["outcomes"]


def reported(project, share=""):
    return (project / "runs" / "nightly" / share / report.REPORT).read_text()


def ran(project, name):
    """The ARGS of each time that a target was made."""
    path = project / f"{name}.ran"
    return path.read_text().splitlines() if path.exists() else []


def test_it_goes_on_after_failures_and_reports_all(project, capsys):
    assert nightly.main(["--share", "0.5"]) == 1
    outcomes = kept(project, "share-0.5")
    assert {name: each["result"] for name, each in outcomes.items()} == {
        "bad": "failed", "good": "passed", "silent": "failed", "little": "passed", "absent": "missing",
    }  # fmt: skip
    assert (project / "good.ran").read_text() == "--decisions 1000 chosen\n"
    assert outcomes["good"]["says"] == ["2,000 decisions in 0:00:01 (2,000/s)"]
    assert outcomes["bad"]["command"] == "make bad ARGS=--few" and outcomes["bad"]["says"] == ["exit status 2"]
    assert outcomes["silent"]["says"] == ["it did not say what it has done"]
    page = reported(project, "share-0.5")
    assert "**all done; 2 passed, 3 not (bad, silent, absent). Time in all: 0:00:" in page
    assert "carnegie 77, steel_driver 77" in page and "Of several commits" not in page
    assert "`SETTING=chosen make good ARGS='--decisions 1000'`" in page
    assert "## bad: failed" in page and "it | broke" in page and "the Makefile has no target absent" in page
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(STEPS) and all(len(re.findall(r"(?<!\\)\|", row)) == 9 for row in rows)
    out = capsys.readouterr().out
    assert "2 passed, 3 not (bad, silent, absent)" in out and re.search(r"time in all: 0:00:\d\d", out)


def test_too_little_is_a_failure(project):
    assert nightly.main(["--only", "little"]) == 1
    assert kept(project)["little"]["says"][0] == "900 done, 1,000 wanted"


def test_what_has_been_done_is_not_done_again(project, capsys):
    few = ["--only", "bad", "good", "--share", "0.25"]
    assert nightly.main([*few, "--skip", "good"]) == 1
    assert "not finished, left: good, silent, little, absent; 0 passed, 1 not (bad)." in reported(project, "share-0.25")
    assert nightly.main(few) == 1
    assert nightly.main(few) == 1
    assert [len(ran(project, name)) for name in ("good", "bad")] == [1, 1]
    assert nightly.main([*few, "--again"]) == 1
    assert [len(ran(project, name)) for name in ("good", "bad")] == [1, 2]
    assert "good                  passed" in capsys.readouterr().out
    assert nightly.main(["--only", "good"]) == 0  # another share has a state of its own
    assert len(ran(project, "good")) == 2


def test_what_has_been_done_is_kept_in_the_documents_and_gone_on_from(project, monkeypatch, capsys):
    monkeypatch.setattr(steps, "STEPS", (GOOD, Step("whole", "looks at all", "little", ALL, DECISIONS)))
    assert nightly.main([]) == 0
    assert nightly.main(["--keep"]) == 0
    outcomes, page = (project / name for name in tree.KEPT)
    assert capsys.readouterr().out.endswith(f"{outcomes}\n{page}\n")
    assert json.loads(outcomes.read_text())["outcomes"] == kept(project)
    assert page.read_text() == reported(project)
    shutil.rmtree(project / "runs")  # another machine
    commit(project)
    assert nightly.main([]) == 0  # the kept files are none that a check looks at
    assert len(ran(project, "good")) == 1 and "**all done; 2 passed, 0 not." in reported(project)
    assert nightly.main(["--share", "0.5", "--only", "good"]) == 0  # of all, not of a share
    assert len(ran(project, "good")) == 2


def test_the_page_that_is_kept_is_of_the_outcomes_that_are():
    outcomes, path = (ROOT / name for name in tree.KEPT)
    page, known = path.read_text(encoding="utf-8"), night.Night(ROOT / "no such folder", 1, outcomes)
    said = " ".join(page.split())
    digests = [re.search(rf"\b{scope.name} ([0-9a-f]{{16}})", said)[1] for scope in tree.SCOPES]
    of = dict(zip(tree.SCOPES, digests, strict=True))
    done = [each for step in steps.STEPS if (each := known.standing(step, of[step.scope])).done]
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert rows == [report.row(each, 1) for each in done]


# ---------------------------------------------------------------- which files it holds for
def test_what_came_of_a_check_holds_while_its_files_are_the_same(project, monkeypatch, capsys):
    whole = Step("whole", "looks at all", "little", ALL, DECISIONS)
    code = Step("code", "looks at code", "little", CODE, DECISIONS)
    monkeypatch.setattr(steps, "STEPS", (GOOD, code, whole))
    first = commit(project)
    assert nightly.main([]) == 0
    assert {outcome["commit"] for outcome in kept(project).values()} == {first}
    (project / "README.md").write_text("What it is, and a figure.\n")
    assert nightly.main(["--only", "good", "code"]) == 0
    assert len(ran(project, "good")) == 1 and "not finished, left: whole;" in reported(project)
    capsys.readouterr()
    assert nightly.main([]) == 0
    assert f"make little ...   # its files are others than at {first}" in capsys.readouterr().out
    now = {name: outcome["commit"] for name, outcome in kept(project).items()}
    assert now == {"good": first, "code": first, "whole": f"{first}, changed"}
    page = " ".join(reported(project).split())
    assert f"done of each: {first} (2), {first}, changed (1). The files that a check looks at are the same" in page
    second = commit(project)
    assert nightly.main([]) == 0  # the commit has the files that were tried before it
    assert len(ran(project, "good")) == 1 and "**all done; 3 passed, 0 not." in reported(project)
    assert f"- commit now: {second}\n" in reported(project)
    (project / "new.py").write_text("pass\n")  # not the library's, nor a document
    assert nightly.main(["--minutes", "0"]) == 1
    assert "not finished, left: code, whole; 1 passed, 0 not." in reported(project)
    (project / "Makefile").write_text(MAKEFILE + "# more\n")
    assert nightly.main(["--only", "good"]) == 0
    assert len(ran(project, "good")) == 2


def test_files_that_change_meanwhile_end_it_if_the_check_looks_at_them(project, monkeypatch, capsys):
    engine = Step("engine", "writes a document", "writes", ENGINE, DECISIONS)
    whole = Step("whole", "writes a document, too", "writes", ALL, DECISIONS)
    monkeypatch.setattr(steps, "STEPS", (engine, whole, GOOD))
    assert nightly.main([]) == 1
    assert "files that whole looks at have changed meanwhile" in capsys.readouterr().out
    assert [*kept(project)] == ["engine"] and not ran(project, "good")
    assert "not finished, left: whole, good; 1 passed, 0 not." in reported(project)


def test_outside_of_a_repository_files_are_told_by_their_contents(tmp_path, monkeypatch):
    monkeypatch.setattr(tree, "ROOT", tmp_path)
    monkeypatch.setattr(tree, "git", lambda *_: None)
    for name in ("Makefile", "docs/page.md", "carnegie_env/rules.py", "runs/nightly/state.json", ".hidden/file"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    assert tree.names() == ["Makefile", "carnegie_env/rules.py", "docs/page.md"]
    before = [scope.digest() for scope in tree.SCOPES]
    (tmp_path / "docs/page.md").write_text("2")
    same = [scope.digest() == digest for scope, digest in zip(tree.SCOPES, before, strict=True)]
    assert same == [True, True, True, False]
    assert tree.commit() == f"no repository, tree {ALL.digest()}"


LOADED = """\
import importlib, json, sys
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
print(json.dumps([module.__file__ for module in [*sys.modules.values()] if getattr(module, "__file__", None)]))
"""


@pytest.mark.parametrize("scope", [ENGINE, TESTED], ids=lambda scope: scope.name)
def test_checks_of_the_engine_use_nothing_else(scope):
    """What the checks of a scope import, the tests that look for mutants, too, belongs to it."""
    targets = {ENGINE: {"verify", "soak", "fuzz", "every-value"}, TESTED: {"mutants"}}[scope]
    assert {step.target for step in steps.STEPS if step.scope is scope} == targets
    if scope is ENGINE:
        modules = ["tests.verify", "tests.soak", "tests.fuzz.__main__", "tests.every_value.__main__"]
    else:
        staged = {test for game in GAMES.values() for stage in game.stages for test in stage.tests}
        modules = ["tests.mutants.run", "tests.mutants.worker"]
        modules += [name[:-3].replace("/", ".") for name in sorted(staged) if name.endswith(".py")]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", LOADED, json.dumps(modules)]
    done = subprocess.run(words, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    loaded = [Path(name) for name in json.loads(done.stdout.splitlines()[-1])]
    places = [ROOT / name for name in ("carnegie_env", "agents", "training", "benchmarks", "tests")]
    ours = [path for path in loaded if any(path.is_relative_to(place) for place in places)]
    assert len(ours) > (100 if scope is ENGINE else 150)
    assert [path for path in ours if not scope.has(path.relative_to(ROOT).as_posix())] == []


# ---------------------------------------------------------------- parts
def test_a_long_check_is_done_in_parts(project, monkeypatch, capsys):
    monkeypatch.setattr(steps, "STEPS", (PARTED, GOOD))
    (project / "flaw.pid").touch()
    assert nightly.main(["--only", "parted"]) == 1
    assert ran(project, "parted") == [f"--decisions 2999 --part {k}/3" for k in (1, 2, 3)]
    assert {name: each["result"] for name, each in kept(project).items()} == {
        "parted-1-of-3": "passed", "parted-2-of-3": "failed", "parted-3-of-3": "passed",
    }  # fmt: skip
    (row,) = [line for line in reported(project).splitlines() if line.startswith("| parted")]
    assert "| failed | 0:00:" in row and "`make parted ARGS='--decisions 2999'`" in row
    assert "3,000 decisions in 3 of 3 parts; 2,999 wanted in all<br>part 2: exit status 2" in row
    assert "## parted-2-of-3: failed" in reported(project) and "left: good; 0 passed, 1 not (parted)" in reported(
        project
    )
    (project / "flaw.pid").unlink()
    assert nightly.main([]) == 1
    assert len(ran(project, "parted")) == 3
    capsys.readouterr()
    assert nightly.main(["--again"]) == 0
    assert ran(project, "parted")[3:] == ["--decisions 2999 --part 2/3"]
    page = reported(project)
    assert "**all done; 2 passed, 0 not." in page
    state = project / "runs" / "nightly" / night.STATE
    state.write_text(re.sub(r'(?<="began": ")[\d-]+', "2031-05-17", state.read_text(), count=1))
    assert nightly.main([]) == 0 and len(ran(project, "parted")) == 4
    days = re.search(r"\| ([\d-]+) to 2031-05-17 \| `make parted", reported(project))
    assert days and f"| {days[1]} | `SETTING=chosen make good" in page
    assert nightly.main(["--share", "0.3"]) == 0  # too little for parts
    assert ran(project, "parted")[4:] == ["--decisions 900"]


def test_after_so_many_minutes_nothing_is_begun(project, monkeypatch, capsys):
    monkeypatch.setattr(steps, "STEPS", (PARTED, GOOD))
    seconds = itertools.count(0, 25)  # a look at the clock each
    monkeypatch.setattr(nightly, "time", types.SimpleNamespace(monotonic=lambda: next(seconds)))
    assert nightly.main(["--minutes", "1"]) == 1
    assert [*kept(project)] == ["parted-1-of-3", "parted-2-of-3"] and not ran(project, "good")
    out = capsys.readouterr().out
    assert "\n1 minutes are over: the same command goes on with what is left\n" in out
    assert "\nnot finished, left: parted (1 of 3 parts), good; 0 passed, 0 not.\n" in out
    (row,) = [line for line in reported(project).splitlines() if line.startswith("| parted")]
    assert "| left, 1 of 3 parts left |" in row and "2,000 decisions in 2 of 3 parts; 2,999 wanted in all" in row
    assert nightly.main(["--minutes", "10"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"parted +left +0:00:\d\d  \(before, 2 of 3 parts\)", out) and "minutes are over" not in out
    assert ran(project, "parted")[2:] == ["--decisions 2999 --part 3/3"] and len(ran(project, "good")) == 1


@pytest.mark.parametrize(
    "jobs",
    [
        lambda: verify.jobs("carnegie", 1),
        lambda: verify.jobs("steel_driver", 1),
        lambda: soak.jobs("carnegie", 1),
        lambda: fuzz.jobs(1, None, None, 1_000_000),
        lambda: fuzz.jobs(1, "memory", None, 12_500),
    ],
)
def test_parts_are_the_whole_and_no_two_do_the_same(jobs):
    parts = [list(itertools.islice(longrun.Part(k, 3).jobs(jobs()), 50)) for k in (1, 2, 3)]
    whole = list(itertools.islice(jobs(), 150))
    assert [job for together in zip(*parts, strict=True) for job in together] == whole
    seeds = [(name, seed) for name, first, number in whole for seed in range(first, first + number)]
    if whole[0][0] in soak.PLAYS and whole[0][1:] == (1, 0):  # a job is a seed and its number
        seeds = whole
    assert len(set(seeds)) == len(seeds)


def test_a_part_does_its_jobs_and_its_share_of_the_amount(monkeypatch, capsys):
    monkeypatch.setattr(longrun, "ProcessPoolExecutor", lambda processes, mp_context: ThreadPoolExecutor(processes))
    options = longrun.arguments("", cases=0).parse_args(["--part", "2/3", "--jobs", "1"])
    done = []
    work = lambda job: (done.append(job), longrun.Result(10))[1]  # noqa: E731
    assert longrun.run(work, itertools.count(), 100, "cases", options) == 0
    assert done[:4] == [1, 4, 7, 10] and len(done) < 10
    assert "10 of 34 cases" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/3/5", "a/b", "1/0"])
def test_a_part_is_a_part(text):
    with pytest.raises(argparse.ArgumentTypeError, match=re.escape(f"a part is K/N, as 1/8 or 8/8, not {text}")):
        longrun.Part.read(text)


# ---------------------------------------------------------------- what ends it, what it is told
def test_what_a_check_has_left_running_is_ended(project, monkeypatch):
    monkeypatch.setattr(steps, "STEPS", (Step("leaves", "leaves a process", "leaves", ALL, DECISIONS),))
    assert nightly.main([]) == 0
    status = Path("/proc", (project / "left.pid").read_text().strip(), "stat")
    assert not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"  # ended, if not asked how


@pytest.mark.parametrize(
    ("state", "wrong"),
    [
        ("", "truncated"),
        ('{"form": 2, "outcomes": {"good": {"result": "passed"}}}', "missing required field `command`"),
        ('{"form": 1, "outcomes": {}}', "form 1, not 2"),
    ],
)
def test_a_damaged_state_is_refused(project, state, wrong):
    nightly.main(["--only", "good"])
    (project / "runs" / "nightly" / night.STATE).write_text(state)
    with pytest.raises(SystemExit, match=rf"state\.json is damaged .*{wrong}.* delete it"):
        nightly.main(["--only", "good"])


@pytest.mark.parametrize(
    ("option", "text"),
    [
        *(("--share", text) for text in ("0", "1.5", "-1", "much")),
        *(("--minutes", text) for text in ("-1", "nan", "x")),
    ],
)
def test_a_share_is_a_share_and_a_time_a_time(option, text, capsys):
    with pytest.raises(SystemExit):
        nightly.main([option, text])
    assert option in capsys.readouterr().err


def test_a_share_is_not_kept_in_the_documents(project, capsys):
    with pytest.raises(SystemExit):
        nightly.main(["--keep", "--share", "0.5"])
    assert "--keep: the documents say what came of all, not of a share of 0.5" in capsys.readouterr().err
    assert not (project / "docs").exists()


def test_every_check_has_a_command_for_every_share(capsys):
    assert nightly.main(["--list", "--share", "0.01"]) == 0
    small = capsys.readouterr().out
    assert nightly.main(["--list"]) == 0
    full = capsys.readouterr().out
    assert len(small.splitlines()) == len(full.splitlines()) == len(steps.STEPS)
    assert "--every 100" in small and "--every 1'" in full
    sums = dict.fromkeys(("verify", "soak"), 0)
    for target, number in re.findall(r"^[a-z-]+ +make (verify|soak) .*--decisions (\d+)", full, re.MULTILINE):
        sums[target] += int(number)
    assert sums == {"verify": 20_000_000, "soak": 200_000_000}
    bounds = re.findall(r"NUMBA_BOUNDSCHECK=1 make soak .*--decisions (\d+)", full)
    assert sum(map(int, bounds)) == 10_000_000 and "make fuzz ARGS='--cases 1000000'" in full
    assert "# in 8 parts, each with --part K/8" in full and "parts" not in small


def test_the_parts_of_a_check_do_all_of_it():
    for step in steps.STEPS:
        parts = step.parts(1)
        assert len(parts) > 1 or step.amount <= step.part or not step.part
        assert 0 <= step.amount - sum(part.wanted for part in parts) < len(parts)
        assert all(part.wanted <= (step.part or step.amount) for part in parts)
        assert len({part.name for part in parts}) == len({part.command for part in parts}) == len(parts)
        if step.target not in ("verify", "soak", "fuzz", "mutants"):  # these take --part
            assert len(parts) == 1
    (step,) = [step for step in steps.STEPS if step.name == "verify-carnegie"]
    words = shlex.split(step.parts(1)[-1].command)
    assert words == ["make", "verify", "ARGS=--game carnegie --decisions 14000000 --part 8/8"]


PROGRAM = """\
import sys
from pathlib import Path
from tests.nightly import __main__ as nightly
from tests.nightly import report, steps, tree
tree.ROOT = Path(sys.argv[1])
report.signature = lambda game: 77
steps.STEPS = (
    steps.Step("good", "works", "good", tree.ALL, steps.DECISIONS),
    steps.Step("slow", "takes long", "slow", tree.ALL, steps.DECISIONS, "{amount}", 10, 5),
)
sys.exit(nightly.main([]))
"""


def test_who_ends_it_ends_the_part_at_hand_and_the_next_goes_on(project, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    started = subprocess.Popen([sys.executable, "-c", PROGRAM, project], stdout=subprocess.DEVNULL)
    pid = project / "slow.pid"
    for _ in range(600):
        if pid.exists() and pid.read_text().strip():
            break
        time.sleep(0.1)
    second = subprocess.run([sys.executable, "-c", PROGRAM, project], capture_output=True, text=True)
    assert second.returncode == 1 and "another process works there" in second.stdout
    started.terminate()
    assert started.wait(60) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
    assert [*kept(project)] == ["good"]
    assert "not finished, left: slow; 1 passed, 0 not." in reported(project)
    good = Step("good", "works", "good", ALL, DECISIONS)
    monkeypatch.setattr(steps, "STEPS", (good, Step("slow", "takes long", "little", ALL, DECISIONS, "{amount}", 10, 5)))
    assert nightly.main([]) == 0  # what was ended counts as not done; it is done now
    assert len(ran(project, "good")) == 1 and [*kept(project)] == ["good", "slow-1-of-2", "slow-2-of-2"]
